/* SPDX-License-Identifier: MIT */
/*
 * The working set of this process: what is foreseen that it will take, by what
 * its executable took before (cache/working_set.h), and what it does take.
 *
 * Calling sequence: occ_working_set_foresee() once, by a thread that may read
 * files; occ_working_set_note() for each build; occ_working_set_save() now and
 * then, occ_working_set_save_at_end().
 *
 * Any thread, without the layer's lock.
 */
#ifndef OCC_LAYER_SERVE_WORKING_SET_H
#define OCC_LAYER_SERVE_WORKING_SET_H

#include "cache/working_set.h"
#include "layer/key/build_key.h"

/* Is it remembered at all (OCLCACHE_PREFETCH)? */
bool occ_working_set_is_on(void);

/*
 * What is foreseen of a process whose first context is of that platform, in
 * order; the caller's to free(). NULL: nothing. *ret_certain: it can be relied
 * on, else only once the first build has come true.
 */
struct occ_working_set_item *occ_working_set_foresee(const char *platform_name,
						     size_t *ret_count,
						     bool *ret_certain);

/*
 * The process has built that, from the store or by the driver. Builds and links
 * are remembered, each once; compiles make nothing that is worth loading.
 */
void occ_working_set_note(const struct occ_build_key *build_key);

/* It has made a kernel of that. */
void occ_working_set_note_kernel(const struct occ_build_key *build_key,
				 const char *name);

/*
 * Writes what is new, at most every 5 s: a process that is killed says nothing
 * at its end. For the writer's thread.
 */
void occ_working_set_save(void);

/*
 * The process builds no more: has the writer write what is to be remembered; to
 * be called before the last occ_writer_end().
 */
void occ_working_set_save_at_end(void);

/* Under the lock, in a child of fork(), which is another run. */
void occ_working_set_forked(void);

/* At initialisation. */
void occ_working_set_forget(void);

#endif
