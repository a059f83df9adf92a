/* SPDX-License-Identifier: MIT */
#include "layer/driver/cpu.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>
#include <pthread.h>
#include <stdbool.h>

/* glibc's from 2.33 on. */
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define HAS_LEAVES 1
#else
#define HAS_LEAVES 0
#endif

static void append(struct occ_buffer *identity, unsigned value)
{
	unsigned char bytes[4];

	occ_put_u32(bytes, value);
	occ_buffer_append(identity, bytes, sizeof(bytes));
}

struct registers {
	unsigned a, b, c, d;
};

static struct registers ask(unsigned leaf, unsigned subleaf)
{
	struct registers r;

	__cpuid_count(leaf, subleaf, r.a, r.b, r.c, r.d);
	return r;
}

/*
 * In virtual machines each question takes 5 us. The dynamic linker has asked
 * them all when the process began, at least on these vendors' CPUs.
 */
#if HAS_LEAVES
static bool has_leaves(const struct registers *basic)
{
	return (basic->b == signature_INTEL_ebx &&
		basic->c == signature_INTEL_ecx &&
		basic->d == signature_INTEL_edx) ||
	       (basic->b == signature_AMD_ebx &&
		basic->c == signature_AMD_ecx && basic->d == signature_AMD_edx);
}

static struct registers leaf_of(unsigned index)
{
	const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(index);

	return (struct registers){leaf->cpuid_array[0], leaf->cpuid_array[1],
				  leaf->cpuid_array[2], leaf->cpuid_array[3]};
}
#endif

static void append_registers(struct occ_buffer *identity, unsigned leaf,
			     const struct registers *r)
{
	append(identity, leaf);
	append(identity, r->a);
	append(identity, r->b);
	append(identity, r->c);
	append(identity, r->d);
}

/* What is asked for; zeros where the CPU has nothing. */
struct leaves {
	struct registers basic;	   /* 0 */
	struct registers features; /* 1 */
	struct registers more[2];  /* 7, subleaves 0 and 1 */
	struct registers vectors;  /* 0x24: AVX10's version and lengths */
	struct registers extended; /* 0x80000001: every x86-64 has it */
	/*
	 * Single registers that compilers look at: ways to save registers,
	 * tracing, key locker, and AMD's clzero and wbnoinvd. Other parts of
	 * these leaves are sizes, or numbers of cores.
	 */
	unsigned others[4]; /* 0xd.1 a, 0x14 b, 0x19 b, 0x80000008 b */
};

static void ask_cpu(struct leaves *leaves)
{
	unsigned highest = leaves->basic.a;

	leaves->features = ask(1, 0);
	if (highest >= 7)
		leaves->more[0] = ask(7, 0);
	/* a: the highest subleaf. */
	if (leaves->more[0].a >= 1)
		leaves->more[1] = ask(7, 1);
	leaves->extended = ask(0x80000001, 0);
	leaves->others[0] = highest >= 0xd ? ask(0xd, 1).a : 0;
	leaves->others[1] = highest >= 0x14 ? ask(0x14, 0).b : 0;
	leaves->others[2] = highest >= 0x19 ? ask(0x19, 0).b : 0;
	if (ask(0x80000000, 0).a >= 0x80000008)
		leaves->others[3] = ask(0x80000008, 0).b;
}

/* What the CPU answered. */
static struct leaves all;

static void ask_all(void)
{
	all.basic = ask(0, 0);
	if (all.basic.a >= 0x24)
		all.vectors = ask(0x24, 0);
#if HAS_LEAVES
	if (has_leaves(&all.basic)) {
		all.features = leaf_of(CPUID_INDEX_1);
		all.more[0] = leaf_of(CPUID_INDEX_7);
		all.more[1] = leaf_of(CPUID_INDEX_7_ECX_1);
		all.extended = leaf_of(CPUID_INDEX_80000001);
		all.others[0] = leaf_of(CPUID_INDEX_D_ECX_1).a;
		all.others[1] = leaf_of(CPUID_INDEX_14_ECX_0).b;
		all.others[2] = leaf_of(CPUID_INDEX_19).b;
		all.others[3] = leaf_of(CPUID_INDEX_80000008).b;
		return;
	}
#endif
	ask_cpu(&all);
}

void occ_cpu_ask(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, ask_all);
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
	struct leaves leaves;

	occ_cpu_ask();
	leaves = all;
	append_registers(identity, 0, &leaves.basic);
	/* The APIC id and counts of cores. */
	leaves.features.b = leaves.extended.b = 0;
	append_registers(identity, 1, &leaves.features);
	append_xcr0(identity, leaves.features.c);
	if (leaves.basic.a >= 7) {
		append_registers(identity, 7, &leaves.more[0]);
		if (leaves.more[0].a >= 1)
			append_registers(identity, 7, &leaves.more[1]);
	}
	if (leaves.basic.a >= 0x24)
		append_registers(identity, 0x24, &leaves.vectors);
	append_registers(identity, 0x80000001, &leaves.extended);
	for (int i = 0; i < 4; i++)
		append(identity, leaves.others[i]);
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

void occ_cpu_ask(void)
{
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
