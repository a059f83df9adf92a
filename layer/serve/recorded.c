/* SPDX-License-Identifier: MIT */
#include "layer/serve/recorded.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "layer/base/lock.h"

struct recorded {
	UT_hash_handle hh;
	struct occ_digest id;
	bool done;
	struct occ_digest name; /* of its frame; zeros: there is none */
	cl_uint device_count;
	struct occ_digest *devices;
	struct occ_buffer kernels; /* names, each with its NUL */
	size_t kernels_written;	   /* bytes of them */
	bool due;		   /* the rest is */
};

static struct recorded *table;
static size_t count, due_count;

void occ_recorded_id(const struct occ_build_key *build_key,
		     struct occ_digest *ret_id)
{
	struct occ_digest both[2];

	memset(both, 0, sizeof(both));
	both[0].bytes[0] = build_key->none_given;
	for (cl_uint i = 0; i < build_key->device_count; i++) {
		both[1] = build_key->keys[i].hash;
		occ_digest(both, sizeof(both), OCC_SEED_CONTENT, &both[0]);
	}
	*ret_id = both[0];
}

static struct recorded *find_locked(const struct occ_digest *id)
{
	struct recorded *recorded;

	HASH_FIND(hh, table, id, sizeof(*id), recorded);
	return recorded;
}

static void remove_locked(struct recorded *recorded)
{
	HASH_DEL(table, recorded);
	count--;
	due_count -= recorded->due;
	occ_buffer_release(&recorded->kernels);
	free(recorded->devices);
	free(recorded);
}

bool occ_recorded_has(const struct occ_digest *id)
{
	bool has;

	occ_lock();
	has = find_locked(id);
	occ_unlock();
	return has;
}

bool occ_recorded_enter_locked(const struct occ_digest *id)
{
	struct recorded *recorded;

	occ_assert_locked();
	if (count == OCC_RECORDED_MAX || find_locked(id))
		return false;
	recorded = calloc(1, sizeof(*recorded));
	if (!recorded)
		return false;
	recorded->id = *id;
	HASH_ADD(hh, table, id, sizeof(recorded->id), recorded);
	if (find_locked(id) != recorded) {
		free(recorded);
		return false;
	}
	count++;
	return true;
}

void occ_recorded_leave_locked(const struct occ_digest *id)
{
	struct recorded *recorded;

	occ_assert_locked();
	recorded = find_locked(id);
	if (recorded && !recorded->done)
		remove_locked(recorded);
}

static void *copy(const void *bytes, size_t size)
{
	void *result = malloc(size);

	return result ? memcpy(result, bytes, size) : NULL;
}

void occ_recorded_done(const struct occ_digest *id,
		       const struct occ_digest *name,
		       const struct occ_digest *devices, cl_uint device_count)
{
	struct recorded *recorded;

	occ_lock();
	recorded = find_locked(id);
	if (recorded && !recorded->done) {
		recorded->done = true;
		recorded->name = *name;
		recorded->devices =
			copy(devices, device_count * sizeof(*devices));
		if (recorded->devices)
			recorded->device_count = device_count;
	}
	occ_unlock();
}

bool occ_recorded_find(const struct occ_digest *id, struct occ_digest *ret_name)
{
	const struct recorded *recorded;
	bool found;

	occ_lock();
	recorded = find_locked(id);
	found = recorded && recorded->device_count;
	if (found)
		*ret_name = recorded->name;
	occ_unlock();
	return found;
}

void occ_recorded_kernel(const struct occ_digest *id, const char *name)
{
	struct recorded *recorded;
	size_t size = strlen(name) + 1;

	occ_lock();
	recorded = find_locked(id);
	if (recorded && !recorded->kernels.failed &&
	    recorded->kernels.size + size <= OCC_RECORDED_NAMES &&
	    !occ_buffer_has_string(&recorded->kernels, name))
		occ_buffer_append(&recorded->kernels, name, size);
	occ_unlock();
}

static bool make_due_locked(struct recorded *recorded)
{
	bool before = recorded->due;

	recorded->due |= !recorded->kernels.failed &&
			 recorded->kernels.size > recorded->kernels_written;
	due_count += recorded->due && !before;
	return recorded->due;
}

bool occ_recorded_release(const struct occ_digest *id)
{
	struct recorded *recorded;
	bool due;

	occ_lock();
	recorded = find_locked(id);
	due = recorded && make_due_locked(recorded);
	occ_unlock();
	return due;
}

bool occ_recorded_release_all(void)
{
	bool due = false;

	occ_lock();
	for (struct recorded *recorded = table; recorded;
	     recorded = recorded->hh.next)
		due |= make_due_locked(recorded);
	occ_unlock();
	return due;
}

/* NULL: out of memory. */
static struct occ_recorded_kernels *copy_kernels(
	const struct recorded *recorded)
{
	struct occ_recorded_kernels *kernels = calloc(1, sizeof(*kernels));

	if (!kernels)
		return NULL;
	kernels->id = recorded->id;
	kernels->name = recorded->name;
	kernels->devices =
		copy(recorded->devices,
		     recorded->device_count * sizeof(*recorded->devices));
	kernels->device_count = recorded->device_count;
	occ_buffer_append(&kernels->names, recorded->kernels.data,
			  recorded->kernels.size);
	if (kernels->devices && !kernels->names.failed)
		return kernels;
	occ_recorded_release_due(kernels);
	return NULL;
}

struct occ_recorded_kernels *occ_recorded_take_due(void)
{
	struct occ_recorded_kernels *due = NULL, *kernels;

	occ_lock();
	for (struct recorded *recorded = table; recorded && due_count;
	     recorded = recorded->hh.next) {
		if (!recorded->due || !recorded->device_count)
			continue;
		kernels = copy_kernels(recorded);
		if (!kernels)
			break;
		recorded->due = false;
		due_count--;
		recorded->kernels_written = recorded->kernels.size;
		kernels->next = due;
		due = kernels;
	}
	occ_unlock();
	return due;
}

void occ_recorded_release_due(struct occ_recorded_kernels *due)
{
	while (due) {
		struct occ_recorded_kernels *next = due->next;

		occ_buffer_release(&due->names);
		free(due->devices);
		free(due);
		due = next;
	}
}

void occ_recorded_forked(void)
{
	struct recorded *recorded, *next;

	HASH_ITER(hh, table, recorded, next)
	{
		if (!recorded->done)
			remove_locked(recorded);
	}
}

void occ_recorded_forget_all(void)
{
	struct recorded *recorded, *next;

	HASH_ITER(hh, table, recorded, next)
	{
		remove_locked(recorded);
	}
}
