/* SPDX-License-Identifier: MIT */
/*
 * oclcache push: entries as an OCI image, in a registry or a directory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/archive_signer.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/oci_layout.h"
#include "cli/oci_tool.h"
#include "cli/program_wait.h"
#include "cli/scratch.h"
#include "cli/selection.h"
#include "cli/store_path.h"
#include "cli/text.h"

#define ARGUMENTS_MAX 64

/* The options of this command are export's; it says itself what is wrong. */
static bool export_to(const char *archive,
		      const struct occ_arguments *arguments)
{
	const char *words[ARGUMENTS_MAX] = {"oclcache", "export"};
	char *options[ARGUMENTS_MAX];
	size_t count = 2, used = 0;
	int status;

	for (size_t i = 0; i < arguments->given_count; i++) {
		const struct occ_given *given = &arguments->given[i];

		if (!strcmp(given->option->name, "plain-http"))
			continue;
		if (count + 3 > ARGUMENTS_MAX)
			break;
		options[used] = occ_text("--%s%s%s", given->option->name,
					 given->value ? "=" : "",
					 given->value ? given->value : "");
		words[count++] = options[used++];
	}
	words[count++] = "--";
	words[count++] = archive;
	status = occ_program_wait("/proc/self/exe", words, true);
	while (used)
		free(options[--used]);
	return status == OCC_EXIT_OK;
}

static bool push(const char *place, const char *scratch, const char *archive,
		 const struct occ_arguments *arguments)
{
	bool plain = occ_arguments_has(arguments, "plain-http"), good;
	const char *reference = place + strlen("oci://");
	char *layout, *tag;

	if (strncmp(place, "oci://", strlen("oci://")) != 0)
		return occ_oci_layout_make(place + strlen("oci:"), archive,
					   "latest");
	layout = occ_text("%s/layout", scratch);
	tag = occ_oci_tool_tag(reference);
	good = occ_oci_layout_make(layout, archive, tag) &&
	       occ_oci_tool_copy(OCC_OCI_PUSH, layout, reference, plain);
	free(layout);
	free(tag);
	return good;
}

static int run(const struct occ_arguments *arguments)
{
	const char *place = arguments->operands[0];
	char *scratch, *archive;
	bool good;

	if (!occ_oci_tool_check("push", arguments))
		return OCC_EXIT_USAGE;
	scratch = occ_scratch_make();
	if (!scratch)
		return OCC_EXIT_FAILED;
	archive = occ_text("%s/entries.tar", scratch);
	good = export_to(archive, arguments) &&
	       push(place, scratch, archive, arguments);
	free(archive);
	occ_scratch_remove(scratch);
	if (good)
		printf("pushed to %s\n", place);
	return good ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static const struct occ_option options[] = {
	OCC_SELECTION_DEVICE,
	OCC_SELECTION_PROGRAM,
	OCC_ARCHIVE_SIGNER_OPTIONS,
	{"plain-http", 0, NULL, "connect to the registry without TLS"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_push = {
	.name = "push",
	.summary = "send entries to a registry of container images",
	.operands = "oci://REGISTRY/NAME:TAG",
	.details =
		"Sends what 'oclcache export' packs, as an OCI image of one\n"
		"layer. It uses skopeo or oras, whichever is installed; use\n"
		"that tool to log in. 'oclcache pull' imports the image, and\n"
		"a system that can mount images can use it as a read-only\n"
		"store (OCLCACHE_READONLY_DIRS). \"oci:DIR\" writes the image\n"
		"to a new directory, which takes neither tool.",
	.options = options,
	.run = run,
};
