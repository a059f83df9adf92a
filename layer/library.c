/* SPDX-License-Identifier: MIT */
#include "layer/library.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

struct taking {
	struct occ_libraries *libraries;
	uintptr_t address;
	size_t owner; /* SIZE_MAX: not met yet */
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

/* glibc relocates the entry in place, but not the kernel's own object's. */
static const char *strings_of(const struct dl_phdr_info *info,
			      const ElfW(Dyn) * dynamic)
{
	for (; dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_STRTAB)
			return (const char
					*)(dynamic->d_un.d_ptr < info->dlpi_addr
						   ? info->dlpi_addr +
							     dynamic->d_un.d_ptr
						   : dynamic->d_un.d_ptr);
	return NULL;
}

static void read_dynamic(const struct dl_phdr_info *info,
			 struct occ_library *library)
{
	const ElfW(Dyn) *dynamic = dynamic_of(info);
	const char *strings = dynamic ? strings_of(info, dynamic) : NULL;

	for (; strings && dynamic->d_tag != DT_NULL; dynamic++) {
		const char *string = strings + dynamic->d_un.d_val;

		if (dynamic->d_tag == DT_SONAME && !library->name)
			library->name = strdup(string);
		else if (dynamic->d_tag == DT_NEEDED)
			occ_buffer_append(&library->needed, string,
					  strlen(string) + 1);
	}
}

static void read_id(const struct dl_phdr_info *info,
		    struct occ_library *library)
{
	const unsigned char *id = NULL;
	size_t size;

	for (int i = 0; i < info->dlpi_phnum && !id; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		/* Other notes are aligned to 8; build-ids never are. */
		if (segment->p_type == PT_NOTE && segment->p_align <= 4)
			id = occ_fingerprint_id(
				(const unsigned char *)(info->dlpi_addr +
							segment->p_vaddr),
				segment->p_memsz, &size);
	}
	if (id)
		occ_buffer_append(&library->id, id, size);
}

static bool read_library(const struct dl_phdr_info *info,
			 struct occ_library *library)
{
	const char *path = info->dlpi_name ? info->dlpi_name : "";
	const char *slash = strrchr(path, '/');

	*library = (struct occ_library){.needed = OCC_BUFFER_INIT,
					.id = OCC_BUFFER_INIT};
	library->path = strdup(path);
	library->file = library->path;
	if (library->path && slash)
		library->file += slash + 1 - path;
	read_dynamic(info, library);
	read_id(info, library);
	if (!library->name)
		library->name = strdup(slash ? slash + 1 : path);
	return library->path && library->name && !library->needed.failed &&
	       !library->id.failed;
}

static int take_one(struct dl_phdr_info *info, size_t size, void *data)
{
	struct taking *taking = data;
	struct occ_libraries *libraries = taking->libraries;
	struct occ_library *list;

	(void)size;
	list = realloc(libraries->list, (libraries->count + 1) * sizeof(*list));
	if (!list) {
		taking->failed = true;
		return 1;
	}
	libraries->list = list;
	if (!read_library(info, &list[libraries->count]))
		taking->failed = true;
	if (taking->owner == SIZE_MAX && contains(info, taking->address))
		taking->owner = libraries->count;
	libraries->count++;
	return taking->failed;
}

struct occ_libraries *occ_libraries_take(const void *address)
{
	struct occ_libraries *libraries = calloc(1, sizeof(*libraries));
	struct taking taking = {libraries, (uintptr_t)address, SIZE_MAX, false};

	if (!libraries)
		return NULL;
	dl_iterate_phdr(take_one, &taking);
	if (taking.failed) {
		occ_libraries_release(libraries);
		return NULL;
	}
	if (taking.owner != SIZE_MAX)
		libraries->owner = &libraries->list[taking.owner];
	return libraries;
}

void occ_libraries_release(struct occ_libraries *libraries)
{
	if (!libraries)
		return;
	for (size_t i = 0; i < libraries->count; i++) {
		free(libraries->list[i].path);
		free(libraries->list[i].name);
		occ_buffer_release(&libraries->list[i].needed);
		occ_buffer_release(&libraries->list[i].id);
	}
	occ_buffer_release(&libraries->missing);
	free(libraries->list);
	free(libraries);
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

/* One step of occ_libraries_choose(): those that a chosen one needs. */
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

void occ_libraries_choose(struct occ_libraries *libraries,
			  struct occ_library *library)
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

void occ_libraries_add(const struct occ_libraries *libraries,
		       struct occ_inventory *inventory)
{
	const char *name = (const char *)libraries->missing.data;
	const char *end = name + libraries->missing.size;

	for (size_t i = 0; i < libraries->count; i++) {
		const struct occ_library *library = &libraries->list[i];

		if (!library->chosen)
			continue;
		if (library->id.size)
			occ_inventory_add_id(inventory, library->name,
					     library->id.data,
					     library->id.size);
		else
			occ_inventory_add_content(inventory, library->name,
						  library->path);
	}
	for (; name < end; name += strlen(name) + 1)
		occ_inventory_add_absent(inventory, name);
	inventory->failed |= libraries->missing.failed;
}
