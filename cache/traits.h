/* SPDX-License-Identifier: MIT */
/*
 * What was learnt of a driver that isn't known beforehand, kept in the store's
 * state file (cache/state.h) under the digest of what identifies the driver.
 *
 * Losing it costs another round of learning. A value of another version, or
 * one that can't be understood, counts as absent.
 *
 * Threads: as the store.
 */
#ifndef OCC_CACHE_TRAITS_H
#define OCC_CACHE_TRAITS_H

#include <stdbool.h>

#include "cache/store.h"

/* Does the driver load the binaries that it gives? */
enum occ_proof {
	OCC_PROOF_NONE,	  /* never tried */
	OCC_PROOF_TRYING, /* a process is trying, or ended while it tried */
	OCC_PROOF_GOOD,
	OCC_PROOF_BAD,
	OCC_PROOF_VAIN, /* the driver couldn't even be examined */
	/* It loads them in processes of the command; no application tried. */
	OCC_PROOF_ELSEWHERE,
};

/* Is the driver known to load its binaries? */
static inline bool occ_proof_is_good(enum occ_proof proof)
{
	return proof == OCC_PROOF_GOOD || proof == OCC_PROOF_ELSEWHERE;
}

/* On which thread a build's callback is called. The numbers are stored. */
enum occ_notify_thread {
	OCC_NOTIFY_UNKNOWN = 0,
	OCC_NOTIFY_CALLER = 1, /* the caller's, before the call returns */
	OCC_NOTIFY_OTHER = 2,  /* another, for which the call doesn't wait */
	OCC_NOTIFY_WAITED = 3, /* another, and the call returns after it */
};

/*
 * Where the driver looks for included files. The numbers are stored, apart from
 * the other traits: the command finds it out, while processes write those.
 */
enum occ_search {
	OCC_SEARCH_UNKNOWN = 0, /* never tried */
	/*
	 * As all do: beside the file that includes, which for the source is the
	 * current directory, and in the directories of the options, before it
	 * looks elsewhere; and anew for each build.
	 */
	OCC_SEARCH_USUAL = 1,
	OCC_SEARCH_OTHER = 2, /* not so, or it can't be told */
};

/* All zero: nothing is known. */
struct occ_traits {
	enum occ_proof proof;
	enum occ_notify_thread notify;
	/* The rest means something when occ_proof_is_good(). */
	bool counts_kernels;  /* a program's reference count includes them */
	bool counts_programs; /* a context's includes its programs */
	bool expensive;	      /* asking for binaries takes long */
	bool late; /* they aren't complete before there are kernels */
};

/*
 * OCC_OK, OCC_E_NOT_FOUND or a failure; *ret_habits is all zero when it isn't
 * OCC_OK.
 */
int occ_traits_load(struct occ_store *store, const struct occ_digest *driver,
		    struct occ_traits *ret_habits);

/*
 * The paths of the objects that the driver loads to compile, each with its
 * NUL. OCC_OK and bytes to be freed by the caller, OCC_E_NOT_FOUND or a
 * failure.
 */
int occ_traits_load_libraries(struct occ_store *store,
			      const struct occ_digest *driver,
			      struct occ_buffer *ret_paths);

/* OCC_OK or a failure: also when they are more than a value may have. */
int occ_traits_save_libraries(struct occ_store *store,
			      const struct occ_digest *driver,
			      const struct occ_buffer *paths);

/* OCC_OK or a failure. */
int occ_traits_save(struct occ_store *store, const struct occ_digest *driver,
		    const struct occ_traits *habits);

/* Has the store any of them? True also when that can't be told. */
bool occ_traits_any(struct occ_store *store);

/*
 * For processes with this one's HOME and XDG_CACHE_HOME. OCC_SEARCH_UNKNOWN
 * also after a failure.
 */
enum occ_search occ_traits_load_search(struct occ_store *store,
				       const struct occ_digest *driver);

/* Of all drivers that the store knows to load their binaries. */
int occ_traits_save_search(struct occ_store *store, enum occ_search search);

/* Is there one of these in `from` of which neither has it? */
bool occ_traits_lack_search(struct occ_store *store, struct occ_store *from);

/*
 * Takes over what another store has of drivers that were examined, with what
 * they load; but for those that this one knows: of these only how they search.
 * A trial under way counts as one that ended its process, and one that went
 * well as OCC_PROOF_ELSEWHERE. OCC_OK or a failure, and in any case of how many
 * something was taken over.
 */
int occ_traits_take_over(struct occ_store *store, struct occ_store *from,
			 size_t *ret_count);

#endif
