/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "hash/comparison.h"
#include "hash/key.h"

/* Longer lists only differ: their words are compared even by name. */
#define WORDS_MAX 256

/* Up to '=' or a blank: the option or variable that a word is about. */
static size_t name_length(struct occ_slice word)
{
	size_t length = 0;

	while (length < word.size && word.data[length] != '=' &&
	       word.data[length] != ' ')
		length++;
	return length;
}

/* Finds a word of the same name that isn't in the other list. */
static bool find_partner(const struct occ_slices *words, struct occ_slice word,
			 const struct occ_slices *others,
			 struct occ_slice *ret_partner)
{
	size_t length = name_length(word);

	for (size_t i = 0; i < words->count; i++) {
		struct occ_slice other = occ_slices_get(words, i);

		if (name_length(other) != length ||
		    memcmp(other.data, word.data, length) != 0 ||
		    occ_slices_have(others, other))
			continue;
		*ret_partner = other;
		return true;
	}
	return false;
}

static void compare_words(struct occ_comparison *to,
			  const struct occ_slices *now,
			  const struct occ_slices *then,
			  const struct occ_comparison_field *field)
{
	struct occ_slice word, other;

	for (size_t i = 0; i < now->count; i++) {
		word = occ_slices_get(now, i);
		if (occ_slices_have(then, word))
			continue;
		if (!occ_comparison_name(to, OCC_WEIGHT_ITEM))
			continue;
		if (find_partner(then, word, now, &other))
			occ_comparison_print(to, "%.*s was %.*s",
					     occ_comparison_shown(word),
					     word.data,
					     occ_comparison_shown(other),
					     other.data);
		else
			occ_comparison_print(to, "%.*s %s",
					     occ_comparison_shown(word),
					     word.data, field->added);
	}
	for (size_t i = 0; i < then->count; i++) {
		other = occ_slices_get(then, i);
		if (occ_slices_have(now, other) ||
		    find_partner(now, other, then, &word))
			continue;
		if (occ_comparison_name(to, OCC_WEIGHT_ITEM))
			occ_comparison_print(to, "%.*s %s",
					     occ_comparison_shown(other),
					     other.data, field->removed);
	}
}

/* Of options, that there are none is something else than empty ones. */
static const char *same_words(const struct occ_comparison_field *field)
{
	bool now = field->now.fields.count, then = field->then.fields.count;

	if (now && then)
		return "only order or spacing differ";
	return now ? "empty ones, which were NULL"
		   : "NULL, which were empty ones";
}

static void compare_lists(struct occ_comparison *to,
			  const struct occ_comparison_field *field)
{
	struct occ_slices mine = {0}, theirs = {0};
	/* None: NULs separate. */
	size_t count = *field->separators ? strlen(field->separators) : 1;

	if (field->now.digests || field->then.digests) {
		occ_comparison_blob(to, field);
		return;
	}
	occ_slices_split(occ_comparison_first(&field->now), field->separators,
			 count, &mine);
	occ_slices_split(occ_comparison_first(&field->then), field->separators,
			 count, &theirs);
	if (mine.count > WORDS_MAX || theirs.count > WORDS_MAX) {
		occ_comparison_blob(to, field);
	} else {
		occ_comparison_begin(to, field->name);
		occ_comparison_print(to, count == 1 ? " " : ": ");
		compare_words(to, &mine, &theirs, field);
		occ_comparison_end(to, same_words(field));
	}
	to->failed |= mine.buffer.failed || theirs.buffer.failed;
	occ_slices_release(&mine);
	occ_slices_release(&theirs);
}

static void compare_text(struct occ_comparison *to,
			 const struct occ_comparison_field *field)
{
	struct occ_slice mine = occ_comparison_first(&field->now),
			 theirs = occ_comparison_first(&field->then);

	if (field->now.digests || field->then.digests) {
		occ_comparison_blob(to, field);
		return;
	}
	occ_comparison_begin(to, field->name);
	to->distance += field->weight;
	occ_comparison_print(to, " %.*s was %.*s", occ_comparison_shown(mine),
			     mine.data, occ_comparison_shown(theirs),
			     theirs.data);
}

/*
 * Counts the lines from the first to the last that differ. Sources are alike if
 * more than half of the lines or of the bytes lie outside these.
 */
static size_t changed_lines(struct occ_slice one, struct occ_slice other,
			    size_t *ret_all, bool *ret_alike)
{
	size_t front = 0, back = 0, lines = 1;
	size_t longer = one.size > other.size ? one.size : other.size;

	*ret_all = 1;
	while (front < one.size && front < other.size &&
	       one.data[front] == other.data[front])
		front++;
	while (back < one.size - front && back < other.size - front &&
	       one.data[one.size - 1 - back] ==
		       other.data[other.size - 1 - back])
		back++;
	for (size_t i = 0; i < one.size; i++) {
		*ret_all += one.data[i] == '\n';
		lines += one.data[i] == '\n' && i >= front &&
			 i < one.size - back;
	}
	*ret_alike = 2 * lines < *ret_all || front + back > longer / 2;
	return lines;
}

static uint64_t length_of(const struct occ_comparison_side *side)
{
	struct occ_slice field = occ_comparison_first(side);

	return side->digests ? occ_get_u64((const void *)field.data)
			     : field.size;
}

static void compare_source(struct occ_comparison *to,
			   const struct occ_comparison_field *field)
{
	const struct occ_comparison_side *now = &field->now,
					 *then = &field->then;
	size_t lines = 1, all = 1;
	bool alike = true; /* unless it can be seen that they aren't */

	occ_comparison_begin(to, field->name);
	if (!now->fields.count || !then->fields.count) {
		to->distance += OCC_WEIGHT_OTHER;
		occ_comparison_print(to, now->fields.count ? " is new"
							   : " is gone");
		return;
	}
	if (!now->digests && !then->digests)
		lines = changed_lines(occ_comparison_first(now),
				      occ_comparison_first(then), &all, &alike);
	to->distance += lines < all ? OCC_WEIGHT_LINES : OCC_WEIGHT_SOURCE;
	if (alike && lines < all)
		occ_comparison_print(to, " changed (%zu of %zu lines)", lines,
				     all);
	else
		occ_comparison_print(to, "%s (%llu bytes instead of %llu)",
				     alike ? " changed" : OCC_DIFFERENCE_MOSTLY,
				     (unsigned long long)length_of(now),
				     (unsigned long long)length_of(then));
}

static void compare_numbers(struct occ_comparison *to,
			    const struct occ_comparison_field *field)
{
	const struct occ_comparison_side *now = &field->now,
					 *then = &field->then;
	static const char *const names[] = {
		"type",		"vendor id",
		"address bits", "version of its architecture",
		"id",		"slices",
		"sub-slices",	"execution units",
		"threads",	"features",
		"revision"};
	struct occ_slice mine = occ_comparison_first(now),
			 theirs = occ_comparison_first(then);

	occ_comparison_begin(to, "device's ");
	to->distance += OCC_WEIGHT_DEVICE;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		unsigned long long is, was;

		if (mine.size / 8 <= i || theirs.size / 8 <= i)
			break;
		is = occ_get_u64((const void *)(mine.data + i * 8));
		was = occ_get_u64((const void *)(theirs.data + i * 8));
		if (is != was && occ_comparison_name(to, 0))
			occ_comparison_print(to, "%s 0x%llx was 0x%llx",
					     names[i], is, was);
	}
	if (!to->named)
		occ_comparison_print(to, "numbers changed");
}

/* NULs end items. */
static bool is_text(struct occ_slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] && (text.data[i] < ' ' || text.data[i] > '~'))
			return false;
	return true;
}

/* Text, or bytes: a build-id, an older form. */
static void compare_identity(struct occ_comparison *to,
			     const struct occ_comparison_field *field)
{
	if (is_text(occ_comparison_first(&field->now)) &&
	    is_text(occ_comparison_first(&field->then))) {
		to->distance += field->weight;
		compare_lists(to, field);
	} else {
		occ_comparison_blob(to, field);
	}
}

/* How fields are compared; others as blobs of OCC_WEIGHT_ITEM. */
static const struct {
	enum occ_key_field id;
	enum occ_comparison_weight weight; /* unless `compare` has another */
	void (*compare)(struct occ_comparison *to,
			const struct occ_comparison_field *field);
	const char *separators;
	const char *added, *removed; /* of an item */
	const char *name;	     /* NULL: occ_key_field_name() */
} rules[] = {
	{OCC_KEY_VERSION, OCC_WEIGHT_OTHER, occ_comparison_blob},
	{OCC_KEY_OPERATION, OCC_WEIGHT_OTHER, compare_text},
	{OCC_KEY_SOURCE, OCC_WEIGHT_ITEM, compare_source},
	{OCC_KEY_IL, OCC_WEIGHT_ITEM, compare_source},
	{OCC_KEY_OPTIONS, OCC_WEIGHT_ITEM, compare_lists, " \t\n\v\f\r",
	 "added", "removed"},
	{OCC_KEY_SPEC_CONSTANTS, OCC_WEIGHT_ITEM,
	 occ_difference_item_constants},
	{OCC_KEY_LINK_INPUT, OCC_WEIGHT_ITEM, occ_difference_item_inputs},
	{OCC_KEY_INCLUDE_FILE, OCC_WEIGHT_ITEM, occ_difference_item_files},
	{OCC_KEY_INCLUDE_PRESENT, OCC_WEIGHT_ITEM, occ_difference_item_files},
	{OCC_KEY_PLATFORM_NAME, OCC_WEIGHT_DEVICE, compare_text},
	{OCC_KEY_PLATFORM_VENDOR, OCC_WEIGHT_DEVICE, compare_text},
	{OCC_KEY_PLATFORM_VERSION, OCC_WEIGHT_DRIVER, compare_text},
	{OCC_KEY_DEVICE_NAME, OCC_WEIGHT_DEVICE, compare_text},
	{OCC_KEY_DEVICE_VENDOR, OCC_WEIGHT_DEVICE, compare_text},
	{OCC_KEY_DEVICE_VERSION, OCC_WEIGHT_DRIVER, compare_text},
	{OCC_KEY_DRIVER_VERSION, OCC_WEIGHT_DRIVER, compare_text},
	{OCC_KEY_OPENCL_C_VERSION, OCC_WEIGHT_DRIVER, compare_text},
	{OCC_KEY_DEVICE_NUMBERS, OCC_WEIGHT_ITEM, compare_numbers},
	{OCC_KEY_DEVICE_EXTENSIONS, OCC_WEIGHT_DRIVER, compare_lists, " ",
	 "added", "removed"},
	{OCC_KEY_DRIVER_IDENTITY, OCC_WEIGHT_DRIVER, compare_identity, "",
	 "added", "removed", "driver's library"},
	{OCC_KEY_HOST_CPU, OCC_WEIGHT_DEVICE, occ_comparison_blob},
	{OCC_KEY_ENVIRONMENT, OCC_WEIGHT_DRIVER, compare_lists, "", "was unset",
	 "is unset"},
	{OCC_KEY_EXECUTABLE, OCC_WEIGHT_DEVICE, compare_text},
};

void occ_difference_field(struct occ_comparison *to, uint16_t id,
			  struct occ_comparison_field *field)
{
	field->name = occ_key_field_name(id);
	field->weight = OCC_WEIGHT_ITEM;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].id != id)
			continue;
		if (rules[i].name)
			field->name = rules[i].name;
		field->weight = rules[i].weight;
		field->separators = rules[i].separators;
		field->added = rules[i].added;
		field->removed = rules[i].removed;
		rules[i].compare(to, field);
		return;
	}
	occ_comparison_blob(to, field);
}
