/* SPDX-License-Identifier: MIT */
/*
 * oclcache config: what is set, to what, and where. What it prints is a
 * configuration file that would set just that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cache/preference.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/screen.h"
#include "cli/suggestion.h"

/* Further names beginning so are mistaken, but for tests' own. */
#define PREFIX	     "OCLCACHE_"
#define TESTS_PREFIX "OCLCACHE_TEST_"

struct shown {
	const struct occ_setting *setting;
	const struct occ_preference *found;
	char *value; /* in force; "" for none */
	bool understood;
};

static const char *suggest(const char *name)
{
	struct occ_suggestion suggestion;

	/* Without what all begin with. */
	for (size_t id = 0; id < OCC_SETTINGS; id++)
		if (!strncmp(occ_settings[id].name, PREFIX, strlen(PREFIX)) &&
		    !strcasecmp(occ_settings[id].name + strlen(PREFIX), name))
			return occ_settings[id].name;
	occ_suggestion_begin(&suggestion, name);
	for (size_t id = 0; id < OCC_SETTINGS; id++) {
		occ_suggestion_try(&suggestion, occ_settings[id].name);
		if (occ_settings[id].intels)
			occ_suggestion_try(&suggestion,
					   occ_settings[id].intels);
	}
	return suggestion.best;
}

/* Of several directories the good ones are used. */
static bool is_in_force(const struct shown *shown)
{
	return shown->found->value &&
	       (shown->understood || shown->setting->kind == OCC_SETTING_PATHS);
}

/* What is in force instead is the default, which the layer takes. */
static char *value_in_force(const struct occ_preferences *preferences,
			    enum occ_setting_id id, bool in_force)
{
	const struct occ_setting *setting = &occ_settings[id];
	const char *value = preferences->values[id].value;
	char text[OCC_SETTING_TEXT_SIZE];
	char *directory;
	uint64_t number;
	bool by_default;

	if (id == OCC_SETTING_DIR) {
		directory = occ_preferences_directory(preferences, &by_default);
		return directory ? directory : occ_message_must(strdup(""));
	}
	number = occ_preferences_number(preferences, id);
	occ_setting_text(setting, number, text);
	if (!*text && in_force)
		return occ_message_must(strdup(value));
	return occ_message_must(strdup(text));
}

static void show_begin(const struct occ_preferences *preferences,
		       enum occ_setting_id id, struct shown *ret_shown)
{
	uint64_t number;

	ret_shown->setting = &occ_settings[id];
	ret_shown->found = &preferences->values[id];
	ret_shown->understood =
		occ_setting_parse(ret_shown->setting, ret_shown->found->value,
				  &number);
	ret_shown->value =
		value_in_force(preferences, id, is_in_force(ret_shown));
}

static void show_end(struct shown *shown)
{
	free(shown->value);
}

/* "default", "environment NEO_CACHE_DIR", "/etc/oclcache.conf:3" */
static void write_place(const struct occ_preference *found)
{
	char line[16];

	if (!found->name) {
		fputs("default", stdout);
		return;
	}
	if (!found->file) {
		printf("environment %s", found->name);
		return;
	}
	snprintf(line, sizeof(line), ":%u", found->line);
	occ_screen_write(stdout, found->file, strlen(found->file), true);
	fputs(line, stdout);
}

/* Defaults are comments, so that a later version's may be others. */
static void write_setting(const struct shown *shown)
{
	printf("\n# %s [", shown->setting->help);
	write_place(shown->found);
	printf("]\n%s%s%s%s=", is_in_force(shown) ? "" : "#",
	       occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_BOLD),
	       shown->setting->name,
	       occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE));
	occ_screen_write(stdout, shown->value, strlen(shown->value), true);
	putchar('\n');
}

static void write_text(const struct occ_preferences *preferences)
{
	for (size_t i = 0; i < preferences->file_count; i++) {
		const struct occ_preference_file *file = &preferences->files[i];

		fputs("# ", stdout);
		occ_screen_write(stdout, file->path, strlen(file->path), true);
		puts(file->text ? ": read" : ": not there, or not heeded");
	}
	for (size_t id = 0; id < OCC_SETTINGS; id++) {
		struct shown shown;

		show_begin(preferences, (enum occ_setting_id)id, &shown);
		write_setting(&shown);
		show_end(&shown);
	}
}

static void write_value(struct occ_json *json, const struct shown *shown)
{
	uint64_t number;

	occ_setting_parse(shown->setting, shown->found->value, &number);
	if (shown->setting->kind == OCC_SETTING_FLAG)
		occ_json_bool(json, "value", number != 0);
	else if (shown->setting->kind == OCC_SETTING_NUMBER)
		occ_json_number(json, "value", number);
	else if (*shown->value)
		occ_json_string(json, "value", shown->value);
	else
		occ_json_null(json, "value");
}

static void write_json_setting(struct occ_json *json, const struct shown *shown)
{
	const struct occ_preference *found = shown->found;

	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "name", shown->setting->name);
	write_value(json, shown);
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
	if (!shown->understood)
		occ_json_string(json, "not_understood", found->value);
	occ_json_string(json, "help", shown->setting->help);
	occ_json_end(json, '}');
}

static void write_json_problem(struct occ_json *json,
			       const struct occ_problem *problem)
{
	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "file", problem->file);
	if (problem->line)
		occ_json_number(json, "line", problem->line);
	if (problem->name)
		occ_json_string(json, "name", problem->name);
	occ_json_string(json, "problem", problem->text);
	occ_json_end(json, '}');
}

static void write_json(const struct occ_preferences *preferences)
{
	struct occ_json json = OCC_JSON_INIT(stdout);

	occ_json_begin(&json, NULL, '{');
	occ_json_begin(&json, "files", '[');
	for (size_t i = 0; i < preferences->file_count; i++) {
		occ_json_begin(&json, NULL, '{');
		occ_json_string(&json, "path", preferences->files[i].path);
		occ_json_bool(&json, "read", preferences->files[i].text);
		occ_json_end(&json, '}');
	}
	occ_json_end(&json, ']');
	occ_json_begin(&json, "settings", '[');
	for (size_t id = 0; id < OCC_SETTINGS; id++) {
		struct shown shown;

		show_begin(preferences, (enum occ_setting_id)id, &shown);
		write_json_setting(&json, &shown);
		show_end(&shown);
	}
	occ_json_end(&json, ']');
	occ_json_begin(&json, "problems", '[');
	for (size_t i = 0; i < occ_preferences_problems(preferences); i++)
		write_json_problem(&json, &preferences->problems[i]);
	occ_json_end(&json, ']');
	occ_json_end(&json, '}');
}

static void complain_of_problem(const struct occ_problem *problem)
{
	char line[16] = "";
	const char *meant = problem->name ? suggest(problem->name) : NULL;

	if (problem->line)
		snprintf(line, sizeof(line), ":%u", problem->line);
	if (occ_preference_is_variable(problem->name ? problem->name : ""))
		meant = NULL;
	occ_message_warning("%s%s: %s%s%s%s%s%s", problem->file, line,
			    problem->name ? problem->name : "",
			    problem->name ? " " : "", problem->text,
			    meant ? "; did you mean " : "", meant ? meant : "",
			    meant ? "?" : "");
}

static void complain_of_value(const struct shown *shown)
{
	const struct occ_preference *found = shown->found;
	char advice[OCC_SETTING_TEXT_SIZE], line[16] = "";

	if (found->file)
		snprintf(line, sizeof(line), ":%u: ", found->line);
	occ_message_warning("%s%s%s=%s is not understood: %s",
			    found->file ? found->file : "", line, found->name,
			    found->value,
			    occ_setting_advice(shown->setting, advice));
}

static bool is_known(const char *name)
{
	for (size_t id = 0; id < OCC_SETTINGS; id++)
		if (!strcmp(occ_settings[id].name, name))
			return true;
	return occ_preference_is_variable(name) ||
	       !strncmp(name, TESTS_PREFIX, strlen(TESTS_PREFIX));
}

/* True: there are variables that look like ours and aren't. */
static bool complain_of_variables(void)
{
	bool any = false;

	for (char **variable = environ; *variable; variable++) {
		size_t length = strcspn(*variable, "=");
		const char *meant;
		char *name;

		if (strncmp(*variable, PREFIX, strlen(PREFIX)) != 0)
			continue;
		name = occ_message_must(strndup(*variable, length));
		if (!is_known(name)) {
			meant = suggest(name);
			any = true;
			occ_message_warning("environment: %s is no setting%s%s"
					    "%s",
					    name,
					    meant ? "; did you mean " : "",
					    meant ? meant : "",
					    meant ? "?" : "");
		}
		free(name);
	}
	return any;
}

static int complain(const struct occ_preferences *preferences)
{
	size_t kept = occ_preferences_problems(preferences);
	bool bad = preferences->problem_count > 0;

	for (size_t i = 0; i < kept; i++)
		complain_of_problem(&preferences->problems[i]);
	if (kept < preferences->problem_count)
		occ_message_warning("and %zu more like these",
				    preferences->problem_count - kept);
	for (size_t id = 0; id < OCC_SETTINGS; id++) {
		struct shown shown;

		show_begin(preferences, (enum occ_setting_id)id, &shown);
		if (!shown.understood) {
			complain_of_value(&shown);
			bad = true;
		}
		show_end(&shown);
	}
	if (complain_of_variables())
		bad = true;
	return bad ? OCC_EXIT_FAILED : OCC_EXIT_OK;
}

static int run(const struct occ_arguments *arguments)
{
	struct occ_preferences preferences;
	int status;

	if (arguments->operand_count) {
		occ_message_error("config: takes no operand: %s; settings are "
				  "changed in the files, see 'oclcache config "
				  "--help'",
				  arguments->operands[0]);
		return OCC_EXIT_USAGE;
	}
	occ_preferences_read(&preferences);
	if (occ_arguments_has(arguments, "json"))
		write_json(&preferences);
	else
		write_text(&preferences);
	status = complain(&preferences);
	occ_preferences_release(&preferences);
	return status;
}

static const struct occ_option options[] = {
	{"json", 0, NULL, "as JSON"},
	{NULL, 0, NULL, NULL},
};

const struct occ_command occ_command_config = {
	.name = "config",
	.summary = "show the settings and where each comes from",
	.details =
		"Settings are lines NAME=VALUE in /etc/oclcache.conf, then in\n"
		"$XDG_CONFIG_HOME/oclcache.conf (else\n"
		"~/.config/oclcache.conf), then environment variables of the\n"
		"same names: later ones win. The value \"default\" goes back\n"
		"to the default, and OCLCACHE_CONFIG= reads no file.\n"
		"\n"
		"What it prints is itself a configuration file. The exit\n"
		"status is 1 when something isn't understood.",
	.options = options,
	.run = run,
};
