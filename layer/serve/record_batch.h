/* SPDX-License-Identifier: MIT */
/*
 * What is to be recorded (layer/serve/record.h), and its way into the file: as
 * many builds as there are, in one go.
 *
 * Threads: a batch belongs to one at a time; the writing takes the lock now and
 * then.
 */
#ifndef OCC_LAYER_SERVE_RECORD_BATCH_H
#define OCC_LAYER_SERVE_RECORD_BATCH_H

#include "hash/reason.h"
#include "layer/key/build_key.h"

/* A build. */
struct occ_record_note {
	struct occ_record_note *next;
	struct occ_build_key *build_key; /* retained */
	struct occ_digest id;		 /* layer/serve/recorded.h */
	uint64_t compile_time;		 /* ns; 0: it was served */
	char *directory;		 /* the current one then, or NULL */
	bool made;			 /* there is a frame: */
	struct occ_digest name;
	struct occ_digest *devices; /* the names of theirs */
	/* Of each device: so much the application had asked it. */
	size_t answers[];
};

/* Zeroed: empty. */
struct occ_record_batch {
	struct occ_record_note *first, *last;
	bool any_refused;
	bool refused[OCC_REASON_COUNT];
};

void occ_record_note_release(struct occ_record_note *note);

/* Takes the note over, behind the others. */
void occ_record_batch_add(struct occ_record_batch *batch,
			  struct occ_record_note *note);

/* Adds all of it, and the kernels that are due, to the file. */
void occ_record_batch_write(struct occ_record_batch *batch);

void occ_record_batch_release(struct occ_record_batch *batch);

/* Is the file full, or none that could be added to? Then it is left alone. */
bool occ_record_batch_is_refused(void);

/* No other call may be under way. */
void occ_record_batch_forget(void);

#endif
