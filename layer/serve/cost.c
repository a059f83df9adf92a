/* SPDX-License-Identifier: MIT */
#include "layer/serve/cost.h"

#include <stdlib.h>

#include "cache/cost.h"
#include "cache/entry.h"
#include "hash/digest.h"
#include "layer/base/stores.h"
#include "layer/base/writer.h"

/* The text that a program was made from, without what it includes. */
/* NOLINTNEXTLINE(misc-no-recursion): OCC_BUILD_KEY_DEPTH_MAX bounds it */
static uint64_t source_size(const struct occ_build_key *build_key)
{
	uint64_t size = build_key->input ? build_key->input->size : 0;

	for (cl_uint i = 0; i < build_key->link_input_count; i++)
		if (build_key->link_inputs[i].build_key)
			size += source_size(
				build_key->link_inputs[i].build_key);
	return size;
}

/* The driver is the one of the first device: contexts have one. */
static void describe_program(const struct occ_build_key *build_key,
			     struct occ_span metadata,
			     struct occ_fetched *ret_program)
{
	struct occ_entry entry = {.metadata = metadata};
	struct occ_span names = occ_entry_bytes(&entry, OCC_META_KERNEL_NAMES);

	ret_program->driver = build_key->identities[0]->digest;
	occ_digest(names.data, names.size, OCC_SEED_CONTENT,
		   &ret_program->kernels);
	ret_program->size = source_size(build_key);
	ret_program->count = occ_entry_number(&entry, OCC_META_KERNEL_COUNT, 1);
}

uint64_t occ_cost_expect(const struct occ_build_key *build_key,
			 struct occ_span metadata, bool *ret_measured)
{
	struct occ_fetched program;
	uint64_t ns = UINT64_MAX;

	*ret_measured = false;
	if (!occ_stores())
		return ns;
	describe_program(build_key, metadata, &program);
	*ret_measured = occ_cost_expect_fetch(occ_stores(), &program, &ns);
	return ns;
}

/* Something to be remembered, on its way to the store. */
struct note {
	struct occ_task task; /* first: tasks are these */
	struct occ_fetched program;
	uint64_t ns;
};

static void write_fetch(struct occ_task *task)
{
	struct note *note = (struct note *)task;

	occ_cost_note_fetch(occ_stores(), &note->program, note->ns);
	free(note);
}

void occ_cost_note(const struct occ_build_key *build_key,
		   struct occ_span metadata, uint64_t ns)
{
	struct note note = {.task.run = write_fetch, .ns = ns};

	if (!occ_stores_is_written())
		return;
	describe_program(build_key, metadata, &note.program);
	occ_writer_add_copy(&note.task, sizeof(note));
}

bool occ_cost_seen(const struct occ_build_key *build_key, uint64_t *ret_ns)
{
	return occ_stores() &&
	       occ_seen_keys_find(occ_stores(), &build_key->keys[0].hash,
				  ret_ns);
}

static void write_sighting(struct occ_task *task)
{
	struct note *note = (struct note *)task;

	occ_seen_keys_add(occ_stores(), &task->hash, note->ns);
	free(note);
}

void occ_cost_note_seen(const struct occ_build_key *build_key, uint64_t ns)
{
	struct note note = {
		.task = {.run = write_sighting,
			 .hash = build_key->keys[0].hash},
		.ns = ns,
	};

	if (occ_stores_is_written())
		occ_writer_add_copy(&note.task, sizeof(note));
}
