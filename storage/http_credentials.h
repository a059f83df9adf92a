/* SPDX-License-Identifier: MIT */
/* Who asks, as a server of HTTP, or of S3, wants to know it. */
#ifndef OCC_STORAGE_HTTP_CREDENTIALS_H
#define OCC_STORAGE_HTTP_CREDENTIALS_H

#include "storage/http_exchange.h"

/*
 * Sets what the attributes say: bearer-token, header, user and password, those
 * of the URL, netrc-file; client-key-password; of s3 the signature
 * (storage/s3_credentials.h). False: one can't be read; *ret_error says which.
 */
bool occ_http_set_credentials(struct occ_http_exchange *exchange,
			      struct occ_backend_error *ret_error);

#endif
