/* SPDX-License-Identifier: MIT */
#include "cli/variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

/* Those of NVIDIA's driver. */
static const char *const own[] = {"CUDA_", "NV_"};

/* Of those that the layer has in keys: other drivers', by doc/drivers.md. */
static const char *const foreign[] = {
	"AMD_COMGR_", "AMD_OCL_", "CLC_",   "CLVK_", "CL_CONFIG_", "FD_MESA_",
	"GALLIUM_",   "GALLIVM_", "GPU_",   "IGC_",  "INTEL_",	   "LLVMPIPE_",
	"LP_",	      "MESA_",	  "NEO",    "NIR_",  "OCLGRIND_",  "OCL_",
	"POCL_",      "RUSTICL_", "SPIRV_", "VC_",   "VOLCANO_",   "ZINK_",
};

static bool begins(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(name, list[i], strlen(list[i])))
			return true;
	return false;
}

/* One that ends in the span, or NULL at its end. */
static const char *next(struct occ_span variables, size_t *offset)
{
	const char *text, *end;

	if (*offset >= variables.size)
		return NULL;
	text = (const char *)variables.data + *offset;
	end = memchr(text, '\0', variables.size - *offset);
	if (!end)
		return NULL;
	*offset += (size_t)(end - text) + 1;
	return text;
}

static bool is_foreign(const char *variable)
{
	return begins(variable, foreign, sizeof(foreign) / sizeof(*foreign));
}

static bool can_be_set(const char *variable)
{
	const char *value = strchr(variable, '=');

	return value && begins(variable, own, sizeof(own) / sizeof(*own)) &&
	       !strchr(variable, '/') &&
	       !memmem(variable, (size_t)(value - variable), "INJECTION",
		       strlen("INJECTION"));
}

bool occ_variables_are_known(struct occ_span variables, char *ret_names,
			     size_t size)
{
	size_t offset = 0, at = 0;
	const char *variable;
	bool known = true;

	*ret_names = '\0';
	while ((variable = next(variables, &offset))) {
		int length = (int)strcspn(variable, "=");

		if (is_foreign(variable) || can_be_set(variable))
			continue;
		if (at < size)
			at += (size_t)snprintf(ret_names + at, size - at,
					       "%s%.*s", known ? "" : ", ",
					       length, variable);
		known = false;
	}
	return known && offset == variables.size;
}

void occ_variables_set(struct occ_span variables)
{
	const char *variable;
	size_t offset = 0;

	while ((variable = next(variables, &offset)))
		if (!is_foreign(variable) && can_be_set(variable))
			/* It is kept by putenv(). */
			putenv(occ_message_must(strdup(variable)));
}
