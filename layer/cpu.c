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

struct registers {
	unsigned a, b, c, d;
};

/* In virtual machines each takes 5 us: none is asked for twice. */
static struct registers ask(unsigned leaf, unsigned subleaf)
{
	struct registers r;

	__cpuid_count(leaf, subleaf, r.a, r.b, r.c, r.d);
	return r;
}

static void append_registers(struct occ_buffer *identity, unsigned leaf,
			     const struct registers *r)
{
	append(identity, leaf);
	append(identity, r->a);
	append(identity, r->b);
	append(identity, r->c);
	append(identity, r->d);
}

/*
 * Single registers of other leaves that compilers look at: ways to save
 * registers, tracing, key locker, and AMD's clzero and wbnoinvd. Other parts of
 * these leaves are sizes, or numbers of cores.
 */
static void append_others(struct occ_buffer *identity, unsigned basic,
			  unsigned extended)
{
	append(identity, basic >= 0xd ? ask(0xd, 1).a : 0);
	append(identity, basic >= 0x14 ? ask(0x14, 0).b : 0);
	append(identity, basic >= 0x19 ? ask(0x19, 0).b : 0);
	append(identity, extended >= 0x80000008 ? ask(0x80000008, 0).b : 0);
}

/* Leaf 1 ecx bit 27: the system uses xsave, xgetbv may be used. */
static void append_xcr0(struct occ_buffer *identity, unsigned leaf1_ecx)
{
	unsigned low = 0, high = 0;

	if (leaf1_ecx & 1u << 27)
		__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	append(identity, low);
	append(identity, high);
}

void occ_cpu_identity(struct occ_buffer *identity)
{
	struct registers basic = ask(0, 0), r, features;

	append_registers(identity, 0, &basic);
	features = ask(1, 0);
	/* The APIC id and counts of cores. */
	features.b = 0;
	append_registers(identity, 1, &features);
	append_xcr0(identity, features.c);
	if (basic.a >= 7) {
		r = ask(7, 0);
		append_registers(identity, 7, &r);
		/* eax: the highest subleaf. */
		if (r.a >= 1) {
			r = ask(7, 1);
			append_registers(identity, 7, &r);
		}
	}
	/* AVX10's version and vector lengths. */
	if (basic.a >= 0x24) {
		r = ask(0x24, 0);
		append_registers(identity, 0x24, &r);
	}
	/* Every x86-64 has it. */
	r = ask(0x80000001, 0);
	r.b = 0;
	append_registers(identity, 0x80000001, &r);
	append_others(identity, basic.a, ask(0x80000000, 0).a);
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
