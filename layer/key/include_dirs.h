/* SPDX-License-Identifier: MIT */
/*
 * Where drivers look for included files of their own accord: besides the
 * directories of the options, the current one and that of the file which
 * includes. More than they look in, rather than less; doc/drivers.md says how
 * it was seen. Of drivers that are learnt nobody knows those directories: some
 * that others search are given, and what isn't found elsewhere isn't cached
 * (hash/closure.h, own_unknown).
 *
 * Calling sequence: occ_include_dirs_start() when the layer is initialised,
 * because drivers read their environment then; the rest for each build, because
 * others read it later. occ_include_dirs_end() when no other call is under way.
 *
 * Any thread. Reads directories and the environment.
 */
#ifndef OCC_LAYER_KEY_INCLUDE_DIRS_H
#define OCC_LAYER_KEY_INCLUDE_DIRS_H

#include "hash/reason.h"
#include "layer/driver/identity.h"

void occ_include_dirs_start(void);
void occ_include_dirs_end(void);

/*
 * Sets *ret_directories to the driver's directories now, NULL at the end; free
 * them with occ_include_dirs_free(). Some are relative to the current
 * directory, some aren't there. Returns why they can't be known, if they can't:
 * then a source that includes anything isn't cached.
 */
enum occ_reason occ_include_dirs_take(const struct occ_identity *identity,
				      char ***ret_directories);
void occ_include_dirs_free(char **directories); /* NULL: nothing */

/*
 * Sets *ret_here to the current directory's path, if the driver looks, or may
 * look, there by it (hash/closure.h), else to NULL; to be freed by free().
 * Returns why it can't be known, if it can't.
 */
enum occ_reason occ_include_dirs_here(const struct occ_identity *identity,
				      char **ret_here);

/*
 * What __FILE__ is in a source, on this driver: appends to `bytes` what that
 * depends on, if on anything. Returns why it isn't the same in every process,
 * if it isn't: then a source that may use it isn't cached.
 */
enum occ_reason occ_include_dirs_name_source(
	const struct occ_identity *identity, struct occ_buffer *bytes);

/*
 * Names of headers that the driver includes in every source without being
 * asked to, and looks for in the current directory and those of the options
 * before its own; NULL at the end. A file of that name there is part of what is
 * compiled. Where it looks besides when headers are `given` to the call they
 * are absolute. Constant.
 */
const char *const *occ_include_dirs_headers(const struct occ_identity *identity,
					    bool given);

/*
 * Has the driver a cache of its own, now, that doesn't look at included files?
 * Then what it answers for a source that includes any, be it one of those
 * headers, may not be what they say, unless it is kept from that cache
 * (layer/key/bypass.h). `options` are those of the build; NULL: none.
 */
bool occ_include_dirs_are_overlooked(const struct occ_identity *identity,
				     const char *options);

#endif
