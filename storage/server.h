/* SPDX-License-Identifier: MIT */
/*
 * The helper's life: one thread talks to all clients and never waits for one of
 * them, nor for the server; threads of storage/workers.h do.
 *
 * (V1) One request of a client at a time; each turn reads or sends a bounded
 *      part of one, so that none keeps the others waiting.
 * (V2) Memory is bounded by what has come, not by what was announced: of puts
 * by the bound of the queue, of clients by their number. (V3) Who doesn't go on
 * in the middle of a request or an answer for OCC_SERVER_STALL_MS is turned
 * away. (V4) Gets of one key at a time are one question to the server.
 * (V5) A get is answered as soon as it is known how long the value is, and has
 * the value's last byte only when all of it is good: of one that ends before,
 * the connection is closed. What comes too late is kept (storage/kept.h).
 */
#ifndef OCC_STORAGE_SERVER_H
#define OCC_STORAGE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#define OCC_SERVER_STALL_MS    30000
#define OCC_SERVER_CLIENTS_MAX 900
/* How long uploads are waited for after SIGTERM. */
#define OCC_SERVER_END_MS      2000

struct occ_backend;
struct occ_listener;
struct occ_storage_options;

/*
 * Serves until it has been idle for long enough, a client says stop, or
 * SIGTERM, SIGINT or SIGHUP, which must be blocked in all threads; then returns
 * true. False: it can't begin; `problem` says why. Threads are left behind, so
 * that the caller has to end the process by _exit().
 *
 * `ready`, if there is one, is called when clients are served.
 */
bool occ_server_run(const struct occ_storage_options *options,
		    const struct occ_backend *backend,
		    struct occ_listener *listener, void (*ready)(void *context),
		    void *context, char *problem, size_t size);

#endif
