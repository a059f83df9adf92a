/* SPDX-License-Identifier: MIT */
/*
 * Paths that say who somebody is, or that are of one machine for a while: below
 * /home, /root, /run/user, $HOME, /tmp and /var/tmp.
 *
 * Threads: no state, but the environment's.
 */
#ifndef OCC_CLI_PRIVATE_PATH_H
#define OCC_CLI_PRIVATE_PATH_H

#include "hash/buffer.h"

/*
 * Is there one anywhere in paths, options or the value of a variable? When in
 * doubt there is. *ret_path is what was found, up to its end; may be NULL.
 */
bool occ_private_path_in_options(struct occ_span text,
				 struct occ_span *ret_path);

/*
 * The same in a source, IL or header, where "x/root" may be a division: only
 * what can't be anything but a path, and none of temporary directories, which
 * say nothing of anybody.
 */
bool occ_private_path_in_content(struct occ_span text,
				 struct occ_span *ret_path);

/*
 * Of an application (path, of interpreters ' ' and the script's) what isn't
 * directories: "python3 x.py". Appends it.
 */
void occ_private_path_base(struct occ_span application,
			   struct occ_buffer *ret_text);

#endif
