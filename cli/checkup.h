/* SPDX-License-Identifier: MIT */
/*
 * The parts of `oclcache doctor`: each looks at one thing, and adds what it
 * finds. They change nothing but the scratch directory, and with --learn what
 * the store knows of drivers, and give up early when the command was
 * interrupted (cli/child.h).
 */
#ifndef OCC_CLI_CHECKUP_H
#define OCC_CLI_CHECKUP_H

#include <stdbool.h>

#include "cache/driver/driver.h"
#include "cli/arguments.h"
#include "cli/drivers_here.h"
#include "cli/json.h"
#include "cli/probe.h"

enum occ_checkup_kind {
	OCC_CHECKUP_OK,
	OCC_CHECKUP_WARNING, /* less is served than could be */
	OCC_CHECKUP_PROBLEM, /* nothing is served before it is mended */
	OCC_CHECKUP_KINDS,
};

struct occ_checkup {
	bool as_json;
	struct occ_json json;
	const char *group;		 /* borrowed */
	size_t count[OCC_CHECKUP_KINDS]; /* of findings */
	const struct occ_arguments *arguments;
	const char *scratch; /* a directory */
	const char *root;    /* where the machine's /etc is; "" as a rule */
	bool has_layer;	     /* and it can be loaded */
	bool has_loader;     /* one that is for programs like this */
	bool driver_hangs;   /* when it is asked for its devices */
	bool has_here;	     /* what follows is known */
	struct occ_drivers_here here;
	bool has_driver[OCC_DRIVERS]; /* its platform, with a device, was seen
				       */
};

/* What the findings that follow are about; borrowed. */
void occ_checkup_group(struct occ_checkup *checkup, const char *group);

/*
 * Shows a finding, and what to do (NULL: nothing). Text of drivers may be in
 * both. Once the command was interrupted nothing is added.
 */
void occ_checkup_add(struct occ_checkup *checkup, enum occ_checkup_kind kind,
		     const char *what_to_do, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#define occ_checkup_ok(checkup, ...)                                           \
	occ_checkup_add(checkup, OCC_CHECKUP_OK, NULL, __VA_ARGS__)
#define occ_checkup_warn(checkup, ...)                                         \
	occ_checkup_add(checkup, OCC_CHECKUP_WARNING, __VA_ARGS__)
#define occ_checkup_problem(checkup, ...)                                      \
	occ_checkup_add(checkup, OCC_CHECKUP_PROBLEM, __VA_ARGS__)

/*
 * occ_probe_survey(), with a word on terminals of what is waited for. Notes a
 * driver that hangs: nobody should ask it again.
 */
void occ_checkup_survey(struct occ_checkup *checkup,
			struct occ_probe_survey *survey);

/* The layer's file. */
void occ_checkup_layer(struct occ_checkup *checkup);

/* The loaders, and which of them reach the layer. */
void occ_checkup_loaders(struct occ_checkup *checkup);

/* Is it on, for programs that are started from here, or from the next login? */
void occ_checkup_enabled(struct occ_checkup *checkup);

/* Drivers, devices, and whether each device's builds are served. */
void occ_checkup_drivers(struct occ_checkup *checkup);

/* The store. */
void occ_checkup_store(struct occ_checkup *checkup);

/*
 * Part of that: is its directory there and usable, or can programs make it?
 * False: there is nothing in it to look at.
 */
bool occ_checkup_directory(struct occ_checkup *checkup, const char *directory,
			   bool by_default);

/* The same: entries of drivers that aren't here; after occ_checkup_drivers().
 */
void occ_checkup_stale(struct occ_checkup *checkup, const char *directory);

/* Those of others that are only read. */
void occ_checkup_read_only(struct occ_checkup *checkup);

/* The remote storage, where one is set: its helper, its server, the keys. */
void occ_checkup_remote(struct occ_checkup *checkup);

/* Settings that keep it from working; other caches. */
void occ_checkup_settings(struct occ_checkup *checkup);
void occ_checkup_caches(struct occ_checkup *checkup);

#endif
