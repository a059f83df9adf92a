/* SPDX-License-Identifier: MIT */
#include "layer/hook/control.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "cache/memory.h"
#include "layer/key/key_memo.h"
#include "layer/object/program_pool.h"

static cl_int CL_API_CALL set_capacity(size_t capacity)
{
	int saved_errno = errno;

	occ_memory_set_capacity(capacity);
	occ_pool_fit();
	occ_key_memo_fit();
	errno = saved_errno;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL get_capacity(size_t *capacity)
{
	uint64_t bytes = occ_memory_capacity();

	if (!capacity)
		return CL_INVALID_VALUE;
	*capacity = bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL clear(void)
{
	int saved_errno = errno;

	occ_memory_clear();
	occ_pool_clear();
	occ_key_memo_clear();
	errno = saved_errno;
	return CL_SUCCESS;
}

void *occ_control_function(const char *name)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} functions[] = {
		{"oclcacheSetMemoryCapacity", (void (*)(void))set_capacity},
		{"oclcacheGetMemoryCapacity", (void (*)(void))get_capacity},
		{"oclcacheClearMemory", (void (*)(void))clear},
	};

	if (!name || strncmp(name, "oclcache", strlen("oclcache")) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return (void *)(uintptr_t)functions[i].function;
	return NULL;
}
