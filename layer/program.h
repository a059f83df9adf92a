/* SPDX-License-Identifier: MIT */
/*
 * What the layer knows of the application's programs and kernels: a table of
 * each, by the driver's handle.
 *
 * Handles that aren't in the tables (NULL, garbage, programs from binaries or
 * links, programs of drivers that aren't known) belong to the driver alone:
 * every hook passes them on as they are.
 *
 * A program is in one of two states. *Plain*: the driver's handle answers, as
 * without the layer. *Served*: `binary` is set and answers for it. It becomes
 * served by a build that hits, and plain by any build or compile that goes to
 * the driver.
 *
 * Invariants:
 * (P1) A program is in the table from its creation until the application's
 *      references and its live kernels are gone and no build of it runs; it
 *      leaves the table before the driver can recycle the handle.
 * (P2) The driver's handle is alive while the program is in the table: the
 *      application's references, a kernel's, or one of ours (`holds`) keep it.
 * (P3) A kernel made from a binary program holds one reference of ours on the
 *      application's program, as the driver's own kernels would.
 * (P4) `generation` goes up when a build or compile starts. Whatever was
 *      learnt from a build is used only while the generation is that build's.
 * (P5) A record is stored only from the first build that the driver made of a
 *      handle: what a rebuild produces may carry state of the build before
 *      (Intel's ignores specialization constants set in between).
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

struct occ_program {
	UT_hash_handle hh;
	cl_program handle;
	cl_context context;
	struct occ_input *input;

	unsigned pins;	       /* users of this struct, the table included */
	unsigned references;   /* the application's */
	unsigned kernels;      /* the application's live kernels */
	unsigned building;     /* builds and compiles under way */
	unsigned holds;	       /* our references on the handle during builds */
	unsigned kernel_holds; /* and for kernels of binary programs (P3) */
	uint64_t generation;
	bool driver_built; /* the driver has built or compiled the handle */
	struct occ_spec_constants constants; /* set by the application */
	struct occ_binary *binary;	     /* set: served */
	const struct occ_driver *driver;     /* set once it was served */
	struct occ_record *pending; /* to be stored at the last release */
};

struct occ_kernel {
	UT_hash_handle hh;
	cl_kernel handle;
	unsigned references;
	struct occ_program *program; /* pinned */
	struct occ_binary *binary;   /* NULL: the driver's own program's */
};

/*
 * Adds a new program with one reference of the application's, taking over
 * `input`. NULL input or out of memory: it just isn't known.
 */
void occ_program_add(cl_program handle, cl_context context,
		     struct occ_input *input);

/* The program of a handle, or NULL. Lock held. */
struct occ_program *occ_program_find(cl_program handle);

/*
 * The handle as calls may use it: NULL, which every driver refuses, when the
 * application has released the program and only live kernels keep it, on
 * drivers where such a handle is invalid; else the handle itself. Takes the
 * lock.
 */
cl_program occ_program_valid(cl_program handle);

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
 * The binary program that answers for a handle, retained, or NULL when the
 * driver's handle itself answers. Takes the lock.
 */
struct occ_binary *occ_program_binary(cl_program handle);

/*
 * Adds a kernel with one reference. `binary` may be NULL; a reference to it is
 * taken, and the caller has retained the program's handle for it (P3). False
 * when out of memory. Lock held.
 */
bool occ_kernel_add(cl_kernel handle, struct occ_program *program,
		    struct occ_binary *binary);

/* The kernel of a handle, or NULL. Lock held. */
struct occ_kernel *occ_kernel_find(cl_kernel handle);

/*
 * A binary program of the context that has live kernels and isn't prepared
 * (occ_binary_prepare), retained and marked as prepared; NULL when there is
 * none. Lock held.
 */
struct occ_binary *occ_kernel_unprepared(cl_context context);

/* A live kernel made from a binary program, or NULL. Takes the lock. */
cl_kernel occ_kernel_of(const struct occ_binary *binary);

/* Takes it out of the table; the caller frees it with occ_kernel_free()
 * without the lock. Lock held. */
void occ_kernel_remove(struct occ_kernel *kernel);
void occ_kernel_free(struct occ_kernel *kernel);

/*
 * From exit() on, occ_program_finish() stores nothing. To be called after the
 * driver's first build, so that our exit handler runs before the driver's
 * statics go: handlers run in the reverse order of their registration. It only
 * sets a flag. False when it can't be registered.
 */
bool occ_program_watch_exit(void);

/* Forgets everything without calling the driver; nothing may be under way. */
void occ_program_forget_all(void);

#endif
