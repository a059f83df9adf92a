/* SPDX-License-Identifier: MIT */
/* Text that may or may not be UTF-8, character by character. */
#ifndef OCC_CLI_UTF8_H
#define OCC_CLI_UTF8_H

#include <stddef.h>

/*
 * How long the character at `text` is, of which `size` bytes, at least one, are
 * there; 0: it isn't one (RFC 3629: no longer form than needed, no surrogates,
 * nothing above U+10FFFF).
 */
size_t occ_utf8_length(const char *text, size_t size);

#endif
