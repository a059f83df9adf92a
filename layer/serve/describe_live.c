/* SPDX-License-Identifier: MIT */
#include "layer/serve/describe_live.h"

#include <stdlib.h>
#include <string.h>

#include "cache/driver/driver.h"
#include "cache/traits.h"
#include "layer/base/dispatch.h"
#include "layer/base/lock.h"
#include "layer/key/build_key.h"
#include "layer/object/program.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/callback.h"
#include "layer/serve/describe.h"
#include "layer/serve/sync_driver.h"

struct live {
	struct live *next;
	char *name;
	struct occ_program *program; /* pinned */
	struct occ_shadow *shadow;   /* retained */
};

static bool may_lack_description(const struct occ_kernel *kernel)
{
	const struct occ_driver *driver;

	if (!kernel->shadow || !kernel->name)
		return false;
	driver = occ_build_key_driver(kernel->shadow->build_key);
	return driver->notify == OCC_NOTIFY_OTHER &&
	       !driver->binary_keeps_kernels && !occ_callback_blocks(driver);
}

static struct live *list_live(void)
{
	struct live *list = NULL, *live;
	struct occ_kernel *kernel;

	occ_lock();
	for (kernel = occ_kernel_first_locked(); kernel;
	     kernel = kernel->hh.next) {
		if (!may_lack_description(kernel))
			continue;
		live = calloc(1, sizeof(*live));
		if (live)
			live->name = strdup(kernel->name);
		if (!live || !live->name) {
			free(live);
			break;
		}
		live->program = occ_program_pin(kernel->program);
		live->shadow = occ_shadow_retain(kernel->shadow);
		live->next = list;
		list = live;
	}
	occ_unlock();
	return list;
}

static void describe(const struct live *live)
{
	unsigned char *memory = NULL;
	struct occ_span description;
	cl_program program;
	cl_kernel kernel;

	if (occ_describe_find(live->program, live->shadow, live->name,
			      &description, &memory)) {
		free(memory);
		return;
	}
	program = occ_sync_materialise(live->shadow, "a callback may ask");
	kernel = program ? occ_target.clCreateKernel(program, live->name, NULL)
			 : NULL;
	if (!kernel)
		return;
	occ_describe_materialised(kernel, live->program, live->shadow);
	occ_target.clReleaseKernel(kernel);
}

void occ_describe_live_kernels(void)
{
	struct live *live = list_live(), *next;

	for (; live; live = next) {
		next = live->next;
		describe(live);
		occ_shadow_release(live->shadow);
		occ_program_unpin(live->program);
		free(live->name);
		free(live);
	}
}
