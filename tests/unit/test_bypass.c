/* SPDX-License-Identifier: MIT */
/* layer/key/bypass.h, of which the whole is taken in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "layer/key/bypass.c"

/* An answer with whatever may lie behind its NUL. */
static void expect(const char *before, const char *after)
{
	size_t size = strlen(before) + 1;
	char *answer = strdup(before);

	assert_non_null(answer);
	assert_int_equal(strlen(after) + 1, occ_bypass_strip(answer, size));
	assert_string_equal(after, answer);
	free(answer);
}

static void expect_kept(const char *options)
{
	char *longer = occ_bypass_add(options);

	assert_non_null(longer);
	assert_string_not_equal(options, longer);
	assert_int_equal(0, strncmp(longer, "-I", 2));
	expect(longer, options);
	free(longer);
}

static void test_bypass__strips_what_it_added(void **state)
{
	(void)state;
	assert_false(occ_bypass_is_used());
	expect_kept("");
	assert_true(occ_bypass_is_used());
	expect_kept(" ");
	expect_kept("-D N=2");
	expect_kept("  -D \"N=");
	expect_kept("-I/dev/null/oclcache");
}

static void test_bypass__leaves_the_rest(void **state)
{
	char none = 'x';

	(void)state;
	expect("", "");
	expect("-I", "-I");
	expect("-D A -I/dev/null/oclcache", "-D A -I/dev/null/oclcache");
	expect("-I/dev/null/oclcache2 -w", "-I/dev/null/oclcache2 -w");
	assert_int_equal(0, occ_bypass_strip(&none, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bypass__strips_what_it_added),
		cmocka_unit_test(test_bypass__leaves_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
