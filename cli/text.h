/* SPDX-License-Identifier: MIT */
/*
 * Text that is put together, for the caller to free(). Never NULL: without
 * memory the command ends (cli/message.h).
 */
#ifndef OCC_CLI_TEXT_H
#define OCC_CLI_TEXT_H

#include <stdarg.h>
#include <stdbool.h>

/* As printf() formats it. */
char *occ_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *occ_text_of(const char *format, va_list arguments)
	__attribute__((format(printf, 1, 0)));

bool occ_text_ends_with(const char *text, const char *end);

#endif
