/* SPDX-License-Identifier: MIT */
#include "cli/interpreter.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/program_path.h"
#include "cli/text.h"

#define VARIABLE "OCLCACHE_PYTHON"

bool occ_interpreter_runs(const char *program)
{
	const char *interpreter = getenv(VARIABLE);

	return interpreter && *interpreter &&
	       occ_text_ends_with(program, ".py");
}

bool occ_interpreter_check(const char *command, const char *program)
{
	char *found;

	if (!occ_text_ends_with(program, ".py") ||
	    occ_interpreter_runs(program) || access(program, F_OK) ||
	    !access(program, X_OK))
		return true;
	/* PATH may have another one. */
	found = occ_program_path_find(program);
	if (!found)
		occ_message_error("%s isn't executable: run 'oclcache %s "
				  "python3 %s'",
				  program, command, program);
	free(found);
	return found != NULL;
}

char **occ_interpreter_command(char *const *command)
{
	const char *interpreter = getenv(VARIABLE);
	bool needed = interpreter && occ_interpreter_runs(command[0]);
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
