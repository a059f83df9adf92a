/* SPDX-License-Identifier: MIT */
/* Build, compile and link options, split at blanks as most drivers do. */
#ifndef TESTS_STUB_OPTIONS_H
#define TESTS_STUB_OPTIONS_H

#include <stdbool.h>

#include "tests/stub/code.h"

enum stub_operation {
	STUB_BUILD,
	STUB_COMPILE,
	STUB_LINK,
};

struct stub_options {
	struct stub_names defines; /* "NAME" or "NAME=VALUE" */
	struct stub_names undefines;
	struct stub_names directories;
	bool argument_info;
	bool warnings_are_errors;
	bool no_warnings;
	bool create_library;
};

/*
 * False when one isn't known. NULL is no options. Release in either case.
 */
bool stub_options_parse(struct stub_options *options, const char *text,
			enum stub_operation operation);
void stub_options_release(struct stub_options *options);

#endif
