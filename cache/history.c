/* SPDX-License-Identifier: MIT */
#include "cache/history.h"

#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cache/name.h"

/* A row. doc/format.md explains it. */
#define AT_DIGEST	 0
#define AT_VERSION	 16
#define AT_DAY		 20
#define AT_NUMBERS	 24
#define AT_NAME		 152
#define NUMBER_SIZE	 8
#define VERSION		 1

#define SIZE_MAX_OF_FILE ((uint64_t)OCC_HISTORY_ROWS * OCC_HISTORY_ROW_SIZE)

/* The file begins with so many rows, and is doubled. */
#define FIRST_ROWS	 4

/* That are looked at in one read. */
#define CHUNK		 32

#define NOWHERE		 UINT32_MAX

/* Writing takes some microseconds. */
#define READS_MAX	 3
#define PAUSE_NS	 UINT64_C(200000)

static bool is_empty(const unsigned char *row)
{
	static const unsigned char zeros[OCC_HISTORY_ROW_SIZE];

	return !memcmp(row, zeros, sizeof(zeros));
}

static void digest_of(const unsigned char *row, struct occ_digest *ret_digest)
{
	occ_digest(row + AT_VERSION, OCC_HISTORY_ROW_SIZE - AT_VERSION,
		   OCC_SEED_CHECKSUM, ret_digest);
}

static bool is_good(const unsigned char *row)
{
	struct occ_digest digest;

	if (occ_get_u32(row + AT_VERSION) != VERSION || !row[AT_NAME] ||
	    row[OCC_HISTORY_ROW_SIZE - 1])
		return false;
	digest_of(row, &digest);
	return !memcmp(row + AT_DIGEST, digest.bytes, sizeof(digest.bytes));
}

static void encode(const struct occ_history_row *from, unsigned char *row)
{
	struct occ_digest digest;

	memset(row, 0, OCC_HISTORY_ROW_SIZE);
	occ_put_u32(row + AT_VERSION, VERSION);
	occ_put_u32(row + AT_DAY, (uint32_t)from->day);
	for (size_t i = 0; i < OCC_HISTORY_NUMBERS; i++)
		occ_put_u64(row + AT_NUMBERS + i * NUMBER_SIZE,
			    from->numbers[i]);
	memcpy(row + AT_NAME, from->name,
	       strnlen(from->name, OCC_HISTORY_NAME - 1));
	digest_of(row, &digest);
	memcpy(row + AT_DIGEST, digest.bytes, sizeof(digest.bytes));
}

/* Of a good row. */
static void decode(const unsigned char *row, struct occ_history_row *ret_row)
{
	ret_row->day = occ_get_u32(row + AT_DAY);
	memcpy(ret_row->name, row + AT_NAME, OCC_HISTORY_NAME);
	for (size_t i = 0; i < OCC_HISTORY_NUMBERS; i++)
		ret_row->numbers[i] =
			occ_get_u64(row + AT_NUMBERS + i * NUMBER_SIZE);
}

uint64_t occ_history_hits(const uint64_t numbers[OCC_HISTORY_NUMBERS])
{
	return occ_counters_plus(numbers[OCC_HISTORY_LOCAL],
				 numbers[OCC_HISTORY_REMOTE]);
}

uint64_t occ_history_builds(const uint64_t numbers[OCC_HISTORY_NUMBERS])
{
	return occ_counters_plus(
		occ_history_hits(numbers),
		occ_counters_plus(numbers[OCC_HISTORY_MISSES],
				  numbers[OCC_HISTORY_UNCACHEABLE]));
}

void occ_history_sum(uint64_t numbers[OCC_HISTORY_NUMBERS],
		     const uint64_t more[OCC_HISTORY_NUMBERS])
{
	for (size_t i = 0; i < OCC_HISTORY_NUMBERS; i++)
		numbers[i] = occ_counters_plus(numbers[i], more[i]);
}

static int compare(const void *left, const void *right)
{
	const struct occ_history_row *one = left, *other = right;

	if (one->day != other->day)
		return one->day < other->day ? -1 : 1;
	return strcmp(one->name, other->name);
}

/* (S12) What is behind the last row isn't ours. */
static size_t rows_in(uint64_t size)
{
	return (size_t)((size < SIZE_MAX_OF_FILE ? size : SIZE_MAX_OF_FILE) /
			OCC_HISTORY_ROW_SIZE);
}

bool occ_history_decode(struct occ_span file, struct occ_history *ret_history)
{
	size_t count = rows_in(file.size);

	memset(ret_history, 0, sizeof(*ret_history));
	ret_history->rows = calloc(count + 1, sizeof(*ret_history->rows));
	if (!ret_history->rows)
		return false;
	for (size_t i = 0; i < count; i++) {
		const unsigned char *row = file.data + i * OCC_HISTORY_ROW_SIZE;

		if (is_good(row))
			decode(row, &ret_history->rows[ret_history->count++]);
		else
			ret_history->damaged += !is_empty(row);
	}
	qsort(ret_history->rows, ret_history->count, sizeof(*ret_history->rows),
	      compare);
	return true;
}

bool occ_history_is_good(struct occ_span file)
{
	if (file.size > SIZE_MAX_OF_FILE || file.size % OCC_HISTORY_ROW_SIZE)
		return false;
	for (size_t at = 0; at < file.size; at += OCC_HISTORY_ROW_SIZE)
		if (!is_good(file.data + at) && !is_empty(file.data + at))
			return false;
	return true;
}

void occ_history_release(struct occ_history *history)
{
	free(history->rows);
	memset(history, 0, sizeof(*history));
}

int occ_history_read(struct occ_store *store, struct occ_history *ret_history)
{
	struct occ_buffer file = OCC_BUFFER_INIT;

	memset(ret_history, 0, sizeof(*ret_history));
	/* Without the lock: somebody may be writing a row just then. */
	for (int i = 0; i <= READS_MAX; i++) {
		int error = occ_store_read(store, OCC_NAME_HISTORY, &file);
		bool decoded =
			!error &&
			occ_history_decode(occ_buffer_span(&file), ret_history);

		occ_buffer_release(&file);
		if (error || !decoded)
			return error ? error : OCC_E_MEMORY;
		if (!ret_history->damaged || i == READS_MAX)
			break;
		occ_history_release(ret_history);
		occ_file_pause(PAUSE_NS);
	}
	return OCC_OK;
}

/* What is looked for, and what was found; places are NOWHERE at first. */
struct search {
	uint32_t today;
	const char *name;
	uint32_t own;	 /* the program's row of today */
	uint32_t others; /* the row of those that have none */
	uint32_t free;
	uint32_t oldest; /* but of today */
	uint32_t oldest_day;
	uint32_t programs; /* of today */
};

/* Of a day to come: by a clock that was wrong. */
static uint32_t age_rank(const struct search *search, uint32_t day)
{
	return day > search->today ? 0 : day;
}

static void look(struct search *search, const unsigned char *row,
		 uint32_t place)
{
	uint32_t day = occ_get_u32(row + AT_DAY);
	const char *name = (const char *)row + AT_NAME;
	bool is_todays = day == search->today;

	if (occ_get_u32(row + AT_VERSION) != VERSION ||
	    (is_todays && !is_good(row))) {
		if (search->free == NOWHERE)
			search->free = place;
	} else if (!is_todays) {
		uint32_t rank = age_rank(search, day);

		if (search->oldest == NOWHERE || rank < search->oldest_day) {
			search->oldest = place;
			search->oldest_day = rank;
		}
	} else if (!strcmp(name, search->name)) {
		search->own = place;
	} else if (!strcmp(name, OCC_HISTORY_OTHERS)) {
		search->others = place;
	} else {
		search->programs++;
	}
}

/* False: it can't be read. */
static bool find(const struct occ_store_history *history, struct search *search)
{
	unsigned char rows[CHUNK * OCC_HISTORY_ROW_SIZE];
	uint32_t count = (uint32_t)rows_in(history->size);

	for (uint32_t i = 0; i < count && search->own == NOWHERE; i += CHUNK) {
		uint32_t some = count - i < CHUNK ? count - i : CHUNK;
		size_t size = (size_t)some * OCC_HISTORY_ROW_SIZE;

		if (occ_file_read(history->file,
				  (uint64_t)i * OCC_HISTORY_ROW_SIZE, rows,
				  size) != (ssize_t)size)
			return false;
		for (uint32_t j = 0; j < some && search->own == NOWHERE; j++)
			look(search, rows + (size_t)j * OCC_HISTORY_ROW_SIZE,
			     i + j);
	}
	return true;
}

/* Its place; NOWHERE: there is no room. */
static uint32_t add_row(struct occ_store_history *history)
{
	uint32_t place = (uint32_t)rows_in(history->size);
	uint64_t size = (uint64_t)place * OCC_HISTORY_ROW_SIZE * 2;

	if (place >= OCC_HISTORY_ROWS)
		return NOWHERE;
	if (!place)
		size = (uint64_t)FIRST_ROWS * OCC_HISTORY_ROW_SIZE;
	if (size > SIZE_MAX_OF_FILE)
		size = SIZE_MAX_OF_FILE;
	return occ_store_history_grow(history, size) ? place : NOWHERE;
}

/* Where the program's numbers go, and the name that they get there. */
static uint32_t choose(struct occ_store_history *history, struct search *search)
{
	uint32_t place;

	if (search->own != NOWHERE)
		return search->own;
	if (search->programs >= OCC_HISTORY_PROGRAMS) {
		search->name = OCC_HISTORY_OTHERS;
		if (search->others != NOWHERE)
			return search->others;
	}
	if (search->free != NOWHERE)
		return search->free;
	place = add_row(history);
	if (place == NOWHERE)
		place = search->oldest;
	if (place == NOWHERE) {
		search->name = OCC_HISTORY_OTHERS;
		place = search->others;
	}
	return place;
}

struct addition {
	struct occ_history_program *program;
	struct occ_history_row row; /* what is to be added */
};

/* Is it the row of that day, of the program or of the others? */
static bool is_meant(const unsigned char *row, const struct occ_history_row *to,
		     const char *name)
{
	return is_good(row) && occ_get_u32(row + AT_DAY) == to->day &&
	       !strcmp((const char *)row + AT_NAME, name);
}

static bool read_row(const struct occ_store_history *history, uint32_t place,
		     unsigned char *ret_row)
{
	return place < rows_in(history->size) &&
	       occ_file_read(history->file,
			     (uint64_t)place * OCC_HISTORY_ROW_SIZE, ret_row,
			     OCC_HISTORY_ROW_SIZE) == OCC_HISTORY_ROW_SIZE;
}

/* Most often it is where it was the last time. */
static uint32_t find_again(const struct occ_store_history *history,
			   const struct addition *addition,
			   const char **ret_name)
{
	const char *const names[] = {addition->row.name, OCC_HISTORY_OTHERS};
	unsigned char row[OCC_HISTORY_ROW_SIZE];
	uint32_t place = addition->program->place;

	if (addition->program->day != addition->row.day ||
	    !read_row(history, place, row))
		return NOWHERE;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		*ret_name = names[i];
		if (is_meant(row, &addition->row, names[i]))
			return place;
	}
	return NOWHERE;
}

static uint32_t find_place(struct occ_store_history *history,
			   const struct addition *addition,
			   const char **ret_name)
{
	struct search search = {
		.today = (uint32_t)addition->row.day,
		.name = addition->row.name,
		.own = NOWHERE,
		.others = NOWHERE,
		.free = NOWHERE,
		.oldest = NOWHERE,
	};
	uint32_t place = find_again(history, addition, ret_name);

	if (place != NOWHERE)
		return place;
	if (find(history, &search))
		place = choose(history, &search);
	*ret_name = search.name;
	return place;
}

/* The store's callback. */
static void note(struct occ_store_history *history, void *data)
{
	struct addition *addition = data;
	struct occ_history_row row = addition->row, old;
	unsigned char bytes[OCC_HISTORY_ROW_SIZE];
	const char *name;
	uint32_t place = find_place(history, addition, &name);

	if (place == NOWHERE)
		return;
	if (name != addition->row.name) {
		memset(row.name, 0, sizeof(row.name));
		memcpy(row.name, name, strlen(name));
	}
	if (read_row(history, place, bytes) &&
	    is_meant(bytes, &row, row.name)) {
		decode(bytes, &old);
		occ_history_sum(row.numbers, old.numbers);
	}
	encode(&row, bytes);
	if (occ_file_write(history->file,
			   (uint64_t)place * OCC_HISTORY_ROW_SIZE, bytes,
			   sizeof(bytes)))
		return;
	addition->program->day = (uint32_t)row.day;
	addition->program->place = place;
}

/* False: none of them is about builds. */
static bool take_numbers(const struct occ_counters *counters,
			 uint64_t numbers[OCC_HISTORY_NUMBERS])
{
	static const enum occ_counter taken[] = {
		[OCC_HISTORY_PROCESSES] = OCC_COUNT_PROCESSES,
		[OCC_HISTORY_REMOTE] = OCC_COUNT_REMOTE,
		[OCC_HISTORY_MISSES] = OCC_COUNT_MISSES,
		[OCC_HISTORY_UNCACHEABLE] = OCC_COUNT_UNCACHEABLE,
		[OCC_HISTORY_FAILED] = OCC_COUNT_FAILED,
		[OCC_HISTORY_SAVED_NS] = OCC_COUNT_SAVED_NS,
		[OCC_HISTORY_COMPILED_NS] = OCC_COUNT_COMPILED_NS,
		[OCC_HISTORY_LOADED_NS] = OCC_COUNT_LOADED_NS,
		[OCC_HISTORY_STORED] = OCC_COUNT_STORED,
		[OCC_HISTORY_STORED_BYTES] = OCC_COUNT_STORED_BYTES,
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		numbers[i] = counters->numbers[taken[i]];
	numbers[OCC_HISTORY_LOCAL] = occ_counters_hits(counters) -
				     counters->numbers[OCC_COUNT_REMOTE];
	for (size_t i = 0; i < OCC_HISTORY_NUMBERS; i++)
		any |= numbers[i] != 0;
	return any;
}

int occ_history_merge(struct occ_store *store, const struct occ_counters *more,
		      struct occ_history_program *program,
		      unsigned milliseconds)
{
	struct addition addition = {
		.program = program,
		.row = {.day = occ_file_now() / OCC_HISTORY_DAY_S},
	};
	const struct occ_store_noting noting = {note, &addition};

	memcpy(addition.row.name, program->name, sizeof(program->name));
	addition.row.name[OCC_HISTORY_NAME - 1] = '\0';
	if (!*program->name || !take_numbers(more, addition.row.numbers))
		return occ_counters_merge(store, more, milliseconds);
	return occ_counters_merge_noting(store, more, milliseconds, &noting);
}
