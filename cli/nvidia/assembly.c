/* SPDX-License-Identifier: MIT */
#include "cli/nvidia/assembly.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "cache/entry.h"
#include "cli/child.h"
#include "cli/message.h"
#include "cli/nvidia/computecache.h"
#include "cli/scratch.h"
#include "cli/text.h"

/* s by the clock, for who gets OCC_CHILD_LIMIT of the processor's. */
#define PATIENCE 300

/* What a child is given. */
struct task {
	const struct occ_assembly *assembly;
	const char *own_cache; /* a directory; NULL: off */
	struct occ_span bytes;
	unsigned limit; /* s of the processor's time */
};

/*
 * Variables, tables, local memory, a function that isn't inlined, and one that
 * tells null pointers from local variables at their beginning.
 */
static const char probe_source[] =
	"constant uint table[4] = {3, 1, 4, 15};\n"
	"__attribute__((noinline)) uint mix(uint x, uint n)\n"
	"{ for (uint i = 0; i < n; i++) x = x * 1664525u + 1013904223u;\n"
	"  return x; }\n"
	"kernel void probe(global uint *out, global const uint *in, uint n)\n"
	"{ local uint shared[64];\n"
	"  size_t l = get_local_id(0), g = get_global_id(0);\n"
	"  local uint *null = 0;\n"
	"  shared[l] = in[g] ^ table[l & 3];\n"
	"  barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  out[g] = mix(shared[63 - l], n) + (&shared[0] == null ? 1 : 0) +\n"
	"           (uint)(in[g] / 3.0f > 1e9f); }\n";

static int say(const char *word, const char *error)
{
	occ_child_say(word);
	occ_child_say(error);
	return 0;
}

/* Maybe of the program, not of what is around it. */
static int say_refusal(const char *refusal)
{
	return say(occ_driver_is_refusal() ? "refusal" : "error", refusal);
}

/*
 * A child has the lowest priority: its time on a busy machine says nothing.
 * Who gave us less meant it.
 */
static void limit_time(unsigned seconds)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CPU, &limit) || limit.rlim_cur <= seconds)
		return;
	limit.rlim_cur = seconds;
	setrlimit(RLIMIT_CPU, &limit);
}

/* Makes a context on the device. False: it was said why not. */
static bool open_device(const struct task *task, const char *own_cache)
{
	const struct occ_assembly *assembly = task->assembly;
	const char *error, *word = "absent";

	limit_time(task->limit);
	occ_driver_prepare(own_cache, assembly->variables);
	error = occ_driver_find(&assembly->device);
	if (!error) {
		error = occ_driver_open();
		word = "error";
	}
	if (error)
		say(word, error);
	return !error;
}

static int load_program(void *data)
{
	const struct task *task = data;
	const struct occ_assembly *assembly = task->assembly;
	struct occ_buffer text = OCC_BUFFER_INIT;
	const char *error;

	if (!open_device(task, task->own_cache))
		return 0;
	error = occ_driver_load(task->bytes, assembly->options);
	if (error)
		return say_refusal(error);
	error = occ_driver_describe(&text);
	if (!error && assembly->kernel)
		error = occ_driver_run(assembly->kernel, &text);
	occ_buffer_append(&text, "", 1);
	if (!error && text.failed)
		error = "there is not enough memory";
	if (error)
		return say("error", error);
	occ_child_say("good");
	occ_child_say_number(occ_driver_capability());
	occ_child_say((const char *)text.data);
	return 0;
}

static bool fail(struct occ_assembly *assembly, const char *reason,
		 enum occ_assembly_fault fault)
{
	free(assembly->reason);
	assembly->reason = occ_message_must(strdup(reason));
	assembly->fault = fault;
	return false;
}

/* What a driver's error does to its process; the rest comes from outside. */
static bool is_crash(const struct occ_child *child)
{
	static const int signals[] = {SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGBUS};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (child->how == OCC_CHILD_SIGNALLED &&
		    child->status == signals[i])
			return true;
	return false;
}

/* What the child said after "good": the capability, and the text. */
static bool hear(struct occ_assembly *assembly, struct occ_child *child,
		 uint32_t *ret_capability, const char **ret_text)
{
	const char *word, *number;

	if (child->how != OCC_CHILD_EXITED || child->status) {
		free(assembly->reason);
		assembly->reason = occ_child_reason(child);
		assembly->fault = is_crash(child) ? OCC_ASSEMBLY_FINAL
						  : OCC_ASSEMBLY_PASSING;
		return false;
	}
	word = occ_child_next(child);
	number = occ_child_next(child);
	if (!word || !number)
		return fail(assembly, "the process returned no result",
			    OCC_ASSEMBLY_PASSING);
	if (!strcmp(word, "absent"))
		return fail(assembly, number, OCC_ASSEMBLY_ABSENT);
	if (!strcmp(word, "refusal"))
		return fail(assembly, number, OCC_ASSEMBLY_FINAL);
	if (strcmp(word, "good") != 0)
		return fail(assembly, number, OCC_ASSEMBLY_PASSING);
	*ret_capability = (uint32_t)strtoul(number, NULL, 10);
	*ret_text = occ_child_next(child);
	if (*ret_text && **ret_text)
		return true;
	return fail(assembly, "the process returned no result",
		    OCC_ASSEMBLY_PASSING);
}

/* The driver compiles the PTX; what it says is kept. */
static bool assemble(struct occ_assembly *assembly, const char *own_cache,
		     uint32_t *ret_capability)
{
	unsigned limit =
		assembly->limit ? assembly->limit : OCC_CHILD_LIMIT_BUILD;
	struct task task = {assembly, own_cache, assembly->binary, limit};
	struct occ_child child;
	const char *text;
	bool good;

	occ_child_run(&child, load_program, &task, limit);
	good = hear(assembly, &child, ret_capability, &text);
	if (good)
		occ_buffer_append(&assembly->said, text, strlen(text) + 1);
	occ_child_release(&child);
	return good;
}

/* The same is said of the program when it is loaded from the code. */
static bool verify(struct occ_assembly *assembly, struct occ_span code,
		   uint32_t capability)
{
	struct task task = {assembly, NULL, code, OCC_CHILD_LIMIT};
	struct occ_child child;
	const char *text;
	uint32_t other;
	bool good;

	occ_child_run(&child, load_program, &task, PATIENCE);
	good = hear(assembly, &child, &other, &text);
	if (good && (other != capability ||
		     strcmp(text, (const char *)assembly->said.data) != 0))
		good = fail(assembly, "its device code gives different answers",
			    OCC_ASSEMBLY_FINAL);
	occ_child_release(&child);
	return good;
}

bool occ_assembly_make(struct occ_assembly *assembly)
{
	char *own_cache = occ_text("%s/own-cache", assembly->scratch);
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	struct occ_code code = {.maker = OCC_CODE_MAKER};
	bool good;

	/* Of each program a new one: whose code it is would else be a guess. */
	occ_scratch_remove(strdup(own_cache));
	mkdir(own_cache, 0700);
	good = assemble(assembly, own_cache, &code.capability);
	/* Maybe there was no room for it. */
	if (good && !occ_computecache_find(own_cache, assembly->binary, &bytes))
		good = fail(assembly, "the driver stored no device code for it",
			    OCC_ASSEMBLY_PASSING);
	code.bytes = occ_buffer_span(&bytes);
	good = good && verify(assembly, code.bytes, code.capability);
	if (good)
		occ_code_append(&code, &assembly->section);
	if (good && assembly->section.failed)
		good = fail(assembly, "there is not enough memory",
			    OCC_ASSEMBLY_PASSING);
	occ_buffer_release(&bytes);
	occ_scratch_remove(own_cache);
	return good;
}

void occ_assembly_release(struct occ_assembly *assembly)
{
	occ_buffer_release(&assembly->section);
	occ_buffer_release(&assembly->said);
	free(assembly->reason);
	assembly->reason = NULL;
}

/* ---- the probe ---- */

/* Writes the binary to a file: what children say has no NULs. */
static int compile_probe(void *data)
{
	const struct task *task = data;
	struct occ_buffer binary = OCC_BUFFER_INIT;
	const char *error;
	bool written;
	FILE *file;

	if (!open_device(task, NULL))
		return 0;
	error = occ_driver_compile(probe_source, "", &binary);
	if (error)
		return say_refusal(error);
	file = fopen(task->own_cache, "wb");
	written = file &&
		  fwrite(binary.data, 1, binary.size, file) == binary.size;
	if (file && fclose(file))
		written = false;
	if (!written)
		return say("error", "can't write the probe");
	occ_child_say("good");
	occ_child_say_number(occ_driver_capability());
	occ_child_say("compiled");
	return 0;
}

static uint32_t mix(uint32_t x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}

/* The line that occ_driver_run() must give. */
static void expect(char line[256 * 8 + 2])
{
	static const uint32_t table[4] = {3, 1, 4, 15};

	for (uint32_t g = 0; g < 256; g++) {
		uint32_t l = 63 - g % 64, in = (g - g % 64 + l) * 2654435761u;
		uint32_t own = g * 2654435761u;
		uint32_t out =
			mix(in ^ table[l & 3], 5) + ((float)own / 3.0f > 1e9f);

		snprintf(line + 8 * (size_t)g, 9, "%08x", out);
	}
	memcpy(line + 8 * (size_t)256, "\n", 2);
}

static bool read_probe(struct occ_assembly *assembly, const char *path,
		       struct occ_buffer *ret_bytes)
{
	static unsigned char part[4096];
	struct task task = {assembly, path, {NULL, 0}, OCC_CHILD_LIMIT};
	struct occ_child child;
	uint32_t capability;
	const char *text;
	size_t size;
	FILE *file;
	bool good;

	occ_child_run(&child, compile_probe, &task, PATIENCE);
	good = hear(assembly, &child, &capability, &text);
	occ_child_release(&child);
	file = good ? fopen(path, "rb") : NULL;
	if (!file)
		return good && fail(assembly, "can't read the probe",
				    OCC_ASSEMBLY_PASSING);
	while ((size = fread(part, 1, sizeof(part), file)) > 0)
		occ_buffer_append(ret_bytes, part, size);
	fclose(file);
	return true;
}

char *occ_assembly_probe(const struct occ_driver_device *device,
			 const char *scratch,
			 enum occ_assembly_fault *ret_fault)
{
	struct occ_assembly assembly = {.device = *device,
					.options = "",
					.scratch = scratch,
					.kernel = "probe"};
	char *path = occ_text("%s/probe", scratch);
	struct occ_buffer binary = OCC_BUFFER_INIT;
	char expected[256 * 8 + 2];
	char *reason;

	expect(expected);
	if (read_probe(&assembly, path, &binary)) {
		assembly.binary = occ_buffer_span(&binary);
		if (occ_assembly_make(&assembly) &&
		    !strstr((const char *)assembly.said.data, expected))
			fail(&assembly, "the probe's results are wrong",
			     OCC_ASSEMBLY_FINAL);
	}
	*ret_fault = assembly.fault;
	reason = assembly.reason;
	assembly.reason = NULL;
	occ_assembly_release(&assembly);
	occ_buffer_release(&binary);
	free(path);
	return reason;
}
