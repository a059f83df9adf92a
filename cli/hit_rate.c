/* SPDX-License-Identifier: MIT */
#include "cli/hit_rate.h"

#include <inttypes.h>
#include <string.h>

#include "cli/message.h"

#define DIGITS 3      /* behind the point, of a rate */
#define ONE    1000.0 /* per cent */

bool occ_hit_rate_parse(const char *text, unsigned *ret_rate)
{
	unsigned rate = 0, digits = 0;
	size_t length = strspn(text, "0123456789");

	if (!length || length > DIGITS)
		return false;
	for (; length; length--)
		rate = 10 * rate + (unsigned)(*text++ - '0');
	if (*text == '.') {
		text++;
		while (digits < DIGITS && *text >= '0' && *text <= '9') {
			rate = 10 * rate + (unsigned)(*text++ - '0');
			digits++;
		}
		if (!digits)
			return false;
	}
	for (; digits < DIGITS; digits++)
		rate *= 10;
	text += *text == '%';
	*ret_rate = rate;
	return !*text && rate <= OCC_HIT_RATE_ALL;
}

static void list(const struct occ_counters *counters, enum occ_counted kind,
		 const char *what)
{
	for (size_t i = 0; i < counters->reason_count; i++)
		if (counters->reasons[i].kind == kind)
			occ_message_note("  %s: %s (%" PRIu64 ")", what,
					 counters->reasons[i].text,
					 counters->reasons[i].count);
}

/* Rounded down, so that what isn't enough doesn't look so. */
static uint64_t rate_of(uint64_t hits, uint64_t builds)
{
	/* Numbers of builds don't come near what would overflow. */
	return hits > UINT64_MAX / OCC_HIT_RATE_ALL
		       ? hits / (builds / OCC_HIT_RATE_ALL)
		       : hits * OCC_HIT_RATE_ALL / builds;
}

bool occ_hit_rate_check(unsigned required, const struct occ_counters *counters)
{
	uint64_t hits, builds, rate;

	if (!required)
		return true;
	if (!counters) {
		occ_message_error("--require-hits: can't tell what was built");
		return false;
	}
	hits = occ_counters_hits(counters);
	builds = occ_counters_builds(counters);
	if (!builds) {
		occ_message_error("--require-hits: no OpenCL program was built "
				  "under the layer; see 'oclcache doctor'");
		return false;
	}
	rate = rate_of(hits, builds);
	if (rate >= required)
		return true;
	occ_message_error("hits: %" PRIu64 " of %" PRIu64
			  " builds, %g %%; required: %g %%",
			  hits, builds, (double)rate / ONE,
			  (double)required / ONE);
	list(counters, OCC_COUNTED_MISS, "missed");
	list(counters, OCC_COUNTED_UNCACHEABLE, "not cacheable");
	list(counters, OCC_COUNTED_REMOTE, "remote storage");
	return false;
}
