/* SPDX-License-Identifier: MIT */
/*
 * What the attributes of http://, https:// and s3:// come to, and where a key
 *is.
 *
 * Names are those of ccache's HTTP helpers, so that servers can be shared:
 * lower-case hex digits behind the URL's path and a slash, in the layout
 *
 *	subdirs	(default) a slash after the first two digits
 *	flat	none
 *	bazel	"ac/" and 64 digits: longer ones cut, shorter ones repeated
 *
 * Of s3://BUCKET/PREFIX: at ENDPOINT/BUCKET/PREFIX/..., or where no endpoint is
 * given at Amazon's of the region.
 */
#ifndef OCC_STORAGE_HTTP_SETTINGS_H
#define OCC_STORAGE_HTTP_SETTINGS_H

#include <stdbool.h>

#include "hash/buffer.h"
#include "storage/backend.h"
#include "storage/options.h"

enum occ_http_layout {
	OCC_HTTP_SUBDIRS,
	OCC_HTTP_FLAT,
	OCC_HTTP_BAZEL,
};

struct occ_http_settings {
	const struct occ_storage_options *options;
	enum occ_http_layout layout;
	char *base; /* the URL up to the slash before the name */
	bool is_s3, is_anonymous;
	bool uses_netrc;
	char *region; /* of s3 */
};

/* Says what no further try will mend. False, for the callers' returns. */
bool occ_http_fail(struct occ_backend_error *ret_error, const char *what);

/* False: what is wrong is in *ret_error. To be released in both cases. */
bool occ_http_settings_make(const struct occ_storage_options *options,
			    struct occ_http_settings *ret_settings,
			    struct occ_backend_error *ret_error);
void occ_http_settings_release(struct occ_http_settings *settings);

/* The URL of a key, with a NUL. NULL: out of memory. To be freed. */
char *occ_http_url(const struct occ_http_settings *settings,
		   struct occ_span key);

#endif
