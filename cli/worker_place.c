/* SPDX-License-Identifier: MIT */
#include "cli/worker_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/text.h"

static bool same_text(const char *one, const char *other)
{
	return one && other ? !strcmp(one, other) : one == other;
}

static bool same_environment(const char *one, const char *other)
{
	while (one && other && *one && !strcmp(one, other)) {
		one += strlen(one) + 1;
		other += strlen(other) + 1;
	}
	return one && other ? !*one && !*other : one == other;
}

bool occ_worker_place_equal(const struct occ_worker_place *one,
			    const struct occ_worker_place *other)
{
	if (!same_environment(one->environment, other->environment) ||
	    !same_text(one->executable, other->executable) ||
	    !same_text(one->directory, other->directory) ||
	    one->files.count != other->files.count)
		return false;
	for (size_t i = 0; i < one->files.count; i++)
		if (strcmp(one->files.files[i].path,
			   other->files.files[i].path) != 0 ||
		    strcmp(one->files.files[i].content,
			   other->files.files[i].content) != 0)
			return false;
	return true;
}

void occ_worker_place_release(struct occ_worker_place *place)
{
	free(place->environment);
	free(place->executable);
	free(place->directory);
	occ_placed_files_release(&place->files);
	*place = (struct occ_worker_place){.directory = NULL};
}

static void set_environment(const char *variables)
{
	for (; variables && *variables; variables += strlen(variables) + 1) {
		size_t length = strcspn(variables, "=");
		char *name = occ_message_must(strndup(variables, length));

		if (variables[length] ? setenv(name, variables + length + 1, 1)
				      : unsetenv(name))
			occ_message_no_memory();
		free(name);
	}
}

const char *occ_worker_place_enter(const struct occ_worker_place *place,
				   const char *scratch)
{
	const char *error = NULL;

	set_environment(place->environment);
	if (place->files.count)
		error = occ_placed_files_enter(&place->files, scratch);
	if (!error && place->directory && chdir(place->directory))
		error = occ_text("%s: %s", place->directory, strerror(errno));
	return error;
}
