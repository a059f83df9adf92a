/* SPDX-License-Identifier: MIT */
/*
 * Where a symbolic link leads, as a path that may be written to: a file is
 * replaced by giving another one its name, which would put an end to a link.
 */
#ifndef OCC_CLI_LINK_TARGET_H
#define OCC_CLI_LINK_TARGET_H

/*
 * Of a link, or links one after the other, what the last one says, from where
 * it is; it needn't be there. Else the path itself. To be freed.
 */
char *occ_link_target(const char *path);

#endif
