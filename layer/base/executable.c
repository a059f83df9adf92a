/* SPDX-License-Identifier: MIT */
#include "layer/base/executable.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/file.h"

/* Longer command lines are told apart by what is before that. */
#define ARGUMENTS_MAX 65536

/* What a file is told by, besides its name; no padding. */
struct trait {
	uint64_t size;
	int64_t seconds, nanoseconds;
};

/* What Linux adds to the path of a file that was removed. */
static const char removed[] = " (deleted)";

/* The program's name, written once by who makes `program_state` WRITING. */
enum { UNKNOWN, WRITING, KNOWN };
static char program[OCC_EXECUTABLE_NAME];
static int program_state; /* atomic */

/* How the names of interpreters begin. */
static const char *const interpreters[] = {
	"python", "pypy",    "perl",   "ruby", "node", "lua",	"julia",
	"java",	  "Rscript", "octave", "bash", "dash", "guile", "php",
};

/* Options whose next argument names what is run. */
static bool names_program(const char *option)
{
	return !strcmp(option, "-m") || !strcmp(option, "-jar");
}

/*
 * Those that have what is run in the next argument, or may: -c, -lc, -ne, -r,
 * --eval. That is never the same for long, and nobody else's business.
 */
static bool has_program(const char *option)
{
	size_t length = strlen(option);

	if (!strncmp(option, "--", 2))
		return !strncmp(option, "--eval", 6) ||
		       !strncmp(option, "--print", 7) ||
		       !strncmp(option, "--execute", 9);
	return *option == '-' && length > 1 &&
	       strchr("ceErp", option[length - 1]);
}

/* Else it may be an option's argument, or anything. */
static bool is_file(const char *path)
{
	struct stat status;

	return *path != '-' && !stat(path, &status) && S_ISREG(status.st_mode);
}

/* Is it that name, with a version behind it or not? */
static bool begins_with(const char *name, const char *interpreter)
{
	size_t length = strlen(interpreter);

	return !strncmp(name, interpreter, length) &&
	       !name[length + strspn(name + length, "0123456789.-")];
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_interpreter(const char *path)
{
	const char *name = base_of(path);

	for (size_t i = 0; i < sizeof(interpreters) / sizeof(*interpreters);
	     i++)
		if (begins_with(name, interpreters[i]))
			return true;
	return false;
}

/*
 * What an interpreter was given to run, among its arguments, each with its NUL:
 * a module, or the first file. NULL: nothing.
 */
static const char *find_script(const char *arguments, size_t size,
			       bool *ret_is_path)
{
	const char *at = arguments + strlen(arguments) + 1;
	const char *end = arguments + size;

	*ret_is_path = false;
	for (; at < end; at += strlen(at) + 1) {
		if (has_program(at))
			return NULL;
		if (names_program(at)) {
			at += strlen(at) + 1;
			return at < end ? at : NULL;
		}
		*ret_is_path = is_file(at);
		if (*ret_is_path)
			return at;
	}
	return NULL;
}

static void add_script(struct occ_digest_state *state, const char *script,
		       bool is_path)
{
	char directory[PATH_MAX];

	if (is_path && *script != '/' && getcwd(directory, sizeof(directory)))
		occ_digest_update(state, directory, strlen(directory) + 1);
	occ_digest_update(state, script, strlen(script) + 1);
}

static bool add_file(struct occ_digest_state *state, const char *path)
{
	struct trait trait;
	struct stat status;

	occ_digest_update(state, path, strlen(path) + 1);
	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return false;
	trait.size = (uint64_t)status.st_size;
	trait.seconds = status.st_mtim.tv_sec;
	trait.nanoseconds = status.st_mtim.tv_nsec;
	occ_digest_update(state, &trait, sizeof(trait));
	return true;
}

static void keep_program(const char *path, const char *script)
{
	const char *name = base_of(script ? script : path);
	size_t length = strlen(name), tail = sizeof(removed) - 1;
	int unknown = UNKNOWN;

	if (!script && length > tail && !strcmp(name + length - tail, removed))
		length -= tail;
	if (length >= sizeof(program))
		length = sizeof(program) - 1;
	if (!__atomic_compare_exchange_n(&program_state, &unknown, WRITING,
					 false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	memcpy(program, name, length);
	program[length] = '\0';
	__atomic_store_n(&program_state, KNOWN, __ATOMIC_RELEASE);
}

static bool identify(char arguments[ARGUMENTS_MAX],
		     struct occ_executable *ret_executable)
{
	ssize_t size = occ_file_read_kernel("/proc/self/cmdline", arguments,
					    ARGUMENTS_MAX);
	char path[OCC_EXECUTABLE_NAME] = {0};
	struct occ_digest_state *state;
	const char *script = NULL;
	bool known, is_path = false;

	if (size <= 0 ||
	    readlink("/proc/self/exe", path, sizeof(path) - 1) <= 0)
		return false;
	if (is_interpreter(path))
		script = find_script(arguments, (size_t)size, &is_path);
	keep_program(path, script);
	state = occ_digest_new(OCC_SEED_CONTENT);
	known = add_file(state, path) && state;
	if (script)
		add_script(state, script, is_path);
	occ_digest_finish(state, &ret_executable->identity);
	occ_digest(arguments, (size_t)size, OCC_SEED_CONTENT,
		   &ret_executable->arguments);
	if (snprintf(ret_executable->name, sizeof(ret_executable->name),
		     "%s%s%s", path, script ? " " : "",
		     script ? script : "") < 0)
		return false;
	return known;
}

bool occ_executable_look(struct occ_executable *ret_executable)
{
	char *arguments = malloc(ARGUMENTS_MAX);
	bool known = arguments && identify(arguments, ret_executable);

	free(arguments);
	return known;
}

static bool program_is_known(void)
{
	return __atomic_load_n(&program_state, __ATOMIC_ACQUIRE) == KNOWN;
}

void occ_executable_program(char *ret_name, size_t size)
{
	struct occ_executable *executable;

	*ret_name = '\0';
	if (!program_is_known()) {
		executable = malloc(sizeof(*executable));
		if (executable)
			occ_executable_look(executable);
		free(executable);
	}
	if (program_is_known())
		snprintf(ret_name, size, "%s", program);
}
