/* SPDX-License-Identifier: MIT */
#include "cache/error.h"

const char *occ_error_string(int error)
{
	if (error >= 0)
		return "ok";
	switch ((enum occ_error)error) {
	case OCC_OK:
		break;
	case OCC_E_NOT_FOUND:
		return "not found";
	case OCC_E_KEY_DIFFERS:
		return "key differs";
	case OCC_E_CORRUPT:
		return "corrupt entry";
	case OCC_E_VERSION:
		return "format version differs";
	case OCC_E_IO:
		return "I/O error";
	case OCC_E_MEMORY:
		return "out of memory";
	case OCC_E_TOO_LARGE:
		return "too large";
	case OCC_E_NO_DIRECTORY:
		return "no store directory";
	case OCC_E_FORBIDDEN:
		return "store directory is not private";
	case OCC_E_NO_LOCK:
		return "file system without locks";
	case OCC_E_SIZE_LEDGER:
		return "config.file was corrupt";
	case OCC_E_BUSY:
		return "another process keeps the lock";
	case OCC_E_EXISTS:
		return "already stored";
	case OCC_E_READ_ONLY:
		return "store is for reading only";
	case OCC_E_DENIED:
		return "permission denied";
	case OCC_E_ANOTHERS:
		return "the path leads into another user's hands";
	case OCC_E_NOT_A_STORE:
		return "not a store: the directory has other files";
	}
	return "unknown error";
}
