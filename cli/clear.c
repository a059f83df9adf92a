/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "cli/command.h"
#include "cli/message.h"

static int run(const struct occ_arguments *arguments)
{
	(void)arguments;
	occ_message_error("clear: not there yet");
	return OCC_EXIT_FAILED;
}

const struct occ_command occ_command_clear = {
	.name = "clear",
	.summary = "remove entries",
	.run = run,
};
