/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "cli/checkup.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/store_path.h"
#include "cli/scratch.h"

static void look_at_all(struct occ_checkup *checkup)
{
	static void (*const parts[])(struct occ_checkup *) = {
		occ_checkup_layer,    occ_checkup_loaders,
		occ_checkup_enabled,  occ_checkup_drivers,
		occ_checkup_store,    occ_checkup_read_only,
		occ_checkup_settings, occ_checkup_caches,
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!occ_child_interrupted())
			parts[i](checkup);
}

static int run(const struct occ_arguments *arguments)
{
	/* Tests bring a machine of their own. */
	const char *root = getenv("OCLCACHE_DOCTOR_ROOT");
	struct occ_checkup checkup = {.arguments = arguments,
				      .root = root ? root : ""};
	char *scratch;
	int status;

	occ_child_catch_signals();
	scratch = occ_scratch_make();
	if (!scratch)
		return OCC_EXIT_FAILED;
	checkup.scratch = scratch;
	occ_diagnostic_begin(&checkup.findings,
			     occ_arguments_has(arguments, "json"));
	look_at_all(&checkup);
	occ_scratch_remove(scratch);
	occ_child_pass_interrupt();
	status = occ_diagnostic_end(&checkup.findings);
	return status;
}

static const struct occ_option options[] = {
	{"json", 0, NULL, "for programs"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_doctor = {
	.name = "doctor",
	.summary = "find out whether everything works, and say what to do",
	.details =
		"Looks at the layer, the OpenCL loaders, the drivers, the "
		"store and the\nsettings. On each device a program of two "
		"lines is built in two processes:\nthe second must be served. "
		"That goes to a directory of its own; the store "
		"isn't\nchanged.\n"
		"\n"
		"A problem keeps programs from being served, and a warning "
		"some of them. The\nexit status is 1 if there is a problem.",
	.options = options,
	.run = run,
};
