/* SPDX-License-Identifier: MIT */
/*
 * Leases of keys that processes of this machine hold on the server: who has
 * one makes the value, and nobody else in the fleet does.
 *
 * (H1) A lease is a process's, by its number and, where the kernel has it, a
 *      pidfd, so that another one that gets the number isn't it.
 * (H2) A thread renews it after a third of its time (attribute lease-time, in
 *      seconds, 15 if there is none) as long as the process lives and
 *      computes (cache/process_watch.h). Else it is given back at once.
 * (H3) A put of the key ends it, but only when that is with the server, or was
 *      given up: until then nobody could find the value. Meanwhile it is
 *      renewed whatever becomes of the process.
 * (H4) A helper that is killed renews nothing: its leases end by their time.
 * (H5) What can't be renewed for as long as its time is forgotten; the server
 *      has forgotten it, too.
 *
 * Calling sequence: occ_leases_new(); the others; occ_leases_free(), after
 * which nothing is held.
 *
 * Threads: any, but for new and free. Only occ_leases_take() asks the server,
 * by the caller's connection; everything else is left to the thread, which
 * starts with the first lease.
 */
#ifndef OCC_STORAGE_LEASE_H
#define OCC_STORAGE_LEASE_H

#include <sys/types.h>

#include "storage/backend.h"

struct occ_leases;

/*
 * `options` are borrowed. NULL: out of memory, or the backend has no leases;
 * then every other call may get NULL.
 */
struct occ_leases *occ_leases_new(const struct occ_backend *backend,
				  const struct occ_storage_options *options);
/*
 * Gives all back, for which the server is waited for so long, in whole seconds:
 * a helper that ends leaves its threads as they are. Nothing is taken from then
 * on that is renewed. Then only free may follow.
 */
void occ_leases_stop(struct occ_leases *leases, unsigned milliseconds);
void occ_leases_free(struct occ_leases *leases);

/* False: *ret_error says what is wrong with the attributes. No I/O. */
bool occ_leases_check(const struct occ_storage_options *options,
		      struct occ_backend_error *ret_error);

/*
 * For the process `pid`, as the socket's credentials have it (0: one of which
 * nothing can be seen). ok: it has the lease. noop: another one has.
 */
enum occ_remote_result occ_leases_take(
	struct occ_leases *leases, struct occ_backend_connection *connection,
	struct occ_span key, pid_t pid, struct occ_backend_error *ret_error);

/*
 * The process makes nothing that can be shared: others who ask within some
 * seconds needn't wait for each other (struct occ_backend). noop: it had none.
 */
enum occ_remote_result occ_leases_release(struct occ_leases *leases,
					  struct occ_span key, pid_t pid);

/* A put of the key was accepted; it has come to the server, or never will. */
void occ_leases_put_accepted(struct occ_leases *leases, struct occ_span key);
void occ_leases_put_done(struct occ_leases *leases, struct occ_span key);

/* How many are held now. */
size_t occ_leases_count(struct occ_leases *leases);

#endif
