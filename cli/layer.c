/* SPDX-License-Identifier: MIT */
#include "cli/layer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/text.h"

/* Relative to the directory of the command. */
static const char *const places[] = {
	OCC_LAYER_NAME,
	"../lib/oclcache/" OCC_LAYER_NAME,
#ifdef OCC_MULTIARCH
	"../lib/" OCC_MULTIARCH "/oclcache/" OCC_LAYER_NAME,
#endif
	"../lib64/oclcache/" OCC_LAYER_NAME,
};

/* The directory of this command, with a slash; empty when it isn't known. */
static void own_directory(char ret_directory[PATH_MAX])
{
	ssize_t length =
		readlink("/proc/self/exe", ret_directory, PATH_MAX - 1);
	char *slash;

	ret_directory[length > 0 ? length : 0] = '\0';
	slash = strrchr(ret_directory, '/');
	if (slash)
		slash[1] = '\0';
}

char *occ_layer_path(void)
{
	const char *given = getenv("OCLCACHE_LAYER");
	char directory[PATH_MAX];
	char *path = NULL;

	if (given && *given)
		return access(given, R_OK) ? NULL : realpath(given, NULL);
	own_directory(directory);
	for (size_t i = 0; !path && i < sizeof(places) / sizeof(*places); i++) {
		char *candidate = occ_text("%s%s", directory, places[i]);

		if (!access(candidate, R_OK))
			path = realpath(candidate, NULL);
		free(candidate);
	}
	return path;
}

void occ_layer_complain(void)
{
	const char *given = getenv("OCLCACHE_LAYER");
	char directory[PATH_MAX];

	if (given && *given) {
		occ_message_error("OCLCACHE_LAYER=%s can't be read; unset it, "
				  "or set it to the path of " OCC_LAYER_NAME,
				  given);
		return;
	}
	own_directory(directory);
	occ_message_error(OCC_LAYER_NAME
			  " is neither in %s nor in %s../lib/oclcache; install "
			  "oclcache again, or set OCLCACHE_LAYER to its path",
			  directory, directory);
}

/* The layer, then the items of the list that aren't it, with colons between. */
static char *put_first(const char *layer, const char *list)
{
	size_t layer_length = strlen(layer), length;
	char *result =
		occ_message_must(malloc(layer_length + strlen(list) + 2));
	char *end = mempcpy(result, layer, layer_length);

	for (; *list; list += length + (list[length] == ':')) {
		length = strcspn(list, ":");
		if (!length ||
		    (length == layer_length && !memcmp(list, layer, length)))
			continue;
		*end++ = ':';
		end = mempcpy(end, list, length);
	}
	*end = '\0';
	return result;
}

bool occ_layer_switch_on(void)
{
	char *layer = occ_layer_path(), *list;
	const char *old = getenv("OPENCL_LAYERS");

	if (!layer) {
		occ_layer_complain();
		return false;
	}
	/* It would be two items, neither of which is there. */
	if (strchr(layer, ':')) {
		occ_message_error("%s: OPENCL_LAYERS can't contain ':'; "
				  "install the layer in another directory",
				  layer);
		free(layer);
		return false;
	}
	list = put_first(layer, old ? old : "");
	if (setenv("OPENCL_LAYERS", list, 1))
		occ_message_no_memory();
	free(list);
	free(layer);
	return true;
}
