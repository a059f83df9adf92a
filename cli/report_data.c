/* SPDX-License-Identifier: MIT */
#include "cli/report_data.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/directory.h"
#include "cache/file.h"
#include "cache/settings.h"
#include "cli/child.h"
#include "cli/counts.h"
#include "cli/message.h"
#include "cli/remote_secrets.h"
#include "cli/store_path.h"
#include "cli/text.h"

#define DAY INT64_C(86400)

static bool gather_stale(struct occ_store *store, struct occ_report *report)
{
	struct occ_drivers_here here;
	bool good;

	if (!occ_drivers_here_find(&here))
		return false;
	good = !occ_child_interrupted() &&
	       occ_stale_find(store, NULL, &here, false, &report->stale);
	report->stale_state = here.why_not ? OCC_REPORT_STALE_UNKNOWN
					   : OCC_REPORT_STALE_KNOWN;
	if (here.why_not)
		report->stale_why_not = occ_message_must(strdup(here.why_not));
	occ_drivers_here_release(&here);
	return good && !occ_child_interrupted();
}

/* Drivers are asked only about a store that has something. */
static bool gather_entries(struct occ_store *store, bool with_stale,
			   struct occ_report *report)
{
	if (!occ_catalogue_read(store, NULL, &report->stale.catalogue))
		return false;
	if (!with_stale || !report->stale.catalogue.count)
		return true;
	occ_catalogue_release(&report->stale.catalogue);
	report->stale.catalogue = (struct occ_catalogue){.count = 0};
	return gather_stale(store, report);
}

static int compare_sizes(const void *one, const void *other)
{
	const struct occ_item *a = *(const struct occ_item *const *)one;
	const struct occ_item *b = *(const struct occ_item *const *)other;

	if (a->file->size != b->file->size)
		return a->file->size < b->file->size ? 1 : -1;
	return strcmp(a->file->name, b->file->name);
}

static void gather_unused(struct occ_report *report)
{
	const struct occ_catalogue *catalogue = occ_report_catalogue(report);
	int64_t limit = report->now - OCC_REPORT_UNUSED_DAYS * DAY;

	report->never_hit = occ_message_must(
		calloc(catalogue->count + 1, sizeof(*report->never_hit)));
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct occ_item *item = &catalogue->items[i];

		report->damaged += item->fault != NULL;
		if (item->file->used.tv_sec < limit) {
			report->unused_count++;
			report->unused_bytes += item->file->size;
		}
		if (item->file->uses == OCC_FILE_USES_UNKNOWN && !item->fault) {
			report->unknown_count++;
			report->unknown_bytes += item->file->size;
		}
		if (item->file->uses || item->fault)
			continue;
		report->never_hit[report->never_hit_count++] = item;
		report->never_hit_bytes += item->file->size;
	}
	if (report->never_hit_count)
		qsort(report->never_hit, report->never_hit_count,
		      sizeof(*report->never_hit), compare_sizes);
}

static int compare_reasons(const void *one, const void *other)
{
	const struct occ_counted_reason *a = one, *b = other;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(a->text, b->text);
}

static void gather_counters(struct occ_store *store, struct occ_report *report)
{
	struct occ_counters *counters = &report->counters;
	int error = occ_counters_read(store, counters);

	if (error && error != OCC_E_NOT_FOUND && error != OCC_E_NO_DIRECTORY)
		report->counters_fault = occ_message_must(
			occ_text("%s; %s", occ_counts_fault(error),
				 occ_counts_advice(error)));
	qsort(counters->reasons, counters->reason_count,
	      sizeof(*counters->reasons), compare_reasons);
}

static const char *fault_of(int error)
{
	switch (error) {
	case OCC_OK:
		return NULL;
	case OCC_E_NO_DIRECTORY:
		return "there is no such directory";
	case OCC_E_FORBIDDEN:
		return "not read: another user owns it or can write to it";
	default:
		return occ_error_string(error);
	}
}

static void look_at_store(const char *path, struct occ_report_store *ret_store)
{
	struct occ_listing listing;
	int directory, error;

	if (*path != '/') {
		ret_store->fault = "not read: the path isn't absolute";
		return;
	}
	error = occ_directory_open(path, OCC_DIRECTORY_READ_ONLY, &directory);
	if (!error) {
		error = occ_listing_scan(directory, &listing);
		occ_file_close(directory);
	}
	ret_store->fault = fault_of(error);
	if (error)
		return;
	for (size_t i = 0; i < listing.count; i++)
		ret_store->entries += listing.files[i]->kind == OCC_NAME_ENTRY;
	ret_store->bytes = listing.total;
	occ_listing_release(&listing);
}

static void gather_settings(struct occ_report *report)
{
	struct occ_settings settings;
	const char *list, *remote;
	size_t length, count = 0;

	occ_settings_read(&settings);
	report->max_bytes = settings.max_size;
	list = settings.values[OCC_SETTING_READONLY_DIRS].text;
	for (; list && (list = occ_settings_path(list, &length));
	     list += length) {
		report->read_only = occ_message_must(
			reallocarray(report->read_only, count + 1,
				     sizeof(*report->read_only)));
		report->read_only[count] = (struct occ_report_store){
			.path = occ_message_must(strndup(list, length))};
		look_at_store(report->read_only[count].path,
			      &report->read_only[count]);
		count++;
	}
	report->read_only_count = count;
	remote = settings.values[OCC_SETTING_REMOTE].text;
	if (remote && *remote)
		report->remote = occ_remote_secrets_hide(remote);
	occ_settings_release(&settings);
}

bool occ_report_gather(struct occ_store *store, bool with_stale,
		       struct occ_report *ret_report)
{
	struct occ_report *report = ret_report;

	*report = (struct occ_report){.directory = occ_store_directory(store),
				      .now = occ_file_now()};
	if (gethostname(report->host, sizeof(report->host) - 1))
		*report->host = '\0';
	if (!gather_entries(store, with_stale, report))
		return false;
	gather_unused(report);
	gather_settings(report);
	gather_counters(store, report);
	occ_report_history_read(store, report->now, &report->history);
	occ_report_groups_by_device(occ_report_catalogue(report),
				    &report->devices);
	occ_entry_users_read(store, &occ_report_catalogue(report)->listing,
			     &report->users);
	occ_report_groups_by_application(occ_report_catalogue(report),
					 &report->users, &report->applications);
	return true;
}

void occ_report_release(struct occ_report *report)
{
	for (size_t i = 0; i < report->read_only_count; i++)
		free(report->read_only[i].path);
	free(report->read_only);
	free(report->remote);
	free(report->counters_fault);
	free(report->never_hit);
	free(report->stale_why_not);
	occ_report_groups_release(&report->devices);
	occ_report_groups_release(&report->applications);
	occ_entry_users_release(&report->users);
	occ_report_history_release(&report->history);
	occ_stale_release(&report->stale);
}
