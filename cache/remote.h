/* SPDX-License-Identifier: MIT */
/*
 * The client of a remote storage helper (cache/remote_protocol.h): each call
 * connects to its Unix socket, asks, and closes, so that no descriptor is open
 * between calls, where the application could close it. No process is started
 * and no name resolved. SIGPIPE can't come (MSG_NOSIGNAL).
 *
 * What it may cost (R1 to R4):
 * (R1) connecting and the greeting: `connect_ms` at most;
 * (R2) from the request to the first byte of the answer: `wait_ms` at most, of
 *      calls on an application's way; puts and flushes have `put_ms`;
 * (R3) after the first byte an answer has to come with OCC_REMOTE_RATE_MIN
 *      bytes in each ms, counted from the first byte less a grace of `wait_ms`,
 *      and be whole after OCC_REMOTE_GRACES_MAX times that; so has a value that
 *      is sent. A value of more than OCC_ENTRY_SIZE_MAX
 *      bytes isn't taken;
 * (R4) whatever goes wrong but "not found" is the last time that this process
 *      asks for OCC_REMOTE_RETRY_S: from then on each call is OCC_E_REMOTE_DOWN
 *      at once. A helper that isn't there (no socket, refused) is asked again
 *      after OCC_REMOTE_ABSENT_S, which costs a connect() each. A put, release,
 *      flush or info that stalls, fails or is cut off ends only these: who may
 *      not write to a server may still read.
 *
 * What opens the breaker for others of the machine, a lie or a second stall,
 * not an absent helper, is noted in a state of the store by the caller
 * (cache/remote_breaker.h).
 *
 * The peer must be of the user, or root (SO_PEERCRED): else OCC_E_FORBIDDEN.
 *
 * Threads: any; a struct may be used by several at once.
 */
#ifndef OCC_CACHE_REMOTE_H
#define OCC_CACHE_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "hash/buffer.h"
#include "hash/reason.h"

#define OCC_REMOTE_RATE_MIN   4096 /* bytes per ms: 4 MB/s */
#define OCC_REMOTE_GRACES_MAX 10   /* 1.5 s, and 6 MB at the least rate */
#define OCC_REMOTE_RETRY_S    600
#define OCC_REMOTE_ABSENT_S   10

struct occ_remote;

struct occ_remote_budget {
	unsigned connect_ms; /* (R1) */
	unsigned wait_ms;    /* (R2) */
	unsigned put_ms;     /* (R2) */
};

/* What went wrong, for counters and traces; the texts are stable. */
enum occ_remote_fault {
	OCC_REMOTE_FAULT_NONE,
	OCC_REMOTE_FAULT_ABSENT,   /* "no helper listens" */
	OCC_REMOTE_FAULT_CONNECT,  /* "the helper doesn't greet in time" */
	OCC_REMOTE_FAULT_VERSION,  /* "the helper speaks another version" */
	OCC_REMOTE_FAULT_PEER,	   /* "the helper is another user's" */
	OCC_REMOTE_FAULT_STALL,	   /* "the helper doesn't answer in time" */
	OCC_REMOTE_FAULT_PROTOCOL, /* "the helper's answer is malformed" */
	OCC_REMOTE_FAULT_SERVER,   /* "the server failed": an error's message */
	OCC_REMOTE_FAULT_CLOSED,   /* "the helper closed the connection" */
	OCC_REMOTE_FAULT_SOCKET,   /* "can't create a socket" */
	OCC_REMOTE_FAULT_DOWN,	   /* "remote storage failed a while ago" */
	OCC_REMOTE_FAULTS,
};
enum occ_reason occ_remote_fault_reason(enum occ_remote_fault fault);
const char *occ_remote_fault_text(enum occ_remote_fault fault);

/* `socket` is copied. No I/O. NULL when out of memory. */
struct occ_remote *occ_remote_new(const char *socket,
				  const struct occ_remote_budget *budget);
void occ_remote_free(struct occ_remote *remote); /* NULL: nothing */

/*
 * Is it worth asking? OCC_REMOTE_FAULT_NONE: yes; _DOWN: it was given up (R4);
 * _ABSENT: there is no socket, and it is given up as after a question. That is
 * one look at a file at most, and no descriptor.
 */
enum occ_remote_fault occ_remote_look(struct occ_remote *remote);

/* An answer. Starts as zeros; `value` is the caller's to release. */
struct occ_remote_answer {
	enum occ_remote_fault fault;
	char message[256]; /* of OCC_REMOTE_FAULT_SERVER; may be empty */
	struct occ_buffer value;
	bool can_lease, can_flush, can_info; /* of the greeting */
	bool has_begun; /* its first byte was there in time */
};

/*
 * OCC_OK with a value, OCC_E_NOT_FOUND, or a failure: OCC_E_REMOTE (the fault
 * says which), OCC_E_REMOTE_DOWN (R4), OCC_E_MEMORY.
 */
int occ_remote_get(struct occ_remote *remote, struct occ_span key,
		   struct occ_remote_answer *ret_answer);

/* OCC_OK, OCC_E_EXISTS (not stored: it is there, or may not be), or as above.
 */
int occ_remote_put(struct occ_remote *remote, struct occ_span key,
		   bool overwrite, struct occ_span value,
		   struct occ_remote_answer *ret_answer);

/* OCC_OK, OCC_E_NOT_FOUND (there was none), or as above. */
int occ_remote_remove(struct occ_remote *remote, struct occ_span key,
		      struct occ_remote_answer *ret_answer);

/*
 * OCC_OK: this process has the lease of `key`. OCC_E_BUSY: another one has.
 * OCC_E_NOT_FOUND: the helper has no leases. Or as above.
 */
int occ_remote_lease(struct occ_remote *remote, struct occ_span key,
		     struct occ_remote_answer *ret_answer);
int occ_remote_release(struct occ_remote *remote, struct occ_span key,
		       struct occ_remote_answer *ret_answer);

/* OCC_OK, OCC_E_BUSY (not in time), OCC_E_NOT_FOUND (it can't), or as above. */
int occ_remote_flush(struct occ_remote *remote, unsigned milliseconds,
		     struct occ_remote_answer *ret_answer);

/*
 * The identity, and the diagnostics, a line each, in `value`. OCC_OK,
 * OCC_E_NOT_FOUND (it can't), or as above.
 */
int occ_remote_info(struct occ_remote *remote,
		    struct occ_remote_answer *ret_answer);

/* Has the helper end. OCC_OK also when it went without an answer. */
int occ_remote_stop(struct occ_remote *remote,
		    struct occ_remote_answer *ret_answer);

#endif
