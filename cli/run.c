/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "cli/command.h"
#include "cli/message.h"

static int run(const struct occ_arguments *arguments)
{
	(void)arguments;
	occ_message_error("run: not there yet");
	return OCC_EXIT_FAILED;
}

const struct occ_command occ_command_run = {
	.name = "run",
	.summary = "run a program under the layer, and say what it saved",
	.run = run,
};
