/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into an application: getenv("NAME") gives $SIMULATED_NAME, if that
 * is set. So a driver can be told to simulate a device by switches that are not
 * in the environment for others, who would have to be careful with them.
 */
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

extern char **environ;

EXPORT char *getenv(const char *name);

/* Without getenv(). */
static char *find(const char *prefix, const char *name)
{
	size_t before = strlen(prefix), length = strlen(name);

	for (char **variable = environ; variable && *variable; variable++)
		if (!strncmp(*variable, prefix, before) &&
		    !strncmp(*variable + before, name, length) &&
		    (*variable)[before + length] == '=')
			return *variable + before + length + 1;
	return NULL;
}

EXPORT char *getenv(const char *name)
{
	char *value = find("SIMULATED_", name);

	return value ? value : find("", name);
}
