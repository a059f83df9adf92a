/* SPDX-License-Identifier: MIT */
#include "cli/remote_enable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/remote_setting.h"
#include "cli/message.h"
#include "cli/program_path.h"
#include "cli/remote_helper.h"
#include "cli/remote_secrets.h"
#include "cli/screen.h"
#include "cli/text.h"
#include "cli/timer.h"

#define SETTING "OCLCACHE_REMOTE"

/* False after an error was shown. What is secret isn't. */
static bool is_without_secrets(const struct occ_remote_setting *setting)
{
	if (occ_remote_secrets_in_url(setting->url)) {
		occ_message_error(
			"enable: everybody could read the password or query in "
			"the URL; put it in a file with mode 600, and use "
			"@user=NAME @password-file=FILE");
		return false;
	}
	for (size_t i = 0; i < setting->attribute_count; i++) {
		const char *key = setting->attributes[i].key;

		if (!occ_remote_secrets_is_one(key))
			continue;
		occ_message_error(
			"enable: everybody could read the value of @%s; put it "
			"in a file with mode 600, and use @%s-file=FILE",
			key, key);
		return false;
	}
	return true;
}

/*
 * Who listens is systemd: of helpers only ours takes its socket. NULL after an
 * error was shown; else the program's path, to be freed.
 */
static char *find_helper(const struct occ_remote_setting *setting)
{
	const struct occ_remote_helper helper = {
		.setting = {.url = "https://"}};
	char *program;

	if (setting->helper) {
		occ_message_error("enable: systemd can start only "
				  "oclcache-storage; leave out helper=, or "
				  "start %s yourself and enable crsh:SOCKET",
				  setting->helper);
		return NULL;
	}
	program = occ_remote_helper_program(&helper);
	if (!program)
		occ_message_error(
			"enable: oclcache-storage isn't installed; install it");
	if (program && !occ_timer_is_possible_path(program)) {
		free(program);
		return NULL;
	}
	return program;
}

/* The socket's name; the rest of its path is systemd's to know. */
static bool name_of(const struct occ_remote_setting *setting, char *name,
		    size_t size)
{
	char path[108];

	if (!occ_remote_setting_socket(setting, path, sizeof(path))) {
		occ_message_error("enable: the path of the helper's socket "
				  "would be too long");
		return false;
	}
	snprintf(name, size, "%s", strrchr(path, '/') + 1);
	return true;
}

static bool begin_units(bool system, const struct occ_remote_setting *setting,
			struct occ_activation *activation)
{
	char name[108], *program;

	/* Somebody else looks after the socket. */
	if (!strncmp(setting->url, "crsh:", strlen("crsh:")))
		return true;
	program = find_helper(setting);
	if (!program || !name_of(setting, name, sizeof(name))) {
		free(program);
		return false;
	}
	occ_activation_add_remote(activation, system, name, program);
	free(program);
	return true;
}

bool occ_remote_enable_begin(bool system, const char *setting,
			     struct occ_activation *activation,
			     struct occ_remote_enable *ret_enable)
{
	struct occ_remote_setting parsed;
	const char *problem = occ_remote_setting_parse(setting, &parsed);
	bool good;

	if (problem) {
		occ_message_error("enable: --remote: %s; see "
				  "oclcache-layer(7)",
				  problem);
		return false;
	}
	good = is_without_secrets(&parsed) &&
	       begin_units(system, &parsed, activation) &&
	       occ_config_line_begin(system, SETTING, setting,
				     &ret_enable->line);
	occ_remote_setting_release(&parsed);
	if (good && ret_enable->line.state == OCC_CONFIG_LINE_ANOTHERS &&
	    !ret_enable->line.is_current) {
		occ_message_error("%s already sets " SETTING
				  "; remove that line, and try again",
				  ret_enable->line.file.path);
		occ_config_line_end(&ret_enable->line);
		return false;
	}
	return good;
}

void occ_remote_enable_end(struct occ_remote_enable *enable)
{
	occ_config_line_end(&enable->line);
}

bool occ_remote_enable_write(const struct occ_remote_enable *enable, bool dry)
{
	const struct occ_config_line *line = &enable->line;

	if (line->is_current) {
		occ_screen_line("already there: %s (" SETTING ")",
				line->file.path);
		return true;
	}
	if (!dry && !occ_config_line_write(line))
		return false;
	occ_screen_line("%s: %s (" SETTING ")", dry ? "would write" : "written",
			line->file.path);
	return true;
}

void occ_remote_enable_say(bool system)
{
	char *systemctl = occ_program_path_find("systemctl");

	puts("");
	free(systemctl);
	if (!systemctl)
		puts("This machine has no systemctl. 'oclcache run' starts the "
		     "helper for the remote\n"
		     "storage by itself; for other programs, start it at login "
		     "or in a job's prologue:\n"
		     "    oclcache-storage --background");
	else
		printf("From %s next login on, systemd starts the helper for "
		       "the remote storage\n"
		       "%s. To start it now:\n"
		       "    systemctl --user daemon-reload\n"
		       "    systemctl --user start oclcache-storage.socket%s\n",
		       system ? "each user's" : "your",
		       system ? "on demand" : "with your session",
		       system ? "" : " oclcache-storage.service");
	puts("'oclcache doctor' checks that it works.");
}

bool occ_remote_enable_remove(bool system, bool dry, bool *ret_any)
{
	struct occ_config_line line;
	bool good = true;

	if (!occ_config_line_begin(system, SETTING, NULL, &line))
		return false;
	if (line.state == OCC_CONFIG_LINE_OURS) {
		good = dry || occ_config_line_write(&line);
		*ret_any = true;
		if (good)
			occ_screen_line("%s: " SETTING " in %s",
					dry ? "would remove" : "removed",
					line.file.path);
	} else if (line.state == OCC_CONFIG_LINE_ANOTHERS) {
		occ_message_note("%s: " SETTING
				 " is left there, because 'oclcache enable' "
				 "didn't write it",
				 line.file.path);
	}
	occ_config_line_end(&line);
	return good;
}
