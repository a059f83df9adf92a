/* SPDX-License-Identifier: MIT */
/*
 * What the layer knows of the application's programs and kernels: a table of
 * each, by the driver's handle.
 *
 * Handles that aren't in the tables (NULL, garbage, programs of built-in
 * kernels) belong to the driver alone: every hook passes them on as they are.
 *
 * A program is in one of two states. *Plain*: the driver's handle answers, as
 * without the layer. *Served*: `shadow` is set and answers for it. It becomes
 * served by a build, compile or link that hits, and plain by any build or
 * compile that goes to the driver. The result of a link that hit is served by
 * itself: its handle was made from the entry's binary.
 *
 * Invariants:
 * (P1) A program is in the table from its creation until the application's
 *      references and its live kernels are gone and no build of it runs; it
 *      leaves the table before the driver can recycle the handle.
 * (P2) The driver's handle is alive while the program is in the table: the
 *      application's references, a kernel's, or one of ours keep it: `holds`
 *      during builds, `kernel_holds` for kernels (P3).
 * (P3) A kernel made from a hidden shadow program holds one reference of ours
 *      on the application's program, as the driver's own kernels would.
 * (P4) `generation` goes up when a build or compile starts, and before and
 *      after the driver gets a specialization constant. Whatever was learnt
 *      from a build is used only while the generation is that build's.
 * (P5) A build result is stored only if it is of the first build that the
 *      driver made of the handle: a later build may carry state over from the
 *      one before (Intel's ignores specialization constants set in between).
 * (P6) `made` is set only while the handle's state is what a driver makes of
 *      that build key, and nothing else: links are keyed by it.
 *
 * Threads: the layer's lock (layer/base/lock.h), "the lock" below, guards both
 * tables and all fields that aren't constant.
 */
#ifndef OCC_LAYER_OBJECT_PROGRAM_H
#define OCC_LAYER_OBJECT_PROGRAM_H

#include "hash/reason.h"
#include "layer/base/lock.h"
#include "layer/key/build_key.h"
#include "layer/object/shadow_program.h"

/* Out of memory in a table is a program that isn't known, never an exit. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/*
 * What the driver answered about a build, compile or link that it just made
 * (layer/serve/build_answers.h), kept until the binaries are fetched and both
 * become entries (layer/serve/store_result.h).
 */
struct occ_build_result {
	struct occ_build_key *build_key;
	struct occ_buffer *metadata; /* one per device of the build key */
	uint64_t compile_time;	     /* ns */
	bool published; /* already, with a binary that may be incomplete */
};

/* What answers for a program since its last build, and what is known of it. */
struct occ_state {
	struct occ_shadow *shadow;	  /* set: served */
	struct occ_build_key *made;	  /* NULL: not known by key (P6) */
	struct occ_build_result *pending; /* to be stored at the last release */
	/* Why it isn't, unless the application asks for binaries. */
	enum occ_reason unless_asked;
	/* Why the last build wasn't done at all (OCC_MODE_REQUIRE). */
	enum occ_reason refused;
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
	unsigned clones;       /* of its kernels, ever made */
	unsigned own_clones;   /* of the handle's own kernels, ours included */
	bool asked;	       /* for its binaries, by the application */
	unsigned building;     /* builds and compiles under way */
	unsigned specializing; /* constants on their way to the driver */
	unsigned changing;     /* changes of our references under way */
	unsigned changes;      /* and how many there have been */
	bool syncing;	       /* a thread brings the handle up to date */
	unsigned holds;	       /* our references on the handle during builds */
	unsigned shown_holds;  /* of these: they look like the driver's */
	unsigned kernel_holds; /* and for kernels of shadow programs (P3) */
	unsigned own_kernels;  /* of the handle, that the layer made */
	uint64_t generation;
	bool driver_built; /* the driver has built or compiled the handle */
	enum occ_reason forbidden; /* atomic; why it is not cached, if so */
	struct occ_spec_constants constants; /* set by the application */
	const struct occ_driver *driver;     /* set once there was a key */
	/*
	 * What served it before the driver built it, and may have kernels;
	 * where the driver refuses_by_count, else NULL.
	 */
	struct occ_shadow *former;
	struct occ_state state;
};

struct occ_kernel {
	UT_hash_handle hh;
	cl_kernel handle;
	char *name; /* of one made by a shadow program; NULL: not known */
	unsigned references;
	struct occ_program *program; /* pinned */
	struct occ_shadow *shadow;   /* that made it; NULL: the handle did */
};

/* What the driver answered for the first device; borrowed. */
struct occ_span occ_build_result_metadata(
	const struct occ_build_result *result);

void occ_build_result_release(
	struct occ_build_result *result); /* NULL: nothing */

/*
 * Adds a new program from source or IL with one reference of the application's.
 * Takes over `input`. Without input or memory the program isn't added, and is
 * the driver's alone.
 */
void occ_program_add(cl_program handle, cl_context context,
		     struct occ_input *input);

/* The same for a program that the application made from binaries. */
void occ_program_add_from_binaries(cl_program handle, cl_context context);

/*
 * The same for the result of a link, with its state, which is taken over.
 * Returns the new program, pinned, or NULL.
 */
struct occ_program *occ_program_add_linked(
	cl_program handle, const struct occ_build_key *build_key,
	const struct occ_state *state);

/* The program of a handle, or NULL. Lock held. */
struct occ_program *occ_program_find_locked(cl_program handle);

/* The first of all programs; hh.next leads to the others. Lock held. */
struct occ_program *occ_program_first_locked(void);

/*
 * The handle to pass to the driver: NULL, which every driver refuses, if the
 * application has released the program, only live kernels keep it, and the
 * driver would call such a handle invalid; else the handle itself. Takes the
 * lock.
 */
cl_program occ_program_valid(cl_program handle);

/*
 * The first two enclose every change of our references on a handle: in between
 * the driver's count and ours don't match. Before they are compared the third
 * is called, which waits, for some 20 ms at most, until no change is under way.
 * Lock held, and given up during the wait.
 */
void occ_program_begin_change_locked(struct occ_program *program);
void occ_program_end_change_locked(struct occ_program *program);
void occ_program_await_changes_locked(struct occ_program *program);

/*
 * Waits while another thread brings the handle up to date
 * (layer/serve/sync_driver.h). Lock held, and given up meanwhile.
 */
void occ_program_await_sync_locked(struct occ_program *program);

/*
 * Takes a reference on a handle that the application has one on, counted in
 * `holds` and `building`; occ_pending_unhold() gives it back. Without the lock.
 */
void occ_program_hold(struct occ_program *program);

/*
 * The same for a program that the caller has found in the table, pinned, and
 * begun to change, all under one hold of the lock, so that a release of the
 * program waits. Ends the change.
 */
void occ_program_hold_changing(struct occ_program *program);

/* One more of `holds`, or one less with -1, is shown. Without the lock. */
void occ_program_show_hold(struct occ_program *program, int change);

/* In the child of a fork(): other threads are gone. Lock held. */
void occ_program_forked(void);

/* Keeps the struct alive beyond the lock. Unpin without the lock. */
struct occ_program *occ_program_pin(struct occ_program *program);
void occ_program_unpin(struct occ_program *program); /* NULL: nothing */

/*
 * If nothing keeps the program in the table any more (P1), takes it out and
 * returns true: then the caller must call occ_pending_finish(), without the
 * lock, before the driver call that releases the handle. Lock held.
 */
bool occ_program_remove_unused_locked(struct occ_program *program);

/*
 * If the program's generation still is `generation`, replaces its state by
 * `state`, which is taken over; *ret_before is the former one, for the caller
 * to store and release. Else does nothing and returns false. Takes the lock.
 */
bool occ_program_replace_state(struct occ_program *program, uint64_t generation,
			       const struct occ_state *state,
			       struct occ_state *ret_before);

/*
 * Moves a program's state and `former` out of it, for the caller to store and
 * release. Takes the lock.
 */
void occ_program_take_state(struct occ_program *program,
			    struct occ_state *ret_state,
			    struct occ_shadow **ret_former);

/* Releases what the state refers to. Without the lock: calls the driver. */
void occ_state_release(struct occ_state *state);

/*
 * The shadow program that answers for a handle, retained, or NULL when the
 * driver's handle itself answers. Takes the lock.
 */
struct occ_shadow *occ_program_shadow(cl_program handle);

/* Why the layer refused the handle's last build, if it did. Takes the lock. */
enum occ_reason occ_program_refusal(cl_program handle);

/*
 * For calls that often precede or follow a launch: if the driver may compile
 * at a launch a part of what is to be stored, looks at the environment. Lock
 * held.
 */
void occ_program_note_use_locked(const struct occ_program *program);

/* The driver is about to be asked for the handle's binaries. Takes the lock. */
void occ_program_note_asking(cl_program handle);

/* The driver has just given them. Takes the lock. */
void occ_program_note_asked(cl_program handle);

/* Has no later build of the program cached. Takes the lock. */
void occ_program_forbid_caching(cl_program handle, enum occ_reason reason);

/*
 * Adds a kernel with one reference, and its name, which is copied and may be
 * NULL. `shadow` may be NULL; a reference to it is taken, and the caller has
 * retained the program's handle for it (P3). False when out of memory. Lock
 * held.
 */
bool occ_kernel_add_locked(cl_kernel handle, const char *name,
			   struct occ_program *program,
			   struct occ_shadow *shadow);

/* The first of all kernels; hh.next leads to the others. Lock held. */
struct occ_kernel *occ_kernel_first_locked(void);

/* The kernel of a handle, or NULL. Lock held. */
struct occ_kernel *occ_kernel_find_locked(cl_kernel handle);

/* A live kernel that the program's handle itself made, or NULL. Lock held. */
cl_kernel occ_kernel_own_locked(const struct occ_program *program);

/*
 * A shadow program of the context that has live kernels and isn't prepared
 * (occ_sync_create_unbuilt), retained and marked as prepared; NULL when there
 * is none. Takes the lock.
 */
struct occ_shadow *occ_kernel_take_unprepared(cl_context context);

/*
 * The name of a live kernel that a shadow program of this program made, to be
 * freed, or NULL. Takes the lock.
 */
char *occ_kernel_name_of(const struct occ_program *program);

/*
 * Takes it out of the table; the caller frees it with occ_kernel_free(),
 * without the lock. Lock held.
 */
void occ_kernel_remove_locked(struct occ_kernel *kernel);
void occ_kernel_free(struct occ_kernel *kernel);

/* Forgets everything without calling the driver; nothing may be under way. */
void occ_program_forget_all(void);

#endif
