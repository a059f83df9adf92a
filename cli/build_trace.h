/* SPDX-License-Identifier: MIT */
/*
 * What the layer wrote to OCLCACHE_LOG_FILE of builds: lines of the trace
 * (BinaryCacheTrace=1), or messages (PrintDebugMessages=1).
 *
 * Starts as zeros; occ_build_trace_read() adds to what is there, and
 * occ_build_trace_release() makes it zeros again. One thread.
 */
#ifndef OCC_CLI_BUILD_TRACE_H
#define OCC_CLI_BUILD_TRACE_H

#include <stddef.h>
#include <stdint.h>

/* The layer's answer to a build. */
enum occ_probe_result {
	OCC_PROBE_NONE, /* it wasn't there, or was switched off */
	OCC_PROBE_HIT,
	OCC_PROBE_MISS,
	OCC_PROBE_UNCACHEABLE,
};

struct occ_build_trace {
	enum occ_probe_result result; /* of the last lookup */
	char *reason; /* of the last one that said one; NULL: none did */
	char *hash;   /* of the last lookup's key, or NULL */
	/* What the next lines don't change: misses may be told of late. */
	char *refusal;	/* why the last one that isn't cacheable isn't, or NULL
			 */
	char *unstored; /* why the last one that wasn't stored wasn't, or NULL
			 */
	char *served; /* the hashes of all hits, with blanks between; or NULL */
};

/*
 * Reads the file's whole lines from *offset on, which is moved behind them. A
 * file that isn't there has none.
 */
void occ_build_trace_read(struct occ_build_trace *trace, const char *path,
			  uint64_t *offset);
void occ_build_trace_release(struct occ_build_trace *trace);

#endif
