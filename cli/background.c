/* SPDX-License-Identifier: MIT */
#include "cli/background.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache/settings.h"
#include "cli/nvidia/nvidia.h"
#include "cli/store_path.h"

#define FIRST_OTHER 3

/* Limits may be as good as none. */
#define OTHERS_MAX  (1 << 20)

bool occ_background_is_wanted(void)
{
	struct occ_settings settings;
	bool wanted;

	occ_settings_read(&settings);
	wanted = settings.upgrade && settings.persistent &&
		 !settings.disabled && settings.mode != OCC_MODE_READONLY &&
		 settings.store_policy != OCC_STORE_NEVER;
	occ_settings_release(&settings);
	return wanted;
}

/* Who reads a pipe of ours mustn't wait for this. */
static void close_all(void)
{
	int nothing = open("/dev/null", O_RDWR);
	long most = sysconf(_SC_OPEN_MAX);

	for (int file = 0; file < FIRST_OTHER; file++)
		if (nothing < 0)
			close(file);
		else if (file != nothing)
			dup2(nothing, file);
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, FIRST_OTHER, ~0U, 0))
		return;
#endif
	for (int file = FIRST_OTHER; file < most && file < OTHERS_MAX; file++)
		close(file);
}

/* Signals as a new session has them. */
static void forget_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

_Noreturn static void be_upgrade(void)
{
	char limit[16];

	snprintf(limit, sizeof(limit), "%d", OCC_BACKGROUND_LIMIT);
	close_all();
	forget_signals();
	/* What this one counts is no longer asked for. */
	unsetenv("OCLCACHE_STATS_FILE");
	/* No file system is kept from being unmounted. */
	if (!chdir("/"))
		execl("/proc/self/exe", "oclcache", "upgrade", "--quiet",
		      "--no-wait", "--time-limit", limit, (char *)NULL);
	_exit(1);
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

/*
 * The second fork() leaves it to init, so that it is no child of ours that
 * nobody waits for, and no leader that could get a terminal.
 */
void occ_background_upgrade(void)
{
	pid_t pid;

	if (!is_anything_to_do())
		return;
	pid = fork();
	if (!pid) {
		setsid();
		if (!fork())
			be_upgrade();
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
