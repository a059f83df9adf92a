/* SPDX-License-Identifier: MIT */
#include "cli/registration.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/message.h"
#include "cli/text.h"

static const char suffix[] = ".icd";

/* Takes both. */
static void add(struct occ_registrations *all, char *file, char *library)
{
	all->items = occ_message_must(
		realloc(all->items, (all->count + 1) * sizeof(*all->items)));
	all->items[all->count++] =
		(struct occ_registration){.file = file, .library = library};
}

/* The first line, without blanks at its end. */
static void read_file(struct occ_registrations *all, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	if (!file)
		return;
	length = getline(&line, &size, file);
	fclose(file);
	while (length > 0 && strchr(" \t\r\n", line[length - 1]))
		line[--length] = '\0';
	if (length > 0)
		add(all, occ_message_must(strdup(path)),
		    occ_message_must(strdup(line)));
	free(line);
}

static int is_icd(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > strlen(suffix) &&
	       !strcmp(entry->d_name + length - strlen(suffix), suffix);
}

static void read_directory(struct occ_registrations *all, const char *directory)
{
	struct dirent **names = NULL;
	int count = scandir(directory, &names, is_icd, alphasort);

	for (int i = 0; i < count; i++) {
		char *path;

		path = occ_text("%s/%s", directory, names[i]->d_name);
		read_file(all, path);
		free(path);
		free(names[i]);
	}
	free(names);
}

static void read_list(struct occ_registrations *all, const char *list)
{
	for (size_t length; *list; list += length + (list[length] == ':')) {
		length = strcspn(list, ":");
		if (length)
			add(all, NULL, occ_message_must(strndup(list, length)));
	}
}

static void read_variable(struct occ_registrations *all, const char *value)
{
	struct stat status;
	size_t length = strlen(value);

	if (!stat(value, &status) && S_ISDIR(status.st_mode))
		read_directory(all, value);
	else if (length > strlen(suffix) &&
		 !strcmp(value + length - strlen(suffix), suffix))
		read_file(all, value);
	else
		add(all, NULL, occ_message_must(strdup(value)));
}

/* Gives its value if it is set to something. */
static const char *variable(struct occ_registrations *all, const char *name)
{
	const char *value = getenv(name);

	if (!value || !*value)
		return NULL;
	all->from = occ_text("%s=%s", name, value);
	return value;
}

void occ_registration_find(const char *root, struct occ_registrations *ret)
{
	const char *value;

	*ret = (struct occ_registrations){.items = NULL};
	if ((value = variable(ret, "OCL_ICD_FILENAMES"))) {
		read_list(ret, value);
	} else if ((value = variable(ret, "OCL_ICD_VENDORS")) ||
		   (value = variable(ret, "OPENCL_VENDOR_PATH"))) {
		read_variable(ret, value);
	} else {
		ret->from = occ_text("%s/etc/OpenCL/vendors", root);
		read_directory(ret, ret->from);
	}
}

void occ_registration_release(struct occ_registrations *registrations)
{
	for (size_t i = 0; i < registrations->count; i++) {
		free(registrations->items[i].file);
		free(registrations->items[i].library);
	}
	free(registrations->items);
	free(registrations->from);
}
