/* SPDX-License-Identifier: MIT */
#include "tests/stub/switches.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/stub/object.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct stub_switches stub;

struct entry {
	const char *name;  /* without STUB_ */
	const char *value; /* default */
	size_t place;
	const char *choices; /* "a|b"; NULL: a number, "": a text */
};

#define TEXT(name, field, value)                                               \
	{                                                                      \
		name, value, offsetof(struct stub_switches, field), ""         \
	}
#define NUMBER(name, field, value)                                             \
	{                                                                      \
		name, value, offsetof(struct stub_switches, field), NULL       \
	}
#define CHOICE(name, field, value, choices)                                    \
	{                                                                      \
		name, value, offsetof(struct stub_switches, field), choices    \
	}

static const struct entry entries[] = {
	TEXT("PLATFORM_NAME", platform_name, "oclcache stub"),
	TEXT("DRIVER_VERSION", driver_version, "1"),
	TEXT("PLATFORM_VENDOR", platform_vendor, "oclcache"),
	TEXT("PLATFORM_VERSION", platform_version, "stub"),
	TEXT("DEVICE_NAME", device_name, ""),
	TEXT("DEVICE_VENDOR", device_vendor, "oclcache"),
	TEXT("DEVICE_VERSION", device_version, "stub"),
	TEXT("OPENCL_C_VERSION", opencl_c_version, "stub"),
	TEXT("EXTENSIONS", extensions, ""),
	TEXT("MACHINE", machine, ""),
	TEXT("VARIABLE", variable, ""),
	TEXT("LOAD", load, ""),
	TEXT("BEFORE_READING", before_reading, ""),
	TEXT("AFTER_READING", after_reading, ""),
	TEXT("COUNT_FILE", count_file, ""),
	TEXT("BINARY_KEEPS", binary_keeps, ""),
	NUMBER("PLATFORMS", platforms, "1"),
	NUMBER("DEVICES", devices, "1"),
	CHOICE("DEVICE_TYPE", device_type, "cpu", "cpu|gpu|accelerator"),
	NUMBER("VENDOR_ID", vendor_id, "22443"),
	NUMBER("TARGETED", targeted, "0"),
	CHOICE("STRINGS", strings_are_lines, "joined", "joined|lines"),
	CHOICE("SEARCH", search, "usual", "usual|flat|sources"),
	CHOICE("KEEPS", keeps, "nothing", "nothing|programs|long|asked|there"),
	NUMBER("ICD2", icd2, "0"),
	CHOICE("IL", il, "core", "core|extension|none"),
	NUMBER("COUNT_KERNELS", count_kernels, "1"),
	NUMBER("COUNT_PROGRAMS", count_programs, "1"),
	CHOICE("RELEASED_PROGRAM", released_invalid, "valid", "valid|invalid"),
	NUMBER("REUSE", reuse, "0"),
	NUMBER("STRICT", strict, "0"),
	NUMBER("RELEASE_CALLBACK", release_callback, "1"),
	NUMBER("COMPILE_MS", compile_ms, "0"),
	CHOICE("COMPILE_BY", compile_computes, "sleeping",
	       "sleeping|computing"),
	NUMBER("FAIL_BUILD", fail_build, "0"),
	CHOICE("FAILED_BUILD", failed_build_success, "error", "error|success"),
	CHOICE("BAD_OPTION", bad_option_fails, "refuse", "refuse|failure"),
	CHOICE("REBUILD_ATTACHED", rebuild_attached, "refuse", "refuse|allow"),
	CHOICE("COMPILE_ATTACHED", compile_attached, "refuse", "refuse|allow"),
	CHOICE("NOTIFY", notify, "same", "same|thread|async|builder"),
	NUMBER("ASYNC_MS", async_ms, "20"),
	NUMBER("NOTIFY_ERRORS", notify_errors, "0"),
	CHOICE("NULL_LIST", null_list_context, "program", "program|context"),
	CHOICE("ARGUMENT_INFO", argument_info_always, "asked", "asked|always"),
	CHOICE("CONSTANTS_LATER", constants_later_ignored, "heeded",
	       "heeded|ignored"),
	CHOICE("LINK_FAILURE", link_failure_program, "null", "null|program"),
	CHOICE("LINK_EXECUTABLE", link_executable, "refuse", "refuse|accept"),
	CHOICE("BINARY_ORDER", binary_reversed, "kept", "kept|reversed"),
	CHOICE("BINARY_STATUS", binary_status_first, "all", "all|first"),
	CHOICE("BINARY_ERROR", binary_error_program, "null", "null|program"),
	NUMBER("REFUSE_BINARIES", refuse_binaries, "0"),
	CHOICE("FOREIGN", foreign, "refuse", "refuse|abort|build|accept"),
	CHOICE("BAD_BYTES", bad_bytes_refused, "abort", "abort|refuse"),
	CHOICE("DEVICE_CODE", device_code, "bad",
	       "bad|load|refuse|build|kernels"),
	CHOICE("OWN_CACHE", own_cache, "none", "none|kept"),
	NUMBER("FAIL_LOAD", fail_load, "0"),
	NUMBER("LOAD_MS", load_ms, "0"),
	NUMBER("FAIL_BINARY_BUILD", fail_binary_build, "0"),
	CHOICE("REBUILD_BINARY", rebuild_binary_abort, "allow", "allow|abort"),
	CHOICE("BINARIES", binaries_lazy, "ready", "ready|lazy"),
	NUMBER("BINARIES_MS", binaries_ms, "0"),
	NUMBER("BINARIES_COMPILE", binaries_compile, "0"),
	NUMBER("FAIL_FETCH", fail_fetch, "0"),
	NUMBER("LEAKS", leaks, "0"),
	CHOICE("SHORT_ANSWER", says_needed_size, "silent", "silent|size"),
};

/* doc/drivers.md has what these say. */
static const struct preset {
	const char *as;
	const char *values; /* " NAME=VALUE ... ", platform names apart */
	const char *platform_name;
} presets[] = {
	{"intel",
	 " COUNT_KERNELS=0 COUNT_PROGRAMS=0 RELEASED_PROGRAM=invalid "
	 "FAILED_BUILD=success ARGUMENT_INFO=always RELEASE_CALLBACK=0 "
	 "CONSTANTS_LATER=ignored ",
	 "Intel(R) OpenCL"},
	{"nvidia",
	 " DEVICE_TYPE=gpu COUNT_KERNELS=0 COUNT_PROGRAMS=0 IL=none "
	 "BAD_OPTION=failure ARGUMENT_INFO=always COMPILE_ATTACHED=allow "
	 "BINARY_KEEPS=attributes,arguments SHORT_ANSWER=size ",
	 "NVIDIA CUDA"},
	{"pocl",
	 " NOTIFY_ERRORS=1 RELEASE_CALLBACK=0 REBUILD_BINARY=abort "
	 "BINARIES_COMPILE=1 BINARY_KEEPS=arguments IL=none ",
	 "Portable Computing Language"},
};

static const struct preset *chosen_preset(void)
{
	const char *as = getenv("STUB_AS");

	for (size_t i = 0; as && i < LENGTH(presets); i++)
		if (!strcmp(presets[i].as, as))
			return &presets[i];
	if (as)
		stub_die("STUB_AS=%s isn't known", as);
	return NULL;
}

/* The preset's value for `name`, which the caller frees, or NULL. */
static char *preset_value(const struct preset *preset, const char *name)
{
	size_t length = strlen(name);
	const char *at = preset->values;

	if (!strcmp(name, "PLATFORM_NAME"))
		return stub_copy(preset->platform_name,
				 strlen(preset->platform_name));
	while ((at = strchr(at, ' ')) && at[1]) {
		at++;
		if (!strncmp(at, name, length) && at[length] == '=') {
			at += length + 1;
			return stub_copy(at, strcspn(at, " "));
		}
	}
	return NULL;
}

/* The place of `value` among "a|b|c", or -1. */
static int choice_of(const char *choices, const char *value)
{
	size_t length = strlen(value);
	int number = 0;

	for (const char *at = choices; at; number++) {
		if (strcspn(at, "|") == length && !strncmp(at, value, length))
			return number;
		at = strchr(at, '|');
		if (at)
			at++;
	}
	return -1;
}

/* Is what it is set to kept as it is? */
static bool is_text(const struct entry *entry)
{
	return entry->choices && !*entry->choices;
}

static void set(const struct entry *entry, const char *value)
{
	char *place = (char *)&stub + entry->place;
	char *end = NULL;
	int number;

	if (is_text(entry)) {
		memcpy(place, &value, sizeof(value));
		return;
	}
	if (entry->choices) {
		number = choice_of(entry->choices, value);
		if (number < 0)
			stub_die("STUB_%s=%s: only %s", entry->name, value,
				 entry->choices);
	} else {
		number = (int)strtol(value, &end, 10);
		if (!*value || *end)
			stub_die("STUB_%s=%s: no number", entry->name, value);
	}
	memcpy(place, &number, sizeof(number));
}

static void set_version(void)
{
	static const char *const names[] = {"1.0", "1.1", "1.2", "2.0",
					    "2.1", "2.2", "3.0", "3.1"};
	const char *value = getenv("STUB_VERSION");

	stub.version = 30;
	for (size_t i = 0; value && i < LENGTH(names); i++)
		if (!strcmp(names[i], value)) {
			stub.version = (value[0] - '0') * 10 + value[2] - '0';
			return;
		}
	if (value)
		stub_die("STUB_VERSION=%s isn't known", value);
}

/* The environment goes before it. */
static void read_file(void)
{
	char path[4096], line[1024], *value;
	Dl_info library;
	FILE *file;

	if (!dladdr(&stub, &library))
		return;
	snprintf(path, sizeof(path), "%s.switches", library.dli_fname);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		value = strchr(line, '=');
		if (!value)
			stub_die("%s: %s: no switch", path, line);
		*value++ = '\0';
		setenv(line, value, 0);
	}
	if (file)
		fclose(file);
}

__attribute__((constructor)) static void read_switches(void)
{
	const struct preset *preset;

	read_file();
	preset = chosen_preset();

	for (size_t i = 0; i < LENGTH(entries); i++) {
		char name[64] = "STUB_";
		const char *value;
		char *given = NULL;

		strncat(name, entries[i].name, sizeof(name) - 6);
		value = getenv(name);
		if (!value && preset)
			value = given = preset_value(preset, entries[i].name);
		set(&entries[i], value ? value : entries[i].value);
		if (!is_text(&entries[i]))
			free(given);
	}
	set_version();
}

bool stub_binary_keeps(const char *word)
{
	size_t length = strlen(word);
	const char *at = stub.binary_keeps;

	while (*at) {
		size_t here = strcspn(at, ",");

		if (here == length && !strncmp(at, word, length))
			return true;
		at += here + (at[here] == ',');
	}
	return false;
}
