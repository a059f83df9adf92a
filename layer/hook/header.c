/* SPDX-License-Identifier: MIT */
#include "layer/hook/header.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/lock.h"
#include "layer/key/build_key.h"
#include "layer/key/input.h"
#include "layer/object/program.h"

/* The source that a program was made from, retained; NULL: it has none. */
static struct occ_input *source_of(cl_program handle)
{
	struct occ_input *input = NULL;
	struct occ_program *program;

	occ_lock();
	program = occ_program_find_locked(handle);
	if (program && program->references && program->input &&
	    !program->input->is_il)
		input = occ_input_retain(program->input);
	occ_unlock();
	return input;
}

struct occ_header *occ_headers_take(const struct occ_arguments *arguments,
				    enum occ_reason *ret_reason)
{
	cl_uint count = arguments->other_count;
	struct occ_header *headers;

	if (!count && !arguments->others && !arguments->names)
		return NULL;
	*ret_reason = OCC_REASON_PARAMETERS;
	if (!count || !arguments->others || !arguments->names)
		return NULL;
	headers = calloc(count, sizeof(*headers));
	for (cl_uint i = 0; headers && i < count; i++) {
		if (!arguments->names[i])
			return headers;
		headers[i].name = strdup(arguments->names[i]);
		headers[i].input = source_of(arguments->others[i]);
		if (!headers[i].name || !headers[i].input)
			return headers;
	}
	if (headers)
		*ret_reason = OCC_REASON_NONE;
	return headers;
}

void occ_headers_release(struct occ_header *headers, cl_uint count)
{
	for (cl_uint i = 0; headers && i < count; i++) {
		free(headers[i].name);
		occ_input_release(headers[i].input);
	}
	free(headers);
}
