/* SPDX-License-Identifier: MIT */
/*
 * A child (cli/child.h) that loads the OpenCL loader with the layer once, and
 * then builds one program after the other, as an application would:
 *
 *	occ_worker_start(&worker);
 *	for (;;) {
 *		occ_child_watch(&children, 1);
 *		state = occ_worker_look(&worker);
 *		if (state == OCC_WORKER_READY)
 *			occ_worker_give(&worker, &request, limit);
 *		else if (state == OCC_WORKER_DONE)
 *			... worker.error, worker.log, worker.trace
 *		...
 *	}
 *	occ_worker_leave(&worker);		and watch it until it has ended
 *	occ_worker_release(&worker);
 *
 * A crash, a hang and too much memory end the worker, and cost only the program
 * that was under way.
 */
#ifndef OCC_CLI_WORKER_H
#define OCC_CLI_WORKER_H

#include "cli/build_trace.h"
#include "cli/child.h"
#include "cli/worker_place.h"

enum occ_worker_role {
	/* Compiles, and stores it. */
	OCC_WORKER_COMPILES,
	/* Compiles nothing: what isn't in the store fails. Stores nothing. */
	OCC_WORKER_LOOKS,
};

enum occ_worker_state {
	OCC_WORKER_STARTS,
	OCC_WORKER_READY,
	OCC_WORKER_WORKS,
	OCC_WORKER_DONE, /* with a program: what came of it is there */
	OCC_WORKER_LEAVES,
	OCC_WORKER_GONE, /* it has ended: `child` says how */
};

struct occ_worker {
	/* Before the start; borrowed. */
	enum occ_worker_role role;
	const struct occ_worker_place *place;
	const char *directory; /* OCLCACHE_DIR */
	const char *scratch;   /* a directory of this command, absolute */
	size_t number;	       /* no other has had it */
	bool keeps_priority;   /* else the lowest one */
	bool keeps_all;	       /* nothing is evicted for what it stores */

	enum occ_worker_state state;
	struct occ_child child;
	int orders; /* -1: none can be given */
	char *log_file;
	uint64_t log_offset;
	bool unable;	/* it couldn't begin: `error` */
	char *unstored; /* why something wasn't stored, the first time; NULL */
	bool misplaced; /* because it couldn't be what the place is */
	/* Of the last program, or of why it couldn't begin. */
	char *error; /* "" for none */
	char *log;   /* the build log, or "" */
	struct occ_build_trace trace;
};

/* What can't be started is OCC_WORKER_GONE at once. */
void occ_worker_start(struct occ_worker *worker);

/*
 * Takes in what it has said. OCC_WORKER_DONE comes once for each program, the
 * worker is OCC_WORKER_READY at the next look.
 */
enum occ_worker_state occ_worker_look(struct occ_worker *worker);

/*
 * Gives it a program (cli/build_request.h), for so many seconds. False: there
 * is no room for that in the scratch directory, and it has none.
 */
bool occ_worker_give(struct occ_worker *worker, struct occ_span request,
		     unsigned limit);

/* It has no more to do, and is to end in so many seconds. */
void occ_worker_leave(struct occ_worker *worker, unsigned limit);

/* Bytes of memory that it has now, and had at most; 0: not known. */
void occ_worker_memory(const struct occ_worker *worker, uint64_t *ret_now,
		       uint64_t *ret_most);

/* Of one that is gone. */
void occ_worker_release(struct occ_worker *worker);

/*
 * The other side, of a worker that has become another program by its name:
 * main() calls it for OCC_WORKER_WORD as the first argument.
 */
#define OCC_WORKER_WORD "--oclcache-worker"
int occ_worker_main(int argc, char **argv);

#endif
