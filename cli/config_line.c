/* SPDX-License-Identifier: MIT */
#include "cli/config_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/file.h"
#include "cache/heeded_file.h"
#include "cache/settings.h"
#include "cli/message.h"
#include "cli/text.h"
#include "hash/buffer.h"

#define MARK "# Added by 'oclcache enable', removed by 'oclcache disable':\n"

/*
 * The path, to be freed; NULL after an error was shown. What is enabled is for
 * programs of later, whatever file this command has to read.
 */
static char *path_of(bool system)
{
	struct occ_settings settings;
	size_t which = 0;
	char *path = NULL;

	unsetenv("OCLCACHE_CONFIG");
	occ_settings_read(&settings);
	if (!system)
		which = OCC_SETTINGS_FILES - 1;
	if (which < settings.file_count)
		path = occ_text("%s", settings.files[which].path);
	else
		occ_message_error("HOME isn't set to an absolute path; set it, "
				  "or use --system");
	occ_settings_release(&settings);
	return path;
}

/* The file's text, "" where there is none; NULL after an error was shown. */
static char *read_file(const char *path, mode_t *ret_mode)
{
	int file = occ_file_open(AT_FDCWD, path, O_RDONLY);
	char *text = occ_message_must(calloc(1, OCC_HEEDED_FILE_MAX + 1));
	const char *problem = NULL;
	struct stat status;

	*ret_mode = 0644;
	if (file < 0 && (errno == ENOENT || errno == ENOTDIR))
		return text;
	if (file < 0)
		problem = errno == ELOOP ? "it is a symbolic link"
					 : strerror(errno);
	else if (occ_file_status(file, &status) || !S_ISREG(status.st_mode) ||
		 status.st_size > OCC_HEEDED_FILE_MAX)
		problem = "it isn't a settings file";
	else if (occ_file_read(file, 0, text, (size_t)status.st_size) !=
		 (ssize_t)status.st_size)
		problem = strerror(errno);
	else
		*ret_mode = status.st_mode & 0777;
	occ_file_close(file);
	if (problem) {
		occ_message_error("%s: %s; correct that, or add the line "
				  "yourself to the file that it leads to",
				  path, problem);
		free(text);
		text = NULL;
	}
	return text;
}

/* Does the line, of that length, set the setting? Then gives its value. */
static bool is_of(const char *line, size_t length, const char *name,
		  struct occ_span *ret_value)
{
	const char *end = line + length, *at = line;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (strncmp(at, name, strlen(name)) != 0)
		return false;
	at += strlen(name);
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (at >= end || *at++ != '=')
		return false;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	while (end > at && strchr(" \t\r", end[-1]))
		end--;
	*ret_value = (struct occ_span){(const unsigned char *)at,
				       (size_t)(end - at)};
	return true;
}

static void note(struct occ_config_line *line, bool marked,
		 struct occ_span found, const char *value)
{
	if (!marked)
		line->state = OCC_CONFIG_LINE_ANOTHERS;
	else if (line->state == OCC_CONFIG_LINE_MISSING)
		line->state = OCC_CONFIG_LINE_OURS;
	/* The last one counts. */
	line->is_current = value && found.size == strlen(value) &&
			   !memcmp(found.data, value, found.size);
}

/*
 * All lines but ours, and then ours. A comment of ours without its line goes,
 * too.
 */
static char *change(struct occ_config_line *line, const char *text,
		    const char *name, const char *value)
{
	char *changed;
	size_t size;
	FILE *stream = occ_message_must(open_memstream(&changed, &size));
	bool marked = false;

	while (*text) {
		size_t length = strcspn(text, "\n"),
		       whole = length + (text[length] == '\n');
		struct occ_span found;

		if (!strncmp(text, MARK, strlen(MARK))) {
			marked = true;
			text += whole;
			continue;
		}
		if (is_of(text, length, name, &found)) {
			note(line, marked, found, value);
			if (!marked)
				fwrite(text, 1, whole, stream);
		} else {
			fwrite(text, 1, whole, stream);
		}
		if (whole == length && !marked)
			putc('\n', stream);
		marked = false;
		text += whole;
	}
	if (value)
		fprintf(stream, MARK "%s=%s\n", name, value);
	if (fclose(stream))
		occ_message_no_memory();
	return changed;
}

bool occ_config_line_begin(bool system, const char *name, const char *value,
			   struct occ_config_line *ret_line)
{
	char *path = path_of(system), *text;
	mode_t mode;

	*ret_line = (struct occ_config_line){.state = OCC_CONFIG_LINE_MISSING};
	text = path ? read_file(path, &mode) : NULL;
	if (!text) {
		free(path);
		return false;
	}
	ret_line->file = (struct occ_activation_file){
		.path = path,
		.text = change(ret_line, text, name, value),
		.mode = mode,
		.directory_mode = system ? 0755 : 0700,
	};
	free(text);
	return true;
}

void occ_config_line_end(struct occ_config_line *line)
{
	free(line->file.path);
	free(line->file.text);
}

bool occ_config_line_write(const struct occ_config_line *line)
{
	return *line->file.text ? occ_activation_write(&line->file)
				: occ_activation_remove(&line->file);
}
