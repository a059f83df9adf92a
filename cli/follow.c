/* SPDX-License-Identifier: MIT */
#include "cli/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"

/* As shells have it. */
#define NOT_FOUND 127
#define NOT_RUN	  OCC_FOLLOW_NOT_RUN
#define BY_SIGNAL 128

static const int followed[] = {
	SIGHUP,	 SIGINT,  SIGQUIT, SIGTERM, SIGTSTP,
	SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGWINCH,
};

#define FOLLOWED (sizeof(followed) / sizeof(*followed))

static volatile pid_t program;

static int complain(const char *name, int error)
{
	if (error == ENOENT && !strchr(name, '/'))
		occ_message_error("%s: no such program in PATH", name);
	else if (error == ENOENT)
		occ_message_error("%s: no such file, or the interpreter that "
				  "it names is missing",
				  name);
	else
		occ_message_error("can't run %s: %s", name, strerror(error));
	return error == ENOENT ? NOT_FOUND : NOT_RUN;
}

int occ_follow_replace(char *const *command)
{
	execvp(command[0], command);
	return complain(command[0], errno);
}

/* What the kernel sends comes from the terminal, and to both. */
static void send_on(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (info->si_code <= 0 && program > 0)
		kill(program, signal);
	errno = saved;
}

/* What is ignored stays so: the program ignores it, too (nohup). */
static void handle_one(int signal, bool ours)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART}, old;

	if (sigaction(signal, NULL, &old) < 0 ||
	    (!(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_IGN))
		return;
	if (ours) {
		action.sa_sigaction = send_on;
	} else {
		action.sa_flags = 0;
		action.sa_handler = SIG_DFL;
	}
	sigemptyset(&action.sa_mask);
	sigaction(signal, &action, NULL);
}

static void handle(bool ours)
{
	for (size_t i = 0; i < FOLLOWED; i++)
		handle_one(followed[i], ours);
}

/* In the child. */
static _Noreturn void become(char *const *command, int answer,
			     const sigset_t *mask,
			     const struct sigaction *of_children)
{
	int error;

	handle(false);
	sigaction(SIGCHLD, of_children, NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(command[0], command);
	error = errno;
	while (write(answer, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(NOT_RUN);
}

/* Why it couldn't be started; 0: it runs. */
static int read_answer(int answer)
{
	int error = 0;
	ssize_t size;

	do {
		size = read(answer, &error, sizeof(error));
	} while (size < 0 && errno == EINTR);
	return size == (ssize_t)sizeof(error) ? error : 0;
}

/* An error number, or 0 with `program` set. */
static int start(char *const *command)
{
	struct sigaction by_default = {.sa_handler = SIG_DFL}, of_children;
	sigset_t all, before;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return errno;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	handle(true);
	/* Ignored, it would keep its status from us. */
	sigaction(SIGCHLD, &by_default, &of_children);
	program = fork();
	error = program < 0 ? errno : 0;
	if (program == 0)
		become(command, ends[1], &before, &of_children);
	close(ends[1]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!error)
		error = read_answer(ends[0]);
	close(ends[0]);
	return error;
}

/* As waitpid(), whatever signals come. */
static pid_t wait_for(int *ret_status, int flags)
{
	pid_t pid;

	do {
		pid = waitpid(program, ret_status, flags);
	} while (pid < 0 && errno == EINTR);
	return pid;
}

/*
 * Until it has ended. Stopped by the terminal together, both go on together;
 * who stops the program itself will continue that, not us. Nor do we stop when
 * it was continued already: nobody would do that for us once more.
 */
static int await(void)
{
	int status = 0;
	pid_t pid = wait_for(&status, WUNTRACED);

	while (pid > 0 && !WIFEXITED(status) && !WIFSIGNALED(status)) {
		if (WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP) {
			pid = wait_for(&status, WNOHANG | WCONTINUED);
			if (pid)
				continue;
			raise(SIGSTOP);
			kill(program, SIGCONT);
		}
		pid = wait_for(&status, WUNTRACED);
	}
	return pid < 0 ? -1 : status;
}

/*
 * It has ended; what we say now is our own. That nobody reads it must not take
 * the place of how the program ended, and a terminal may stop us again.
 */
static void leave(void)
{
	/* Its number may be another's soon. */
	program = 0;
	signal(SIGPIPE, SIG_IGN);
	handle_one(SIGTSTP, false);
	handle_one(SIGTTIN, false);
	handle_one(SIGTTOU, false);
}

int occ_follow_run(char *const *command, int *ret_failed)
{
	int error = start(command), status;

	if (error) {
		if (program > 0)
			await();
		leave();
		*ret_failed = complain(command[0], error);
		return -1;
	}
	status = await();
	leave();
	return status;
}

int occ_follow_end(int status)
{
	static const struct rlimit no_core = {0, 0};
	static const struct sigaction by_default = {.sa_handler = SIG_DFL};
	sigset_t only;
	int signal;

	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	signal = WTERMSIG(status);
	/* If a core was dumped, it was the program's. */
	setrlimit(RLIMIT_CORE, &no_core);
	sigaction(signal, &by_default, NULL);
	sigemptyset(&only);
	sigaddset(&only, signal);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	raise(signal);
	return BY_SIGNAL + signal;
}
