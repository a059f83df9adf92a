/* SPDX-License-Identifier: MIT */
/* storage/options.h, storage/url.h */
#include "tests/unit/fixture.h"

#include "storage/options.h"

static char problem[256];

static const struct {
	const char *url, *scheme, *host;
	unsigned port;
	const char *path, *query, *user, *password, *shown;
} good[] = {
	{"http://a", "http", "a", 0, "", NULL, NULL, NULL, "http://a"},
	{"HTTPS://A.b:81/", "https", "A.b", 81, "/", NULL, NULL, NULL,
	 "https://A.b:81/"},
	{"http://u:p@h/x%20y?sig=z%3d", "http", "h", 0, "/x y", "sig=z%3d", "u",
	 "p", "http://h/x y"},
	{"http://u@h", "http", "h", 0, "", NULL, "u", NULL, "http://h"},
	{"http://u:@h", "http", "h", 0, "", NULL, "u", "", "http://h"},
	{"http://a:b%40:c@d@h:1", "http", "h", 1, "", NULL, "a", "b@:c@d",
	 "http://h:1"},
	{"http://[::1]:8080/p", "http", "::1", 8080, "/p", NULL, NULL, NULL,
	 "http://[::1]:8080/p"},
	{"redis+unix:/run/r.sock?db=1", "redis+unix", "", 0, "/run/r.sock",
	 "db=1", NULL, NULL, "redis+unix:/run/r.sock"},
	{"redis+unix:///run/r.sock", "redis+unix", "", 0, "/run/r.sock", NULL,
	 NULL, NULL, "redis+unix:/run/r.sock"},
	{"s3://bucket/pre/fix", "s3", "bucket", 0, "/pre/fix", NULL, NULL, NULL,
	 "s3://bucket/pre/fix"},
};

static void expect_text(const char *found, const char *wanted)
{
	if (wanted)
		assert_string_equal(found, wanted);
	else
		assert_null(found);
}

static void test_urls(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct occ_storage_options options;

		assert_true(occ_storage_options_begin(&options, good[i].url,
						      problem,
						      sizeof(problem)));
		expect_text(options.scheme, good[i].scheme);
		expect_text(options.host, good[i].host);
		assert_int_equal(options.port, good[i].port);
		expect_text(options.path, good[i].path);
		expect_text(options.query, good[i].query);
		expect_text(options.user, good[i].user);
		expect_text(options.password, good[i].password);
		expect_text(options.shown, good[i].shown);
		occ_storage_options_release(&options);
	}
}

static void test_bad_urls(void **state)
{
	static const char *const urls[] = {
		"",
		"a",
		"//a",
		"1http://a",
		"http://a b",
		"http://a:x",
		"http://a:0",
		"http://a:65536",
		"http://a#b",
		"http://[::1",
		"http://:80",
		"http://a:1:2",
		"http://a/%",
		"http://a/%0",
		"http://a/%0g",
		"http://a/%00",
		"http://a/\n",
		"http://a/%0a",
		"http://u%zz:secret@a",
		"http://[::1]x",
		"http://a::b",
		"http://999999@",
		"http://a:000080",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
		struct occ_storage_options options;

		*problem = '\0';
		if (occ_storage_options_begin(&options, urls[i], problem,
					      sizeof(problem)))
			fail_msg("%s is understood", urls[i]);
		assert_true(*problem);
		assert_null(strstr(problem, "secret"));
		occ_storage_options_release(&options);
	}
}

static void set_crsh(const char *const *pairs)
{
	char name[64];
	size_t count = 0;

	for (; pairs[2 * count]; count++) {
		snprintf(name, sizeof(name), "CRSH_ATTR_KEY_%zu", count);
		setenv(name, pairs[2 * count], 1);
		snprintf(name, sizeof(name), "CRSH_ATTR_VALUE_%zu", count);
		setenv(name, pairs[2 * count + 1], 1);
	}
	snprintf(name, sizeof(name), "%zu", count);
	setenv("CRSH_NUM_ATTR", name, 1);
	setenv("CRSH_URL", "https://h/p", 1);
	setenv("CRSH_IDLE_TIMEOUT", "7", 1);
}

static void test_crsh(void **state)
{
	static const char *const pairs[] = {"connect-timeout",
					    "300ms",
					    "request-timeout",
					    "4s",
					    "queue-size",
					    "3M",
					    "queue-count",
					    "5",
					    "connections",
					    "2",
					    "compress",
					    "false",
					    "header",
					    "A=1",
					    "header",
					    "B=2",
					    NULL};
	struct occ_storage_options options;

	(void)state;
	set_crsh(pairs);
	assert_true(occ_storage_options_from_crsh(&options, problem,
						  sizeof(problem)));
	assert_int_equal(options.connect_ms, 300);
	assert_int_equal(options.request_ms, 4000);
	assert_int_equal(options.queue_bytes, 3 << 20);
	assert_int_equal(options.queue_count, 5);
	assert_int_equal(options.connections, 2);
	assert_int_equal(options.idle_s, 7);
	assert_false(options.compresses);
	assert_string_equal(occ_storage_attribute(&options, "header"), "B=2");
	assert_null(occ_storage_attribute(&options, "head"));
	occ_storage_options_release(&options);
	setenv("CRSH_NUM_ATTR", "9", 1);
	assert_false(occ_storage_options_from_crsh(&options, problem,
						   sizeof(problem)));
	occ_storage_options_release(&options);
	unsetenv("CRSH_URL");
	assert_false(occ_storage_options_from_crsh(&options, problem,
						   sizeof(problem)));
	occ_storage_options_release(&options);
}

static void test_bad_numbers(void **state)
{
	static const char *const pairs[][3] = {
		{"connect-timeout", "", NULL},
		{"connect-timeout", "0", NULL},
		{"request-timeout", "-1", NULL},
		{"request-timeout", "1h", NULL},
		{"queue-size", "1T", NULL},
		{"queue-size", "99999999999999999999", NULL},
		{"connections", "65", NULL},
		{"compress", "maybe", NULL},
		{"queue-size", "18446744073709551615G", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct occ_storage_options options;

		set_crsh(pairs[i]);
		assert_false(occ_storage_options_from_crsh(&options, problem,
							   sizeof(problem)));
		assert_non_null(strstr(problem, pairs[i][0]));
		occ_storage_options_release(&options);
	}
}

static void expect_secret(const struct occ_storage_options *options,
			  const char *key, const char *wanted)
{
	char *secret =
		occ_storage_secret(options, key, problem, sizeof(problem));

	expect_text(secret, wanted);
	occ_storage_secret_free(secret);
}

static void test_secrets(void **state)
{
	struct fixture *fixture = *state;
	struct occ_storage_options options;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/token", fixture->path);
	assert_true(occ_storage_options_begin(&options, "http://h", problem,
					      sizeof(problem)));
	expect_secret(&options, "token", NULL);
	assert_string_equal(problem, "");
	occ_storage_options_add(&options, "token-file", path);
	occ_storage_options_add(&options, "other-env", "OCC_TEST_SECRET");
	occ_storage_options_add(&options, "plain", " as it is ");
	expect_secret(&options, "token", NULL);
	assert_non_null(strstr(problem, "token"));
	file = fopen(path, "w");
	fputs("a secret \r\n\n", file);
	fclose(file);
	expect_secret(&options, "token", "a secret");
	unsetenv("OCC_TEST_SECRET");
	expect_secret(&options, "other", NULL);
	assert_true(*problem);
	setenv("OCC_TEST_SECRET", "another\n", 1);
	expect_secret(&options, "other", "another");
	expect_secret(&options, "plain", " as it is ");
	occ_storage_options_release(&options);
}

static void test_names(void **state)
{
	static const char *const known[] = {"layout", NULL};
	static const char *const secrets[] = {"token", NULL};
	static const struct {
		const char *key, *value;
		bool good;
	} cases[] = {
		{"layout", "x", true},	      {"token", "x", true},
		{"token-file", "/x", true},   {"token-file", "x", false},
		{"token-env", "X", true},     {"token-fil", "x", false},
		{"tokens", "x", false},	      {"connections", "1", true},
		{"layout-file", "/x", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct occ_storage_options options;

		assert_true(occ_storage_options_begin(&options, "http://h",
						      problem,
						      sizeof(problem)));
		occ_storage_options_add(&options, cases[i].key, cases[i].value);
		assert_int_equal(occ_storage_attributes_check(&options, known,
							      secrets, problem,
							      sizeof(problem)),
				 cases[i].good);
		occ_storage_options_release(&options);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_urls),
		cmocka_unit_test(test_bad_urls),
		cmocka_unit_test(test_crsh),
		cmocka_unit_test(test_bad_numbers),
		cmocka_unit_test_setup_teardown(test_secrets, fixture_setup,
						fixture_teardown),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
