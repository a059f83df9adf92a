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

void occ_kernels_ahead_make(cl_program program, const char *name,
			    struct occ_kernel_ahead **list)
{
	size_t size = strlen(name) + 1;
	struct occ_kernel_ahead *made = malloc(sizeof(*made) + size);

	if (!made)
		return;
	made->kernel = occ_target.clCreateKernel(program, name, NULL);
	if (!made->kernel) {
		free(made);
		return;
	}
	memcpy(made->name, name, size);
	made->next = *list;
	*list = made;
}

cl_kernel occ_kernels_ahead_take_locked(struct occ_kernel_ahead **list,
					const char *name)
{
	struct occ_kernel_ahead **at = list, *found;
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

cl_uint occ_kernels_ahead_count_locked(const struct occ_kernel_ahead *list)
{
	cl_uint count = 0;

	occ_assert_locked();
	for (; list; list = list->next)
		count++;
	return count;
}

static struct occ_kernel_ahead *take_all(struct occ_kernel_ahead **list)
{
	struct occ_kernel_ahead *all;

	occ_lock();
	all = *list;
	*list = NULL;
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

void occ_kernels_ahead_drop(struct occ_kernel_ahead **list)
{
	release_all(take_all(list), true);
}

void occ_kernels_ahead_forget(struct occ_kernel_ahead **list)
{
	release_all(*list, false);
	*list = NULL;
}
