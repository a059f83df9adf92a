/* SPDX-License-Identifier: MIT */
/*
 * oclcache verify: reads every byte that counts.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/screen.h"
#include "cli/store_path.h"
#include "cli/units.h"
#include "cli/verification.h"

static size_t count_bad(const struct occ_verification *check, size_t count)
{
	size_t bad = 0;

	for (size_t i = 0; i < count; i++)
		bad += occ_verification_is_bad(&check->findings[i]);
	return bad;
}

static size_t count_other_versions(const struct occ_verification *check)
{
	size_t count = 0;

	for (size_t i = 0; i < check->count; i++)
		count += check->findings[i].other_version;
	return count;
}

static void print_faults(const struct occ_verification *check)
{
	for (size_t i = 0; i < check->count; i++) {
		const struct occ_finding *finding = &check->findings[i];

		if (!finding->fault)
			continue;
		fputs(occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_RED), stdout);
		occ_screen_write(stdout, finding->name, strlen(finding->name),
				 true);
		printf("%s: %s%s\n",
		       occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE),
		       finding->fault, finding->deleted ? " (deleted)" : "");
	}
}

static void print_text(const struct occ_verification *check, bool deletes)
{
	size_t bad = count_bad(check, check->entry_count),
	       others = count_other_versions(check);
	size_t entries = check->file_count;
	char size[OCC_UNITS_SIZE];

	print_faults(check);
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

static void json_finding(struct occ_json *json,
			 const struct occ_finding *finding)
{
	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "file", finding->name);
	occ_json_string(json, "reason", finding->fault);
	occ_json_bool(json, "deleted", finding->deleted);
	occ_json_end(json, '}');
}

static void print_json(const struct occ_verification *check,
		       const char *directory)
{
	struct occ_json json = OCC_JSON_INIT(stdout);

	occ_json_begin(&json, NULL, '{');
	occ_json_string(&json, "directory", directory);
	occ_json_number(&json, "entries", check->file_count);
	occ_json_number(&json, "bytes", check->bytes);
	occ_json_begin(&json, "bad", '[');
	for (size_t i = 0; i < check->count; i++)
		if (occ_verification_is_bad(&check->findings[i]))
			json_finding(&json, &check->findings[i]);
	occ_json_end(&json, ']');
	occ_json_number(&json, "other_versions", count_other_versions(check));
	occ_json_number(&json, "recorded_total", check->recorded);
	occ_json_number(&json, "found_total", check->found);
	occ_json_end(&json, '}');
}

static int verify(struct occ_store *store, bool deletes, bool json)
{
	struct occ_verification check;
	bool done, bad;

	if (!occ_verification_open(store, &check))
		return OCC_EXIT_FAILED;
	done = occ_verification_look(&check);
	bad = count_bad(&check, check.count);
	if (done && bad && deletes)
		done = occ_verification_delete(&check);
	if (json)
		print_json(&check, occ_store_directory(store));
	else
		print_text(&check, deletes);
	occ_verification_release(&check);
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
	store = occ_store_path_open(arguments, deletes);
	if (!store)
		return OCC_EXIT_FAILED;
	status = verify(store, deletes, occ_arguments_has(arguments, "json"));
	occ_store_close(store);
	return status;
}

static const struct occ_option options[] = {
	{"delete", 0, NULL, "remove what is bad"},
	{"json", 0, NULL, "the same, for programs"},
	OCC_STORE_PATH_OPTION,
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
