/* SPDX-License-Identifier: MIT */
#include "layer/header.h"

#include <stdlib.h>
#include <string.h>

/* The source that a program was made from, retained; NULL: it has none. */
static struct occ_input *source_of(cl_program handle)
{
	struct occ_input *input = NULL;
	struct occ_program *program;

	occ_lock();
	program = occ_program_find(handle);
	if (program && program->references && program->input &&
	    !program->input->is_il)
		input = occ_input_retain(program->input);
	occ_unlock();
	return input;
}

struct occ_header *occ_headers_take(const struct occ_build_call *call,
				    const char **ret_reason)
{
	cl_uint count = call->header_count;
	struct occ_header *headers;

	if (!count && !call->headers && !call->header_names)
		return NULL;
	*ret_reason = "parameters that are the driver's to judge";
	if (!count || !call->headers || !call->header_names)
		return NULL;
	headers = calloc(count, sizeof(*headers));
	for (cl_uint i = 0; headers && i < count; i++) {
		if (!call->header_names[i])
			return headers;
		headers[i].name = strdup(call->header_names[i]);
		headers[i].input = source_of(call->headers[i]);
		if (!headers[i].name || !headers[i].input)
			return headers;
	}
	if (headers)
		*ret_reason = NULL;
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
