/* SPDX-License-Identifier: MIT */
#include "layer/installation.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdint.h>
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
	/* Looked for beside the libraries whose file names begin so. */
	const char *library;
	/* For occ_survey_match(), from its folder; or an absolute path. */
	const char *pattern;
	enum kind kind;
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

/* Of a process, as drivers have it in the names of files. */
#if SIZE_MAX > UINT32_MAX
#define BITS "64"
#else
#define BITS "32"
#endif

static const struct rule rules[] = {
	{pocl, "libpocl", "pocl/libpocl-devices-*.so", OBJECTS, false},
	{pocl, "libpocl", "../../share/pocl/kernel-*.bc", FILES, true},
	{pocl, "libpocl", "../share/pocl/kernel-*.bc", FILES, true},
	{pocl, "libpocl", "../../share/pocl/include/*.h", GROUP, false},
	{pocl, "libpocl", "../share/pocl/include/*.h", GROUP, false},
	/* It links each work-group function. */
	{pocl, NULL, "ld", PROGRAM, false},
	{pocl, "libc.so", "libbfd-*.so", OBJECTS, false},
	{pocl, "libpocl", "/usr/lib/gcc/*/*/libgcc.a", FILES, false},

	{intel, "libintelocl", "clbltfn*.rtl", FILES, true},
	{intel, "libintelocl", "../clbltfn*.rtl", FILES, false},
	{intel, "libintelocl", "cllibrary*", FILES, false},
	{intel, "libintelocl", "libocl_svml_*.so", OBJECTS, false},
	{intel, "libintelocl", "cl.cfg", FILES, false},
	{intel, NULL, "cl.cfg", HERE, false},

	{nvidia, "libnvidia-opencl", "libnvidia-nvvm.so.4", OBJECTS, true},
	{nvidia, "libnvidia-opencl", "libnvidia-nvvm70.so.4", OBJECTS, true},
	{nvidia, "libnvidia-opencl", "libnvidia-compiler.so.*", OBJECTS, true},
	{nvidia, "libnvidia-opencl", "libnvidia-ptxjitcompiler.so.1", OBJECTS,
	 false},
	{nvidia, "libnvidia-opencl", "libnvidia-gpucomp.so.*", OBJECTS, false},
	{nvidia, "libnvidia-opencl", "libcuda.so.1", OBJECTS, false},

	{rusticl, "libclang-cpp", "clang/*/include/opencl-c*.h", GROUP, false},
	{rusticl, "libclang-cpp", "../lib/clang/*/include/opencl-c*.h", GROUP,
	 false},
	{rusticl, "libRusticlOpenCL", "/usr/lib/clc/spirv*-mesa3d-.spv", FILES,
	 false},
	{rusticl, "libRusticlOpenCL", "/usr/lib64/clc/spirv*-mesa3d-.spv",
	 FILES, false},
	{rusticl, "libRusticlOpenCL", "/usr/share/clc/spirv*-mesa3d-.spv",
	 FILES, false},
	{rusticl, "libRusticlOpenCL", "gallium-pipe/pipe_*.so", OBJECTS, false},

	{oclgrind, "liboclgrind", "oclgrind/*/opencl-c*.h", GROUP, false},
	{oclgrind, "liboclgrind", "oclgrind/*/opencl-c-*-" BITS ".pch", GROUP,
	 false},

	{neo, "libigdrcl", "../libigdfcl.so.*", OBJECTS, false},
	{neo, "libigdrcl", "../libigc.so.*", OBJECTS, false},
	{neo, "libigdrcl", "libigdfcl.so.*", OBJECTS, false},
	{neo, "libigdrcl", "libigc.so.*", OBJECTS, false},
};

#define RULE_COUNT (sizeof(rules) / sizeof(rules[0]))

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

/* A library that rules mean, and where it is. */
struct place {
	const struct occ_library *library;
	char *folder;	   /* of its path; NULL: none */
	char *real_folder; /* of the file that a link leads to; NULL: none */
};

/* What a driver's parts follow from. */
struct occ_installation {
	char *platform;
	struct occ_libraries *libraries;
	struct place *places;
	size_t place_count;
	char *programs[RULE_COUNT]; /* where PATH leads to; NULL: nowhere */
	struct occ_digest premises;
};

static void add_object(const char *path, const struct occ_libraries *libraries,
		       struct occ_inventory *inventory)
{
	const char *file = file_of(path);
	const struct occ_library *loaded = occ_libraries_find(libraries, file);

	/* What is loaded may have been replaced on the disk since. */
	if (loaded && loaded->id.size)
		occ_inventory_add_id(inventory, file, loaded->id);
	else
		occ_inventory_add_object(inventory, file, path);
}

static void add_found(const struct rule *rule,
		      const struct occ_matches *matches,
		      const struct occ_libraries *libraries,
		      struct occ_inventory *inventory)
{
	qsort(matches->paths, matches->count, sizeof(char *), by_file);
	if (rule->kind == GROUP)
		occ_inventory_add_group(inventory, rule->pattern,
					matches->paths, matches->count);
	for (size_t i = 0; i < matches->count; i++) {
		const char *path = matches->paths[i];

		if (rule->kind == OBJECTS)
			add_object(path, libraries, inventory);
		else if (rule->kind == FILES)
			occ_inventory_add_content(inventory, file_of(path),
						  path);
	}
}

/* Is there something? */
static bool add_matches(const struct rule *rule, const char *folder,
			const struct occ_libraries *libraries,
			struct occ_inventory *inventory)
{
	struct occ_matches found;
	bool any;

	occ_survey_match(&inventory->survey, folder, rule->pattern, &found);
	inventory->failed |= found.failed;
	any = found.count && !found.failed;
	if (any)
		add_found(rule, &found, libraries, inventory);
	occ_matches_release(&found);
	return any;
}

/* The folder part of a path; NULL: none. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return NULL;
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Links to links beyond this are left to realpath(). */
#define LINKS_MAX 8

/* Goes one step along a link within its folder; 0: that was no link. */
static int step(char path[PATH_MAX])
{
	char link[PATH_MAX];
	ssize_t size = readlink(path, link, sizeof(link) - 1);
	char *file = (char *)file_of(path);

	if (size < 0)
		return errno == EINVAL ? 0 : -1;
	link[size] = '\0';
	if (strchr(link, '/') || file + size >= path + PATH_MAX)
		return -1;
	memcpy(file, link, (size_t)size + 1);
	return 1;
}

/* The file that a link leads to in another folder; NULL: it's in this one. */
static char *follow(const char *path)
{
	char at[PATH_MAX];
	int result = -1;

	if (snprintf(at, sizeof(at), "%s", path) < (int)sizeof(at))
		for (int i = 0; i < LINKS_MAX; i++) {
			result = step(at);
			if (result <= 0)
				break;
		}
	return result ? realpath(path, NULL) : NULL;
}

/* Drivers look beside the file that a link leads to, or beside the link. */
static void locate(struct place *place)
{
	const char *path = place->library->path;
	char *real = follow(path);

	place->folder = folder_of(path);
	place->real_folder = real ? folder_of(real) : NULL;
	free(real);
}

static bool is_meant(const struct rule *rule, const struct occ_library *library)
{
	return library->chosen && rule->library &&
	       !strncmp(library->file, rule->library, strlen(rule->library));
}

static bool is_of(const struct rule *rule,
		  const struct occ_installation *installation)
{
	return !strcmp(rule->platform, installation->platform);
}

static bool is_meant_by_any(const struct occ_installation *installation,
			    const struct occ_library *library)
{
	for (size_t i = 0; i < RULE_COUNT; i++)
		if (is_of(&rules[i], installation) &&
		    is_meant(&rules[i], library))
			return true;
	return false;
}

static bool find_places(struct occ_installation *installation)
{
	const struct occ_libraries *libraries = installation->libraries;

	installation->places =
		calloc(libraries->count + (size_t)1, sizeof(struct place));
	if (!installation->places)
		return false;
	for (size_t i = 0; i < libraries->count; i++) {
		const struct occ_library *library = &libraries->list[i];
		struct place *place;

		if (!library->chosen || !is_meant_by_any(installation, library))
			continue;
		place = &installation->places[installation->place_count++];
		place->library = library;
		locate(place);
	}
	return true;
}

static bool has_libraries(const struct rule *rule,
			  const struct occ_installation *installation)
{
	for (size_t i = 0; i < installation->place_count; i++)
		if (is_meant(rule, installation->places[i].library))
			return true;
	return false;
}

static bool add_beside(const struct rule *rule, const struct place *place,
		       const struct occ_installation *installation,
		       struct occ_inventory *inventory)
{
	const char *folder = place->folder, *real = place->real_folder;
	bool any = false;

	if (folder)
		any = add_matches(rule, folder, installation->libraries,
				  inventory);
	if (real && (!folder || strcmp(folder, real) != 0))
		any |= add_matches(rule, real, installation->libraries,
				   inventory);
	return any;
}

static bool add_for_libraries(const struct rule *rule,
			      const struct occ_installation *installation,
			      struct occ_inventory *inventory)
{
	bool any = false;

	for (size_t i = 0; i < installation->place_count; i++)
		if (is_meant(rule, installation->places[i].library))
			any |= add_beside(rule, &installation->places[i],
					  installation, inventory);
	return any;
}

/* The first of that name in the folders that may be executed. */
static bool find_program(const char *name, const char *folder,
			 char ret_path[PATH_MAX])
{
	while (folder && *folder) {
		size_t length = strcspn(folder, ":");

		if (snprintf(ret_path, PATH_MAX, "%.*s/%s", (int)length, folder,
			     name) < PATH_MAX &&
		    length && !access(ret_path, X_OK))
			return true;
		folder += length + (folder[length] == ':');
	}
	*ret_path = '\0';
	return false;
}

static void find_programs(struct occ_installation *installation,
			  const char *search_path)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < RULE_COUNT; i++)
		if (rules[i].kind == PROGRAM &&
		    is_of(&rules[i], installation) &&
		    find_program(rules[i].pattern, search_path, path))
			installation->programs[i] = strdup(path);
}

static void add_program(const struct rule *rule,
			const struct occ_installation *installation,
			struct occ_inventory *inventory)
{
	const char *path = installation->programs[rule - rules];

	if (path)
		occ_inventory_add_object(inventory, rule->pattern, path);
	else
		occ_inventory_add_absent(inventory, rule->pattern);
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

/* Every process has current folders of its own: never remembered. */
void occ_installation_add_here(const struct occ_installation *installation,
			       struct occ_inventory *inventory)
{
	for (size_t i = 0; i < RULE_COUNT; i++)
		if (rules[i].kind == HERE && is_of(&rules[i], installation))
			add_here(rules[i].pattern, inventory);
}

bool occ_installation_is_here(const struct occ_installation *installation)
{
	struct occ_inventory inventory = OCC_INVENTORY_INIT;
	bool is_here;

	occ_installation_add_here(installation, &inventory);
	is_here = inventory.parts.size || inventory.failed;
	occ_inventory_release(&inventory);
	return is_here;
}

static bool apply(const struct rule *rule,
		  const struct occ_installation *installation,
		  struct occ_inventory *inventory)
{
	switch (rule->kind) {
	case PROGRAM:
		add_program(rule, installation, inventory);
		return true;
	case HERE:
		return true;
	case OBJECTS:
	case FILES:
	case GROUP:
		break;
	}
	if (*rule->pattern == '/')
		return add_matches(rule, "", installation->libraries,
				   inventory);
	return add_for_libraries(rule, installation, inventory);
}

static void apply_all(const struct occ_installation *installation,
		      struct occ_inventory *inventory)
{
	bool required = false, found = false;

	for (size_t i = 0; i < RULE_COUNT; i++) {
		const struct rule *rule = &rules[i];
		bool any;

		if (!is_of(rule, installation))
			continue;
		any = apply(rule, installation, inventory);
		required |= rule->required && has_libraries(rule, installation);
		found |= rule->required && any;
	}
	if (required && !found) {
		occ_log_debug("can't find what %s compiles with",
			      installation->platform);
		inventory->failed = true;
	}
}

/* Libraries of which the file is all that can be told, and that it is there. */
static void add_contents(const struct occ_libraries *libraries,
			 struct occ_inventory *inventory)
{
	for (size_t i = 0; i < libraries->count; i++) {
		const struct occ_library *library = &libraries->list[i];

		if (library->chosen && !library->id.size &&
		    occ_inventory_add_content(inventory, library->name,
					      library->path) !=
			    OCC_FINGERPRINT_FOUND)
			inventory->failed = true;
	}
}

static void append(struct occ_buffer *text, const char *string)
{
	occ_buffer_append(text, string ? string : "",
			  string ? strlen(string) + 1 : 1);
}

/* As fnmatch(3), which takes its time. */
static bool matches(const char *pattern, const char *name)
{
	return !strncmp(pattern, name, strcspn(pattern, "*?[\\")) &&
	       !fnmatch(pattern, name, 0);
}

/* Is it one that a rule would otherwise look for on the disk? */
static bool is_object_of(const struct rule *rule,
			 const struct occ_library *library)
{
	const char *pattern = file_of(rule->pattern);

	return matches(pattern, library->file) ||
	       matches(pattern, library->name);
}

static void append_rule(struct occ_buffer *text, const struct rule *rule,
			const struct occ_installation *installation)
{
	const struct occ_libraries *libraries = installation->libraries;
	const unsigned char kind = (unsigned char)rule->kind;

	append(text, rule->library);
	append(text, rule->pattern);
	occ_buffer_append(text, &kind, sizeof(kind));
	append(text, installation->programs[rule - rules]);
	for (size_t i = 0; rule->kind == OBJECTS && i < libraries->count; i++) {
		const struct occ_library *library = &libraries->list[i];

		if (!is_object_of(rule, library))
			continue;
		append(text, library->path);
		append(text, library->name);
		occ_fingerprint_append_id(text, library->id.data,
					  library->id.size);
	}
}

static void append_libraries(struct occ_buffer *text,
			     const struct occ_installation *installation)
{
	const struct occ_libraries *libraries = installation->libraries;

	for (size_t i = 0; i < installation->place_count; i++) {
		append(text, installation->places[i].library->file);
		append(text, installation->places[i].folder);
		append(text, installation->places[i].real_folder);
	}
	append(text, "");
	for (size_t i = 0; i < libraries->count; i++) {
		const struct occ_library *library = &libraries->list[i];

		if (!library->chosen || library->id.size)
			continue;
		append(text, library->name);
		append(text, library->path);
	}
}

/*
 * All that decides which files are looked at, and what isn't looked at because
 * it is loaded. False: out of memory.
 */
static bool digest_premises(struct occ_installation *installation)
{
	struct occ_buffer text = OCC_BUFFER_INIT;
	bool done;

	append(&text, installation->platform);
	for (size_t i = 0; i < RULE_COUNT; i++)
		if (is_of(&rules[i], installation))
			append_rule(&text, &rules[i], installation);
	append_libraries(&text, installation);
	done = !text.failed;
	if (done)
		occ_digest(text.data, text.size, OCC_SEED_CONTENT,
			   &installation->premises);
	occ_buffer_release(&text);
	return done;
}

struct occ_installation *occ_installation_ask(const char *platform_name,
					      struct occ_libraries *libraries,
					      const char *search_path)
{
	struct occ_installation *installation =
		calloc(1, sizeof(*installation));

	if (!installation) {
		occ_libraries_release(libraries);
		return NULL;
	}
	installation->libraries = libraries;
	installation->platform = strdup(platform_name);
	if (installation->platform && find_places(installation)) {
		find_programs(installation, search_path);
		if (digest_premises(installation))
			return installation;
	}
	occ_installation_release(installation);
	return NULL;
}

static bool is_missing(const struct occ_libraries *libraries,
		       const struct occ_library *library)
{
	return occ_buffer_has_string(&libraries->missing, library->file) ||
	       occ_buffer_has_string(&libraries->missing, library->name) ||
	       occ_buffer_has_string(&libraries->missing, library->path);
}

static bool is_looked_for(const struct occ_installation *installation,
			  const struct occ_library *library)
{
	for (size_t i = 0; i < RULE_COUNT; i++)
		if (is_of(&rules[i], installation) &&
		    rules[i].kind == OBJECTS &&
		    is_object_of(&rules[i], library))
			return true;
	return false;
}

bool occ_installation_is_current(const struct occ_installation *installation,
				 const struct occ_inventory *inventory)
{
	const struct occ_libraries *libraries = installation->libraries;
	struct occ_libraries *newer = occ_libraries_newer(libraries);
	bool current = newer;

	for (size_t i = 0; newer && i < newer->count; i++) {
		const struct occ_library *library = &newer->list[i];

		/* Without an id its file's content counts, loaded or not. */
		if (library->id.size && is_looked_for(installation, library))
			current &=
				occ_inventory_has_id(inventory, library->file,
						     library->id);
		current &= !is_missing(libraries, library);
	}
	occ_libraries_release(newer);
	return current;
}

void occ_installation_release(struct occ_installation *installation)
{
	if (!installation)
		return;
	for (size_t i = 0; i < installation->place_count; i++) {
		free(installation->places[i].folder);
		free(installation->places[i].real_folder);
	}
	for (size_t i = 0; i < RULE_COUNT; i++)
		free(installation->programs[i]);
	free(installation->places);
	occ_libraries_release(installation->libraries);
	free(installation->platform);
	free(installation);
}

const struct occ_digest *occ_installation_premises(
	const struct occ_installation *installation)
{
	return &installation->premises;
}

const struct occ_libraries *occ_installation_libraries(
	const struct occ_installation *installation)
{
	return installation->libraries;
}

bool occ_installation_recall(const struct occ_installation *installation,
			     struct occ_inventory *inventory)
{
	return occ_inventory_recall(inventory, &installation->premises);
}

void occ_installation_read(const struct occ_installation *installation,
			   struct occ_inventory *inventory)
{
	size_t from = inventory->parts.size;

	add_contents(installation->libraries, inventory);
	apply_all(installation, inventory);
	if (inventory->survey.paths.size)
		occ_inventory_remember(inventory, &installation->premises,
				       from);
}

void occ_installation_add_paths(const char *paths, size_t size,
				const struct occ_libraries *libraries,
				struct occ_inventory *inventory)
{
	for (const char *path = paths; path < paths + size;
	     path += strlen(path) + 1)
		add_object(path, libraries, inventory);
}
