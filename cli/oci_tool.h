/* SPDX-License-Identifier: MIT */
/*
 * Copies OCI images between registries and directories, by skopeo or oras,
 * whichever is installed: who may read and write where is their business
 * (`skopeo login`, `oras login`), as are proxies and certificates.
 */
#ifndef OCC_CLI_OCI_TOOL_H
#define OCC_CLI_OCI_TOOL_H

#include <stdbool.h>

#include "cli/arguments.h"

/*
 * Has `command` the one operand that it needs, "oci://REGISTRY/NAME[:TAG]" or
 * "oci:DIRECTORY"? False after an error was shown.
 */
bool occ_oci_tool_check(const char *command,
			const struct occ_arguments *arguments);

/* The tag of "REGISTRY/NAME[:TAG]", "latest" where there is none; to be freed.
 */
char *occ_oci_tool_tag(const char *reference);

enum occ_oci_direction { OCC_OCI_PUSH, OCC_OCI_PULL };

/*
 * Between the layout's image of that tag and the registry. `plain`: without
 * TLS. False after an error was shown.
 */
bool occ_oci_tool_copy(enum occ_oci_direction direction, const char *directory,
		       const char *reference, bool plain);

#endif
