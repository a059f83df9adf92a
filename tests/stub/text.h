/* SPDX-License-Identifier: MIT */
/* Bytes that grow, and digests of them. What runs out of memory aborts. */
#ifndef TESTS_STUB_TEXT_H
#define TESTS_STUB_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct stub_text {
	char *bytes; /* NUL-terminated once there is any */
	size_t size; /* without that */
	size_t room;
};

void stub_text_add(struct stub_text *text, const void *bytes, size_t size);
void stub_text_add_string(struct stub_text *text, const char *string);
__attribute__((format(printf, 2, 3))) void stub_text_print(
	struct stub_text *text, const char *format, ...);
const char *stub_text_string(const struct stub_text *text);
void stub_text_release(struct stub_text *text);

/* 128 bits of FNV-1a with two offsets; fields are framed by their length. */
struct stub_digest {
	uint64_t halves[2];
};

#define STUB_DIGEST_INIT                                                       \
	{                                                                      \
		{                                                              \
			0xcbf29ce484222325, 0x84222325cbf29ce4                 \
		}                                                              \
	}
#define STUB_DIGEST_HEX 33

void stub_digest_add(struct stub_digest *digest, const void *bytes,
		     size_t size);
void stub_digest_hex(const struct stub_digest *digest,
		     char hex[STUB_DIGEST_HEX]);

#endif
