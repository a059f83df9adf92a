/* SPDX-License-Identifier: MIT */
#include "layer/driver/library.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "cache/mutex.h"
#include "hash/buffer.h"
#include "layer/base/lock.h"
#include "layer/driver/fingerprint.h"

/* Where something lies in the bytes that are taken. */
struct part {
	size_t at;
	size_t size;
};

struct raw {
	struct part path, name, needed, id;
};

struct taking {
	struct raw *list;
	size_t count;
	size_t capacity;
	struct occ_buffer bytes;
	uintptr_t address;
	size_t owner; /* SIZE_MAX: not met yet */
	unsigned long long unloads;
	size_t skip; /* so many more */
	bool failed;
};

static bool contains(const struct dl_phdr_info *info, uintptr_t address)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && address >= from &&
		    address - from < segment->p_memsz)
			return true;
	}
	return false;
}

static const ElfW(Dyn) * dynamic_of(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return (const ElfW(Dyn) *)(info->dlpi_addr +
						   info->dlpi_phdr[i].p_vaddr);
	return NULL;
}

/*
 * glibc relocates the entry in place, but not the kernel's own object's, which
 * may be linked for an address far above the one that it has (Linux before 3.15
 * on x86-64, user-mode Linux).
 */
static const char *strings_of(const struct dl_phdr_info *info,
			      const ElfW(Dyn) * dynamic)
{
	while (dynamic->d_tag != DT_STRTAB)
		if (dynamic++->d_tag == DT_NULL)
			return NULL;
	if (contains(info, dynamic->d_un.d_ptr))
		return (const char *)dynamic->d_un.d_ptr;
	if (contains(info, info->dlpi_addr + dynamic->d_un.d_ptr))
		return (const char *)(info->dlpi_addr + dynamic->d_un.d_ptr);
	return NULL;
}

static struct part append(struct occ_buffer *bytes, const void *data,
			  size_t size)
{
	struct part part = {bytes->size, size};

	occ_buffer_append(bytes, data, size);
	return part;
}

static const char *last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void read_dynamic(const struct dl_phdr_info *info, struct raw *raw,
			 struct occ_buffer *bytes)
{
	const ElfW(Dyn) *dynamic = dynamic_of(info);
	const char *strings = dynamic ? strings_of(info, dynamic) : NULL;
	const char *name = NULL;

	raw->needed.at = bytes->size;
	for (; strings && dynamic->d_tag != DT_NULL; dynamic++) {
		const char *string = strings + dynamic->d_un.d_val;

		if (dynamic->d_tag == DT_SONAME && !name)
			name = string;
		else if (dynamic->d_tag == DT_NEEDED)
			occ_buffer_append(bytes, string, strlen(string) + 1);
	}
	raw->needed.size = bytes->size - raw->needed.at;
	if (!name)
		name = last_of(info->dlpi_name ? info->dlpi_name : "");
	raw->name = append(bytes, name, strlen(name) + 1);
}

static void read_id(const struct dl_phdr_info *info, struct raw *raw,
		    struct occ_buffer *bytes)
{
	const unsigned char *id = NULL;
	size_t size = 0;

	for (int i = 0; i < info->dlpi_phnum && !id; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		/* Other notes are aligned to 8; build-ids never are. */
		if (segment->p_type == PT_NOTE && segment->p_align <= 4)
			id = occ_fingerprint_id(
				(const unsigned char *)(info->dlpi_addr +
							segment->p_vaddr),
				segment->p_memsz, &size);
	}
	raw->id = append(bytes, id, id ? size : 0);
}

static bool grow(struct taking *taking)
{
	size_t capacity = taking->capacity ? taking->capacity * 2 : 64;
	struct raw *list;

	if (taking->count < taking->capacity)
		return true;
	list = realloc(taking->list, capacity * sizeof(*list));
	if (!list)
		return false;
	taking->list = list;
	taking->capacity = capacity;
	return true;
}

static int take_one(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *path = info->dlpi_name ? info->dlpi_name : "";
	struct taking *taking = data;
	struct raw *raw;

	(void)size;
	taking->unloads = info->dlpi_subs;
	if (taking->skip) {
		taking->skip--;
		return 0;
	}
	if (!grow(taking)) {
		taking->failed = true;
		return 1;
	}
	raw = &taking->list[taking->count];
	raw->path = append(&taking->bytes, path, strlen(path) + 1);
	read_dynamic(info, raw, &taking->bytes);
	read_id(info, raw, &taking->bytes);
	if (taking->owner == SIZE_MAX && contains(info, taking->address))
		taking->owner = taking->count;
	taking->count++;
	return 0;
}

static struct occ_library library_of(const struct raw *raw,
				     const unsigned char *bytes)
{
	struct occ_library library = {
		.path = (const char *)bytes + raw->path.at,
		.name = (const char *)bytes + raw->name.at,
		.needed = {bytes + raw->needed.at, raw->needed.size},
		.id = {bytes + raw->id.at, raw->id.size},
	};

	library.file = last_of(library.path);
	return library;
}

/* The bytes have come to rest: whatever points to them can. */
static bool settle(struct taking *taking, struct occ_libraries *libraries)
{
	libraries->bytes = taking->bytes;
	libraries->unloads = taking->unloads;
	libraries->list =
		calloc(taking->count + (size_t)1, sizeof(*libraries->list));
	if (!libraries->list || libraries->bytes.failed || taking->failed)
		return false;
	libraries->count = taking->count;
	for (size_t i = 0; i < taking->count; i++)
		libraries->list[i] =
			library_of(&taking->list[i], libraries->bytes.data);
	if (taking->owner != SIZE_MAX)
		libraries->owner = &libraries->list[taking->owner];
	return true;
}

/*
 * Under the lock, which fork() takes: a child that is made while the dynamic
 * linker's lock is another thread's could load nothing any more. Nor one that a
 * signal's handler makes here: the linker's lock would stay with a thread of
 * another number.
 */
static void walk(int (*visit)(struct dl_phdr_info *info, size_t size,
			      void *data),
		 void *data)
{
	struct occ_undisturbed before;

	occ_undisturbed_begin(&before);
	occ_lock();
	dl_iterate_phdr(visit, data);
	occ_unlock();
	occ_undisturbed_end(&before);
}

static struct occ_libraries *take_all(struct taking *taking)
{
	struct occ_libraries *libraries = calloc(1, sizeof(*libraries));

	if (!libraries)
		return NULL;
	walk(take_one, taking);
	if (!settle(taking, libraries)) {
		occ_libraries_release(libraries);
		libraries = NULL;
	}
	free(taking->list);
	return libraries;
}

/* The linker appends what it loads. */
struct occ_libraries *occ_libraries_newer(const struct occ_libraries *than)
{
	struct taking taking = {.bytes = OCC_BUFFER_INIT,
				.owner = SIZE_MAX,
				.skip = than->count};
	struct occ_libraries *newer = take_all(&taking);

	if (newer && taking.unloads == than->unloads)
		return newer;
	occ_libraries_release(newer);
	return NULL;
}

static int count_changes(struct dl_phdr_info *info, size_t size, void *data)
{
	unsigned long long *changes = data;

	(void)size;
	*changes = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

unsigned long long occ_libraries_changes(void)
{
	unsigned long long changes = 0;

	walk(count_changes, &changes);
	return changes;
}

void occ_libraries_release(struct occ_libraries *libraries)
{
	if (!libraries)
		return;
	occ_buffer_release(&libraries->missing);
	occ_buffer_release(&libraries->bytes);
	free(libraries->list);
	free(libraries);
}

static int list_one(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *path = info->dlpi_name ? info->dlpi_name : "";

	(void)size;
	occ_buffer_append(data, path, strlen(path) + 1);
	return 0;
}

void occ_libraries_list(struct occ_buffer *paths)
{
	walk(list_one, paths);
}

struct occ_library *occ_libraries_find(const struct occ_libraries *libraries,
				       const char *name)
{
	for (size_t i = 0; i < libraries->count; i++) {
		struct occ_library *library = &libraries->list[i];

		if (!strcmp(library->file, name) ||
		    !strcmp(library->name, name) ||
		    !strcmp(library->path, name))
			return library;
	}
	return NULL;
}

/* One step of choose(): those that a chosen one needs. */
static bool choose_needed(struct occ_libraries *libraries,
			  struct occ_library *library)
{
	const char *name = (const char *)library->needed.data;
	const char *end = name + library->needed.size;
	bool more = false;

	library->searched = true;
	for (; name < end; name += strlen(name) + 1) {
		struct occ_library *needed =
			occ_libraries_find(libraries, name);

		if (!needed) {
			occ_buffer_append(&libraries->missing, name,
					  strlen(name) + 1);
		} else if (!needed->chosen) {
			needed->chosen = true;
			more = true;
		}
	}
	return more;
}

/* A library and all that it needs, and what that needs in turn. */
static void choose(struct occ_libraries *libraries, struct occ_library *library)
{
	bool more = !library->chosen;

	library->chosen = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < libraries->count; i++)
			if (libraries->list[i].chosen &&
			    !libraries->list[i].searched)
				more |= choose_needed(libraries,
						      &libraries->list[i]);
	}
}

struct occ_libraries *occ_libraries_take(const void *address)
{
	struct taking taking = {.bytes = OCC_BUFFER_INIT,
				.address = (uintptr_t)address,
				.owner = SIZE_MAX};
	struct occ_libraries *libraries = take_all(&taking);

	if (libraries && libraries->owner) {
		choose(libraries, libraries->owner);
		return libraries;
	}
	occ_libraries_release(libraries);
	return NULL;
}

void occ_libraries_add(const struct occ_libraries *libraries,
		       struct occ_driver_components *components)
{
	const char *name = (const char *)libraries->missing.data;
	const char *end = name + libraries->missing.size;

	for (size_t i = 0; i < libraries->count; i++) {
		const struct occ_library *library = &libraries->list[i];

		if (library->chosen && library->id.size)
			occ_driver_components_add_id(components, library->name,
						     library->id);
	}
	for (; name < end; name += strlen(name) + 1)
		occ_driver_components_add_absent(components, name);
	components->failed |= libraries->missing.failed;
}
