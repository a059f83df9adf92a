/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include "cache/heeded_file.h"
#include "cache/settings.h"

/* After the standard headers, whose functions it replaces. */
#include "tests/unit/fault.h"

#define SYSTEM "etc/oclcache.conf"
#define USER   "user/oclcache.conf"

static struct occ_settings read_into;

static void clear_environment(void)
{
	for (size_t id = 0; id < OCC_SETTINGS; id++) {
		unsetenv(occ_settings_table[id].name);
		if (occ_settings_table[id].intels)
			unsetenv(occ_settings_table[id].intels);
	}
	unsetenv("OCLCACHE_CONFIG");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
}

static int setup(void **state)
{
	struct fixture *fixture;
	char directory[96];

	if (fixture_setup(state))
		return -1;
	fixture = *state;
	clear_environment();
	setenv("OCLCACHE_ROOT", fixture->path, 1);
	snprintf(directory, sizeof(directory), "%s/user", fixture->path);
	setenv("XDG_CONFIG_HOME", directory, 1);
	return mkdirat(fixture->directory, "etc", 0755) ||
	       mkdirat(fixture->directory, "user", 0755);
}

static void write_text(struct fixture *fixture, const char *name,
		       const char *text)
{
	fixture_write(fixture, name, text, strlen(text));
}

static const struct occ_setting_value *value(enum occ_setting_id id)
{
	return &read_into.values[id];
}

/* Reads; the setting's value, which must be from `line` of a file or 0. */
static void expect(enum occ_setting_id id, const char *wanted, unsigned line)
{
	occ_settings_read(&read_into);
	if (wanted)
		assert_string_equal(value(id)->text, wanted);
	else
		assert_null(value(id)->text);
	assert_int_equal(value(id)->line, line);
	assert_int_equal(value(id)->file != NULL, line != 0);
	occ_settings_release(&read_into);
}

/* Reads; there must be one problem, with this in it. */
static void expect_problem(unsigned line, const char *name, const char *text)
{
	const struct occ_settings_problem *problem = &read_into.problems[0];

	occ_settings_read(&read_into);
	assert_int_equal(read_into.problem_count, 1);
	assert_int_equal(problem->line, line);
	assert_non_null(strstr(problem->text, text));
	if (name)
		assert_string_equal(problem->name, name);
	else
		assert_null(problem->name);
	occ_settings_release(&read_into);
}

static void test_settings__nothing_is_set(void **state)
{
	(void)state;
	occ_settings_read(&read_into);
	for (size_t id = 0; id < OCC_SETTINGS; id++) {
		assert_null(read_into.values[id].name);
		assert_true(read_into.values[id].understood);
		assert_int_equal(read_into.values[id].number,
				 occ_settings_table[id].otherwise);
	}
	assert_int_equal(read_into.problem_count, 0);
	assert_int_equal(read_into.file_count, 2);
	occ_settings_release(&read_into);
}

/* Two opens, and no memory. */
static void test_settings__costs_little(void **state)
{
	struct fault_plan plan = {.class = FAULT_SYSTEM};

	(void)state;
	fault_arm(&plan);
	occ_settings_read(&read_into);
	fault_disarm();
	assert_int_equal(fault.calls, 2);
	occ_settings_release(&read_into);
	plan.class = FAULT_MEMORY;
	fault_arm(&plan);
	occ_settings_read(&read_into);
	fault_disarm();
	assert_int_equal(fault.calls, 0);
	occ_settings_release(&read_into);
}

static void test_settings__flags(void **state)
{
	static const struct {
		const char *value;
		bool understood;
		uint64_t disable, persistent;
	} cases[] = {
		{"0", true, 0, 0},
		{"1", true, 1, 1},
		{"no", true, 0, 0},
		{"yes", true, 1, 1},
		{"Off", true, 0, 0},
		{"on", true, 1, 1},
		{"FALSE", true, 0, 0},
		{"True", true, 1, 1},
		/* Whoever sets it may want the cache off. */
		{"-1", false, 1, 0},
		{"maybe", false, 1, 0},
		{"yes ", false, 1, 0},
		{NULL, true, 0, 1},
		{"00", true, 0, 0},
		{"20", true, 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t number;

		assert_int_equal(
			occ_settings_parse(
				&occ_settings_table[OCC_SETTING_DISABLE],
				cases[i].value, &number),
			cases[i].understood);
		assert_int_equal(number, cases[i].disable);
		assert_int_equal(
			occ_settings_parse(
				&occ_settings_table[OCC_SETTING_PERSISTENT],
				cases[i].value, &number),
			cases[i].understood);
		assert_int_equal(number, cases[i].persistent);
	}
}

static void test_settings__lines(void **state)
{
	struct fixture *fixture = *state;

	write_text(fixture, USER,
		   "# OCLCACHE_WAIT=1\r\n"
		   "\n"
		   "  \t OCLCACHE_WAIT\t= 12 \r\n"
		   "OCLCACHE_SKIP=\"exe:a b\"\n"
		   "OCLCACHE_HASH_ENV=A=B#C\n"
		   "OCLCACHE_DIR=\n"
		   "OCLCACHE_MODE=\"\n"
		   "OCLCACHE_STORE=never");
	expect(OCC_SETTING_WAIT, "12", 3);
	expect(OCC_SETTING_SKIP, "exe:a b", 4);
	expect(OCC_SETTING_HASH_ENV, "A=B#C", 5);
	expect(OCC_SETTING_DIR, NULL, 0);
	expect(OCC_SETTING_MODE, "\"", 7);
	expect(OCC_SETTING_STORE, "never", 8);
	occ_settings_read(&read_into);
	assert_int_equal(read_into.problem_count, 0);
	occ_settings_release(&read_into);
}

static void test_settings__later_places_win(void **state)
{
	struct fixture *fixture = *state;

	write_text(fixture, SYSTEM, "OCLCACHE_DISABLE=1\nOCLCACHE_DIR=/1\n");
	expect(OCC_SETTING_DISABLE, "1", 1);
	write_text(fixture, USER, "NEO_CACHE_DIR=/2\n\nOCLCACHE_DISABLE=0\n");
	expect(OCC_SETTING_DISABLE, "0", 3);
	expect(OCC_SETTING_DIR, "/2", 1);
	setenv("NEO_CACHE_DIR", "/3", 1);
	expect(OCC_SETTING_DIR, "/3", 0);
	setenv("OCLCACHE_DIR", "/4", 1);
	expect(OCC_SETTING_DIR, "/4", 0);
	/* As if they weren't there. */
	setenv("OCLCACHE_DIR", "", 1);
	expect(OCC_SETTING_DIR, "/3", 0);
	setenv("NEO_CACHE_DIR", "", 1);
	expect(OCC_SETTING_DIR, "/2", 1);
}

static void test_settings__within_a_file(void **state)
{
	struct fixture *fixture = *state;

	write_text(fixture, USER,
		   "NEO_CACHE_MAX_SIZE=1\nOCLCACHE_MAX_SIZE=2\n"
		   "OCLCACHE_MAX_SIZE=3\nNEO_CACHE_MAX_SIZE=4\n");
	expect(OCC_SETTING_MAX_SIZE, "3", 3);
}

static void test_settings__back_to_the_default(void **state)
{
	struct fixture *fixture = *state;

	write_text(fixture, SYSTEM, "OCLCACHE_SKIP=exe:a\nOCLCACHE_WAIT=1\n");
	write_text(fixture, USER, "OCLCACHE_SKIP=default\n");
	expect(OCC_SETTING_SKIP, NULL, 1);
	setenv("OCLCACHE_WAIT", "default", 1);
	expect(OCC_SETTING_WAIT, NULL, 0);
	occ_settings_read(&read_into);
	assert_int_equal(read_into.wait, 120);
	assert_string_equal(value(OCC_SETTING_WAIT)->name, "OCLCACHE_WAIT");
	occ_settings_release(&read_into);
}

static void test_settings__another_file(void **state)
{
	struct fixture *fixture = *state;
	char path[96];

	write_text(fixture, SYSTEM, "OCLCACHE_WAIT=1\n");
	write_text(fixture, USER, "OCLCACHE_WAIT=2\n");
	write_text(fixture, "other", "OCLCACHE_WAIT=3\n");
	setenv("OCLCACHE_CONFIG", "", 1);
	expect(OCC_SETTING_WAIT, NULL, 0);
	snprintf(path, sizeof(path), "%s/other", fixture->path);
	setenv("OCLCACHE_CONFIG", path, 1);
	expect(OCC_SETTING_WAIT, "3", 1);
	strcat(path, "s");
	setenv("OCLCACHE_CONFIG", path, 1);
	expect_problem(0, NULL, "doesn't exist");
	setenv("OCLCACHE_CONFIG", "other", 1);
	expect_problem(0, NULL, "absolute");
}

static void test_settings__home(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(mkdirat(fixture->directory, ".config", 0700), 0);
	write_text(fixture, ".config/oclcache.conf", "OCLCACHE_WAIT=4\n");
	setenv("HOME", fixture->path, 1);
	expect(OCC_SETTING_WAIT, NULL, 0);
	setenv("XDG_CONFIG_HOME", "", 1);
	expect(OCC_SETTING_WAIT, "4", 1);
	setenv("XDG_CONFIG_HOME", "relative", 1);
	expect(OCC_SETTING_WAIT, "4", 1);
	unsetenv("HOME");
	expect(OCC_SETTING_WAIT, NULL, 0);
}

static void test_settings__what_is_no_setting(void **state)
{
	struct fixture *fixture = *state;

	write_text(fixture, USER, "OCLCACHE_WAIT=1\nOCLCACHE_DRI=/x\n");
	expect_problem(2, "OCLCACHE_DRI", "isn't a setting");
	expect(OCC_SETTING_WAIT, "1", 1);
	write_text(fixture, USER, "OCLCACHE_CONFIG=/x\n");
	expect_problem(1, "OCLCACHE_CONFIG", "environment variable");
	write_text(fixture, USER, "\nnonsense\n");
	expect_problem(2, NULL, "NAME=VALUE");
	write_text(fixture, USER, "=1\n");
	expect_problem(1, NULL, "NAME=VALUE");
	fixture_write(fixture, USER, "a\0=1\nOCLCACHE_WAIT=2\n", 21);
	expect_problem(1, NULL, "NUL");
	expect(OCC_SETTING_WAIT, "2", 2);
}

static void test_settings__many_problems(void **state)
{
	struct fixture *fixture = *state;
	char text[201];

	for (size_t i = 0; i < 200; i += 2)
		memcpy(text + i, "x\n", 2);
	text[200] = '\0';
	write_text(fixture, USER, text);
	occ_settings_read(&read_into);
	assert_int_equal(read_into.problem_total, 100);
	assert_int_equal(read_into.problem_count, OCC_SETTINGS_PROBLEMS_MAX);
	occ_settings_release(&read_into);
}

static void test_settings__limits(void **state)
{
	static char text[OCC_HEEDED_FILE_MAX + 2];
	struct fixture *fixture = *state;

	memset(text, '#', sizeof(text) - 1);
	memcpy(text, "OCLCACHE_WAIT=1\n", 16);
	for (size_t i = 1000; i < sizeof(text); i += 1000)
		text[i] = '\n';
	fixture_write(fixture, USER, text, OCC_HEEDED_FILE_MAX);
	expect(OCC_SETTING_WAIT, "1", 1);
	fixture_write(fixture, USER, text, OCC_HEEDED_FILE_MAX + 1);
	expect_problem(0, NULL, "64 KiB");
	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, "OCLCACHE_HASH_ENV=", 18);
	fixture_write(fixture, USER, text, OCC_SETTINGS_LINE_MAX);
	occ_settings_read(&read_into);
	assert_int_equal(read_into.problem_count, 0);
	assert_int_equal(strlen(value(OCC_SETTING_HASH_ENV)->text),
			 OCC_SETTINGS_LINE_MAX - 18);
	occ_settings_release(&read_into);
	fixture_write(fixture, USER, text, OCC_SETTINGS_LINE_MAX + 1);
	expect_problem(1, NULL, "too long");
}

static void test_settings__trust(void **state)
{
	struct fixture *fixture = *state;

	write_text(fixture, USER, "OCLCACHE_WAIT=1\n");
	assert_int_equal(fchmodat(fixture->directory, USER, 0644, 0), 0);
	expect(OCC_SETTING_WAIT, "1", 1);
	assert_int_equal(fchmodat(fixture->directory, USER, 0646, 0), 0);
	expect_problem(0, NULL, "written by users");
	expect(OCC_SETTING_WAIT, NULL, 0);
	if (geteuid())
		skip();
	assert_int_equal(fchmodat(fixture->directory, USER, 0664, 0), 0);
	assert_int_equal(fchownat(fixture->directory, USER, 0, 12345, 0), 0);
	expect_problem(0, NULL, "written by users");
	assert_int_equal(fchmodat(fixture->directory, USER, 0600, 0), 0);
	assert_int_equal(fchownat(fixture->directory, USER, 12345, 0, 0), 0);
	expect_problem(0, NULL, "written by users");
}

static void test_settings__only_regular_files(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(mkfifoat(fixture->directory, USER, 0600), 0);
	expect_problem(0, NULL, "regular");
	assert_int_equal(unlinkat(fixture->directory, USER, 0), 0);
	assert_int_equal(mkdirat(fixture->directory, USER, 0700), 0);
	expect_problem(0, NULL, "regular");
	assert_int_equal(unlinkat(fixture->directory, USER, AT_REMOVEDIR), 0);
	/* A link is as good as what it leads to. */
	write_text(fixture, "target", "OCLCACHE_WAIT=1\n");
	assert_int_equal(symlinkat("../target", fixture->directory, USER), 0);
	expect(OCC_SETTING_WAIT, "1", 1);
	assert_int_equal(unlinkat(fixture->directory, "target", 0), 0);
	expect(OCC_SETTING_WAIT, NULL, 0);
}

static void test_settings__sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{"0", 0},
		{"7B", 7},
		{"1k", 1000},
		{"1K", 1000},
		{"500M", 500000000},
		{"2GB", 2000000000},
		{"2GiB", UINT64_C(2) << 30},
		{"3Ki", 3 << 10},
		{"1T", UINT64_C(1000000000000)},
		{"99999999999TiB", UINT64_MAX},
	};
	uint64_t number;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_true(occ_settings_parse(
			&occ_settings_table[OCC_SETTING_MAX_SIZE], good[i].text,
			&number));
		assert_true(number == good[i].bytes);
	}
	/* Of other numbers there are no units. */
	assert_false(
		occ_settings_parse(&occ_settings_table[OCC_SETTING_MAX_AGE],
				   "1k", &number));
}

static void test_settings__numbers(void **state)
{
	static const char *const bad[] = {"-1",
					  "+1",
					  " 1",
					  "1 ",
					  "x",
					  "1kk",
					  "1 k",
					  "1b",
					  "1Bk",
					  "1iB",
					  "1KiX",
					  "0x1",
					  "99999999999999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		uint64_t number = 7;

		assert_false(occ_settings_parse(
			&occ_settings_table[OCC_SETTING_MAX_SIZE], bad[i],
			&number));
		assert_int_equal(number, 1 << 30);
	}
	setenv("OCLCACHE_MAX_AGE", "999999", 1);
	setenv("OCLCACHE_MODE", "require", 1);
	setenv("OCLCACHE_PERSISTENT", "2", 1);
	occ_settings_read(&read_into);
	assert_int_equal(read_into.max_age, 36500 * INT64_C(86400));
	assert_int_equal(read_into.mode, OCC_MODE_REQUIRE);
	assert_int_equal(read_into.persistent, 1);
	occ_settings_release(&read_into);
}

static void expect_directory(const char *wanted, bool wanted_by_default)
{
	occ_settings_read(&read_into);
	if (wanted)
		assert_string_equal(read_into.directory, wanted);
	else
		assert_null(read_into.directory);
	assert_int_equal(read_into.directory_is_default, wanted_by_default);
	occ_settings_release(&read_into);
}

static void test_settings__directory(void **state)
{
	struct fixture *fixture = *state;

	expect_directory(NULL, true);
	setenv("HOME", "/home/me", 1);
	expect_directory("/home/me/.cache/neo_compiler_cache", true);
	setenv("XDG_CACHE_HOME", "relative", 1);
	expect_directory("/home/me/.cache/neo_compiler_cache", true);
	setenv("XDG_CACHE_HOME", "/cache", 1);
	expect_directory("/cache/neo_compiler_cache", true);
	write_text(fixture, USER, "NEO_CACHE_DIR=/neo\n");
	expect_directory("/neo", false);
	setenv("OCLCACHE_DIR", "here", 1);
	expect_directory(NULL, false);
}

static void test_settings__read_only_directories(void **state)
{
	(void)state;
	setenv("OCLCACHE_READONLY_DIRS", ":/a::b:/c d:", 1);
	occ_settings_read(&read_into);
	assert_false(value(OCC_SETTING_READONLY_DIRS)->understood);
	assert_string_equal(read_into.read_only_directories[0], "/a");
	assert_string_equal(read_into.read_only_directories[1], "/c d");
	assert_null(read_into.read_only_directories[2]);
	occ_settings_release(&read_into);
	setenv("OCLCACHE_READONLY_DIRS", "/a", 1);
	occ_settings_read(&read_into);
	assert_true(value(OCC_SETTING_READONLY_DIRS)->understood);
	occ_settings_release(&read_into);
	unsetenv("OCLCACHE_READONLY_DIRS");
}

/* What was read is the struct's, whatever becomes of the environment. */
static void test_settings__outlive_the_environment(void **state)
{
	(void)state;
	setenv("OCLCACHE_SKIP", "exe:a", 1);
	setenv("OCLCACHE_HASH_ENV", "A", 1);
	setenv("OCLCACHE_MODE", "recache", 1);
	occ_settings_read(&read_into);
	clear_environment();
	assert_string_equal(read_into.skip, "exe:a");
	assert_string_equal(read_into.hash_environment, "A");
	assert_int_equal(read_into.mode, OCC_MODE_RECACHE);
	assert_int_equal(read_into.store_policy, OCC_STORE_EAGER);
	occ_settings_release(&read_into);
	setenv("OCLCACHE_SKIP", "a", 1);
	occ_settings_read(&read_into);
	assert_null(read_into.skip);
	occ_settings_release(&read_into);
}

/* The n-th call fails: there's a problem or nothing, and nothing is left. */
static void fail_each(enum fault_class class, enum fault_how how)
{
	bool hit = true;

	for (unsigned n = 1; hit; n++) {
		const struct fault_plan plan = {.class = class,
						.how = how,
						.n = n,
						.error = EIO};
		long blocks = fault.blocks;

		assert_true(n < 100);
		fault_arm(&plan);
		occ_settings_read(&read_into);
		fault_disarm();
		hit = fault.calls >= n;
		/* Only what is opened, looked at and read: no half of it. */
		if (value(OCC_SETTING_WAIT)->text)
			assert_string_equal(value(OCC_SETTING_WAIT)->text,
					    "12");
		occ_settings_release(&read_into);
		assert_int_equal(fault.blocks, blocks);
	}
}

static void test_settings__faults(void **state)
{
	struct fixture *fixture = *state;
	int file, before = dup(0);

	write_text(fixture, SYSTEM, "OCLCACHE_WAIT=12\n");
	write_text(fixture, USER, "nonsense\nOCLCACHE_SKIP=exe:a\n");
	fail_each(FAULT_SYSTEM, FAULT_FAILS);
	fail_each(FAULT_SYSTEM, FAULT_SHORT);
	fail_each(FAULT_SYSTEM, FAULT_EMPTY);
	setenv("HOME", "/home/me", 1);
	setenv("OCLCACHE_READONLY_DIRS", "/a:/b", 1);
	setenv("OCLCACHE_HASH_ENV", "A", 1);
	fail_each(FAULT_MEMORY, FAULT_FAILS);
	/* No descriptor is left open. */
	close(before);
	file = dup(0);
	assert_int_equal(file, before);
	close(file);
}

static void test_settings__advice(void **state)
{
	char text[OCC_SETTINGS_TEXT_SIZE];

	(void)state;
	assert_string_equal(
		occ_settings_advice(&occ_settings_table[OCC_SETTING_MODE],
				    text),
		"use readwrite, readonly, recache or require");
	assert_string_equal(
		occ_settings_advice(&occ_settings_table[OCC_SETTING_WAIT],
				    text),
		"use a number of seconds");
	assert_string_equal(
		occ_settings_text(&occ_settings_table[OCC_SETTING_STORE], 1,
				  text),
		"eager");
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_settings__nothing_is_set),
		TEST(test_settings__costs_little),
		TEST(test_settings__flags),
		TEST(test_settings__lines),
		TEST(test_settings__later_places_win),
		TEST(test_settings__within_a_file),
		TEST(test_settings__back_to_the_default),
		TEST(test_settings__another_file),
		TEST(test_settings__home),
		TEST(test_settings__what_is_no_setting),
		TEST(test_settings__many_problems),
		TEST(test_settings__limits),
		TEST(test_settings__trust),
		TEST(test_settings__only_regular_files),
		TEST(test_settings__sizes),
		TEST(test_settings__numbers),
		TEST(test_settings__directory),
		TEST(test_settings__read_only_directories),
		TEST(test_settings__outlive_the_environment),
		TEST(test_settings__faults),
		TEST(test_settings__advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
