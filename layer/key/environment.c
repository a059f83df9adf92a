/* SPDX-License-Identifier: MIT */
#include "layer/key/environment.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/driver/refused_files.h"
#include "layer/key/driver_variables.h"

/* Drivers of which traits are known, and one for all others, at the end. */
#define RECORDS_MAX 32

/* Six bits of each of a name's first two letters. */
#define BEGINNINGS  4096

static struct {
	struct occ_driver_variables records[RECORDS_MAX];
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
		occ_driver_variables_start(&environment.records[count++],
					   driver,
					   is_switched(driver->variables));
	}
	occ_driver_variables_start(&environment.records[count++], NULL, false);
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

bool occ_environment_init(void)
{
	atomic_store(&environment.changed, 0);
	add_records();
	return keep_first();
}

void occ_environment_release(void)
{
	for (size_t i = 0; i < environment.record_count; i++)
		occ_driver_variables_end(&environment.records[i]);
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
			occ_driver_variables_kind(&environment.records[i], name,
						  length);

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
		    occ_driver_variables_find(list, i, list[i], length))
			continue;
		other = occ_driver_variables_find(others, other_count, list[i],
						  length);
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

static bool was_stable(const struct occ_driver *driver)
{
	return !(atomic_load(&environment.changed) >> record_of(driver) & 1) &&
	       !occ_refused_files_seen(driver->components);
}

bool occ_environment_stable(const struct occ_driver *driver)
{
	look(true);
	return was_stable(driver);
}

enum occ_reason occ_environment_take(const struct occ_driver *driver,
				     struct occ_environment *ret_environment)
{
	look(true);
	return occ_environment_take_seen(driver, ret_environment);
}

enum occ_reason occ_environment_take_seen(
	const struct occ_driver *driver,
	struct occ_environment *ret_environment)
{
	if (!was_stable(driver))
		return occ_refused_files_seen(driver->components)
			       ? OCC_REASON_SWITCHES_FILE
			       : OCC_REASON_ENVIRONMENT_CHANGED;
	return occ_driver_variables_take(
		&environment.records[record_of(driver)], environment.first,
		environment.first_count, &ret_environment->variables,
		&ret_environment->options);
}
