/* SPDX-License-Identifier: MIT */
/*
 * oclcache verify: reads every byte that counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/entry_file.h"
#include "cache/file.h"
#include "cache/listing.h"
#include "cache/size_ledger.h"
#include "cache/store.h"
#include "cli/command.h"
#include "cli/delete_entries.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/parallel_for.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/store_path.h"
#include "cli/units.h"
#include "cli/verify_files.h"

struct finding {
	const char *name;
	struct occ_listing_file *file; /* of entries */
	const char *fault;	       /* NULL: it is good */
	bool other_version;	       /* the fault is no worse than that */
	bool deleted;
};

struct verification {
	/*
	 * Of entries and what is named so, by name; then of files beside them;
	 * then of other files.
	 */
	struct finding *findings;
	size_t count;
	size_t entry_count, file_count; /* the first, and of them the entries */
	size_t beside_count;
	size_t other_versions;	  /* of entries */
	uint64_t bytes;		  /* of entries */
	uint64_t recorded, found; /* totals */
	/* Its own: */
	struct occ_store *store;
	int directory;
	bool or_roots;
	struct occ_listing listing;
	struct occ_listing odd;	     /* named like entries, but no files */
	struct occ_listing odd_kept; /* and like other files */
	struct occ_entry_file wholes[OCC_PARALLEL_MAX];
};

/* How often a total that others change is looked at. */
#define TRIES	   5

/* Of config.file, what must be there. */
#define TOTAL_SIZE 8

/* Findings behind those of entries: of these, and of config.file's total. */
#define OTHERS	   (occ_verify_kept_count() + 1)

static void check_entry(size_t index, unsigned worker, void *data)
{
	struct verification *check = data;
	struct finding *finding = &check->findings[index];
	struct occ_entry_file *whole = &check->wholes[worker];
	int error = occ_entry_file_read(check->directory, finding->name,
					check->or_roots, OCC_ENTRY_FILE_WHOLE,
					whole);

	finding->other_version = error == OCC_E_VERSION;
	/* What went meanwhile isn't bad. */
	if (error && error != OCC_E_NOT_FOUND)
		finding->fault = whole->fault;
	occ_progress_step(1);
}

static struct occ_listing_file *add_file(struct occ_listing *listing,
					 enum occ_name_kind kind,
					 const char *name)
{
	struct occ_listing_file *file =
		occ_message_must(calloc(1, sizeof(*file) + strlen(name) + 1));

	file->kind = kind;
	memcpy(file->name, name, strlen(name) + 1);
	listing->files = occ_message_must(
		realloc(listing->files,
			(listing->count + 1) * sizeof(*listing->files)));
	listing->files[listing->count++] = file;
	return file;
}

static bool add_odd(const char *name, void *data)
{
	struct verification *check = data;
	struct stat status;

	if (occ_name_kind(name) == OCC_NAME_ENTRY &&
	    !occ_file_status_at(check->directory, name, &status) &&
	    !S_ISREG(status.st_mode))
		add_file(&check->odd, OCC_NAME_ENTRY, name);
	return true;
}

static int compare(const void *one, const void *other)
{
	const struct finding *a = one, *b = other;

	return strcmp(a->name, b->name);
}

static void check_entries(struct verification *check)
{
	size_t all = check->listing.count + check->odd.count + OTHERS;

	check->findings =
		occ_message_must(calloc(all, sizeof(*check->findings)));
	for (size_t i = 0; i < check->listing.count; i++) {
		struct occ_listing_file *file = check->listing.files[i];

		if (file->kind != OCC_NAME_ENTRY)
			continue;
		check->findings[check->entry_count++] =
			(struct finding){.name = file->name, .file = file};
		check->bytes += file->size;
	}
	occ_progress_begin("Verifying", "entries", check->entry_count);
	occ_parallel_for(check->entry_count, check_entry, check);
	occ_progress_end();
	for (unsigned i = 0; i < OCC_PARALLEL_MAX; i++)
		occ_entry_file_release(&check->wholes[i]);
	check->file_count = check->entry_count;
	for (size_t i = 0; i < check->file_count; i++)
		check->other_versions += check->findings[i].other_version;
	for (size_t i = 0; i < check->odd.count; i++)
		check->findings[check->entry_count++] = (struct finding){
			.name = check->odd.files[i]->name,
			.file = check->odd.files[i],
			.fault = "it isn't a regular file",
		};
	if (check->entry_count)
		qsort(check->findings, check->entry_count,
		      sizeof(*check->findings), compare);
}

static void check_all_beside(struct verification *check)
{
	struct finding *findings = &check->findings[check->entry_count];

	for (size_t i = 0; i < check->listing.count; i++) {
		struct occ_listing_file *file = check->listing.files[i];
		const char *fault =
			occ_verify_beside(check->store, file->kind, file->name);

		if (fault)
			findings[check->beside_count++] =
				(struct finding){.name = file->name,
						 .file = file,
						 .fault = fault};
	}
	if (check->beside_count)
		qsort(findings, check->beside_count, sizeof(*findings),
		      compare);
}

/* What config.file says; false: it says nothing, perhaps with a fault. */
static bool read_total(struct verification *check, struct finding *total)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	int error = occ_store_read(check->store, OCC_NAME_SIZE_LEDGER, &bytes);
	/* Intel's driver makes it shorter, with its own files' total. */
	bool read = !error && bytes.size >= OCC_SIZE_LEDGER_SIZE;

	if (read)
		check->recorded = occ_get_u64(bytes.data);
	else if (!error && bytes.size < TOTAL_SIZE)
		total->fault = "it is truncated";
	else if (error && error != OCC_E_NOT_FOUND)
		/* Without one, the next to store something makes it. */
		total->fault = occ_error_string(error);
	occ_buffer_release(&bytes);
	return read;
}

/*
 * Programs that run change it, and a file that gets its name meanwhile may be
 * counted under both: too little is what is too little twice, by as much.
 */
static int check_total(struct verification *check, struct finding *total)
{
	uint64_t recorded = 0, found = 0;

	for (int try = 0; try < TRIES; try++) {
		int error =
			occ_listing_measure(check->directory, &check->found);

		if (error || !read_total(check, total))
			return error;
		if (check->recorded >= check->found)
			return OCC_OK;
		if (check->recorded == recorded && check->found == found) {
			total->fault =
				"its total is less than the size of the files";
			return OCC_OK;
		}
		recorded = check->recorded;
		found = check->found;
	}
	return OCC_OK;
}

/* False after an error was shown. A store that is missing has no findings. */
static bool look(struct verification *check)
{
	size_t kept = occ_verify_kept_count();
	struct finding *others;
	int error;

	if (check->directory < 0)
		return true;
	error = occ_listing_scan(check->directory, &check->listing);
	if (!error && occ_file_list(check->directory, add_odd, check) < 0)
		error = OCC_E_IO;
	if (!error) {
		check_entries(check);
		check_all_beside(check);
		others = &check->findings[check->entry_count +
					  check->beside_count];
		check->count =
			check->entry_count + check->beside_count + OTHERS;
		for (size_t i = 0; i < kept; i++) {
			others[i].name = occ_verify_kept_name(i);
			others[i].fault = occ_verify_kept(check->store,
							  check->directory, i);
		}
		others[kept].name = OCC_NAME_SIZE_LEDGER;
		error = check_total(check, &others[kept]);
	}
	if (error)
		occ_store_path_fail(occ_store_directory(check->store), error);
	return !error;
}

/* Somebody may have put a good one in its place. */
static bool may_go(int directory, const struct occ_listing_file *file,
		   void *data)
{
	const struct verification *check = data;
	struct occ_entry_file whole = {0};
	int error;

	for (size_t i = 0; i < occ_verify_kept_count(); i++)
		if (!strcmp(file->name, occ_verify_kept_name(i)))
			return occ_verify_kept(check->store, directory, i);
	if (file->kind != OCC_NAME_ENTRY)
		return occ_verify_beside(check->store, file->kind, file->name);
	error = occ_entry_file_read(directory, file->name, false,
				    OCC_ENTRY_FILE_WHOLE, &whole);
	occ_entry_file_release(&whole);
	return error && error != OCC_E_VERSION && error != OCC_E_MEMORY;
}

/* Is it one to be deleted? */
static bool is_bad(const struct finding *finding)
{
	return finding->fault && !finding->other_version;
}

static size_t collect_bad(struct verification *check,
			  struct occ_listing_file **ret_files)
{
	size_t count = 0, checked = check->entry_count + check->beside_count;

	for (size_t i = 0; i < checked; i++)
		if (is_bad(&check->findings[i]))
			ret_files[count++] = check->findings[i].file;
	for (size_t i = 0; i < occ_verify_kept_count(); i++) {
		const char *name = occ_verify_kept_name(i);
		struct occ_listing_file *file = NULL;

		if (!check->findings[checked + i].fault)
			continue;
		/* The listing has regular files only. */
		for (size_t j = 0; !file && j < check->listing.count; j++)
			if (!strcmp(check->listing.files[j]->name, name))
				file = check->listing.files[j];
		ret_files[count++] =
			file ? file
			     : add_file(&check->odd_kept, OCC_NAME_FIXED, name);
	}
	return count;
}

/* A total that is wrong is counted anew by the removal, or here. */
static bool mend_total(struct verification *check)
{
	struct occ_size_ledger config;
	int error = occ_size_ledger_lock(check->directory, &config);

	if (!error) {
		error = occ_size_ledger_recount(&config);
		occ_size_ledger_unlock(&config);
	}
	if (error)
		occ_store_path_fail(occ_store_directory(check->store), error);
	return !error;
}

/* Deletes what is bad, and counts a wrong total anew. False after an error. */
static bool delete_bad(struct verification *check)
{
	struct occ_delete_entries clearance = {.store = check->store,
					       .may_go = may_go,
					       .data = check};
	struct occ_listing_file **files =
		occ_message_must(calloc(check->count, sizeof(*files)));
	size_t count = collect_bad(check, files);
	struct stat status;
	bool done;

	done = occ_delete_entries_run(&clearance, files, count);
	if (check->findings[check->count - 1].fault)
		done &= mend_total(check);
	for (size_t i = 0; i + 1 < check->count; i++) {
		struct finding *finding = &check->findings[i];

		finding->deleted =
			is_bad(finding) &&
			occ_file_status_at(check->directory, finding->name,
					   &status) < 0;
	}
	free(files);
	return done;
}

static size_t count_bad(const struct verification *check, size_t count)
{
	size_t bad = 0;

	for (size_t i = 0; i < count; i++)
		bad += is_bad(&check->findings[i]);
	return bad;
}

static void print_faults(const struct verification *check)
{
	for (size_t i = 0; i < check->count; i++) {
		const struct finding *finding = &check->findings[i];

		if (!finding->fault)
			continue;
		occ_screen_set(OCC_COLOUR_RED);
		occ_screen_text(finding->name);
		printf("%s: %s%s\n",
		       occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE),
		       finding->fault, finding->deleted ? " (deleted)" : "");
	}
}

static void print_text(const struct verification *check, bool deletes)
{
	size_t bad = count_bad(check, check->entry_count);
	size_t entries = check->file_count;
	char size[OCC_UNITS_SIZE];

	print_faults(check);
	printf("%zu %s, %s: ", entries, entries == 1 ? "entry" : "entries",
	       occ_units_size(check->bytes, size));
	if (bad)
		printf("%zu bad\n", bad);
	else
		puts("none bad");
	if (check->other_versions)
		printf("%zu in another format version, left alone\n",
		       check->other_versions);
	if (bad && !deletes)
		occ_message_note("the layer never uses bad entries; to remove "
				 "them, run 'oclcache verify --delete'");
}

static void print_json(const struct verification *check)
{
	struct occ_json json = OCC_JSON_INIT(stdout);

	occ_json_begin(&json, NULL, '{');
	occ_json_string(&json, "directory", occ_store_directory(check->store));
	occ_json_number(&json, "entries", check->file_count);
	occ_json_number(&json, "bytes", check->bytes);
	occ_json_begin(&json, "bad", '[');
	for (size_t i = 0; i < check->count; i++) {
		const struct finding *finding = &check->findings[i];

		if (!is_bad(finding))
			continue;
		occ_json_begin(&json, NULL, '{');
		occ_json_string(&json, "file", finding->name);
		occ_json_string(&json, "reason", finding->fault);
		occ_json_bool(&json, "deleted", finding->deleted);
		occ_json_end(&json, '}');
	}
	occ_json_end(&json, ']');
	occ_json_number(&json, "other_versions", check->other_versions);
	occ_json_number(&json, "recorded_total", check->recorded);
	occ_json_number(&json, "found_total", check->found);
	occ_json_end(&json, '}');
}

static int verify(struct occ_store *store, bool deletes, bool json)
{
	struct verification check = {
		.store = store,
		.or_roots = occ_store_is_read_only(store),
	};
	bool done, bad;

	if (!occ_store_path_enter(store, &check.directory))
		return OCC_EXIT_FAILED;
	done = look(&check);
	bad = count_bad(&check, check.count);
	if (done && bad && deletes)
		done = delete_bad(&check);
	if (json)
		print_json(&check);
	else
		print_text(&check, deletes);
	occ_listing_release(&check.listing);
	occ_listing_release(&check.odd);
	occ_listing_release(&check.odd_kept);
	free(check.findings);
	occ_file_close(check.directory);
	return done && !bad ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static int run(const struct occ_arguments *arguments)
{
	bool deletes = occ_arguments_has(arguments, "delete");
	struct occ_store *store;
	int status;

	if (arguments->operand_count) {
		occ_message_error("verify: unexpected argument '%s'; to verify "
				  "one entry, run 'oclcache inspect %s'",
				  arguments->operands[0],
				  arguments->operands[0]);
		return OCC_EXIT_USAGE;
	}
	store = occ_store_path_open(arguments, deletes);
	if (!store)
		return OCC_EXIT_FAILED;
	status = verify(store, deletes, occ_arguments_has(arguments, "json"));
	occ_store_close(store);
	return status;
}

static const struct occ_option options[] = {
	{"delete", 0, NULL, "remove bad files"},
	{"json", 0, NULL, "print the result as JSON"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_verify = {
	.name = "verify",
	.summary = "check every byte of the store",
	.details = "Reads every entry completely and checks its checksums, "
		   "name and key, and also\n"
		   "the files that record drivers, sizes, included files and "
		   "programs. The exit\n"
		   "status is 1 if anything is bad, even if it was deleted. "
		   "Entries in other format\n"
		   "versions are counted and left alone.",
	.options = options,
	.run = run,
};
