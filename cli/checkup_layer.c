/* SPDX-License-Identifier: MIT */
/*
 * The layer, and the loaders that can load it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/checkup.h"
#include "cli/layer.h"
#include "cli/loader.h"
#include "cli/probe.h"
#include "cli/progress.h"
#include "cli/text.h"

/* Says what is wrong with the layer, if anything. */
static int load_layer(void *data)
{
	static const char *const symbols[] = {
		"clGetLayerInfo",
		"clInitLayer",
		"clInitLayerWithProperties",
		"clDeinitLayer",
	};
	void *layer = dlopen(data, RTLD_NOW | RTLD_LOCAL);
	bool good = layer;

	for (size_t i = 0; good && i < sizeof(symbols) / sizeof(*symbols); i++)
		good = dlsym(layer, symbols[i]);
	if (!good)
		occ_child_say(dlerror());
	return 0;
}

void occ_checkup_layer(struct occ_checkup *checkup)
{
	char *path = occ_layer_path(), *reason = NULL;
	struct occ_child child;
	const char *said;

	occ_checkup_group(checkup, "Layer");
	if (!path) {
		occ_checkup_problem(checkup,
				    "install oclcache again, or set "
				    "OCLCACHE_LAYER to its path",
				    OCC_LAYER_NAME " not found");
		return;
	}
	occ_child_run(&child, load_layer, path, OCC_CHILD_LIMIT);
	said = occ_child_next(&child);
	if (child.how != OCC_CHILD_EXITED)
		said = reason = occ_child_reason(&child);
	if (said)
		occ_checkup_problem(checkup,
				    "install oclcache again; loaders silently "
				    "skip a layer that they can't load",
				    "%s can't be loaded: %s", path, said);
	else
		occ_checkup_ok(checkup, "%s can be loaded", path);
	checkup->has_layer = !said;
	free(reason);
	free(path);
	occ_child_release(&child);
}

void occ_checkup_survey(struct occ_checkup *checkup,
			struct occ_probe_survey *survey)
{
	char *what = occ_text("Asking drivers through %s", survey->library);
	occ_progress_begin(what, NULL, 0);
	occ_probe_survey(survey);
	occ_progress_end();
	checkup->driver_hangs |= survey->child.how == OCC_CHILD_TOO_LONG;
	free(what);
}

static void report_survey(struct occ_checkup *checkup,
			  const struct occ_loader *loader, const char *name,
			  const struct occ_probe_survey *survey)
{
	char *reason = occ_child_reason(&survey->child);

	if (survey->child.how != OCC_CHILD_EXITED || survey->child.status)
		occ_checkup_warn(checkup,
				 "one of the drivers below may be to blame",
				 "%s: a test program that asked it for "
				 "platforms failed: %s",
				 name, reason);
	else if (survey->error)
		occ_checkup_warn(checkup, "install it again, or remove it",
				 "%s: can't be used: %s", name, survey->error);
	else if (!*survey->layer && !survey->platforms)
		/* Some look for layers only when there is a driver. */
		occ_checkup_ok(checkup,
			       "%s: supports layers, but that can't be tried "
			       "without a driver",
			       name);
	else if (!*survey->layer)
		occ_checkup_problem(checkup,
				    "install another loader, such as Debian's "
				    "ocl-icd-libopencl1",
				    "%s: doesn't load the layer", name);
	else
		occ_checkup_ok(checkup,
			       "%s: loads the layer from OPENCL_LAYERS%s", name,
			       loader->reads_directory
				       ? " and from /etc/OpenCL/layers"
				       : ", not from /etc/OpenCL/layers");
	free(reason);
}

static void look_at_loader(struct occ_checkup *checkup,
			   const struct occ_loader *loader)
{
	struct occ_probe_survey survey = {.library = loader->file,
					  .with_layer = true};
	bool asked = loader->is_ours && loader->takes_layers &&
		     checkup->has_layer && !checkup->driver_hangs;
	const char *version = "";
	char *name;

	if (asked) {
		occ_checkup_survey(checkup, &survey);
		version = survey.version;
	}
	name = occ_text("%s (%s%s%s, %s)", loader->path,
			occ_loader_kind_name(loader->kind), *version ? " " : "",
			version, occ_loader_machine(loader));
	if (!loader->is_ours)
		occ_checkup_warn(checkup,
				 "they compile as they would without oclcache",
				 "%s: %s are not served", name,
				 loader->bits == 32
					 ? "32-bit programs"
					 : "programs for that architecture");
	else if (!loader->takes_layers)
		occ_checkup_warn(checkup,
				 "replace it with a newer one, such as "
				 "Debian's ocl-icd-libopencl1",
				 "%s: too old to support layers; programs that "
				 "use it are not served",
				 name);
	else if (asked)
		report_survey(checkup, loader, name, &survey);
	else
		occ_checkup_ok(checkup, "%s: supports layers", name);
	if (asked)
		occ_probe_survey_release(&survey);
	free(name);
}

void occ_checkup_loaders(struct occ_checkup *checkup)
{
	struct occ_loaders loaders;

	occ_checkup_group(checkup, "Loaders");
	occ_loader_find(checkup->root, &loaders);
	for (size_t i = 0; i < loaders.count && !occ_child_interrupted(); i++) {
		checkup->has_loader |= loaders.items[i].is_ours;
		look_at_loader(checkup, &loaders.items[i]);
	}
	if (!checkup->has_loader)
		occ_checkup_problem(
			checkup,
			"install one, such as Debian's ocl-icd-libopencl1",
			"no OpenCL loader is installed (" OCC_LOADER_NAME ")");
	else
		occ_checkup_ok(checkup,
			       "loaders inside Python packages, such as "
			       "pyopencl's, are not looked for; those from "
			       "2021 and later support OPENCL_LAYERS");
	occ_loader_release(&loaders);
}
