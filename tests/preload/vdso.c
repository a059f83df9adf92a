/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into an application: dl_iterate_phdr() says of the kernel's own
 * object what it says where that is linked for an address far above its own:
 * with Linux before 3.15 on x86-64, in user-mode Linux.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define EXPORT	     __attribute__((visibility("default")))
#define LINKED_FOR   ((ElfW(Addr))0xffffffffff700000)
#define SEGMENTS_MAX 16
#define ENTRIES_MAX  64

typedef int (*visitor)(struct dl_phdr_info *info, size_t size, void *data);

struct visit {
	visitor visitor;
	void *data;
};

static bool is_kernels(const struct dl_phdr_info *info)
{
	return info->dlpi_name && strstr(info->dlpi_name, "vdso") &&
	       info->dlpi_phnum <= SEGMENTS_MAX;
}

/* A copy, as it would have been linked. */
static void move_dynamic(ElfW(Dyn) * copy, const ElfW(Dyn) * from)
{
	size_t i = 0;

	for (; i < ENTRIES_MAX - 1 && from[i].d_tag != DT_NULL; i++) {
		copy[i] = from[i];
		if (from[i].d_tag == DT_STRTAB || from[i].d_tag == DT_SYMTAB)
			copy[i].d_un.d_ptr += LINKED_FOR;
	}
	copy[i].d_tag = DT_NULL;
}

static int visit_one(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct visit *visit = data;
	struct dl_phdr_info moved = *info;
	ElfW(Phdr) segments[SEGMENTS_MAX];
	ElfW(Dyn) dynamic[ENTRIES_MAX];

	if (!is_kernels(info))
		return visit->visitor(info, size, visit->data);
	moved.dlpi_addr = info->dlpi_addr - LINKED_FOR;
	moved.dlpi_phdr = segments;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		segments[i] = info->dlpi_phdr[i];
		segments[i].p_vaddr += LINKED_FOR;
		if (segments[i].p_type != PT_DYNAMIC)
			continue;
		move_dynamic(dynamic, (const ElfW(Dyn) *)(moved.dlpi_addr +
							  segments[i].p_vaddr));
		segments[i].p_vaddr = (ElfW(Addr))dynamic - moved.dlpi_addr;
	}
	return visit->visitor(&moved, size, visit->data);
}

EXPORT int dl_iterate_phdr(visitor visit_it, void *data)
{
	int (*real)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
	struct visit visit = {visit_it, data};

	*(void **)&real = dlsym(RTLD_NEXT, "dl_iterate_phdr");
	return real ? real(visit_one, &visit) : 0;
}
