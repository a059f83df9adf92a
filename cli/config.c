/* SPDX-License-Identifier: MIT */
/*
 * oclcache config: what is set, to what, and where. What it prints is a
 * configuration file that would set just that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cache/settings.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/remote_secrets.h"
#include "cli/suggestion.h"
#include "cli/screen.h"

/*
 * Of several directories the good ones are used, and a flag that isn't
 * understood may be other than the default.
 */
static bool is_in_force(const struct occ_settings *settings,
			enum occ_setting_id id)
{
	const struct occ_setting_value *value = &settings->values[id];

	return value->text &&
	       (value->understood ||
		occ_settings_table[id].kind == OCC_SETTING_PATHS ||
		occ_settings_table[id].kind == OCC_SETTING_FLAG);
}

/* What is set, without secrets; until the next call. */
static const char *text_of(const struct occ_settings *settings,
			   enum occ_setting_id id)
{
	static char *hidden;
	const char *text = settings->values[id].text;

	if (id != OCC_SETTING_REMOTE || !text)
		return text;
	free(hidden);
	hidden = occ_remote_secrets_hide(text);
	return hidden;
}

/* What is in force, also instead of what isn't understood; "" for none. */
static const char *in_force(const struct occ_settings *settings,
			    enum occ_setting_id id,
			    char ret_text[OCC_SETTINGS_TEXT_SIZE])
{
	if (id == OCC_SETTING_DIR)
		return settings->directory ? settings->directory : "";
	occ_settings_text(&occ_settings_table[id], settings->values[id].number,
			  ret_text);
	return !*ret_text && is_in_force(settings, id) ? text_of(settings, id)
						       : ret_text;
}

/* Defaults are comments, so that a later version's may be others. */
static void write_setting(const struct occ_settings *settings,
			  enum occ_setting_id id)
{
	const struct occ_setting_value *found = &settings->values[id];
	char text[OCC_SETTINGS_TEXT_SIZE];
	const char *value = in_force(settings, id, text);

	printf("\n# %s [", occ_settings_table[id].help);
	if (!found->name) {
		fputs("default", stdout);
	} else if (!found->file) {
		printf("environment %s", found->name);
	} else {
		occ_screen_text(found->file);
		printf(":%u", found->line);
	}
	printf("]\n%s%s%s%s=", is_in_force(settings, id) ? "" : "#",
	       occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_BOLD),
	       occ_settings_table[id].name,
	       occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE));
	occ_screen_text(value);
	putchar('\n');
}

static void write_value(struct occ_json *json,
			const struct occ_settings *settings,
			enum occ_setting_id id)
{
	uint64_t number = settings->values[id].number;
	char text[OCC_SETTINGS_TEXT_SIZE];
	const char *value = in_force(settings, id, text);

	if (occ_settings_table[id].kind == OCC_SETTING_FLAG)
		occ_json_bool(json, "value", number != 0);
	else if (occ_settings_table[id].kind == OCC_SETTING_NUMBER)
		occ_json_number(json, "value", number);
	else if (*value)
		occ_json_string(json, "value", value);
	else
		occ_json_null(json, "value");
}

static void write_json_setting(struct occ_json *json,
			       const struct occ_settings *settings,
			       enum occ_setting_id id)
{
	const struct occ_setting_value *found = &settings->values[id];

	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "name", occ_settings_table[id].name);
	write_value(json, settings, id);
	occ_json_string(json, "from",
			!found->name   ? "default"
			: !found->file ? "environment"
				       : "file");
	if (found->name)
		occ_json_string(json, "set_by", found->name);
	if (found->name && found->file) {
		occ_json_string(json, "file", found->file);
		occ_json_number(json, "line", found->line);
	}
	if (!found->understood)
		occ_json_string(json, "not_understood", text_of(settings, id));
	occ_json_string(json, "help", occ_settings_table[id].help);
	occ_json_end(json, '}');
}

static void write_json(const struct occ_settings *settings)
{
	struct occ_json json = OCC_JSON_INIT(stdout);

	occ_json_begin(&json, NULL, '{');
	occ_json_begin(&json, "files", '[');
	for (size_t i = 0; i < settings->file_count; i++) {
		occ_json_begin(&json, NULL, '{');
		occ_json_string(&json, "path", settings->files[i].path);
		occ_json_bool(&json, "read", settings->files[i].text);
		occ_json_end(&json, '}');
	}
	occ_json_end(&json, ']');
	occ_json_begin(&json, "settings", '[');
	for (size_t id = 0; id < OCC_SETTINGS; id++)
		write_json_setting(&json, settings, (enum occ_setting_id)id);
	occ_json_end(&json, ']');
	occ_json_begin(&json, "problems", '[');
	for (size_t i = 0; i < settings->problem_count; i++) {
		const struct occ_settings_problem *problem =
			&settings->problems[i];

		occ_json_begin(&json, NULL, '{');
		occ_json_string(&json, "file", problem->file);
		if (problem->line)
			occ_json_number(&json, "line", problem->line);
		if (problem->name)
			occ_json_string(&json, "name", problem->name);
		occ_json_string(&json, "problem", problem->text);
		occ_json_end(&json, '}');
	}
	occ_json_end(&json, ']');
	occ_json_end(&json, '}');
}

static int complain(const struct occ_settings *settings)
{
	char advice[OCC_SETTINGS_TEXT_SIZE], place[OCC_SETTINGS_PLACE_SIZE];
	char question[OCC_SUGGESTION_QUESTION];
	bool bad = settings->problem_count > 0;

	for (size_t i = 0; i < settings->problem_count; i++) {
		const struct occ_settings_problem *problem =
			&settings->problems[i];
		const char *name = problem->name ? problem->name : "";
		const char *meant =
			problem->name ? occ_suggestion_setting(name) : NULL;

		occ_message_warning(
			"%s%s%s%s%s",
			occ_settings_place(problem->file, problem->line, place),
			name, problem->name ? " " : "", problem->text,
			occ_suggestion_question("", meant, question));
	}
	if (settings->problem_count < settings->problem_total)
		occ_message_warning("and %zu more problems like these",
				    settings->problem_total -
					    settings->problem_count);
	for (size_t id = 0; id < OCC_SETTINGS; id++) {
		const struct occ_setting_value *value = &settings->values[id];

		if (value->understood)
			continue;
		occ_message_warning(
			"%s%s=%s is not understood; %s",
			occ_settings_place(value->file, value->line, place),
			value->name, text_of(settings, (enum occ_setting_id)id),
			occ_settings_advice(&occ_settings_table[id], advice));
		bad = true;
	}
	bad |= occ_suggestion_warn_misspelt();
	return bad ? OCC_EXIT_FAILED : OCC_EXIT_OK;
}

static int run(const struct occ_arguments *arguments)
{
	struct occ_settings settings;
	int status;

	if (!occ_arguments_expect(arguments, "config", 0,
				  "to change a setting, edit "
				  "~/.config/oclcache.conf (see 'oclcache "
				  "config --help')"))
		return OCC_EXIT_USAGE;
	occ_settings_read(&settings);
	if (occ_arguments_has(arguments, "json")) {
		write_json(&settings);
	} else {
		for (size_t i = 0; i < settings.file_count; i++)
			occ_screen_line("# %s: %s", settings.files[i].path,
					settings.files[i].text
						? "read"
						: "missing or ignored");
		for (size_t id = 0; id < OCC_SETTINGS; id++)
			write_setting(&settings, (enum occ_setting_id)id);
	}
	status = complain(&settings);
	occ_settings_release(&settings);
	return status;
}

static const struct occ_option options[] = {
	{"json", 0, NULL, "print the settings as JSON"},
	{NULL, 0, NULL, NULL},
};

const struct occ_command occ_command_config = {
	.name = "config",
	.summary = "show the settings and where each one comes from",
	.details =
		"Settings are lines NAME=VALUE in /etc/oclcache.conf, then in\n"
		"$XDG_CONFIG_HOME/oclcache.conf (else\n"
		"~/.config/oclcache.conf), then environment variables of the\n"
		"same names; the last one wins. The value \"default\" "
		"restores\n"
		"the default. With OCLCACHE_CONFIG= no file is read.\n"
		"\n"
		"The output is itself a configuration file. The exit status\n"
		"is 1 if a setting is unknown or has an invalid value.",
	.options = options,
	.run = run,
};
