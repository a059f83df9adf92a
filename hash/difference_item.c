/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "hash/comparison.h"
#include "hash/key.h"

/* Splits constants, each u32 id, u64 size, value, up to what isn't one. */
static void split_constants(struct occ_slice whole,
			    struct occ_slices *ret_constants)
{
	size_t at = 0;

	while (whole.size - at >= 12) {
		uint64_t size =
			occ_get_u64((const void *)(whole.data + at + 4));

		if (size > whole.size - at - 12)
			return;
		occ_slices_add(ret_constants, whole.data + at,
			       12 + (size_t)size);
		at += 12 + (size_t)size;
	}
}

/* Formats a constant's value, or its first 8 bytes, as a number. */
static void format_constant(struct occ_slice constant, char ret_text[20])
{
	unsigned long long value = 0;

	for (size_t i = 12; i < constant.size && i < 20; i++)
		value |= (unsigned long long)(unsigned char)constant.data[i]
			 << (8 * (i - 12));
	snprintf(ret_text, 20, "0x%llx", value);
}

static bool find_constant(const struct occ_slices *constants,
			  struct occ_slice like, struct occ_slice *ret_constant)
{
	for (size_t i = 0; i < constants->count; i++) {
		*ret_constant = occ_slices_get(constants, i);
		if (!memcmp(ret_constant->data, like.data, 4))
			return true;
	}
	return false;
}

static unsigned id_of(struct occ_slice constant)
{
	return (unsigned)occ_get_u32((const void *)constant.data);
}

void occ_difference_item_constants(struct occ_comparison *to,
				   const struct occ_comparison_field *field)
{
	const struct occ_comparison_side *now = &field->now,
					 *then = &field->then;
	struct occ_slices mine = {0}, theirs = {0};
	struct occ_slice constant, other;
	char is[20], was[20];

	occ_comparison_begin(to, "specialization constant ");
	if (!now->digests && !then->digests) {
		split_constants(occ_comparison_first(now), &mine);
		split_constants(occ_comparison_first(then), &theirs);
	}
	if (mine.count > OCC_COMPARISON_ITEMS_MAX ||
	    theirs.count > OCC_COMPARISON_ITEMS_MAX)
		mine.count = theirs.count = 0;
	for (size_t i = 0; i < mine.count; i++) {
		constant = occ_slices_get(&mine, i);
		if (occ_slices_have(&theirs, constant))
			continue;
		if (!occ_comparison_name(to, OCC_WEIGHT_ITEM))
			continue;
		format_constant(constant, is);
		strcpy(was, "unset");
		if (find_constant(&theirs, constant, &other))
			format_constant(other, was);
		occ_comparison_print(to, "%u is %s was %s", id_of(constant), is,
				     was);
	}
	for (size_t i = 0; i < theirs.count; i++) {
		constant = occ_slices_get(&theirs, i);
		if (!find_constant(&mine, constant, &other) &&
		    occ_comparison_name(to, OCC_WEIGHT_ITEM))
			occ_comparison_print(to, "%u is unset",
					     id_of(constant));
	}
	occ_comparison_end(to, "changed");
	to->failed |= mine.buffer.failed || theirs.buffer.failed;
	occ_slices_release(&mine);
	occ_slices_release(&theirs);
}

/* The path of an included file. */
static struct occ_slice path_of(struct occ_slice file)
{
	if (file.size < OCC_KEY_FILE_HEAD)
		return file;
	return (struct occ_slice){file.data + OCC_KEY_FILE_HEAD,
				  file.size - OCC_KEY_FILE_HEAD};
}

/* The size and digests of an included file. */
static struct occ_slice content_of(struct occ_slice file)
{
	if (file.size > OCC_KEY_FILE_CONTENT)
		file.size = OCC_KEY_FILE_CONTENT;
	return file;
}

static bool find_file(const struct occ_slices *files, struct occ_slice path,
		      struct occ_slice *ret_file)
{
	for (size_t i = 0; i < files->count; i++) {
		*ret_file = occ_slices_get(files, i);
		if (occ_slice_same(path_of(*ret_file), path))
			return true;
	}
	return false;
}

static void print_path(struct occ_comparison *to, const char *how,
		       struct occ_slice path)
{
	if (occ_comparison_name(to, OCC_WEIGHT_FILE))
		occ_comparison_print(to, "%.*s %s", occ_comparison_shown(path),
				     path.data, how);
}

void occ_difference_item_files(struct occ_comparison *to,
			       const struct occ_comparison_field *field)
{
	const struct occ_slices *mine = &field->now.fields;
	const struct occ_slices *theirs = &field->then.fields;
	struct occ_slice file, other;

	if (mine->count > OCC_COMPARISON_ITEMS_MAX ||
	    theirs->count > OCC_COMPARISON_ITEMS_MAX) {
		occ_comparison_blob(to, field);
		return;
	}
	occ_comparison_begin(to, "file ");
	for (size_t i = 0; i < mine->count; i++) {
		file = occ_slices_get(mine, i);
		if (!find_file(theirs, path_of(file), &other))
			print_path(to, "appeared", path_of(file));
		else if (!occ_slice_same(content_of(file), content_of(other)))
			print_path(to, "changed", path_of(file));
	}
	for (size_t i = 0; i < theirs->count; i++) {
		other = occ_slices_get(theirs, i);
		if (!find_file(mine, path_of(other), &file))
			print_path(to, "is gone", path_of(other));
	}
	occ_comparison_end(to, "links, or their order, changed");
}

void occ_difference_item_headers(struct occ_comparison *to,
				 const struct occ_span *now,
				 const struct occ_span *then)
{
	struct occ_comparison_side names, old_names, texts, old_texts;
	struct occ_slice name;
	bool known;

	occ_comparison_take(to, now, OCC_KEY_HEADER_NAME, &names);
	occ_comparison_take(to, then, OCC_KEY_HEADER_NAME, &old_names);
	occ_comparison_take(to, now, OCC_KEY_HEADER_SOURCE, &texts);
	occ_comparison_take(to, then, OCC_KEY_HEADER_SOURCE, &old_texts);
	occ_comparison_begin(to, "header ");
	if (names.fields.count > OCC_COMPARISON_ITEMS_MAX ||
	    old_names.fields.count > OCC_COMPARISON_ITEMS_MAX)
		names.fields.count = old_names.fields.count = 0;
	for (size_t i = 0; i < names.fields.count; i++) {
		name = occ_slices_get(&names.fields, i);
		known = i < texts.fields.count && i < old_texts.fields.count &&
			i < old_names.fields.count &&
			occ_slice_same(occ_slices_get(&old_names.fields, i),
				       name);
		if (known &&
		    occ_slice_same(occ_slices_get(&texts.fields, i),
				   occ_slices_get(&old_texts.fields, i)))
			continue;
		print_path(to,
			   occ_slices_have(&old_names.fields, name)
				   ? known ? "changed" : "moved"
				   : "is new",
			   name);
	}
	for (size_t i = 0; i < old_names.fields.count; i++) {
		name = occ_slices_get(&old_names.fields, i);
		if (!occ_slices_have(&names.fields, name))
			print_path(to, "is gone", name);
	}
	occ_comparison_end(to, "changed");
	occ_slices_release(&names.fields);
	occ_slices_release(&old_names.fields);
	occ_slices_release(&texts.fields);
	occ_slices_release(&old_texts.fields);
}

void occ_difference_item_inputs(struct occ_comparison *to,
				const struct occ_comparison_field *field)
{
	const struct occ_comparison_side *now = &field->now,
					 *then = &field->then;
	const struct occ_slices *mine = &now->fields, *theirs = &then->fields;

	if (mine->count != theirs->count) {
		occ_comparison_begin(to, "");
		to->distance += OCC_WEIGHT_OTHER;
		occ_comparison_print(to, "%zu programs linked, were %zu",
				     mine->count, theirs->count);
		return;
	}
	occ_comparison_begin(to, "linked program ");
	for (size_t i = 0; i < mine->count; i++) {
		if (occ_slice_same(occ_slices_get(mine, i),
				   occ_slices_get(theirs, i)))
			continue;
		if (occ_comparison_name(to, OCC_WEIGHT_LINES))
			occ_comparison_print(to, "%zu changed", i + 1);
	}
	occ_comparison_end(to, "changed");
}
