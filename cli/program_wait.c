/* SPDX-License-Identifier: MIT */
#include "cli/program_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_STARTED 127
#define BY_SIGNAL   128

static _Noreturn void become(const char *path, const char *const *arguments,
			     bool silent)
{
	int nothing = silent ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;

	if (nothing >= 0)
		dup2(nothing, STDOUT_FILENO);
	/* It changes none of them. */
	execv(path, (char *const *)(const void *)arguments);
	_exit(NOT_STARTED);
}

int occ_program_wait(const char *path, const char *const *arguments,
		     bool silent)
{
	int status;
	pid_t pid;

	/* What is said comes before what it says. */
	fflush(stdout);
	pid = fork();
	if (!pid)
		become(path, arguments, silent);
	if (pid < 0)
		return NOT_STARTED;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return NOT_STARTED;
	return WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status)
				   : WEXITSTATUS(status);
}
