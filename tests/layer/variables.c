/* SPDX-License-Identifier: MIT */
/*
 * What the layer's records say of environment variables.
 *
 *	variables PLATFORM <NAMES
 *
 * PLATFORM: a CL_PLATFORM_NAME of the driver table, or "" for drivers that
 * aren't in it. Prints "NAME KIND" for each name, a line each.
 */
#include <stdio.h>
#include <string.h>

#include "cache/driver/driver.h"

static const char *const kinds[] = {
	[OCC_VARIABLE_UNKNOWN] = "unknown",
	[OCC_VARIABLE_HARMLESS] = "harmless",
	[OCC_VARIABLE_SWITCHED] = "switched",
	[OCC_VARIABLE_SWITCHED_FILES] = "switched files",
	[OCC_VARIABLE_PLACE] = "place",
	[OCC_VARIABLE_PROGRAMS] = "programs",
	[OCC_VARIABLE_KEY] = "key",
	[OCC_VARIABLE_SWITCH] = "switch",
	[OCC_VARIABLE_OPTIONS] = "options",
	[OCC_VARIABLE_FILES] = "files",
};

int main(int argc, char **argv)
{
	const struct occ_driver *driver = NULL;
	char name[1024];

	if (argc != 2)
		return 2;
	if (*argv[1]) {
		driver = occ_driver_of_platform(argv[1]);
		if (!driver)
			return 2;
	}
	while (fgets(name, sizeof(name), stdin)) {
		size_t length = strcspn(name, "\n");

		name[length] = '\0';
		printf("%s %s\n", name,
		       kinds[occ_driver_variable(driver, name, length)]);
	}
	return 0;
}
