/* SPDX-License-Identifier: MIT */
/*
 * The names of reasons: one each, well formed, and explained in doc/limits.md,
 * which explains no others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cache/counters.h"
#include "hash/reason.h"

#define DOCUMENT "doc/limits.md"
#define ANCHOR	 "| <a id=\""

static void test_names(void **state)
{
	(void)state;
	for (int i = 1; i < OCC_REASON_COUNT; i++) {
		enum occ_reason reason = (enum occ_reason)i;
		const char *name = occ_reason_name(reason);
		const char *text = occ_reason_text(reason);

		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz-"),
				 strlen(name));
		/* The first of that name, or text, is this one. */
		assert_int_equal(occ_reason_of_name(name), reason);
		assert_int_equal(occ_reason_of_text(text), reason);
		assert_in_range(strlen(text), 1, OCC_COUNTED_SIZE - 1);
	}
	assert_null(occ_reason_name(OCC_REASON_NONE));
	assert_int_equal(occ_reason_of_name("no such name"), OCC_REASON_NONE);
	assert_int_equal(occ_reason_of_text(""), OCC_REASON_NONE);
}

static void test_document(void **state)
{
	bool explained[OCC_REASON_COUNT] = {false};
	FILE *file = fopen(DOCUMENT, "re");
	char *line = NULL;
	size_t size = 0;

	(void)state;
	if (!file)
		fail_msg("%s can't be read; tests run in the source tree",
			 DOCUMENT);
	while (getline(&line, &size, file) > 0) {
		char *name = line + strlen(ANCHOR), *end;
		enum occ_reason reason;

		if (strncmp(line, ANCHOR, strlen(ANCHOR)) != 0)
			continue;
		end = strchr(name, '"');
		assert_non_null(end);
		*end = '\0';
		reason = occ_reason_of_name(name);
		if (!reason || explained[reason])
			fail_msg("%s: \"%s\" is no reason, or there twice",
				 DOCUMENT, name);
		explained[reason] = true;
	}
	free(line);
	fclose(file);
	for (int i = 1; i < OCC_REASON_COUNT; i++)
		if (!explained[i])
			fail_msg("%s doesn't explain \"%s\"", DOCUMENT,
				 occ_reason_name((enum occ_reason)i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
