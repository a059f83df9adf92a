/* SPDX-License-Identifier: MIT */
#include "layer/key/environment.h"

#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/file.h"
#include "hash/option.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/driver/refused_files.h"

/* Drivers of which traits are known, and one for all others, at the end. */
#define RECORDS_MAX  32

/* Of a file with switches; a larger one isn't read. */
#define SWITCHES_MAX 16384

/* Six bits of each of a name's first two letters. */
#define BEGINNINGS   4096

/* A driver's variables at initialisation. */
struct record {
	const struct occ_driver *driver; /* NULL: those that aren't listed */
	bool switched; /* a variable makes switches of all the others */
	struct occ_buffer key;
	struct occ_buffer options; /* with a NUL at the end */
	enum occ_reason reason;	   /* why nothing is cached, if so */
};

static struct {
	struct record records[RECORDS_MAX];
	size_t record_count;
	uint64_t beginnings[BEGINNINGS / 64]; /* a bit for each that matters */
	/* What began like a variable that matters, as environ had it. */
	char **first;
	size_t first_count;
	/* A bit for each record: one of its variables was seen to differ. */
	atomic_uint changed;
} environment;

/* Of a name, or a variable. */
static unsigned beginning_of(const char *name)
{
	unsigned first = (unsigned char)name[0] & 63;
	unsigned second = (unsigned char)name[0] ? (unsigned char)name[1] : 0;

	if (second == '=')
		second = 0;
	return first * 64 + (second & 63);
}

static void add_beginning(const char *name, size_t length)
{
	char two[3] = "";
	unsigned beginning;

	memcpy(two, name, length < 2 ? length : 2);
	beginning = beginning_of(two);
	environment.beginnings[beginning / 64] |= UINT64_C(1)
						  << (beginning % 64);
}

static bool is_candidate(const char *variable)
{
	unsigned beginning = beginning_of(variable);

	return environment.beginnings[beginning / 64] >> (beginning % 64) & 1;
}

/* Is it one of OCLCACHE_HASH_ENV: names between colons? */
static bool is_users(const char *name, size_t length)
{
	const char *at = occ_settings.hash_environment;

	while (at && *at) {
		size_t size = strcspn(at, ":");

		if (size == length && !memcmp(at, name, length))
			return true;
		at += size;
		at += *at == ':';
	}
	return false;
}

static void add_users_beginnings(void)
{
	const char *at = occ_settings.hash_environment;

	while (at && *at) {
		size_t size = strcspn(at, ":");

		if (size)
			add_beginning(at, size);
		at += size;
		at += *at == ':';
	}
}

static void add_beginnings(const struct occ_variable *variable)
{
	for (; variable && variable->name; variable++)
		if (occ_variable_matters(variable->kind))
			add_beginning(variable->name, strlen(variable->name));
}

/* Is one of them set, and not "0"? Then any name may matter. */
static bool is_switched(const struct occ_variable *variable)
{
	for (; variable && variable->name; variable++) {
		const char *value = variable->kind == OCC_VARIABLE_SWITCH
					    ? getenv(variable->name)
					    : NULL;

		if (value && strcmp(value, "0") != 0) {
			memset(environment.beginnings, 0xff,
			       sizeof(environment.beginnings));
			return true;
		}
	}
	return false;
}

static void add_records(void)
{
	const struct occ_driver *driver;
	size_t count = 0;

	for (size_t i = 0; (driver = occ_driver_at(i)); i++) {
		add_beginnings(driver->variables);
		/* One that doesn't fit is as one that isn't listed. */
		if (driver->learnt || count == RECORDS_MAX - 1)
			continue;
		environment.records[count].driver = driver;
		environment.records[count++].switched =
			is_switched(driver->variables);
	}
	environment.records[count++].driver = NULL;
	environment.record_count = count;
	add_beginnings(occ_driver_compiler_variables);
	add_users_beginnings();
}

static size_t record_of(const struct occ_driver *driver)
{
	size_t i = 0;

	while (i + 1 < environment.record_count &&
	       environment.records[i].driver != driver)
		i++;
	return i;
}

static enum occ_variable_kind kind_of(const struct record *record,
				      const char *name, size_t length)
{
	enum occ_variable_kind kind =
		occ_driver_variable(record->driver, name, length);

	if (kind == OCC_VARIABLE_SWITCHED && record->switched)
		kind = OCC_VARIABLE_KEY;
	if (kind == OCC_VARIABLE_SWITCHED_FILES && record->switched)
		kind = OCC_VARIABLE_FILES;
	/* What isn't known of a driver isn't followed. */
	if (!record->driver && kind < OCC_VARIABLE_KEY)
		kind = OCC_VARIABLE_HARMLESS;
	if (kind < OCC_VARIABLE_KEY && is_users(name, length))
		kind = OCC_VARIABLE_KEY;
	return kind;
}

/* The first of that name counts, as for getenv(). NULL: it isn't there. */
static const char *find(char *const *list, size_t count, const char *name,
			size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (*list[i] == *name && !strncmp(list[i], name, length) &&
		    list[i][length] == '=')
			return list[i];
	return NULL;
}

static size_t count_of(char *const *list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

static bool keep_first(void)
{
	size_t total = count_of(environ);

	environment.first = calloc(total + 1, sizeof(*environment.first));
	if (!environment.first)
		return false;
	for (size_t i = 0; i < total; i++) {
		char *copy;

		if (!is_candidate(environ[i]))
			continue;
		copy = strdup(environ[i]);
		if (!copy)
			return false;
		environment.first[environment.first_count++] = copy;
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	const char *one = *(char *const *)a, *other = *(char *const *)b;
	size_t length = strcspn(one, "="), size = strcspn(other, "=");
	int order = memcmp(one, other, length < size ? length : size);

	return order ? order : (length > size) - (length < size);
}

static bool visit_none(enum occ_option_kind kind, const char *argument,
		       size_t length, bool certain, void *data)
{
	(void)kind;
	(void)argument;
	(void)length;
	(void)certain;
	(void)data;
	return false;
}

/*
 * Where a driver puts them was seen of those in the table. Quotes and signs
 * that drivers read differently could go together with those of a call.
 */
static void add_options(struct record *record, const char *value)
{
	size_t length;

	if (!*value)
		return;
	if (strpbrk(value, "\"'\\\t\n\v\f\r"))
		record->reason = OCC_REASON_VARIABLE_OPTIONS;
	else if (!record->driver &&
		 (occ_option_unsafe(value, NULL, &length) ||
		  !occ_option_walk(value, NULL, visit_none, NULL)))
		record->reason = OCC_REASON_VARIABLE_OPTION_FILES;
	occ_buffer_append(&record->options, " ", 1);
	occ_buffer_append(&record->options, value, strlen(value));
}

static void add_variable(struct record *record, const char *variable)
{
	size_t length = strcspn(variable, "=");
	enum occ_variable_kind kind = kind_of(record, variable, length);

	if (kind < OCC_VARIABLE_KEY)
		return;
	occ_buffer_append(&record->key, variable, strlen(variable) + 1);
	/* Of a driver that isn't listed nobody knows its switches. */
	if (kind == OCC_VARIABLE_FILES ||
	    (kind == OCC_VARIABLE_SWITCH && !record->driver &&
	     strcmp(variable + length, "=0") != 0))
		record->reason = OCC_REASON_VARIABLE_FILES;
	if (kind == OCC_VARIABLE_OPTIONS)
		add_options(record, variable + length + 1);
}

/* Is a word there one of the driver's switches that may name files? */
static bool names_files(const struct record *record, const char *text,
			size_t size)
{
	for (size_t at = 0, length; at < size; at += length + 1) {
		length = 0;
		while (at + length < size &&
		       (isalnum((unsigned char)text[at + length]) ||
			text[at + length] == '_'))
			length++;
		if (length &&
		    kind_of(record, text + at, length) == OCC_VARIABLE_FILES)
			return true;
	}
	return false;
}

/*
 * What names files there does so as in a variable. The rest is in the key as
 * the driver's component.
 */
static void add_switches_file(struct record *record, const char *name)
{
	int file = occ_file_open_path(name);
	struct stat status;
	ssize_t size = -1;
	char *text = NULL;

	if (file < 0 && errno == ENOENT)
		return;
	if (file >= 0 && !occ_file_status(file, &status) &&
	    S_ISREG(status.st_mode))
		text = malloc(SWITCHES_MAX);
	if (text)
		size = occ_file_read(file, 0, text, SWITCHES_MAX);
	if (file >= 0)
		occ_file_close(file);
	if (size < 0 || size == SWITCHES_MAX ||
	    names_files(record, text, (size_t)size))
		record->reason = OCC_REASON_VARIABLE_FILES;
	free(text);
}

/* Of several by one name only the first. */
static bool fill_records(void)
{
	size_t count = 0;
	char **sorted = calloc(environment.first_count + 1, sizeof(*sorted));
	bool filled = sorted;

	for (size_t i = 0;
	     sorted && i < environment.first_count && environment.first[i];
	     i++) {
		char *variable = environment.first[i];
		size_t length = strcspn(variable, "=");

		if (variable[length] &&
		    !find(environment.first, i, variable, length))
			sorted[count++] = variable;
	}
	if (sorted && count)
		qsort(sorted, count, sizeof(*sorted), by_name);
	for (size_t i = 0; filled && i < environment.record_count; i++) {
		struct record *record = &environment.records[i];

		for (size_t j = 0; j < count; j++)
			add_variable(record, sorted[j]);
		for (const char *const *name =
			     record->driver ? record->driver->switches_files
					    : NULL;
		     name && *name; name++)
			add_switches_file(record, *name);
		occ_buffer_append(&record->options, "", 1);
		filled = !record->key.failed && !record->options.failed;
	}
	free(sorted);
	return filled;
}

bool occ_environment_init(void)
{
	atomic_store(&environment.changed, 0);
	add_records();
	return keep_first() && fill_records();
}

void occ_environment_release(void)
{
	for (size_t i = 0; i < environment.record_count; i++) {
		occ_buffer_release(&environment.records[i].key);
		occ_buffer_release(&environment.records[i].options);
		environment.records[i].reason = OCC_REASON_NONE;
	}
	for (size_t i = 0; i < environment.first_count; i++)
		free(environment.first[i]);
	free(environment.first);
	environment.first = NULL;
	environment.first_count = 0;
	environment.record_count = 0;
	memset(environment.beginnings, 0, sizeof(environment.beginnings));
}

/* Candidates are the same, in the same order: as good as always. */
static bool is_same(void)
{
	size_t at = 0;

	for (char **variable = environ; variable && *variable; variable++) {
		if (!is_candidate(*variable))
			continue;
		if (at == environment.first_count ||
		    strcmp(environment.first[at], *variable) != 0)
			return false;
		at++;
	}
	return at == environment.first_count;
}

/* The drivers that it matters to. */
static unsigned touched_by(const char *name, size_t length, bool building)
{
	unsigned touched = 0;

	for (size_t i = 0; i < environment.record_count; i++) {
		enum occ_variable_kind kind =
			kind_of(&environment.records[i], name, length);

		/* Where places change in between is followed (include_dirs.h).
		 */
		if (occ_variable_matters(kind) &&
		    !(building && kind == OCC_VARIABLE_PLACE))
			touched |= 1U << i;
	}
	return touched;
}

/* The drivers to which variables of `list` matter that `others` hasn't so. */
static unsigned compare(char *const *list, size_t count, char *const *others,
			size_t other_count, bool building)
{
	unsigned touched = 0;

	for (size_t i = 0; i < count; i++) {
		size_t length = strcspn(list[i], "=");
		const char *other;

		if (!is_candidate(list[i]) || !list[i][length] ||
		    find(list, i, list[i], length))
			continue;
		other = find(others, other_count, list[i], length);
		if (!other || strcmp(other, list[i]) != 0)
			touched |= touched_by(list[i], length, building);
	}
	return touched;
}

static void look(bool building)
{
	unsigned touched, before;
	size_t count;

	if (is_same())
		return;
	count = count_of(environ);
	touched = compare(environ, count, environment.first,
			  environment.first_count, building) |
		  compare(environment.first, environment.first_count, environ,
			  count, building);
	before = touched ? atomic_fetch_or(&environment.changed, touched) : 0;
	if (touched & ~before)
		occ_log_debug("the environment changed since the start");
}

void occ_environment_look(void)
{
	look(false);
}

void occ_environment_look_at_build(void)
{
	look(true);
}

bool occ_environment_has(const char *beginning)
{
	size_t length = strlen(beginning);

	for (char **variable = environ; variable && *variable; variable++)
		if (!strncmp(*variable, beginning, length))
			return true;
	return false;
}

bool occ_environment_stable(const struct occ_driver *driver)
{
	look(true);
	return !(atomic_load(&environment.changed) >> record_of(driver) & 1) &&
	       !occ_refused_files_seen(driver->components);
}

enum occ_reason occ_environment_take(const struct occ_driver *driver,
				     struct occ_environment *ret_environment)
{
	const struct record *record = &environment.records[record_of(driver)];

	if (!occ_environment_stable(driver))
		return occ_refused_files_seen(driver->components)
			       ? OCC_REASON_SWITCHES_FILE
			       : OCC_REASON_ENVIRONMENT_CHANGED;
	ret_environment->variables = &record->key;
	ret_environment->options = (const char *)record->options.data;
	return record->reason;
}
