/* SPDX-License-Identifier: MIT */
#include "layer/object/kernels_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/dispatch.h"
#include "layer/base/lock.h"

struct occ_kernel_ahead {
	struct occ_kernel_ahead *next;
	cl_kernel kernel;
	char name[];
};

void occ_kernels_ahead_make(struct occ_pooled *pooled, const char *name)
{
	size_t size = strlen(name) + 1;
	struct occ_kernel_ahead *made = malloc(sizeof(*made) + size);

	if (!made)
		return;
	made->kernel = occ_target.clCreateKernel(pooled->program, name, NULL);
	if (!made->kernel) {
		free(made);
		return;
	}
	memcpy(made->name, name, size);
	made->next = pooled->kernels_ahead;
	pooled->kernels_ahead = made;
}

cl_kernel occ_kernels_ahead_take_locked(struct occ_pooled *pooled,
					const char *name)
{
	struct occ_kernel_ahead **at = &pooled->kernels_ahead, *found;
	cl_kernel kernel;

	occ_assert_locked();
	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	found = *at;
	if (!found)
		return NULL;
	*at = found->next;
	kernel = found->kernel;
	free(found);
	return kernel;
}

cl_uint occ_kernels_ahead_count_locked(const struct occ_pooled *pooled)
{
	cl_uint count = 0;

	occ_assert_locked();
	for (const struct occ_kernel_ahead *at = pooled->kernels_ahead; at;
	     at = at->next)
		count++;
	return count;
}

static struct occ_kernel_ahead *take_all(struct occ_pooled *pooled)
{
	struct occ_kernel_ahead *all;

	occ_lock();
	all = pooled->kernels_ahead;
	pooled->kernels_ahead = NULL;
	occ_unlock();
	return all;
}

static void release_all(struct occ_kernel_ahead *all, bool by_driver)
{
	while (all) {
		struct occ_kernel_ahead *next = all->next;

		if (by_driver)
			occ_target.clReleaseKernel(all->kernel);
		free(all);
		all = next;
	}
}

void occ_kernels_ahead_drop(struct occ_pooled *pooled)
{
	release_all(take_all(pooled), true);
}

void occ_kernels_ahead_forget(struct occ_pooled *pooled)
{
	release_all(pooled->kernels_ahead, false);
	pooled->kernels_ahead = NULL;
}
