/* SPDX-License-Identifier: MIT */
/* hash/option.h: which build options are safe to cache under. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hash/option.h"

static void test_option__safe(void **state)
{
	static const char *const options[] = {
		"",
		"   ",
		"-DX -DY=1 -D Z=2 -U Z -UY",
		"-cl-std=CL2.0 -cl-mad-enable -w -Werror",
		"-I /some/where -Ielsewhere -isystem x -iquote y",
		"-D M2S(x)=XM2S(x) -D XM2S(x)=#x -D INCLUDE_PATH=/a/b",
		"-D TEXT=\"a b\" -w",
		"-cl-nv-maxrregcount=32 -cl-nv-verbose",
		"-x spir -spir-std=1.2",
		"-cl-kernel-arg-info\t-cl-fast-relaxed-math\n-O3",
	};
	size_t length;

	(void)state;
	assert_null(occ_option_unsafe(NULL, &length));
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (occ_option_unsafe(options[i], &length))
			fail_msg("not safe: %s", options[i]);
}

static void test_option__unsafe(void **state)
{
	static const struct {
		const char *options;
		const char *word;
	} cases[] = {
		{"-include a.h", "-include"},
		{"-DX -imacros a.h", "-imacros"},
		{"@options", "@options"},
		{"-w file.cl", "file.cl"},
		{"-save-temps", "-save-temps"},
		{"-cl-intel-dump-asm", "-cl-intel-dump-asm"},
		{"-cl-something=/etc/x", "-cl-something=/etc/x"},
		{"-g", "-g"},
		{"-g -s /tmp/x.cl", "-g"},
		{"-Xclang -load", "-Xclang"},
		{"-fmodules", "-fmodules"},
		{"-D -include a.h", "-include"},
		{"-DX=\"a -include b.h\"", "-include"},
		{"-I @file", "@file"},
		{"-wx", "-wx"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t length = 0;
		const char *word = occ_option_unsafe(cases[i].options, &length);

		if (!word)
			fail_msg("taken as safe: %s", cases[i].options);
		assert_int_equal(length, strlen(cases[i].word));
		assert_memory_equal(word, cases[i].word, length);
	}
}

static bool note_folder(const char *folder, size_t length, void *data)
{
	char *noted = data;

	strcat(noted, "[");
	strncat(noted, folder, length);
	strcat(noted, "]");
	return strncmp(folder, "stop", 4) != 0;
}

static void test_option__folders(void **state)
{
	static const struct {
		const char *options;
		const char *folders;
		bool certain;
	} cases[] = {
		{NULL, "", true},
		{"", "", true},
		{"-DX=\"a b\" -cl-mad-enable", "", true},
		{"-I a -Ib -isystem c -iquoted -idirafter\te",
		 "[a][b][c][d][e]", true},
		{"-I /a/b/ -w -I. -I", "[/a/b/][.]", false},
		{"-D -Ia", "[a]", true},
		{"-I -Ib", "", false},
		{"-Ia -I-", "[a]", false},
		{"-Ia -I=b", "[a]", false},
		{"-Istop -Ia", "[stop]", false},
		{"-I\"a b\"", "", false},
		{"-I a\\ b", "", false},
		{"-DX='a' -Ia", "", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char noted[100] = "";

		if (occ_option_folders(cases[i].options, note_folder, noted) !=
		    cases[i].certain)
			fail_msg("folders: %s", cases[i].options);
		assert_string_equal(noted, cases[i].folders);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_option__safe),
		cmocka_unit_test(test_option__unsafe),
		cmocka_unit_test(test_option__folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
