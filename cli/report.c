/* SPDX-License-Identifier: MIT */
/*
 * oclcache report: a page to look at.
 */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/child.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/replace_file.h"
#include "cli/report_data.h"
#include "cli/report_page.h"
#include "cli/store_path.h"
#include "cli/text.h"

static void quote(FILE *stream, const char *directory)
{
	fputs(" --dir '", stream);
	for (; *directory; directory++)
		if (*directory == '\'')
			fputs("'\\''", stream);
		else
			putc(*directory, stream);
	putc('\'', stream);
}

/* " --dir 'DIR'", with what a shell would take apart quoted. To be freed. */
static char *make_suffix(const struct occ_arguments *arguments,
			 const char *directory)
{
	size_t size = 0;
	char *text = NULL;
	FILE *stream;

	stream = occ_message_must(open_memstream(&text, &size));
	if (occ_arguments_has(arguments, "dir"))
		quote(stream, directory);
	if (fclose(stream))
		occ_message_no_memory();
	return text;
}

/* To be freed; NULL after an error was shown, or an interrupt. */
static char *make_page(const struct occ_arguments *arguments,
		       struct occ_store *store, size_t *ret_size)
{
	bool with_stale = !occ_arguments_has(arguments, "no-stale");
	char *suffix, *page = NULL;
	struct occ_report report;

	if (occ_report_gather(store, with_stale, &report)) {
		FILE *stream =
			occ_message_must(open_memstream(&page, ret_size));

		suffix = make_suffix(arguments, report.directory);
		occ_report_page_write(stream, &report, suffix);
		free(suffix);
		if (fclose(stream))
			occ_message_no_memory();
	}
	occ_report_release(&report);
	return page;
}

/* A device or a pipe can't be replaced. */
static int write_stream(const char *path, const char *page, size_t size)
{
	FILE *stream = fopen(path, "we");
	int result = stream && fwrite(page, 1, size, stream) == size ? 0 : -1;

	if (stream && fclose(stream))
		result = -1;
	return result;
}

static bool write_page(const char *path, const char *page, size_t size)
{
	struct stat file;
	bool is_stream = !stat(path, &file) && !S_ISREG(file.st_mode);
	int result = is_stream ? write_stream(path, page, size)
			       : occ_replace_file(path, page, size);

	if (result)
		occ_message_error("%s: %s", path, strerror(errno));
	else
		occ_message_note("the report is in %s", path);
	return !result;
}

/* A directory that isn't there was mistyped. */
static bool has_directory(const char *path)
{
	char *copy = occ_message_must(strdup(path));
	struct stat status;
	bool found = !stat(dirname(copy), &status) && S_ISDIR(status.st_mode);

	free(copy);
	return found;
}

/* What can't be written is known before the drivers are asked. */
static const char *parse(const struct occ_arguments *arguments)
{
	const char *path = occ_arguments_value(arguments, "output");
	struct stat file;

	if (arguments->operand_count)
		occ_message_error(
			"report: '%s' isn't understood; name the file "
			"with --output %s",
			arguments->operands[0], arguments->operands[0]);
	else if (!path)
		occ_message_error("report: name the file to write with "
				  "--output FILE.html; - is standard output");
	else if (!stat(path, &file) && S_ISDIR(file.st_mode))
		occ_message_error("%s: this is a directory; name a file in it, "
				  "such as %s/report.html",
				  path, path);
	else if (!has_directory(path))
		occ_message_error("%s: its directory doesn't exist; create it, "
				  "or name another file",
				  path);
	else
		return path;
	return NULL;
}

static int run(const struct occ_arguments *arguments)
{
	const char *path = parse(arguments);
	struct occ_store *store;
	char *page;
	size_t size;
	bool done;

	if (!path)
		return OCC_EXIT_USAGE;
	store = occ_store_path_open(arguments, false);
	if (!store)
		return OCC_EXIT_FAILED;
	occ_child_catch_signals();
	page = make_page(arguments, store, &size);
	occ_store_close(store);
	done = page != NULL;
	/* main() says so when that fails. */
	if (done && !strcmp(path, "-"))
		fwrite(page, 1, size, stdout);
	else if (done)
		done = write_page(path, page, size);
	free(page);
	occ_child_pass_interrupt();
	return done ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static const struct occ_option options[] = {
	{"output", 'o', "FILE", "write the page to FILE; - is standard output"},
	{"no-stale", 0, NULL, "don't ask drivers which entries are stale"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_report = {
	.name = "report",
	.summary = "write a page that shows how the cache is doing",
	.details = "Writes one HTML file for a browser. It shows the store's "
		   "size by device and by\n"
		   "program, hits and time saved by day, entries that were "
		   "never hit or are stale,\n"
		   "and why builds weren't hits, with the commands that help. "
		   "The page needs no\n"
		   "network and runs no script, so you can mail or keep it. It "
		   "contains the names of\n"
		   "programs, kernels, devices and directories.\n"
		   "\n"
		   "To find stale entries, it builds a kernel of one line on "
		   "each device, which\n"
		   "takes a few seconds; --no-stale skips that.",
	.options = options,
	.run = run,
};
