/* SPDX-License-Identifier: MIT */
/*
 * What a record of a database says (cache/database_record.h), for commands that
 * show or choose. Texts point into the record's bytes.
 *
 * Threads: no state.
 */
#ifndef OCC_CLI_RECORD_VIEW_H
#define OCC_CLI_RECORD_VIEW_H

#include "cache/database_record.h"

struct occ_build_view {
	struct occ_span operation; /* "build", "compile", "link" */
	bool has_source, is_il, has_options;
	struct occ_content source; /* also an IL */
	struct occ_span options;
	size_t headers;
	size_t files;	 /* that were included */
	size_t inputs;	 /* of a link */
	size_t binaries; /* of these, such as aren't kept */
	bool unknown;	 /* it has fields of a later version */
};

/* False: it is no such record. */
bool occ_build_view(struct occ_span record, struct occ_build_view *ret_view);

struct occ_use_view {
	struct occ_digest build;
	struct occ_span application;
	uint64_t day;	       /* since 1970; 0: not known */
	uint64_t compile_time; /* ns; UINT64_MAX: it wasn't compiled */
};
bool occ_use_view(struct occ_span record, struct occ_use_view *ret_view);

struct occ_refusal_view {
	struct occ_span application;
	struct occ_span reason;
};
bool occ_refusal_view(struct occ_span record,
		      struct occ_refusal_view *ret_view);

/*
 * The next field of that id, from *offset on, which starts with 0; a record
 * that isn't one ends there. True: there is one.
 */
bool occ_record_next(struct occ_span record, uint16_t id, size_t *offset,
		     struct occ_span *ret_value);

/* The first one; empty where there is none. */
struct occ_span occ_record_text(struct occ_span record, uint16_t id);

/* A frame's name in a field of an id as above. */
bool occ_record_name(struct occ_span value, struct occ_digest *ret_name);

#endif
