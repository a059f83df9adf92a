/* SPDX-License-Identifier: MIT */
/*
 * oclcache disable: takes away what `oclcache enable` made, and nothing else.
 */
#include <stdio.h>

#include "cli/activation.h"
#include "cli/command.h"
#include "cli/login_profile.h"
#include "cli/message.h"
#include "cli/remote_enable.h"
#include "cli/screen.h"

/*
 * False after an error was shown: it couldn't be removed. *ret_removed isn't
 * set unless it was.
 */
static bool disable_one(const struct occ_activation_file *file, bool dry,
			bool *ret_removed)
{
	switch (file->state) {
	case OCC_ACTIVATION_MISSING:
		return true;
	case OCC_ACTIVATION_OURS:
		break;
	case OCC_ACTIVATION_CHANGED:
		occ_message_warning(
			"%s was changed and is left there; remove it yourself",
			file->path);
		return true;
	case OCC_ACTIVATION_ANOTHERS:
		occ_message_note("%s is left there, because 'oclcache enable' "
				 "didn't write it",
				 file->path);
		return true;
	case OCC_ACTIVATION_UNKNOWN:
		occ_message_error("can't read %s; check its permissions",
				  file->path);
		return false;
	}
	if (!dry && !occ_activation_remove(file))
		return false;
	*ret_removed = !dry;
	occ_screen_line("%s: %s", dry ? "would remove" : "removed", file->path);
	return true;
}

/* As disable_one(). *ret_any isn't set unless there was something. */
static bool disable_profile(bool dry, bool *ret_any, bool *ret_removed)
{
	struct occ_login_profile profile;
	bool good = true;

	if (!occ_login_profile_begin(NULL, false, &profile))
		return false;
	if (profile.is_ours) {
		*ret_any = true;
		good = dry || occ_login_profile_write(&profile);
		if (good) {
			*ret_removed |= !dry;
			occ_screen_line("%s: its lines in %s",
					dry ? "would remove" : "removed",
					profile.path);
		}
	}
	occ_login_profile_end(&profile);
	return good;
}

static int run(const struct occ_arguments *arguments)
{
	bool system = occ_arguments_has(arguments, "system");
	bool dry = occ_arguments_has(arguments, "dry-run");
	bool remote = occ_arguments_has(arguments, "remote");
	bool timer = occ_arguments_has(arguments, "timer");
	unsigned parts = remote && !timer ? 0 : OCC_ACTIVATION_TIMER;
	struct occ_activation activation;
	bool good = true, any = false, removed = false;

	if (!occ_arguments_expect(arguments, "disable", 0,
				  "for one program, set OCLCACHE_DISABLE=1 in "
				  "its environment"))
		return OCC_EXIT_USAGE;
	if (!timer && !remote)
		parts |= OCC_ACTIVATION_LAYER;
	if (!occ_activation_begin(system, parts, "", &activation))
		return OCC_EXIT_FAILED;
	if (remote || !timer) {
		occ_activation_add_remote(&activation, system, "", "");
		good = occ_remote_enable_remove(system, dry, &any);
	}
	for (size_t i = 0; i < activation.count; i++) {
		if (activation.files[i].state != OCC_ACTIVATION_MISSING)
			any = true;
		if (!disable_one(&activation.files[i], dry, &removed))
			good = false;
	}
	if (!system && parts & OCC_ACTIVATION_LAYER &&
	    !disable_profile(dry, &any, &removed))
		good = false;
	if (!any)
		printf("there is nothing to remove%s\n",
		       system ? ""
			      : "; to remove what is for all users, use "
				"--system");
	else if (removed && parts & OCC_ACTIVATION_LAYER)
		puts("Open sessions keep OPENCL_LAYERS until they end.");
	occ_activation_end(&activation);
	return good ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static const struct occ_option options[] = {
	{"system", 0, NULL, "remove what is for all users; needs root"},
	{"timer", 0, NULL, "remove only what enable --timer added"},
	{"remote", 0, NULL, "remove only what enable --remote added"},
	{"dry-run", 'n', NULL, "only show what would be removed"},
	{NULL, 0, NULL, NULL},
};

const struct occ_command occ_command_disable = {
	.name = "disable",
	.summary = "undo what 'oclcache enable' did",
	.details = "Files that 'oclcache enable' didn't write, or that were\n"
		   "changed since, are left where they are.",
	.options = options,
	.run = run,
};
