/* SPDX-License-Identifier: MIT */
#include "storage/inflow.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "cache/entry.h"
#include "storage/compression.h"

static const char damaged[] = "the server's value is damaged";
static const char too_large[] = "the server's value is too large";
static const char no_memory[] = "out of memory";

void occ_inflow_begin(struct occ_inflow *inflow, void (*came)(void *context),
		      void *context)
{
	inflow->came = came;
	inflow->context = context;
}

struct occ_value *occ_inflow_value(struct occ_inflow *inflow)
{
	return atomic_load_explicit(&inflow->value, memory_order_acquire);
}

void occ_inflow_release(struct occ_inflow *inflow)
{
	occ_buffer_release(&inflow->head);
	ZSTD_freeDCtx(inflow->inflater);
	inflow->inflater = NULL;
}

static bool fail(struct occ_inflow *inflow, const char *problem)
{
	if (!inflow->problem)
		inflow->problem = problem;
	return false;
}

static bool take_size(void *context, uint64_t size)
{
	struct occ_inflow *inflow = context;

	inflow->has_size = true;
	inflow->size = size;
	return size <= OCC_FRAME_SIZE_MAX || fail(inflow, too_large);
}

static bool publish(struct occ_inflow *inflow, struct occ_value *value)
{
	if (!value)
		return fail(inflow, no_memory);
	atomic_store_explicit(&inflow->value, value, memory_order_release);
	return true;
}

static bool copy(struct occ_inflow *inflow, struct occ_value *value,
		 struct occ_span bytes)
{
	if (bytes.size > value->size - inflow->filled)
		return fail(inflow, damaged);
	memcpy(value->data + inflow->filled, bytes.data, bytes.size);
	inflow->filled += bytes.size;
	return true;
}

static bool inflate(struct occ_inflow *inflow, struct occ_value *value,
		    struct occ_span bytes)
{
	ZSTD_inBuffer in = {bytes.data, bytes.size, 0};
	ZSTD_outBuffer out = {value->data, value->size, inflow->filled};

	while (in.pos < in.size) {
		size_t in_before = in.pos, out_before = out.pos, left;

		if (inflow->is_inflated)
			return fail(inflow, damaged);
		left = ZSTD_decompressStream(inflow->inflater, &out, &in);
		if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
			return fail(inflow, no_memory);
		/* Or there is more in it than it said. */
		if (ZSTD_isError(left) ||
		    (in.pos == in_before && out.pos == out_before))
			return fail(inflow, damaged);
		inflow->is_inflated = left == 0;
	}
	inflow->filled = out.pos;
	return true;
}

static bool add(struct occ_inflow *inflow, struct occ_value *value,
		struct occ_span bytes)
{
	bool good =
		!bytes.size || (inflow->inflater ? inflate(inflow, value, bytes)
						 : copy(inflow, value, bytes));

	if (!good || inflow->filled == value->size)
		return good;
	atomic_store_explicit(&value->there, inflow->filled,
			      memory_order_release);
	inflow->came(inflow->context);
	return true;
}

static bool begin_frame(struct occ_inflow *inflow, uint64_t size)
{
	struct occ_buffer head = inflow->head;
	struct occ_span rest = {head.data + OCC_FRAME_HEADER_SIZE,
				head.size - OCC_FRAME_HEADER_SIZE};
	bool good;

	if (size > OCC_ENTRY_SIZE_MAX)
		return fail(inflow, damaged);
	inflow->inflater = ZSTD_createDCtx();
	if (!inflow->inflater)
		return fail(inflow, no_memory);
	inflow->head = (struct occ_buffer)OCC_BUFFER_INIT;
	good = publish(inflow, occ_value_begin((size_t)size)) &&
	       add(inflow, occ_inflow_value(inflow), rest);
	occ_buffer_release(&head);
	return good;
}

static bool begin_plain(struct occ_inflow *inflow)
{
	struct occ_buffer head = inflow->head;
	bool good;

	if (inflow->size > OCC_ENTRY_SIZE_MAX)
		return fail(inflow, too_large);
	inflow->head = (struct occ_buffer)OCC_BUFFER_INIT;
	good = publish(inflow, occ_value_begin((size_t)inflow->size)) &&
	       add(inflow, occ_inflow_value(inflow), occ_buffer_span(&head));
	occ_buffer_release(&head);
	return good;
}

static bool take(void *context, struct occ_span bytes)
{
	struct occ_inflow *inflow = context;
	struct occ_value *value = occ_inflow_value(inflow);
	struct occ_span head;
	uint64_t size;

	inflow->received += bytes.size;
	if (value)
		return add(inflow, value, bytes);
	occ_buffer_append(&inflow->head, bytes.data, bytes.size);
	head = occ_buffer_span(&inflow->head);
	if (inflow->head.failed)
		return fail(inflow, no_memory);
	if (head.size < OCC_FRAME_HEADER_SIZE)
		return true;
	if (occ_frame_size(head, &size))
		return begin_frame(inflow, size);
	if (inflow->has_size)
		return begin_plain(inflow);
	return head.size <= OCC_ENTRY_SIZE_MAX || fail(inflow, too_large);
}

struct occ_value_sink occ_inflow_sink(struct occ_inflow *inflow)
{
	return (struct occ_value_sink){.size = take_size,
				       .take = take,
				       .context = inflow};
}

bool occ_inflow_end(struct occ_inflow *inflow)
{
	struct occ_value *value = occ_inflow_value(inflow);

	if (inflow->problem)
		return false;
	if (!value) {
		if (occ_frame_is_one(occ_buffer_span(&inflow->head)))
			return fail(inflow, damaged);
		return publish(inflow, occ_value_new(&inflow->head));
	}
	if (inflow->filled != value->size ||
	    (inflow->inflater && !inflow->is_inflated))
		return fail(inflow, damaged);
	atomic_store_explicit(&value->there, value->size, memory_order_release);
	return true;
}
