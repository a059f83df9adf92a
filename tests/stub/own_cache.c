/* SPDX-License-Identifier: MIT */
#include "tests/stub/own_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/stub/binary.h"
#include "tests/stub/object.h"
#include "tests/stub/switches.h"

static const unsigned char elf[STUB_ELF_SIZE] = {0x7f, 'E', 'L',       'F',
						 2,    1,   [18] = 190};

bool stub_own_cache_is_elf(const unsigned char *bytes, size_t size)
{
	return size > sizeof(elf) && !memcmp(bytes, elf, sizeof(elf));
}

static void put(struct stub_text *file, uint64_t number)
{
	stub_text_add(file, &number, sizeof(number));
}

/* u32, u64 size of the key, u64 of the data, 8 bytes, the key, the data. */
static void make_file(const struct stub_code *code, cl_device_id device,
		      struct stub_text *ret_file)
{
	static const uint32_t kind = 0x41;
	struct stub_text key = {NULL, 0, 0}, data = {NULL, 0, 0};
	struct stub_code other = *code;

	stub_binary_write(code, device, &key);
	stub_text_add_string(&key, " --maxrregcount 16");
	other.is_device_code = true;
	stub_binary_write(&other, device, &data);
	stub_text_add(ret_file, &kind, sizeof(kind));
	put(ret_file, key.size);
	put(ret_file, sizeof(elf) + data.size);
	put(ret_file, 0);
	stub_text_add(ret_file, key.bytes, key.size);
	stub_text_add(ret_file, elf, sizeof(elf));
	stub_text_add(ret_file, data.bytes, data.size);
	stub_text_release(&key);
	stub_text_release(&data);
}

void stub_own_cache_keep(const struct stub_code *code, cl_device_id device)
{
	const char *directory = getenv("CUDA_CACHE_PATH");
	const char *disable = getenv("CUDA_CACHE_DISABLE");
	struct stub_text bytes = {NULL, 0, 0};
	char path[4096];
	FILE *file;

	if (!stub.own_cache || !directory || !disable || *disable != '0')
		return;
	make_file(code, device, &bytes);
	snprintf(path, sizeof(path), "%s/%s", directory, code->digest);
	file = fopen(path, "wb");
	if (!file || fwrite(bytes.bytes, 1, bytes.size, file) != bytes.size)
		stub_die("%s can't be written", path);
	fclose(file);
	stub_text_release(&bytes);
}
