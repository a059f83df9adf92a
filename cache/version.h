/* SPDX-License-Identifier: MIT */
/* The project's version, in one place. */
#ifndef OCC_CACHE_VERSION_H
#define OCC_CACHE_VERSION_H

#define OCC_VERSION "0.1.0"
#define OCC_WRITER  "oclcache " OCC_VERSION

#endif
