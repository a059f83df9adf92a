/* SPDX-License-Identifier: MIT */
#include "cli/layer.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"

/* Relative to the folder of the command. */
static const char *const places[] = {
	OCC_LAYER_NAME,
	"../lib/oclcache/" OCC_LAYER_NAME,
#ifdef OCC_MULTIARCH
	"../lib/" OCC_MULTIARCH "/oclcache/" OCC_LAYER_NAME,
#endif
	"../lib64/oclcache/" OCC_LAYER_NAME,
};

/* The folder of this command, with a slash; empty when it isn't known. */
static void own_folder(char ret_folder[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", ret_folder, PATH_MAX - 1);
	char *slash;

	ret_folder[length > 0 ? length : 0] = '\0';
	slash = strrchr(ret_folder, '/');
	if (slash)
		slash[1] = '\0';
}

static char *real_path(const char *path)
{
	return access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;
}

char *occ_layer_path(void)
{
	const char *given = getenv("OCLCACHE_LAYER");
	char folder[PATH_MAX];
	char *path = NULL;

	if (given && *given)
		return real_path(given);
	own_folder(folder);
	for (size_t i = 0; !path && i < sizeof(places) / sizeof(*places); i++) {
		char *candidate;

		if (asprintf(&candidate, "%s%s", folder, places[i]) < 0)
			occ_message_no_memory();
		path = real_path(candidate);
		free(candidate);
	}
	return path;
}

void occ_layer_complain(void)
{
	const char *given = getenv("OCLCACHE_LAYER");
	char folder[PATH_MAX];

	if (given && *given) {
		occ_message_error("OCLCACHE_LAYER=%s can't be read; unset it, "
				  "or make it the path of " OCC_LAYER_NAME,
				  given);
		return;
	}
	own_folder(folder);
	occ_message_error(OCC_LAYER_NAME
			  " is neither in %s nor in "
			  "%s../lib/oclcache; install it again, or name it "
			  "with OCLCACHE_LAYER",
			  folder, folder);
}

/* Appends the items of a list that aren't `layer`, each behind a colon. */
static void append_others(char *list, const char *old, const char *layer)
{
	size_t length;

	for (; *old; old += length + (old[length] == ':')) {
		length = strcspn(old, ":");
		if (!length ||
		    (length == strlen(layer) && !memcmp(old, layer, length)))
			continue;
		strcat(list, ":");
		strncat(list, old, length);
	}
}

bool occ_layer_switch_on(void)
{
	char *layer = occ_layer_path();
	const char *old = getenv("OPENCL_LAYERS");
	char *list;

	if (!layer) {
		occ_layer_complain();
		return false;
	}
	if (!old)
		old = "";
	list = occ_message_must(malloc(strlen(layer) + strlen(old) + 2));
	strcpy(list, layer);
	append_others(list, old, layer);
	if (setenv("OPENCL_LAYERS", list, 1))
		occ_message_no_memory();
	free(list);
	free(layer);
	return true;
}
