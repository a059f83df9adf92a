/* SPDX-License-Identifier: MIT */
#include "cache/silence.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

void occ_silence_begin(struct occ_silence *silence)
{
	sigset_t signals;
	int saved = errno;

	sigemptyset(&signals);
	sigaddset(&signals, SIGXFSZ);
	sigaddset(&signals, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &signals, &silence->before);
	sigemptyset(&silence->pending);
	/* What wasn't blocked can't be pending. */
	if (sigismember(&silence->before, SIGXFSZ) ||
	    sigismember(&silence->before, SIGPIPE))
		sigpending(&silence->pending);
	errno = saved;
}

static void take_back(const struct occ_silence *silence, int number)
{
	const struct timespec at_once = {0};
	sigset_t signals;

	if (sigismember(&silence->pending, number))
		return;
	sigemptyset(&signals);
	sigaddset(&signals, number);
	while (sigtimedwait(&signals, NULL, &at_once) < 0 && errno == EINTR)
		;
}

void occ_silence_end(const struct occ_silence *silence, int error)
{
	int saved = errno;

	if (error == EFBIG)
		take_back(silence, SIGXFSZ);
	if (error == EPIPE)
		take_back(silence, SIGPIPE);
	pthread_sigmask(SIG_SETMASK, &silence->before, NULL);
	errno = saved;
}
