/* SPDX-License-Identifier: MIT */
#include "cli/replay_variables.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/compile_variables.h"
#include "cli/message.h"
#include "cli/record_view.h"
#include "cli/text.h"

/* Is it in a list NAME:NAME? */
static bool is_listed(const char *list, const char *name, size_t length)
{
	while (list && *list) {
		size_t size = strcspn(list, ":");

		if (size == length && !memcmp(list, name, length))
			return true;
		list += size + (list[size] == ':');
	}
	return false;
}

/* Is it in keys of this driver by itself? */
static bool is_in_key(const struct occ_driver *driver, const char *name,
		      size_t length)
{
	return occ_driver_variable(driver, name, length) >= OCC_VARIABLE_KEY;
}

/* Was a switch on that makes all variables the driver's switches? */
static bool was_switched(const struct occ_driver *driver,
			 struct occ_span recorded)
{
	while (recorded.size) {
		const char *variable = (const char *)recorded.data;
		size_t length = strcspn(variable, "=");
		size_t size = strlen(variable) + 1;

		if (occ_driver_variable(driver, variable, length) ==
			    OCC_VARIABLE_SWITCH &&
		    strcmp(variable + length + 1, "0") != 0)
			return true;
		recorded.data += size;
		recorded.size -= size;
	}
	return false;
}

/* Is it in keys of this driver while such a switch is on? */
static bool is_switched(const struct occ_driver *driver, const char *name,
			size_t length)
{
	enum occ_variable_kind kind = occ_driver_variable(driver, name, length);

	return kind == OCC_VARIABLE_SWITCHED ||
	       kind == OCC_VARIABLE_SWITCHED_FILES;
}

static bool is_set_so(const char *variable, size_t length)
{
	char *name = occ_message_must(strndup(variable, length));
	const char *value = getenv(name);
	bool same = value && !strcmp(value, variable + length + 1);

	free(name);
	return same;
}

/*
 * What this process has itself needn't be set, whatever it is. What counts only
 * by a switch may be anybody's variable, and isn't set.
 */
static const char *set_recorded(const struct occ_driver *driver,
				const char *hashed, const char *variable,
				bool switched, struct occ_buffer *changes)
{
	size_t length = strcspn(variable, "=");
	const char *fault;

	if (is_set_so(variable, length))
		return NULL;
	if (switched && is_switched(driver, variable, length))
		return "a variable isn't set here as it was recorded";
	if (!is_in_key(driver, variable, length) &&
	    !is_listed(hashed, variable, length))
		return NULL;
	fault = occ_compile_variable_refusal(driver, variable);
	if (!fault)
		occ_buffer_append(changes, variable, strlen(variable) + 1);
	return fault;
}

/* `recorded` has a NUL behind each. */
static bool is_recorded(struct occ_span recorded, const char *variable,
			size_t length)
{
	while (recorded.size) {
		size_t size = strlen((const char *)recorded.data) + 1;

		if (size > length + 1 &&
		    !memcmp(recorded.data, variable, length + 1))
			return true;
		recorded.data += size;
		recorded.size -= size;
	}
	return false;
}

/* The application had none: nor does who builds as it did. */
static const char *unset_others(const struct occ_driver *driver,
				struct occ_span recorded,
				struct occ_buffer *changes, char **ret_detail)
{
	for (char **variable = environ; *variable; variable++) {
		size_t length = strcspn(*variable, "=");
		char *name;

		if (!length || !(*variable)[length] ||
		    !is_in_key(driver, *variable, length) ||
		    is_recorded(recorded, *variable, length))
			continue;
		name = occ_message_must(strndup(*variable, length));
		if (!occ_compile_variable_is_known(name, length)) {
			*ret_detail = name;
			return "a variable is set here that was not set when "
			       "recorded";
		}
		occ_buffer_append(changes, name, length + 1);
		free(name);
	}
	return NULL;
}

/* NAME=value NUL ... and nothing else? */
static bool is_good(struct occ_span recorded)
{
	while (recorded.size) {
		const unsigned char *end =
			memchr(recorded.data, '\0', recorded.size);
		const unsigned char *equals =
			end ? memchr(recorded.data, '=',
				     (size_t)(end - recorded.data))
			    : NULL;

		if (!equals || equals == recorded.data)
			return false;
		recorded.size -= (size_t)(end + 1 - recorded.data);
		recorded.data = end + 1;
	}
	return true;
}

const char *occ_replay_variables(struct occ_span step,
				 const struct occ_driver *driver,
				 const char *hashed, char **ret_changes,
				 char **ret_detail)
{
	struct occ_span recorded = occ_record_text(step, OCC_BUILD_ENVIRONMENT);
	struct occ_buffer changes = OCC_BUFFER_INIT;
	const char *fault = NULL, *variable;
	size_t at = 0;
	bool switched;

	*ret_changes = NULL;
	if (!is_good(recorded))
		return "its record is damaged";
	switched = was_switched(driver, recorded);
	for (; at < recorded.size && !fault; at += strlen(variable) + 1) {
		variable = (const char *)recorded.data + at;
		fault = set_recorded(driver, hashed, variable, switched,
				     &changes);
		if (fault)
			*ret_detail =
				occ_text("%.*s", (int)strcspn(variable, "="),
					 variable);
	}
	if (!fault)
		fault = unset_others(driver, recorded, &changes, ret_detail);
	if (changes.size)
		occ_buffer_append(&changes, "", 1);
	if (changes.failed)
		occ_message_no_memory();
	if (!fault && changes.size)
		*ret_changes = (char *)changes.data;
	else
		occ_buffer_release(&changes);
	return fault;
}
