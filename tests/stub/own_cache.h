/* SPDX-License-Identifier: MIT */
/*
 * STUB_OWN_CACHE: device code where NVIDIA's driver keeps it, as doc/drivers.md
 * has it.
 */
#ifndef TESTS_STUB_OWN_CACHE_H
#define TESTS_STUB_OWN_CACHE_H

#include "tests/stub/code.h"

/* Device code is in a file of this kind, behind so many bytes of a header. */
#define STUB_ELF_SIZE 64

bool stub_own_cache_is_elf(const unsigned char *bytes, size_t size);

/* A program was built from a binary, and this is its code. */
void stub_own_cache_keep(const struct stub_code *code, cl_device_id device);

#endif
