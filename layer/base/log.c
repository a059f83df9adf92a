/* SPDX-License-Identifier: MIT */
#include "layer/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cache/directory.h"
#include "cache/silence.h"
#include "hash/reason.h"
#include "hash/utf8.h"

/* Lines of several processes aren't mixed up to PIPE_BUF. */
#define LINE_MAX_SIZE 4096

struct occ_log occ_log;

static void write_to(int fd, const char *line, size_t size)
{
	struct occ_silence silence;
	ssize_t written;

	occ_silence_begin(&silence);
	written = write(fd, line, size);
	/* Nobody to tell when this fails. */
	occ_silence_end(&silence, written < 0 ? errno : 0);
}

static void write_line(const char *line, size_t size)
{
	int saved_errno = errno;
	int fd = STDERR_FILENO;

	if (occ_log.file)
		fd = occ_path_open_file(occ_log.file,
					O_WRONLY | O_APPEND | O_CREAT);
	if (fd >= 0) {
		write_to(fd, line, size);
		if (occ_log.file)
			close(fd);
	}
	errno = saved_errno;
}

/*
 * Values of variables and lines of files are in messages: they mustn't move
 * somebody's cursor, nor hide or turn around what is beside them.
 */
static void take_hidden_characters_out(char *text, size_t size)
{
	for (size_t i = 0, length; i < size; i += length ? length : 1) {
		length = occ_utf8_length(text + i, size - i);
		if (text[i] != '\t' &&
		    (!length || occ_utf8_is_hidden(text + i, length)))
			memset(text + i, '?', length ? length : 1);
	}
}

static void message(const char *format, va_list arguments)
	__attribute__((format(printf, 1, 0)));

static void message(const char *format, va_list arguments)
{
	char line[LINE_MAX_SIZE];
	int prefix, size;

	prefix = snprintf(line, sizeof(line), "oclcache: ");
	size = vsnprintf(line + prefix, sizeof(line) - (size_t)prefix - 1,
			 format, arguments);
	if (size < 0)
		return;
	if ((size_t)size > sizeof(line) - (size_t)prefix - 2)
		size = (int)(sizeof(line) - (size_t)prefix - 2);
	take_hidden_characters_out(line + prefix, (size_t)size);
	line[prefix + size] = '\n';
	write_line(line, (size_t)(prefix + size) + 1);
}

void occ_log_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message(format, arguments);
	va_end(arguments);
}

void occ_log_debug(const char *format, ...)
{
	va_list arguments;

	if (!occ_log.debug_messages)
		return;
	va_start(arguments, format);
	message(format, arguments);
	va_end(arguments);
}

/* A line under construction; what doesn't fit is left out. */
struct line {
	char text[LINE_MAX_SIZE];
	size_t size;
};

static void add(struct line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct line *line, const char *format, ...)
{
	size_t room = sizeof(line->text) - line->size;
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(line->text + line->size, room, format, arguments);
	va_end(arguments);
	if (size > 0 && (size_t)size < room)
		line->size += (size_t)size;
}

/* ASCII alone, so that lines can go anywhere; length 0: it is no UTF-8. */
static void add_character(struct line *line, const char *text, size_t length)
{
	char escape[OCC_UTF8_ESCAPE_SIZE];

	if (!length)
		add(line, "\\ufffd");
	else if (*text == '"' || *text == '\\')
		add(line, "\\%c", *text);
	else if (length > 1 || occ_utf8_is_hidden(text, length))
		add(line, "%.*s", (int)occ_utf8_escape(text, length, escape),
		    escape);
	else
		add(line, "%c", *text);
}

static void add_string(struct line *line, const char *name, const char *value)
{
	size_t size = value ? strlen(value) : 0;

	add(line, ",\"%s\":\"", name);
	/* Room for the rest of the line must stay. */
	for (size_t i = 0, length;
	     i < size && line->size <= sizeof(line->text) - 256; i += length) {
		length = occ_utf8_length(value + i, size - i);
		add_character(line, value + i, length);
		length = length ? length : 1;
	}
	add(line, "\"");
}

/* Some lines say how something went: that has no name. */
static void add_reason(struct line *line, const char *text)
{
	enum occ_reason reason =
		text ? occ_reason_of_text(text) : OCC_REASON_NONE;

	add_string(line, "reason", text);
	if (reason)
		add_string(line, "reason_name", occ_reason_name(reason));
}

void occ_log_trace(const struct occ_trace *trace)
{
	char hex[OCC_DIGEST_HEX_SIZE] = "";
	struct line line = {.size = 0};
	uint64_t until = trace->until ? trace->until : occ_log_now();

	if (!occ_log.trace)
		return;
	if (trace->hash)
		occ_digest_hex(trace->hash, hex);
	add(&line, "{\"oclcache\":\"%s\",\"pid\":%ld,\"hash\":\"%s\"",
	    trace->event, (long)getpid(), hex);
	if (trace->op)
		add_string(&line, "op", trace->op);
	if (trace->build)
		add(&line, ",\"build\":\"%llu\"",
		    (unsigned long long)trace->build);
	add_string(&line, "device", trace->device);
	if (trace->program && *trace->program)
		add_string(&line, "program", trace->program);
	add_string(&line, "result", trace->result);
	add_reason(&line, trace->reason);
	if (trace->nearest && trace->differs) {
		occ_digest_hex(trace->nearest, hex);
		add_string(&line, "nearest", hex);
		add_string(&line, "differs", trace->differs);
	}
	if (trace->looks)
		add(&line, ",\"of_entries\":%zu", trace->looks);
	if (trace->bytes)
		add(&line, ",\"bytes\":%llu", (unsigned long long)trace->bytes);
	add(&line, ",\"us\":%llu}\n",
	    (unsigned long long)((until - trace->since) / 1000));
	write_line(line.text, line.size);
}

uint64_t occ_log_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
