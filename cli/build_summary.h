/* SPDX-License-Identifier: MIT */
/*
 * The builds of databases (cli/records.h), each with what is worth to be shown
 * of it and of its uses.
 *
 * Not for several threads at once.
 */
#ifndef OCC_CLI_BUILD_SUMMARY_H
#define OCC_CLI_BUILD_SUMMARY_H

#include "cli/record_view.h"
#include "cli/records.h"

/* Texts are never NULL, but empty where there is nothing. */
struct occ_build_summary {
	const struct occ_record *record;
	const char *fault; /* why it can't be replayed; NULL: it can be */
	struct occ_build_view view;
	const char *options;	  /* the first of them, if they are long */
	const char *kernels;	  /* names, ";" between them, each once */
	const char *applications; /* ", " between them, each once */
	const char *devices;
	int64_t used;	       /* the last time, s since 1970; -1: not known */
	uint64_t compile_time; /* the longest, ns; UINT64_MAX: not known */
	size_t uses;
	char *memory; /* of the texts */
};

struct occ_build_summaries {
	struct occ_build_summary *items; /* the last used first */
	size_t count;
};

void occ_build_summaries_make(const struct occ_records *records,
			      struct occ_build_summaries *ret_summaries);
void occ_build_summaries_release(struct occ_build_summaries *summaries);

/*
 * Why it can't be replayed, as far as the databases tell: what it needs isn't
 * in them. NULL: it can be.
 */
const char *occ_build_fault(const struct occ_records *records,
			    struct occ_span record);

#endif
