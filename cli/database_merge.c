/* SPDX-License-Identifier: MIT */
/*
 * oclcache database merge: what is chosen of several databases becomes one, or
 * is added to one that is there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/database.h"
#include "cli/database_choice.h"
#include "cli/database_strip.h"
#include "cli/message.h"
#include "cli/record_view.h"
#include "cli/screen.h"
#include "cli/units.h"

/* Written at once: what is pending is in memory. */
#define BATCH_SIZE (UINT64_C(8) << 20)

/* A program that records may have the lock for so long. */
#define WAIT_MS	   10000

/* How far a build is. */
enum state {
	WAITING,
	OPENED, /* its inputs come first */
	WRITTEN,
	LEFT_OUT,
};

struct merge {
	const char *path;
	const struct occ_records *records;
	struct occ_database_choice choice;
	struct occ_renaming renaming;
	struct occ_database *out;
	enum state *states;	  /* of each build */
	struct occ_digest *names; /* in `out` */
	uint64_t committed;	  /* the size of `out` */
	size_t written, new, left_out, lacking;
	int error;
};

static void fail(struct merge *merge, int error)
{
	if (merge->error)
		return;
	merge->error = error;
	if (error == OCC_E_BUSY)
		occ_message_error("database merge: another process is writing "
				  "to %s; try again",
				  merge->path);
	else if (error == OCC_E_CORRUPT)
		occ_message_error(
			"database merge: %s isn't a database of builds",
			merge->path);
	else if (error == OCC_E_VERSION)
		occ_message_error("database merge: %s was written by another "
				  "version of oclcache",
				  merge->path);
	else
		occ_message_error("database merge: can't write %s: %s",
				  merge->path,
				  error == OCC_E_IO ? strerror(errno)
						    : occ_error_string(error));
}

static void begin(struct merge *merge)
{
	int error = occ_database_begin(merge->out, WAIT_MS);

	if (error)
		fail(merge, error);
	merge->committed = occ_database_size(merge->out);
}

static void commit(struct merge *merge)
{
	int error = OCC_OK;

	if (merge->error == OCC_E_BUSY)
		return;
	if (merge->error)
		occ_database_abandon(merge->out);
	else
		error = occ_database_commit(merge->out);
	if (error)
		fail(merge, error);
}

/* Now and then, that little is in memory and others can add as well. */
static void pause_writing(struct merge *merge)
{
	if (merge->error ||
	    occ_database_size(merge->out) - merge->committed < BATCH_SIZE)
		return;
	commit(merge);
	if (!merge->error)
		begin(merge);
}

static bool add(struct merge *merge, enum occ_frame_type type,
		struct occ_span bytes, struct occ_digest *ret_name)
{
	int error = merge->error ? merge->error
				 : occ_database_add(merge->out, type, bytes,
						    ret_name);

	if (error)
		fail(merge, error);
	return !error;
}

static size_t number_of(const struct merge *merge,
			const struct occ_digest *name)
{
	const struct occ_record *build =
		occ_records_find(merge->records, OCC_FRAME_BUILD, name);

	return build ? (size_t)(build - merge->choice.builds)
		     : merge->choice.build_count;
}

static bool write_device(struct merge *merge, const struct occ_digest *name,
			 struct occ_digest *ret_name)
{
	const struct occ_record *device =
		occ_records_find(merge->records, OCC_FRAME_DEVICE, name);
	struct occ_buffer record = OCC_BUFFER_INIT;
	bool good;

	*ret_name = *name;
	/* Of one that isn't there nothing can be said. */
	if (!device || !device->bytes.data)
		return true;
	occ_database_strip_device(&merge->renaming, device->bytes, &record);
	good = add(merge, OCC_FRAME_DEVICE, occ_buffer_span(&record), ret_name);
	occ_buffer_release(&record);
	return good;
}

/* Of struct occ_renaming. What is missing keeps its name: it may come. */
static bool rename_frame(void *data, enum occ_frame_type type,
			 const struct occ_digest *name,
			 struct occ_digest *ret_name)
{
	struct merge *merge = data;
	size_t number;

	if (type == OCC_FRAME_DEVICE)
		return write_device(merge, name, ret_name);
	number = number_of(merge, name);
	*ret_name = *name;
	if (number == merge->choice.build_count)
		return true;
	if (merge->states[number] != WRITTEN)
		return false;
	*ret_name = merge->names[number];
	return true;
}

static bool write_content(struct merge *merge, const struct occ_digest *name)
{
	const struct occ_record *record =
		occ_records_find(merge->records, OCC_FRAME_CONTENT, name);
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	struct occ_digest same;
	bool found = record != NULL;

	if (occ_database_has(merge->out, OCC_FRAME_CONTENT, name))
		return true;
	if (found && occ_records_read(merge->records, record, &bytes))
		add(merge, OCC_FRAME_CONTENT, occ_buffer_span(&bytes), &same);
	else
		found = false;
	occ_buffer_release(&bytes);
	pause_writing(merge);
	return found;
}

/* Texts come before what needs them. */
static bool write_contents(struct merge *merge, struct occ_span build)
{
	struct occ_recorded_file file;
	struct occ_content content;
	struct occ_field field;
	size_t offset = 0;
	bool whole = true;

	while (occ_field_next(build.data, build.size, &offset, &field) == 1) {
		if (field.id == OCC_BUILD_INCLUDE_FILE &&
		    occ_recorded_file_parse(occ_field_span(&field), &file))
			whole &= write_content(merge, &file.name);
		if ((field.id == OCC_BUILD_SOURCE || field.id == OCC_BUILD_IL ||
		     field.id == OCC_BUILD_HEADER_SOURCE) &&
		    occ_content_parse(&field, &content))
			whole &= write_content(merge, &content.name);
	}
	return whole;
}

static void leave_out(struct merge *merge, size_t number, const char *why,
		      struct occ_span path)
{
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(&merge->choice.builds[number].name, hex);
	printf("left out: %s: %s", hex, why);
	if (path.size) {
		fputs(" has ", stdout);
		occ_screen_write(stdout, (const char *)path.data, path.size,
				 true);
	}
	putchar('\n');
	merge->states[number] = LEFT_OUT;
	merge->left_out++;
}

static void write_build(struct merge *merge, size_t number)
{
	struct occ_span build = merge->choice.builds[number].bytes;
	struct occ_buffer memory = OCC_BUFFER_INIT, record = OCC_BUFFER_INIT;
	struct occ_span path = {NULL, 0};
	const char *why = NULL;
	size_t before;

	if (merge->renaming.strips)
		why = occ_database_private_part(merge->records, build, &memory,
						&path);
	if (!why && !occ_database_strip_build(&merge->renaming, build, &record))
		why = "a program that it links is left out";
	if (why) {
		leave_out(merge, number, why, path);
	} else {
		merge->lacking += !write_contents(merge, build);
		before = occ_database_count(merge->out);
		if (add(merge, OCC_FRAME_BUILD, occ_buffer_span(&record),
			&merge->names[number])) {
			merge->states[number] = WRITTEN;
			merge->written++;
			merge->new += occ_database_count(merge->out) > before;
		}
		pause_writing(merge);
	}
	occ_buffer_release(&record);
	occ_buffer_release(&memory);
}

/*
 * The next build that is to be written before this one, from *offset of its
 * record on; or how many there are.
 */
static size_t next_input(const struct merge *merge, size_t number,
			 size_t *offset)
{
	struct occ_span build = merge->choice.builds[number].bytes;
	struct occ_span value;
	struct occ_digest name;
	size_t input;

	while (occ_record_next(build, OCC_BUILD_LINK_BUILD, offset, &value)) {
		if (!occ_record_name(value, &name))
			continue;
		input = number_of(merge, &name);
		if (input < merge->choice.build_count &&
		    merge->states[input] == WAITING)
			return input;
	}
	return merge->choice.build_count;
}

/*
 * The build, after what it links, which is as deep as somebody made it. The
 * stack and the offsets have room for each build once.
 */
static void write_tree(struct merge *merge, size_t number, size_t *stack,
		       size_t *offsets)
{
	size_t depth = 0;

	if (merge->states[number] != WAITING)
		return;
	merge->states[number] = OPENED;
	stack[depth++] = number;
	while (depth && !merge->error) {
		size_t top = stack[depth - 1];
		size_t input = next_input(merge, top, &offsets[top]);

		if (input == merge->choice.build_count) {
			depth--;
			write_build(merge, top);
		} else {
			merge->states[input] = OPENED;
			stack[depth++] = input;
		}
	}
}

static void write_builds(struct merge *merge)
{
	size_t count = merge->choice.build_count;
	size_t *stack = occ_message_must(calloc(count + 1, sizeof(*stack)));
	size_t *offsets = occ_message_must(calloc(count + 1, sizeof(*offsets)));

	for (size_t i = 0; i < count; i++)
		if (!merge->choice.has_build[i] ||
		    !merge->choice.builds[i].bytes.data)
			merge->states[i] = LEFT_OUT;
	for (size_t i = 0; i < count && !merge->error; i++)
		write_tree(merge, i, stack, offsets);
	free(stack);
	free(offsets);
}

static void write_uses(struct merge *merge)
{
	struct occ_digest name;

	for (size_t i = 0; i < merge->choice.use_count && !merge->error; i++) {
		struct occ_buffer record = OCC_BUFFER_INIT;

		if (!merge->choice.has_use[i])
			continue;
		if (occ_database_strip_use(&merge->renaming,
					   merge->choice.uses[i].bytes,
					   &record))
			add(merge, OCC_FRAME_USE, occ_buffer_span(&record),
			    &name);
		occ_buffer_release(&record);
		pause_writing(merge);
	}
}

/* For which device a refused build was isn't known. */
static void write_refusals(struct merge *merge)
{
	const struct occ_record *first;
	size_t count =
		occ_records_of(merge->records, OCC_FRAME_REFUSAL, &first);
	struct occ_digest name;

	if (merge->choice.device)
		return;
	for (size_t i = 0; i < count && !merge->error; i++) {
		struct occ_buffer record = OCC_BUFFER_INIT;

		if (!occ_database_choice_has_refusal(&merge->choice,
						     first[i].bytes))
			continue;
		occ_database_strip_refusal(&merge->renaming, first[i].bytes,
					   &record);
		add(merge, OCC_FRAME_REFUSAL, occ_buffer_span(&record), &name);
		occ_buffer_release(&record);
		pause_writing(merge);
	}
}

static void report(const struct merge *merge)
{
	char size[OCC_UNITS_SIZE];

	occ_screen_line("%s: %zu build%s, %zu of them new, %s%s", merge->path,
			merge->written, merge->written == 1 ? "" : "s",
			merge->new,
			occ_units_size(occ_database_size(merge->out), size),
			merge->left_out ? "; others were left out" : "");
	if (merge->lacking)
		occ_message_warning(
			"database merge: %zu of them can't be replayed, "
			"because a source or an included file is missing",
			merge->lacking);
}

static int write_all(struct merge *merge)
{
	int error = occ_database_open(merge->path, 0, &merge->out);

	if (error) {
		fail(merge, error);
		return OCC_EXIT_FAILED;
	}
	begin(merge);
	if (!merge->error) {
		write_builds(merge);
		write_uses(merge);
		write_refusals(merge);
		commit(merge);
	}
	if (!merge->error)
		report(merge);
	occ_database_close(merge->out);
	return merge->error ? OCC_EXIT_FAILED : OCC_EXIT_OK;
}

/* What is read mustn't grow meanwhile; and nothing would come of it. */
static bool is_among(const char *path, char *const *operands, size_t count)
{
	struct stat out, in;

	if (stat(path, &out))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!stat(operands[i], &in) && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino)
			return true;
	return false;
}

static const char *output_of(const struct occ_arguments *arguments,
			     char *const *operands, size_t count)
{
	const char *path = occ_arguments_value(arguments, "output");

	if (!path)
		occ_message_error(
			"database merge: name the file to write with -o OUT");
	else if (is_among(path, operands, count))
		occ_message_error(
			"database merge: %s is both input and output; name "
			"another output, or leave it out of the inputs: "
			"merging keeps what the output already contains",
			path);
	else
		return path;
	return NULL;
}

int occ_database_command_merge(const struct occ_arguments *arguments,
			       char *const *operands, size_t count)
{
	struct occ_records records = {NULL};
	struct merge merge = {.path = output_of(arguments, operands, count),
			      .records = &records,
			      .renaming = {.rename = rename_frame,
					   .strips = occ_arguments_has(
						   arguments, "strip-paths")}};
	int status = OCC_EXIT_FAILED;

	merge.renaming.data = &merge;
	if (!merge.path)
		return OCC_EXIT_USAGE;
	if (occ_records_open("database merge", operands, count, &records)) {
		status = OCC_EXIT_USAGE;
		if (occ_database_choose(arguments, &records, &merge.choice)) {
			merge.states = occ_message_must(
				calloc(merge.choice.build_count + 1,
				       sizeof(*merge.states)));
			merge.names = occ_message_must(
				calloc(merge.choice.build_count + 1,
				       sizeof(*merge.names)));
			status = write_all(&merge);
		}
		occ_database_choice_release(&merge.choice);
		free(merge.states);
		free(merge.names);
	}
	occ_records_release(&records);
	return status;
}
