/* SPDX-License-Identifier: MIT */
#include "layer/live.h"

#include <stdlib.h>
#include <string.h>

#include "cache/lru.h"
#include "layer/context.h"
#include "layer/dispatch.h"
#include "layer/form.h"
#include "layer/hidden.h"
#include "layer/lock.h"
#include "layer/program.h"
#include "layer/remake.h"
#include "layer/storage.h"

/* What a loaded program costs besides its binary: a guess. */
#define OVERHEAD 4096

/* By what programs are found, before keys are compared in full. */
struct place {
	cl_context context;
	struct occ_digest hash; /* of the first device's key */
};

struct item {
	struct occ_lru_item lru; /* first: the table's are these */
	struct place place;
	struct occ_live *live;
};

static struct occ_lru table; /* by place */
static bool ended;	     /* the drivers may be gone */
static bool recorded;	     /* commands may be */

static struct occ_span form_of(const struct occ_kept *entry, bool code)
{
	return code ? occ_form_code(entry) : entry->entry.binary;
}

static cl_program create(const struct occ_recipe *recipe,
			 struct occ_kept *const *entries, bool code,
			 cl_int *ret_error)
{
	cl_uint count = recipe->device_count;
	const unsigned char **binaries = calloc(count, sizeof(*binaries));
	size_t *sizes = calloc(count, sizeof(*sizes));
	cl_program program = NULL;

	*ret_error = CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; binaries && sizes && i < count; i++) {
		binaries[i] = form_of(entries[i], code).data;
		sizes[i] = form_of(entries[i], code).size;
	}
	if (binaries && sizes)
		program = occ_remake_from_binaries(recipe->context, count,
						   recipe->devices, sizes,
						   binaries, ret_error);
	free(binaries);
	free(sizes);
	return program;
}

/* Return codes alone don't say (Intel's). */
static cl_int build(cl_program program, const struct occ_recipe *recipe)
{
	/* A binary's options are those of its making; a link's aren't a
	 * build's. */
	const char *options =
		recipe->operation == OCC_BUILD ? recipe->options : "";
	cl_int error =
		occ_target.clBuildProgram(program, recipe->device_count,
					  recipe->devices, options, NULL, NULL);

	if (!error && !occ_remake_succeeded(program, recipe))
		error = CL_BUILD_PROGRAM_FAILURE;
	return error;
}

/* What the program says that its kernels are, NUL included. To be freed. */
static char *ask_names(cl_program program, size_t *ret_size)
{
	char *names = NULL;

	if (!occ_target.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0,
					 NULL, ret_size))
		names = calloc(1, *ret_size + 1);
	if (names &&
	    occ_target.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES,
					*ret_size, names, NULL)) {
		free(names);
		names = NULL;
	}
	return names;
}

/* The same, in the same order? */
static bool has_names(cl_program program, struct occ_span expected)
{
	size_t size = 0;
	char *names = ask_names(program, &size);
	bool same = names && expected.data && size == expected.size &&
		    !memcmp(names, expected.data, size);

	free(names);
	return same;
}

/*
 * Some drivers load binaries that lack kernels (pocl issue 449); and device
 * code may have more of them, where it has functions that weren't inlined.
 */
static bool has_kernels(const struct occ_live *live)
{
	size_t count = 0;

	if (occ_target.clGetProgramInfo(live->program, CL_PROGRAM_NUM_KERNELS,
					sizeof(count), &count, NULL) ||
	    count != live->kernel_count)
		return false;
	return !live->is_code || !count ||
	       has_names(live->program, live->kernel_names);
}

static struct occ_span copy_span(unsigned char **at, struct occ_span from)
{
	struct occ_span copy = {NULL, from.size};

	if (!from.data)
		return copy;
	copy.data = memcpy(*at, from.data, from.size);
	*at += from.size;
	return copy;
}

/* What one entry has of its device. */
static void copy_answers(struct occ_answers *answers, unsigned char **at,
			 const struct occ_entry *entry)
{
	answers->log =
		copy_span(at, occ_entry_bytes(entry, OCC_META_BUILD_LOG));
	answers->options =
		copy_span(at, occ_entry_bytes(entry, OCC_META_BUILD_OPTIONS));
	answers->others =
		copy_span(at, occ_entry_bytes(entry, OCC_META_ANSWERS));
}

/* Copies the entries' answers, so that their memory need not stay. */
static bool keep_answers(struct occ_live *live, struct occ_kept *const *entries)
{
	const struct occ_entry *first = &entries[0]->entry;
	cl_uint count = live->recipe->device_count;
	size_t size = 0;
	unsigned char *at;

	for (cl_uint i = 0; i < count; i++)
		size += entries[i]->entry.metadata.size;
	live->answers = calloc(count + (size_t)1, sizeof(*live->answers));
	at = live->memory = malloc(size ? size : 1);
	if (!live->answers || !at)
		return false;
	for (cl_uint i = 0; i < count; i++)
		copy_answers(&live->answers[i], &at, &entries[i]->entry);
	live->kernel_names =
		copy_span(&at, occ_entry_bytes(first, OCC_META_KERNEL_NAMES));
	live->kernel_descriptions =
		copy_span(&at, occ_entry_bytes(first, OCC_META_KERNELS));
	live->kernel_count =
		occ_entry_number(first, OCC_META_KERNEL_COUNT, UINT64_MAX);
	live->type = (cl_program_binary_type)occ_entry_number(
		first, OCC_META_BINARY_TYPE, CL_PROGRAM_BINARY_TYPE_NONE);
	return true;
}

static struct occ_image *copy_image(const struct occ_recipe *recipe,
				    struct occ_kept *const *entries)
{
	cl_uint count = recipe->device_count;
	struct occ_span *binaries = calloc(count, sizeof(*binaries));
	struct occ_image *image;

	for (cl_uint i = 0; binaries && i < count; i++)
		binaries[i] = entries[i]->entry.binary;
	image = binaries ? occ_image_copy(count, recipe->devices, binaries)
			 : NULL;
	free(binaries);
	return image;
}

/* The program, made and built; or why not. */
static const char *load(struct occ_live *live, struct occ_kept *const *entries,
			bool *ret_is_refusal)
{
	struct occ_recipe *recipe = live->recipe;
	cl_int error;

	*ret_is_refusal = false;

	if (!keep_answers(live, entries))
		return "out of memory";
	live->program = create(recipe, entries, live->is_code, &error);
	*ret_is_refusal = error == CL_INVALID_BINARY;
	if (!live->program)
		return "driver refused the binary";
	occ_hidden_change(recipe->context, 1);
	/* Objects and libraries are for links, and not built. */
	if (live->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
		live->image = copy_image(recipe, entries);
		return live->image ? NULL : "out of memory";
	}
	error = build(live->program, recipe);
	*ret_is_refusal = !error || error == CL_BUILD_PROGRAM_FAILURE ||
			  error == CL_INVALID_BINARY;
	if (error)
		return "driver refused the binary";
	if (!has_kernels(live))
		return "binary has other kernels";
	return NULL;
}

static uint64_t size_of(const struct occ_recipe *recipe,
			struct occ_kept *const *entries, bool code)
{
	uint64_t size = OVERHEAD;

	for (cl_uint i = 0; i < recipe->device_count; i++)
		size += form_of(entries[i], code).size;
	return size;
}

/* Without its program. */
static void free_live(struct occ_live *live)
{
	occ_image_release(live->image);
	occ_image_release(live->binaries);
	free(live->answers);
	free(live->memory);
	occ_recipe_release(live->recipe);
	free(live);
}

/* Gives back a reference. */
static void drop(struct occ_live *live)
{
	if (__atomic_sub_fetch(&live->references, 1, __ATOMIC_ACQ_REL))
		return;
	if (!live->is_handle)
		occ_hidden_release(live->recipe->context, live->program);
	free_live(live);
}

struct occ_live *occ_live_load(struct occ_recipe *recipe,
			       struct occ_kept *const *entries, bool code,
			       struct occ_live_fault *ret_fault)
{
	struct occ_live *live = calloc(1, sizeof(*live));

	*ret_fault = (struct occ_live_fault){"out of memory", false};
	if (!live)
		return NULL;
	live->references = 1;
	live->used = true;
	live->recipe = occ_recipe_retain(recipe);
	live->is_code = code;
	live->size = size_of(recipe, entries, code);
	live->compile_time =
		occ_entry_number(&entries[0]->entry, OCC_META_COMPILE_TIME, 0);
	ret_fault->reason = load(live, entries, &ret_fault->is_refusal);
	if (ret_fault->reason) {
		drop(live);
		return NULL;
	}
	if (recipe->operation == OCC_LINK) {
		live->is_handle = true;
		occ_hidden_change(recipe->context, -1);
	}
	return live;
}

const struct occ_image *occ_live_binaries(struct occ_live *live)
{
	struct occ_image *expected = NULL;
	struct occ_image *image =
		__atomic_load_n(&live->binaries, __ATOMIC_ACQUIRE);

	if (image)
		return image;
	image = occ_form_image(live->recipe);
	if (!image ||
	    __atomic_compare_exchange_n(&live->binaries, &expected, image,
					false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return image;
	occ_image_release(image);
	return expected;
}

static void end_use(struct occ_live *live)
{
	occ_lock();
	live->used = false;
	occ_unlock();
}

void occ_live_release(struct occ_live *live)
{
	if (!live)
		return;
	end_use(live);
	drop(live);
}

/* (L2) */
static bool is_equal(const struct occ_recipe *a, const struct occ_recipe *b)
{
	if (a == b)
		return true;
	if (a->context != b->context || a->operation != b->operation ||
	    a->device_count != b->device_count)
		return false;
	for (cl_uint i = 0; i < a->device_count; i++) {
		const struct occ_buffer *left = &a->keys[i].stored;
		const struct occ_buffer *right = &b->keys[i].stored;

		if (a->devices[i] != b->devices[i] ||
		    memcmp(&a->keys[i].hash, &b->keys[i].hash,
			   sizeof(a->keys[i].hash)) != 0 ||
		    left->size != right->size ||
		    memcmp(left->data, right->data, left->size) != 0)
			return false;
	}
	return true;
}

static void place_of(const struct occ_recipe *recipe, struct place *ret_place)
{
	memset(ret_place, 0, sizeof(*ret_place));
	ret_place->context = recipe->context;
	ret_place->hash = recipe->keys[0].hash;
}

/* Lock held. */
static struct item *find(const struct occ_recipe *recipe)
{
	struct place place;
	struct item *item;

	place_of(recipe, &place);
	item = (struct item *)occ_lru_find(&table, &place, sizeof(place));
	return item && is_equal(item->live->recipe, recipe) ? item : NULL;
}

/* Without the lock: calls the driver. */
static void free_item(struct occ_lru_item *lru)
{
	struct item *item = (struct item *)lru;

	drop(item->live);
	free(item);
}

/* Commands that are under way may still have kernels of it. */
static bool has_kernels_left(const struct occ_live *live)
{
	cl_uint count = 0;

	return occ_recipe_driver(live->recipe)->counts_kernels &&
	       (occ_target.clGetProgramInfo(live->program,
					    CL_PROGRAM_REFERENCE_COUNT,
					    sizeof(count), &count, NULL) ||
		count != 1);
}

/* May its programs be used again, and again be told from others? Lock held. */
static bool is_reusable(const struct occ_recipe *recipe)
{
	const struct occ_driver *driver = occ_recipe_driver(recipe);

	return driver->live_again && (driver->counts_kernels || !recorded);
}

struct occ_live *occ_live_find(const struct occ_recipe *recipe)
{
	struct occ_live *live = NULL;
	struct item *item;

	occ_lock();
	item = is_reusable(recipe) ? find(recipe) : NULL;
	if (item && !item->live->used) {
		occ_lru_use(&table, &item->lru);
		live = item->live;
		live->used = true;
		__atomic_add_fetch(&live->references, 1, __ATOMIC_RELAXED);
	}
	occ_unlock();
	if (!live)
		return NULL;
	if (has_kernels_left(live)) {
		occ_live_release(live);
		return NULL;
	}
	occ_lock();
	live->used_before = true;
	occ_unlock();
	return live;
}

bool occ_live_may_be_asked(const struct occ_live *live)
{
	bool result;

	occ_lock();
	/* Queued ones don't count, as far as is known: recorded ones do. */
	result = !live || !live->used_before || recorded;
	occ_unlock();
	return result;
}

void occ_live_expect_records(void)
{
	occ_lock();
	recorded = true;
	occ_unlock();
}

/* (L4). Lock held. */
static bool is_over(void)
{
	return ended || occ_program_exiting();
}

/* False when it wasn't put into the table. Lock held. */
static bool put_in(struct item *item, uint64_t capacity,
		   struct occ_lru_item **gone)
{
	struct occ_lru_item *old =
		occ_lru_find(&table, &item->place, sizeof(item->place));

	/* (L4) */
	if (is_over())
		return false;
	if (old)
		occ_lru_remove(&table, old, gone);
	/* (L1) */
	if (!is_reusable(item->live->recipe) ||
	    !occ_context_is_known(item->place.context))
		return false;
	return occ_lru_put(&table, &item->lru, capacity, gone);
}

static bool may_be_kept(const struct occ_live *live)
{
	const struct occ_recipe *recipe = live->recipe;

	return recipe->operation == OCC_BUILD && !live->image &&
	       occ_storage_is_absent(recipe, live->answers);
}

void occ_live_put(struct occ_live *live)
{
	uint64_t capacity = occ_memory_capacity();
	struct occ_lru_item *gone = NULL;
	struct item *item;

	if (!may_be_kept(live) || live->size > capacity)
		return;
	item = calloc(1, sizeof(*item));
	if (!item)
		return;
	place_of(live->recipe, &item->place);
	item->live = live;
	item->lru.key = &item->place;
	item->lru.key_size = sizeof(item->place);
	item->lru.size = live->size;
	__atomic_add_fetch(&live->references, 1, __ATOMIC_RELAXED);
	occ_lock();
	if (!put_in(item, capacity, &gone))
		occ_lru_refuse(&item->lru, &gone);
	occ_unlock();
	occ_lru_free(gone, free_item);
}

void occ_live_forget(const struct occ_recipe *recipe)
{
	struct occ_lru_item *gone = NULL;
	struct item *item;

	occ_lock();
	item = is_over() ? NULL : find(recipe);
	if (item)
		occ_lru_remove(&table, &item->lru, &gone);
	occ_unlock();
	occ_lru_free(gone, free_item);
}

void occ_live_drop_context(cl_context context)
{
	struct occ_lru_item *lru, *next, *gone = NULL;

	occ_lock();
	for (lru = table.by_use; lru; lru = next) {
		next = lru->next;
		if (((struct item *)lru)->place.context == context)
			occ_lru_remove(&table, lru, &gone);
	}
	occ_unlock();
	occ_lru_free(gone, free_item);
}

void occ_live_fit(void)
{
	uint64_t capacity = occ_memory_capacity();
	struct occ_lru_item *gone = NULL;

	occ_lock();
	if (!is_over())
		occ_lru_make_room(&table, 0, capacity, &gone);
	occ_unlock();
	occ_lru_free(gone, free_item);
}

void occ_live_clear(void)
{
	struct occ_lru_item *gone = NULL;

	occ_lock();
	if (!is_over())
		occ_lru_clear(&table, &gone);
	occ_unlock();
	occ_lru_free(gone, free_item);
}

void occ_live_end(void)
{
	occ_lock();
	ended = true;
	occ_unlock();
}

/* The program is the driver's, who is gone. */
static void forget_item(struct occ_lru_item *lru)
{
	struct item *item = (struct item *)lru;

	if (!__atomic_sub_fetch(&item->live->references, 1, __ATOMIC_ACQ_REL))
		free_live(item->live);
	free(item);
}

void occ_live_forget_all(void)
{
	struct occ_lru_item *gone = NULL;

	occ_lru_clear(&table, &gone);
	ended = false;
	recorded = false;
	occ_lru_free(gone, forget_item);
}
