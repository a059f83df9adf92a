/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include "cache/name.h"

#define HEX "0123456789abcdef0123456789abcdef"

static void test_name__kinds(void **state)
{
	static const struct {
		const char *name;
		enum occ_name_kind kind;
	} cases[] = {
		{HEX ".cl_cache", OCC_NAME_ENTRY},
		{HEX "-1.cl_cache", OCC_NAME_ENTRY},
		{HEX "-15.cl_cache", OCC_NAME_ENTRY},
		{HEX "-.cl_cache", OCC_NAME_NEO},
		{HEX "0.cl_cache", OCC_NAME_NEO},
		{"0123456789abcdef.cl_cache", OCC_NAME_NEO},
		{"0123456789abcdef.l0_cache", OCC_NAME_NEO},
		{HEX ".l0_cache", OCC_NAME_NEO},
		{"f/5/f57b04fd7dd503d8.cl_cache", OCC_NAME_NEO},
		{"f/5/f57b04fd7dd503d8.l0_cache", OCC_NAME_NEO},
		{"0/9/0900000000000000.cl_cache", OCC_NAME_NEO},
		/* Somebody's own. */
		{"a/my project.cl_cache", OCC_NAME_FOREIGN},
		{"a/b/my project.cl_cache", OCC_NAME_FOREIGN},
		{"a/b/.cl_cache", OCC_NAME_FOREIGN},
		{"f/f57b04fd7dd503d8.cl_cache", OCC_NAME_FOREIGN},
		{"f/5/5f7b04fd7dd503d8.cl_cache", OCC_NAME_FOREIGN},
		{"f/6/f57b04fd7dd503d8.cl_cache", OCC_NAME_FOREIGN},
		{"e/5/f57b04fd7dd503d8.cl_cache", OCC_NAME_FOREIGN},
		{"f/5/f57b04fd7dd503d.cl_cache", OCC_NAME_FOREIGN},
		{"f/5/f57b04fd7dd503d80.cl_cache", OCC_NAME_FOREIGN},
		{"f/5/f57b04fd7dd503D8.cl_cache", OCC_NAME_FOREIGN},
		{"f/5/f57b04fd7dd503d8.cl_cache.old", OCC_NAME_FOREIGN},
		{"f/5/f57b04fd7dd503d8.trace", OCC_NAME_FOREIGN},
		{"f/5/0/f57b04fd7dd503d8.cl_cache", OCC_NAME_FOREIGN},
		{"0/1/" HEX ".cl_cache", OCC_NAME_FOREIGN},
		{"0/1/" HEX ".trace", OCC_NAME_FOREIGN},
		/* It writes these in the directory above all. */
		{"f/5/cl_cache.rRCCVF", OCC_NAME_FOREIGN},
		{"f/", OCC_NAME_FOREIGN},
		{"f/5/", OCC_NAME_FOREIGN},
		{"f/5/stats", OCC_NAME_FOREIGN},
		{"f/5/config.file", OCC_NAME_FOREIGN},
		{"cl_cache.rRCCVF", OCC_NAME_NEO},
		{"cl_cache.rRCCV", OCC_NAME_FOREIGN},
		{"cl_cache.rRCCVFx", OCC_NAME_FOREIGN},
		{"cl_cache.rRC.VF", OCC_NAME_FOREIGN},
		{"cl_cache.", OCC_NAME_FOREIGN},
		{HEX ".trace", OCC_NAME_TRACE},
		{HEX "-2.trace", OCC_NAME_TRACE},
		{HEX ".includes", OCC_NAME_INCLUDES},
		{HEX "-2.includes", OCC_NAME_FOREIGN},
		{HEX ".workingset", OCC_NAME_WORKING_SET},
		{HEX "-2.workingset", OCC_NAME_FOREIGN},
		{HEX ".included", OCC_NAME_INCLUDED},
		{HEX "-2.included", OCC_NAME_FOREIGN},
		{"0/1/" HEX ".included", OCC_NAME_FOREIGN},
		{"0123.trace", OCC_NAME_FOREIGN},
		{"oclcache-aZ09bc.tmp", OCC_NAME_TEMP},
		{"oclcache-aZ09b.tmp", OCC_NAME_FOREIGN},
		{"oclcache-aZ09bcd.tmp", OCC_NAME_FOREIGN},
		{"oclcache-aZ0.bc.tmp", OCC_NAME_FOREIGN},
		{"config.file", OCC_NAME_FIXED},
		{"CACHEDIR.TAG", OCC_NAME_FIXED},
		{"oclcache.state", OCC_NAME_FIXED},
		{"oclcache.lock", OCC_NAME_FIXED},
		{"oclcache.counters", OCC_NAME_FIXED},
		{"oclcache.history", OCC_NAME_FIXED},
		{"oclcache.counter", OCC_NAME_FOREIGN},
		{"config.file.old", OCC_NAME_FOREIGN},
		{HEX ".cl_cache.bak", OCC_NAME_FOREIGN},
		{".", OCC_NAME_FOREIGN},
		{"", OCC_NAME_FOREIGN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (occ_name_kind(cases[i].name) != cases[i].kind)
			fail_msg("%s", cases[i].name);
}

static void test_name__made_names_are_recognised(void **state)
{
	struct occ_digest hash;
	char name[OCC_NAME_SIZE];

	(void)state;
	memset(hash.bytes, 0xa5, sizeof(hash.bytes));
	occ_name_entry(&hash, 0, name);
	assert_string_equal(name, "a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5.cl_cache");
	occ_name_entry(&hash, 15, name);
	assert_string_equal(name,
			    "a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5-15.cl_cache");
	occ_name_trace(&hash, name);
	assert_string_equal(name, "a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5.trace");
	assert_int_equal(occ_name_kind(name), OCC_NAME_TRACE);
	for (uint64_t i = 0; i < 64; i++) {
		occ_name_temp((UINT64_C(1) << i) - 1, name);
		assert_int_equal(occ_name_kind(name), OCC_NAME_TEMP);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name__kinds),
		cmocka_unit_test(test_name__made_names_are_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
