/* SPDX-License-Identifier: MIT */
/*
 * What the layer knows of the application's programs and kernels: a table of
 * each, by the driver's handle.
 *
 * Handles that aren't in the tables (NULL, garbage, programs of built-in
 * kernels) belong to the driver alone: every hook passes them on as they are.
 *
 * A program is in one of two states. *Plain*: the driver's handle answers, as
 * without the layer. *Served*: `binary` is set and answers for it. It becomes
 * served by a build, compile or link that hits, and plain by any build or
 * compile that goes to the driver. The result of a link that hit is served by
 * itself: its handle was made from the entry's binary.
 *
 * Invariants:
 * (P1) A program is in the table from its creation until the application's
 *      references and its live kernels are gone and no build of it runs; it
 *      leaves the table before the driver can recycle the handle.
 * (P2) The driver's handle is alive while the program is in the table: the
 *      application's references, a kernel's, or one of ours (`holds`) keep it.
 * (P3) A kernel made from a hidden binary program holds one reference of ours
 *      on the application's program, as the driver's own kernels would.
 * (P4) `generation` goes up when a build or compile starts, and before and
 *      after the driver gets a specialization constant. Whatever was learnt
 *      from a build is used only while the generation is that build's.
 * (P5) A record is stored only from the first build that the driver made of a
 *      handle: what a rebuild produces may carry state of the build before
 *      (Intel's ignores specialization constants set in between).
 * (P6) `made` is set only while the handle's state is what a driver makes of
 *      that recipe, and nothing else: links are keyed by it.
 *
 * Threads: the layer's lock (layer/lock.h), "the lock" below, guards both
 * tables and all fields that aren't constant.
 */
#ifndef OCC_LAYER_PROGRAM_H
#define OCC_LAYER_PROGRAM_H

#include "layer/binary.h"
#include "layer/lock.h"
#include "layer/record.h"

/* Out of memory in a table is a program that isn't known, never an exit. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* What answers for a program since its last build, and what is known of it. */
struct occ_state {
	struct occ_binary *binary;  /* set: served */
	struct occ_recipe *made;    /* NULL: not known by key (P6) */
	struct occ_record *pending; /* to be stored at the last release */
	/* Why it isn't, unless the application asks for binaries; or NULL. */
	const char *unless_asked;
	/* Why the last build wasn't done at all (OCC_MODE_REQUIRE); or NULL. */
	const char *refused;
	/* Kernels (OCC_META_KERNELS) that the entry doesn't have yet. */
	struct occ_buffer described;
};

struct occ_program {
	UT_hash_handle hh;
	cl_program handle;
	cl_context context;
	struct occ_input *input; /* NULL: from binaries or a link */

	unsigned pins;	       /* users of this struct, the table included */
	unsigned references;   /* the application's */
	unsigned kernels;      /* the application's live kernels */
	bool had_kernels;      /* there has been one */
	bool asked;	       /* for its binaries, by the application */
	unsigned building;     /* builds and compiles under way */
	unsigned specializing; /* constants on their way to the driver */
	unsigned changing;     /* changes of our references under way */
	unsigned changes;      /* and how many there have been */
	bool settling;	       /* a thread does what was served */
	unsigned holds;	       /* our references on the handle during builds */
	unsigned kernel_holds; /* and for kernels of binary programs (P3) */
	uint64_t generation;
	bool driver_built;     /* the driver has built or compiled the handle */
	const char *forbidden; /* atomic; why it is not cached; NULL: it is */
	struct occ_spec_constants constants; /* set by the application */
	const struct occ_driver *driver;     /* set once it was served */
	struct occ_state state;
};

struct occ_kernel {
	UT_hash_handle hh;
	cl_kernel handle;
	char *name; /* of one made from a binary; NULL: not known */
	unsigned references;
	struct occ_program *program; /* pinned */
	struct occ_binary *binary;   /* NULL: the driver's own program's */
};

/*
 * Adds a new program from source or IL with one reference of the
 * application's, taking over `input`. NULL input or out of memory: it just
 * isn't known.
 */
void occ_program_add(cl_program handle, cl_context context,
		     struct occ_input *input);

/* The same for a program that the application made from binaries. */
void occ_program_add_from_binaries(cl_program handle, cl_context context);

/*
 * The same for the result of a link, with its state, which is taken over, and
 * one reference of ours on the handle when `held`. The new program, pinned, or
 * NULL.
 */
struct occ_program *occ_program_add_linked(cl_program handle,
					   const struct occ_recipe *recipe,
					   const struct occ_state *state,
					   bool held);

/* The program of a handle, or NULL. Lock held. */
struct occ_program *occ_program_find(cl_program handle);

/* The first of all programs, for going on by hh.next. Lock held. */
struct occ_program *occ_program_first(void);

/*
 * The handle as calls may use it: NULL, which every driver refuses, when the
 * application has released the program and only live kernels keep it, on
 * drivers where such a handle is invalid; else the handle itself. Takes the
 * lock.
 */
cl_program occ_program_valid(cl_program handle);

/*
 * Around every change of our references on a handle: in between, the driver's
 * count and ours don't fit together, and nobody may ask. With the lock held,
 * which is given up to wait for others.
 */
void occ_program_begin_change(struct occ_program *program);
void occ_program_end_change(struct occ_program *program);
void occ_program_await_changes(struct occ_program *program);

/*
 * Takes a reference on a handle that the application has one on, counted in
 * `holds` and `building`; and gives it back. Without the lock.
 */
void occ_program_hold(struct occ_program *program);
void occ_program_unhold(struct occ_program *program);

/*
 * Instead of occ_program_hold() for who found the program in the table: it is
 * pinned and its change begun, under the lock, so that a release waits; this
 * ends the change.
 */
void occ_program_hold_changing(struct occ_program *program);

/* In the child of a fork(): other threads are gone. */
void occ_program_forked(void);

/* Keeps the struct alive beyond the lock; release without the lock. */
struct occ_program *occ_program_pin(struct occ_program *program);
void occ_program_unpin(struct occ_program *program); /* NULL: nothing */

/*
 * If nothing keeps it any more (P1), takes it out of the table and returns
 * true: then the caller must call occ_program_finish() without the lock,
 * before its own last driver call that releases the handle. Lock held.
 */
bool occ_program_leave(struct occ_program *program);

/* Stores what is pending and lets the hidden programs go. */
void occ_program_finish(struct occ_program *program);

/*
 * Replaces a program's state, which is taken over, if its generation still is
 * `generation`; else does nothing and returns false. What was learnt of the
 * state before is stored. Takes the lock.
 */
bool occ_program_change(struct occ_program *program, uint64_t generation,
			const struct occ_state *state);

/*
 * Stores what was learnt of kernels, of all programs. Calls no driver: also
 * for the end of the process.
 */
void occ_program_flush(void);

/*
 * The binary program that answers for a handle, retained, or NULL when the
 * driver's handle itself answers. Takes the lock.
 */
struct occ_binary *occ_program_binary(cl_program handle);

/*
 * Why the layer refused the handle's last build, or NULL when it didn't. Takes
 * the lock.
 */
const char *occ_program_refusal(cl_program handle);

/* The driver has just answered for the handle's binaries. Takes the lock. */
void occ_program_note_asked(cl_program handle);

/*
 * No later build of the program is cached; `reason` is a constant string for
 * the trace. Takes the lock.
 */
void occ_program_forbid(cl_program handle, const char *reason);

/*
 * Adds a kernel with one reference, and its name, which is copied and may be
 * NULL. `binary` may be NULL; a reference to it is taken, and the caller has
 * retained the program's handle for it (P3). False when out of memory. Lock
 * held.
 */
bool occ_kernel_add(cl_kernel handle, const char *name,
		    struct occ_program *program, struct occ_binary *binary);

/* The kernel of a handle, or NULL. Lock held. */
struct occ_kernel *occ_kernel_find(cl_kernel handle);

/*
 * A binary program of the context that has live kernels and isn't prepared
 * (occ_binary_prepare), retained and marked as prepared; NULL when there is
 * none. Lock held.
 */
struct occ_binary *occ_kernel_unprepared(cl_context context);

/*
 * The name of a live kernel that was made from a binary of the program's, to be
 * freed, or NULL. Takes the lock.
 */
char *occ_kernel_name_of(const struct occ_program *program);

/* Takes it out of the table; the caller frees it with occ_kernel_free()
 * without the lock. Lock held. */
void occ_kernel_remove(struct occ_kernel *kernel);
void occ_kernel_free(struct occ_kernel *kernel);

/*
 * From exit() on, occ_program_finish() fetches nothing from drivers. To be
 * called after the driver's first build, so that our exit handler runs before
 * the driver's statics go: handlers run in the reverse order of their
 * registration. False when it can't be registered.
 */
bool occ_program_watch_exit(void);

/*
 * Before that, when the main thread calls exit(), what is pending is fetched
 * where the driver stands it. To be called by every thread that makes
 * something pending: it does nothing on others than the main one.
 */
void occ_program_watch_end(void);

/* Has exit() begun? */
bool occ_program_exiting(void);

/* Forgets everything without calling the driver; nothing may be under way. */
void occ_program_forget_all(void);

#endif
