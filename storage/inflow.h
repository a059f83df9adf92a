/* SPDX-License-Identifier: MIT */
/*
 * A value on its way from the server: what the sender compressed
 * (storage/compression.h) is inflated as it comes, so that clients have the
 * first bytes before the server has sent the last.
 *
 * Calling sequence: a zeroed struct, once for each value; occ_inflow_begin();
 * hand occ_inflow_sink() to the backend's get; if that says ok,
 * occ_inflow_end(); at last occ_inflow_release(). All by one thread, but for
 * occ_inflow_value(), which any other may call at any time.
 *
 * Memory: the value, as far as it has come, and zstd's window.
 */
#ifndef OCC_STORAGE_INFLOW_H
#define OCC_STORAGE_INFLOW_H

#include "storage/backend.h"
#include "storage/value.h"

struct occ_inflow {
	_Atomic(struct occ_value *) value;
	void (*came)(void *context);
	void *context;
	bool has_size; /* announced by the server */
	uint64_t size;
	uint64_t received;	/* as they came, compressed or not */
	struct occ_buffer head; /* until it is known how long the value is */
	size_t filled;		/* of the value */
	struct ZSTD_DCtx_s *inflater; /* NULL: it isn't compressed */
	bool is_inflated;
	const char *problem; /* NULL: none */
};

/* `came` is called when there is more, but the end. */
void occ_inflow_begin(struct occ_inflow *inflow, void (*came)(void *context),
		      void *context);
struct occ_value_sink occ_inflow_sink(struct occ_inflow *inflow);

/* It has all come. False: it isn't whole, and `problem` says why. */
bool occ_inflow_end(struct occ_inflow *inflow);

/* The value, which is the caller's to release; NULL: it isn't known yet how
 * long it is. Any thread.
 */
struct occ_value *occ_inflow_value(struct occ_inflow *inflow);

/* All but the value. */
void occ_inflow_release(struct occ_inflow *inflow);

#endif
