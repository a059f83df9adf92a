/* SPDX-License-Identifier: MIT */
#include "cache/nearest.h"

#include <stdlib.h>
#include <string.h>

#include "cache/directory.h"
#include "cache/entry_file.h"
#include "cache/file.h"
#include "cache/listing.h"

/* Longer ones than any key that this version makes are passed over. */
#define KEY_SIZE_MAX (UINT64_C(1) << 22)

/* One that may be compared. */
struct candidate {
	struct timespec used;
	char name[OCC_NAME_SIZE];
};

struct search {
	const struct occ_span *key;
	const struct occ_nearest_limits *limits;
	int directory;
	uint64_t begin;
	size_t files; /* that were found, of any kind */
	int error;    /* of finding them */
	/* Those last used; a heap, the one of the longest ago at its top. */
	struct candidate *candidates;
	size_t count;
	struct occ_entry_file file; /* the one that is compared */
	struct occ_nearest nearest;
};

/* So many are done; half of the time is for each of two parts. */
static bool must_stop(const struct search *search, size_t done, unsigned part)
{
	const struct occ_nearest_limits *limits = search->limits;
	uint64_t time = limits->nanoseconds / 2 * part;

	if (done < OCC_NEAREST_LEAST)
		return false;
	return (time && occ_file_clock() - search->begin > time) ||
	       (limits->stop && limits->stop());
}

/* Takes the place of the nearest so far if it is nearer. */
static void look(const char *name, struct search *search)
{
	const struct occ_nearest_limits *limits = search->limits;
	struct occ_nearest *nearest = &search->nearest;
	struct occ_span key;
	struct occ_buffer copy = OCC_BUFFER_INIT, former = nearest->key;
	uint64_t distance;

	if (occ_entry_file_read(search->directory, name, false,
				OCC_ENTRY_FILE_SUMMARY, &search->file))
		return;
	key = search->file.entry.key;
	if (key.size > KEY_SIZE_MAX)
		return;
	distance = occ_difference_distance(search->key, &key);
	if (!distance || distance >= nearest->distance)
		return;
	occ_buffer_append(&copy, key.data, key.size);
	if (!copy.failed &&
	    (!limits->is_good || limits->is_good(name, limits->data))) {
		memcpy(nearest->name, name, strlen(name) + 1);
		nearest->hash = search->file.entry.hash;
		nearest->distance = distance;
		nearest->key = copy;
		copy = former;
	}
	occ_buffer_release(&copy);
}

/* Was that one used before the other? */
static bool is_older(const struct candidate *one, const struct candidate *other)
{
	if (one->used.tv_sec != other->used.tv_sec)
		return one->used.tv_sec < other->used.tv_sec;
	if (one->used.tv_nsec != other->used.tv_nsec)
		return one->used.tv_nsec < other->used.tv_nsec;
	return strcmp(one->name, other->name) < 0;
}

/* What is at its top goes to where it belongs. */
static void sink(struct candidate *heap, size_t count)
{
	struct candidate top = heap[0];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count &&
		    is_older(&heap[child + 1], &heap[child]))
			child++;
		if (is_older(&top, &heap[child]))
			break;
		heap[at] = heap[child];
	}
	heap[at] = top;
}

static void rise(struct candidate *heap, size_t at)
{
	struct candidate last = heap[at];

	for (; at && is_older(&last, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = last;
}

static void add(struct search *search, const struct candidate *candidate)
{
	if (search->count < OCC_NEAREST_LOOKS) {
		search->candidates[search->count] = *candidate;
		rise(search->candidates, search->count++);
	} else if (is_older(&search->candidates[0], candidate)) {
		search->candidates[0] = *candidate;
		sink(search->candidates, search->count);
	}
}

static bool visit(const char *name, void *data)
{
	struct search *search = data;
	size_t most = search->limits->files;
	struct occ_listing_file file;
	struct candidate candidate;
	int error;

	if ((most && search->files >= most) ||
	    must_stop(search, search->files, 1)) {
		search->nearest.partial = true;
		return false;
	}
	search->files++;
	if (occ_name_kind(name) != OCC_NAME_ENTRY ||
	    strlen(name) >= OCC_NAME_SIZE)
		return true;
	error = occ_listing_look(search->directory, name, &file);
	if (!error) {
		candidate.used = file.used;
		memcpy(candidate.name, name, strlen(name) + 1);
		add(search, &candidate);
	} else if (error != OCC_E_NOT_FOUND) {
		search->error = error;
	}
	return !search->error;
}

/* The last used come first: of equally near ones the first stays. */
static int compare(const void *one, const void *other)
{
	return is_older(one, other) ? 1 : -1;
}

static int compare_all(struct search *search)
{
	if (occ_file_list(search->directory, visit, search) < 0)
		return OCC_E_IO;
	if (search->error)
		return search->error;
	qsort(search->candidates, search->count, sizeof(*search->candidates),
	      compare);
	for (size_t i = 0; i < search->count; i++) {
		if (must_stop(search, i, 2)) {
			search->nearest.partial = true;
			break;
		}
		look(search->candidates[i].name, search);
		search->nearest.looks++;
	}
	return search->nearest.distance == UINT64_MAX ? OCC_E_NOT_FOUND
						      : OCC_OK;
}

int occ_nearest_find(struct occ_store *store, const struct occ_span *key,
		     const struct occ_nearest_limits *limits,
		     struct occ_nearest *ret_nearest)
{
	struct search search = {.key = key,
				.limits = limits,
				.nearest = {.distance = UINT64_MAX}};
	int error =
		occ_directory_open(occ_store_directory(store),
				   OCC_DIRECTORY_MUST_EXIST, &search.directory);

	*ret_nearest = search.nearest;
	if (error)
		return error == OCC_E_NO_DIRECTORY ? OCC_E_NOT_FOUND : error;
	search.begin = occ_file_clock();
	search.candidates =
		malloc(OCC_NEAREST_LOOKS * sizeof(*search.candidates));
	error = search.candidates ? compare_all(&search) : OCC_E_MEMORY;
	free(search.candidates);
	occ_entry_file_release(&search.file);
	occ_file_close(search.directory);
	*ret_nearest = search.nearest;
	return error;
}

void occ_nearest_release(struct occ_nearest *nearest)
{
	occ_buffer_release(&nearest->key);
}
