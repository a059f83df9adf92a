/* SPDX-License-Identifier: MIT */
#include "cli/loader.h"

#include <elf.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/file.h"
#include "cli/message.h"
#include "cli/text.h"

/* Loaders have some hundred KiB. */
#define LOADER_SIZE_MAX ((size_t)64 << 20)

/* Files that include one another must end somewhere. */
#define FILES_MAX	64

/* Searched always, behind those of /etc/ld.so.conf. */
static const char *const always[] = {
	"/lib",
	"/usr/lib",
	"/lib64",
	"/usr/lib64",
#ifdef OCC_MULTIARCH
	"/lib/" OCC_MULTIARCH,
	"/usr/lib/" OCC_MULTIARCH,
#endif
	"/lib32",
	"/usr/lib32",
	"/libx32",
	"/usr/libx32",
	"/usr/local/lib",
};

struct search {
	const char *root;
	struct occ_loaders *loaders;
	bool in_variable;
	glob_t files; /* of the configuration, to be read */
	bool any_files;
};

static bool contains(const char *bytes, size_t size, const char *text)
{
	return memmem(bytes, size, text, strlen(text));
}

static uint16_t machine_of(const char *bytes)
{
	const unsigned char *at =
		(const unsigned char *)bytes + offsetof(Elf32_Ehdr, e_machine);

	return bytes[EI_DATA] == ELFDATA2MSB ? (uint16_t)(at[0] << 8 | at[1])
					     : (uint16_t)(at[1] << 8 | at[0]);
}

/* The bytes of the machine that this command is for. */
static bool is_ours(const struct occ_loader *loader)
{
	static struct {
		bool known;
		unsigned bits;
		uint16_t machine;
	} own;

	if (!own.known) {
		char header[sizeof(Elf32_Ehdr)];
		int file = occ_file_open_path("/proc/self/exe");

		if (file < 0)
			return loader->bits == sizeof(void *) * CHAR_BIT;
		own.known = occ_file_read(file, 0, header, sizeof(header)) ==
			    (ssize_t)sizeof(header);
		own.bits = header[EI_CLASS] == ELFCLASS64 ? 64 : 32;
		own.machine = machine_of(header);
		occ_file_close(file);
	}
	return loader->bits == own.bits && loader->machine == own.machine;
}

/* False: it is no shared library. */
static bool examine(const char *bytes, size_t size, struct occ_loader *loader)
{
	bool is_khronos;

	/* gcc's sanitizer has it that they might be NULL. */
	if (!bytes || size < sizeof(Elf32_Ehdr) ||
	    memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return false;
	loader->bits = bytes[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	loader->machine = machine_of(bytes);
	loader->is_ours = is_ours(loader);
	/* Khronos' says its name, and before it did, read that variable. */
	is_khronos = contains(bytes, size, "Khronos OpenCL ICD Loader");
	if (!is_khronos && contains(bytes, size, "OCL_ICD_DEFAULT_PLATFORM"))
		loader->kind = OCC_LOADER_OCL_ICD;
	else if (is_khronos || contains(bytes, size, "OCL_ICD_FILENAMES"))
		loader->kind = OCC_LOADER_KHRONOS;
	loader->takes_layers = contains(bytes, size, "OPENCL_LAYERS");
	loader->reads_directory = contains(bytes, size, "/etc/OpenCL/layers");
	return true;
}

static bool examine_file(const char *path, struct occ_loader *loader)
{
	struct stat status;
	int file = occ_file_open_path(path);
	char *bytes = NULL;
	bool good = false;

	if (file >= 0 && !occ_file_status(file, &status) &&
	    S_ISREG(status.st_mode) &&
	    (uint64_t)status.st_size <= LOADER_SIZE_MAX) {
		size_t size = (size_t)status.st_size;

		bytes = occ_message_must(malloc(size + 1));
		good = occ_file_read(file, 0, bytes, size) == (ssize_t)size &&
		       examine(bytes, size, loader);
	}
	free(bytes);
	occ_file_close(file);
	return good;
}

static void look_in(struct search *search, const char *directory)
{
	struct occ_loaders *loaders = search->loaders;
	struct occ_loader loader = {
		.path = occ_text("%s%s/" OCC_LOADER_NAME,
				 search->in_variable ? "" : search->root,
				 directory)};
	bool is_new;

	loader.file = realpath(loader.path, NULL);
	is_new = loader.file;
	for (size_t i = 0; is_new && i < loaders->count; i++)
		is_new = strcmp(loaders->items[i].file, loader.file) != 0;
	if (!is_new || !examine_file(loader.file, &loader)) {
		free(loader.path);
		free(loader.file);
		return;
	}
	loaders->items = occ_message_must(
		realloc(loaders->items,
			(loaders->count + 1) * sizeof(*loaders->items)));
	loaders->items[loaders->count++] = loader;
}

/* An empty item is the current directory. */
static void look_in_variable(struct search *search)
{
	const char *list = getenv("LD_LIBRARY_PATH");

	if (!list || !*list)
		return;
	search->in_variable = true;
	for (;;) {
		size_t length = strcspn(list, ":;");
		char *directory = occ_message_must(strndup(list, length));

		look_in(search, *directory ? directory : ".");
		free(directory);
		if (!list[length])
			break;
		list += length + 1;
	}
	search->in_variable = false;
}

/* "include PATTERN", relative to the directory of the file that has it. */
static void include(struct search *search, const char *from,
		    const char *pattern)
{
	const char *slash = strrchr(from, '/');
	size_t directory = slash ? (size_t)(slash - from) + 1 : 0;
	char *whole;

	whole = occ_text("%.*s%s",
			 *pattern == '/' ? (int)strlen(search->root)
					 : (int)directory,
			 *pattern == '/' ? search->root : from, pattern);
	/* They are read when this file has been. */
	glob(whole, search->any_files ? GLOB_APPEND : 0, NULL, &search->files);
	search->any_files = true;
	free(whole);
}

static void take_line(struct search *search, const char *path, char *line)
{
	static const char blanks[] = " \t\r\n";
	char *word, *rest;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, blanks, &rest);
	if (!word)
		return;
	if (!strcmp(word, "include")) {
		while ((word = strtok_r(NULL, blanks, &rest)))
			include(search, path, word);
	} else if (*word == '/') {
		/* "/directory=libc5" is an old form. */
		word[strcspn(word, "=")] = '\0';
		look_in(search, word);
	}
}

static void read_configuration(struct search *search, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return;
	while (getline(&line, &size, file) >= 0)
		take_line(search, path, line);
	free(line);
	fclose(file);
}

/* The file, and those that it and they include. */
static void read_configurations(struct search *search, const char *path)
{
	read_configuration(search, path);
	for (size_t i = 0; i < search->files.gl_pathc && i < FILES_MAX; i++) {
		/* The list may move while the file is read. */
		char *next =
			occ_message_must(strdup(search->files.gl_pathv[i]));

		read_configuration(search, next);
		free(next);
	}
	if (search->any_files)
		globfree(&search->files);
}

void occ_loader_find(const char *root, struct occ_loaders *ret_loaders)
{
	struct search search = {.root = root, .loaders = ret_loaders};
	char *configuration = occ_text("%s/etc/ld.so.conf", root);

	*ret_loaders = (struct occ_loaders){.items = NULL};
	look_in_variable(&search);
	read_configurations(&search, configuration);
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		look_in(&search, always[i]);
	free(configuration);
}

void occ_loader_release(struct occ_loaders *loaders)
{
	for (size_t i = 0; i < loaders->count; i++) {
		free(loaders->items[i].path);
		free(loaders->items[i].file);
	}
	free(loaders->items);
	*loaders = (struct occ_loaders){.items = NULL};
}

const char *occ_loader_kind_name(enum occ_loader_kind kind)
{
	static const char *const names[] = {
		[OCC_LOADER_OTHER] = "a vendor's loader",
		[OCC_LOADER_OCL_ICD] = "ocl-icd",
		[OCC_LOADER_KHRONOS] = "Khronos' loader",
	};

	return names[kind];
}

const char *occ_loader_machine(const struct occ_loader *loader)
{
	switch (loader->machine) {
	case EM_X86_64:
		return loader->bits == 32 ? "x32" : "x86-64";
	case EM_386:
		return "i386";
	case EM_AARCH64:
		return "AArch64";
	case EM_ARM:
		return "ARM";
	case EM_RISCV:
		return "RISC-V";
	case EM_PPC64:
		return "POWER";
	default:
		return "another machine's";
	}
}
