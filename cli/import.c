/* SPDX-License-Identifier: MIT */
/*
 * oclcache import: takes entries out of a tar archive. The archive is believed
 * in nothing: each entry is verified whole, and its own hash is its name.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/file.h"
#include "cache/included_contents.h"
#include "cli/archive.h"
#include "cli/archive_admission.h"
#include "cli/command.h"
#include "cli/manifest.h"
#include "cli/message.h"
#include "cli/store_path.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/units.h"

/* Memory that is taken before a member's bytes are there. */
#define PORTION	     ((size_t)1 << 20)

/* More than the manifest of any store. */
#define MANIFEST_MAX ((uint64_t)64 << 20)

/* Behind the archive's end: records are filled up, but never so far. */
#define DRAINED_MAX  ((size_t)16 << 20)

struct intake {
	struct occ_store *store;
	bool dry_run;
	uint64_t max_size; /* 0: none */
	size_t imported, there, refused;
	uint64_t bytes;
	size_t lost;	  /* of the imported: they had to go again, */
	uint64_t evicted; /* and of what was there before, files */
	struct occ_entry_file whole;
	struct occ_buffer manifest;
	size_t contents;	  /* of included files, that were kept */
	struct occ_buffer names;  /* of what came, NUL after each */
	struct occ_buffer stored; /* and of those that were stored */
	struct occ_archive_admission admission;
	bool stop; /* nothing more can be stored */
};

static void refuse(struct intake *intake, const char *name, const char *why)
{
	char *shown;
	size_t size;
	FILE *stream = occ_message_must(open_memstream(&shown, &size));

	occ_screen_write(stream, name, strlen(name), true);
	if (fclose(stream))
		occ_message_no_memory();
	occ_message_warning("refused %s: %s", shown, why);
	free(shown);
	intake->refused++;
}

/* By the rule; of many of one kind it is said once, in the end. */
static void refuse_unadmitted(struct intake *intake, const char *name,
			      const char *why, bool counted)
{
	if (counted)
		intake->refused++;
	else
		refuse(intake, name, why);
}

/* Does the path leave the directory where it would be unpacked? */
static bool is_outside(const char *name)
{
	if (*name == '/')
		return true;
	while (*name) {
		size_t length = strcspn(name, "/");

		if (length == 2 && !memcmp(name, "..", 2))
			return true;
		name += length + (name[length] == '/');
	}
	return false;
}

/* As much as really comes, and no more memory than that. */
static bool read_member(struct occ_archive_reader *reader, uint64_t size,
			struct occ_entry_file *whole)
{
	whole->size = 0;
	while (whole->size < size) {
		uint64_t left = size - whole->size;
		size_t part = whole->size > PORTION ? whole->size : PORTION;

		if (part > left)
			part = (size_t)left;
		if (!occ_entry_file_reserve(whole, whole->size + part))
			occ_message_no_memory();
		if (occ_archive_read(reader, whole->memory + whole->size,
				     part) != part)
			return false;
		whole->size += part;
	}
	return true;
}

static void store_entry(struct intake *intake, const char *name)
{
	struct occ_loaded loaded;
	struct occ_key key;
	int error;

	if (intake->dry_run) {
		error = OCC_OK;
		if (!occ_entry_file_key(&intake->whole, &key)) {
			if (!occ_store_lookup(intake->store, &key, &loaded)) {
				error = OCC_E_EXISTS;
				occ_loaded_release(&loaded);
			}
			occ_key_release(&key);
		}
	} else {
		error = occ_store_import(intake->store, &intake->whole);
		/* Its total was damaged, and has been counted anew. */
		if (error == OCC_E_SIZE_LEDGER)
			error = occ_store_import(intake->store, &intake->whole);
	}
	if (error == OCC_OK) {
		intake->imported++;
		intake->bytes += intake->whole.size;
		occ_buffer_append(&intake->stored, basename(name),
				  strlen(basename(name)) + 1);
	} else if (error == OCC_E_EXISTS) {
		intake->there++;
	} else if (error == OCC_E_TOO_LARGE) {
		refuse(intake, name, "it is larger than the store's limit");
	} else {
		occ_store_path_fail(occ_store_directory(intake->store), error);
		intake->stop = true;
	}
}

static void take_entry(struct intake *intake, struct occ_archive_reader *reader,
		       const struct occ_archive_member *member)
{
	const char *name = basename(member->name), *why;
	struct occ_entry_file *whole = &intake->whole;
	bool counted;

	if (member->size > OCC_ENTRY_SIZE_MAX) {
		refuse(intake, member->name, "it is too large to be an entry");
		return;
	}
	if (!read_member(reader, member->size, whole))
		return;
	occ_buffer_append(&intake->names, name, strlen(name) + 1);
	if (occ_entry_file_verify(whole)) {
		refuse(intake, member->name, whole->fault);
		return;
	}
	if (!occ_entry_file_has_name(whole, name)) {
		refuse(intake, member->name, "its name doesn't match its hash");
		return;
	}
	why = occ_archive_admission_entry(&intake->admission, name, whole,
					  &counted);
	if (why)
		refuse_unadmitted(intake, member->name, why, counted);
	else
		store_entry(intake, member->name);
}

/* What an included file had: of no use but for compiling entries anew. */
static void take_contents(struct intake *intake,
			  struct occ_archive_reader *reader,
			  const struct occ_archive_member *member)
{
	const char *name = basename(member->name), *why;
	struct occ_entry_file *whole = &intake->whole;
	struct occ_span file;
	bool counted;
	int error;

	if (member->size > OCC_INCLUDED_CONTENTS_MAX) {
		refuse(intake, member->name,
		       "it is too large to be an included file");
		return;
	}
	if (!read_member(reader, member->size, whole))
		return;
	occ_buffer_append(&intake->names, name, strlen(name) + 1);
	file = (struct occ_span){whole->memory, whole->size};
	error = occ_included_contents_is_good(file, name) ? OCC_OK
							  : OCC_E_CORRUPT;
	why = error ? NULL
		    : occ_archive_admission_contents(&intake->admission, name,
						     file, &counted);
	if (why) {
		refuse_unadmitted(intake, member->name, why, counted);
		return;
	}
	if (!error && !intake->dry_run)
		error = occ_included_contents_import(intake->store, file, name);
	if (error == OCC_OK) {
		intake->contents++;
	} else if (error == OCC_E_CORRUPT) {
		refuse(intake, member->name, "it is damaged");
	} else if (error == OCC_E_TOO_LARGE) {
		refuse(intake, member->name,
		       "it is larger than the store's limit");
	} else if (error != OCC_E_EXISTS) {
		occ_store_path_fail(occ_store_directory(intake->store), error);
		intake->stop = true;
	}
}

/* Where the archive couldn't be read twice. */
static void take_signatures(struct intake *intake,
			    struct occ_archive_reader *reader,
			    const struct occ_archive_member *member)
{
	struct occ_entry_file *whole = &intake->whole;

	if (member->size <=
		    OCC_SIGNED_ENTRY_HEADER_SIZE + OCC_ENTRY_SIGNATURES_MAX &&
	    read_member(reader, member->size, whole))
		occ_archive_admission_note(&intake->admission,
					   basename(member->name),
					   (struct occ_span){whole->memory,
							     whole->size});
}

static void take_manifest(struct intake *intake,
			  struct occ_archive_reader *reader,
			  const struct occ_archive_member *member)
{
	char size[OCC_UNITS_SIZE], most[OCC_UNITS_SIZE];
	uint64_t total;

	if (member->size > MANIFEST_MAX ||
	    !read_member(reader, member->size, &intake->whole))
		return;
	occ_buffer_release(&intake->manifest);
	occ_buffer_append(&intake->manifest, intake->whole.memory,
			  intake->whole.size);
	occ_progress_total(occ_manifest_count(&intake->manifest));
	total = occ_manifest_total(&intake->manifest);
	/* Before anything of the store goes for it. */
	if (intake->max_size && total > intake->max_size)
		occ_message_warning("the archive contains %s of entries, but "
				    "the store may hold only %s; to keep all "
				    "of them, raise OCLCACHE_MAX_SIZE",
				    occ_units_size(total, size),
				    occ_units_size(intake->max_size, most));
}

static void take(struct intake *intake, struct occ_archive_reader *reader,
		 const struct occ_archive_member *member)
{
	const char *name = basename(member->name);
	enum occ_name_kind kind = occ_name_kind(name);

	/* What the manifest names. */
	if (kind == OCC_NAME_ENTRY || kind == OCC_NAME_INCLUDED)
		occ_progress_step(1);
	if (member->kind == OCC_ARCHIVE_DIRECTORY)
		return;
	if (is_outside(member->name))
		refuse(intake, member->name,
		       "its path leads outside the archive");
	else if (member->kind != OCC_ARCHIVE_FILE)
		refuse(intake, member->name, "it isn't a regular file");
	else if (!strcmp(name, OCC_MANIFEST_NAME))
		take_manifest(intake, reader, member);
	else if (occ_archive_admission_is_signatures(name))
		take_signatures(intake, reader, member);
	else if (kind == OCC_NAME_ENTRY && strlen(name) < OCC_NAME_SIZE)
		take_entry(intake, reader, member);
	else if (kind == OCC_NAME_INCLUDED)
		take_contents(intake, reader, member);
	else if (kind != OCC_NAME_FIXED && kind != OCC_NAME_TEMP &&
		 !occ_name_is_beside(kind))
		/* Others of a whole store are nothing to take, nor amiss. */
		refuse(intake, member->name, "it isn't named like an entry");
}

/* What stopped the reading, in words; NULL: nothing. */
static const char *fault_of(enum occ_archive_result result)
{
	switch (result) {
	case OCC_ARCHIVE_CUT:
		return "the archive is truncated; the entries before its end "
		       "were imported";
	case OCC_ARCHIVE_BAD:
		return "this isn't a tar archive, or the rest of it is damaged";
	case OCC_ARCHIVE_PACKED:
		return "the archive is compressed; decompress it first: zcat "
		       "FILE | oclcache import -";
	default:
		return NULL;
	}
}

/* Who writes into a pipe wants to write all, but not without end. */
static void drain(FILE *stream)
{
	char bytes[16 << 10];
	size_t left = DRAINED_MAX;

	while (left >= sizeof(bytes) &&
	       fread(bytes, 1, sizeof(bytes), stream) == sizeof(bytes))
		left -= sizeof(bytes);
}

/* False after an error was shown. */
static bool take_all(struct intake *intake, FILE *stream, const char *path)
{
	struct occ_archive_reader *reader;
	enum occ_archive_result result = OCC_ARCHIVE_MEMBER;
	struct occ_archive_member member;
	const char *fault;

	occ_archive_admission_collect(&intake->admission, stream);
	reader = occ_message_must(occ_archive_open(stream));
	occ_progress_begin("Importing", "entries", 0);
	while (!intake->stop && (result = occ_archive_next(reader, &member)) ==
					OCC_ARCHIVE_MEMBER)
		take(intake, reader, &member);
	occ_progress_end();
	fault = ferror(stream) ? strerror(errno) : fault_of(result);
	if (fault)
		occ_message_error("%s: %s", path, fault);
	occ_archive_close(reader);
	if (fault || intake->stop)
		return false;
	drain(stream);
	return true;
}

/* What was imported is what is there in the end. */
static void count_lost(struct intake *intake)
{
	const char *name = (const char *)intake->stored.data;
	const char *end = name + intake->stored.size;
	struct stat status;
	uint64_t bytes = 0;
	int directory;

	occ_store_take_evicted(intake->store, &intake->evicted, &bytes);
	if (!intake->evicted ||
	    !occ_store_path_enter(intake->store, &directory) || directory < 0)
		return;
	intake->bytes = 0;
	for (; name < end; name += strlen(name) + 1) {
		if (!occ_file_status_at(directory, name, &status))
			intake->bytes += (uint64_t)status.st_size;
		else
			intake->lost++;
	}
	occ_file_close(directory);
	intake->imported -= intake->lost;
	intake->evicted -=
		intake->lost < intake->evicted ? intake->lost : intake->evicted;
}

static void tell_evicted(const struct intake *intake)
{
	char size[OCC_UNITS_SIZE];

	occ_units_size(intake->max_size, size);
	if (intake->lost)
		occ_message_error(
			"%zu more were imported and then evicted, because the "
			"store may hold only %s; raise OCLCACHE_MAX_SIZE",
			intake->lost, size);
	if (intake->evicted)
		occ_message_warning(
			"%" PRIu64
			" %s evicted, because the store may hold only %s",
			intake->evicted,
			intake->evicted == 1 ? "older file was"
					     : "older files were",
			size);
}

static bool tell(const struct intake *intake, bool whole)
{
	size_t missing =
		whole ? occ_manifest_missing(&intake->manifest, &intake->names)
		      : 0;
	char size[OCC_UNITS_SIZE];

	printf("%zu %s %s, %s; %zu already there; %zu refused",
	       intake->imported, intake->imported == 1 ? "entry" : "entries",
	       intake->dry_run ? "would be imported" : "imported",
	       occ_units_size(intake->bytes, size), intake->there,
	       intake->refused);
	if (intake->contents)
		printf("; %zu included %s", intake->contents,
		       intake->contents == 1 ? "file" : "files");
	putchar('\n');
	tell_evicted(intake);
	if (missing)
		occ_message_error("%zu of the entries in the manifest %s "
				  "missing from the archive",
				  missing, missing == 1 ? "is" : "are");
	return whole && !missing && !intake->refused && !intake->lost;
}

static int import(struct intake *intake, FILE *stream, const char *path)
{
	bool good = take_all(intake, stream, path);

	if (intake->names.failed || intake->manifest.failed ||
	    intake->stored.failed)
		occ_message_no_memory();
	count_lost(intake);
	good = tell(intake, good);
	occ_archive_admission_tell(&intake->admission, path);
	occ_archive_admission_release(&intake->admission);
	occ_entry_file_release(&intake->whole);
	occ_buffer_release(&intake->manifest);
	occ_buffer_release(&intake->names);
	occ_buffer_release(&intake->stored);
	return good ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static int run(const struct occ_arguments *arguments)
{
	struct intake intake = {
		.dry_run = occ_arguments_has(arguments, "dry-run"),
		.max_size = occ_store_path_max_size(),
	};
	int status = OCC_EXIT_FAILED;
	const char *path;
	FILE *stream;

	if (!occ_arguments_expect(
		    arguments, "import", 1,
		    "name one file, such as kernels.tar, or - for "
		    "standard input"))
		return OCC_EXIT_USAGE;
	intake.store = occ_store_path_open_to_fill(arguments, !intake.dry_run);
	if (!intake.store)
		return OCC_EXIT_FAILED;
	occ_archive_admission_begin(&intake.admission,
				    occ_arguments_has(arguments, "unsigned"));
	path = arguments->operands[0];
	stream = strcmp(path, "-") != 0 ? fopen(path, "re") : stdin;
	if (stream)
		status = import(&intake, stream, path);
	else
		occ_message_error("%s: %s", path, strerror(errno));
	if (stream && stream != stdin)
		fclose(stream);
	occ_store_close(intake.store);
	return status;
}

static const struct occ_option options[] = {
	{"dry-run", 'n', NULL, "verify everything, but store nothing"},
	{"unsigned", 0, NULL, "also accept unsigned entries"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_import = {
	.name = "import",
	.summary = "import entries from a tar file",
	.operands = "FILE",
	.details = "Verifies every byte of each entry, and names the files "
		   "that it refuses. Entries\n"
		   "are programs, so it refuses those that no trusted key has "
		   "signed ('oclcache\n"
		   "key'). With --unsigned it also accepts entries without any "
		   "signature: use that\n"
		   "only if you know where they come from. Valid entries that "
		   "are already in the\n"
		   "store stay, and the store keeps to its maximum size. "
		   "Imported entries count as\n"
		   "just used. \"-\" means standard input.",
	.options = options,
	.run = run,
};
