/* SPDX-License-Identifier: MIT */
#include "cli/timer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/text.h"
#include "hash/utf8.h"

/*
 * s: of compiling for a new driver, of one upgrade, and, for the last entry,
 * what each gets to end.
 */
#define REPLAY_LIMIT 3600
#define LIMIT	     1800
#define MORE	     600

/* Where it was started from, or as it would be found; to be freed. */
static char *own_path(void)
{
	char found[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", found, sizeof(found) - 1);

	found[length < 0 ? 0 : length] = '\0';
	return occ_text("%s", *found == '/' ? found : "/usr/bin/oclcache");
}

bool occ_timer_is_possible_path(const char *path)
{
	size_t size = strlen(path), length;
	bool possible = true;

	for (const char *c = path; possible && *c; c += length) {
		length = occ_utf8_length(c, size - (size_t)(c - path));
		possible = length && (unsigned char)*c >= ' ' &&
			   !strchr("\"'\\\x7f", *c);
	}
	if (!possible)
		occ_message_error(
			"%s: systemd can't start a command whose path contains "
			"quotes, backslashes or control characters or isn't "
			"UTF-8; install it in another directory",
			path);
	return possible;
}

bool occ_timer_is_possible(void)
{
	char *path = own_path();
	bool possible = occ_timer_is_possible_path(path);

	free(path);
	return possible;
}

/* %h, say, is something else in a unit. */
char *occ_timer_escape(const char *path)
{
	char *escaped = occ_message_must(malloc(2 * strlen(path) + 1));
	char *at = escaped;

	for (const char *c = path; *c; c++) {
		if (*c == '%')
			*at++ = '%';
		*at++ = *c;
	}
	*at = '\0';
	return escaped;
}

/*
 * The command is gone: no process, and no failure. The rest is only for when
 * nobody works, nor on a battery. What can't be replayed is left to programs,
 * and keeps nobody from the upgrade.
 */
char *occ_timer_service(void)
{
	char *path = own_path(), *text;
	char *escaped = occ_timer_escape(path);

	text = occ_text(
		"[Unit]\n"
		"Description=Compile stored OpenCL programs for the installed "
		"drivers\n"
		"Documentation=man:oclcache(1)\n"
		"ConditionFileIsExecutable=%s\n"
		"ConditionACPower=true\n"
		"\n"
		"[Service]\n"
		"Type=oneshot\n"
		"ExecStart=-\"%s\" replay --stale --quiet --time-limit %ds\n"
		"ExecStart=\"%s\" upgrade --quiet --time-limit %d\n"
		"Nice=19\n"
		"CPUSchedulingPolicy=idle\n"
		"IOSchedulingClass=idle\n"
		"TimeoutStartSec=%d\n",
		escaped, escaped, REPLAY_LIMIT, escaped, LIMIT,
		REPLAY_LIMIT + 2 * LIMIT + 2 * MORE);
	free(escaped);
	free(path);
	return text;
}

char *occ_timer_text(void)
{
	return occ_text("[Unit]\n"
			"Description=Compile stored OpenCL programs for the "
			"installed drivers every day\n"
			"Documentation=man:oclcache(1)\n"
			"\n"
			"[Timer]\n"
			"OnCalendar=daily\n"
			"RandomizedDelaySec=1h\n"
			"Persistent=true\n"
			"\n"
			"[Install]\n"
			"WantedBy=timers.target\n");
}

char *occ_timer_path(void)
{
	return occ_text("[Unit]\n"
			"Description=Compile stored OpenCL programs when a "
			"driver is installed\n"
			"Documentation=man:oclcache(1)\n"
			"\n"
			"[Path]\n"
			"PathChanged=" OCC_TIMER_STAMP "\n"
			"\n"
			"[Install]\n"
			"WantedBy=paths.target\n");
}
