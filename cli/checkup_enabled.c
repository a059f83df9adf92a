/* SPDX-License-Identifier: MIT */
/*
 * Is it switched on, and for whom?
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/activation.h"
#include "cli/checkup.h"
#include "cli/layer.h"
#include "cli/loader.h"
#include "cli/login_profile.h"
#include "cli/message.h"
#include "cli/nvidia/nvidia.h"
#include "cli/text.h"

/* What switches it on, as far as files and variables say. */
struct reach {
	bool by_variable;  /* of this shell */
	bool by_login;	   /* the next one, of a shell, too */
	bool by_systemd;   /* what it starts after the next login */
	bool by_directory; /* /etc/OpenCL/layers */
};

/* A file that `oclcache enable` or a package makes. */
struct switch_file {
	char *path;
	const char *reach;
	bool *by; /* what it sets */
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
static bool look_at_switch(struct occ_checkup *checkup,
			   const struct switch_file *file)
{
	char *layer = layer_in(file->path);
	bool good = layer && access(layer, R_OK) == 0;

	if (layer && !good)
		occ_checkup_problem(checkup,
				    "run 'oclcache disable' and 'oclcache "
				    "enable', with --system for a file in /etc",
				    "%s names %s, which doesn't exist",
				    file->path, layer);
	else if (good)
		occ_checkup_ok(checkup, "%s switches the layer on for %s",
			       file->path, file->reach);
	free(layer);
	return good;
}

static void look_at_switches(struct occ_checkup *checkup, struct reach *reach)
{
	const char *root = checkup->root;
	struct switch_file files[] = {
		{occ_activation_users_file(),
		 "what systemd starts for this user, from the next login on",
		 &reach->by_systemd},
		{occ_login_profile_path(), "this user's login shells",
		 &reach->by_login},
		{occ_text("%s" OCC_ACTIVATION_ENVIRONMENT, root),
		 "what systemd starts for all users, from the next login on",
		 &reach->by_systemd},
		{occ_text("%s" OCC_ACTIVATION_PROFILE, root),
		 "all users' login shells", &reach->by_login},
		{occ_text("%s" OCC_ACTIVATION_LAYERS, root),
		 "all programs whose loader reads that directory",
		 &reach->by_directory},
	};
	size_t count = sizeof(files) / sizeof(*files);

	for (size_t i = 0; i < count; i++) {
		if (files[i].path && look_at_switch(checkup, &files[i]))
			*files[i].by = true;
		free(files[i].path);
	}
}

/* Loaders skip what isn't there, and say nothing. */
static void look_at_list(struct occ_checkup *checkup, const char *list,
			 struct reach *reach)
{
	for (size_t length; *list; list += length + (list[length] == ':')) {
		char *layer;

		length = strcspn(list, ":");
		layer = occ_message_must(strndup(list, length));
		/* A name alone is looked for by the dynamic linker. */
		if (*layer == '/' && access(layer, R_OK))
			occ_checkup_warn(
				checkup,
				"remove it from OPENCL_LAYERS, or install it "
				"again",
				"OPENCL_LAYERS names %s, which doesn't exist",
				layer);
		else if (strstr(layer, OCC_LAYER_NAME))
			reach->by_variable = true;
		free(layer);
	}
}

static bool is_off(const struct reach *reach, const char *loaded)
{
	return !*loaded && !reach->by_variable && !reach->by_login &&
	       !reach->by_systemd && !reach->by_directory;
}

static void report_here(struct occ_checkup *checkup, const struct reach *reach,
			const char *list, const char *loaded)
{
	int first = (int)strcspn(list, ":");
	const char *slash = memrchr(list, '/', (size_t)first);
	char *own = occ_layer_path();

	/* It may show this one what the application doesn't do. */
	if (*list && *loaded &&
	    strncmp(slash ? slash + 1 : list, OCC_LAYER_NAME,
		    strlen(OCC_LAYER_NAME)) != 0)
		occ_checkup_warn(checkup,
				 "put oclcache's layer first in OPENCL_LAYERS",
				 "another layer, %.*s, comes before oclcache's",
				 first, list);
	if (is_off(reach, loaded))
		/* As it is when it has just been installed. */
		occ_checkup_add(checkup, OCC_CHECKUP_OK,
				"'oclcache run PROGRAM' switches the layer on "
				"for one program, 'oclcache enable' for all",
				"the layer is not switched on");
	else if (*loaded && own && strcmp(loaded, own) != 0)
		occ_checkup_warn(checkup,
				 "check OPENCL_LAYERS: the command and the "
				 "layer should come from one installation",
				 "programs started from here load %s, which "
				 "doesn't belong to this command",
				 loaded);
	else if (*loaded)
		occ_checkup_ok(checkup,
			       "programs started from here load the layer");
	else if (reach->by_login && !reach->by_variable)
		occ_checkup_add(checkup, OCC_CHECKUP_OK,
				"log in again, or use 'oclcache run PROGRAM'",
				"programs started from this shell don't load "
				"the layer yet");
	else if (reach->by_systemd && !reach->by_variable)
		occ_checkup_add(
			checkup, OCC_CHECKUP_OK,
			"for login shells run 'oclcache enable --profile', "
			"for one program 'oclcache run PROGRAM'",
			"programs started from this shell don't load the "
			"layer");
	free(own);
}

/*
 * What a loader does counts for more than what files say; but some look for
 * layers only when there is a driver.
 */
static bool is_reached(struct occ_checkup *checkup,
		       const struct occ_loader *loader,
		       const struct reach *reach)
{
	struct occ_probe_survey survey = {.library = loader->file};
	bool reached = reach->by_variable ||
		       (reach->by_directory && loader->reads_directory);

	if (!loader->is_ours || !loader->takes_layers || checkup->driver_hangs)
		return reached;
	occ_checkup_survey(checkup, &survey);
	if (survey.platforms)
		reached = *survey.layer != '\0';
	occ_probe_survey_release(&survey);
	return reached;
}

/* Are they now? Else, as far as is known, when. */
static void report_reach(struct occ_checkup *checkup,
			 const struct occ_loader *loader,
			 const struct reach *reach)
{
	bool reached = is_reached(checkup, loader, reach);
	const char *who =
		loader->bits == 32 ? "32-bit programs" : "programs that use it";

	if (!loader->is_ours)
		occ_checkup_ok(checkup,
			       "%s: %s don't load the layer: it is for "
			       "another architecture",
			       loader->path, who);
	else if (!loader->takes_layers)
		occ_checkup_ok(checkup,
			       "%s: %s don't load the layer: this loader "
			       "doesn't support layers",
			       loader->path, who);
	else if (reached)
		occ_checkup_ok(checkup,
			       "%s: %s load the layer when started from here",
			       loader->path, who);
	else if (reach->by_login)
		occ_checkup_ok(checkup,
			       "%s: %s load the layer from the next login on",
			       loader->path, who);
	else if (reach->by_systemd)
		occ_checkup_ok(
			checkup,
			"%s: %s load the layer when systemd starts them, "
			"from the next login on",
			loader->path, who);
	else
		occ_checkup_warn(checkup, "'oclcache enable' changes that",
				 "%s: %s don't load the layer%s", loader->path,
				 who,
				 reach->by_directory && !loader->reads_directory
					 ? ": this loader doesn't read "
					   "/etc/OpenCL/layers"
					 : "");
}

/* Gives whether there is one. */
static bool report_timer(struct occ_checkup *checkup, bool system)
{
	const char *whose = system ? "all users'" : "this user's";
	bool old;

	if (!occ_activation_has_timer(system, &old))
		return false;
	if (old)
		occ_checkup_warn(checkup,
				 system ? "run 'oclcache enable --system'"
					: "run 'oclcache enable'",
				 "the timer in %s sessions belongs to another "
				 "or an older installation of oclcache",
				 whose);
	else
		occ_checkup_ok(checkup,
			       "a timer runs 'oclcache replay --stale' and "
			       "'oclcache upgrade' every day in %s sessions",
			       whose);
	return true;
}

void occ_checkup_enabled(struct occ_checkup *checkup)
{
	struct occ_probe_survey survey = {.library = OCC_LOADER_NAME};
	bool asked = checkup->has_loader && !checkup->driver_hangs;
	const char *list = getenv("OPENCL_LAYERS"), *loaded = "";
	struct reach reach = {.by_variable = false};
	struct occ_loaders loaders;

	list = list ? list : "";
	occ_checkup_group(checkup, "Activation");
	look_at_switches(checkup, &reach);
	if (asked) {
		occ_checkup_survey(checkup, &survey);
		loaded = survey.layer ? survey.layer : "";
	}
	look_at_list(checkup, list, &reach);
	report_here(checkup, &reach, list, loaded);
	if (!is_off(&reach, loaded)) {
		occ_loader_find(checkup->root, &loaders);
		for (size_t i = 0;
		     i < loaders.count && !occ_child_interrupted(); i++)
			report_reach(checkup, &loaders.items[i], &reach);
		occ_loader_release(&loaders);
	}
	/* Without one, only where hits need it. */
	if (!report_timer(checkup, false) && !report_timer(checkup, true) &&
	    occ_nvidia_is_here())
		occ_checkup_add(checkup, OCC_CHECKUP_OK,
				"'oclcache enable --timer' sets one up",
				"no timer runs 'oclcache upgrade'");
	if (asked)
		occ_probe_survey_release(&survey);
}
