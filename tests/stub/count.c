/* SPDX-License-Identifier: MIT */
#include "tests/stub/count.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tests/stub/object.h"
#include "tests/stub/switches.h"

void stub_count(const char *what, const char *digest)
{
	char line[128];
	int file, length;

	if (!*stub.count_file)
		return;
	length = snprintf(line, sizeof(line), "%s %s\n", what, digest);
	file = open(stub.count_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
		    0666);
	if (file < 0 || write(file, line, (size_t)length) != length)
		stub_die("%s can't be written", stub.count_file);
	close(file);
}

void stub_sleep(int milliseconds)
{
	struct timespec left = {milliseconds / 1000,
				milliseconds % 1000 * 1000000L};

	while (milliseconds > 0 && nanosleep(&left, &left) && errno == EINTR)
		;
}

static int64_t milliseconds_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void stub_compute(int milliseconds)
{
	int64_t end = milliseconds_now(CLOCK_THREAD_CPUTIME_ID) + milliseconds;

	while (milliseconds_now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

__attribute__((destructor)) static void report_leaks(void)
{
	static const struct {
		enum stub_kind kind;
		const char *name;
	} kinds[] = {
		{STUB_CONTEXT, "context"}, {STUB_QUEUE, "queue"},
		{STUB_MEMORY, "memory"},   {STUB_PROGRAM, "program"},
		{STUB_KERNEL, "kernel"},   {STUB_EVENT, "event"},
	};

	if (!stub.leaks)
		return;
	stub_lock();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t count = stub_objects_alive(kinds[i].kind);
		char line[64];

		snprintf(line, sizeof(line), "%s %zu", kinds[i].name, count);
		if (count)
			stub_count("leak", line);
	}
	stub_unlock();
}
