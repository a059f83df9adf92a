/* SPDX-License-Identifier: MIT */
/*
 * Records of a database (cache/database_record.h) for another one: with the
 * names that frames have there, and without what shouldn't leave the machine,
 * where that is asked for: directories of applications, the current directory,
 * variables with private paths (cli/private_path.h), what identifies a device.
 *
 * Threads: no state.
 */
#ifndef OCC_CLI_DATABASE_STRIP_H
#define OCC_CLI_DATABASE_STRIP_H

#include "cli/records.h"

/* What a frame is called in the other database; false: it isn't in there. */
struct occ_renaming {
	bool (*rename)(void *data, enum occ_frame_type type,
		       const struct occ_digest *name,
		       struct occ_digest *ret_name);
	void *data;
	bool strips;
};

/* These append the record. False: something that it needs isn't there. */
bool occ_database_strip_build(const struct occ_renaming *renaming,
			      struct occ_span record,
			      struct occ_buffer *ret_record);
bool occ_database_strip_use(const struct occ_renaming *renaming,
			    struct occ_span record,
			    struct occ_buffer *ret_record);
void occ_database_strip_device(const struct occ_renaming *renaming,
			       struct occ_span record,
			       struct occ_buffer *ret_record);
void occ_database_strip_refusal(const struct occ_renaming *renaming,
				struct occ_span record,
				struct occ_buffer *ret_record);

/*
 * Why the build must not leave: what of it has a private path, which is
 * *ret_path; NULL: nothing. *ret_memory is for the caller to release.
 */
const char *occ_database_private_part(const struct occ_records *records,
				      struct occ_span record,
				      struct occ_buffer *ret_memory,
				      struct occ_span *ret_path);

#endif
