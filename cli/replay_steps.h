/* SPDX-License-Identifier: MIT */
/*
 * The calls that make a recorded build, in order: what it links, and what that
 * links, each once, and the build itself as the last one.
 */
#ifndef OCC_CLI_REPLAY_STEPS_H
#define OCC_CLI_REPLAY_STEPS_H

#include "cli/records.h"

struct occ_replay_steps {
	const struct occ_record **items; /* to be freed */
	size_t count;
};

/* NULL; or why it can't be done, static. To be released either way. */
const char *occ_replay_steps_find(const struct occ_records *records,
				  const struct occ_record *build,
				  struct occ_replay_steps *ret_steps);
void occ_replay_steps_release(struct occ_replay_steps *steps);

/*
 * Appends the steps of a request (cli/build_request.h). False: a text can't be
 * read, or there is too much.
 */
bool occ_replay_steps_write(const struct occ_records *records,
			    const struct occ_replay_steps *steps,
			    struct occ_buffer *request);

#endif
