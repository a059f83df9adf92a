/* SPDX-License-Identifier: MIT */
/*
 * What this process has recorded (layer/serve/record.h): each build once, with
 * the names of its frames and of the kernels that the application created.
 *
 * A build is told by its keys, and whether there were options; *entered* when
 * it is to be recorded, *done* when its frames are in the file. Bounded: what
 * comes after OCC_RECORDED_MAX builds isn't recorded, nor are more names of
 * kernels than fit in OCC_RECORDED_NAMES bytes a build.
 *
 * Threads: any. The layer's lock guards the table; functions that don't say so
 * take it.
 */
#ifndef OCC_LAYER_SERVE_RECORDED_H
#define OCC_LAYER_SERVE_RECORDED_H

#include "layer/key/build_key.h"

#define OCC_RECORDED_MAX   65536
#define OCC_RECORDED_NAMES 65536

/* Which build it is. */
void occ_recorded_id(const struct occ_build_key *build_key,
		     struct occ_digest *ret_id);

/* Is it entered? */
bool occ_recorded_has(const struct occ_digest *id);

/* False: it is there already, or can't be. Lock held. */
bool occ_recorded_enter_locked(const struct occ_digest *id);

/* It couldn't be recorded: the next time it is new again. Lock held. */
void occ_recorded_leave_locked(const struct occ_digest *id);

/* It is in the file. `devices` are the names of so many frames. */
void occ_recorded_done(const struct occ_digest *id,
		       const struct occ_digest *name,
		       const struct occ_digest *devices, cl_uint device_count);

/* The name of its frame; false: it isn't done. */
bool occ_recorded_find(const struct occ_digest *id,
		       struct occ_digest *ret_name);

/* The application has created a kernel of it. Ignored where it isn't entered.
 */
void occ_recorded_kernel(const struct occ_digest *id, const char *name);

/*
 * A program of it was released: what is new of its kernels is due. False:
 * nothing is.
 */
bool occ_recorded_release(const struct occ_digest *id);

/* Now everything that is new of kernels is due. False: nothing is. */
bool occ_recorded_release_all(void);

/* The kernels of a build that are to be written, copied. */
struct occ_recorded_kernels {
	struct occ_recorded_kernels *next;
	struct occ_digest id, name;
	cl_uint device_count;
	struct occ_digest *devices;
	struct occ_buffer names; /* each with its NUL */
};

/*
 * Of the builds that are done, what is due; it isn't any more then. To be
 * released. NULL: nothing, or out of memory.
 */
struct occ_recorded_kernels *occ_recorded_take_due(void);
void occ_recorded_release_due(struct occ_recorded_kernels *due);

/* In a child of fork(), lock held: what isn't done is its parent's. */
void occ_recorded_forked(void);

/* No other call may be under way. */
void occ_recorded_forget_all(void);

#endif
