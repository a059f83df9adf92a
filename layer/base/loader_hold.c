/* SPDX-License-Identifier: MIT */
#include "layer/base/loader_hold.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

#include "layer/base/dispatch.h"

/* What a function of occ_target is in; written at initialisation alone. */
static struct {
	char path[PATH_MAX]; /* "": a part of the program itself */
	const void *base;
} target;

static bool find_target(Dl_info *ret_info)
{
	const void *function;

	memcpy(&function, &occ_target.clGetPlatformIDs, sizeof(function));
	return dladdr(function, ret_info);
}

void occ_loader_hold_start(void)
{
	Dl_info info;
	void *library;

	memset(&target, 0, sizeof(target));
	if (!find_target(&info) || !info.dli_fname ||
	    strlen(info.dli_fname) >= sizeof(target.path))
		return;
	library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return;
	memcpy(target.path, info.dli_fname, strlen(info.dli_fname) + 1);
	target.base = info.dli_fbase;
	dlclose(library);
}

bool occ_loader_hold_take(struct occ_loader_hold *ret_hold)
{
	Dl_info info;

	ret_hold->library = NULL;
	if (!*target.path)
		return true;
	ret_hold->library = dlopen(target.path, RTLD_LAZY | RTLD_NOLOAD);
	if (!ret_hold->library)
		return false;
	/* It may have been opened again, elsewhere. */
	if (find_target(&info) && info.dli_fbase == target.base)
		return true;
	occ_loader_hold_give(ret_hold);
	return false;
}

void occ_loader_hold_give(struct occ_loader_hold *hold)
{
	if (hold->library)
		dlclose(hold->library);
	hold->library = NULL;
}
