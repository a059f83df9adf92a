/* SPDX-License-Identifier: MIT */
#include "cli/replay_devices.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

#include "cli/device_answers.h"
#include "cli/message.h"
#include "hash/key.h"

/* Of cl_khr_device_uuid, which older headers haven't. */
#define UUID_FIRST 0x106A
#define UUID_LAST  0x106E

/* Who answers differently is another driver, whatever else is the same. */
static bool identifies(uint32_t parameter)
{
	switch (parameter) {
	case CL_DEVICE_NAME:
	case CL_DEVICE_VENDOR:
	case CL_DEVICE_VENDOR_ID:
	case CL_DEVICE_VERSION:
	case CL_DRIVER_VERSION:
		return true;
	default:
		return parameter >= UUID_FIRST && parameter <= UUID_LAST;
	}
}

static struct occ_span trimmed(struct occ_span text)
{
	while (text.size && !text.data[text.size - 1])
		text.size--;
	return text;
}

static bool is_platform(struct occ_span device, const char *platform)
{
	struct occ_span name =
		trimmed(occ_record_text(device, OCC_KEY_PLATFORM_NAME));

	return name.size == strlen(platform) &&
	       !memcmp(name.data, platform, name.size);
}

/* CL_DEVICE_TYPE, but for which one is the default; 0: not known. */
static uint64_t type_of(struct occ_span device)
{
	struct occ_span numbers =
		occ_record_text(device, OCC_KEY_DEVICE_NUMBERS);

	return numbers.size < sizeof(uint64_t)
		       ? 0
		       : occ_get_u64(numbers.data) &
				 ~(uint64_t)CL_DEVICE_TYPE_DEFAULT;
}

static bool is_type(struct occ_span device, uint64_t types)
{
	return type_of(device) == (types & ~(uint64_t)CL_DEVICE_TYPE_DEFAULT);
}

/* Did somebody ask, and never who it is? */
static bool asked_harmlessly(struct occ_span device)
{
	struct occ_span asked;
	size_t offset = 0, count = 0;

	while (occ_record_next(device, OCC_DEVICE_ASKED, &offset, &asked)) {
		if (asked.size < sizeof(uint32_t) ||
		    identifies(occ_get_u32(asked.data)))
			return false;
		count++;
	}
	return count;
}

static bool answers_same(struct occ_span device,
			 const struct occ_device_answers *answers,
			 size_t number)
{
	struct occ_span asked;
	size_t offset = 0;

	while (occ_record_next(device, OCC_DEVICE_ASKED, &offset, &asked)) {
		struct occ_span recorded = {asked.data + sizeof(uint32_t),
					    asked.size - sizeof(uint32_t)};

		if (!occ_device_answers_has(answers, number,
					    occ_get_u32(asked.data), recorded))
			return false;
	}
	return true;
}

/* By what they are alone; true: it is decided. */
static bool decide_at_once(struct occ_replay_devices *devices, size_t recorded,
			   size_t here)
{
	struct occ_span device = devices->recorded[recorded].bytes;
	const struct occ_probe_device *found = &devices->survey->devices[here];
	bool *meant = &devices->meant[recorded * devices->survey->count + here];

	*meant = false;
	if (!device.data || !devices->wanted[here] ||
	    !is_type(device, found->types))
		return true;
	*meant = is_platform(device, found->platform);
	return *meant || !asked_harmlessly(device);
}

static void add_questions(struct occ_replay_devices *devices, size_t recorded,
			  struct occ_device_answers *answers)
{
	struct occ_span device = devices->recorded[recorded].bytes, asked;
	size_t offset = 0;

	while (occ_record_next(device, OCC_DEVICE_ASKED, &offset, &asked))
		if (asked.size >= sizeof(uint32_t))
			occ_device_answers_want(answers,
						occ_get_u32(asked.data));
}

void occ_replay_devices_begin(struct occ_replay_devices *devices)
{
	struct occ_device_answers answers = {.count = 0};
	size_t here = devices->survey->count;

	devices->recorded_count =
		occ_records_of(devices->records, OCC_FRAME_DEVICE,
			       &devices->recorded);
	devices->meant = occ_message_must(
		calloc(devices->recorded_count * here + 1, sizeof(bool)));
	for (size_t i = 0; i < devices->recorded_count; i++)
		for (size_t j = 0; j < here; j++)
			if (!decide_at_once(devices, i, j))
				add_questions(devices, i, &answers);
	if (!answers.count || devices->by_hand) {
		occ_device_answers_release(&answers);
		return;
	}
	occ_device_answers_find(&answers);
	for (size_t i = 0; i < devices->recorded_count; i++)
		for (size_t j = 0; j < here; j++)
			if (!decide_at_once(devices, i, j))
				devices->meant[i * here + j] =
					answers_same(devices->recorded[i].bytes,
						     &answers, j);
	occ_device_answers_release(&answers);
}

void occ_replay_devices_end(struct occ_replay_devices *devices)
{
	free(devices->meant);
	devices->meant = NULL;
}

static bool use_has(const struct occ_replay_devices *devices,
		    struct occ_span use, size_t device)
{
	struct occ_span value;
	size_t offset = 0;

	while (occ_record_next(use, OCC_USE_DEVICE, &offset, &value)) {
		const struct occ_record *record;
		struct occ_digest name;

		if (!occ_record_name(value, &name))
			continue;
		record = occ_records_find(devices->records, OCC_FRAME_DEVICE,
					  &name);
		if (record &&
		    devices->meant[(size_t)(record - devices->recorded) *
					   devices->survey->count +
				   device])
			return true;
	}
	return false;
}

bool occ_replay_devices_has(const struct occ_replay_devices *devices,
			    const struct occ_replay_use *uses, size_t count,
			    size_t device)
{
	if (!devices->wanted[device] || devices->by_hand)
		return devices->wanted[device];
	for (size_t i = 0; i < count; i++)
		if (use_has(devices, uses[i].record, device))
			return true;
	return false;
}
