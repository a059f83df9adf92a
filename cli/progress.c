/* SPDX-License-Identifier: MIT */
#include "cli/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cache/file.h"
#include "cli/screen.h"

#define NS_PER_S      UINT64_C(1000000000)
#define S_PER_MINUTE  UINT64_C(60)
#define FIRST_AFTER   (NS_PER_S / 2)
#define SHOWN_EVERY   (NS_PER_S / 10)
#define BAR_COLUMNS   30
#define OTHER_COLUMNS 60
#define TIME_COLUMNS  8

static struct {
	pthread_mutex_t lock;
	bool active;
	bool shown;
	const char *what, *unit;
	uint64_t total, done;
	uint64_t begin;
	uint64_t next; /* when it is shown again */
	uint64_t left; /* ns; 0: not known */
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void hide(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
	progress.shown = false;
}

/* Text of others may be in it; a longer line couldn't be taken away again. */
static void show_wait(void)
{
	size_t width = occ_screen_width(STDERR_FILENO), size = 0;
	size_t length = strlen(progress.what);

	while (size < length &&
	       occ_screen_columns(progress.what, size + 1) + TIME_COLUMNS <
		       width)
		size++;
	occ_screen_write(stderr, progress.what, size, true);
	fprintf(stderr, ": %" PRIu64 " s",
		(occ_file_clock() - progress.begin) / NS_PER_S);
}

static void show_count(void)
{
	char bar[BAR_COLUMNS + 1];
	uint64_t full = progress.total
				? progress.done * BAR_COLUMNS / progress.total
				: 0;

	for (uint64_t i = 0; i < BAR_COLUMNS; i++)
		bar[i] = i < full ? '#' : '.';
	bar[BAR_COLUMNS] = '\0';
	if (progress.total &&
	    occ_screen_width(STDERR_FILENO) >= BAR_COLUMNS + OTHER_COLUMNS)
		fprintf(stderr, "%s [%s] %" PRIu64 "/%" PRIu64 " %s",
			progress.what, bar, progress.done, progress.total,
			progress.unit);
	else if (progress.total)
		fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 " %s",
			progress.what, progress.done, progress.total,
			progress.unit);
	else
		fprintf(stderr, "%s: %" PRIu64 " %s", progress.what,
			progress.done, progress.unit);
}

static void show_left(void)
{
	uint64_t seconds = progress.left / NS_PER_S + 1;

	if (!progress.left)
		return;
	if (seconds < 2 * S_PER_MINUTE)
		fprintf(stderr, ", %" PRIu64 " s left", seconds);
	else
		fprintf(stderr, ", %" PRIu64 " min left",
			(seconds + S_PER_MINUTE / 2) / S_PER_MINUTE);
}

static void show(void)
{
	hide();
	if (progress.unit)
		show_count();
	else
		show_wait();
	show_left();
	fflush(stderr);
	progress.shown = true;
}

void occ_progress_begin(const char *what, const char *unit, uint64_t total)
{
	pthread_mutex_lock(&progress.lock);
	progress.active = occ_screen_is_terminal(STDERR_FILENO);
	progress.what = what;
	progress.unit = unit;
	progress.total = total;
	progress.done = progress.left = 0;
	progress.begin = occ_file_clock();
	progress.next = progress.begin + FIRST_AFTER;
	pthread_mutex_unlock(&progress.lock);
}

void occ_progress_step(uint64_t done)
{
	pthread_mutex_lock(&progress.lock);
	progress.done += done;
	if (progress.active && occ_file_clock() >= progress.next) {
		show();
		progress.next = occ_file_clock() + SHOWN_EVERY;
	}
	pthread_mutex_unlock(&progress.lock);
}

void occ_progress_total(uint64_t total)
{
	pthread_mutex_lock(&progress.lock);
	progress.total = total;
	pthread_mutex_unlock(&progress.lock);
}

void occ_progress_end(void)
{
	pthread_mutex_lock(&progress.lock);
	hide();
	progress.active = false;
	pthread_mutex_unlock(&progress.lock);
}

void occ_progress_left(uint64_t ns)
{
	pthread_mutex_lock(&progress.lock);
	progress.left = ns;
	pthread_mutex_unlock(&progress.lock);
}

void occ_progress_hide(void)
{
	pthread_mutex_lock(&progress.lock);
	hide();
	pthread_mutex_unlock(&progress.lock);
}
