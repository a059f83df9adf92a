/* SPDX-License-Identifier: MIT */
/*
 * Asking drivers under the layer: which devices there are, and what the layer
 * did with a build. Each question is a child (cli/child.h), as an application
 * would be.
 */
#ifndef OCC_CLI_PROBE_H
#define OCC_CLI_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/build_trace.h"
#include "cli/child.h"

struct occ_probe_device {
	const char *platform;
	const char *name;
	const char *driver_version;
	uint64_t types; /* CL_DEVICE_TYPE */
};

/* What a look at a loader found. The strings are of `child`. */
struct occ_probe_survey {
	const char *library; /* to open; before the start */
	bool with_layer;     /* OPENCL_LAYERS is set; before the start */
	const char *error;   /* NULL: none. What `child` says counts, too */
	const char *version; /* the loader's, "" where it doesn't say */
	const char *layer;   /* the path of the layer in it, "" for none */
	size_t platforms;
	struct occ_probe_device *devices;
	size_t count;
	const char **without; /* names of platforms that have no device */
	size_t without_count;
	struct occ_child child;
};

/* Runs it; occ_probe_survey_release() afterwards, whatever came of it. */
void occ_probe_survey(struct occ_probe_survey *survey);
void occ_probe_survey_release(struct occ_probe_survey *survey);

struct occ_probe_build {
	/* Before the start; borrowed. */
	size_t device; /* its place in a survey */
	const void *source;
	size_t size;
	bool is_il;
	const char *options;   /* NULL: none, as the call has it */
	const char *directory; /* OCLCACHE_DIR */
	const char *store;     /* OCLCACHE_STORE */
	const char *mode;      /* OCLCACHE_MODE; NULL: as it is */
	/* No other setting counts: the store is a test's. */
	bool alone;
	/*
	 * Only messages are asked of the layer, which leave no traces in the
	 * store: of a hit or a miss nothing is known then.
	 */
	bool untraced;
	const char *trace; /* a file to be written, and removed again */
	/* The same, and it stays: the paths of what the process had mapped in
	 * the end, a line each. NULL: none. */
	const char *objects;
	unsigned limit; /* s */

	struct occ_child child;
	/* What came of it; the strings are of `child`, or ours. */
	bool built;
	const char *error; /* the driver's; "" for none */
	const char *log;   /* the build log */
	enum occ_probe_result result;
	char *reason; /* of the trace; NULL: it says none */
	char *hash;   /* of the key, as entries are named; or NULL */
};

/*
 * Starts one. When its child has ended (occ_child_wait_any()), _finish() takes
 * in what it said; release it in the end.
 */
void occ_probe_build_start(struct occ_probe_build *build);
void occ_probe_build_finish(struct occ_probe_build *build);
void occ_probe_build_release(struct occ_probe_build *build);

#endif
