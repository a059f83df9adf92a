/* SPDX-License-Identifier: MIT */
/* OCLCACHE_REMOTE: what is understood, what isn't, and the socket's place. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/remote_setting.h"
#include "cache/settings.h"

static struct occ_remote_setting understood(const char *text)
{
	struct occ_remote_setting setting;
	const char *problem = occ_remote_setting_parse(text, &setting);

	if (problem)
		fail_msg("\"%s\": %s", text, problem);
	return setting;
}

static void test_url_alone(void **state)
{
	struct occ_remote_setting setting =
		understood("https://cache.example.org/kernels");

	(void)state;
	assert_string_equal(setting.url, "https://cache.example.org/kernels");
	assert_false(setting.read_only);
	assert_false(setting.accepts_unsigned);
	assert_null(setting.helper);
	assert_int_equal(setting.attribute_count, 0);
	occ_remote_setting_release(&setting);
	assert_null(setting.text);
	setting = understood("redis+unix:/run/redis.sock");
	assert_string_equal(setting.url, "redis+unix:/run/redis.sock");
	occ_remote_setting_release(&setting);
}

static void test_attributes(void **state)
{
	struct occ_remote_setting setting = understood(
		" \tredis+unix:///run/redis.sock\t read-only  unsigned=accept "
		"helper=/opt/a%20b @bearer-token=a=%25%40%20 @plain @e= ");

	(void)state;
	assert_string_equal(setting.url, "redis+unix:///run/redis.sock");
	assert_true(setting.read_only);
	assert_true(setting.accepts_unsigned);
	assert_string_equal(setting.helper, "/opt/a b");
	assert_int_equal(setting.attribute_count, 3);
	assert_string_equal(setting.attributes[0].key, "bearer-token");
	assert_string_equal(setting.attributes[0].value, "a=%@ ");
	assert_string_equal(setting.attributes[1].key, "plain");
	assert_string_equal(setting.attributes[1].value, "");
	assert_string_equal(setting.attributes[2].value, "");
	occ_remote_setting_release(&setting);
}

static void test_flags(void **state)
{
	static const struct {
		const char *text;
		bool read_only;
	} cases[] = {
		{"a://b read-only=true", true},
		{"a://b read-only=1", true},
		{"a://b read-only=YES", true},
		{"a://b read-only=off", false},
		{"a://b read-only=false", false},
		{"a://b read-only=0", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct occ_remote_setting setting = understood(cases[i].text);

		assert_int_equal(setting.read_only, cases[i].read_only);
		occ_remote_setting_release(&setting);
	}
}

static void test_problems(void **state)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{"", "the URL is missing"},
		{" \t ", "the URL is missing"},
		{"cache.example.org", "it doesn't begin with a URL"},
		{"localhost:8080/x", "it doesn't begin with a URL"},
		{"://x", "it doesn't begin with a URL"},
		{"3a://x", "it doesn't begin with a URL"},
		{"http://", "it doesn't begin with a URL"},
		{"redis+unix:", "it doesn't begin with a URL"},
		{"redis+unix:x", "it doesn't begin with a URL"},
		{"read-only http://x", "it doesn't begin with a URL"},
		{"crsh:", "crsh: needs an absolute path"},
		{"crsh:a", "crsh: needs an absolute path"},
		{"crsh:/a%zz", "a '%' without two digits in the path"},
		{"http://x read-onyl", "unknown attribute \"read-onyl\""},
		{"http://x token=SECRET", "unknown attribute \"token\""},
		{"http://x read-only=maybe", "read-only must be true or false"},
		{"http://x unsigned", "the only value of unsigned is accept"},
		{"http://x unsigned=yes",
		 "the only value of unsigned is accept"},
		{"http://x helper", "helper needs a program"},
		{"http://x helper=", "helper needs a program"},
		{"http://x @", "an attribute without a name"},
		{"http://x @=v", "an attribute without a name"},
		{"http://x @k=%", "a '%' without two digits in \"@k\""},
		{"http://x @k=%0", "a '%' without two digits in \"@k\""},
		{"http://x @k=%00", "a '%' without two digits in \"@k\""},
		{"http://x @k=a%0d%0aB:", "invalid character in \"@k\""},
		{"http://x\x01", "invalid character in the URL"},
		{"crsh:/a%0a", "invalid character in the URL"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct occ_remote_setting setting;
		const char *problem =
			occ_remote_setting_parse(cases[i].text, &setting);

		assert_non_null(problem);
		assert_string_equal(problem, cases[i].problem);
		assert_null(strstr(problem, "SECRET"));
		assert_null(setting.text);
	}
}

/* A name that doesn't fit is cut. */
static void test_long_name(void **state)
{
	struct occ_remote_setting setting;
	char text[4096] = "http://x ";
	const char *problem;

	(void)state;
	memset(text + strlen(text), 'k', 4000);
	problem = occ_remote_setting_parse(text, &setting);
	assert_non_null(problem);
	assert_true(strlen(problem) < sizeof(setting.problem));
}

static void test_many_attributes(void **state)
{
	char text[4096] = "http://x";
	struct occ_remote_setting setting;

	(void)state;
	for (int i = 0; i < OCC_REMOTE_ATTRIBUTES_MAX; i++)
		sprintf(text + strlen(text), " @k%d=v", i);
	setting = understood(text);
	assert_int_equal(setting.attribute_count, OCC_REMOTE_ATTRIBUTES_MAX);
	occ_remote_setting_release(&setting);
	strcat(text, " @more");
	assert_string_equal(occ_remote_setting_parse(text, &setting),
			    "too many attributes");
}

/* Into a buffer that the next call overwrites. */
static const char *socket_of(const char *text)
{
	static char path[512];
	struct occ_remote_setting setting = understood(text);
	bool fits = occ_remote_setting_socket(&setting, path, sizeof(path));

	occ_remote_setting_release(&setting);
	return fits ? path : NULL;
}

static void test_socket_follows(void **state)
{
	char first[128], expected[64];

	(void)state;
	setenv("XDG_RUNTIME_DIR", "/run/elsewhere", 1);
	strcpy(first, socket_of("http://x/a @k=v"));
	assert_memory_equal(first, "/run/elsewhere/oclcache-", 24);
	assert_int_equal(strspn(first + 24, "0123456789abcdef"), 16);
	assert_string_equal(first + 40, ".socket");
	/* What the helper doesn't see doesn't matter, all else does. */
	assert_string_equal(
		socket_of("http://x/a read-only unsigned=accept @k=v"), first);
	assert_string_not_equal(socket_of("http://x/b @k=v"), first);
	assert_string_not_equal(socket_of("http://x/a @k=w"), first);
	assert_string_not_equal(socket_of("http://x/a @kv="), first);
	assert_string_not_equal(socket_of("http://x/a"), first);
	/* A relative one isn't heeded. */
	setenv("XDG_RUNTIME_DIR", "run", 1);
	snprintf(expected, sizeof(expected), "/run/user/%u/",
		 (unsigned)geteuid());
	if (access(expected, X_OK))
		snprintf(expected, sizeof(expected), "/tmp/oclcache-%u/",
			 (unsigned)geteuid());
	assert_memory_equal(socket_of("http://x/a @k=v"), expected,
			    strlen(expected));
	unsetenv("XDG_RUNTIME_DIR");
	assert_memory_equal(socket_of("http://x/a @k=v"), expected,
			    strlen(expected));
}

static void test_socket_given(void **state)
{
	char text[256] = "crsh:/";

	(void)state;
	assert_string_equal(socket_of("crsh:/run/a%20b.socket read-only"),
			    "/run/a b.socket");
	/* 107 bytes and a NUL. */
	memset(text + 6, 'p', 106);
	assert_non_null(socket_of(text));
	memset(text + 6, 'p', 107);
	assert_null(socket_of(text));
}

static void test_small_buffer(void **state)
{
	struct occ_remote_setting setting = understood("crsh:/abc");
	char path[5];

	(void)state;
	assert_true(occ_remote_setting_socket(&setting, path, 5));
	assert_string_equal(path, "/abc");
	assert_false(occ_remote_setting_socket(&setting, path, 4));
	occ_remote_setting_release(&setting);
}

static void test_as_a_setting(void **state)
{
	const struct occ_setting *setting =
		&occ_settings_table[OCC_SETTING_REMOTE];
	char advice[OCC_SETTINGS_TEXT_SIZE];
	uint64_t number;

	(void)state;
	assert_true(occ_settings_parse(setting, NULL, &number));
	assert_true(occ_settings_parse(setting, "http://x read-only", &number));
	assert_false(occ_settings_parse(setting, "http://x token=a", &number));
	assert_non_null(strstr(occ_settings_advice(setting, advice), "URL"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_url_alone),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_problems),
		cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_many_attributes),
		cmocka_unit_test(test_socket_follows),
		cmocka_unit_test(test_socket_given),
		cmocka_unit_test(test_small_buffer),
		cmocka_unit_test(test_as_a_setting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
