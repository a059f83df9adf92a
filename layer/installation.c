/* SPDX-License-Identifier: MIT */
#include "layer/installation.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/log.h"

enum kind {
	OBJECTS, /* shared objects, each by itself */
	FILES,	 /* other files, each by itself */
	GROUP,	 /* files, as one part */
	PROGRAM, /* found through PATH */
	HERE,	 /* in the current folder, if it is there */
};

struct rule {
	const char *platform;
	enum kind kind;
	/* Looked for beside the libraries whose file names begin so. */
	const char *library;
	/* For glob(3), from the library's folder; or an absolute path. */
	const char *pattern;
	/*
	 * One of the platform's rules that say so must find something, if the
	 * libraries are there.
	 */
	bool required;
};

static const char pocl[] = "Portable Computing Language";
static const char intel[] = "Intel(R) OpenCL";
static const char nvidia[] = "NVIDIA CUDA";
static const char rusticl[] = "rusticl";
static const char oclgrind[] = "Oclgrind";
static const char neo[] = "Intel(R) OpenCL Graphics";

static const struct rule rules[] = {
	{pocl, OBJECTS, "libpocl", "pocl/libpocl-devices-*.so", false},
	{pocl, FILES, "libpocl", "../../share/pocl/kernel-*.bc", true},
	{pocl, FILES, "libpocl", "../share/pocl/kernel-*.bc", true},
	{pocl, GROUP, "libpocl", "../../share/pocl/include/*.h", false},
	{pocl, GROUP, "libpocl", "../share/pocl/include/*.h", false},
	/* It links each work-group function. */
	{pocl, PROGRAM, NULL, "ld", false},
	{pocl, OBJECTS, "libpocl", "libbfd-*.so", false},
	{pocl, FILES, "libpocl", "/usr/lib/gcc/*/*/libgcc.a", false},

	{intel, FILES, "libintelocl", "clbltfn*.rtl", true},
	{intel, FILES, "libintelocl", "../clbltfn*.rtl", false},
	{intel, FILES, "libintelocl", "cllibrary*", false},
	{intel, OBJECTS, "libintelocl", "libocl_svml_*.so", false},
	{intel, FILES, "libintelocl", "cl.cfg", false},
	{intel, HERE, NULL, "cl.cfg", false},

	{nvidia, OBJECTS, "libnvidia-opencl", "libnvidia-nvvm.so.4", true},
	{nvidia, OBJECTS, "libnvidia-opencl", "libnvidia-nvvm70.so.4", true},
	{nvidia, OBJECTS, "libnvidia-opencl", "libnvidia-compiler.so.*", true},
	{nvidia, OBJECTS, "libnvidia-opencl", "libnvidia-ptxjitcompiler.so.1",
	 false},
	{nvidia, OBJECTS, "libnvidia-opencl", "libnvidia-gpucomp.so.*", false},
	{nvidia, OBJECTS, "libnvidia-opencl", "libcuda.so.1", false},

	{rusticl, GROUP, "libclang-cpp", "clang/*/include/opencl-c*.h", false},
	{rusticl, GROUP, "libclang-cpp", "../lib/clang/*/include/opencl-c*.h",
	 false},
	{rusticl, FILES, "libRusticlOpenCL", "/usr/lib/clc/spirv*-mesa3d-.spv",
	 false},
	{rusticl, FILES, "libRusticlOpenCL",
	 "/usr/lib64/clc/spirv*-mesa3d-.spv", false},
	{rusticl, FILES, "libRusticlOpenCL",
	 "/usr/share/clc/spirv*-mesa3d-.spv", false},
	{rusticl, OBJECTS, "libRusticlOpenCL", "gallium-pipe/pipe_*.so", false},

	{oclgrind, GROUP, "liboclgrind", "oclgrind/*/opencl-c*", false},

	{neo, OBJECTS, "libigdrcl", "../libigdfcl.so.*", false},
	{neo, OBJECTS, "libigdrcl", "../libigc.so.*", false},
	{neo, OBJECTS, "libigdrcl", "libigdfcl.so.*", false},
	{neo, OBJECTS, "libigdrcl", "libigc.so.*", false},
};

/* The current folder when the layer was initialised; NULL: not known. */
static char *start_folder;

void occ_installation_start(void)
{
	start_folder = getcwd(NULL, 0);
}

void occ_installation_end(void)
{
	free(start_folder);
	start_folder = NULL;
}

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int by_file(const void *a, const void *b)
{
	const char *first = *(char *const *)a, *second = *(char *const *)b;
	int order = strcmp(file_of(first), file_of(second));

	return order ? order : strcmp(first, second);
}

static void add_object(const char *path, const struct occ_libraries *libraries,
		       struct occ_inventory *inventory)
{
	const char *file = file_of(path);
	const struct occ_library *loaded = occ_libraries_find(libraries, file);

	/* What is loaded may have been replaced on the disk since. */
	if (loaded && loaded->id.size)
		occ_inventory_add_id(inventory, file, loaded->id.data,
				     loaded->id.size);
	else
		occ_inventory_add_object(inventory, file, path);
}

static void add_found(const struct rule *rule, const glob_t *found,
		      const struct occ_libraries *libraries,
		      struct occ_inventory *inventory)
{
	qsort(found->gl_pathv, found->gl_pathc, sizeof(char *), by_file);
	if (rule->kind == GROUP)
		occ_inventory_add_group(inventory, rule->pattern,
					found->gl_pathv, found->gl_pathc);
	for (size_t i = 0; i < found->gl_pathc; i++) {
		const char *path = found->gl_pathv[i];

		if (rule->kind == OBJECTS)
			add_object(path, libraries, inventory);
		else if (rule->kind == FILES)
			occ_inventory_add_content(inventory, file_of(path),
						  path);
	}
}

/* A folder's name may have characters that glob() takes for others. */
static void append_escaped(struct occ_buffer *pattern, const char *folder)
{
	for (; *folder; folder++) {
		if (strchr("\\*?[", *folder))
			occ_buffer_append(pattern, "\\", 1);
		occ_buffer_append(pattern, folder, 1);
	}
}

/* Is there something? `folder` NULL: the pattern is an absolute path. */
static bool add_matches(const struct rule *rule, const char *folder,
			const struct occ_libraries *libraries,
			struct occ_inventory *inventory)
{
	struct occ_buffer pattern = OCC_BUFFER_INIT;
	glob_t found = {0};
	bool any;

	if (folder) {
		append_escaped(&pattern, folder);
		occ_buffer_append(&pattern, "/", 1);
	}
	occ_buffer_append(&pattern, rule->pattern, strlen(rule->pattern) + 1);
	if (pattern.failed) {
		inventory->failed = true;
		return false;
	}
	any = !glob((const char *)pattern.data, GLOB_NOSORT, NULL, &found);
	if (any)
		add_found(rule, &found, libraries, inventory);
	globfree(&found);
	occ_buffer_release(&pattern);
	return any;
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder, *real;

	if (!slash)
		return NULL;
	folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	real = folder ? realpath(folder, NULL) : NULL;
	free(folder);
	return real;
}

/* Drivers look beside the file that a link leads to, or beside the link. */
static bool add_beside(const struct rule *rule,
		       const struct occ_library *library,
		       const struct occ_libraries *libraries,
		       struct occ_inventory *inventory)
{
	char *real = realpath(library->path, NULL);
	char *folder = folder_of(library->path);
	char *real_folder = real ? folder_of(real) : NULL;
	bool any = false;

	if (folder)
		any = add_matches(rule, folder, libraries, inventory);
	if (real_folder && (!folder || strcmp(folder, real_folder) != 0))
		any |= add_matches(rule, real_folder, libraries, inventory);
	free(real_folder);
	free(folder);
	free(real);
	return any;
}

static bool is_meant(const struct rule *rule, const struct occ_library *library)
{
	return library->chosen && rule->library &&
	       !strncmp(library->file, rule->library, strlen(rule->library));
}

static bool has_libraries(const struct rule *rule,
			  const struct occ_libraries *libraries)
{
	for (size_t i = 0; i < libraries->count; i++)
		if (is_meant(rule, &libraries->list[i]))
			return true;
	return false;
}

static bool add_for_libraries(const struct rule *rule,
			      const struct occ_libraries *libraries,
			      struct occ_inventory *inventory)
{
	bool any = false;

	for (size_t i = 0; i < libraries->count; i++)
		if (is_meant(rule, &libraries->list[i]))
			any |= add_beside(rule, &libraries->list[i], libraries,
					  inventory);
	return any;
}

/* The first of that name in PATH that may be executed. */
static void add_program(const char *name, struct occ_inventory *inventory)
{
	const char *folder = getenv("PATH");
	char path[PATH_MAX];

	while (folder && *folder) {
		size_t length = strcspn(folder, ":");

		if (snprintf(path, sizeof(path), "%.*s/%s", (int)length, folder,
			     name) < (int)sizeof(path) &&
		    length && !access(path, X_OK)) {
			occ_inventory_add_object(inventory, name, path);
			return;
		}
		folder += length + (folder[length] == ':');
	}
	occ_inventory_add_absent(inventory, name);
}

static void add_here(const char *name, struct occ_inventory *inventory)
{
	char path[PATH_MAX];

	if (!access(name, F_OK))
		occ_inventory_add_content(inventory, name, name);
	if (start_folder &&
	    snprintf(path, sizeof(path), "%s/%s", start_folder, name) <
		    (int)sizeof(path) &&
	    !access(path, F_OK))
		occ_inventory_add_content(inventory, name, path);
}

static bool apply(const struct rule *rule,
		  const struct occ_libraries *libraries,
		  struct occ_inventory *inventory)
{
	switch (rule->kind) {
	case PROGRAM:
		add_program(rule->pattern, inventory);
		return true;
	case HERE:
		add_here(rule->pattern, inventory);
		return true;
	case OBJECTS:
	case FILES:
	case GROUP:
		break;
	}
	if (*rule->pattern == '/')
		return add_matches(rule, NULL, libraries, inventory);
	return add_for_libraries(rule, libraries, inventory);
}

void occ_installation_add(const char *platform_name,
			  const struct occ_libraries *libraries,
			  struct occ_inventory *inventory)
{
	bool required = false, found = false;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct rule *rule = &rules[i];
		bool any;

		if (strcmp(rule->platform, platform_name) != 0)
			continue;
		any = apply(rule, libraries, inventory);
		required |= rule->required && has_libraries(rule, libraries);
		found |= rule->required && any;
	}
	if (required && !found) {
		occ_log_debug("can't find what %s compiles with",
			      platform_name);
		inventory->failed = true;
	}
}

void occ_installation_add_paths(const char *paths, size_t size,
				const struct occ_libraries *libraries,
				struct occ_inventory *inventory)
{
	for (const char *path = paths; path < paths + size;
	     path += strlen(path) + 1)
		add_object(path, libraries, inventory);
}
