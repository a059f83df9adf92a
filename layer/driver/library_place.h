/* SPDX-License-Identifier: MIT */
/*
 * Where a library is: drivers look for their files beside the file that a link
 * leads to, or beside the link.
 *
 * Any thread. Reads links.
 */
#ifndef OCC_LAYER_DRIVER_LIBRARY_PLACE_H
#define OCC_LAYER_DRIVER_LIBRARY_PLACE_H

struct occ_library_place {
	char *directory;      /* of its path; NULL: none */
	char *real_directory; /* of the file that a link leads to; or NULL */
};

void occ_library_place_find(const char *path,
			    struct occ_library_place *ret_place);
void occ_library_place_release(struct occ_library_place *place);

#endif
