/* SPDX-License-Identifier: MIT */
#include "cli/failure.h"

#include <errno.h>
#include <string.h>

#include "cli/message.h"

void occ_failure_show(const char *thing, int error)
{
	const char *why = occ_error_string(error), *hint = "";

	switch (error) {
	case OCC_E_IO:
		why = strerror(errno);
		break;
	case OCC_E_MEMORY:
		occ_message_no_memory();
	case OCC_E_NO_DIRECTORY:
		why = "there is no such directory";
		break;
	case OCC_E_NOT_FOUND:
		why = "it isn't there";
		break;
	case OCC_E_FORBIDDEN:
		why = "it belongs to another user, or others can write to it";
		break;
	case OCC_E_ANOTHERS:
		why = "the path has another user's link, or would be made in "
		      "another user's directory";
		hint = "; name another one, or make it as that user";
		break;
	case OCC_E_NOT_A_STORE:
		why = "it has other files, and none of a store's";
		hint = "; name an empty directory";
		break;
	case OCC_E_READ_ONLY:
		why = "it can only be read";
		break;
	case OCC_E_BUSY:
		hint = "; try again when it is done";
		break;
	case OCC_E_SIZE_LEDGER:
		hint = " and has been made anew; try again";
		break;
	case OCC_E_TOO_LARGE:
		why = "there is no room for it";
		break;
	default:
		break;
	}
	occ_message_error("%s: %s%s", thing, why, hint);
}
