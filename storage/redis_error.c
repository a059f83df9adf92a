/* SPDX-License-Identifier: MIT */
#include "storage/redis_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "storage/backend.h"

/* Bytes of a code, "NOAUTH", and of what a server says, that are shown. */
#define CODE_MAX 16
#define TEXT_MAX 120

void occ_redis_fail(struct occ_backend_error *ret_error, bool is_fatal,
		    const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(ret_error->message, sizeof(ret_error->message), format,
		  arguments);
	va_end(arguments);
	ret_error->is_fatal = is_fatal;
}

/* The first words of replies, by which clients are to tell errors apart. */
static const struct {
	const char *code;
	bool is_fatal;
	const char *message;
} known[] = {
	{"NOAUTH", true, "the server wants a password (NOAUTH)"},
	{"WRONGPASS", true, "the server denies access (WRONGPASS)"},
	{"NOPERM", true,
	 "the server denies this user the command or the key (NOPERM)"},
	{"DENIED", true, "the server denies access (DENIED)"},
	{"READONLY", true, "the server takes no writes (READONLY)"},
	{"OOM", true, "the server's memory is full (OOM)"},
	{"MISCONF", true, "the server can't save what it has (MISCONF)"},
	{"NOREPLICAS", false, "the server has too few replicas (NOREPLICAS)"},
	{"LOADING", false, "the server is still loading its data (LOADING)"},
	{"BUSY", false, "the server is busy with a script (BUSY)"},
	{"MASTERDOWN", false, "the replica has no master (MASTERDOWN)"},
	{"TRYAGAIN", false, "the server is moving the key (TRYAGAIN)"},
	{"CLUSTERDOWN", false, "the cluster is down (CLUSTERDOWN)"},
	{"MOVED", true, "the server is part of a cluster (MOVED)"},
	{"ASK", true, "the server is part of a cluster (ASK)"},
	{"CROSSSLOT", true, "the server is part of a cluster (CROSSSLOT)"},
	{"WRONGTYPE", true, "the key is of another type (WRONGTYPE)"},
};

/* The first word, in capitals as they all are; else "". */
static void read_code(struct occ_span reply, char code[CODE_MAX + 1])
{
	size_t size = 0;

	while (size < reply.size && size <= CODE_MAX &&
	       reply.data[size] >= 'A' && reply.data[size] <= 'Z')
		size++;
	if (size > CODE_MAX || (size < reply.size && reply.data[size] != ' '))
		size = 0;
	memcpy(code, reply.data ? reply.data : (const unsigned char *)"", size);
	code[size] = '\0';
}

/* Printable, and without the arguments that were sent. */
static void read_text(struct occ_span reply, char text[TEXT_MAX + 1])
{
	size_t size = reply.size < TEXT_MAX ? reply.size : TEXT_MAX;
	char *arguments;

	for (size_t i = 0; i < size; i++)
		text[i] = reply.data[i] >= ' ' && reply.data[i] <= '~'
				  ? (char)reply.data[i]
				  : '?';
	text[size] = '\0';
	arguments = strstr(text, ", with args");
	if (arguments)
		*arguments = '\0';
}

void occ_redis_explain(struct occ_span reply, bool is_secret,
		       struct occ_backend_error *ret_error)
{
	char code[CODE_MAX + 1], text[TEXT_MAX + 1];

	read_code(reply, code);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(code, known[i].code)) {
			occ_redis_fail(ret_error, known[i].is_fatal, "%s",
				       known[i].message);
			return;
		}
	if (is_secret) {
		occ_redis_fail(ret_error, true,
			       "the server takes no such password (%s)",
			       *code ? code : "error");
		return;
	}
	read_text(reply, text);
	occ_redis_fail(ret_error, false, "the server says: %s", text);
}
