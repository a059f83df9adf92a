/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include "hash/utf8.h"

static bool is_hidden(const char *text)
{
	size_t length = occ_utf8_length(text, strlen(text));

	assert_int_equal(length, strlen(text));
	return occ_utf8_is_hidden(text, length);
}

static void test_utf8__length(void **state)
{
	static const char *const none[] = {
		"\x80",		"\x9b",
		"\xc0\x80",	"\xc1\xbf",
		"\xc3",		"\xc3(",
		"\xe0\x9f\xbf", "\xed\xa0\x80",
		"\xe2\x80",	"\xf0\x8f\xbf\xbf",
		"\xff",		"\xf4\x90\x80\x80",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_int_equal(occ_utf8_length(none[i], strlen(none[i])), 0);
	assert_int_equal(occ_utf8_length("a\x9b", 2), 1);
	assert_int_equal(occ_utf8_length("\xc3\xa4z", 3), 2);
	assert_int_equal(occ_utf8_length("\xe2\x82\xacz", 4), 3);
	assert_int_equal(occ_utf8_length("\xf0\x9f\x98\x80z", 5), 4);
	assert_int_equal(occ_utf8_length("\xf0\x9f\x98\x80z", 3), 0);
}

static void test_utf8__hidden(void **state)
{
	static const char *const hidden[] = {
		"\x01",
		"\n",
		"\t",
		"\x1b",
		"\x7f",
		"\xc2\x80", /* U+0080 */
		"\xc2\x9b", /* U+009B, CSI */
		"\xc2\x9f",
		"\xc2\xad",	/* U+00AD */
		"\xd8\x9c",	/* U+061C */
		"\xe2\x80\x8b", /* U+200B */
		"\xe2\x80\x8e",
		"\xe2\x80\x8f", /* U+200E, U+200F */
		"\xe2\x80\xa8",
		"\xe2\x80\xa9", /* U+2028, U+2029 */
		"\xe2\x80\xaa",
		"\xe2\x80\xae", /* U+202A, U+202E */
		"\xe2\x81\xa0", /* U+2060 */
		"\xe2\x81\xa6",
		"\xe2\x81\xa9",	    /* U+2066, U+2069 */
		"\xef\xb8\x8f",	    /* U+FE0F */
		"\xef\xbb\xbf",	    /* U+FEFF */
		"\xf3\xa0\x80\x81", /* U+E0001 */
		"\xf3\xa0\x81\xbf", /* U+E007F */
		"\xf3\xa0\x84\x80", /* U+E0100 */
	};
	static const char *const shown[] = {
		" ",
		"~",
		"\xc2\xa0",	    /* U+00A0 */
		"\xc2\xae",	    /* U+00AE */
		"\xc3\xa4",	    /* U+00E4 */
		"\xd7\x90",	    /* U+05D0, from right to left itself */
		"\xe2\x80\x90",	    /* U+2010 */
		"\xe2\x80\xa7",	    /* U+2027 */
		"\xe2\x80\xaf",	    /* U+202F */
		"\xe2\x81\xb0",	    /* U+2070 */
		"\xef\xbc\x81",	    /* U+FF01 */
		"\xef\xbf\xbd",	    /* U+FFFD */
		"\xf0\x9f\x98\x80", /* U+1F600 */
		"\xf3\xb0\x80\x80", /* U+F0000 */
		"\xf4\x8f\xbf\xbf", /* U+10FFFF */
	};

	(void)state;
	assert_true(occ_utf8_is_hidden("", 1));
	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
		assert_true(is_hidden(hidden[i]));
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		assert_false(is_hidden(shown[i]));
}

static void test_utf8__escape(void **state)
{
	static const struct {
		const char *text, *escape;
	} cases[] = {
		{"\x1b", "\\u001b"},
		{"\xc2\x9b", "\\u009b"},
		{"\xe2\x80\xae", "\\u202e"},
		{"\xef\xbf\xbf", "\\uffff"},
		{"\xf0\x90\x80\x80", "\\ud800\\udc00"},
		{"\xf0\x9f\x98\x80", "\\ud83d\\ude00"},
		{"\xf3\xa0\x80\x81", "\\udb40\\udc01"},
		{"\xf4\x8f\xbf\xbf", "\\udbff\\udfff"},
	};
	char escape[OCC_UTF8_ESCAPE_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(occ_utf8_escape(cases[i].text,
						 strlen(cases[i].text), escape),
				 strlen(cases[i].escape));
		assert_string_equal(escape, cases[i].escape);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_utf8__length),
		cmocka_unit_test(test_utf8__hidden),
		cmocka_unit_test(test_utf8__escape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
