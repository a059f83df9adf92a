/* SPDX-License-Identifier: MIT */
#include "storage/value.h"

#include <stdlib.h>

struct occ_value *occ_value_begin(size_t size)
{
	struct occ_value *value = calloc(1, sizeof(*value));

	if (!value)
		return NULL;
	/* Large ones have no memory before bytes come into it. */
	value->data = malloc(size ? size : 1);
	if (!value->data) {
		free(value);
		return NULL;
	}
	value->size = size;
	value->users = 1;
	return value;
}

struct occ_value *occ_value_new(struct occ_buffer *bytes)
{
	struct occ_value *value = calloc(1, sizeof(*value));

	if (!value)
		return NULL;
	value->data = bytes->data;
	value->size = bytes->size;
	value->users = 1;
	atomic_store_explicit(&value->there, value->size, memory_order_relaxed);
	*bytes = (struct occ_buffer)OCC_BUFFER_INIT;
	return value;
}

void occ_value_release(struct occ_value *value)
{
	if (!value || --value->users)
		return;
	free(value->data);
	free(value);
}
