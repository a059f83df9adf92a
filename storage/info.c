/* SPDX-License-Identifier: MIT */
#include "storage/server_internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "cache/version.h"
#include "storage/clock.h"
#include "storage/counts.h"
#include "storage/lease.h"
#include "storage/options.h"

struct lines {
	struct occ_buffer bytes;
	unsigned char count;
};

static void add_line(void *context, const char *text)
{
	struct lines *lines = context;

	if (lines->count == UINT8_MAX)
		return;
	lines->count++;
	occ_message_append(&lines->bytes, text);
}

__attribute__((format(printf, 2, 3))) static void say(struct lines *lines,
						      const char *format, ...)
{
	char text[OCC_REMOTE_TEXT_MAX + 1];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	add_line(lines, text);
}

static unsigned long long counted(enum occ_storage_count what)
{
	return occ_storage_counted(what);
}

static void say_breaker(struct lines *lines, const char *name,
			struct occ_breaker *breaker)
{
	uint64_t wait;
	unsigned long long opened = occ_breaker_openings(breaker);

	if (!occ_breaker_is_open(breaker, occ_storage_now(), &wait))
		say(lines, "%s: closed, opened %llu times", name, opened);
	else
		say(lines, "%s: open for %llu ms more, opened %llu times", name,
		    (unsigned long long)wait, opened);
}

static void say_queue(struct lines *lines, struct occ_server *server)
{
	size_t count;
	uint64_t bytes;

	occ_upload_queue_sizes(&server->queue, &count, &bytes);
	say(lines,
	    "puts: %llu accepted, %llu stored, %llu kept as they were, "
	    "%llu given up, %llu dropped",
	    counted(OCC_STORAGE_PUTS), counted(OCC_STORAGE_STORED),
	    counted(OCC_STORAGE_KEPT), counted(OCC_STORAGE_GIVEN_UP),
	    counted(OCC_STORAGE_DROPPED));
	say(lines, "waiting: %zu puts, %llu bytes", count,
	    (unsigned long long)bytes);
}

void occ_server_info(struct occ_server *server, struct occ_buffer *answer)
{
	struct lines lines = {OCC_BUFFER_INIT, 0};
	struct occ_leases *leases = occ_workers_leases(server->workers);

	say(&lines, "server: %.200s", server->options->shown);
	say(&lines, "up: %llu s",
	    (unsigned long long)(occ_storage_now() - server->started) / 1000);
	say(&lines, "clients: %zu", server->client_count);
	say(&lines,
	    "gets: %llu, %llu hits, %llu misses, %llu errors, %llu abandoned",
	    counted(OCC_STORAGE_GETS), counted(OCC_STORAGE_HITS),
	    counted(OCC_STORAGE_MISSES), counted(OCC_STORAGE_GET_ERRORS),
	    counted(OCC_STORAGE_ABANDONED));
	say_queue(&lines, server);
	if (leases)
		say(&lines, "leases: %zu held", occ_leases_count(leases));
	say(&lines, "bytes: %llu got, %llu sent",
	    counted(OCC_STORAGE_BYTES_GOT), counted(OCC_STORAGE_BYTES_SENT));
	say_breaker(&lines, "breaker", occ_workers_breaker(server->workers));
	say_breaker(&lines, "breaker of puts",
		    occ_workers_put_breaker(server->workers));
	occ_storage_errors(add_line, &lines);
	occ_message_append(answer, "oclcache-storage " OCC_VERSION);
	occ_buffer_append(answer, &lines.count, 1);
	occ_buffer_append(answer, lines.bytes.data, lines.bytes.size);
	if (lines.bytes.failed)
		answer->failed = true;
	occ_buffer_release(&lines.bytes);
}
