/* SPDX-License-Identifier: MIT */
/*
 * oclcache upgrade: gives entries of NVIDIA's driver device code.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/nvidia/nvidia.h"
#include "cli/screen.h"
#include "cli/store_path.h"

/* Of ioprio_set(): when nobody else wants the disk. */
#define IO_PRIORITY_PROCESS 1
#define IO_PRIORITY_IDLE    (3 << 13)

/* s; a year. */
#define LIMIT_MAX	    31536000

static int show_waiting(struct occ_store *store, bool retry)
{
	struct occ_nvidia_counts counts;
	bool good = occ_nvidia_count(store, retry, &counts);

	if (good)
		printf("%zu waiting\n", counts.waiting);
	for (size_t i = 0; good && i < counts.reason_count; i++) {
		const struct occ_nvidia_reason *reason = &counts.reasons[i];

		printf("%zu %s: ", reason->count,
		       reason->kind == OCC_NVIDIA_WAITING_AGAIN
			       ? "to be retried"
			       : "left");
		occ_screen_text(reason->text);
		putchar('\n');
	}
	occ_nvidia_release(&counts);
	return good ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static void summarise(const struct occ_nvidia_upgrade *upgrading)
{
	if (upgrading->is_busy && !upgrading->quiet)
		occ_message_note("another upgrade of this store is running");
	if (upgrading->quiet || upgrading->is_busy)
		return;
	printf("%zu upgraded, %zu left\n", upgrading->done,
	       upgrading->failed + upgrading->left);
	if (upgrading->is_late)
		puts("The time limit was reached before all entries were "
		     "examined.");
}

static int upgrade(struct occ_store *store,
		   const struct occ_arguments *arguments, unsigned limit)
{
	struct occ_nvidia_upgrade upgrading = {
		.store = store,
		.quiet = occ_arguments_has(arguments, "quiet"),
		.retry = occ_arguments_has(arguments, "retry"),
		.impatient = occ_arguments_has(arguments, "no-wait"),
		.limit = limit,
	};
	bool good;

	/* Whatever else runs is more important. */
	setpriority(PRIO_PROCESS, 0, 19);
	syscall(SYS_ioprio_set, IO_PRIORITY_PROCESS, 0, IO_PRIORITY_IDLE);
	good = occ_nvidia_upgrade(&upgrading);
	if (good)
		summarise(&upgrading);
	return good ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

/* False after an error. */
static bool read_limit(const struct occ_arguments *arguments,
		       unsigned *ret_limit)
{
	const char *value = occ_arguments_value(arguments, "time-limit");
	unsigned long number;
	char *end;

	*ret_limit = 0;
	if (!value)
		return true;
	errno = 0;
	number = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || !number ||
	    number > LIMIT_MAX) {
		occ_message_error(
			"--time-limit %s: use a number of seconds from 1 to %d",
			value, LIMIT_MAX);
		return false;
	}
	*ret_limit = (unsigned)number;
	return true;
}

static int run(const struct occ_arguments *arguments)
{
	bool dry = occ_arguments_has(arguments, "dry-run");
	struct occ_store *store;
	unsigned limit;
	int status;

	/* Started in the background it would be an "exe". */
	prctl(PR_SET_NAME, "oclcache");
	if (!occ_arguments_expect(arguments, "upgrade", 0,
				  "it always looks at all entries"))
		return OCC_EXIT_USAGE;
	if (!read_limit(arguments, &limit))
		return OCC_EXIT_USAGE;
	store = occ_store_path_open(arguments, !dry);
	if (!store)
		return OCC_EXIT_FAILED;
	status =
		dry ? show_waiting(store, occ_arguments_has(arguments, "retry"))
		    : upgrade(store, arguments, limit);
	occ_store_close(store);
	occ_child_pass_interrupt();
	return status;
}

static const struct occ_option options[] = {
	OCC_STORE_PATH_OPTION,
	{"dry-run", 'n', NULL, "only show how many entries are waiting"},
	{"no-wait", 0, NULL, "exit at once if another upgrade is running"},
	{"quiet", 'q', NULL, "print only failures"},
	{"retry", 0, NULL, "also retry entries that failed before"},
	{"time-limit", 0, "SECONDS", "start no further entry after this time"},
	{NULL},
};

const struct occ_command occ_command_upgrade = {
	.name = "upgrade",
	.summary = "let hits on NVIDIA's driver load without compiling",
	.details = "On NVIDIA's driver, a program's binary is PTX, which the "
		   "driver compiles each\n"
		   "time it loads it, unless the driver's own cache has the "
		   "result. This command\n"
		   "adds the compiled device code to the entries, so that hits "
		   "load it at once.\n"
		   "\n"
		   "'oclcache run' starts it when its program has ended, and "
		   "'oclcache prewarm' does\n"
		   "the same for what it stores, unless OCLCACHE_UPGRADE=0. "
		   "With 'oclcache enable\n"
		   "--timer', systemd starts it every day.\n"
		   "\n"
		   "The device and the driver that an entry is for must be "
		   "present. The upgrade runs\n"
		   "at background priority, one entry after the other, in one "
		   "process per store.\n"
		   "Entries that the driver refuses are remembered and not "
		   "tried again with the same\n"
		   "driver; entries that fail for other reasons are tried up "
		   "to four more times.\n"
		   "Entries of other drivers stay as they are.",
	.options = options,
	.run = run,
};
