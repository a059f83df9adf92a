/* SPDX-License-Identifier: MIT */
#include "layer/driver/current_directory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The current directory when the layer was initialised; NULL: not known. */
static char *start_directory;

/* What drivers may have read there before they were looked at. */
struct here {
	const struct occ_component *component;
	struct stat at_start; /* zeros: it wasn't there */
};

static struct here *all_here;
static size_t here_count;

static void look(const char *path, struct stat *ret_status)
{
	if (stat(path, ret_status))
		memset(ret_status, 0, sizeof(*ret_status));
}

static void add_all_here(const struct occ_component *component)
{
	for (; component && component->pattern; component++) {
		struct here *more;

		if (component->kind != OCC_COMPONENT_HERE)
			continue;
		more = realloc(all_here, (here_count + 1) * sizeof(*all_here));
		if (!more)
			return;
		all_here = more;
		all_here[here_count].component = component;
		look(component->pattern, &all_here[here_count++].at_start);
	}
}

void occ_current_directory_start(void)
{
	start_directory = getcwd(NULL, 0);
	for (size_t i = 0; occ_driver_at(i); i++)
		add_all_here(occ_driver_components_at(i));
}

void occ_current_directory_end(void)
{
	free(start_directory);
	start_directory = NULL;
	free(all_here);
	all_here = NULL;
	here_count = 0;
}

/*
 * The driver may have read it when it was loaded, or since then; the two may
 * mean different things to it.
 */
static void add_here(const struct occ_component *component,
		     struct occ_driver_components *components)
{
	const char *file = component->pattern;
	char path[PATH_MAX], name[PATH_MAX];
	size_t i = 0;
	struct stat now;

	while (i < here_count && all_here[i].component != component)
		i++;
	if (i == here_count || !start_directory ||
	    snprintf(path, sizeof(path), "%s/%s", start_directory, file) >=
		    (int)sizeof(path)) {
		components->failed = true;
		return;
	}
	snprintf(name, sizeof(name), "%s at the start", file);
	if (!access(path, F_OK))
		occ_driver_components_add_content(components, name, path);
	look(path, &now);
	if (!occ_fingerprint_is_same(&now, &all_here[i].at_start))
		components->failed = true;
	if (!access(file, F_OK))
		occ_driver_components_add_content(components, file, file);
}

void occ_current_directory_add(const struct occ_component *component,
			       struct occ_driver_components *components)
{
	for (; component->pattern; component++)
		if (component->kind == OCC_COMPONENT_HERE)
			add_here(component, components);
}
