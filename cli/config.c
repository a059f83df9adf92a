/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "cli/command.h"
#include "cli/message.h"

static int run(const struct occ_arguments *arguments)
{
	(void)arguments;
	occ_message_error("config: not there yet");
	return OCC_EXIT_FAILED;
}

const struct occ_command occ_command_config = {
	.name = "config",
	.summary = "show the settings and where each comes from",
	.run = run,
};
