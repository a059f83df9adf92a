/* SPDX-License-Identifier: MIT */
#include "cli/program_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/directory.h"
#include "cache/settings.h"
#include "cli/background.h"
#include "cli/command.h"
#include "cli/counts.h"
#include "cli/follow.h"
#include "cli/interpreter.h"
#include "cli/json.h"
#include "cli/layer.h"
#include "cli/message.h"
#include "cli/remote_session.h"
#include "cli/scratch.h"
#include "cli/suggestion.h"
#include "cli/nvidia/nvidia.h"
#include "cli/store_path.h"
#include "cli/text.h"
#include "hash/reason.h"

/* ---- why it did nothing ---- */

/* Does the list leave the program alone, or perhaps what it has started? */
static bool is_skipped(const char *program, const char *items, bool *ret_others)
{
	const char *file = basename(program);
	size_t length;

	*ret_others = false;
	for (; items; items = occ_settings_next_item(items)) {
		const char *name = occ_settings_item(items, "exe:", &length);

		*ret_others |= name != NULL;
		if (name && strlen(file) == length &&
		    !memcmp(file, name, length))
			return true;
	}
	return false;
}

/*
 * Why the program, with or without a directory, didn't have the layer, as far
 * as the settings of this process, which were the program's, tell.
 */
static void note_absence(const char *program)
{
	enum occ_setting_id id = OCC_SETTING_DISABLE;
	const struct occ_setting_value *found;
	char place[OCC_SETTINGS_PLACE_SIZE];
	struct occ_settings settings;
	bool skipped, others;

	occ_settings_read(&settings);
	if (!settings.disabled)
		id = OCC_SETTING_SKIP;
	found = &settings.values[id];
	occ_settings_place(found->file, found->line, place);
	skipped = is_skipped(program, settings.values[OCC_SETTING_SKIP].text,
			     &others);
	if (settings.disabled)
		occ_message_note("the layer is switched off: %s%s=%s", place,
				 found->name, found->text);
	else if (skipped)
		occ_message_note("the layer skipped %s: %s%s=%s", program,
				 place, found->name, found->text);
	else if (others)
		occ_message_note(
			"the layer wasn't loaded, or skipped the program that "
			"uses OpenCL: %s%s=%s; see 'oclcache doctor'",
			place, found->name, found->text);
	else
		/* Some loaders load layers only where there is a driver. */
		occ_message_note("the layer wasn't loaded: the program doesn't "
				 "use OpenCL, there is no driver, or the "
				 "OpenCL loader doesn't support layers; see "
				 "'oclcache doctor'");
	occ_settings_release(&settings);
}

/* Why a directory can't be made. "": nothing speaks against it. */
static const char *why_not_made(const char *directory)
{
	char *parent = occ_message_must(strdup(directory)), *slash;
	const char *why = "";
	struct stat status;

	while ((slash = strrchr(parent, '/')) && slash > parent) {
		*slash = '\0';
		if (stat(parent, &status))
			continue;
		if (!occ_path_may_make_in(&status))
			why = occ_error_string(OCC_E_ANOTHERS);
		else if (faccessat(AT_FDCWD, parent, W_OK | X_OK, AT_EACCESS))
			why = strerror(errno);
		break;
	}
	free(parent);
	return why;
}

/*
 * What is wrong with the directory where programs store, to be freed; NULL:
 * nothing, or nothing is to be stored.
 */
static char *fault_of_store(void)
{
	const char *directory, *why = "";
	struct occ_settings settings;
	char *fault = NULL;
	int error = OCC_OK;

	occ_settings_read(&settings);
	directory = settings.directory;
	if (settings.persistent && settings.store_policy != OCC_STORE_NEVER &&
	    directory)
		error = occ_directory_look(directory, OCC_DIRECTORY_MUST_EXIST);
	if (error == OCC_E_NO_DIRECTORY)
		why = why_not_made(directory);
	if (error)
		fault = occ_text("%s: %s%s%s", directory,
				 occ_error_string(error), *why ? ": " : "",
				 why);
	occ_settings_release(&settings);
	return fault;
}

/*
 * Room for the records of many processes, so that a full disk is seen before
 * any has counted.
 */
#define RECORDS_SIZE 65536

/* What is needed to tell what the program's processes did. */
struct report {
	bool quiet;
	const char *json_path; /* NULL: none */
	FILE *json;
	char *scratch; /* where the records are; NULL: there are none */
	char *records; /* the file of cache/counters.h; NULL: none */
	char *outer;   /* that of another run, which started this; or NULL */
	bool upgrades; /* what is stored, when the program has ended */
	bool learns;   /* what must be known of drivers, then */
	struct occ_remote_session remote;
};

/*
 * Where programs write to their store; upgrades but for OCLCACHE_UPGRADE=0.
 */
static void see_what_is_wanted(struct report *report)
{
	struct occ_settings settings;

	occ_settings_read(&settings);
	report->learns = settings.persistent && !settings.disabled &&
			 settings.mode != OCC_MODE_READONLY &&
			 settings.store_policy != OCC_STORE_NEVER;
	report->upgrades = report->learns && settings.upgrade;
	occ_settings_release(&settings);
}

/* Did a driver without a record build, of which something must be learnt? */
static bool is_learning_due(const struct occ_counters *sum)
{
	static const enum occ_reason reasons[] = {
		OCC_REASON_HABITS_UNKNOWN, OCC_REASON_LIBRARIES_UNKNOWN,
		OCC_REASON_UNLISTED_DIRECTORIES};

	for (size_t i = 0; i < sum->reason_count; i++)
		for (size_t j = 0; j < sizeof(reasons) / sizeof(*reasons); j++)
			if (!strcmp(sum->reasons[i].text,
				    occ_reason_text(reasons[j])))
				return true;
	return false;
}

void occ_program_run_set(const char *name, const char *value)
{
	if (setenv(name, value, 1))
		occ_message_no_memory();
}

void occ_program_run_set_trace(const char *path)
{
	occ_program_run_set("BinaryCacheTrace", "1");
	occ_program_run_set("OCLCACHE_LOG_FILE", path);
}

bool occ_program_run_set_directory(const struct occ_arguments *arguments)
{
	char *directory;
	bool usable;

	if (!occ_arguments_has(arguments, "dir"))
		return true;
	directory = occ_store_path_directory(arguments);
	usable = directory && occ_store_path_make(directory);
	if (usable)
		occ_program_run_set("OCLCACHE_DIR", directory);
	free(directory);
	return usable;
}

static void remove_records(struct report *report)
{
	occ_scratch_remove(report->scratch);
	free(report->records);
	report->scratch = report->records = NULL;
}

/* False with errno: nothing can be written to it. */
static bool reserve(const char *path, int file)
{
	static const struct occ_counters empty;
	struct occ_counters_record record = {0};

	/* Not all file systems can. */
	if (fallocate(file, FALLOC_FL_KEEP_SIZE, 0, RECORDS_SIZE) &&
	    (errno == ENOSPC || errno == EDQUOT))
		return false;
	return !occ_counters_put(path, &record, &empty);
}

/* False with errno: there is nothing to remove. */
static bool make_file(struct report *report)
{
	int file = -1, error;
	bool made;

	report->scratch = occ_scratch_try();
	if (!report->scratch)
		return false;
	report->records = occ_text("%s/counts", report->scratch);
	file = open(report->records, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
		    0600);
	made = file >= 0 && reserve(report->records, file);
	error = errno;
	if (file >= 0)
		close(file);
	if (!made)
		remove_records(report);
	errno = error;
	return made;
}

/* Warns if anybody would miss them: the program runs without. */
static void make_records(struct report *report, bool silent)
{
	if (!make_file(report) && !silent)
		occ_message_warning(
			"can't create a file in %s: %s; to see what was built, "
			"set TMPDIR to a directory that you can write to",
			occ_scratch_parent(), strerror(errno));
}

/* False after an error. */
static bool open_json(struct report *report)
{
	report->json = !strcmp(report->json_path, "-")
			       ? stdout
			       : fopen(report->json_path, "we");
	if (!report->json)
		occ_message_error("%s can't be written: %s", report->json_path,
				  strerror(errno));
	return report->json != NULL;
}

/* False after an error: nothing was started. */
static bool begin(const struct occ_program_run *run, struct report *report)
{
	const char *outer;

	*report = (struct report){
		.quiet = run->quiet,
		.json_path = run->json_path,
	};
	if (report->json_path && !open_json(report))
		return false;
	/* Before the program's own output, which it may explain. */
	if (!report->quiet)
		occ_suggestion_warn_misspelt();
	see_what_is_wanted(report);
	occ_remote_session_begin(&report->remote);
	/* Elsewhere nothing is worth to be upgraded. */
	if (!report->quiet || report->json || run->needs_counters ||
	    (report->upgrades && occ_nvidia_is_here()))
		make_records(report, report->quiet && !report->json &&
					     !run->needs_counters);
	if (!report->records)
		return true;
	outer = getenv("OCLCACHE_STATS_FILE");
	if (outer && *outer == '/')
		report->outer = occ_message_must(strdup(outer));
	occ_program_run_set("OCLCACHE_STATS_FILE", report->records);
	return true;
}

/* `sum` NULL: it isn't known. */
static void write_json(const struct report *report,
		       const struct occ_counters *sum)
{
	struct occ_json json = OCC_JSON_INIT(report->json);
	bool failed;

	occ_json_begin(&json, NULL, '{');
	if (sum)
		occ_counts_write_json(&json, sum);
	occ_json_end(&json, '}');
	failed = ferror(report->json);
	/* How standard output ends, main() says. */
	if (report->json == stdout)
		fflush(stdout);
	else if (fclose(report->json) || failed)
		occ_message_error("%s couldn't be written: %s",
				  report->json_path, strerror(errno));
}

static void write_line(const struct occ_counters *sum, const char *program,
		       bool has_builds_told)
{
	char *line, *fault;

	if (!sum->numbers[OCC_COUNT_PROCESSES]) {
		note_absence(program);
		return;
	}
	if (!occ_counters_builds(sum)) {
		occ_message_note("no OpenCL program was built");
		return;
	}
	if (has_builds_told)
		return;
	fault = fault_of_store();
	line = occ_counts_line(sum, fault);
	occ_message_note("%s", line);
	free(fault);
	free(line);
}

/* The other may have ended: that isn't ours to tell. */
static void pass_on(const struct report *report, const struct occ_counters *sum)
{
	struct occ_counters_record record = {0};

	if (report->outer && sum->numbers[OCC_COUNT_PROCESSES] &&
	    occ_counters_put(report->outer, &record, sum) && errno != ENOENT)
		occ_message_warning("can't write %s: %s; the outer 'oclcache "
				    "run' doesn't count what was built",
				    report->outer, strerror(errno));
}

/* Says what `program` did; NULL: it wasn't started. */
static void end(const struct occ_program_run *run, struct report *report,
		const char *program)
{
	struct occ_counters sum = {0};
	bool known = false;
	int error = OCC_OK;

	if (report->records) {
		error = occ_counters_sum(report->records, &sum);
		known = !error;
	}
	occ_remote_session_end(&report->remote,
			       !known || sum.numbers[OCC_COUNT_REMOTE_PUTS],
			       report->quiet);
	/* First: a reader of the line who is gone doesn't take it along. */
	if (report->json)
		write_json(report, known ? &sum : NULL);
	if (error)
		occ_message_warning("%s: %s; can't tell what was built",
				    report->records, occ_error_string(error));
	remove_records(report);
	if (known)
		pass_on(report, &sum);
	if (known && program && !report->quiet)
		write_line(&sum, program, run->tells_builds);
	if (program && run->ended)
		run->ended(known ? &sum : NULL, run->data);
	if (known && report->upgrades && sum.numbers[OCC_COUNT_WITHOUT_CODE])
		occ_background_upgrade();
	if (known && report->learns && is_learning_due(&sum))
		occ_background_learn();
	free(report->outer);
}

static int run_command(char *const *command, const struct occ_program_run *run)
{
	struct report report;
	int status, failed;

	if (!occ_layer_switch_on() || !begin(run, &report))
		return OCC_EXIT_FAILED;
	if (!report.records && !report.json && !run->ended &&
	    !report.remote.has_helper)
		return occ_follow_replace(command);
	status = occ_follow_run(command, &failed);
	end(run, &report, status == -1 ? NULL : command[0]);
	return status == -1 ? failed : occ_follow_end(status);
}

int occ_program_run(char *const *command, const struct occ_program_run *run)
{
	char **whole = occ_interpreter_command(command);
	int status = run_command(whole, run);

	free(whole);
	return status;
}
