/* SPDX-License-Identifier: MIT */
#include "cli/build_summary.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "hash/key.h"

/* More of a text isn't shown in a line. */
#define TEXT_MAX      1000

#define SECONDS_A_DAY 86400

/* A use and whose it is. */
struct use {
	struct occ_use_view view;
	struct occ_span record;
};

static int compare_texts(struct occ_span one, struct occ_span other)
{
	size_t size = one.size < other.size ? one.size : other.size;
	int result = size ? memcmp(one.data, other.data, size) : 0;

	return result ? result
		      : (one.size > other.size) - (one.size < other.size);
}

static int compare_uses(const void *one, const void *other)
{
	const struct use *a = one, *b = other;
	int result = memcmp(a->view.build.bytes, b->view.build.bytes,
			    OCC_DIGEST_SIZE);

	if (!result)
		result = (a->view.day < b->view.day) -
			 (a->view.day > b->view.day);
	/* Whatever their names are: always the same. */
	if (!result)
		result =
			compare_texts(a->view.application, b->view.application);
	return result;
}

/* All uses, by their build, the latest first. */
static struct use *read_uses(const struct occ_records *records,
			     size_t *ret_count)
{
	const struct occ_record *first;
	size_t count = occ_records_of(records, OCC_FRAME_USE, &first);
	struct use *uses = occ_message_must(calloc(count + 1, sizeof(*uses)));

	*ret_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct use *use = &uses[*ret_count];

		use->record = first[i].bytes;
		*ret_count += first[i].bytes.data &&
			      occ_use_view(use->record, &use->view);
	}
	if (*ret_count)
		qsort(uses, *ret_count, sizeof(*uses), compare_uses);
	return uses;
}

static bool has_content(const struct occ_records *records,
			const struct occ_digest *name)
{
	return occ_records_find(records, OCC_FRAME_CONTENT, name) != NULL;
}

/* What a field of a build lacks, or NULL. */
static const char *field_fault(const struct occ_records *records,
			       const struct occ_field *field)
{
	struct occ_recorded_file file;
	struct occ_content content;
	struct occ_digest name;

	switch (field->id) {
	case OCC_BUILD_SOURCE:
	case OCC_BUILD_IL:
	case OCC_BUILD_HEADER_SOURCE:
		return !occ_content_parse(field, &content) ? "damaged"
		       : has_content(records, &content.name)
			       ? NULL
			       : "its source is missing";
	case OCC_BUILD_LINK_BUILD:
		return !occ_record_name(occ_field_span(field), &name)
			       ? "damaged"
		       : occ_records_find(records, OCC_FRAME_BUILD, &name)
			       ? NULL
			       : "a program that it links is missing";
	case OCC_BUILD_LINK_BINARY:
		return "it links a program that was given as a binary";
	case OCC_BUILD_INCLUDE_FILE:
		return !occ_recorded_file_parse(occ_field_span(field), &file)
			       ? "damaged"
		       : has_content(records, &file.name)
			       ? NULL
			       : "an included file is missing";
	default:
		return field->id > OCC_BUILD_EXECUTABLE
			       ? "recorded by a later version of oclcache"
			       : NULL;
	}
}

const char *occ_build_fault(const struct occ_records *records,
			    struct occ_span record)
{
	struct occ_build_view view;
	struct occ_field field;
	const char *fault = NULL;
	size_t offset = 0;

	if (!record.data || !occ_build_view(record, &view))
		return "damaged";
	while (!fault &&
	       occ_field_next(record.data, record.size, &offset, &field) == 1)
		fault = field_fault(records, &field);
	return fault;
}

/* A list that is put together, each item once. */
struct list {
	struct occ_buffer text;
	const char *separator;
};

/* Does the text have the separator there, or its end? */
static bool is_between(const struct list *list, size_t at)
{
	size_t length = strlen(list->separator);

	return at == list->text.size ||
	       (at + length <= list->text.size &&
		!memcmp(list->text.data + at, list->separator, length));
}

/* Lists are short: TEXT_MAX. */
static bool has(const struct list *list, struct occ_span item)
{
	size_t length = strlen(list->separator), from = 0;

	for (; from + item.size <= list->text.size; from++)
		if (!memcmp(list->text.data + from, item.data, item.size) &&
		    is_between(list, from + item.size) &&
		    (!from ||
		     (from >= length && is_between(list, from - length))))
			return true;
	return false;
}

static void add(struct list *list, struct occ_span item)
{
	if (!item.size || list->text.size > TEXT_MAX ||
	    (list->text.size && has(list, item)))
		return;
	if (item.size > TEXT_MAX)
		item.size = TEXT_MAX;
	if (list->text.size)
		occ_buffer_append(&list->text, list->separator,
				  strlen(list->separator));
	occ_buffer_append(&list->text, item.data, item.size);
	if (list->text.failed)
		occ_message_no_memory();
}

/* Texts of drivers and applications, without NULs at the end. */
static struct occ_span trimmed(struct occ_span text)
{
	while (text.size && !text.data[text.size - 1])
		text.size--;
	return text;
}

struct lists {
	struct list options, kernels, applications, devices;
};

static void add_use(const struct occ_records *records, const struct use *use,
		    struct lists *lists, struct occ_build_summary *summary)
{
	struct occ_span value;
	const struct occ_record *device;
	struct occ_digest name;
	size_t offset = 0;

	add(&lists->applications, trimmed(use->view.application));
	while (occ_record_next(use->record, OCC_USE_KERNEL, &offset, &value))
		add(&lists->kernels, trimmed(value));
	offset = 0;
	while (occ_record_next(use->record, OCC_USE_DEVICE, &offset, &value)) {
		device = occ_record_name(value, &name)
				 ? occ_records_find(records, OCC_FRAME_DEVICE,
						    &name)
				 : NULL;
		if (device && device->bytes.data)
			add(&lists->devices,
			    trimmed(occ_record_text(device->bytes,
						    OCC_KEY_DEVICE_NAME)));
	}
	if (use->view.day && use->view.day < INT64_MAX / SECONDS_A_DAY &&
	    summary->used < 0)
		summary->used = (int64_t)use->view.day * SECONDS_A_DAY;
	if (use->view.compile_time != UINT64_MAX &&
	    (summary->compile_time == UINT64_MAX ||
	     summary->compile_time < use->view.compile_time))
		summary->compile_time = use->view.compile_time;
	summary->uses++;
}

/* NULs within would hide what is behind them. */
static const char *place(const struct list *list, char **at)
{
	char *text = *at;

	for (size_t i = 0; i < list->text.size; i++)
		text[i] = (char)(list->text.data[i] ? list->text.data[i] : ' ');
	text[list->text.size] = '\0';
	*at += list->text.size + 1;
	return text;
}

static void keep_texts(struct lists *lists, struct occ_build_summary *summary)
{
	struct list *all[] = {&lists->options, &lists->kernels,
			      &lists->applications, &lists->devices};
	const char **places[] = {&summary->options, &summary->kernels,
				 &summary->applications, &summary->devices};
	size_t size = 0;
	char *at;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		size += all[i]->text.size + 1;
	summary->memory = at = occ_message_must(malloc(size));
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		*places[i] = place(all[i], &at);
		occ_buffer_release(&all[i]->text);
	}
}

static void summarize(const struct occ_records *records, const struct use *uses,
		      size_t count, struct occ_build_summary *summary)
{
	struct lists lists = {.options.separator = " ",
			      .kernels.separator = ";",
			      .applications.separator = ", ",
			      .devices.separator = ", "};

	summary->used = -1;
	summary->compile_time = UINT64_MAX;
	summary->fault = occ_build_fault(records, summary->record->bytes);
	if (!summary->record->bytes.data ||
	    !occ_build_view(summary->record->bytes, &summary->view))
		memset(&summary->view, 0, sizeof(summary->view));
	add(&lists.options, trimmed(summary->view.options));
	for (size_t i = 0; i < count; i++)
		add_use(records, &uses[i], &lists, summary);
	keep_texts(&lists, summary);
}

static int compare_summaries(const void *one, const void *other)
{
	const struct occ_build_summary *a = one, *b = other;
	int result = (a->used < b->used) - (a->used > b->used);

	return result ? result
		      : memcmp(a->record->name.bytes, b->record->name.bytes,
			       OCC_DIGEST_SIZE);
}

static int order(const struct use *use, const struct occ_record *build)
{
	return memcmp(use->view.build.bytes, build->name.bytes,
		      OCC_DIGEST_SIZE);
}

void occ_build_summaries_make(const struct occ_records *records,
			      struct occ_build_summaries *ret_summaries)
{
	const struct occ_record *builds;
	size_t count = occ_records_of(records, OCC_FRAME_BUILD, &builds);
	size_t use_count, at = 0;
	struct use *uses = read_uses(records, &use_count);

	ret_summaries->count = count;
	ret_summaries->items = occ_message_must(
		calloc(count + 1, sizeof(*ret_summaries->items)));
	/* Both are by the build's name. */
	for (size_t i = 0; i < count; i++) {
		size_t first;

		while (at < use_count && order(&uses[at], &builds[i]) < 0)
			at++;
		first = at;
		while (at < use_count && !order(&uses[at], &builds[i]))
			at++;
		ret_summaries->items[i].record = &builds[i];
		summarize(records, uses + first, at - first,
			  &ret_summaries->items[i]);
	}
	free(uses);
	if (count)
		qsort(ret_summaries->items, count,
		      sizeof(*ret_summaries->items), compare_summaries);
}

void occ_build_summaries_release(struct occ_build_summaries *summaries)
{
	for (size_t i = 0; i < summaries->count; i++)
		free(summaries->items[i].memory);
	free(summaries->items);
	summaries->items = NULL;
	summaries->count = 0;
}
