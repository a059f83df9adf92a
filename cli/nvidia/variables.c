/* SPDX-License-Identifier: MIT */
#include "cli/nvidia/variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/driver/driver.h"
#include "cli/message.h"

/* One that ends in the span, or NULL at its end. */
static const char *next(struct occ_span variables, size_t *offset)
{
	const char *text, *end;

	if (*offset >= variables.size)
		return NULL;
	text = (const char *)variables.data + *offset;
	end = memchr(text, '\0', variables.size - *offset);
	if (!end)
		return NULL;
	*offset += (size_t)(end - text) + 1;
	return text;
}

/* Does it begin as what another driver compiles by? */
static bool is_foreign(const char *variable)
{
	const struct occ_driver *driver;

	for (size_t i = 0; (driver = occ_driver_at(i)); i++) {
		const struct occ_variable *one = driver->variables;

		if (driver == &occ_driver_nvidia)
			continue;
		for (; one && one->name; one++) {
			size_t size = strcspn(one->name, "*");

			if (one->kind >= OCC_VARIABLE_KEY &&
			    !strncmp(variable, one->name, size) &&
			    (one->name[size] || variable[size] == '='))
				return true;
		}
	}
	return false;
}

/* Is it one of NVIDIA's driver, that names no file? */
static bool can_be_set(const char *variable)
{
	const char *value = strchr(variable, '=');

	return value &&
	       (!strncmp(variable, "CUDA_", 5) ||
		!strncmp(variable, "NV_", 3)) &&
	       !strchr(variable, '/') &&
	       !memmem(variable, (size_t)(value - variable), "INJECTION",
		       strlen("INJECTION"));
}

bool occ_variables_are_known(struct occ_span variables, char *ret_names,
			     size_t size)
{
	size_t offset = 0, at = 0;
	const char *variable;
	bool known = true;

	*ret_names = '\0';
	while ((variable = next(variables, &offset))) {
		int length = (int)strcspn(variable, "=");

		if (is_foreign(variable) || can_be_set(variable))
			continue;
		if (at < size)
			at += (size_t)snprintf(ret_names + at, size - at,
					       "%s%.*s", known ? "" : ", ",
					       length, variable);
		known = false;
	}
	return known && offset == variables.size;
}

void occ_variables_set(struct occ_span variables)
{
	const char *variable;
	size_t offset = 0;

	while ((variable = next(variables, &offset)))
		if (!is_foreign(variable) && can_be_set(variable))
			/* It is kept by putenv(). */
			putenv(occ_message_must(strdup(variable)));
}
