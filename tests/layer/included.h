/* SPDX-License-Identifier: MIT */
/* For kernels of scene_sources.c, in OpenCL C. */
#define INCLUDED 7
