/* SPDX-License-Identifier: MIT */
/*
 * What the commands have in common that compile into the store, `prewarm` and
 * `replay`: where they store, on which devices they compile, and how many
 * processes do it.
 *
 * Calling sequence: occ_build_setup_begin(), then the rest, then
 * occ_build_setup_end(), after a failure as well. One thread.
 */
#ifndef OCC_CLI_BUILD_SETUP_H
#define OCC_CLI_BUILD_SETUP_H

#include "cli/arguments.h"
#include "cli/build_items.h"
#include "cli/probe.h"
#include "cli/remote_session.h"

#define OCC_BUILD_SETUP_DEVICE                                                 \
	{                                                                      \
		"device", 'd', "TEXT", "only devices with TEXT in their name"  \
	}
#define OCC_BUILD_SETUP_JOBS                                                   \
	{                                                                      \
		"jobs", 'j', "N",                                              \
			"number of processes (default: one per processor)"     \
	}
#define OCC_BUILD_SETUP_NO_UPGRADE                                             \
	{                                                                      \
		"no-upgrade", 0, NULL,                                         \
			"don't run 'oclcache upgrade' on new entries"          \
	}

struct occ_build_setup {
	const struct occ_arguments *arguments; /* before the begin; borrowed */
	char *directory;		       /* the store's */
	char *scratch;			       /* a directory of this command */
	bool recaches; /* what is there is compiled anew */
	bool upgrades; /* NVIDIA's entries get device code */
	struct occ_probe_survey survey;
	bool *wanted; /* of the survey's devices: by --device */
	struct occ_remote_session remote;
};

/* False after an error was shown. */
bool occ_build_setup_begin(struct occ_build_setup *setup);
void occ_build_setup_end(struct occ_build_setup *setup);

/* By --jobs. False after an error was shown. */
bool occ_build_setup_jobs(const struct occ_arguments *arguments,
			  size_t *ret_jobs);

/* What an item is told of a device; and the items, of this. */
void occ_build_setup_item(const struct occ_build_setup *setup, size_t device,
			  struct occ_build_item *ret_item);
void occ_build_setup_items(const struct occ_build_setup *setup,
			   struct occ_build_items *items);

/*
 * What is there now gets device code. That it can't be made is shown, but
 * without it programs are served, too. False: it couldn't even be tried.
 */
bool occ_build_setup_upgrade(const struct occ_build_setup *setup,
			     const struct occ_build_items *items);

#endif
