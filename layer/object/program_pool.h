/* SPDX-License-Identifier: MIT */
/*
 * The program pool: hidden programs that were loaded from entries, with what
 * the entries say of them. When nobody uses one any more, the next build of the
 * same in the same context takes it over and loads nothing; the trace calls
 * that a hit in a "live program".
 *
 * On the bare driver each of the application's programs has its own variables.
 * Hence only programs that certainly have none are kept
 * (layer/serve/program_scope.h). A pooled program answers for one of the
 * application's programs at a time: that one and its kernels must be gone
 * before another takes it over. Drivers refuse to build a program that has
 * kernels, including released ones that commands still use, and with several
 * users nobody could tell whose those are.
 *
 * A struct occ_pooled is counted, and constant once made except for the fields
 * that the lock guards ("the lock" below).
 *
 * Invariants:
 * (L1) The table has only programs of known contexts (contexts.h), and none of
 *      a context that the application has released for the last time: they are
 *      released before that release reaches the driver.
 * (L2) What occ_pool_find() gives was loaded for the same context, devices and
 *      operation, and by equal keys, compared in full.
 * (L3) The sizes of the programs in the table never add up to more than the
 *      capacity of the memory tier (cache/memory.h). That capacity bounds the
 *      tier's bytes separately.
 * (L4) When exit() begins all programs are released, and none is kept after
 *      that. A driver that fails at a release then isn't called (Oclgrind's
 *      thread-local stack is gone when exit handlers run). After clDeinitLayer
 *      no driver is called for what is kept here.
 *
 * Any thread, without the lock unless said otherwise.
 */
#ifndef OCC_LAYER_OBJECT_PROGRAM_POOL_H
#define OCC_LAYER_OBJECT_PROGRAM_POOL_H

#include "cache/memory.h"
#include "layer/key/build_key.h"
#include "layer/object/kernels_ahead.h"

/* What a driver answered for one device after it compiled. */
struct occ_answers {
	struct occ_span log;	 /* NULL data: not answered */
	struct occ_span options; /* same */
	struct occ_span others;	 /* OCC_META_ANSWERS; empty: none */
};

struct occ_pooled {
	unsigned references; /* atomic */
	bool used;	     /* by a shadow program; the lock */
	bool used_before;    /* by another shadow program; the lock */
	cl_program program;
	/* Not taken yet (kernels_ahead.h); the lock. */
	struct occ_kernel_ahead *kernels_ahead;
	bool is_code; /* loaded from device code: no binaries but these */
	struct occ_binaries *fetched; /* if is_code, once read; atomic */
	/*
	 * The result of a link: `program` isn't hidden but the handle that the
	 * application has, and is the application's to release.
	 */
	bool is_handle;
	struct occ_build_key *build_key; /* for which it was loaded */
	cl_program_binary_type type;
	struct occ_answers *answers; /* per device of the build key */
	/* The bytes of an object or library; NULL: it is executable. */
	struct occ_binaries *binaries;
	struct occ_span kernel_names; /* NUL included; NULL: not answered */
	uint64_t kernel_count;
	struct occ_span kernel_descriptions; /* OCC_META_KERNELS */
	unsigned char *memory;		     /* what the spans point into */
	uint64_t size;			     /* for (L3) */
	uint64_t compile_time; /* ns that the driver took; 0: not known */
};

/* Gives back a reference and the use. NULL does nothing. */
void occ_pool_release(struct occ_pooled *pooled);

/*
 * A program for the build key that nobody uses, or NULL. The caller owns a
 * reference and the use.
 */
struct occ_pooled *occ_pool_find(const struct occ_build_key *build_key);

/* A program that was found answers again: it had another user before. */
void occ_pool_note_reuse(struct occ_pooled *pooled);

/*
 * Drivers refuse to build a program while commands use its kernels. Does that
 * show for this program's present user? Not if the kernels may be a former
 * user's. NULL: true.
 */
bool occ_pool_build_shows_use(const struct occ_pooled *pooled);

/*
 * The application has fetched a function that records commands. On drivers that
 * don't count kernels nothing tells which kernels recorded commands keep:
 * programs of such drivers aren't used again from now on.
 */
void occ_pool_note_recording(void);

/* Puts it into the table, if it may be used again. */
void occ_pool_put(struct occ_pooled *pooled);

/* Its entries have changed, or the driver refused them. */
void occ_pool_forget(const struct occ_build_key *build_key);

/* The application is about to release the context for the last time (L1). */
void occ_pool_drop_context(cl_context context);

/* Releases the least recently used, down to this size. */
void occ_pool_shrink(uint64_t capacity);

/* Releases all when exit() begins (L4). */
void occ_pool_release_at_exit(void);

/* At clDeinitLayer (L4). Calls no driver. */
void occ_pool_close(void);

/* At initialisation: drivers may be gone, so only memory is freed. */
void occ_pool_forget_all(void);

#endif
