/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into an application: appends to the file $ENVIRONMENT_LOG a line
 * "NAME\tOBJECT" for each variable that is asked for with getenv() or
 * secure_getenv(), once for each OBJECT, the file that asks.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT	  __attribute__((visibility("default")))
#define SEEN_SIZE (1 << 20)

/* Lines, each with its NUL. */
static char seen[SEEN_SIZE];
static size_t seen_size;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

extern char **environ;

EXPORT char *getenv(const char *name);
EXPORT char *secure_getenv(const char *name);

/* Without getenv(), and without malloc(): it may be asked for by that. */
static char *find(const char *name)
{
	size_t length = strlen(name);

	for (char **variable = environ; variable && *variable; variable++)
		if (!strncmp(*variable, name, length) &&
		    (*variable)[length] == '=')
			return *variable + length + 1;
	return NULL;
}

static bool is_new(const char *line, size_t size)
{
	for (size_t at = 0; at < seen_size; at += strlen(seen + at) + 1)
		if (!strcmp(seen + at, line))
			return false;
	if (seen_size + size > SEEN_SIZE)
		return true;
	memcpy(seen + seen_size, line, size);
	seen_size += size;
	return true;
}

static void append(const char *path, char *line, size_t length)
{
	int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	if (file < 0)
		return;
	line[length] = '\n';
	if (write(file, line, length + 1) < 0)
		abort();
	close(file);
}

static void note(const char *name, const void *caller)
{
	const char *path = find("ENVIRONMENT_LOG");
	char line[1024];
	Dl_info info;
	int length;
	bool new;

	if (!path)
		return;
	if (!dladdr(caller, &info) || !info.dli_fname)
		info.dli_fname = "?";
	length = snprintf(line, sizeof(line), "%s\t%s", name, info.dli_fname);
	if (length < 0 || (size_t)length >= sizeof(line))
		return;
	pthread_mutex_lock(&mutex);
	new = is_new(line, (size_t)length + 1);
	pthread_mutex_unlock(&mutex);
	if (new)
		append(path, line, (size_t)length);
}

char *getenv(const char *name)
{
	note(name, __builtin_return_address(0));
	return find(name);
}

char *secure_getenv(const char *name)
{
	note(name, __builtin_return_address(0));
	return find(name);
}
