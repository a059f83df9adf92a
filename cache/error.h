/* SPDX-License-Identifier: MIT */
/*
 * What the calls of cache/ answer. Zero and above is success; a negative value
 * says why there is nothing, and every one of them means "build as usual" to
 * the layer. occ_error_reason(), and occ_error_string() as text, give the short
 * English reason that messages, traces and statistics show; the strings are
 * stable, scripts match on them.
 */
#ifndef OCC_CACHE_ERROR_H
#define OCC_CACHE_ERROR_H

#include "hash/reason.h"

enum occ_error {
	OCC_OK = 0,
	OCC_E_NOT_FOUND = -1,	/* no entry of that name */
	OCC_E_KEY_DIFFERS = -2, /* entries of that name have other keys */
	OCC_E_CORRUPT = -3,	/* bad magic, length or checksum */
	OCC_E_VERSION = -4,	/* written by another format version */
	OCC_E_IO = -5,		/* a system call failed; errno says which way */
	OCC_E_MEMORY = -6,	/* out of memory */
	OCC_E_TOO_LARGE = -7,	/* wouldn't fit if everything were evicted */
	OCC_E_NO_DIRECTORY = -8, /* store directory missing and not creatable */
	OCC_E_FORBIDDEN = -9, /* directory of another user, or world-writable */
	OCC_E_NO_LOCK = -10,  /* the file system has no flock() */
	OCC_E_SIZE_LEDGER =
		-11,	    /* config.file was corrupt: rebuilt, stood aside */
	OCC_E_BUSY = -13,   /* another process holds the lock of config.file */
	OCC_E_EXISTS = -12, /* a good entry for this key is already there */
	OCC_E_READ_ONLY = -14, /* the store was opened for reading only */
	OCC_E_DENIED = -15,    /* the directory's mode keeps the user out */
	OCC_E_ANOTHERS =
		-16, /* another user's link, or it would be made there */
	OCC_E_NOT_A_STORE = -17, /* the directory has other files */
	OCC_E_REMOTE = -18,	 /* the remote storage or its helper failed */
	OCC_E_REMOTE_DOWN = -19, /* it did, and isn't asked for a while */
};

/*
 * Of a system call that failed with that errno, where it says nothing more
 * special: OCC_E_DENIED or OCC_E_IO.
 */
int occ_error_of_call(int number);

/* None of success. */
enum occ_reason occ_error_reason(int error);

/* Its text, never NULL. */
const char *occ_error_string(int error);

#endif
