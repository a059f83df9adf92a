/* SPDX-License-Identifier: MIT */
#include "cli/database_choice.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/record_view.h"
#include "cli/selection.h"
#include "hash/key.h"

#define SECONDS_A_DAY 86400

/* A day counts until its end: nobody knows when on it the use was. */
static bool has_day(const struct occ_database_choice *choice, uint64_t day)
{
	return choice->used_after == INT64_MIN ||
	       (day < INT64_MAX / SECONDS_A_DAY &&
		(int64_t)(day + 1) * SECONDS_A_DAY > choice->used_after);
}

static bool is_such_device(const struct occ_database_choice *choice,
			   struct occ_span device)
{
	static const uint16_t ids[] = {OCC_KEY_DEVICE_NAME,
				       OCC_KEY_DEVICE_VENDOR,
				       OCC_KEY_PLATFORM_NAME};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (occ_selection_has_text(occ_record_text(device, ids[i]),
					   choice->device))
			return true;
	return false;
}

static bool is_on_such_device(const struct occ_records *records,
			      const struct occ_database_choice *choice,
			      struct occ_span use)
{
	const struct occ_record *device;
	struct occ_span value;
	struct occ_digest name;
	size_t offset = 0;

	while (occ_record_next(use, OCC_USE_DEVICE, &offset, &value)) {
		if (!occ_record_name(value, &name))
			continue;
		device = occ_records_find(records, OCC_FRAME_DEVICE, &name);
		if (device && device->bytes.data &&
		    is_such_device(choice, device->bytes))
			return true;
	}
	return false;
}

static bool is_chosen(const struct occ_records *records,
		      const struct occ_database_choice *choice,
		      struct occ_span use, const struct occ_use_view *view)
{
	return has_day(choice, view->day) &&
	       (!choice->application ||
		occ_selection_has_text(view->application,
				       choice->application)) &&
	       (!choice->device || is_on_such_device(records, choice, use));
}

/* Its number among the builds, or how many there are. */
static size_t number_of(const struct occ_database_choice *choice,
			const struct occ_record *build)
{
	return build ? (size_t)(build - choice->builds) : choice->build_count;
}

static void choose_uses(const struct occ_records *records,
			struct occ_database_choice *choice)
{
	struct occ_use_view view;
	size_t number;

	for (size_t i = 0; i < choice->use_count; i++) {
		struct occ_span use = choice->uses[i].bytes;

		if (!use.data || !occ_use_view(use, &view) ||
		    !is_chosen(records, choice, use, &view))
			continue;
		number = number_of(choice,
				   occ_records_find(records, OCC_FRAME_BUILD,
						    &view.build));
		if (number == choice->build_count)
			continue;
		choice->has_use[i] = choice->has_build[number] = true;
	}
}

/* What is linked, and what that links: until there is nothing new. */
static void choose_inputs(const struct occ_records *records,
			  struct occ_database_choice *choice)
{
	size_t *left = occ_message_must(
		calloc(choice->build_count + 1, sizeof(*left)));
	size_t left_count = 0;

	for (size_t i = 0; i < choice->build_count; i++)
		if (choice->has_build[i])
			left[left_count++] = i;
	while (left_count) {
		struct occ_span build =
			choice->builds[left[--left_count]].bytes;
		struct occ_span value;
		struct occ_digest name;
		size_t offset = 0, number;

		while (build.data &&
		       occ_record_next(build, OCC_BUILD_LINK_BUILD, &offset,
				       &value)) {
			if (!occ_record_name(value, &name))
				continue;
			number = number_of(choice,
					   occ_records_find(records,
							    OCC_FRAME_BUILD,
							    &name));
			if (number == choice->build_count ||
			    choice->has_build[number])
				continue;
			choice->has_build[number] = true;
			left[left_count++] = number;
		}
	}
	free(left);
}

bool occ_database_choose(const struct occ_arguments *arguments,
			 const struct occ_records *records,
			 struct occ_database_choice *ret_choice)
{
	struct occ_database_choice *choice = ret_choice;

	memset(choice, 0, sizeof(*choice));
	choice->application = occ_arguments_value(arguments, "application");
	choice->device = occ_arguments_value(arguments, "device");
	choice->used_after = INT64_MIN;
	if (!occ_selection_parse_age(arguments, "database merge", "used-within",
				     &choice->used_after))
		return false;
	choice->is_any = !choice->application && !choice->device &&
			 choice->used_after == INT64_MIN;
	choice->build_count =
		occ_records_of(records, OCC_FRAME_BUILD, &choice->builds);
	choice->use_count =
		occ_records_of(records, OCC_FRAME_USE, &choice->uses);
	choice->has_build =
		occ_message_must(calloc(choice->build_count + 1, sizeof(bool)));
	choice->has_use =
		occ_message_must(calloc(choice->use_count + 1, sizeof(bool)));
	if (choice->is_any)
		memset(choice->has_build, true, choice->build_count);
	choose_uses(records, choice);
	choose_inputs(records, choice);
	return true;
}

void occ_database_choice_release(struct occ_database_choice *choice)
{
	free(choice->has_build);
	free(choice->has_use);
}

bool occ_database_choice_has_refusal(const struct occ_database_choice *choice,
				     struct occ_span refusal)
{
	struct occ_refusal_view view;
	struct occ_span day;

	if (!refusal.data || !occ_refusal_view(refusal, &view))
		return false;
	day = occ_record_text(refusal, OCC_REFUSAL_DAY);
	return has_day(choice, day.size == 8 ? occ_get_u64(day.data) : 0) &&
	       (!choice->application ||
		occ_selection_has_text(view.application, choice->application));
}
