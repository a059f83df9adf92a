/* SPDX-License-Identifier: MIT */
#include "cache/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cache/database.h"
#include "cache/memory.h"
#include "cache/remote_setting.h"
#include "cache/store.h"

/* More than any compile takes; and what fits in 64 bits of ns. */
#define WAIT_S		  120
#define WAIT_MAX_S	  1000000000

/* What a start can wait for, and what nobody would. */
#define REMOTE_CONNECT_MS 20
#define REMOTE_WAIT_MS	  150
#define REMOTE_MAX_MS	  60000

/* Longer than there have been computers. */
#define DAYS_MAX	  36500

/* In the order of enum occ_store_policy and enum occ_mode. */
static const char *const stores[] = {"auto", "eager", "never", NULL};
static const char *const modes[] = {"readwrite", "readonly", "recache",
				    "require", NULL};

const struct occ_setting occ_settings_table[OCC_SETTINGS] = {
	[OCC_SETTING_DISABLE] = {.name = "OCLCACHE_DISABLE",
				 .kind = OCC_SETTING_FLAG,
				 .unclear = 1,
				 .help = "1: the layer does nothing"},
	[OCC_SETTING_DIR] = {.name = "OCLCACHE_DIR",
			     .intels = "NEO_CACHE_DIR",
			     .kind = OCC_SETTING_DIRECTORY,
			     .help = "the directory of the store"},
	[OCC_SETTING_READONLY_DIRS] =
		{.name = "OCLCACHE_READONLY_DIRS",
		 .kind = OCC_SETTING_PATHS,
		 .help = "additional read-only stores: DIR:DIR"},
	[OCC_SETTING_PERSISTENT] = {.name = "OCLCACHE_PERSISTENT",
				    .intels = "NEO_CACHE_PERSISTENT",
				    .kind = OCC_SETTING_FLAG,
				    .otherwise = 1,
				    .help = "0: nothing is read from or "
					    "written to disk"},
	[OCC_SETTING_MAX_SIZE] = {.name = "OCLCACHE_MAX_SIZE",
				  .intels = "NEO_CACHE_MAX_SIZE",
				  .kind = OCC_SETTING_NUMBER,
				  .unit = "bytes",
				  .is_size = true,
				  .otherwise = OCC_STORE_DEFAULT_MAX_SIZE,
				  .most = UINT64_MAX,
				  .help = "bytes that the store never "
					  "exceeds; 0: no limit"},
	[OCC_SETTING_MAX_AGE] = {.name = "OCLCACHE_MAX_AGE",
				 .kind = OCC_SETTING_NUMBER,
				 .unit = "days",
				 .most = DAYS_MAX,
				 .help = "evict entries unused for this many "
					 "days first; 0: none"},
	[OCC_SETTING_MEMORY_SIZE] = {.name = "OCLCACHE_MEMORY_SIZE",
				     .kind = OCC_SETTING_NUMBER,
				     .unit = "bytes",
				     .is_size = true,
				     .otherwise = OCC_MEMORY_DEFAULT_CAPACITY,
				     .most = UINT64_MAX,
				     .help = "bytes that a process keeps in "
					     "memory; 0: none"},
	[OCC_SETTING_STORE] =
		{.name = "OCLCACHE_STORE",
		 .kind = OCC_SETTING_CHOICE,
		 .choices = stores,
		 .help = "when to store programs: auto, eager or never"},
	[OCC_SETTING_MODE] =
		{.name = "OCLCACHE_MODE",
		 .kind = OCC_SETTING_CHOICE,
		 .choices = modes,
		 .help = "readwrite, readonly, recache (store everything "
			 "again) or require (never compile)"},
	[OCC_SETTING_WAIT] =
		{.name = "OCLCACHE_WAIT",
		 .kind = OCC_SETTING_NUMBER,
		 .unit = "seconds",
		 .otherwise = WAIT_S,
		 .most = WAIT_MAX_S,
		 .help = "seconds to wait for another process that compiles "
			 "the same program; 0: never"},
	[OCC_SETTING_SKIP] =
		{.name = "OCLCACHE_SKIP",
		 .kind = OCC_SETTING_ITEMS,
		 .help = "what to leave alone: exe:NAME,device:TEXT"},
	[OCC_SETTING_HASH_ENV] = {.name = "OCLCACHE_HASH_ENV",
				  .kind = OCC_SETTING_TEXT,
				  .help = "additional variables that affect "
					  "compilation: VAR:VAR"},
	[OCC_SETTING_UPGRADE] = {.name = "OCLCACHE_UPGRADE",
				 .kind = OCC_SETTING_FLAG,
				 .otherwise = 1,
				 .help = "0: run and prewarm don't start "
					 "'oclcache upgrade'"},
	[OCC_SETTING_PREFETCH] = {.name = "OCLCACHE_PREFETCH",
				  .kind = OCC_SETTING_FLAG,
				  .otherwise = 1,
				  .help = "0: nothing is loaded before the "
					  "program asks for it"},
	[OCC_SETTING_RECORD] = {.name = "OCLCACHE_RECORD",
				.kind = OCC_SETTING_TEXT,
				.help = "the database to which builds are "
					"added, for 'oclcache replay'"},
	[OCC_SETTING_RECORD_MAX_SIZE] =
		{.name = "OCLCACHE_RECORD_MAX_SIZE",
		 .kind = OCC_SETTING_NUMBER,
		 .unit = "bytes",
		 .is_size = true,
		 .otherwise = OCC_DATABASE_DEFAULT_SIZE,
		 .most = UINT64_MAX,
		 .help = "maximum size of that database in bytes; 0: no limit"},
	[OCC_SETTING_REMOTE] = {.name = "OCLCACHE_REMOTE",
				.kind = OCC_SETTING_REMOTE_URL,
				.help = "the storage shared with other "
					"machines: URL [ATTRIBUTE...]"},
	[OCC_SETTING_REMOTE_CONNECT] =
		{.name = "OCLCACHE_REMOTE_CONNECT",
		 .kind = OCC_SETTING_NUMBER,
		 .unit = "milliseconds",
		 .otherwise = REMOTE_CONNECT_MS,
		 .most = REMOTE_MAX_MS,
		 .help = "milliseconds to wait for a connection to its helper"},
	[OCC_SETTING_REMOTE_WAIT] =
		{.name = "OCLCACHE_REMOTE_WAIT",
		 .kind = OCC_SETTING_NUMBER,
		 .unit = "milliseconds",
		 .otherwise = REMOTE_WAIT_MS,
		 .most = REMOTE_MAX_MS,
		 .help = "milliseconds to wait for an answer"},
	[OCC_SETTING_TRUSTED_KEYS] =
		{.name = "OCLCACHE_TRUSTED_KEYS",
		 .kind = OCC_SETTING_PATHS,
		 .help = "files of trusted keys: FILE:FILE"},
	[OCC_SETTING_SIGNING_KEY] =
		{.name = "OCLCACHE_SIGNING_KEY",
		 .kind = OCC_SETTING_DIRECTORY,
		 .help = "the file of the key that signs shared entries"},
	[OCC_SETTING_DEBUG] = {.name = "PrintDebugMessages",
			       .kind = OCC_SETTING_FLAG,
			       .help = "1: print what isn't cached, and why"},
	[OCC_SETTING_TRACE] =
		{.name = "BinaryCacheTrace",
		 .kind = OCC_SETTING_FLAG,
		 .help = "1: write a line of JSON for each lookup"},
	[OCC_SETTING_LOG_FILE] = {.name = "OCLCACHE_LOG_FILE",
				  .kind = OCC_SETTING_TEXT,
				  .help = "the file for messages and traces, "
					  "instead of standard error"},
};

static const char *const variables[] = {
	"OCLCACHE_CHILD_LIMIT", "OCLCACHE_CONFIG", "OCLCACHE_DOCTOR_ROOT",
	"OCLCACHE_LAYER",	"OCLCACHE_ROOT",   "OCLCACHE_STATS_FILE",
};

bool occ_settings_is_variable(const char *name)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (!strcmp(variables[i], name))
			return true;
	return false;
}

enum occ_setting_id occ_settings_find(const char *name)
{
	size_t id = 0;

	while (id < OCC_SETTINGS &&
	       strcmp(occ_settings_table[id].name, name) != 0 &&
	       (!occ_settings_table[id].intels ||
		strcmp(occ_settings_table[id].intels, name) != 0))
		id++;
	return (enum occ_setting_id)id;
}

uint64_t occ_settings_unit(const char *unit)
{
	static const char letters[] = "KMGT";
	const char *letter;
	uint64_t factor = 1, base = 1000;

	if (!*unit || !strcmp(unit, "B"))
		return 1;
	letter = strchr(letters, *unit == 'k' ? 'K' : *unit);
	if (!letter)
		return 0;
	unit++;
	if (*unit == 'i') {
		base = 1024;
		unit++;
	}
	if (*unit && strcmp(unit, "B") != 0)
		return 0;
	for (const char *each = letters; each <= letter; each++)
		factor *= base;
	return factor;
}

static bool parse_number(const struct occ_setting *setting, const char *value,
			 uint64_t *ret_number)
{
	unsigned long long number;
	uint64_t factor;
	char *end;

	errno = 0;
	number = strtoull(value, &end, 10);
	if (*value < '0' || *value > '9' || errno)
		return false;
	factor = setting->is_size ? occ_settings_unit(end) : !*end;
	if (!factor)
		return false;
	if (number > UINT64_MAX / factor)
		number = UINT64_MAX;
	else
		number *= factor;
	*ret_number = number < setting->most ? number : setting->most;
	return true;
}

/* Intel's switches are numbers, of which all but 0 are on. */
static bool parse_flag(const char *value, uint64_t *ret_number)
{
	static const char *const words[][2] = {{"no", "yes"},
					       {"false", "true"},
					       {"off", "on"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		for (unsigned flag = 0; flag < 2; flag++)
			if (!strcasecmp(words[i][flag], value)) {
				*ret_number = flag;
				return true;
			}
	if (!*value || value[strspn(value, "0123456789")])
		return false;
	*ret_number = value[strspn(value, "0")] != '\0';
	return true;
}

static bool parse_choice(const struct occ_setting *setting, const char *value,
			 uint64_t *ret_number)
{
	for (size_t i = 0; setting->choices[i]; i++) {
		if (strcmp(setting->choices[i], value) != 0)
			continue;
		*ret_number = i;
		return true;
	}
	return false;
}

const char *occ_settings_path(const char *list, size_t *ret_length)
{
	list += strspn(list, ":");
	*ret_length = strcspn(list, ":");
	return *ret_length ? list : NULL;
}

static bool are_paths(const char *list)
{
	size_t length;

	while ((list = occ_settings_path(list, &length))) {
		if (*list != '/')
			return false;
		list += length;
	}
	return true;
}

const char *occ_settings_item(const char *item, const char *kind,
			      size_t *ret_length)
{
	size_t length = strlen(kind);

	item += strspn(item, " ");
	if (strncmp(item, kind, length) != 0)
		return NULL;
	*ret_length = strcspn(item + length, ",");
	return *ret_length ? item + length : NULL;
}

const char *occ_settings_next_item(const char *item)
{
	item = strchr(item, ',');
	return item ? item + 1 : NULL;
}

static bool is_empty_item(const char *item)
{
	item += strspn(item, " ");
	return !*item || *item == ',';
}

static bool are_items(const char *value)
{
	size_t length;

	for (const char *item = value; item;
	     item = occ_settings_next_item(item))
		if (!occ_settings_item(item, "exe:", &length) &&
		    !occ_settings_item(item, "device:", &length) &&
		    !is_empty_item(item))
			return false;
	return true;
}

static bool is_remote(const char *value)
{
	struct occ_remote_setting setting;

	if (occ_remote_setting_parse(value, &setting))
		return false;
	occ_remote_setting_release(&setting);
	return true;
}

bool occ_settings_parse(const struct occ_setting *setting, const char *value,
			uint64_t *ret_number)
{
	*ret_number = setting->otherwise;
	if (!value)
		return true;
	switch (setting->kind) {
	case OCC_SETTING_FLAG:
		*ret_number = setting->unclear;
		return parse_flag(value, ret_number);
	case OCC_SETTING_NUMBER:
		return parse_number(setting, value, ret_number);
	case OCC_SETTING_CHOICE:
		return parse_choice(setting, value, ret_number);
	case OCC_SETTING_DIRECTORY:
		return *value == '/';
	case OCC_SETTING_PATHS:
		return are_paths(value);
	case OCC_SETTING_ITEMS:
		return are_items(value);
	case OCC_SETTING_REMOTE_URL:
		return is_remote(value);
	case OCC_SETTING_TEXT:
		break;
	}
	return true;
}

/* "use auto, eager or never" */
static void list_choices(const char *const *choices,
			 char ret_text[OCC_SETTINGS_TEXT_SIZE])
{
	size_t length = 0;

	for (size_t i = 0; choices[i]; i++) {
		const char *before = !i		       ? "use "
				     : !choices[i + 1] ? " or "
						       : ", ";

		length += (size_t)snprintf(ret_text + length,
					   OCC_SETTINGS_TEXT_SIZE - length,
					   "%s%s", before, choices[i]);
		if (length >= OCC_SETTINGS_TEXT_SIZE)
			return;
	}
}

const char *occ_settings_advice(const struct occ_setting *setting,
				char ret_text[OCC_SETTINGS_TEXT_SIZE])
{
	const char *text = "";

	switch (setting->kind) {
	case OCC_SETTING_FLAG:
		text = "use 0 or 1, no or yes, off or on, false or true";
		break;
	case OCC_SETTING_NUMBER:
		snprintf(ret_text, OCC_SETTINGS_TEXT_SIZE,
			 "use a number of %s%s", setting->unit,
			 setting->is_size ? ", or one like 500M or 2GiB" : "");
		return ret_text;
	case OCC_SETTING_CHOICE:
		list_choices(setting->choices, ret_text);
		return ret_text;
	case OCC_SETTING_DIRECTORY:
		text = "use an absolute path";
		break;
	case OCC_SETTING_PATHS:
		text = "use absolute paths, as in DIR:DIR";
		break;
	case OCC_SETTING_ITEMS:
		text = "use exe:NAME,device:TEXT";
		break;
	case OCC_SETTING_REMOTE_URL:
		text = "use URL or crsh:PATH, followed by attributes after "
		       "blanks";
		break;
	case OCC_SETTING_TEXT:
		break;
	}
	snprintf(ret_text, OCC_SETTINGS_TEXT_SIZE, "%s", text);
	return ret_text;
}

const char *occ_settings_text(const struct occ_setting *setting,
			      uint64_t number,
			      char ret_text[OCC_SETTINGS_TEXT_SIZE])
{
	*ret_text = '\0';
	if (setting->kind == OCC_SETTING_CHOICE)
		snprintf(ret_text, OCC_SETTINGS_TEXT_SIZE, "%s",
			 setting->choices[number]);
	else if (setting->kind == OCC_SETTING_FLAG ||
		 setting->kind == OCC_SETTING_NUMBER)
		snprintf(ret_text, OCC_SETTINGS_TEXT_SIZE, "%" PRIu64, number);
	return ret_text;
}
