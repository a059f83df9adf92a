/* SPDX-License-Identifier: MIT */
/*
 * oclcache verify: reads every byte that counts.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/config.h"
#include "cache/counters.h"
#include "cache/file.h"
#include "cache/state.h"
#include "cli/clearance.h"
#include "cli/command.h"
#include "cli/crew.h"
#include "cli/failure.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/place.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/units.h"

/* How often a total that others change is looked at. */
#define TRIES	   5

/* Of config.file, what must be there. */
#define TOTAL_SIZE 8

static bool counters_are_good(struct occ_span bytes)
{
	struct occ_counters counters;

	return occ_counters_decode(bytes, &counters);
}

/* Files that have checksums of their own, and aren't entries. */
static const struct {
	const char *name;
	bool (*is_good)(struct occ_span file);
} kept_files[] = {
	{OCC_NAME_STATE, occ_state_is_good},
	{OCC_NAME_COUNTERS, counters_are_good},
};

#define KEPT_FILES (sizeof(kept_files) / sizeof(*kept_files))

struct finding {
	struct occ_listing_file *file;
	const char *fault; /* NULL: it is good */
	bool other_version;
	bool deleted;
};

struct check {
	struct occ_store *store;
	int directory;
	bool or_roots;
	struct finding *findings; /* of all entries, and what is named so */
	size_t count;
	struct occ_listing listing;
	struct occ_listing odd;	     /* named like entries, but no files */
	struct occ_listing odd_kept; /* and like kept files */
	const char *kept_faults[KEPT_FILES]; /* NULL: it is good */
	bool kept_deleted[KEPT_FILES];
	const char *total_fault;  /* of config.file */
	uint64_t recorded, found; /* totals */
	uint64_t bytes;		  /* of entries */
	struct occ_whole wholes[OCC_CREW_MAX];
};

static void check_entry(size_t index, unsigned worker, void *data)
{
	struct check *check = data;
	struct finding *finding = &check->findings[index];
	struct occ_whole *whole = &check->wholes[worker];
	int error = occ_whole_read(check->directory, finding->file->name,
				   check->or_roots, whole);

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
	struct check *check = data;
	struct stat status;

	if (occ_name_kind(name) != OCC_NAME_ENTRY ||
	    occ_file_status_at(check->directory, name, &status) < 0 ||
	    S_ISREG(status.st_mode))
		return true;
	add_file(&check->odd, OCC_NAME_ENTRY, name);
	return true;
}

static void check_entries(struct check *check)
{
	size_t all = check->listing.count + check->odd.count;

	check->findings =
		occ_message_must(calloc(all + 1, sizeof(*check->findings)));
	for (size_t i = 0; i < check->listing.count; i++) {
		struct occ_listing_file *file = check->listing.files[i];

		if (file->kind != OCC_NAME_ENTRY)
			continue;
		check->findings[check->count++].file = file;
		check->bytes += file->size;
	}
	occ_progress_begin("Verifying", "entries", check->count);
	occ_crew_run(check->count, check_entry, check);
	occ_progress_end();
	for (unsigned i = 0; i < OCC_CREW_MAX; i++)
		occ_whole_release(&check->wholes[i]);
	for (size_t i = 0; i < check->odd.count; i++)
		check->findings[check->count++] = (struct finding){
			.file = check->odd.files[i],
			.fault = "it is no regular file",
		};
}

/* NULL: it is one, or isn't there. */
static const char *kind_fault(const struct check *check, const char *name)
{
	struct stat status;

	if (occ_file_status_at(check->directory, name, &status) < 0 ||
	    S_ISREG(status.st_mode))
		return NULL;
	return S_ISDIR(status.st_mode) ? "it is a directory"
				       : "it is no regular file";
}

static const char *check_kept(struct check *check, size_t index)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	const char *fault = kind_fault(check, kept_files[index].name);
	int error;

	if (fault)
		return fault;
	error = occ_store_read(check->store, kept_files[index].name, &bytes);
	if (error == OCC_E_NOT_FOUND)
		return NULL;
	if (error == OCC_E_FORBIDDEN)
		fault = "it is another user's, or others can write to it";
	else if (error)
		fault = occ_error_string(error);
	else if (!kept_files[index].is_good(
			 (struct occ_span){bytes.data, bytes.size}))
		fault = "its checksum is wrong";
	occ_buffer_release(&bytes);
	return fault;
}

static void check_all_kept(struct check *check)
{
	for (size_t i = 0; i < KEPT_FILES; i++)
		check->kept_faults[i] = check_kept(check, i);
}

/* What config.file says; false: it says nothing, perhaps with a fault. */
static bool read_total(struct check *check, uint64_t *ret_total)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	int error = occ_store_read(check->store, OCC_NAME_CONFIG, &bytes);
	bool read = !error && bytes.size >= TOTAL_SIZE;

	if (read)
		*ret_total = occ_get_u64(bytes.data);
	else if (!error)
		check->total_fault = "it is cut off";
	else if (error != OCC_E_NOT_FOUND)
		/* Without one, the next to store something makes it. */
		check->total_fault = occ_error_string(error);
	occ_buffer_release(&bytes);
	return read;
}

/*
 * Programs that run change it, and a file that gets its name meanwhile may be
 * counted under both: too little is what is too little twice, by as much.
 */
static int check_total(struct check *check)
{
	uint64_t recorded = 0, found = 0;
	int error;

	for (int try = 0; try < TRIES; try++) {
		error = occ_listing_measure(check->directory, &check->found);
		if (error || !read_total(check, &check->recorded))
			return error;
		if (check->recorded >= check->found)
			return OCC_OK;
		if (check->recorded == recorded && check->found == found) {
			check->total_fault =
				"its total is less than what is there";
			return OCC_OK;
		}
		recorded = check->recorded;
		found = check->found;
	}
	return OCC_OK;
}

static bool is_bad_entry(int directory, const char *name)
{
	struct occ_whole whole = OCC_WHOLE_INIT;
	int error = occ_whole_read(directory, name, false, &whole);

	occ_whole_release(&whole);
	return error && error != OCC_E_VERSION && error != OCC_E_MEMORY;
}

/* Somebody may have put a good one in its place. */
static bool may_go(int directory, const struct occ_listing_file *file,
		   void *data)
{
	if (file->kind == OCC_NAME_ENTRY)
		return is_bad_entry(directory, file->name);
	for (size_t i = 0; i < KEPT_FILES; i++)
		if (!strcmp(file->name, kept_files[i].name))
			return check_kept(data, i) != NULL;
	return false;
}

static bool is_gone(const struct check *check, const char *name)
{
	struct stat status;

	return occ_file_status_at(check->directory, name, &status) < 0;
}

static bool is_bad(const struct finding *finding)
{
	return finding->fault && !finding->other_version;
}

/* As the listing has it, which has regular files only, or a new one. */
static struct occ_listing_file *kept_file(struct check *check, size_t index)
{
	const char *name = kept_files[index].name;

	for (size_t i = 0; i < check->listing.count; i++)
		if (!strcmp(check->listing.files[i]->name, name))
			return check->listing.files[i];
	return add_file(&check->odd_kept, OCC_NAME_FIXED, name);
}

static size_t collect_bad(struct check *check,
			  struct occ_listing_file **ret_files)
{
	size_t count = 0;

	for (size_t i = 0; i < check->count; i++)
		if (is_bad(&check->findings[i]))
			ret_files[count++] = check->findings[i].file;
	for (size_t i = 0; i < KEPT_FILES; i++)
		if (check->kept_faults[i])
			ret_files[count++] = kept_file(check, i);
	return count;
}

/* A total that is wrong is counted anew by the removal, or here. */
static bool mend_total(struct check *check)
{
	struct occ_config config;
	int error = occ_config_lock(check->directory, &config);

	if (!error) {
		error = occ_config_recount(&config);
		occ_config_unlock(&config);
	}
	if (error)
		occ_failure_show(occ_store_directory(check->store), error);
	return !error;
}

static bool delete_bad(struct check *check, struct occ_clearance *clearance)
{
	struct occ_listing_file **files = occ_message_must(
		calloc(check->count + KEPT_FILES + 1, sizeof(*files)));
	size_t count = collect_bad(check, files);
	bool done;

	clearance->may_go = may_go;
	clearance->data = check;
	done = occ_clearance_run(clearance, files, count);
	if (check->total_fault)
		done &= mend_total(check);
	for (size_t i = 0; i < check->count; i++)
		if (is_bad(&check->findings[i]))
			check->findings[i].deleted =
				is_gone(check, check->findings[i].file->name);
	for (size_t i = 0; i < KEPT_FILES; i++)
		check->kept_deleted[i] = check->kept_faults[i] &&
					 is_gone(check, kept_files[i].name);
	free(files);
	return done;
}

static int compare_findings(const void *one, const void *other)
{
	const struct finding *a = one, *b = other;

	return strcmp(a->file->name, b->file->name);
}

static size_t count_bad(const struct check *check)
{
	size_t bad = 0;

	for (size_t i = 0; i < check->count; i++)
		bad += is_bad(&check->findings[i]);
	return bad;
}

static bool is_any_bad(const struct check *check)
{
	bool bad = count_bad(check) || check->total_fault;

	for (size_t i = 0; i < KEPT_FILES; i++)
		bad |= check->kept_faults[i] != NULL;
	return bad;
}

static size_t count_other_versions(const struct check *check)
{
	size_t count = 0;

	for (size_t i = 0; i < check->count; i++)
		count += check->findings[i].other_version;
	return count;
}

static void print_fault(const char *name, const char *fault, bool deleted)
{
	printf("%s", occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_RED));
	occ_screen_write(stdout, name, strlen(name), true);
	printf("%s: %s%s\n", occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE),
	       fault, deleted ? " (deleted)" : "");
}

static void print_text(const struct check *check, bool deletes)
{
	size_t bad = count_bad(check), others = count_other_versions(check);
	size_t entries = check->count - check->odd.count;
	char size[OCC_UNITS_SIZE];

	for (size_t i = 0; i < check->count; i++)
		if (check->findings[i].fault)
			print_fault(check->findings[i].file->name,
				    check->findings[i].fault,
				    check->findings[i].deleted);
	for (size_t i = 0; i < KEPT_FILES; i++)
		if (check->kept_faults[i])
			print_fault(kept_files[i].name, check->kept_faults[i],
				    check->kept_deleted[i]);
	if (check->total_fault)
		print_fault(OCC_NAME_CONFIG, check->total_fault, false);
	printf("%zu %s, %s: ", entries, entries == 1 ? "entry" : "entries",
	       occ_units_size(check->bytes, size));
	if (bad)
		printf("%zu bad\n", bad);
	else
		puts("none is bad");
	if (others)
		printf("%zu of another format version, left alone\n", others);
	if (bad && !deletes)
		occ_message_note("they do no harm: the layer never uses bad "
				 "entries; 'oclcache verify --delete' removes "
				 "them");
}

static void print_finding(struct occ_json *json, const char *name,
			  const char *fault, bool deleted)
{
	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "file", name);
	occ_json_string(json, "reason", fault);
	occ_json_bool(json, "deleted", deleted);
	occ_json_end(json, '}');
}

static void print_json(const struct check *check)
{
	struct occ_json json = OCC_JSON_INIT(stdout);

	occ_json_begin(&json, NULL, '{');
	occ_json_string(&json, "directory", occ_store_directory(check->store));
	occ_json_number(&json, "entries", check->count - check->odd.count);
	occ_json_number(&json, "bytes", check->bytes);
	occ_json_begin(&json, "bad", '[');
	for (size_t i = 0; i < check->count; i++)
		if (is_bad(&check->findings[i]))
			print_finding(&json, check->findings[i].file->name,
				      check->findings[i].fault,
				      check->findings[i].deleted);
	for (size_t i = 0; i < KEPT_FILES; i++)
		if (check->kept_faults[i])
			print_finding(&json, kept_files[i].name,
				      check->kept_faults[i],
				      check->kept_deleted[i]);
	if (check->total_fault)
		print_finding(&json, OCC_NAME_CONFIG, check->total_fault,
			      false);
	occ_json_end(&json, ']');
	occ_json_number(&json, "other_versions", count_other_versions(check));
	occ_json_number(&json, "recorded_total", check->recorded);
	occ_json_number(&json, "found_total", check->found);
	occ_json_end(&json, '}');
}

static bool look(struct check *check)
{
	int error = occ_listing_scan(check->directory, &check->listing);

	if (!error && occ_file_list(check->directory, add_odd, check) < 0)
		error = OCC_E_IO;
	if (!error) {
		check_entries(check);
		check_all_kept(check);
		error = check_total(check);
	}
	if (error)
		occ_failure_show(occ_store_directory(check->store), error);
	return !error;
}

static void release(struct check *check)
{
	occ_listing_release(&check->listing);
	occ_listing_release(&check->odd);
	occ_listing_release(&check->odd_kept);
	free(check->findings);
	occ_file_close(check->directory);
}

static int verify(struct occ_store *store, bool deletes, bool json)
{
	struct check check = {.store = store,
			      .or_roots = occ_store_is_read_only(store)};
	struct occ_clearance clearance = {.store = store};
	bool done = true, bad;

	if (!occ_clearance_open(store, &check.directory))
		return OCC_EXIT_FAILED;
	if (check.directory >= 0)
		done = look(&check);
	bad = is_any_bad(&check);
	if (done && bad && deletes)
		done = delete_bad(&check, &clearance);
	if (check.count)
		qsort(check.findings, check.count, sizeof(*check.findings),
		      compare_findings);
	if (json)
		print_json(&check);
	else
		print_text(&check, deletes);
	release(&check);
	return done && !bad ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static int run(const struct occ_arguments *arguments)
{
	bool deletes = occ_arguments_has(arguments, "delete");
	struct occ_store *store;
	int status;

	if (arguments->operand_count) {
		occ_message_error("verify: '%s' is too much; a single entry "
				  "is verified by 'oclcache inspect %s'",
				  arguments->operands[0],
				  arguments->operands[0]);
		return OCC_EXIT_USAGE;
	}
	store = occ_place_open(arguments, deletes);
	if (!store)
		return OCC_EXIT_FAILED;
	status = verify(store, deletes, occ_arguments_has(arguments, "json"));
	occ_store_close(store);
	return status;
}

static const struct occ_option options[] = {
	{"delete", 0, NULL, "remove what is bad"},
	{"json", 0, NULL, "the same, for programs"},
	OCC_PLACE_OPTION,
	{NULL},
};

const struct occ_command occ_command_verify = {
	.name = "verify",
	.summary = "check every byte of the store",
	.details = "Reads all entries whole and compares checksums, names and "
		   "keys, and what is\nremembered of drivers and sizes. Exit "
		   "status 1 when anything is bad, also when\nit was deleted. "
		   "Entries of other format versions are told and left alone.",
	.options = options,
	.run = run,
};
