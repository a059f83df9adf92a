/* SPDX-License-Identifier: MIT */
/*
 * oclcache prewarm: each file, with each of the options, for each device
 * (cli/build_items.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/entry.h"
#include "cache/file.h"
#include "cli/build_items.h"
#include "cli/build_request.h"
#include "cli/build_setup.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/store_path.h"
#include "cli/text.h"

struct source {
	const char *name;
	void *bytes;
	size_t size;
};

/* What an item is. */
struct combination {
	const struct source *source;
	const char *options; /* NULL: none, as the call has it */
	char *name;
};

struct prewarm {
	const struct occ_arguments *arguments;
	struct occ_build_setup setup;
	struct source *sources;
	size_t source_count;
	struct combination *combinations; /* of each item */
	struct occ_worker_place here;
	struct occ_build_items items;
};

static bool read_source(const char *name, struct source *source)
{
	int file = occ_file_open_path(name);
	struct stat status;
	ssize_t got = -1;

	source->name = name;
	if (file >= 0 && !occ_file_status(file, &status)) {
		errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
		if (S_ISREG(status.st_mode) &&
		    (uint64_t)status.st_size <= OCC_ENTRY_SIZE_MAX) {
			source->size = (size_t)status.st_size;
			source->bytes =
				occ_message_must(calloc(1, source->size + 1));
			got = occ_file_read(file, 0, source->bytes,
					    source->size);
		}
	}
	if (got != (ssize_t)source->size)
		occ_message_error("can't read %s: %s", name,
				  strerror(got < 0 ? errno : EIO));
	if (file >= 0)
		occ_file_close(file);
	return got >= 0 && got == (ssize_t)source->size;
}

static void add_items(struct prewarm *prewarm, const struct source *source,
		      const char *options)
{
	for (size_t i = 0; i < prewarm->setup.survey.count; i++) {
		size_t number = prewarm->items.count;
		struct occ_build_item *item = &prewarm->items.items[number];
		struct combination *combination =
			&prewarm->combinations[number];

		if (!prewarm->setup.wanted[i])
			continue;
		*combination = (struct combination){
			.source = source,
			.options = options,
			.name = occ_text("%s%s%s", source->name,
					 options && *options ? " " : "",
					 options ? options : "")};
		occ_build_setup_item(&prewarm->setup, i, item);
		item->name = combination->name;
		prewarm->items.count++;
	}
}

/* Of occ_build_items. */
static bool write_request(size_t index, struct occ_buffer *request, void *data)
{
	const struct prewarm *prewarm = data;
	const struct combination *combination = &prewarm->combinations[index];
	const struct source *source = combination->source;

	occ_record_append_number(request, OCC_REQUEST_DEVICE,
				 prewarm->items.items[index].device_number);
	occ_field_append(request, OCC_REQUEST_KERNELS, NULL, 0);
	occ_field_append(request, OCC_REQUEST_STEP, "build", strlen("build"));
	if (occ_text_ends_with(source->name, ".spv")) {
		occ_field_append(request, OCC_BUILD_IL, source->bytes,
				 source->size);
	} else {
		occ_field_append(request, OCC_BUILD_SOURCE, source->bytes,
				 source->size);
		occ_record_append_number(request, OCC_BUILD_SOURCE_LENGTHS,
					 source->size);
	}
	if (combination->options)
		occ_field_append(request, OCC_BUILD_OPTIONS,
				 combination->options,
				 strlen(combination->options));
	return true;
}

static void make_items(struct prewarm *prewarm)
{
	const struct occ_arguments *arguments = prewarm->arguments;
	size_t sets = arguments->given_count + 1, most;

	most = prewarm->source_count * sets * prewarm->setup.survey.count;
	prewarm->combinations =
		occ_message_must(calloc(most, sizeof(*prewarm->combinations)));
	prewarm->items.items =
		occ_message_must(calloc(most, sizeof(*prewarm->items.items)));
	for (size_t i = 0; i < prewarm->source_count; i++) {
		const struct source *source = &prewarm->sources[i];
		size_t position = 0;
		const char *options;

		if (!occ_arguments_has(arguments, "options"))
			add_items(prewarm, source, NULL);
		while ((options = occ_arguments_next(arguments, "options",
						     &position)))
			add_items(prewarm, source, options);
	}
}

static int summarise(const struct prewarm *prewarm)
{
	const size_t *counts = prewarm->items.counts;
	size_t bad =
		counts[OCC_OUTCOME_FAILED] + counts[OCC_OUTCOME_NOT_STORED];

	if (!prewarm->items.quiet)
		printf("%zu stored, %zu already there, %zu failed, %zu not "
		       "stored\n",
		       counts[OCC_OUTCOME_STORED], counts[OCC_OUTCOME_THERE],
		       counts[OCC_OUTCOME_FAILED],
		       counts[OCC_OUTCOME_NOT_STORED]);
	return bad ? OCC_EXIT_FAILED : OCC_EXIT_OK;
}

static void release(struct prewarm *prewarm)
{
	for (size_t i = 0; i < prewarm->items.count; i++)
		free(prewarm->combinations[i].name);
	free(prewarm->combinations);
	occ_build_items_release(&prewarm->items);
	for (size_t i = 0; i < prewarm->source_count; i++)
		free(prewarm->sources[i].bytes);
	free(prewarm->sources);
	occ_build_setup_end(&prewarm->setup);
}

static bool begin(struct prewarm *prewarm)
{
	const struct occ_arguments *arguments = prewarm->arguments;

	prewarm->source_count = arguments->operand_count;
	prewarm->sources = occ_message_must(
		calloc(prewarm->source_count, sizeof(*prewarm->sources)));
	for (size_t i = 0; i < prewarm->source_count; i++)
		if (!read_source(arguments->operands[i], &prewarm->sources[i]))
			return false;
	if (!occ_build_setup_begin(&prewarm->setup))
		return false;
	make_items(prewarm);
	occ_build_setup_items(&prewarm->setup, &prewarm->items);
	prewarm->items.places = &prewarm->here;
	prewarm->items.write = write_request;
	prewarm->items.data = prewarm;
	return true;
}

static int run(const struct occ_arguments *arguments)
{
	struct prewarm prewarm = {
		.arguments = arguments,
		.setup.arguments = arguments,
		.items = {.quiet = occ_arguments_has(arguments, "quiet"),
			  .is_trusted = true,
			  .keeps_priority = true,
			  .limit = OCC_CHILD_LIMIT_BUILD},
	};
	int status = OCC_EXIT_FAILED;

	if (!arguments->operand_count) {
		occ_message_error("prewarm: name the files with the sources; "
				  "see 'oclcache prewarm --help'");
		return OCC_EXIT_USAGE;
	}
	if (!occ_build_setup_jobs(arguments, &prewarm.items.jobs))
		return OCC_EXIT_USAGE;
	if (begin(&prewarm)) {
		occ_build_items_run(&prewarm.items);
		if (!occ_child_interrupted()) {
			status = summarise(&prewarm);
			if (!occ_build_setup_upgrade(&prewarm.setup,
						     &prewarm.items))
				status = OCC_EXIT_FAILED;
		}
	}
	release(&prewarm);
	occ_child_pass_interrupt();
	return status;
}

static const struct occ_option options[] = {
	{"options", 'o', "OPTIONS",
	 "build options; may be repeated: each file with each"},
	OCC_BUILD_SETUP_DEVICE,
	OCC_BUILD_SETUP_JOBS,
	OCC_STORE_PATH_OPTION,
	OCC_BUILD_SETUP_NO_UPGRADE,
	{"quiet", 'q', NULL, "print only failures"},
	{NULL},
};

const struct occ_command occ_command_prewarm = {
	.name = "prewarm",
	.summary = "compile sources into the store",
	.operands = "FILE...",
	.details = "Compiles each file with each of the --options on each "
		   "device, so that programs\n"
		   "that build the same thing find it in the store. A file "
		   "named *.spv is SPIR-V.\n"
		   "Includes are looked for as they are for a program started "
		   "here.\n"
		   "\n"
		   "\"The same thing\" means the bytes of the file as one "
		   "string, and the options byte\n"
		   "for byte. Without --options they are NULL; --options '' "
		   "gives empty options,\n"
		   "which PoCL treats differently. A program that changes its "
		   "source before it\n"
		   "builds it, or gives it in several strings, builds "
		   "something else: run it once\n"
		   "with OCLCACHE_STORE=eager instead. Do the same on PoCL if "
		   "the first launch\n"
		   "matters: PoCL compiles more at a kernel's first launch, "
		   "and prewarm creates\n"
		   "kernels but doesn't launch them.",
	.options = options,
	.run = run,
};
