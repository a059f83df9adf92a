/* SPDX-License-Identifier: MIT */
#include "layer/object/hidden_programs.h"

#include <stdlib.h>

#include "layer/base/dispatch.h"
#include "layer/base/lock.h"

/* Contexts with none are absent. */
struct hidden {
	cl_context context;
	cl_uint count;
	struct hidden *next;
};

static struct hidden *hidden_list;

void occ_hidden_programs_change(cl_context context, int change)
{
	struct hidden **at = &hidden_list;
	struct hidden *hidden;

	occ_lock();
	while (*at && (*at)->context != context)
		at = &(*at)->next;
	hidden = *at;
	if (!hidden && change > 0) {
		/* Out of memory: a count that is one too high, no more. */
		hidden = calloc(1, sizeof(*hidden));
		if (hidden)
			hidden->context = context;
		*at = hidden;
	}
	if (hidden)
		hidden->count += (cl_uint)change;
	if (hidden && !hidden->count) {
		*at = hidden->next;
		free(hidden);
	}
	occ_unlock();
}

cl_uint occ_hidden_programs_count(cl_context context)
{
	cl_uint count = 0;

	occ_lock();
	for (struct hidden *at = hidden_list; at; at = at->next)
		if (at->context == context)
			count = at->count;
	occ_unlock();
	return count;
}

void occ_hidden_programs_release(cl_context context, cl_program program)
{
	if (!program)
		return;
	occ_target.clReleaseProgram(program);
	occ_hidden_programs_change(context, -1);
}

void occ_hidden_programs_forget_all(void)
{
	while (hidden_list) {
		struct hidden *next = hidden_list->next;

		free(hidden_list);
		hidden_list = next;
	}
}
