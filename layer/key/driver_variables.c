/* SPDX-License-Identifier: MIT */
#include "layer/key/driver_variables.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/file.h"
#include "hash/option.h"
#include "layer/base/settings.h"

/* Of a file with switches; a larger one isn't read. */
#define SWITCHES_MAX 16384

struct occ_driver_values {
	struct occ_buffer key;
	struct occ_buffer options; /* with a NUL at the end */
	enum occ_reason reason;	   /* why nothing is cached, if so */
};

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

enum occ_variable_kind occ_driver_variables_kind(
	const struct occ_driver_variables *variables, const char *name,
	size_t length)
{
	enum occ_variable_kind kind =
		occ_driver_variable(variables->driver, name, length);

	if (kind == OCC_VARIABLE_SWITCHED && variables->switched)
		kind = OCC_VARIABLE_KEY;
	if (kind == OCC_VARIABLE_SWITCHED_FILES && variables->switched)
		kind = OCC_VARIABLE_FILES;
	/* What isn't known of a driver isn't followed. */
	if (!variables->driver && kind < OCC_VARIABLE_KEY)
		kind = OCC_VARIABLE_HARMLESS;
	if (kind < OCC_VARIABLE_KEY && is_users(name, length))
		kind = OCC_VARIABLE_KEY;
	return kind;
}

const char *occ_driver_variables_find(char *const *list, size_t count,
				      const char *name, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (*list[i] == *name && !strncmp(list[i], name, length) &&
		    list[i][length] == '=')
			return list[i];
	return NULL;
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
static void add_options(const struct occ_driver *driver, const char *value,
			struct occ_driver_values *values)
{
	size_t length;

	if (!*value)
		return;
	if (strpbrk(value, "\"'\\\t\n\v\f\r"))
		values->reason = OCC_REASON_VARIABLE_OPTIONS;
	else if (!driver && (occ_option_unsafe(value, NULL, &length) ||
			     !occ_option_walk(value, NULL, visit_none, NULL)))
		values->reason = OCC_REASON_VARIABLE_OPTION_FILES;
	occ_buffer_append(&values->options, " ", 1);
	occ_buffer_append(&values->options, value, strlen(value));
}

static void add_variable(const struct occ_driver_variables *variables,
			 const char *variable, struct occ_driver_values *values)
{
	const struct occ_driver *driver = variables->driver;
	size_t length = strcspn(variable, "=");
	enum occ_variable_kind kind =
		occ_driver_variables_kind(variables, variable, length);

	if (kind < OCC_VARIABLE_KEY)
		return;
	occ_buffer_append(&values->key, variable, strlen(variable) + 1);
	/* Of a driver that isn't listed nobody knows its switches. */
	if (kind == OCC_VARIABLE_FILES ||
	    (kind == OCC_VARIABLE_SWITCH && !driver &&
	     strcmp(variable + length, "=0") != 0))
		values->reason = OCC_REASON_VARIABLE_FILES;
	if (kind == OCC_VARIABLE_OPTIONS)
		add_options(driver, variable + length + 1, values);
}

/* By rising name; of several by one name only the first. NULL: no memory. */
static const char **sort(char *const *list, size_t count, size_t *ret_count)
{
	const char **sorted = calloc(count + 1, sizeof(*sorted));

	*ret_count = 0;
	for (size_t i = 0; sorted && i < count; i++) {
		size_t length = strcspn(list[i], "=");

		if (list[i][length] &&
		    !occ_driver_variables_find(list, i, list[i], length))
			sorted[(*ret_count)++] = list[i];
	}
	if (sorted && *ret_count)
		qsort(sorted, *ret_count, sizeof(*sorted), by_name);
	return sorted;
}

static void release(struct occ_driver_values *values)
{
	occ_buffer_release(&values->key);
	occ_buffer_release(&values->options);
	free(values);
}

/* NULL: out of memory. */
static struct occ_driver_values *make(
	const struct occ_driver_variables *variables, char *const *list,
	size_t count)
{
	struct occ_driver_values *values = calloc(1, sizeof(*values));
	size_t sorted_count;
	const char **sorted = sort(list, count, &sorted_count);
	bool made = values && sorted;

	for (size_t i = 0; made && i < sorted_count; i++)
		add_variable(variables, sorted[i], values);
	free(sorted);
	if (made) {
		occ_buffer_append(&values->options, "", 1);
		made = !values->key.failed && !values->options.failed;
	}
	if (!made && values) {
		release(values);
		values = NULL;
	}
	return values;
}

/* Several threads may make them at once: what the first one made is kept. */
static const struct occ_driver_values *values_of(
	struct occ_driver_variables *variables, char *const *list, size_t count)
{
	struct occ_driver_values *values = atomic_load(&variables->values);
	struct occ_driver_values *made =
		values ? NULL : make(variables, list, count);

	if (!made)
		return values;
	if (atomic_compare_exchange_strong(&variables->values, &values, made))
		return made;
	release(made);
	return values;
}

enum occ_reason occ_driver_variables_take(
	struct occ_driver_variables *variables, char *const *list, size_t count,
	const struct occ_buffer **ret_key, const char **ret_options)
{
	const struct occ_driver_values *values =
		values_of(variables, list, count);

	if (!values)
		return OCC_REASON_OUT_OF_MEMORY;
	*ret_key = &values->key;
	*ret_options = (const char *)values->options.data;
	return variables->files_reason ? variables->files_reason
				       : values->reason;
}

/* Is a word there one of the driver's switches that may name files? */
static bool names_files(const struct occ_driver_variables *variables,
			const char *text, size_t size)
{
	for (size_t at = 0, length; at < size; at += length + 1) {
		length = 0;
		while (at + length < size &&
		       (isalnum((unsigned char)text[at + length]) ||
			text[at + length] == '_'))
			length++;
		if (length &&
		    occ_driver_variables_kind(variables, text + at, length) ==
			    OCC_VARIABLE_FILES)
			return true;
	}
	return false;
}

/*
 * What names files there does so as in a variable. The rest is in the key as
 * the driver's component.
 */
static void look_at_file(struct occ_driver_variables *variables,
			 const char *name)
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
	    names_files(variables, text, (size_t)size))
		variables->files_reason = OCC_REASON_VARIABLE_FILES;
	free(text);
}

void occ_driver_variables_start(struct occ_driver_variables *variables,
				const struct occ_driver *driver, bool switched)
{
	const char *const *name = driver ? driver->switches_files : NULL;

	*variables = (struct occ_driver_variables){
		.driver = driver,
		.switched = switched,
	};
	for (; name && *name; name++)
		look_at_file(variables, *name);
}

void occ_driver_variables_end(struct occ_driver_variables *variables)
{
	struct occ_driver_values *values = variables->values;

	if (values)
		release(values);
	*variables = (struct occ_driver_variables){0};
}
