/* SPDX-License-Identifier: MIT */
#include "cli/nvidia/nvidia.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cache/entry.h"
#include "cache/file.h"
#include "cache/entry_file.h"
#include "cache/state.h"
#include "cache/upgrade_skip.h"
#include "cli/catalogue.h"
#include "cli/child.h"
#include "cli/message.h"
#include "cli/nvidia/assembly.h"
#include "cli/nvidia/waiting.h"
#include "cli/progress.h"
#include "cli/scratch.h"
#include "cli/screen.h"

#define NS_PER_S UINT64_C(1000000000)

/* Between two looks at whether another one is still at work. */
#define PAUSE_NS UINT64_C(100000000)

/* What is found out of an entry. */
struct program {
	struct occ_entry_file whole;
	char *platform_version;
	char *device;
	char *driver;
	char *options;
};

/* A device that was tried. */
struct probe {
	struct occ_driver_device device; /* its texts are ours */
	char *reason;			 /* NULL: it is good */
	bool is_old;			 /* the reason was the same before */
};

/* What is said of the store when it can't be written to. */
enum access {
	ACCESS_UNKNOWN,
	ACCESS_GOOD,
	ACCESS_NONE,
};

struct work {
	struct occ_nvidia_upgrade *upgrading;
	int directory;
	char *scratch;
	uint64_t end; /* of the monotonic clock; UINT64_MAX: none */
	enum access access;
	struct occ_buffer state;
	struct occ_entry_file summary;
	struct probe *probes;
	size_t probe_count;
	/* Hashes that were looked at. */
	struct occ_digest *seen;
	size_t seen_count;
};

static char *field(const struct occ_entry_file *whole, enum occ_key_field id)
{
	struct occ_span bytes;

	if (!occ_entry_file_find(whole, id, &bytes))
		return NULL;
	return occ_message_must(strndup((const char *)bytes.data, bytes.size));
}

static uint32_t code_maker(const struct occ_entry *entry)
{
	struct occ_code code;

	return occ_code_parse(entry->code, &code) ? code.maker : 0;
}

/* False: there is nothing to do for it any more. */
static bool read_program(const struct work *work, const char *name,
			 struct program *program)
{
	struct occ_entry_file *whole = &program->whole;
	char reason[OCC_WAITING_REASON];

	if (occ_entry_file_read(work->directory, name, false,
				OCC_ENTRY_FILE_WHOLE, whole) ||
	    occ_waiting_judge(&whole->entry, code_maker(&whole->entry), NULL,
			      reason) != OCC_NVIDIA_WAITING_YES)
		return false;
	program->platform_version = field(whole, OCC_KEY_PLATFORM_VERSION);
	program->device = field(whole, OCC_KEY_DEVICE_NAME);
	program->driver = field(whole, OCC_KEY_DRIVER_VERSION);
	program->options = field(whole, OCC_KEY_OPTIONS);
	return program->platform_version && program->device && program->driver;
}

/* Of a device that was tried already that; else a new one, which is noted. */
static struct probe *probe_of(struct work *work,
			      const struct occ_driver_device *device,
			      bool *ret_is_new)
{
	struct probe *probe;

	*ret_is_new = false;
	for (size_t i = 0; i < work->probe_count; i++) {
		probe = &work->probes[i];
		if (!strcmp(probe->device.name, device->name) &&
		    !strcmp(probe->device.platform_version,
			    device->platform_version) &&
		    !strcmp(probe->device.driver_version,
			    device->driver_version))
			return probe;
	}
	work->probes = occ_message_must(reallocarray(work->probes,
						     work->probe_count + 1,
						     sizeof(*work->probes)));
	probe = &work->probes[work->probe_count++];
	*probe = (struct probe){
		.device = {
			occ_message_must(strdup(device->platform_version)),
			occ_message_must(strdup(device->name)),
			occ_message_must(strdup(device->driver_version)),
		}};
	*ret_is_new = true;
	return probe;
}

static const struct probe *try_device(struct work *work,
				      const struct occ_driver_device *device)
{
	static const enum occ_verdict verdicts[] = {
		[OCC_ASSEMBLY_ABSENT] = OCC_VERDICT_ABSENT,
		[OCC_ASSEMBLY_PASSING] = OCC_VERDICT_AGAIN,
		[OCC_ASSEMBLY_FINAL] = OCC_VERDICT_BAD,
	};
	bool is_new;
	struct probe *probe = probe_of(work, device, &is_new);
	char reason[OCC_VERDICT_SIZE];
	enum occ_assembly_fault fault;

	if (!is_new || occ_waiting_verdict(&work->state, device, reason) ==
			       OCC_VERDICT_GOOD)
		return probe;
	probe->reason = occ_assembly_probe(device, work->scratch, &fault);
	probe->is_old = probe->reason && !strcmp(probe->reason, reason);
	if (!occ_child_interrupted())
		occ_waiting_note_verdict(work->upgrading->store, device,
					 probe->reason ? verdicts[fault]
						       : OCC_VERDICT_GOOD,
					 probe->reason);
	return probe;
}

/* NULL, or why not. */
static const char *store_code(struct work *work, const struct program *program,
			      const struct occ_buffer *section)
{
	struct occ_key key;
	int error = occ_entry_file_key(&program->whole, &key);

	if (error)
		return occ_error_string(error);
	error = occ_store_set_code(work->upgrading->store, &key,
				   program->whole.entry.binary,
				   occ_buffer_span(section));
	occ_key_release(&key);
	if (error == OCC_E_TOO_LARGE)
		return occ_waiting_no_room;
	return error ? occ_error_string(error) : NULL;
}

/* `reason` NULL: it was done. */
static void tell(struct work *work, const char *name, const char *reason,
		 bool is_old)
{
	struct occ_nvidia_upgrade *upgrading = work->upgrading;

	upgrading->failed += reason != NULL;
	upgrading->done += !reason;
	if (upgrading->quiet && (!reason || is_old))
		return;
	occ_progress_hide();
	printf("%-9s %.32s", reason ? "left" : "upgraded", name);
	if (reason)
		fputs(": ", stdout);
	if (reason)
		occ_screen_text(reason);
	putchar('\n');
	fflush(stdout);
}

static void upgrade_program(struct work *work, const char *name,
			    const struct program *program)
{
	struct occ_assembly assembly = {
		.device = {program->platform_version, program->device,
			   program->driver},
		.binary = program->whole.entry.binary,
		.options = program->options ? program->options : "",
		.scratch = work->scratch,
		.limit = work->upgrading->limit,
	};
	const struct probe *probe = try_device(work, &assembly.device);
	const char *reason = probe->reason;

	occ_entry_file_find(&program->whole, OCC_KEY_ENVIRONMENT,
			    &assembly.variables);
	if (!reason && !occ_assembly_make(&assembly))
		reason = assembly.reason;
	if (!reason) {
		assembly.fault = OCC_ASSEMBLY_PASSING;
		reason = store_code(work, program, &assembly.section);
	}
	if (!occ_child_interrupted()) {
		tell(work, name, reason, probe->is_old);
		/* Of the device it is remembered already. */
		if (reason && !probe->reason &&
		    assembly.fault != OCC_ASSEMBLY_ABSENT)
			occ_upgrade_skip_note(work->upgrading->store,
					      &program->whole.entry, reason,
					      assembly.fault ==
						      OCC_ASSEMBLY_FINAL);
	}
	occ_assembly_release(&assembly);
}

static bool is_wanted(const struct work *work, const struct occ_item *item)
{
	const struct occ_nvidia_upgrade *upgrading = work->upgrading;
	bool is = !upgrading->hashes;

	for (size_t i = 0; !is && i < upgrading->hash_count; i++)
		is = !strcmp(upgrading->hashes[i], item->hash);
	return is && !item->fault &&
	       !strcmp(item->platform, occ_driver_nvidia.platform_name);
}

/* False: it was looked at before. */
static bool is_new(struct work *work, const struct occ_digest *hash)
{
	for (size_t i = 0; i < work->seen_count; i++)
		if (!memcmp(&work->seen[i], hash, sizeof(*hash)))
			return false;
	work->seen =
		occ_message_must(reallocarray(work->seen, work->seen_count + 1,
					      sizeof(*work->seen)));
	work->seen[work->seen_count++] = *hash;
	return true;
}

/* False, at the first one: nothing can be stored, and it was said. */
static bool can_store(struct work *work)
{
	struct occ_store *store = work->upgrading->store;
	int error;

	if (work->access != ACCESS_UNKNOWN)
		return work->access == ACCESS_GOOD;
	error = occ_store_try(store);
	work->access = error ? ACCESS_NONE : ACCESS_GOOD;
	if (error)
		occ_message_error("can't store anything in %s: %s",
				  occ_store_directory(store),
				  error == OCC_E_IO ? strerror(errno)
						    : occ_error_string(error));
	return !error;
}

static bool is_waiting(struct work *work, const char *name)
{
	struct occ_nvidia_upgrade *upgrading = work->upgrading;
	struct occ_entry_file *summary = &work->summary;
	char reason[OCC_WAITING_REASON];
	enum occ_nvidia_waiting waiting;

	if (occ_entry_file_read(work->directory, name, false,
				OCC_ENTRY_FILE_SUMMARY, summary))
		return false;
	waiting = occ_waiting_judge(&summary->entry, summary->code_maker,
				    upgrading->retry ? NULL : &work->state,
				    reason);
	if (waiting == OCC_NVIDIA_WAITING_NOT ||
	    waiting == OCC_NVIDIA_WAITING_DONE)
		return false;
	if (!is_new(work, &summary->entry.hash))
		return false;
	if (waiting == OCC_NVIDIA_WAITING_YES ||
	    waiting == OCC_NVIDIA_WAITING_AGAIN)
		return true;
	upgrading->left++;
	return false;
}

static void upgrade_entry(struct work *work, const struct occ_item *item)
{
	struct program program = {.whole = {0}};
	const char *name = item->file->name;

	if (!is_waiting(work, name) || !can_store(work))
		return;
	/* A look: it may turn out not to fit when it is made. */
	if (item->file->size >= occ_waiting_room(work->upgrading->store))
		tell(work, item->hash, occ_waiting_no_room, false);
	else if (read_program(work, name, &program))
		upgrade_program(work, name, &program);
	occ_entry_file_release(&program.whole);
	free(program.platform_version);
	free(program.device);
	free(program.driver);
	free(program.options);
}

static bool goes_on(struct work *work)
{
	if (occ_file_clock() >= work->end)
		work->upgrading->is_late = true;
	return !work->upgrading->is_late && !occ_child_interrupted() &&
	       work->access != ACCESS_NONE;
}

static void upgrade_all(struct work *work,
			const struct occ_catalogue *catalogue)
{
	occ_progress_begin("Upgrading", "entries", catalogue->count);
	for (size_t i = 0; i < catalogue->count; i++) {
		if (is_wanted(work, &catalogue->items[i])) {
			if (!goes_on(work))
				break;
			upgrade_entry(work, &catalogue->items[i]);
		}
		occ_progress_step(1);
	}
	occ_progress_end();
}

/* Again for those that came meanwhile: who stored them was sent away. */
static bool upgrade_until_done(struct work *work)
{
	struct occ_catalogue catalogue;
	size_t done;

	do {
		done = work->upgrading->done;
		if (!occ_catalogue_read(work->upgrading->store, NULL,
					&catalogue))
			return false;
		upgrade_all(work, &catalogue);
		occ_catalogue_release(&catalogue);
	} while (work->upgrading->done > done && goes_on(work));
	return true;
}

static bool upgrade(struct work *work)
{
	bool good;

	work->scratch = occ_scratch_make();
	if (!work->scratch)
		return false;
	occ_state_read(work->upgrading->store, &work->state);
	good = upgrade_until_done(work);
	occ_scratch_remove(work->scratch);
	occ_buffer_release(&work->state);
	occ_entry_file_release(&work->summary);
	for (size_t i = 0; i < work->probe_count; i++) {
		struct probe *probe = &work->probes[i];

		free((char *)probe->device.platform_version);
		free((char *)probe->device.name);
		free((char *)probe->device.driver_version);
		free(probe->reason);
	}
	free(work->probes);
	free(work->seen);
	return good && !occ_child_interrupted() && work->access != ACCESS_NONE;
}

/*
 * Waits for another one who is at work. False: there's no lock, which was said,
 * or is_busy.
 */
static bool lock(const struct work *work)
{
	struct occ_nvidia_upgrade *upgrading = work->upgrading;
	bool told = upgrading->quiet || upgrading->impatient;

	while (flock(work->directory, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			occ_message_error("can't lock %s: %s",
					  occ_store_directory(upgrading->store),
					  strerror(errno));
			return false;
		}
		if (upgrading->impatient || occ_child_interrupted() ||
		    occ_file_clock() >= work->end) {
			upgrading->is_busy = true;
			return false;
		}
		if (!told)
			occ_message_note("another upgrade of this store is "
					 "running; waiting for it to finish");
		told = true;
		occ_file_pause(PAUSE_NS);
	}
	return true;
}

bool occ_nvidia_upgrade(struct occ_nvidia_upgrade *upgrading)
{
	const char *path = occ_store_directory(upgrading->store);
	struct work work = {.upgrading = upgrading, .end = UINT64_MAX};
	bool good;

	occ_store_keep_all(upgrading->store);
	if (upgrading->limit)
		work.end = occ_file_clock() + upgrading->limit * NS_PER_S;
	occ_child_catch_signals();
	work.directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* No directory is an empty store. */
	if (work.directory < 0)
		return true;
	/* Another one at work in the store is good, too. */
	good = lock(&work) ? upgrade(&work) : upgrading->is_busy;
	close(work.directory);
	return good && !occ_child_interrupted();
}
