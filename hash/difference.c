/* SPDX-License-Identifier: MIT */
#include "hash/difference.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hash/key.h"
#include "hash/piece.h"

/* Pieces of one field that are named, and bytes of one that are shown. */
#define NAMED_MAX 4
#define SHOWN_MAX 80

/*
 * Longer lists only differ: their items are compared each with each, even
 * those of words with each other's names. Programs have some dozens.
 */
#define WORDS_MAX 256
#define ITEMS_MAX 1024

/* How much it counts when a field differs: see difference.h. */
enum weight {
	WEIGHT_PIECE = 1,   /* an option, a variable, a constant */
	WEIGHT_FILE = 4,    /* a header */
	WEIGHT_DRIVER = 4,  /* another version of it */
	WEIGHT_DEVICE = 20, /* another one, or another platform */
	WEIGHT_LINES = 40,  /* a source of which some lines differ */
	WEIGHT_SOURCE = 80, /* another source */
	WEIGHT_OTHER = 200, /* nothing that could be compared */
};

/* All fields with one id. */
struct side {
	struct occ_pieces pieces;
	bool digests; /* at least one field is kept as that */
};

/* One field of both keys. */
struct both {
	const char *name;
	enum weight weight;
	const char *separators; /* of lists */
	const char *absent;
	const struct side *now;
	const struct side *then;
};

struct comparison {
	uint64_t distance;
	struct occ_buffer *text; /* NULL: only the distance is wanted */
	unsigned parts;		 /* of the text */
	size_t named;		 /* pieces of the part that were named */
	bool failed;
};

static void say(struct comparison *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct comparison *to, const char *format, ...)
{
	char text[2 * SHOWN_MAX + 100];
	va_list arguments;
	int size;

	if (!to->text)
		return;
	va_start(arguments, format);
	size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (size >= (int)sizeof(text))
		size = sizeof(text) - 1;
	if (size > 0)
		occ_buffer_append(to->text, text, (size_t)size);
}

/* Begins what is said of another field. */
static void begin(struct comparison *to)
{
	if (to->parts++)
		say(to, "; ");
	to->named = 0;
}

/* Begins what is said of another piece; false when enough were named. */
static bool name_one(struct comparison *to)
{
	if (to->named++ >= NAMED_MAX)
		return false;
	if (to->named > 1)
		say(to, ", ");
	return true;
}

/* Also where it can't be told which pieces differ. */
static void end(struct comparison *to)
{
	if (!to->named) {
		to->distance += WEIGHT_PIECE;
		say(to, "changed");
	}
	if (to->named > NAMED_MAX)
		say(to, ", and %zu more", to->named - NAMED_MAX);
}

/* For %.*s: as much of a piece as is shown. */
static int shown(struct occ_piece piece)
{
	return (int)(piece.size < SHOWN_MAX ? piece.size : SHOWN_MAX);
}

/* Takes the fields with this id; digests as what they are. */
static void take(const struct occ_stored_key *key, uint16_t id,
		 struct side *ret_side)
{
	struct occ_field field;
	size_t offset = 0;

	memset(ret_side, 0, sizeof(*ret_side));
	while (occ_field_next(key->data, key->size, &offset, &field) == 1) {
		bool digest = field.kind == OCC_FIELD_DIGEST;

		if (field.id != id)
			continue;
		ret_side->digests |= digest;
		/* The length, too, is part of what a digest says. */
		occ_pieces_add(&ret_side->pieces,
			       (const char *)field.payload - (digest ? 8 : 0),
			       digest ? 24 : (size_t)field.length);
	}
}

static bool sides_are_same(const struct side *now, const struct side *then)
{
	if (now->pieces.count != then->pieces.count ||
	    now->digests != then->digests)
		return false;
	for (size_t i = 0; i < now->pieces.count; i++)
		if (!occ_piece_same(occ_pieces_get(&now->pieces, i),
				    occ_pieces_get(&then->pieces, i)))
			return false;
	return true;
}

static struct occ_piece first(const struct side *side)
{
	return side->pieces.count ? occ_pieces_get(&side->pieces, 0)
				  : (struct occ_piece){"", 0};
}

/* Up to '=' or a blank: the part of a word that says what it is about. */
static size_t name_length(struct occ_piece word)
{
	size_t length = 0;

	while (length < word.size && word.data[length] != '=' &&
	       word.data[length] != ' ')
		length++;
	return length;
}

/* The word of that name that isn't in the other list; false if none. */
static bool find_partner(const struct occ_pieces *words, struct occ_piece word,
			 const struct occ_pieces *others,
			 struct occ_piece *ret_partner)
{
	size_t length = name_length(word);

	for (size_t i = 0; i < words->count; i++) {
		struct occ_piece other = occ_pieces_get(words, i);

		if (name_length(other) != length ||
		    memcmp(other.data, word.data, length) != 0 ||
		    occ_pieces_have(others, other))
			continue;
		*ret_partner = other;
		return true;
	}
	return false;
}

/*
 * Words that only one of the two has. `absent` is how it is called that
 * something wasn't, or isn't, there: "unset", or "there".
 */
static void compare_words(struct comparison *to, const struct occ_pieces *now,
			  const struct occ_pieces *then, const char *absent)
{
	struct occ_piece word, other;

	for (size_t i = 0; i < now->count; i++) {
		word = occ_pieces_get(now, i);
		if (occ_pieces_have(then, word))
			continue;
		to->distance += WEIGHT_PIECE;
		if (!name_one(to))
			continue;
		if (find_partner(then, word, now, &other))
			say(to, "%.*s was %.*s", shown(word), word.data,
			    shown(other), other.data);
		else
			say(to, "%.*s was %s", shown(word), word.data, absent);
	}
	for (size_t i = 0; i < then->count; i++) {
		other = occ_pieces_get(then, i);
		if (occ_pieces_have(now, other) ||
		    find_partner(now, other, then, &word))
			continue;
		to->distance += WEIGHT_PIECE;
		if (name_one(to))
			say(to, "%.*s is %s", shown(other), other.data, absent);
	}
}

static void compare_blob(struct comparison *to, const struct both *both)
{
	begin(to);
	to->distance += both->weight;
	say(to, "%s changed", both->name);
}

/* Of words that may be all the same. */
static void end_words(struct comparison *to)
{
	if (to->named) {
		end(to);
		return;
	}
	to->distance += WEIGHT_PIECE;
	say(to, "only order or spacing differ");
}

/* A field that is a list, if it is short enough to be kept in full. */
static void compare_lists(struct comparison *to, const struct both *both)
{
	struct occ_pieces mine = {0}, theirs = {0};
	/* No separators: NULs. */
	size_t count = *both->separators ? strlen(both->separators) : 1;

	if (both->now->digests || both->then->digests) {
		compare_blob(to, both);
		return;
	}
	occ_pieces_split(first(both->now), both->separators, count, &mine);
	occ_pieces_split(first(both->then), both->separators, count, &theirs);
	if (mine.count > WORDS_MAX || theirs.count > WORDS_MAX) {
		compare_blob(to, both);
	} else {
		begin(to);
		say(to, "%s%s ", both->name, count == 1 ? "" : ":");
		compare_words(to, &mine, &theirs, both->absent);
		end_words(to);
	}
	to->failed |= mine.buffer.failed || theirs.buffer.failed;
	occ_pieces_release(&mine);
	occ_pieces_release(&theirs);
}

static void compare_text(struct comparison *to, const struct both *both)
{
	struct occ_piece mine = first(both->now), theirs = first(both->then);

	if (both->now->digests || both->then->digests) {
		compare_blob(to, both);
		return;
	}
	begin(to);
	to->distance += both->weight;
	say(to, "%s %.*s was %.*s", both->name, shown(mine), mine.data,
	    shown(theirs), theirs.data);
}

/* How many lines there are from the first to the last that differ. */
static size_t changed_lines(struct occ_piece one, struct occ_piece other,
			    size_t *ret_all)
{
	size_t front = 0, back = 0, lines = 1;

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
	return lines;
}

static uint64_t length_of(const struct side *side)
{
	struct occ_piece piece = first(side);

	return side->digests ? occ_get_u64((const void *)piece.data)
			     : piece.size;
}

static void compare_source(struct comparison *to, const struct both *both)
{
	const struct side *now = both->now, *then = both->then;
	size_t lines = 1, all = 1;

	begin(to);
	if (!now->pieces.count || !then->pieces.count) {
		to->distance += WEIGHT_OTHER;
		say(to, "%s is %s", both->name,
		    now->pieces.count ? "new" : "gone");
		return;
	}
	if (!now->digests && !then->digests)
		lines = changed_lines(first(now), first(then), &all);
	to->distance += lines < all ? WEIGHT_LINES : WEIGHT_SOURCE;
	if (lines < all)
		say(to, "%s changed (%zu of %zu lines)", both->name, lines,
		    all);
	else
		say(to, "%s changed (%llu bytes, were %llu)", both->name,
		    (unsigned long long)length_of(now),
		    (unsigned long long)length_of(then));
}

/* Splits constants, each u32 id, u64 size, value; stops at what is none. */
static void split_constants(struct occ_piece whole,
			    struct occ_pieces *ret_pieces)
{
	size_t at = 0;

	while (whole.size - at >= 12) {
		uint64_t size =
			occ_get_u64((const void *)(whole.data + at + 4));

		if (size > whole.size - at - 12)
			return;
		occ_pieces_add(ret_pieces, whole.data + at, 12 + (size_t)size);
		at += 12 + (size_t)size;
	}
}

/* A constant's value as a number, as far as it is one. */
static void format_constant(struct occ_piece constant, char ret_text[20])
{
	unsigned long long value = 0;

	for (size_t i = 12; i < constant.size && i < 20; i++)
		value |= (unsigned long long)(unsigned char)constant.data[i]
			 << (8 * (i - 12));
	snprintf(ret_text, 20, "0x%llx", value);
}

static bool find_constant(const struct occ_pieces *constants,
			  struct occ_piece like, struct occ_piece *ret_constant)
{
	for (size_t i = 0; i < constants->count; i++) {
		*ret_constant = occ_pieces_get(constants, i);
		if (!memcmp(ret_constant->data, like.data, 4))
			return true;
	}
	return false;
}

static void say_constant(struct comparison *to, struct occ_piece constant,
			 const char *how, const char *other)
{
	char text[20];

	to->distance += WEIGHT_PIECE;
	if (!name_one(to))
		return;
	format_constant(constant, text);
	say(to, "%u %s%s%s%s",
	    (unsigned)occ_get_u32((const void *)constant.data), how,
	    *other ? text : "", *other ? " was " : "", other);
}

static void compare_constants(struct comparison *to, const struct both *both)
{
	const struct side *now = both->now, *then = both->then;
	struct occ_pieces mine = {0}, theirs = {0};
	struct occ_piece constant, other;
	char was[20];

	begin(to);
	say(to, "specialization constant ");
	if (!now->digests && !then->digests) {
		split_constants(first(now), &mine);
		split_constants(first(then), &theirs);
	}
	if (mine.count > ITEMS_MAX || theirs.count > ITEMS_MAX)
		mine.count = theirs.count = 0;
	for (size_t i = 0; i < mine.count; i++) {
		constant = occ_pieces_get(&mine, i);
		if (occ_pieces_have(&theirs, constant))
			continue;
		strcpy(was, "unset");
		if (find_constant(&theirs, constant, &other))
			format_constant(other, was);
		say_constant(to, constant, "is ", was);
	}
	for (size_t i = 0; i < theirs.count; i++) {
		constant = occ_pieces_get(&theirs, i);
		if (!find_constant(&mine, constant, &other))
			say_constant(to, constant, "is unset", "");
	}
	end(to);
	to->failed |= mine.buffer.failed || theirs.buffer.failed;
	occ_pieces_release(&mine);
	occ_pieces_release(&theirs);
}

static void compare_numbers(struct comparison *to, const struct both *both)
{
	const struct side *now = both->now, *then = both->then;
	static const char *const names[] = {"type", "vendor id",
					    "address bits"};
	struct occ_piece mine = first(now), theirs = first(then);

	begin(to);
	to->distance += WEIGHT_DEVICE;
	say(to, "device's ");
	for (size_t i = 0; i < 3; i++) {
		unsigned long long is, was;

		if (mine.size / 8 <= i || theirs.size / 8 <= i)
			break;
		is = occ_get_u64((const void *)(mine.data + i * 8));
		was = occ_get_u64((const void *)(theirs.data + i * 8));
		if (is != was && name_one(to))
			say(to, "%s 0x%llx was 0x%llx", names[i], is, was);
	}
	if (!to->named)
		say(to, "numbers changed");
}

/* The path of an included file. */
static struct occ_piece path_of(struct occ_piece file)
{
	if (file.size < OCC_KEY_FILE_HEAD)
		return file;
	return (struct occ_piece){file.data + OCC_KEY_FILE_HEAD,
				  file.size - OCC_KEY_FILE_HEAD};
}

/* A file's content, as far as the key has it. */
static struct occ_piece content_of(struct occ_piece file)
{
	if (file.size > OCC_KEY_FILE_CONTENT)
		file.size = OCC_KEY_FILE_CONTENT;
	return file;
}

/* The file of that path; false if none. */
static bool find_file(const struct occ_pieces *files, struct occ_piece path,
		      struct occ_piece *ret_file)
{
	for (size_t i = 0; i < files->count; i++) {
		*ret_file = occ_pieces_get(files, i);
		if (occ_piece_same(path_of(*ret_file), path))
			return true;
	}
	return false;
}

static void say_path(struct comparison *to, const char *how,
		     struct occ_piece path)
{
	to->distance += WEIGHT_FILE;
	if (name_one(to))
		say(to, "%.*s %s", shown(path), path.data, how);
}

static void compare_files(struct comparison *to, const struct both *both)
{
	const struct occ_pieces *mine = &both->now->pieces;
	const struct occ_pieces *theirs = &both->then->pieces;
	struct occ_piece file, other;

	if (mine->count > ITEMS_MAX || theirs->count > ITEMS_MAX) {
		compare_blob(to, both);
		return;
	}
	begin(to);
	say(to, "file ");
	for (size_t i = 0; i < mine->count; i++) {
		file = occ_pieces_get(mine, i);
		if (!find_file(theirs, path_of(file), &other))
			say_path(to, "appeared", path_of(file));
		else if (!occ_piece_same(content_of(file), content_of(other)))
			say_path(to, "changed", path_of(file));
	}
	for (size_t i = 0; i < theirs->count; i++) {
		other = occ_pieces_get(theirs, i);
		if (!find_file(mine, path_of(other), &file))
			say_path(to, "is gone", path_of(other));
	}
	if (to->named) {
		end(to);
		return;
	}
	to->distance += WEIGHT_PIECE;
	say(to, "links, or their order, changed");
}

/* Embedded headers: their sources, by the names that come before each. */
static void compare_headers(struct comparison *to,
			    const struct occ_stored_key *now,
			    const struct occ_stored_key *then)
{
	struct side names, old_names, texts, old_texts;
	struct occ_piece name;
	bool known;

	take(now, OCC_KEY_HEADER_NAME, &names);
	take(then, OCC_KEY_HEADER_NAME, &old_names);
	take(now, OCC_KEY_HEADER_SOURCE, &texts);
	take(then, OCC_KEY_HEADER_SOURCE, &old_texts);
	begin(to);
	say(to, "header ");
	if (names.pieces.count > ITEMS_MAX ||
	    old_names.pieces.count > ITEMS_MAX)
		names.pieces.count = old_names.pieces.count = 0;
	for (size_t i = 0; i < names.pieces.count; i++) {
		name = occ_pieces_get(&names.pieces, i);
		known = i < texts.pieces.count && i < old_texts.pieces.count &&
			i < old_names.pieces.count &&
			occ_piece_same(occ_pieces_get(&old_names.pieces, i),
				       name);
		if (known &&
		    occ_piece_same(occ_pieces_get(&texts.pieces, i),
				   occ_pieces_get(&old_texts.pieces, i)))
			continue;
		say_path(to,
			 occ_pieces_have(&old_names.pieces, name)
				 ? known ? "changed" : "moved"
				 : "is new",
			 name);
	}
	for (size_t i = 0; i < old_names.pieces.count; i++) {
		name = occ_pieces_get(&old_names.pieces, i);
		if (!occ_pieces_have(&names.pieces, name))
			say_path(to, "is gone", name);
	}
	end(to);
	to->failed |=
		names.pieces.buffer.failed || old_names.pieces.buffer.failed ||
		texts.pieces.buffer.failed || old_texts.pieces.buffer.failed;
	occ_pieces_release(&names.pieces);
	occ_pieces_release(&old_names.pieces);
	occ_pieces_release(&texts.pieces);
	occ_pieces_release(&old_texts.pieces);
}

static void compare_inputs(struct comparison *to, const struct both *both)
{
	const struct side *now = both->now, *then = both->then;
	const struct occ_pieces *mine = &now->pieces, *theirs = &then->pieces;

	begin(to);
	if (mine->count != theirs->count) {
		to->distance += WEIGHT_OTHER;
		say(to, "%zu programs linked, were %zu", mine->count,
		    theirs->count);
		return;
	}
	say(to, "linked program ");
	for (size_t i = 0; i < mine->count; i++) {
		if (occ_piece_same(occ_pieces_get(mine, i),
				   occ_pieces_get(theirs, i)))
			continue;
		to->distance += WEIGHT_LINES;
		if (name_one(to))
			say(to, "%zu changed", i + 1);
	}
	end(to);
}

/* NULs are ends of items. */
static bool is_text(struct occ_piece piece)
{
	for (size_t i = 0; i < piece.size; i++)
		if (piece.data[i] &&
		    (piece.data[i] < ' ' || piece.data[i] > '~'))
			return false;
	return true;
}

/* Text, or bytes: a build-id, an older form. */
static void compare_identity(struct comparison *to, const struct both *both)
{
	if (is_text(first(both->now)) && is_text(first(both->then))) {
		to->distance += both->weight;
		compare_lists(to, both);
	} else {
		compare_blob(to, both);
	}
}

/* How fields are compared; as blobs of WEIGHT_PIECE if they aren't here. */
static const struct {
	enum occ_key_field id;
	enum weight weight; /* where the comparison doesn't know it better */
	void (*compare)(struct comparison *to, const struct both *both);
	const char *separators;
	const char *absent;
	const char *name; /* NULL: occ_key_field_name() */
} ways[] = {
	{OCC_KEY_VERSION, WEIGHT_OTHER, compare_blob},
	{OCC_KEY_OPERATION, WEIGHT_OTHER, compare_text},
	{OCC_KEY_SOURCE, WEIGHT_PIECE, compare_source},
	{OCC_KEY_IL, WEIGHT_PIECE, compare_source},
	{OCC_KEY_OPTIONS, WEIGHT_PIECE, compare_lists, " \t\n\v\f\r", "absent"},
	{OCC_KEY_SPEC_CONSTANTS, WEIGHT_PIECE, compare_constants},
	{OCC_KEY_LINK_INPUT, WEIGHT_PIECE, compare_inputs},
	{OCC_KEY_INCLUDE_FILE, WEIGHT_PIECE, compare_files},
	{OCC_KEY_INCLUDE_PRESENT, WEIGHT_PIECE, compare_files},
	{OCC_KEY_PLATFORM_NAME, WEIGHT_DEVICE, compare_text},
	{OCC_KEY_PLATFORM_VENDOR, WEIGHT_DEVICE, compare_text},
	{OCC_KEY_PLATFORM_VERSION, WEIGHT_DRIVER, compare_text},
	{OCC_KEY_DEVICE_NAME, WEIGHT_DEVICE, compare_text},
	{OCC_KEY_DEVICE_VENDOR, WEIGHT_DEVICE, compare_text},
	{OCC_KEY_DEVICE_VERSION, WEIGHT_DRIVER, compare_text},
	{OCC_KEY_DRIVER_VERSION, WEIGHT_DRIVER, compare_text},
	{OCC_KEY_OPENCL_C_VERSION, WEIGHT_DRIVER, compare_text},
	{OCC_KEY_DEVICE_NUMBERS, WEIGHT_PIECE, compare_numbers},
	{OCC_KEY_DEVICE_EXTENSIONS, WEIGHT_DRIVER, compare_lists, " ",
	 "absent"},
	{OCC_KEY_DRIVER_IDENTITY, WEIGHT_DRIVER, compare_identity, "",
	 "not there", "driver's library"},
	{OCC_KEY_HOST_CPU, WEIGHT_DEVICE, compare_blob},
	{OCC_KEY_ENVIRONMENT, WEIGHT_DRIVER, compare_lists, "", "unset"},
	{OCC_KEY_EXECUTABLE, WEIGHT_DEVICE, compare_text},
};

static void compare_field(struct comparison *to, uint16_t id,
			  const struct side *now, const struct side *then)
{
	struct both both = {.name = occ_key_field_name(id),
			    .weight = WEIGHT_PIECE,
			    .now = now,
			    .then = then};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (ways[i].id != id)
			continue;
		if (ways[i].name)
			both.name = ways[i].name;
		both.weight = ways[i].weight;
		both.separators = ways[i].separators;
		both.absent = ways[i].absent;
		ways[i].compare(to, &both);
		return;
	}
	compare_blob(to, &both);
}

/* Fields of which a difference follows from that of another one. */
static bool follows(uint16_t id, const bool differs[64])
{
	switch (id) {
	case OCC_KEY_SOURCE_LENGTHS:
		return differs[OCC_KEY_SOURCE];
	case OCC_KEY_HEADER_LENGTHS:
		return differs[OCC_KEY_HEADER_NAME] ||
		       differs[OCC_KEY_HEADER_SOURCE];
	case OCC_KEY_HEADER_SOURCE:
		return differs[OCC_KEY_HEADER_NAME];
	default:
		return false;
	}
}

static void compare(struct comparison *to, const struct occ_stored_key *now,
		    const struct occ_stored_key *then, const bool differs[64])
{
	for (uint16_t id = 0; id < 64; id++) {
		struct side mine, theirs;

		if (!differs[id] || follows(id, differs))
			continue;
		if (id == OCC_KEY_HEADER_NAME || id == OCC_KEY_HEADER_SOURCE) {
			compare_headers(to, now, then);
			continue;
		}
		take(now, id, &mine);
		take(then, id, &theirs);
		compare_field(to, id, &mine, &theirs);
		to->failed |= mine.pieces.buffer.failed ||
			      theirs.pieces.buffer.failed;
		occ_pieces_release(&mine.pieces);
		occ_pieces_release(&theirs.pieces);
	}
}

/* Which ids there are: bits. */
static uint64_t ids_of(const struct occ_stored_key *key)
{
	struct occ_field field;
	size_t offset = 0;
	uint64_t ids = 0;

	while (occ_field_next(key->data, key->size, &offset, &field) == 1)
		if (field.id < 64)
			ids |= UINT64_C(1) << field.id;
	return ids;
}

/* Which fields differ; ids from 64 on aren't known, nor looked at. */
static bool find_differences(const struct occ_stored_key *now,
			     const struct occ_stored_key *then,
			     bool ret_differs[64])
{
	uint64_t ids = ids_of(now) | ids_of(then);
	bool failed = false;

	for (uint16_t id = 0; id < 64; id++) {
		struct side mine, theirs;

		ret_differs[id] = false;
		if (!(ids & UINT64_C(1) << id))
			continue;
		take(now, id, &mine);
		take(then, id, &theirs);
		failed |= mine.pieces.buffer.failed ||
			  theirs.pieces.buffer.failed;
		ret_differs[id] = !sides_are_same(&mine, &theirs);
		occ_pieces_release(&mine.pieces);
		occ_pieces_release(&theirs.pieces);
	}
	return !failed;
}

/* "same source and device; " */
static void say_what_is_same(struct comparison *to, const bool differs[64])
{
	static const struct {
		const char *name;
		uint16_t from;
		uint16_t to;
	} groups[] = {
		{"source", OCC_KEY_SOURCE, OCC_KEY_IL},
		{"options", OCC_KEY_OPTIONS, OCC_KEY_OPTIONS},
		{"device", OCC_KEY_PLATFORM_NAME, OCC_KEY_DEVICE_EXTENSIONS},
	};
	size_t count = 0, said = 0;
	bool same_group[3];

	for (size_t g = 0; g < 3; g++) {
		same_group[g] = true;
		for (uint16_t id = groups[g].from; id <= groups[g].to; id++)
			same_group[g] &= !differs[id];
		count += same_group[g];
	}
	for (size_t g = 0; g < 3; g++) {
		if (!same_group[g])
			continue;
		say(to, "%s%s",
		    !said	       ? "same "
		    : said + 1 < count ? ", "
				       : " and ",
		    groups[g].name);
		said++;
	}
	to->parts = count > 0;
}

uint64_t occ_difference_distance(const struct occ_stored_key *now,
				 const struct occ_stored_key *then)
{
	struct comparison comparison = {.text = NULL};
	bool differs[64];

	if (!find_differences(now, then, differs))
		return UINT64_MAX;
	compare(&comparison, now, then, differs);
	return comparison.failed ? UINT64_MAX : comparison.distance;
}

void occ_difference_describe(const struct occ_stored_key *now,
			     const struct occ_stored_key *then,
			     struct occ_buffer *ret_text)
{
	struct comparison comparison = {.text = ret_text};
	bool differs[64], any = false;

	if (!find_differences(now, then, differs)) {
		ret_text->failed = true;
		return;
	}
	for (size_t id = 0; id < 64; id++)
		any |= differs[id];
	if (!any)
		return;
	say_what_is_same(&comparison, differs);
	compare(&comparison, now, then, differs);
	ret_text->failed |= comparison.failed;
}
