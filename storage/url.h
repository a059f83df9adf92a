/* SPDX-License-Identifier: MIT */
/*
 * scheme://[user[:password]@]host[:port][/path][?query], and of redis+unix
 * scheme:/path or scheme:///path. Blanks and control characters are in none.
 */
#ifndef OCC_STORAGE_URL_H
#define OCC_STORAGE_URL_H

#include <stdbool.h>
#include <stddef.h>

struct occ_storage_options;

/*
 * Into the fields of *options that are of the URL. False: `problem` says what
 * is wrong with it, and shows nothing of it.
 */
bool occ_storage_url_parse(const char *url, struct occ_storage_options *options,
			   char *problem, size_t size);

#endif
