/* SPDX-License-Identifier: MIT */
#include "cli/include_probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/driver/driver.h"
#include "cache/file.h"
#include "cli/child.h"
#include "cli/include_cases.h"
#include "cli/loader.h"
#include "cli/message.h"
#include "cli/text.h"

/* s; of machines that are busy, too. */
#define LIMIT	  300

/* Where drivers that know no variable write. */
#define TEMPORARY "/tmp"

/* One child: the second one of a home sees what the first one left. */
struct trial {
	struct occ_include_cases cases;
	size_t device;
	bool empty_home;
	bool second;
};

static void set(const char *name, const char *value)
{
	if (value ? setenv(name, value, 1) : unsetenv(name))
		occ_message_no_memory();
}

/* Else a cache may be on, or off, that later isn't. */
static void forget_caches(void)
{
	char **variable = environ;

	while (variable && *variable) {
		size_t length = strcspn(*variable, "=");
		char *name;

		if (!occ_variable_names_cache(*variable, length)) {
			variable++;
			continue;
		}
		name = occ_message_must(strndup(*variable, length));
		set(name, NULL);
		free(name);
		variable = environ;
	}
}

static void move_home(const char *root)
{
	static const char *const names[] = {"HOME", "TMPDIR", "TEMP", "TMP",
					    "TEMPDIR"};
	char *home = occ_text("%s/home", root);
	char *cache = occ_text("%s/.cache", home);

	mkdir(home, 0700);
	mkdir(cache, 0700);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		set(names[i], home);
	set("XDG_CACHE_HOME", cache);
	free(cache);
	free(home);
}

/* What the driver isn't right about, or NULL. */
static const char *try_all(struct trial *trial)
{
	struct occ_include_cases *cases = &trial->cases;
	int number = trial->second ? 3 : 1, last = trial->second ? 3 : 2;
	const char *what = NULL;

	if (trial->empty_home && !trial->second)
		what = occ_include_cases_places(cases);
	for (; number <= last && !what; number++)
		what = occ_include_cases_change(cases, number);
	if (!what && trial->empty_home && trial->second) {
		occ_include_cases_plant(cases, getenv("HOME"), true);
		occ_include_cases_plant(cases, TEMPORARY, false);
		what = occ_include_cases_planted(cases);
	}
	return what;
}

/* Says what the driver isn't right about, or "". */
static int trial_child(void *data)
{
	struct trial *trial = data;
	struct occ_opencl_device *devices;
	const char *error, *what;
	size_t count, platforms;

	set("OCLCACHE_DISABLE", "1");
	forget_caches();
	if (trial->empty_home)
		move_home(trial->cases.root);
	error = occ_opencl_load(OCC_LOADER_NAME);
	if (error ||
	    !occ_opencl_devices(&devices, &count, &platforms, &error) ||
	    trial->device >= count)
		return 1;
	trial->cases.device = &devices[trial->device];
	what = try_all(trial);
	occ_child_say(what ? what : "");
	return 0;
}

/* One that crashes or hangs isn't right, either. */
static enum occ_search run(struct trial *trial, char **ret_what)
{
	struct occ_child child;
	enum occ_search search = OCC_SEARCH_OTHER;
	const char *said;

	occ_child_run(&child, trial_child, trial, LIMIT);
	said = occ_child_next(&child);
	if (child.how == OCC_CHILD_NOT_STARTED ||
	    child.how == OCC_CHILD_INTERRUPTED ||
	    (child.how == OCC_CHILD_EXITED && !said))
		search = OCC_SEARCH_UNKNOWN;
	else if (child.how == OCC_CHILD_EXITED && !child.status && !*said)
		search = OCC_SEARCH_USUAL;
	else
		*ret_what = said && *said ? occ_message_must(strdup(said))
					  : occ_child_reason(&child);
	occ_child_release(&child);
	return search;
}

/* So that no option has to be quoted. */
static bool is_plain(const char *path)
{
	return !path[strspn(path, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789/._-")];
}

static enum occ_search try_home(size_t device, const char *directory,
				bool empty, char **ret_what)
{
	char *root = occ_text("%s/%s", directory, empty ? "empty" : "own");
	char *name = occ_text("occ%016" PRIx64, occ_file_unique());
	struct trial trial = {.cases = {.root = root, .name = name},
			      .device = device,
			      .empty_home = empty};
	enum occ_search search = OCC_SEARCH_UNKNOWN;

	if (!mkdir(root, 0700) && occ_include_cases_write(&trial.cases))
		search = run(&trial, ret_what);
	trial.second = true;
	if (search == OCC_SEARCH_USUAL)
		search = run(&trial, ret_what);
	occ_include_cases_unplant(&trial.cases, TEMPORARY);
	free(name);
	free(root);
	return search;
}

enum occ_search occ_include_probe(size_t device, const char *directory,
				  char **ret_what)
{
	enum occ_search search;

	*ret_what = NULL;
	if (!is_plain(directory))
		return OCC_SEARCH_UNKNOWN;
	search = try_home(device, directory, true, ret_what);
	if (search == OCC_SEARCH_USUAL)
		search = try_home(device, directory, false, ret_what);
	return search;
}
