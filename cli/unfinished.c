/* SPDX-License-Identifier: MIT */
#include "cli/unfinished.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "cli/screen.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

#define SIGNALS (sizeof(signals) / sizeof(*signals))

static struct sigaction former[SIGNALS];
static const char *volatile unfinished;
static bool has_bar;

/* SA_RESETHAND: the second raise does what the first would have done. */
static void leave(int number)
{
	static const char no_bar[] = "\r\033[K";
	const char *path = unfinished;

	if (path)
		unlink(path);
	/* Nothing to be done where it can't be written. */
	if (has_bar && write(STDERR_FILENO, no_bar, sizeof(no_bar) - 1) < 0)
		has_bar = false;
	raise(number);
}

void occ_unfinished_begin(const char *path)
{
	struct sigaction action = {.sa_handler = leave,
				   .sa_flags = SA_RESETHAND};

	has_bar = occ_screen_is_terminal(STDERR_FILENO);
	unfinished = path;
	for (size_t i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &former[i]);
		if (former[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

void occ_unfinished_end(void)
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &former[i], NULL);
	unfinished = NULL;
}
