/* SPDX-License-Identifier: MIT */
/*
 * clvk, OpenCL on Vulkan, which wasn't to be had. Facts are from its sources.
 * Its compiler, clspv, is a program unless it was built in; nothing tells
 * which.
 */
#include "cache/driver/driver.h"

/* The compiler is started by a shell, which may expand these. */
static const char *const refused_options[] = {"$", "`", "*", "?",  "[",
					      "~", "<", ">", "&",  "|",
					      ";", "(", "{", "\n", NULL};

/* Each of its switches is a variable, and a line in a file (src/config.def). */
static const struct occ_variable variables[] = {
	{"CLVK_*", OCC_VARIABLE_KEY},
	/* Which Vulkan driver it is, and what that can. */
	{"VK_*", OCC_VARIABLE_KEY},
	/* Compilers, and options that they get; files with switches. */
	{"CLVK_CLSPV_BIN", OCC_VARIABLE_FILES},
	{"CLVK_CLSPV_OPTIONS", OCC_VARIABLE_FILES},
	{"CLVK_CLSPV_PATH", OCC_VARIABLE_FILES},
	{"CLVK_CONFIG_FILE", OCC_VARIABLE_FILES},
	{"CLVK_LLVMSPIRV_BIN", OCC_VARIABLE_FILES},
	{"CLVK_KEEP_TEMPORARIES", OCC_VARIABLE_FILES},
	/* Where temporary files are, and what the Vulkan driver makes. */
	{"CLVK_CACHE_DIR", OCC_VARIABLE_HARMLESS},
	{"CLVK_COMPILER_TEMP_DIR", OCC_VARIABLE_HARMLESS},
	/* What is printed. */
	{"CLVK_LOG*", OCC_VARIABLE_HARMLESS},
	{"CLVK_PERFETTO_*", OCC_VARIABLE_HARMLESS},
	{NULL, OCC_VARIABLE_UNKNOWN},
};

static const struct occ_component components[] = {
	/* Where they are when it is built, and may be when it is installed. */
	{"libOpenCL", "clspv", OCC_COMPONENT_OBJECTS, false},
	{"libOpenCL", "llvm-spirv", OCC_COMPONENT_OBJECTS, false},
	{"libOpenCL", "../bin/clspv", OCC_COMPONENT_OBJECTS, false},
	{"libOpenCL", "../bin/llvm-spirv", OCC_COMPONENT_OBJECTS, false},
	{"libOpenCL", "../../bin/clspv", OCC_COMPONENT_OBJECTS, false},
	{"libOpenCL", "../../bin/llvm-spirv", OCC_COMPONENT_OBJECTS, false},
	/* Switches, also other compilers. It doesn't know what "~" is. */
	{NULL, "clvk.conf", OCC_COMPONENT_REFUSED, false},
	{NULL, "~/.config/clvk.conf", OCC_COMPONENT_REFUSED, false},
	{NULL, "/etc/clvk.conf", OCC_COMPONENT_REFUSED, false},
	{NULL, "/usr/local/etc/clvk.conf", OCC_COMPONENT_REFUSED, false},
	{NULL, NULL, OCC_COMPONENT_OBJECTS, false},
};

const struct occ_driver occ_driver_clvk = {
	.name = "clvk",
	.platform_name = "clvk",
	.learnt = true,
	.from_source = true,
	.refused_options = refused_options,
	.variables = variables,
	.components = components,
};
