/* SPDX-License-Identifier: MIT */
/*
 * The builds of a trace (doc/switches.md), and what became of each:
 *
 *	if (occ_trace_builds_read(path, &builds))
 *		use builds
 *	occ_trace_builds_release(&builds);
 *
 * The trace may be anybody's, and of any bytes; so may the texts. From one
 * thread.
 */
#ifndef OCC_CLI_TRACE_BUILDS_H
#define OCC_CLI_TRACE_BUILDS_H

#include <stdbool.h>
#include <stddef.h>

/* In the order in which groups of builds are told. */
enum occ_trace_outcome {
	OCC_TRACE_SERVED,
	OCC_TRACE_STORED,      /* compiled; the next time it is served */
	OCC_TRACE_NOT_STORED,  /* compiled, and so it will be again */
	OCC_TRACE_UNFINISHED,  /* compiled; nothing says what came of it */
	OCC_TRACE_UNCACHEABLE, /* not looked up */
	OCC_TRACE_OUTCOMES,
};

struct occ_trace_build {
	enum occ_trace_outcome outcome;
	char *reason;  /* text of why it wasn't served, or stored; of a hit
			  from where; never NULL */
	char *program; /* as occ_source_label() has it; "": it isn't known */
	char *device;  /* "": it isn't known */
	char *nearest; /* hash of the nearest entry; NULL: not known */
	char *differs; /* from that; NULL: not known */
	/* To find it again. */
	char *process, *begin, *hash;
};

struct occ_trace_builds {
	struct occ_trace_build *list; /* in the order in which they began */
	size_t count;
	bool is_trace;	/* empty, or with at least one line of a trace */
	char *messages; /* lines that are none of the trace; never NULL */
};

/*
 * Reads a trace. Lines that can't be understood are passed over. False with
 * errno: it can't be read, and there is nothing to release.
 */
bool occ_trace_builds_read(const char *path,
			   struct occ_trace_builds *ret_builds);
void occ_trace_builds_release(struct occ_trace_builds *builds);

#endif
