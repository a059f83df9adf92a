/* SPDX-License-Identifier: MIT */
#include "cli/include_cases.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/text.h"

/* Directories below one that are looked at; drivers make a handful. */
#define WALK_FILES  16

/* Loops of the program that takes long: tenths of a second with Clang. */
#define LOOPS	    60

/* The kernel's name when the file in `where` was read. */
#define FOUND(name) "#define OCLCACHE_FOUND oclcache_" name "\n"

static const char *const directories[] = {"a",	      "a/inner", "b",
					  "here",     "known",	 "known/CL",
					  "known/clc"};

static const struct {
	const char *path, *text;
} files[] = {
	{"a/x.h", FOUND("a")},
	{"b/x.h", FOUND("b")},
	{"b/y.h", FOUND("b")},
	{"here/h.h", FOUND("here")},
	{"a/inner/first.h", "#include \"second.h\"\n"},
	{"a/inner/second.h", FOUND("inner")},
	{"a/top.h", "#include \"value.h\"\n"},
};

/*
 * What compilers and drivers bring, where those of the options must be found
 * first.
 */
static const char *const known[] = {
	"stddef.h", "stdint.h", "stdbool.h", "stdarg.h",  "stdio.h",
	"stdlib.h", "string.h", "math.h",    "float.h",	  "limits.h",
	"opencl.h", "CL/cl.h",	"CL/cl.hpp", "clc/clc.h", "CL/cl_platform.h",
};

#define KNOWN (sizeof(known) / sizeof(*known))

/* '@' is the root. */
struct place {
	const char *here; /* the current directory, in the root */
	const char *options;
	const char *included; /* as written; NULL: nothing */
	const char *found;
};

static const struct place places[] = {
	{"here", "-I @/a", "\"x.h\"", "a"},
	{"here", "-I@/a", "<x.h>", "a"},
	{"here", "-I ../a", "\"x.h\"", "a"},
	{"here", "-I../b", "<x.h>", "b"},
	{"here", "-I @/a -I @/b", "<x.h>", "a"},
	{"here", "-I@/b -I@/a", "\"x.h\"", "b"},
	{"here", "-I@/a -I @/b", "<y.h>", "b"},
	{"here", "", "\"@/a/x.h\"", "a"},
	{"here", "", "\"h.h\"", "here"},
	{"here", "-I @/a", "\"h.h\"", "here"},
	/* The current directory is where it is now. */
	{"b", "", "\"x.h\"", "b"},
	{"a", "", "\"x.h\"", "a"},
	{"here", "-I @/a", "<inner/first.h>", "inner"},
	{"here", "", "\"../a/inner/first.h\"", "inner"},
	/* Known names: in options, here, and beside who includes them. */
	{"here", "-I @/known", "<all.h>", "all"},
	{"known", "", "\"quoted.h\"", "all"},
	{"here", "", "\"../known/quoted.h\"", "all"},
	/* Without being asked to. */
	{"known", "-I @/known", NULL, "FOUND"},
};

static char *path_of(const struct occ_include_cases *cases, const char *name)
{
	return occ_text("%s/%s", cases->root, name);
}

static bool write_file(const struct occ_include_cases *cases, const char *name,
		       const char *text)
{
	char *path = path_of(cases, name);
	FILE *file = fopen(path, "we");
	bool written = file && fputs(text, file) >= 0;

	if (file && fclose(file))
		written = false;
	free(path);
	return written;
}

/*
 * Each says that those before it were read, and the last one that all were; or
 * else that nobody had asked for it.
 */
static bool write_known(const struct occ_include_cases *cases)
{
	char *angled = occ_text("#define OCLCACHE_0\n");
	char *quoted = occ_text("#define OCLCACHE_0\n");
	bool written = true;

	for (size_t i = 0; i < KNOWN; i++) {
		char *name = occ_text("known/%s", known[i]);
		char *text =
			occ_text("#ifdef OCLCACHE_%zu\n"
				 "#define OCLCACHE_%zu\n%s#else\n"
				 "#define OCLCACHE_FOUND oclcache_unasked\n"
				 "#endif\n",
				 i, i + 1, i + 1 == KNOWN ? FOUND("all") : "");
		char *more = occ_text("%s#include <%s>\n", angled, known[i]);

		free(angled);
		angled = more;
		more = occ_text("%s#include \"%s\"\n", quoted, known[i]);
		free(quoted);
		quoted = more;
		written &= write_file(cases, name, text);
		free(text);
		free(name);
	}
	written &= write_file(cases, "known/all.h", angled) &&
		   write_file(cases, "known/quoted.h", quoted);
	free(angled);
	free(quoted);
	return written;
}

bool occ_include_cases_write(const struct occ_include_cases *cases)
{
	bool written = true;

	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories);
	     i++) {
		char *path = path_of(cases, directories[i]);

		written &= !mkdir(path, 0700) || errno == EEXIST;
		free(path);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		written &= write_file(cases, files[i].path, files[i].text);
	return written && write_known(cases);
}

/* With the root in the place of each '@'. */
static char *with_root(const struct occ_include_cases *cases, const char *text)
{
	char *result = occ_message_must(strdup("")), *more;

	for (size_t length; *text; text += length + (text[length] == '@')) {
		length = strcspn(text, "@");
		more = occ_text("%s%.*s%s", result, (int)length, text,
				text[length] ? cases->root : "");
		free(result);
		result = more;
	}
	return result;
}

/*
 * The kernel's name without "oclcache_", which is FOUND when no file says
 * another; NULL: it doesn't build.
 */
static const char *build(struct occ_include_cases *cases, const char *source,
			 const char *options)
{
	static const char start[] = "oclcache_";
	struct occ_opencl_build build = {
		.device = cases->device,
		.source = source,
		.size = strlen(source),
		.options = options,
		.context = &cases->context,
	};

	occ_opencl_build(&build);
	if (!build.built)
		return NULL;
	return build.kernel && !strncasecmp(build.kernel, start,
					    sizeof(start) - 1)
		       ? build.kernel + sizeof(start) - 1
		       : "";
}

static char *source_of(const struct occ_include_cases *cases,
		       const char *included, const char *body)
{
	char *name = with_root(cases, included ? included : "");
	char *source = occ_text("%s%s\n__kernel void OCLCACHE_FOUND("
				"__global uint *%s)\n{\n%s\t%s[0] += 1u;\n}\n",
				included ? "#include " : "", name, cases->name,
				body, cases->name);

	free(name);
	return source;
}

/* `found` NULL: it must not build. */
static bool is_right(struct occ_include_cases *cases, const char *options,
		     const char *included, const char *body, const char *found)
{
	char *source = source_of(cases, included, body);
	char *all = with_root(cases, options);
	const char *got = build(cases, source, all);

	free(all);
	free(source);
	return found ? got && !strcmp(got, found) : !got;
}

static bool go_to(const struct occ_include_cases *cases, const char *name)
{
	char *path = path_of(cases, name);
	bool there = !chdir(path);

	free(path);
	return there;
}

const char *occ_include_cases_places(struct occ_include_cases *cases)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const struct place *place = &places[i];

		if (!go_to(cases, place->here) ||
		    !is_right(cases, place->options, place->included, "",
			      place->found))
			return place->included ? place->included
					       : "what nobody asked for";
	}
	return occ_include_cases_planted(cases);
}

/* Something to do for a compiler. */
static char *long_body(const struct occ_include_cases *cases)
{
	char *body = NULL;
	size_t size;
	FILE *stream = occ_message_must(open_memstream(&body, &size));

	for (unsigned i = 0; i < LOOPS; i++)
		fprintf(stream,
			"\tfor (uint i = 0; i < %s[%u]; i++)\n"
			"\t\t%s[i + %uu] = %s[i] * %uu ^ (%s[i + %uu] >> %u);"
			"\n",
			cases->name, i, cases->name, i * 7 % 31, cases->name,
			i * 2654435761u, cases->name, i % 13, i % 29);
	if (fclose(stream))
		occ_message_no_memory();
	return body;
}

/*
 * Some caches are left alone where options name directories, others look at
 * the files that the source itself includes.
 */
static const struct place changing[] = {
	{"here", "-I @/a", "<top.h>", NULL},
	{"a", "", "\"top.h\"", NULL},
	{"here", "", "\"@/a/top.h\"", NULL},
};

const char *occ_include_cases_change(struct occ_include_cases *cases,
				     int number)
{
	/* As many bytes each time. */
	char *text = occ_text(FOUND("%02d"), number);
	char *wanted = occ_text("%02d", number);
	char *body = long_body(cases);
	bool right = write_file(cases, "a/value.h", text);

	for (size_t i = 0; i < sizeof(changing) / sizeof(*changing); i++)
		right = right && go_to(cases, changing[i].here) &&
			is_right(cases, changing[i].options,
				 changing[i].included, body, wanted);
	free(body);
	free(wanted);
	free(text);
	return right ? NULL : "a file that has changed";
}

static char *planted_path(const struct occ_include_cases *cases,
			  const char *directory)
{
	return occ_text("%s/%s.h", directory, cases->name);
}

/* nftw() has no argument for its function. */
static const struct occ_include_cases *planting;

static int plant(const char *directory, const struct stat *status, int type,
		 struct FTW *walk)
{
	char *path;
	int file;

	(void)status;
	(void)walk;
	if (type != FTW_D)
		return 0;
	path = planted_path(planting, directory);
	file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file >= 0) {
		static const char text[] = FOUND("planted");

		if (write(file, text, sizeof(text) - 1) < 0)
			unlink(path);
		close(file);
	}
	free(path);
	return 0;
}

void occ_include_cases_plant(const struct occ_include_cases *cases,
			     const char *directory, bool below)
{
	planting = cases;
	if (below)
		nftw(directory, plant, WALK_FILES, FTW_PHYS);
	else
		plant(directory, NULL, FTW_D, NULL);
}

void occ_include_cases_unplant(const struct occ_include_cases *cases,
			       const char *directory)
{
	char *path = planted_path(cases, directory);

	unlink(path);
	free(path);
}

const char *occ_include_cases_planted(struct occ_include_cases *cases)
{
	static const char *const marks[][2] = {{"\"", "\""}, {"<", ">"}};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		char *included = occ_text("%s%s.h%s", marks[i][0], cases->name,
					  marks[i][1]);
		bool right = go_to(cases, "here") &&
			     is_right(cases, "-I @/a", included, "", NULL);

		free(included);
		if (!right)
			return "a file that is nowhere";
	}
	return NULL;
}
