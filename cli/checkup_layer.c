/* SPDX-License-Identifier: MIT */
/*
 * The layer, the loaders that can load it, and whether they do.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/activation.h"
#include "cli/checkup.h"
#include "cli/layer.h"
#include "cli/loader.h"
#include "cli/message.h"
#include "cli/probe.h"
#include "cli/progress.h"

static const char *const symbols[] = {
	"clGetLayerInfo",
	"clInitLayer",
	"clInitLayerWithProperties",
	"clDeinitLayer",
};

/* Says what is wrong with the layer, if anything. */
static int load_layer(void *data)
{
	void *layer = dlopen(data, RTLD_NOW | RTLD_LOCAL);

	if (!layer) {
		occ_child_say(dlerror());
		return 0;
	}
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		if (!dlsym(layer, symbols[i])) {
			occ_child_say(dlerror());
			return 0;
		}
	return 0;
}

void occ_checkup_layer(struct occ_checkup *checkup)
{
	struct occ_findings *findings = &checkup->findings;
	char *path = occ_layer_path(), *reason = NULL;
	struct occ_child child;
	const char *said;

	occ_finding_group(findings, "Layer");
	if (!path) {
		occ_finding_add(findings, OCC_FINDING_PROBLEM,
				"install oclcache again, or name the file with "
				"OCLCACHE_LAYER",
				OCC_LAYER_NAME " isn't where it should be");
		return;
	}
	occ_child_run(&child, load_layer, path, OCC_CHILD_LIMIT);
	said = occ_child_next(&child);
	if (child.how != OCC_CHILD_EXITED)
		said = reason = occ_child_reason(&child);
	if (said)
		occ_finding_add(findings, OCC_FINDING_PROBLEM,
				"install oclcache again; loaders skip a layer "
				"that can't be loaded, and say nothing",
				"%s can't be loaded: %s", path, said);
	else
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"%s can be loaded", path);
	checkup->has_layer = !said;
	free(reason);
	free(path);
	occ_child_release(&child);
}

void occ_checkup_survey(struct occ_checkup *checkup,
			struct occ_probe_survey *survey)
{
	char *what;

	if (asprintf(&what, "Asking drivers, through %s", survey->library) < 0)
		occ_message_no_memory();
	occ_progress_begin(what, NULL, 0);
	occ_probe_survey(survey);
	occ_progress_end();
	checkup->driver_hangs |= survey->child.how == OCC_CHILD_TOO_LONG;
	free(what);
}

/* How a loader is called in findings. To be freed. */
static char *name_of(const struct occ_loader *loader, const char *version)
{
	char *name;

	if (asprintf(&name, "%s (%s%s%s, %s)", loader->path,
		     occ_loader_kind_name(loader->kind), *version ? " " : "",
		     version, occ_loader_machine(loader)) < 0)
		occ_message_no_memory();
	return name;
}

static void report_foreign(struct occ_findings *findings,
			   const struct occ_loader *loader, const char *name)
{
	if (loader->bits == 32)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"they compile as without oclcache",
				"%s: 32-bit programs aren't served", name);
	else
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"they compile as without oclcache",
				"%s: programs for that machine aren't served",
				name);
}

static void report_survey(struct occ_findings *findings,
			  const struct occ_loader *loader, const char *name,
			  const struct occ_probe_survey *survey)
{
	char *reason = occ_child_reason(&survey->child);

	if (survey->child.how != OCC_CHILD_EXITED || survey->child.status)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"one of the drivers below may be to blame",
				"%s: a program that asked it for platforms "
				"failed: %s",
				name, reason);
	else if (survey->error)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"install it again, or remove it",
				"%s: can't be used: %s", name, survey->error);
	else if (!*survey->layer && !survey->platforms)
		/* Some look for layers only when there is a driver. */
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"%s: takes layers; that can't be tried "
				"without a driver",
				name);
	else if (!*survey->layer)
		occ_finding_add(findings, OCC_FINDING_PROBLEM,
				"install another loader, such as Debian's "
				"ocl-icd-libopencl1",
				"%s: doesn't load the layer", name);
	else
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"%s: loads the layer from OPENCL_LAYERS%s",
				name,
				loader->reads_folder
					? " and from /etc/OpenCL/layers"
					: ", not from /etc/OpenCL/layers");
	free(reason);
}

static void look_at_loader(struct occ_checkup *checkup,
			   const struct occ_loader *loader)
{
	struct occ_findings *findings = &checkup->findings;
	struct occ_probe_survey survey = {.library = loader->file,
					  .with_layer = true};
	bool asked = loader->is_ours && loader->takes_layers &&
		     checkup->has_layer && !checkup->driver_hangs;
	char *name;

	if (asked)
		occ_checkup_survey(checkup, &survey);
	name = name_of(loader, asked ? survey.version : "");
	if (!loader->is_ours)
		report_foreign(findings, loader, name);
	else if (!loader->takes_layers)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"put a newer one in its place, such as "
				"Debian's ocl-icd-libopencl1",
				"%s: is older than layers; programs that use "
				"it aren't served",
				name);
	else if (asked)
		report_survey(findings, loader, name, &survey);
	else
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"%s: takes layers", name);
	if (asked)
		occ_probe_survey_release(&survey);
	free(name);
}

void occ_checkup_loaders(struct occ_checkup *checkup)
{
	struct occ_loaders loaders;

	occ_finding_group(&checkup->findings, "Loaders");
	occ_loader_find(checkup->root, &loaders);
	for (size_t i = 0; i < loaders.count && !occ_child_interrupted(); i++) {
		checkup->has_loader |= loaders.items[i].is_ours;
		look_at_loader(checkup, &loaders.items[i]);
	}
	if (!checkup->has_loader)
		occ_finding_add(&checkup->findings, OCC_FINDING_PROBLEM,
				"install one, such as Debian's "
				"ocl-icd-libopencl1",
				"there is no OpenCL loader (" OCC_LOADER_NAME
				")");
	occ_loader_release(&loaders);
}

/* A file that `oclcache enable` or a package makes. */
struct switch_file {
	char *path;
	const char *reach;
};

/*
 * The path of the layer that a file names, to be freed; NULL: the file isn't
 * there, or names none.
 */
static char *layer_in(const char *path)
{
	static const char end[] = "=:\"'{} \t;";
	FILE *file = fopen(path, "re");
	char *line = NULL, *found = NULL;
	size_t size = 0;

	while (file && !found && getline(&line, &size, file) >= 0) {
		char *name = *line == '#' ? NULL : strstr(line, OCC_LAYER_NAME);
		char *start = name;

		while (start && start > line && !strchr(end, start[-1]))
			start--;
		if (name)
			found = occ_message_must(
				strndup(start, (size_t)(name - start) +
						       strlen(OCC_LAYER_NAME)));
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

/* Gives whether the file switches the layer on. */
static bool look_at_switch(struct occ_findings *findings,
			   const struct switch_file *file)
{
	char *layer = layer_in(file->path);
	bool good = layer && access(layer, R_OK) == 0;

	if (layer && !good)
		occ_finding_add(findings, OCC_FINDING_PROBLEM,
				"run 'oclcache disable' and 'oclcache enable', "
				"with --system for a file in /etc",
				"%s names %s, which isn't there", file->path,
				layer);
	else if (good)
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"%s switches it on for %s", file->path,
				file->reach);
	free(layer);
	return good;
}

static char *joined(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		occ_message_no_memory();
	return path;
}

static bool look_at_switches(struct occ_checkup *checkup)
{
	const char *root = checkup->root;
	struct switch_file files[] = {
		{occ_activation_users_file(),
		 "this user, from the next login on"},
		{joined(root, "etc/environment.d/50-oclcache.conf"),
		 "all users, from the next login on"},
		{joined(root, "etc/profile.d/oclcache.sh"),
		 "all users' login shells"},
		{joined(root, "etc/OpenCL/layers/oclcache.lay"),
		 "all programs whose loader reads that folder"},
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		if (files[i].path)
			any |= look_at_switch(&checkup->findings, &files[i]);
		free(files[i].path);
	}
	return any;
}

/* Loaders skip what isn't there, and say nothing. */
static void look_at_list(struct occ_findings *findings, const char *list)
{
	for (size_t length; *list; list += length + (list[length] == ':')) {
		char *layer;

		length = strcspn(list, ":");
		layer = occ_message_must(strndup(list, length));
		/* A name alone is looked for by the dynamic linker. */
		if (*layer == '/' && access(layer, R_OK))
			occ_finding_add(findings, OCC_FINDING_WARNING,
					"take it out, or install it again",
					"OPENCL_LAYERS names %s, which isn't "
					"there",
					layer);
		free(layer);
	}
}

/* Another layer in front of it may show it what the application doesn't do. */
static void look_at_order(struct occ_findings *findings, const char *list,
			  const char *loaded)
{
	size_t first = strcspn(list, ":");
	const char *name = memrchr(list, '/', first);

	name = name ? name + 1 : list;
	if (*list && *loaded &&
	    strncmp(name, OCC_LAYER_NAME, strlen(OCC_LAYER_NAME)) != 0)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"put it first in OPENCL_LAYERS",
				"another layer, %.*s, stands before this one",
				(int)first, list);
}

static void report_here(struct occ_checkup *checkup, const char *loaded,
			bool any_file)
{
	struct occ_findings *findings = &checkup->findings;
	char *own = occ_layer_path();

	if (*loaded && own && strcmp(loaded, own) != 0)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"see that there is one version of both: look "
				"at OPENCL_LAYERS",
				"programs started from here load %s, which "
				"isn't this command's layer",
				loaded);
	else if (*loaded)
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"programs started from here load the layer");
	else if (any_file)
		occ_finding_add(findings, OCC_FINDING_OK,
				"log in again, or use 'oclcache run PROGRAM'",
				"programs started from this shell don't load "
				"it yet");
	else
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"'oclcache run PROGRAM' switches it on for one "
				"program, 'oclcache enable' for all",
				"programs started from here don't load the "
				"layer");
	free(own);
}

void occ_checkup_enabled(struct occ_checkup *checkup)
{
	struct occ_probe_survey survey = {.library = OCC_LOADER_NAME};
	const char *list = getenv("OPENCL_LAYERS");
	bool any_file;

	list = list ? list : "";
	occ_finding_group(&checkup->findings, "Switched on");
	any_file = look_at_switches(checkup);
	if (!checkup->has_loader || checkup->driver_hangs) {
		look_at_list(&checkup->findings, list);
		report_here(checkup, "", any_file);
		return;
	}
	occ_checkup_survey(checkup, &survey);
	look_at_list(&checkup->findings, list);
	look_at_order(&checkup->findings, list, survey.layer);
	report_here(checkup, survey.layer, any_file);
	occ_probe_survey_release(&survey);
}
