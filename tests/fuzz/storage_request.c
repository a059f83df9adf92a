/* SPDX-License-Identifier: MIT */
/*
 * storage/request.h: any bytes as what a client says, in one piece and in
 * pieces whose sizes follow from the bytes. Both are the same requests, of
 * sizes that came, and end at the same place.
 */
#include "tests/fuzz/fuzz.h"

#include "storage/request.h"

static void look_at(const struct occ_request *request)
{
	fuzz_expect(request->key_size <= OCC_REMOTE_TEXT_MAX, "a key");
	if (request->type == OCC_REMOTE_PUT)
		fuzz_expect(request->is_discarded
				    ? !request->value.size
				    : request->value.size == request->number,
			    "a value");
	else
		fuzz_expect(!request->value.size, "no value");
}

static void expect_same(const struct occ_request *one,
			const struct occ_request *other)
{
	fuzz_expect(one->type == other->type && one->flags == other->flags &&
			    one->number == other->number &&
			    fuzz_same(occ_request_key(one),
				      occ_request_key(other)) &&
			    fuzz_same(occ_buffer_span(&one->value),
				      occ_buffer_span(&other->value)),
		    "the same request");
}

/* As occ_request_parse(), in pieces. */
static enum occ_request_state parse_slowly(struct occ_request *request,
					   const uint8_t *data, size_t size,
					   size_t *ret_used)
{
	enum occ_request_state state = OCC_REQUEST_PARTIAL;
	size_t at = 0, used;

	while (state == OCC_REQUEST_PARTIAL && at < size) {
		size_t part = 1 + data[at] % 7;
		unsigned char *piece;

		part = part < size - at ? part : size - at;
		piece = fuzz_copy(data + at, part);
		state = occ_request_parse(request, piece, part, &used);
		free(piece);
		fuzz_expect(used == part || state != OCC_REQUEST_PARTIAL,
			    "all is taken");
		at += used;
	}
	*ret_used = at;
	return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct occ_request fast = {.part = 0}, slow = {.part = 0};
	enum occ_request_state state = OCC_REQUEST_READY;

	while (size && state == OCC_REQUEST_READY) {
		size_t used, used_slowly;

		occ_request_begin(&fast);
		occ_request_begin(&slow);
		state = occ_request_parse(&fast, data, size, &used);
		fuzz_expect(parse_slowly(&slow, data, size, &used_slowly) ==
					    state &&
				    used == used_slowly && used <= size,
			    "the same end");
		if (state == OCC_REQUEST_READY) {
			look_at(&fast);
			expect_same(&fast, &slow);
		}
		data += used;
		size -= used;
	}
	occ_request_release(&fast);
	occ_request_release(&slow);
	return 0;
}
