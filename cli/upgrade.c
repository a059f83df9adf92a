/* SPDX-License-Identifier: MIT */
/*
 * oclcache upgrade: gives entries of NVIDIA's driver device code, one after the
 * other, in processes of their own.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cache/code.h"
#include "cache/file.h"
#include "cache/state.h"
#include "cache/whole.h"
#include "cli/assembly.h"
#include "cli/catalogue.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/failure.h"
#include "cli/message.h"
#include "cli/place.h"
#include "cli/progress.h"
#include "cli/scratch.h"
#include "cli/screen.h"
#include "cli/text.h"

#include <CL/cl.h>

/* Of ioprio_set(): when nobody else wants the disk. */
#define IO_PRIORITY_PROCESS 1
#define IO_PRIORITY_IDLE    (3 << 13)

/* What is found out of an entry. */
struct program {
	struct occ_whole whole;
	char *platform_version;
	char *device;
	char *driver;
	char *options;
};

struct upgrade {
	struct occ_store *store;
	int directory;
	char *scratch;
	bool dry, quiet;
	/* The driver that was probed last, and what came of it. */
	char *probed;
	char *probe_reason; /* NULL: it is good */
	size_t waiting, done, failed;
};

static char *field(const struct occ_whole *whole, enum occ_key_field id)
{
	struct occ_span bytes;

	if (!occ_whole_find(whole, id, &bytes))
		return NULL;
	return occ_message_must(strndup((const char *)bytes.data, bytes.size));
}

static bool field_is(const struct occ_whole *whole, enum occ_key_field id,
		     const char *text)
{
	struct occ_span bytes;

	if (!occ_whole_find(whole, id, &bytes))
		return !*text;
	return bytes.size == strlen(text) &&
	       !memcmp(bytes.data, text, bytes.size);
}

static bool has_code(const struct occ_entry *entry)
{
	struct occ_code code;

	return occ_code_parse(entry->code, &code) &&
	       code.maker == OCC_CODE_MAKER;
}

/*
 * Only what the layer would load device code of. What environment variables
 * had a part in isn't made here: it would have to be made with these.
 */
static bool is_wanted(const struct occ_whole *whole)
{
	return field_is(whole, OCC_KEY_PLATFORM_NAME, OCC_NVIDIA_PLATFORM) &&
	       field_is(whole, OCC_KEY_OPERATION, "build") &&
	       field_is(whole, OCC_KEY_ENVIRONMENT, "") &&
	       occ_entry_number(&whole->entry, OCC_META_BINARY_TYPE, 0) ==
		       CL_PROGRAM_BINARY_TYPE_EXECUTABLE &&
	       !has_code(&whole->entry);
}

static bool read_program(const struct upgrade *upgrade, const char *name,
			 struct program *program)
{
	struct occ_whole *whole = &program->whole;

	if (occ_whole_read(upgrade->directory, name, false, whole) ||
	    !is_wanted(whole))
		return false;
	program->platform_version = field(whole, OCC_KEY_PLATFORM_VERSION);
	program->device = field(whole, OCC_KEY_DEVICE_NAME);
	program->driver = field(whole, OCC_KEY_DRIVER_VERSION);
	program->options = field(whole, OCC_KEY_OPTIONS);
	return program->platform_version && program->device && program->driver;
}

static void release_program(struct program *program)
{
	occ_whole_release(&program->whole);
	free(program->platform_version);
	free(program->device);
	free(program->driver);
	free(program->options);
	*program = (struct program){.whole = OCC_WHOLE_INIT};
}

/* As the store's state has it. */
static char *probe_name(const struct occ_nvidia_device *device)
{
	char *name;

	name = occ_text("code %s, %s, %s", device->driver_version,
			device->platform_version, device->name);
	return name;
}

/* What the maker of this number found good needn't be probed again. */
static bool was_good(struct upgrade *upgrade, const char *name)
{
	unsigned char value[4];
	size_t size = 0;

	return !occ_state_get(upgrade->store, name, value, sizeof(value),
			      &size) &&
	       size == sizeof(value) && occ_get_u32(value) == OCC_CODE_MAKER;
}

static void note_good(struct upgrade *upgrade, const char *name)
{
	unsigned char value[4];

	occ_put_u32(value, OCC_CODE_MAKER);
	occ_state_set(upgrade->store, name, value, sizeof(value));
}

/* NULL: the driver's code is good; else why not. */
static const char *probe(struct upgrade *upgrade,
			 const struct occ_nvidia_device *device)
{
	char *name = probe_name(device);

	if (upgrade->probed && !strcmp(upgrade->probed, name)) {
		free(name);
		return upgrade->probe_reason;
	}
	free(upgrade->probed);
	free(upgrade->probe_reason);
	upgrade->probed = name;
	upgrade->probe_reason = NULL;
	if (was_good(upgrade, name))
		return NULL;
	upgrade->probe_reason = occ_assembly_probe(device, upgrade->scratch);
	if (!upgrade->probe_reason)
		note_good(upgrade, name);
	return upgrade->probe_reason;
}

static int store_code(struct upgrade *upgrade, const struct program *program,
		      const struct occ_buffer *section)
{
	struct occ_key key;
	int error = occ_whole_key(&program->whole, &key);

	if (error)
		return error;
	error = occ_store_set_code(upgrade->store, &key,
				   program->whole.entry.binary,
				   (struct occ_span){section->data,
						     section->size});
	occ_key_release(&key);
	return error;
}

static void show(const struct upgrade *upgrade, const char *name,
		 const char *reason)
{
	if (upgrade->quiet && !reason)
		return;
	occ_progress_hide();
	printf("%-9s %.32s", reason ? "left" : "upgraded", name);
	if (reason)
		fputs(": ", stdout);
	if (reason)
		occ_screen_write(stdout, reason, strlen(reason), true);
	putchar('\n');
	fflush(stdout);
}

static void upgrade_program(struct upgrade *upgrade, const char *name,
			    const struct program *program)
{
	struct occ_assembly assembly = {
		.device = {program->platform_version, program->device,
			   program->driver},
		.binary = program->whole.entry.binary,
		.options = program->options ? program->options : "",
		.scratch = upgrade->scratch,
	};
	const char *reason = probe(upgrade, &assembly.device);
	int error;

	if (!reason && !occ_assembly_make(&assembly))
		reason = assembly.reason;
	if (!reason) {
		error = store_code(upgrade, program, &assembly.section);
		if (error)
			reason = occ_error_string(error);
	}
	if (!occ_child_interrupted()) {
		show(upgrade, name, reason);
		upgrade->failed += reason != NULL;
		upgrade->done += !reason;
	}
	occ_assembly_release(&assembly);
}

static void upgrade_entry(struct upgrade *upgrade, const char *name)
{
	struct program program = {.whole = OCC_WHOLE_INIT};

	if (read_program(upgrade, name, &program)) {
		upgrade->waiting++;
		if (!upgrade->dry)
			upgrade_program(upgrade, name, &program);
	}
	release_program(&program);
}

static void upgrade_all(struct upgrade *upgrade,
			const struct occ_catalogue *catalogue)
{
	occ_progress_begin("Upgrading", "entries", catalogue->count);
	for (size_t i = 0; i < catalogue->count && !occ_child_interrupted();
	     i++) {
		const struct occ_item *item = &catalogue->items[i];

		if (!item->fault &&
		    !strcmp(item->platform, OCC_NVIDIA_PLATFORM))
			upgrade_entry(upgrade, item->file->name);
		occ_progress_step(1);
	}
	occ_progress_end();
}

/* Whatever else runs is more important. */
static void be_modest(void)
{
	setpriority(PRIO_PROCESS, 0, 19);
	syscall(SYS_ioprio_set, IO_PRIORITY_PROCESS, 0, IO_PRIORITY_IDLE);
}

/* False: another one is at work in the store, which is good, too. */
static bool lock(struct upgrade *upgrade)
{
	return !flock(upgrade->directory, LOCK_EX | LOCK_NB);
}

static int summarise(const struct upgrade *upgrade)
{
	if (upgrade->dry)
		printf("%zu waiting\n", upgrade->waiting);
	else if (!upgrade->quiet)
		printf("%zu upgraded, %zu left\n", upgrade->done,
		       upgrade->failed);
	return OCC_EXIT_OK;
}

static int work(struct upgrade *upgrade)
{
	struct occ_catalogue catalogue;
	int status = OCC_EXIT_FAILED;

	if (!upgrade->dry && !lock(upgrade)) {
		occ_message_note("another upgrade of this store is running");
		return OCC_EXIT_OK;
	}
	upgrade->scratch = occ_scratch_make();
	if (!upgrade->scratch)
		return status;
	if (occ_catalogue_read(upgrade->store, NULL, &catalogue)) {
		upgrade_all(upgrade, &catalogue);
		occ_catalogue_release(&catalogue);
		status = summarise(upgrade);
	}
	occ_scratch_remove(upgrade->scratch);
	free(upgrade->probed);
	free(upgrade->probe_reason);
	return status;
}

static int run(const struct occ_arguments *arguments)
{
	struct upgrade upgrade = {
		.dry = occ_arguments_has(arguments, "dry-run"),
		.quiet = occ_arguments_has(arguments, "quiet"),
	};
	int status;

	if (arguments->operand_count) {
		occ_message_error("upgrade: '%s' is too much; all entries are "
				  "looked at",
				  arguments->operands[0]);
		return OCC_EXIT_USAGE;
	}
	upgrade.store = occ_place_open(arguments, !upgrade.dry);
	if (!upgrade.store)
		return OCC_EXIT_FAILED;
	upgrade.directory = open(occ_store_directory(upgrade.store),
				 O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (upgrade.directory < 0) {
		/* No directory is an empty store. */
		occ_store_close(upgrade.store);
		return summarise(&upgrade);
	}
	be_modest();
	occ_child_catch_signals();
	status = work(&upgrade);
	close(upgrade.directory);
	occ_store_close(upgrade.store);
	occ_child_pass_interrupt();
	return status;
}

static const struct occ_option options[] = {
	OCC_PLACE_OPTION,
	{"dry-run", 'n', NULL, "only say how many entries are waiting"},
	{"quiet", 'q', NULL, "only say what couldn't be done"},
	{NULL},
};

const struct occ_command occ_command_upgrade = {
	.name = "upgrade",
	.summary = "make hits on NVIDIA's driver load without compiling",
	.details =
		"NVIDIA's driver compiles a program's binary, which is PTX, "
		"whenever it is loaded\nand the driver's own cache hasn't the "
		"result. This command adds what the driver\nmakes of it to the "
		"entries, from which it is loaded at once.\n"
		"\n"
		"The device and the driver that an entry is for must be there. "
		"All is done in the\nbackground's priority, one entry after "
		"the other, and by one process per store.\nEntries of other "
		"drivers stay as they are.",
	.options = options,
	.run = run,
};
