/* SPDX-License-Identifier: MIT */
#include "cli/registrations.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/message.h"
#include "cli/text.h"

struct visitor {
	occ_registration_visit visit;
	void *data;
};

/* The library is its first line, without blanks at its end. */
static size_t visit_file(const struct visitor *visitor, const char *path)
{
	FILE *file = fopen(path, "re");
	size_t size = 0;
	char *line = NULL;
	ssize_t length;

	if (!file)
		return 0;
	length = getline(&line, &size, file);
	fclose(file);
	while (length > 0 && strchr(" \t\r\n", line[length - 1]))
		line[--length] = '\0';
	if (length > 0)
		visitor->visit(path, line, visitor->data);
	free(line);
	return length > 0;
}

static int is_icd(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".icd") != 0 &&
	       occ_text_ends_with(entry->d_name, ".icd");
}

static size_t visit_vendors(const struct visitor *visitor,
			    const char *directory)
{
	struct dirent **names = NULL;
	int all = scandir(directory, &names, is_icd, alphasort);
	size_t count = 0;

	for (int i = 0; i < all; i++) {
		char *path = occ_text("%s/%s", directory, names[i]->d_name);

		count += visit_file(visitor, path);
		free(path);
		free(names[i]);
	}
	free(names);
	return count;
}

static size_t visit_list(const struct visitor *visitor, const char *list)
{
	size_t count = 0;

	for (size_t length; *list; list += length + (list[length] == ':')) {
		char *library;

		length = strcspn(list, ":");
		library = occ_message_must(strndup(list, length));
		if (length) {
			visitor->visit(NULL, library, visitor->data);
			count++;
		}
		free(library);
	}
	return count;
}

size_t occ_registrations_visit(const char *root, occ_registration_visit visit,
			       void *data, char **ret_from)
{
	static const char *const names[] = {"OCL_ICD_FILENAMES",
					    "OCL_ICD_VENDORS",
					    "OPENCL_VENDOR_PATH"};
	const struct visitor visitor = {visit, data};
	size_t which = 0, count = sizeof(names) / sizeof(*names);
	char *value = NULL, *from;
	struct stat status;

	while (which < count && (!(value = getenv(names[which])) || !*value))
		which++;
	from = which < count ? occ_text("%s=%s", names[which], value)
			     : occ_text("%s/etc/OpenCL/vendors", root);
	if (which == count) {
		count = visit_vendors(&visitor, from);
	} else if (!which) {
		count = visit_list(&visitor, value);
	} else if (!stat(value, &status) && S_ISDIR(status.st_mode)) {
		count = visit_vendors(&visitor, value);
	} else if (strcmp(value, ".icd") != 0 &&
		   occ_text_ends_with(value, ".icd")) {
		count = visit_file(&visitor, value);
	} else {
		visit(NULL, value, data);
		count = 1;
	}
	if (ret_from)
		*ret_from = from;
	else
		free(from);
	return count;
}
