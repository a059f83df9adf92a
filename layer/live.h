/* SPDX-License-Identifier: MIT */
/*
 * Live programs: hidden programs that were loaded from entries, with what the
 * entries say of them, kept for the next build of the same in the same
 * context, so that it loads nothing. Counted, and constant once made but for
 * what is said to be the lock's.
 *
 * Whoever builds the same gets a program of his own on the bare driver. Hence
 * only programs are kept that surely have no storage of their own (storage.h);
 * and one answers for one of the application's programs at a time: that and its
 * kernels must be gone before another one gets it. Drivers refuse builds while
 * the program has kernels, and commands may have some that were released:
 * whose, couldn't be told otherwise.
 *
 * Invariants:
 * (L1) The table has programs of known contexts only (context.h), and none of a
 *      context that the application has released for the last time: they are
 *      released before that release reaches the driver.
 * (L2) What occ_live_find() gives was loaded for the same context, devices and
 *      operation, and by equal keys, compared in full.
 * (L3) What the programs in the table count for never exceeds the capacity of
 *      the memory tier (cache/memory.h), for which it counts once more.
 * (L4) When exit() begins all are let go, and no more are kept. After
 *      clDeinitLayer no driver is called for what is kept here.
 *
 * Any thread, without the lock unless said otherwise.
 */
#ifndef OCC_LAYER_LIVE_H
#define OCC_LAYER_LIVE_H

#include "cache/memory.h"
#include "layer/recipe.h"

/* What a driver answered for one device after it compiled. */
struct occ_answers {
	struct occ_span log;	 /* NULL data: not answered */
	struct occ_span options; /* same */
	struct occ_span others;	 /* OCC_META_ANSWERS; empty: none */
};

struct occ_live {
	unsigned references; /* atomic */
	bool used;	     /* a binary has it; the lock */
	bool used_before;    /* another one had it; the lock */
	cl_program program;
	bool is_code; /* loaded from device code: no binaries but these */
	struct occ_image *binaries; /* of code, once asked for; atomic */
	/*
	 * The result of a link: `program` isn't hidden but the handle that the
	 * application has, and is the application's to release.
	 */
	bool is_handle;
	struct occ_recipe *recipe; /* that it was loaded for */
	cl_program_binary_type type;
	struct occ_answers *answers; /* per device of the recipe */
	/* The bytes of an object or library; NULL: it is executable. */
	struct occ_image *image;
	struct occ_span kernel_names; /* NUL included; NULL: not answered */
	uint64_t kernel_count;
	struct occ_span kernel_descriptions; /* OCC_META_KERNELS */
	unsigned char *memory;		     /* what the spans point into */
	uint64_t size;			     /* for (L3) */
	uint64_t compile_time; /* ns that the driver took; 0: not known */
};

/* Why there is no program. */
struct occ_live_fault {
	const char *reason; /* a constant string */
	/* By the driver's word it's the bytes, not what is around them. */
	bool is_refusal;
};

/*
 * Loads one entry per device of the recipe into a program, and builds it if it
 * is executable: the binaries, or the device code, if occ_form_is_code(). The
 * result is the caller's, as is its use; on failure it is NULL, and says why.
 * The entries stay the caller's.
 */
struct occ_live *occ_live_load(struct occ_recipe *recipe,
			       struct occ_kept *const *entries, bool code,
			       struct occ_live_fault *ret_fault);

/*
 * The binaries of one that was loaded from device code, borrowed; NULL when
 * they can't be had any more.
 */
const struct occ_image *occ_live_binaries(struct occ_live *live);

/* Gives back a reference and the use. NULL: nothing. */
void occ_live_release(struct occ_live *live);

/* One that nobody uses, for the recipe; the caller's, as is its use. Or NULL.
 */
struct occ_live *occ_live_find(const struct occ_recipe *recipe);

/*
 * Would the driver, asked to build it once more, say whether commands have
 * kernels of its present user? Not when they may have others'. NULL: yes.
 */
bool occ_live_may_be_asked(const struct occ_live *live);

/*
 * The application has got a function that records commands. On drivers that
 * don't count kernels nothing says what these keep: programs of such drivers
 * aren't used again from now on.
 */
void occ_live_expect_records(void);

/* Puts it into the table, if it may be used again. */
void occ_live_put(struct occ_live *live);

/* Its entries have changed, or the driver refused them. */
void occ_live_forget(const struct occ_recipe *recipe);

/* The application is about to release the context for the last time (L1). */
void occ_live_drop_context(cl_context context);

/* Lets go what doesn't fit into the capacity any more. */
void occ_live_fit(void);

/* Lets all go. */
void occ_live_clear(void);

/* At clDeinitLayer: from then on (L4). Calls no driver. */
void occ_live_end(void);

/* At initialisation: drivers are gone, only memory is given back. */
void occ_live_forget_all(void);

#endif
