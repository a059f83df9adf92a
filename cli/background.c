/* SPDX-License-Identifier: MIT */
#include "cli/background.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/learn.h"
#include "cli/nvidia/nvidia.h"
#include "cli/store_path.h"

/* s, of the time limit of an upgrade that is started so. */
#define UPGRADE_LIMIT "600"

#define FIRST_OTHER   3

/* Limits may be as good as none. */
#define OTHERS_MAX    (1 << 20)

/* Who reads a pipe of ours mustn't wait for this. */
static void close_all(int errors)
{
	int nothing = open("/dev/null", O_RDWR);
	long most = sysconf(_SC_OPEN_MAX);

	for (int file = 0; file < FIRST_OTHER; file++)
		if (nothing < 0)
			close(file);
		else if (file != nothing)
			dup2(nothing, file);
	if (errors >= 0)
		dup2(errors, STDERR_FILENO);
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, FIRST_OTHER, ~0U, 0))
		return;
#endif
	for (int file = FIRST_OTHER; file < most && file < OTHERS_MAX; file++)
		close(file);
}

/* Signals as a new session has them. */
static void settle(int errors)
{
	sigset_t none;

	close_all(errors);
	sigemptyset(&none);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* What this one counts is no longer asked for. */
	unsetenv("OCLCACHE_STATS_FILE");
}

static void be_upgrade(void *data)
{
	(void)data;
	/* No file system is kept from being unmounted. */
	if (!chdir("/"))
		execl("/proc/self/exe", "oclcache", "upgrade", "--quiet",
		      "--no-wait", "--time-limit", UPGRADE_LIMIT, (char *)NULL);
}

/* Where the program was: drivers and their files may be found from there. */
static void be_learner(void *data)
{
	(void)data;
	/* Whatever else runs is more important. */
	setpriority(PRIO_PROCESS, 0, 19);
	occ_learn_drivers();
}

/*
 * The second fork() leaves it to init, so that it is no child of ours that
 * nobody waits for, and no leader that could get a terminal.
 */
static _Noreturn void leave(void (*work)(void *data), void *data, int errors,
			    int answer)
{
	pid_t pid;

	setsid();
	pid = fork();
	if (!pid) {
		settle(errors);
		work(data);
		_exit(OCC_BACKGROUND_FAILED);
	}
	while (write(answer, &pid, sizeof(pid)) < 0 && errno == EINTR)
		;
	_exit(0);
}

pid_t occ_background_start(void (*work)(void *data), void *data, int errors)
{
	pid_t pid, started = -1;
	ssize_t size;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (!pid)
		leave(work, data, errors, ends[1]);
	close(ends[1]);
	do {
		size = read(ends[0], &started, sizeof(started));
	} while (size < 0 && errno == EINTR);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return size == (ssize_t)sizeof(started) ? started : -1;
}

/*
 * What is remembered, or finds no room, would be looked at in vain by one
 * process more for each that has used it. No directory is made.
 */
static bool is_anything_to_do(void)
{
	static const struct occ_arguments none;
	struct occ_store *store = occ_store_path_open(&none, true);
	struct occ_nvidia_counts counts;
	bool is;

	if (!store)
		return false;
	occ_store_keep_all(store);
	is = occ_nvidia_count(store, false, &counts) &&
	     (counts.waiting || counts.again) && !occ_store_try(store);
	occ_nvidia_release(&counts);
	occ_store_close(store);
	return is;
}

void occ_background_upgrade(void)
{
	if (is_anything_to_do())
		occ_background_start(be_upgrade, NULL, -1);
}

void occ_background_learn(void)
{
	occ_background_start(be_learner, NULL, -1);
}
