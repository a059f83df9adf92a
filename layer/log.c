/* SPDX-License-Identifier: MIT */
#include "layer/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cache/silence.h"
#include "layer/config.h"

/* Lines of several processes aren't mixed up to PIPE_BUF. */
#define LINE_MAX_SIZE 4096

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

	if (occ_config.log_file)
		fd = open(occ_config.log_file,
			  O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY |
				  O_NONBLOCK,
			  0600);
	if (fd >= 0) {
		write_to(fd, line, size);
		if (occ_config.log_file)
			close(fd);
	}
	errno = saved_errno;
}

/*
 * Values of variables and lines of files are in messages: they mustn't move
 * somebody's cursor. Also the control characters that UTF-8 has in two bytes.
 */
static void take_control_characters_out(char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)text[i];

		if ((byte < 0x20 && byte != '\n' && byte != '\t') ||
		    byte == 0x7f)
			text[i] = '?';
		if (byte == 0xc2 && i + 1 < size &&
		    (unsigned char)text[i + 1] < 0xa0)
			text[i] = text[i + 1] = '?';
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
	take_control_characters_out(line + prefix, (size_t)size);
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

	if (!occ_config.debug_messages)
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

static void add_string(struct line *line, const char *name, const char *value)
{
	add(line, ",\"%s\":\"", name);
	for (; value && *value; value++) {
		unsigned char c = (unsigned char)*value;

		/* Room for the rest of the line must stay. */
		if (line->size > sizeof(line->text) - 256)
			break;
		if (c == '"' || c == '\\')
			add(line, "\\%c", c);
		else if (c < 32 || c > 126)
			add(line, "\\u%04x", c);
		else
			add(line, "%c", c);
	}
	add(line, "\"");
}

void occ_log_trace(const struct occ_trace *trace)
{
	char hex[OCC_DIGEST_HEX_SIZE] = "";
	struct line line = {.size = 0};
	uint64_t until = trace->until ? trace->until : occ_log_now();

	if (!occ_config.trace)
		return;
	if (trace->hash)
		occ_digest_hex(trace->hash, hex);
	add(&line, "{\"oclcache\":\"%s\",\"pid\":%ld,\"hash\":\"%s\"",
	    trace->event, (long)getpid(), hex);
	add_string(&line, "device", trace->device);
	add_string(&line, "result", trace->result);
	add_string(&line, "reason", trace->reason);
	if (trace->nearest && trace->differs) {
		occ_digest_hex(trace->nearest, hex);
		add_string(&line, "nearest", hex);
		add_string(&line, "differs", trace->differs);
	}
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
