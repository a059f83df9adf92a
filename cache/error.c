/* SPDX-License-Identifier: MIT */
#include "cache/error.h"

#include <errno.h>

int occ_error_of_call(int number)
{
	return number == EACCES || number == EPERM ? OCC_E_DENIED : OCC_E_IO;
}

enum occ_reason occ_error_reason(int error)
{
	if (error >= 0)
		return OCC_REASON_NONE;
	switch ((enum occ_error)error) {
	case OCC_OK:
		break;
	case OCC_E_NOT_FOUND:
		return OCC_REASON_NOT_FOUND;
	case OCC_E_KEY_DIFFERS:
		return OCC_REASON_KEY_DIFFERS;
	case OCC_E_CORRUPT:
		return OCC_REASON_CORRUPT;
	case OCC_E_VERSION:
		return OCC_REASON_VERSION;
	case OCC_E_IO:
		return OCC_REASON_IO;
	case OCC_E_MEMORY:
		return OCC_REASON_OUT_OF_MEMORY;
	case OCC_E_TOO_LARGE:
		return OCC_REASON_TOO_LARGE;
	case OCC_E_NO_DIRECTORY:
		return OCC_REASON_NO_DIRECTORY;
	case OCC_E_FORBIDDEN:
		return OCC_REASON_FORBIDDEN;
	case OCC_E_NO_LOCK:
		return OCC_REASON_NO_LOCK;
	case OCC_E_SIZE_LEDGER:
		return OCC_REASON_SIZE_LEDGER;
	case OCC_E_BUSY:
		return OCC_REASON_BUSY;
	case OCC_E_EXISTS:
		return OCC_REASON_EXISTS;
	case OCC_E_READ_ONLY:
		return OCC_REASON_READ_ONLY;
	case OCC_E_DENIED:
		return OCC_REASON_DENIED;
	case OCC_E_ANOTHERS:
		return OCC_REASON_ANOTHERS;
	case OCC_E_NOT_A_STORE:
		return OCC_REASON_NOT_A_STORE;
	case OCC_E_REMOTE:
		return OCC_REASON_REMOTE;
	case OCC_E_REMOTE_DOWN:
		return OCC_REASON_REMOTE_DOWN;
	}
	return OCC_REASON_UNKNOWN_ERROR;
}

const char *occ_error_string(int error)
{
	return error >= 0 ? "ok" : occ_reason_text(occ_error_reason(error));
}
