/* SPDX-License-Identifier: MIT */
#include "layer/object/build_result.h"

#include <stdlib.h>

#include "cache/entry.h"
#include "hash/buffer.h"

struct occ_span occ_build_result_metadata(const struct occ_build_result *result)
{
	return (struct occ_span){result->metadata[0].data,
				 result->metadata[0].size};
}

void occ_build_result_release(struct occ_build_result *result)
{
	if (!result)
		return;
	for (cl_uint i = 0;
	     result->metadata && i < result->build_key->device_count; i++)
		occ_buffer_release(&result->metadata[i]);
	free(result->metadata);
	occ_build_key_release(result->build_key);
	free(result);
}
