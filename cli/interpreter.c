/* SPDX-License-Identifier: MIT */
#include "cli/interpreter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/text.h"

#define VARIABLE "OCLCACHE_PYTHON"

char **occ_interpreter_command(char *const *command)
{
	const char *interpreter = getenv(VARIABLE);
	bool needed = interpreter && *interpreter &&
		      occ_text_ends_with(command[0], ".py");
	size_t count = 0, length = needed ? strlen(interpreter) : 0;
	char **whole;

	while (command[count])
		count++;
	/* The interpreter's path lies behind the array. */
	whole = occ_message_must(
		calloc(1, (count + 2) * sizeof(*whole) + length + 1));
	if (needed)
		whole[0] = memcpy(whole + count + 2, interpreter, length);
	memcpy(whole + needed, command, count * sizeof(*whole));
	unsetenv(VARIABLE);
	return whole;
}
