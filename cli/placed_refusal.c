/* SPDX-License-Identifier: MIT */
#include "cli/placed_refusal.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hash/scan.h"

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool is_below(const char *path, const char *directory, size_t length)
{
	while (length > 1 && directory[length - 1] == '/')
		length--;
	return !strncmp(path, directory, length) &&
	       (!path[length] || path[length] == '/');
}

/* Of the system: directories, and what their names begin with. */
static bool is_of_system(const char *path)
{
	static const char *const directories[] = {
		"/etc",	     "/bin",
		"/sbin",     "/boot",
		"/run",	     "/usr/bin",
		"/usr/sbin", "/usr/local/etc",
		"/proc",     "/dev",
		"/sys",	     "/usr/local/bin",
		"/var/run",  "/usr/local/sbin",
	};
	static const char *const beginnings[] = {
		"/lib", /* and /lib64, /libx32, /libexec */
		"/usr/libexec",
		"/usr/local/libexec",
	};

	for (size_t i = 0; i < COUNT(directories); i++)
		if (is_below(path, directories[i], strlen(directories[i])))
			return true;
	for (size_t i = 0; i < COUNT(beginnings); i++)
		if (!strncmp(path, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

/*
 * In a directory where loaders of libraries, of OpenCL's and Vulkan's drivers,
 * or a shell look by a variable?
 */
static bool is_looked_in(const char *path)
{
	static const char *const variables[] = {
		"LD_LIBRARY_PATH",    "LIBRARY_PATH",	   "PATH",
		"OCL_ICD_VENDORS",    "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH",
		"OPENCL_LAYERS",      "OPENCL_LAYER_PATH", "VK_DRIVER_FILES",
		"VK_ICD_FILENAMES",   "VK_LAYER_PATH",	   "COMPILER_PATH",
		"LIBGL_DRIVERS_PATH",
	};

	for (size_t i = 0; i < COUNT(variables); i++) {
		const char *list = getenv(variables[i]);

		while (list && *list) {
			size_t size = strcspn(list, ":");

			if (*list == '/' && size > 1 &&
			    is_below(path, list, size))
				return true;
			list += size + (list[size] == ':');
		}
	}
	return false;
}

/*
 * Settings and lists of libraries have other names: .icd, .conf, .cfg, .config,
 * .json, .xml, .pth, .so.
 */
static bool is_called_source(const char *path)
{
	static const char *const endings[] = {
		"c",   "cc",  "cl",  "clc", "clcpp", "clh", "clinc", "cpp",
		"cu",  "cuh", "cxx", "def", "h",     "hh",  "hpp",   "hxx",
		"inc", "inl", "ipp", "ocl", "tcc",   "tpp",
	};
	const char *name = strrchr(path, '/');
	const char *ending;

	name = name ? name + 1 : path;
	/* A directory that is passed through. */
	if (!strcmp(name, "."))
		return true;
	ending = strrchr(name, '.');
	for (size_t i = 0; ending && i < COUNT(endings); i++)
		if (!strcasecmp(ending + 1, endings[i]))
			return true;
	return false;
}

const char *occ_placed_path_refusal(const char *path)
{
	if (*path == '/' && is_of_system(path))
		return "the path of an included file is in a system directory";
	if (*path == '/' && is_looked_in(path))
		return "the path of an included file is where loaders look for "
		       "libraries";
	if (!is_called_source(path))
		return "a missing included file isn't named like a source";
	return NULL;
}

bool occ_placed_path_has_libraries(const char *directory)
{
	DIR *list = opendir(directory);
	const struct dirent *entry;
	bool has = false;

	while (list && !has && (entry = readdir(list))) {
		const char *ending = strstr(entry->d_name, ".so");

		has = ending && (!ending[3] || ending[3] == '.');
	}
	if (list)
		closedir(list);
	return has;
}

static bool begins(struct occ_span bytes, const char *magic, size_t size)
{
	return bytes.size >= size && !memcmp(bytes.data, magic, size);
}

const char *occ_placed_content_refusal(struct occ_span bytes)
{
	static const char *const magics[] = {
		"\177ELF", "!<arch>", "!<thin>", "BC\300\336", /* LLVM's code */
		"CPCH", /* its compiled headers */
		"gpch", /* and GCC's */
		"#!",
	};
	static const char refusal[] =
		"the contents of a missing included file are not a source";
	struct occ_scan *scan;
	bool certain;

	if (!bytes.size)
		return NULL;
	for (size_t i = 0; i < COUNT(magics); i++)
		if (begins(bytes, magics[i], strlen(magics[i])))
			return refusal;
	if (memchr(bytes.data, '\0', bytes.size))
		return refusal;
	scan = occ_scan_make((const char *)bytes.data, bytes.size);
	certain = scan && !(scan->traits & OCC_SCAN_UNCERTAIN);
	occ_scan_release(scan);
	return certain ? NULL : refusal;
}
