/* SPDX-License-Identifier: MIT */
#include "cli/replay_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/settings.h"
#include "cli/build_request.h"
#include "cli/message.h"
#include "cli/replay_files.h"
#include "cli/replay_options.h"
#include "cli/replay_room.h"
#include "cli/screen.h"
#include "cli/text.h"

/* Of a name, for people. */
#define KERNELS_LENGTH 40
#define OPTIONS_LENGTH 60

#define SECONDS_A_DAY  86400

/* ---- names ---- */

static bool is(struct occ_span text, const char *word)
{
	return text.size == strlen(word) && !memcmp(text.data, word, text.size);
}

static char *shortened(struct occ_span text, size_t most)
{
	bool whole = text.size <= most;

	return occ_text("%.*s%s", (int)(whole ? text.size : most),
			text.size ? (const char *)text.data : "",
			whole ? "" : "...");
}

/* The first digits of the record, as `oclcache database` knows it. */
static char *name_of(const struct occ_record *build,
		     const struct occ_replay_use *uses, size_t count)
{
	struct occ_span kernel = {NULL, 0};
	char hex[OCC_DIGEST_HEX_SIZE];
	char *kernels, *options, *name;

	for (size_t i = 0; i < count && !kernel.size; i++)
		kernel = occ_record_text(uses[i].record, OCC_USE_KERNEL);
	if (!kernel.size)
		kernel = occ_record_text(build->bytes, OCC_BUILD_OPERATION);
	occ_digest_hex(&build->name, hex);
	kernels = shortened(kernel, KERNELS_LENGTH);
	options = shortened(occ_record_text(build->bytes, OCC_BUILD_OPTIONS),
			    OPTIONS_LENGTH);
	name = occ_text("%.8s %s%s%s", hex, kernels, *options ? " " : "",
			options);
	free(kernels);
	free(options);
	return name;
}

/* ---- what is left out ---- */

static void leave_out(struct occ_replay_plan *plan, const char *name,
		      const char *text, const char *detail)
{
	size_t i = 0;

	while (i < plan->reason_count &&
	       strcmp(plan->reasons[i].text, text) != 0)
		i++;
	if (i == plan->reason_count) {
		plan->reasons = occ_message_must(
			realloc(plan->reasons, (plan->reason_count + 1) *
						       sizeof(*plan->reasons)));
		plan->reasons[plan->reason_count++] =
			(struct occ_replay_reason){.text = text};
	}
	plan->reasons[i].count++;
	if (plan->says_all)
		occ_screen_line("not replayed  %s: %s%s%s", name, text,
				detail ? ": " : "", detail ? detail : "");
}

size_t occ_replay_plan_left_out(const struct occ_replay_plan *plan)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->reason_count; i++)
		count += plan->reasons[i].count;
	return count;
}

/* ---- items ---- */

/* What is known of the driver, for its variables. */
static const struct occ_driver *driver_of(const struct occ_build_setup *setup,
					  size_t device)
{
	const struct occ_probe_device *found = &setup->survey.devices[device];

	return occ_driver_of_device(found->platform, found->driver_version,
				    found->types);
}

static uint64_t expected_time(const struct occ_replay_use *uses, size_t count)
{
	uint64_t most = 0;

	for (size_t i = 0; i < count; i++)
		if (uses[i].view.compile_time != UINT64_MAX &&
		    uses[i].view.compile_time > most)
			most = uses[i].view.compile_time;
	return most;
}

static void add_item(struct occ_replay_plan *plan,
		     const struct occ_replay_program *program, size_t device,
		     size_t place)
{
	size_t number = plan->items.count++;
	struct occ_build_item *item;

	plan->programs = occ_message_must(
		realloc(plan->programs, (number + 1) * sizeof(*program)));
	plan->items.items = occ_message_must(
		realloc(plan->items.items,
			(number + 1) * sizeof(*plan->items.items)));
	item = &plan->items.items[number];
	plan->programs[number] = *program;
	occ_build_setup_item(plan->setup, device, item);
	item->name = program->name;
	item->place = place;
	item->expected = expected_time(program->uses, program->use_count);
}

/* Its fault and what it's about, or NULL: it is an item. */
static const char *plan_device(struct occ_replay_plan *plan,
			       const struct occ_record *build,
			       struct occ_replay_program *program,
			       size_t device, char **ret_detail)
{
	const struct occ_driver *driver = driver_of(plan->setup, device);
	size_t place;
	const char *fault =
		occ_replay_steps_find(plan->records, build, &program->steps);

	if (!fault)
		fault = occ_replay_options_refusal(driver, &program->steps,
						   ret_detail);
	if (!fault)
		fault = occ_replay_places_find(&plan->places, &program->steps,
					       driver, &place, ret_detail);
	if (fault) {
		occ_replay_steps_release(&program->steps);
		return fault;
	}
	program->name = name_of(build, program->uses, program->use_count);
	add_item(plan, program, device, place);
	return NULL;
}

static void plan_build(struct occ_replay_plan *plan,
		       const struct occ_record *build)
{
	struct occ_replay_program program = {.name = NULL};
	const char *fault = "not intended for any device here";
	char *detail = NULL, *name;
	bool any = false;

	program.use_count =
		occ_replay_uses_of(&plan->uses, &build->name, &program.uses);
	if (plan->application && !program.use_count)
		return;
	for (size_t i = 0; i < plan->setup->survey.count; i++) {
		if (!occ_replay_devices_has(&plan->devices, program.uses,
					    program.use_count, i))
			continue;
		free(detail);
		detail = NULL;
		fault = plan_device(plan, build, &program, i, &detail);
		any |= !fault;
	}
	if (!any) {
		name = name_of(build, program.uses, program.use_count);
		leave_out(plan, name, fault, detail);
		free(name);
	}
	free(detail);
}

/* ---- order, and what is part of others ---- */

struct position {
	const struct occ_record *build;
	uint64_t day, time;
	bool is_linked; /* by another that is compiled: it comes with that */
};

static int compare_positions(const void *one, const void *other)
{
	const struct position *a = one, *b = other;
	int result = (a->day < b->day) - (a->day > b->day);

	if (!result)
		/* Of equals the long ones: the last to end aren't. */
		result = (a->time < b->time) - (a->time > b->time);
	return result ? result
		      : memcmp(a->build->name.bytes, b->build->name.bytes,
			       OCC_DIGEST_SIZE);
}

static bool is_meant(const struct occ_replay_plan *plan,
		     const struct occ_replay_use *uses, size_t count)
{
	for (size_t i = 0; i < plan->setup->survey.count; i++)
		if ((count || !plan->application) &&
		    occ_replay_devices_has(&plan->devices, uses, count, i))
			return true;
	return false;
}

static void note_inputs(const struct occ_replay_plan *plan,
			const struct occ_record *first,
			struct position *positions,
			const struct occ_record *link)
{
	struct occ_replay_steps steps;

	if (!is(occ_record_text(link->bytes, OCC_BUILD_OPERATION), "link"))
		return;
	if (!occ_replay_steps_find(plan->records, link, &steps))
		for (size_t i = 0; i + 1 < steps.count; i++)
			positions[steps.items[i] - first].is_linked = true;
	occ_replay_steps_release(&steps);
}

/* Which builds are a step of an item; to be freed. */
static bool *find_planned(const struct occ_replay_plan *plan,
			  const struct occ_record *first, size_t count)
{
	bool *planned = occ_message_must(calloc(count + 1, sizeof(*planned)));

	for (size_t i = 0; i < plan->items.count; i++)
		for (size_t j = 0; j < plan->programs[i].steps.count; j++)
			planned[plan->programs[i].steps.items[j] - first] =
				true;
	return planned;
}

static void plan_all(struct occ_replay_plan *plan)
{
	const struct occ_record *first;
	size_t count = occ_records_of(plan->records, OCC_FRAME_BUILD, &first);
	struct position *positions =
		occ_message_must(calloc(count + 1, sizeof(*positions)));
	bool *planned;

	for (size_t i = 0; i < count; i++) {
		const struct occ_replay_use *uses;
		size_t use_count =
			occ_replay_uses_of(&plan->uses, &first[i].name, &uses);

		positions[i].build = &first[i];
		positions[i].time = expected_time(uses, use_count);
		if (use_count)
			positions[i].day = uses[0].view.day;
		if (first[i].bytes.data && is_meant(plan, uses, use_count))
			note_inputs(plan, first, positions, &first[i]);
	}
	if (count)
		qsort(positions, count, sizeof(*positions), compare_positions);
	for (size_t i = 0; i < count; i++)
		if (!positions[i].is_linked)
			plan_build(plan, positions[i].build);
	/* What links them can't be replayed, but they can, perhaps. */
	planned = find_planned(plan, first, count);
	for (size_t i = 0; i < count; i++)
		if (positions[i].is_linked &&
		    !planned[positions[i].build - first])
			plan_build(plan, positions[i].build);
	free(planned);
	free(positions);
}

/* ---- counting ---- */

static size_t count_linked(const struct occ_replay_plan *plan, size_t device,
			   enum occ_build_outcome outcome)
{
	const struct occ_record *first;
	size_t count = occ_records_of(plan->records, OCC_FRAME_BUILD, &first);
	unsigned char *outcomes = occ_message_must(calloc(count + 1, 1));
	size_t linked = 0;

	for (size_t i = 0; i < plan->items.count; i++) {
		const struct occ_replay_steps *steps = &plan->programs[i].steps;
		const struct occ_build_item *item = &plan->items.items[i];

		for (size_t j = 0;
		     item->device_number == device && j + 1 < steps->count;
		     j++) {
			unsigned char *one = &outcomes[steps->items[j] - first];

			if (!*one || *one > item->outcome)
				*one = (unsigned char)item->outcome;
		}
	}
	for (size_t i = 0; i < count; i++)
		linked += outcomes[i] == outcome;
	free(outcomes);
	return linked;
}

size_t occ_replay_plan_linked(const struct occ_replay_plan *plan,
			      enum occ_build_outcome outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->setup->survey.count; i++)
		count += count_linked(plan, i, outcome);
	return count;
}

/* ---- requests ---- */

/* Is the word one of the options? */
static bool has_option(struct occ_span options, const char *word)
{
	size_t length = strlen(word), i = 0, start;

	while (i < options.size) {
		while (i < options.size &&
		       strchr(" \t\n\v\f\r", options.data[i]))
			i++;
		start = i;
		while (i < options.size &&
		       !strchr(" \t\n\v\f\r", options.data[i]))
			i++;
		if (i - start == length &&
		    !memcmp(options.data + start, word, length))
			return true;
	}
	return false;
}

/*
 * Those that the application made. A library is for others to link: Intel's
 * CPU runtime crashes when kernels of one are made (doc/drivers.md).
 */
static void write_kernels(const struct occ_replay_program *program,
			  struct occ_buffer *request)
{
	struct occ_buffer names = OCC_BUFFER_INIT;
	size_t count = program->steps.count;
	struct occ_span last = program->steps.items[count - 1]->bytes;

	if (is(occ_record_text(last, OCC_BUILD_OPERATION), "compile") ||
	    has_option(occ_record_text(last, OCC_BUILD_OPTIONS),
		       "-create-library"))
		return;
	for (size_t i = 0; i < program->use_count; i++) {
		struct occ_span name;
		size_t offset = 0;

		while (occ_record_next(program->uses[i].record, OCC_USE_KERNEL,
				       &offset, &name)) {
			char *text = occ_message_must(
				strndup((const char *)name.data, name.size));

			if (*text && !occ_buffer_has_string(&names, text)) {
				occ_buffer_append(&names, text,
						  strlen(text) + 1);
				occ_field_append(request, OCC_REQUEST_KERNEL,
						 text, strlen(text));
			}
			free(text);
		}
	}
	occ_buffer_release(&names);
}

static bool write_request(size_t index, struct occ_buffer *request, void *data)
{
	const struct occ_replay_plan *plan = data;
	const struct occ_replay_program *program = &plan->programs[index];

	occ_record_append_number(request, OCC_REQUEST_DEVICE,
				 plan->items.items[index].device_number);
	write_kernels(program, request);
	return occ_replay_steps_write(plan->records, &program->steps, request);
}

/* Of each step the entry that it was served from. */
static char *check_entries(size_t index, const char *hashes, void *data)
{
	const struct occ_replay_plan *plan = data;
	const struct occ_replay_steps *steps = &plan->programs[index].steps;
	char *copy = occ_message_must(strdup(hashes)), *rest = copy, *hash;
	char *path = NULL, *text = NULL;

	for (size_t i = 0; i < steps->count && !path; i++) {
		hash = strsep(&rest, " ");
		if (!hash)
			break;
		path = occ_replay_files_compare(plan->setup->directory, hash,
						steps->items[i]->bytes);
	}
	if (path)
		text = occ_text("other included files are found first: %s",
				path);
	free(path);
	free(copy);
	return text;
}

/* Files of others that it shares a process with may be in the way, once. */
static bool move_apart(size_t index, void *data)
{
	struct occ_replay_plan *plan = data;
	struct occ_replay_program *program = &plan->programs[index];
	struct occ_build_item *item = &plan->items.items[index];
	size_t place;

	if (program->is_apart)
		return false;
	program->is_apart = true;
	if (!occ_replay_places_apart(&plan->places, &program->steps,
				     driver_of(plan->setup,
					       item->device_number),
				     item->place, &place))
		return false;
	item->place = place;
	return true;
}

/* What was used before the day of the program's last use may go for it. */
static bool make_room(size_t index, void *data)
{
	const struct occ_replay_plan *plan = data;
	const struct occ_replay_program *program = &plan->programs[index];

	return program->use_count &&
	       occ_replay_room_make(plan->setup->directory, plan->max_size,
				    (int64_t)program->uses[0].view.day *
					    SECONDS_A_DAY);
}

/* ---- all of it ---- */

bool occ_replay_plan_make(struct occ_replay_plan *plan)
{
	struct occ_settings settings;

	occ_settings_read(&settings);
	plan->hashed = settings.hash_environment
			       ? occ_text("%s", settings.hash_environment)
			       : NULL;
	plan->max_size = settings.max_size;
	occ_settings_release(&settings);
	occ_replay_uses_make(plan->records, plan->application, &plan->uses);
	plan->devices =
		(struct occ_replay_devices){.records = plan->records,
					    .survey = &plan->setup->survey,
					    .wanted = plan->setup->wanted,
					    .by_hand = plan->by_hand};
	occ_replay_devices_begin(&plan->devices);
	plan->places =
		(struct occ_replay_places){.records = plan->records,
					   .scratch = plan->setup->scratch,
					   .hashed = plan->hashed,
					   .possible = -1};
	plan_all(plan);
	if (!occ_replay_places_make(&plan->places, plan->items.count))
		return false;
	occ_build_setup_items(plan->setup, &plan->items);
	plan->items.places = plan->places.items;
	plan->items.write = write_request;
	plan->items.check = check_entries;
	plan->items.move = move_apart;
	plan->items.make_room = make_room;
	plan->items.data = plan;
	return true;
}

void occ_replay_plan_release(struct occ_replay_plan *plan)
{
	for (size_t i = 0; i < plan->items.count; i++) {
		occ_replay_steps_release(&plan->programs[i].steps);
		free(plan->programs[i].name);
	}
	free(plan->programs);
	free(plan->hashed);
	free(plan->reasons);
	occ_build_items_release(&plan->items);
	occ_replay_places_release(&plan->places);
	occ_replay_devices_end(&plan->devices);
	occ_replay_uses_release(&plan->uses);
}
