/* SPDX-License-Identifier: MIT */
/*
 * Credentials of S3, in this order: the attributes access-key and secret-key
 * (-file, -env), the variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
 * AWS_SESSION_TOKEN, the profile (attribute profile, AWS_PROFILE, "default") of
 * the file (attribute credentials-file, AWS_SHARED_CREDENTIALS_FILE,
 * ~/.aws/credentials), as Amazon's own programs have them.
 */
#ifndef OCC_STORAGE_S3_CREDENTIALS_H
#define OCC_STORAGE_S3_CREDENTIALS_H

#include "storage/http_exchange.h"

struct occ_s3_credentials {
	char *access_key, *secret_key;
	char *session_token; /* NULL: none */
};

/* False: there are none, or not all; *ret_error says what was looked for. */
bool occ_s3_credentials_read(const struct occ_storage_options *options,
			     struct occ_s3_credentials *ret_credentials,
			     struct occ_backend_error *ret_error);
void occ_s3_credentials_release(struct occ_s3_credentials *credentials);

/*
 * Those of a profile from the text of such a file. False: it hasn't both keys;
 * nothing is to be released then.
 */
bool occ_s3_credentials_parse(const char *text, const char *profile,
			      struct occ_s3_credentials *ret_credentials);

/* Has libcurl sign the exchange (AWS signature version 4). */
bool occ_s3_sign(struct occ_http_exchange *exchange,
		 struct occ_backend_error *ret_error);

#endif
