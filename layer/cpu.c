/* SPDX-License-Identifier: MIT */
#include "layer/cpu.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

static void append(struct occ_buffer *identity, unsigned value)
{
	unsigned char bytes[4];

	occ_put_u32(bytes, value);
	occ_buffer_append(identity, bytes, sizeof(bytes));
}

/* One leaf, registers masked by what may differ between cores. */
static void append_leaf(struct occ_buffer *identity, unsigned leaf,
			unsigned subleaf, unsigned ebx_mask, unsigned edx_mask)
{
	unsigned a = 0, b = 0, c = 0, d = 0;

	__get_cpuid_count(leaf, subleaf, &a, &b, &c, &d);
	append(identity, leaf);
	append(identity, a);
	append(identity, b & ebx_mask);
	append(identity, c);
	append(identity, d & edx_mask);
}

static void append_xcr0(struct occ_buffer *identity)
{
	unsigned a = 0, b = 0, c = 0, d = 0;
	unsigned low = 0, high = 0;

	/* Leaf 1 ecx bit 27: the system uses xsave, xgetbv may be used. */
	if (__get_cpuid(1, &a, &b, &c, &d) && c & 1u << 27)
		__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	append(identity, low);
	append(identity, high);
}

void occ_cpu_identity(struct occ_buffer *identity)
{
	append_leaf(identity, 0, 0, ~0u, ~0u);
	/* ebx has the APIC id and counts of cores: left out. */
	append_leaf(identity, 1, 0, 0, ~0u);
	/* edx bit 15: this machine has cores of different kinds. */
	append_leaf(identity, 7, 0, ~0u, ~0u);
	append_leaf(identity, 7, 1, ~0u, ~0u);
	append_leaf(identity, 0xd, 1, 0, ~0u);
	append_leaf(identity, 0x19, 0, ~0u, ~0u);
	append_leaf(identity, 0x24, 0, ~0u, ~0u);
	append_leaf(identity, 0x80000001, 0, 0, ~0u);
	append_xcr0(identity);
}

#else

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

/* Lines of /proc/cpuinfo that name the kind of core, on any architecture. */
static const char *const lines[] = {
	"CPU implementer", "CPU architecture", "CPU variant",
	"CPU part",	   "CPU revision",     "Features",
	"cpu\t",	   "revision",	       "isa",
	"uarch",	   "machine",	       "features",
};

static void append_line(struct occ_buffer *identity, const char *line)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strncmp(line, lines[i], strlen(lines[i])))
			occ_buffer_append(identity, line, strlen(line));
}

/* All cores, in their order: a machine of mixed cores has one identity. */
void occ_cpu_identity(struct occ_buffer *identity)
{
	unsigned long capabilities[2] = {getauxval(AT_HWCAP),
					 getauxval(AT_HWCAP2)};
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[1024];

	occ_buffer_append(identity, capabilities, sizeof(capabilities));
	if (!file) {
		/* Unknown CPU: the caller must not cache. */
		identity->failed = true;
		return;
	}
	while (fgets(line, sizeof(line), file))
		append_line(identity, line);
	fclose(file);
}

#endif
