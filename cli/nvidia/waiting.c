/* SPDX-License-Identifier: MIT */
#include "cli/nvidia/waiting.h"

#include <CL/cl.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/entry.h"
#include "cache/counters.h"
#include "cache/entry_file.h"
#include "cache/state.h"
#include "cache/store.h"
#include "cache/upgrade_skip.h"
#include "cli/catalogue.h"
#include "cli/message.h"
#include "cli/nvidia/driver.h"
#include "cli/nvidia/variables.h"
#include "cli/store_path.h"
#include "cli/text.h"

/* ---- a device's verdict ---- */

/*
 * u32 the maker's number; if it isn't good u8: how often it is tried, 0 for
 * never again, and the reason.
 */
#define MAKER_SIZE   4
#define AT_TRIES     4
#define AT_REASON    5

#define TRIES_ABSENT 255

#define NAME_BEGINS  "code "

static char *name_of(const struct occ_driver_device *device)
{
	return occ_text(NAME_BEGINS "%s, %s, %s", device->driver_version,
			device->platform_version, device->name);
}

enum occ_verdict occ_waiting_verdict(const struct occ_buffer *state,
				     const struct occ_driver_device *device,
				     char ret_reason[OCC_VERDICT_SIZE])
{
	unsigned char value[AT_REASON + OCC_VERDICT_SIZE];
	char *name = name_of(device);
	size_t size = 0;
	bool found =
		occ_state_find(state, name, value, sizeof(value) - 1, &size);

	free(name);
	*ret_reason = '\0';
	if (!found || size < MAKER_SIZE || occ_get_u32(value) != OCC_CODE_MAKER)
		return OCC_VERDICT_NONE;
	if (size == MAKER_SIZE)
		return OCC_VERDICT_GOOD;
	memcpy(ret_reason, value + AT_REASON, size - AT_REASON);
	ret_reason[size - AT_REASON] = '\0';
	if (value[AT_TRIES] == TRIES_ABSENT)
		return OCC_VERDICT_ABSENT;
	return value[AT_TRIES] ? OCC_VERDICT_AGAIN : OCC_VERDICT_BAD;
}

/* After those that the state has now. */
static unsigned char tries_of(struct occ_store *store, const char *name,
			      enum occ_verdict verdict)
{
	unsigned char value[AT_REASON + OCC_VERDICT_SIZE];
	unsigned tries = 1;
	size_t size;

	if (verdict == OCC_VERDICT_ABSENT)
		return TRIES_ABSENT;
	if (verdict != OCC_VERDICT_AGAIN)
		return 0;
	if (!occ_state_get(store, name, value, sizeof(value), &size) &&
	    size > AT_TRIES && occ_get_u32(value) == OCC_CODE_MAKER &&
	    value[AT_TRIES] != TRIES_ABSENT)
		tries += value[AT_TRIES];
	return tries < OCC_VERDICT_TRIES ? (unsigned char)tries : 0;
}

/* Remembers one. Longer reasons are cut. */
void occ_waiting_note_verdict(struct occ_store *store,
			      const struct occ_driver_device *device,
			      enum occ_verdict verdict, const char *reason)
{
	unsigned char value[AT_REASON + OCC_VERDICT_SIZE];
	size_t size = MAKER_SIZE, length;
	char *name = name_of(device);

	occ_put_u32(value, OCC_CODE_MAKER);
	if (verdict != OCC_VERDICT_GOOD && reason) {
		length = strnlen(reason, OCC_VERDICT_SIZE - 1);
		value[AT_TRIES] = tries_of(store, name, verdict);
		memcpy(value + AT_REASON, reason, length);
		size = AT_REASON + length;
	}
	occ_state_set(store, name, value, size);
	free(name);
}

/* Is any device's remembered? */
static bool is_any_verdict(const struct occ_buffer *state)
{
	return state->size && memmem(state->data, state->size, NAME_BEGINS,
				     strlen(NAME_BEGINS));
}

/* Driver's strings, with a NUL or without. */
#define TEXT_SIZE 512

/* Empty when there is none, or a long one. */
static struct occ_span field(const struct occ_entry *entry,
			     enum occ_key_field id)
{
	struct occ_field found;

	if (occ_field_find(entry->key.data, entry->key.size, (uint16_t)id,
			   &found) != 1 ||
	    found.kind != OCC_FIELD_BYTES)
		return (struct occ_span){NULL, 0};
	return (struct occ_span){found.payload, (size_t)found.length};
}

static bool field_is(const struct occ_entry *entry, enum occ_key_field id,
		     const char *text)
{
	struct occ_span bytes = field(entry, id);

	return bytes.data && bytes.size == strlen(text) &&
	       !memcmp(bytes.data, text, bytes.size);
}

const char occ_waiting_no_room[] = "there is no room for it in the store";

static const char *copy(const struct occ_entry *entry, enum occ_key_field id,
			char ret_text[TEXT_SIZE])
{
	struct occ_span bytes = field(entry, id);

	if (bytes.size >= TEXT_SIZE)
		bytes.size = TEXT_SIZE - 1;
	if (bytes.size)
		memcpy(ret_text, bytes.data, bytes.size);
	ret_text[bytes.size] = '\0';
	return ret_text;
}

/* Was it tried, in vain? */
static enum occ_nvidia_waiting judge_memory(const struct occ_entry *entry,
					    const struct occ_buffer *state,
					    char ret_reason[OCC_WAITING_REASON])
{
	char version[TEXT_SIZE], name[TEXT_SIZE], driver[TEXT_SIZE];
	struct occ_driver_device device = {
		copy(entry, OCC_KEY_PLATFORM_VERSION, version),
		copy(entry, OCC_KEY_DEVICE_NAME, name),
		copy(entry, OCC_KEY_DRIVER_VERSION, driver),
	};

	struct occ_upgrade_skip leftover;

	_Static_assert(OCC_UPGRADE_SKIP_SIZE <= OCC_WAITING_REASON &&
			       OCC_VERDICT_SIZE <= OCC_WAITING_REASON,
		       "there is room for all reasons");
	if (occ_upgrade_skip_find(state, entry, &leftover)) {
		memcpy(ret_reason, leftover.reason, sizeof(leftover.reason));
		return leftover.is_final ? OCC_NVIDIA_WAITING_LEFT
					 : OCC_NVIDIA_WAITING_AGAIN;
	}
	switch (occ_waiting_verdict(state, &device, ret_reason)) {
	case OCC_VERDICT_BAD:
		return OCC_NVIDIA_WAITING_LEFT;
	case OCC_VERDICT_ABSENT:
	case OCC_VERDICT_AGAIN:
		return OCC_NVIDIA_WAITING_AGAIN;
	default:
		return OCC_NVIDIA_WAITING_YES;
	}
}

/* What needn't be tried: it isn't made here. */
static bool is_never(const struct occ_entry *entry,
		     char ret_reason[OCC_WAITING_REASON])
{
	static const char why[] = "it may depend on ";
	size_t length = sizeof(why) - 1;

	if (!field_is(entry, OCC_KEY_OPERATION, "build")) {
		snprintf(ret_reason, OCC_WAITING_REASON, "%s",
			 "it was made by clLinkProgram");
		return true;
	}
	memcpy(ret_reason, why, sizeof(why));
	return !occ_variables_are_known(field(entry, OCC_KEY_ENVIRONMENT),
					ret_reason + length,
					OCC_WAITING_REASON - length);
}

/* Only what the layer would load device code of is waited for. */
enum occ_nvidia_waiting occ_waiting_judge(const struct occ_entry *entry,
					  uint32_t code_maker,
					  const struct occ_buffer *state,
					  char ret_reason[OCC_WAITING_REASON])
{
	*ret_reason = '\0';
	if (!field_is(entry, OCC_KEY_PLATFORM_NAME,
		      occ_driver_nvidia.platform_name) ||
	    occ_entry_number(entry, OCC_META_BINARY_TYPE, 0) !=
		    CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
		return OCC_NVIDIA_WAITING_NOT;
	if (code_maker == OCC_CODE_MAKER)
		return OCC_NVIDIA_WAITING_DONE;
	if (is_never(entry, ret_reason))
		return OCC_NVIDIA_WAITING_NEVER;
	return state ? judge_memory(entry, state, ret_reason)
		     : OCC_NVIDIA_WAITING_YES;
}

static void count_reason(struct occ_nvidia_counts *counts, const char *text,
			 enum occ_nvidia_waiting kind)
{
	for (size_t i = 0; i < counts->reason_count; i++) {
		if (strcmp(counts->reasons[i].text, text) != 0 ||
		    counts->reasons[i].kind != kind)
			continue;
		counts->reasons[i].count++;
		return;
	}
	counts->reasons = occ_message_must(
		reallocarray(counts->reasons, counts->reason_count + 1,
			     sizeof(*counts->reasons)));
	counts->reasons[counts->reason_count++] =
		(struct occ_nvidia_reason){occ_message_must(strdup(text)), 1,
					   kind};
}

static void count_entry(const struct occ_entry_file *summary, bool fits,
			const struct occ_buffer *state,
			struct occ_nvidia_counts *counts)
{
	char reason[OCC_WAITING_REASON];
	enum occ_nvidia_waiting waiting =
		occ_waiting_judge(&summary->entry, summary->code_maker, state,
				  reason);

	if (waiting == OCC_NVIDIA_WAITING_YES && !fits) {
		snprintf(reason, sizeof(reason), "%s", occ_waiting_no_room);
		waiting = OCC_NVIDIA_WAITING_NEVER;
	}
	switch (waiting) {
	case OCC_NVIDIA_WAITING_NOT:
		return;
	case OCC_NVIDIA_WAITING_DONE:
		counts->done++;
		return;
	case OCC_NVIDIA_WAITING_YES:
		counts->waiting++;
		return;
	case OCC_NVIDIA_WAITING_AGAIN:
	case OCC_NVIDIA_WAITING_LEFT:
	case OCC_NVIDIA_WAITING_NEVER:
		counts->left++;
		counts->again += waiting == OCC_NVIDIA_WAITING_AGAIN;
		count_reason(counts, reason, waiting);
	}
}

static void count_all(struct occ_store *store, int directory,
		      const struct occ_catalogue *catalogue, bool retry,
		      struct occ_nvidia_counts *counts)
{
	struct occ_entry_file summary = {0};
	uint64_t room = occ_waiting_room(store);
	struct occ_buffer state;

	occ_state_read(store, &state);
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct occ_item *item = &catalogue->items[i];

		if (!item->fault &&
		    !strcmp(item->platform, occ_driver_nvidia.platform_name) &&
		    !occ_entry_file_read(directory, item->file->name, false,
					 OCC_ENTRY_FILE_SUMMARY, &summary))
			count_entry(&summary, item->file->size < room,
				    retry ? NULL : &state, counts);
	}
	occ_buffer_release(&state);
	occ_entry_file_release(&summary);
}

/* Most often first. */
static int compare(const void *left, const void *right)
{
	const struct occ_nvidia_reason *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(a->text, b->text);
}

uint64_t occ_waiting_room(struct occ_store *store)
{
	uint64_t most = occ_store_path_max_size(), size;

	if (!most || occ_store_measure(store, &size))
		return UINT64_MAX;
	return size < most ? most - size : 0;
}

bool occ_nvidia_count(struct occ_store *store, bool retry,
		      struct occ_nvidia_counts *ret_counts)
{
	int directory = open(occ_store_directory(store),
			     O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct occ_catalogue catalogue;
	bool good;

	*ret_counts = (struct occ_nvidia_counts){.done = 0};
	if (directory < 0)
		return true;
	good = occ_catalogue_read(store, NULL, &catalogue);
	if (good) {
		count_all(store, directory, &catalogue, retry, ret_counts);
		occ_catalogue_release(&catalogue);
	}
	close(directory);
	if (ret_counts->reason_count)
		qsort(ret_counts->reasons, ret_counts->reason_count,
		      sizeof(*ret_counts->reasons), compare);
	return good;
}

void occ_nvidia_release(struct occ_nvidia_counts *counts)
{
	for (size_t i = 0; i < counts->reason_count; i++)
		free(counts->reasons[i].text);
	free(counts->reasons);
	*counts = (struct occ_nvidia_counts){.done = 0};
}

bool occ_nvidia_is_here(void)
{
	/* Linux', and Windows' for Linux programs. */
	static const char *const devices[] = {"/dev/nvidiactl", "/dev/dxg"};
	const char *root = getenv("OCLCACHE_ROOT");
	bool is = false;

	for (size_t i = 0; !is && i < sizeof(devices) / sizeof(*devices); i++) {
		char *path = occ_text("%s%s", root ? root : "", devices[i]);

		is = !access(path, F_OK);
		free(path);
	}
	return is;
}

bool occ_nvidia_may_wait(struct occ_store *store)
{
	struct occ_counters counters;
	struct occ_buffer state;
	bool may;

	if (occ_nvidia_is_here() || (!occ_counters_read(store, &counters) &&
				     counters.numbers[OCC_COUNT_WITHOUT_CODE]))
		return true;
	occ_state_read(store, &state);
	may = is_any_verdict(&state);
	occ_buffer_release(&state);
	return may;
}

void occ_nvidia_write_json(struct occ_json *json,
			   const struct occ_nvidia_counts *counts)
{
	if (!counts->done && !counts->waiting && !counts->left)
		return;
	occ_json_begin(json, "device_code", '{');
	occ_json_number(json, "upgraded", counts->done);
	occ_json_number(json, "waiting", counts->waiting);
	occ_json_begin(json, "left", '{');
	occ_json_number(json, "total", counts->left);
	occ_json_begin(json, "reasons", '{');
	for (size_t i = 0; i < counts->reason_count; i++)
		occ_json_number(json, counts->reasons[i].text,
				counts->reasons[i].count);
	occ_json_end(json, '}');
	occ_json_end(json, '}');
	occ_json_end(json, '}');
}
