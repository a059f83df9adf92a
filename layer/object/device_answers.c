/* SPDX-License-Identifier: MIT */
#include "layer/object/device_answers.h"

#include <stdbool.h>
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "cache/database_record.h"
#include "layer/base/lock.h"

struct answers {
	UT_hash_handle hh;
	cl_device_id device;
	unsigned count;
	cl_device_info parameters[OCC_ANSWERS_MAX];
	struct occ_buffer fields; /* only ever appended to */
};

static struct answers *table;

static struct answers *find_locked(cl_device_id device)
{
	struct answers *answers;

	HASH_FIND_PTR(table, &device, answers);
	return answers;
}

/* Adds it if need be; NULL when out of memory. */
static struct answers *enter_locked(cl_device_id device)
{
	struct answers *answers = find_locked(device);

	if (answers)
		return answers;
	answers = calloc(1, sizeof(*answers));
	if (!answers)
		return NULL;
	answers->device = device;
	HASH_ADD_PTR(table, device, answers);
	if (find_locked(device) == answers)
		return answers;
	free(answers);
	return NULL;
}

static bool is_known(const struct answers *answers, cl_device_info parameter)
{
	for (unsigned i = 0; i < answers->count; i++)
		if (answers->parameters[i] == parameter)
			return true;
	return false;
}

static bool is_lasting(cl_device_info parameter)
{
	return parameter != CL_DEVICE_PLATFORM &&
	       parameter != CL_DEVICE_PARENT_DEVICE &&
	       parameter != CL_DEVICE_REFERENCE_COUNT;
}

static void add_locked(struct answers *answers, cl_device_info parameter,
		       const void *answer, size_t size)
{
	unsigned char payload[4 + OCC_ANSWER_SIZE];

	occ_put_u32(payload, parameter);
	memcpy(payload + 4, answer, size);
	occ_field_append(&answers->fields, OCC_DEVICE_ASKED, payload, 4 + size);
	answers->parameters[answers->count++] = parameter;
}

void occ_device_answers_note(cl_device_id device, cl_device_info parameter,
			     const void *answer, size_t size)
{
	struct answers *answers;

	if (size > OCC_ANSWER_SIZE || !is_lasting(parameter))
		return;
	occ_lock();
	answers = enter_locked(device);
	if (answers && answers->count < OCC_ANSWERS_MAX &&
	    !is_known(answers, parameter))
		add_locked(answers, parameter, answer, size);
	occ_unlock();
}

size_t occ_device_answers_size_locked(cl_device_id device)
{
	const struct answers *answers;

	occ_assert_locked();
	answers = find_locked(device);
	return answers ? answers->fields.size : 0;
}

void occ_device_answers_append(cl_device_id device, size_t size,
			       struct occ_buffer *record)
{
	const struct answers *answers;

	if (!size)
		return;
	occ_lock();
	answers = find_locked(device);
	if (answers && !answers->fields.failed && answers->fields.size >= size)
		occ_buffer_append(record, answers->fields.data, size);
	else
		record->failed = true;
	occ_unlock();
}

void occ_device_answers_forget_all(void)
{
	struct answers *answers, *next;

	HASH_ITER(hh, table, answers, next)
	{
		HASH_DEL(table, answers);
		occ_buffer_release(&answers->fields);
		free(answers);
	}
}
