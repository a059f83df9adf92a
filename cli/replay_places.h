/* SPDX-License-Identifier: MIT */
/*
 * What a process must be (cli/worker_place.h) to build what databases have: by
 * the variables, the executable and the included files of the records.
 *
 * Included files are at their paths with their contents, or are placed there.
 * Where all those of relative paths are in the recorded directory, that is the
 * worker's current one; else they are put into a directory of this command, as
 * deep as their paths rise. Builds whose files don't contradict one another
 * share a place, so that they can share workers.
 *
 *	occ_replay_places_find() of each build
 *	occ_replay_places_make()	writes what is to be there
 *	... places.items
 *	occ_replay_places_release()
 */
#ifndef OCC_CLI_REPLAY_PLACES_H
#define OCC_CLI_REPLAY_PLACES_H

#include "cache/driver/driver.h"
#include "cli/replay_steps.h"
#include "cli/worker_place.h"

/*
 * Which file must be at a path, as a program names it; or, "DIR/.", which
 * directory one passes through.
 */
struct occ_replay_file {
	char *path;
	/* The file that has it; NULL: it is there; "": of a directory. */
	char *content;
	struct occ_digest name; /* of the content; zeros: any */
};

struct occ_replay_place {
	struct occ_replay_file *files;
	size_t count;
	char *environment, *executable;
	char *directory; /* recorded, where it matters; NULL: any */
	bool is_bound;	 /* to that: files are looked for in it */
	/* What relative paths rise above, so many levels; NULL: none does. */
	char *around;
	size_t rises;
};

struct occ_replay_try {
	char *path;
	const char *fault; /* static; NULL: it can be */
};

struct occ_replay_places {
	/* Before the first call; borrowed. */
	const struct occ_records *records;
	const char *scratch;
	const char *hashed; /* OCLCACHE_HASH_ENV, or NULL */

	bool apart;			/* from now on nothing is shared */
	struct occ_worker_place *items; /* by occ_replay_places_make() */
	struct occ_replay_place *planned;
	size_t count;
	int possible; /* a namespace for placed files: -1 not tried yet */
	struct occ_replay_try *tried; /* which of them can be placed */
	size_t tried_count;
	struct occ_replay_file *seen; /* what is at paths here */
	size_t seen_count;
	uint64_t written; /* bytes of contents */
};

/*
 * The number of its place, for a driver (NULL: one without a record). NULL; or
 * why there is none, static, with *ret_detail, to be freed, or NULL.
 */
const char *occ_replay_places_find(struct occ_replay_places *places,
				   const struct occ_replay_steps *steps,
				   const struct occ_driver *driver,
				   size_t *ret_place, char **ret_detail);

/* Adds a file, copies of the texts. False: it contradicts one that it has. */
bool occ_replay_place_add(struct occ_replay_place *place, const char *path,
			  const char *content, const struct occ_digest *name);

/*
 * With room for so many more. False after an error was shown.
 */
bool occ_replay_places_make(struct occ_replay_places *places, size_t more);

/*
 * Afterwards, for a build that others' files were in the way of: the number of
 * a place that has its own alone. False: it had that, or there is none.
 */
bool occ_replay_places_apart(struct occ_replay_places *places,
			     const struct occ_replay_steps *steps,
			     const struct occ_driver *driver, size_t place,
			     size_t *ret_place);
void occ_replay_places_release(struct occ_replay_places *places);

#endif
