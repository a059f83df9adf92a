/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "cli/command.h"
#include "cli/message.h"

static int run(const struct occ_arguments *arguments)
{
	(void)arguments;
	occ_message_error("evict: not there yet");
	return OCC_EXIT_FAILED;
}

const struct occ_command occ_command_evict = {
	.name = "evict",
	.summary = "make the store smaller, least recently used entries first",
	.run = run,
};
