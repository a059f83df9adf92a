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
	ret_error->is_answered = false;
	ret_error->is_late = false;
}

/* The first words of replies, by which clients are to tell errors apart. */
static const struct {
	const char *code;
	bool is_fatal;
	bool is_of_all; /* no command could be served */
	const char *message;
} known[] = {
	{"NOAUTH", true, true, "the server requires a password (NOAUTH)"},
	{"WRONGPASS", true, true, "the server denies access (WRONGPASS)"},
	{"NOPERM", true, false,
	 "the server denies this user the command or the key (NOPERM)"},
	{"DENIED", true, true, "the server denies access (DENIED)"},
	{"READONLY", true, false,
	 "the server doesn't accept writes (READONLY)"},
	{"OOM", true, false, "the server's memory is full (OOM)"},
	{"MISCONF", true, false, "the server can't save its data (MISCONF)"},
	{"NOREPLICAS", false, false,
	 "the server has too few replicas (NOREPLICAS)"},
	{"LOADING", false, true,
	 "the server is still loading its data (LOADING)"},
	{"BUSY", false, true, "the server is busy with a script (BUSY)"},
	{"MASTERDOWN", false, true, "the replica has no master (MASTERDOWN)"},
	{"TRYAGAIN", false, false, "the server is moving the key (TRYAGAIN)"},
	{"CLUSTERDOWN", false, true, "the cluster is down (CLUSTERDOWN)"},
	{"MOVED", true, true, "the server is part of a cluster (MOVED)"},
	{"ASK", true, true, "the server is part of a cluster (ASK)"},
	{"CROSSSLOT", true, true,
	 "the server is part of a cluster (CROSSSLOT)"},
	{"WRONGTYPE", true, false, "the key is of another type (WRONGTYPE)"},
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
	if (size)
		memcpy(code, reply.data, size);
	code[size] = '\0';
}

/* Printable, and without the arguments that were sent. */
static void read_text(struct occ_span reply, char text[TEXT_MAX + 1])
{
	size_t size = reply.size < TEXT_MAX ? reply.size : TEXT_MAX;
	char *arguments;

	if (size)
		memcpy(text, reply.data, size);
	for (size_t i = 0; i < size; i++)
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '?';
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
			ret_error->is_answered = !known[i].is_of_all;
			return;
		}
	if (is_secret) {
		occ_redis_fail(ret_error, true,
			       "the server rejects the password (%s)",
			       *code ? code : "error");
		return;
	}
	read_text(reply, text);
	occ_redis_fail(ret_error, false, "the server says: %s", text);
	ret_error->is_answered = true;
}
