/* SPDX-License-Identifier: MIT */
/*
 * oclcache pull: takes the entries of an OCI image, as `import` takes those of
 * an archive: the registry is believed in nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/oci_layout.h"
#include "cli/oci_tool.h"
#include "cli/program_wait.h"
#include "cli/scratch.h"
#include "cli/store_path.h"
#include "cli/text.h"

static bool import(const char *archive, void *data)
{
	const struct occ_arguments *arguments = data;
	const char *directory = occ_arguments_value(arguments, "dir");
	const char *words[8] = {"oclcache", "import"};
	char *option = NULL;
	size_t count = 2;
	int status;

	if (occ_arguments_has(arguments, "unsigned"))
		words[count++] = "--unsigned";
	if (occ_arguments_has(arguments, "dry-run"))
		words[count++] = "--dry-run";
	if (directory)
		words[count++] = option = occ_text("--dir=%s", directory);
	words[count++] = "--";
	words[count++] = archive;
	status = occ_program_wait("/proc/self/exe", words, false);
	free(option);
	return status == OCC_EXIT_OK;
}

static bool pull(const char *place, struct occ_arguments *arguments)
{
	const char *reference = place + strlen("oci://");
	char *scratch, *layout;
	bool good;

	if (strncmp(place, "oci://", strlen("oci://")) != 0)
		return occ_oci_layout_each(place + strlen("oci:"), import,
					   arguments);
	scratch = occ_scratch_make();
	if (!scratch)
		return false;
	layout = occ_text("%s/layout", scratch);
	good = occ_oci_tool_copy(OCC_OCI_PULL, layout, reference,
				 occ_arguments_has(arguments, "plain-http")) &&
	       occ_oci_layout_each(layout, import, arguments);
	free(layout);
	occ_scratch_remove(scratch);
	return good;
}

static int run(const struct occ_arguments *arguments)
{
	struct occ_arguments taken = *arguments;

	if (!occ_oci_tool_check("pull", arguments))
		return OCC_EXIT_USAGE;
	return pull(arguments->operands[0], &taken) ? OCC_EXIT_OK
						    : OCC_EXIT_FAILED;
}

static const struct occ_option options[] = {
	{"dry-run", 'n', NULL, "verify everything, but store nothing"},
	{"unsigned", 0, NULL, "also accept unsigned entries"},
	{"plain-http", 0, NULL, "connect to the registry without TLS"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_pull = {
	.name = "pull",
	.summary = "import entries from a registry of container images",
	.operands = "oci://REGISTRY/NAME:TAG",
	.details = "Imports what 'oclcache push' has sent, or what is in the\n"
		   "directory of \"oci:DIR\". Entries are verified as by\n"
		   "'oclcache import', and must be signed by a trusted key.",
	.options = options,
	.run = run,
};
