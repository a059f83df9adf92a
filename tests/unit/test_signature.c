/* SPDX-License-Identifier: MIT */
/* Keys, their files, and what they sign. */
#include "tests/unit/fixture.h"

#include "cache/signature.h"

/* RFC 8032, 7.1, test 1: the seed and its public half. */
#define PUBLIC_TEXT "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
#define SECRET_TEXT                                                            \
	"nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2DXWpgBgrEKt9VL/tPJZAc6DuFy" \
	"89qmIyWvAhpo9wdRGg=="

static struct occ_settings settings;

static struct occ_span span(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

static void assert_digest(const struct occ_secure_digest *digest,
			  const char *expected)
{
	char hex[2 * OCC_SECURE_DIGEST_SIZE + 1];

	for (size_t i = 0; i < OCC_SECURE_DIGEST_SIZE; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest->bytes[i]);
	assert_string_equal(hex, expected);
}

/* Made by Python's hashlib, of what doc/format.md says. */
static void test_digest(void **state)
{
	const struct occ_span parts[] = {span("ab"), span("c")};
	const struct occ_span others[] = {span("a"), span("bc")};
	struct occ_secure_digest digest, other;

	(void)state;
	occ_secure_digest_of("domain", NULL, 0, &digest);
	assert_digest(&digest, "47830c94fa32558050652cacd029ff39"
			       "c5f8afd742183e2078bec1fc6194cd8c");
	occ_secure_digest_of("domain", parts, 2, &digest);
	assert_digest(&digest, "493a5d2780f4ace44dd3db0ab24cee5f"
			       "838d48f7fa92a243eec1224c88fcccb6");
	occ_secure_digest_of("domain", others, 2, &other);
	assert_memory_not_equal(&digest, &other, sizeof(digest));
	occ_secure_digest_of("domainab", parts + 1, 1, &other);
	assert_memory_not_equal(&digest, &other, sizeof(digest));
}

static void test_parse(void **state)
{
	static const char *const bad[] = {
		"",
		":",
		"name",
		"name:",
		":" PUBLIC_TEXT,
		"na me:" PUBLIC_TEXT,
		"na/me:" PUBLIC_TEXT,
		"n\xc3\xa4me:" PUBLIC_TEXT,
		"name: " PUBLIC_TEXT,
		"name:" PUBLIC_TEXT "=",
		"name:" PUBLIC_TEXT " comment",
		"name:" PUBLIC_TEXT PUBLIC_TEXT,
		"name:" SECRET_TEXT,
		/* Without '=', and with bits that aren't used. */
		"name:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo",
		"name:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURp=",
		/* The alphabet for URLs. */
		"name:11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
		"12345678901234567890123456789012345678901234567890123456789012"
		"345:" PUBLIC_TEXT,
	};
	struct occ_buffer line = OCC_BUFFER_INIT;
	struct occ_public_key key;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(occ_public_key_parse(span(bad[i]), &key));
	assert_true(occ_public_key_parse(span(" a.b-1_Z:" PUBLIC_TEXT "\t\r"),
					 &key));
	assert_string_equal(key.name, "a.b-1_Z");
	occ_public_key_print(&key, &line);
	assert_int_equal(line.size, strlen("a.b-1_Z:" PUBLIC_TEXT));
	assert_memory_equal(line.data, "a.b-1_Z:" PUBLIC_TEXT, line.size);
	occ_buffer_release(&line);
}

/* No byte of it can be another one. */
static void test_parse_secret(void **state)
{
	char text[] = "name:" SECRET_TEXT;
	struct occ_buffer line = OCC_BUFFER_INIT;
	struct occ_public_key public, expected;
	struct occ_signing_key key;

	(void)state;
	assert_true(occ_signing_key_parse(span(text), &key));
	occ_signing_key_public(&key, &public);
	assert_true(occ_public_key_parse(span("name:" PUBLIC_TEXT), &expected));
	assert_memory_equal(public.bytes, expected.bytes, OCC_PUBLIC_KEY_SIZE);
	occ_signing_key_print(&key, &line);
	assert_memory_equal(line.data, text, line.size);
	occ_buffer_release(&line);
	for (size_t i = strlen("name:"); text[i]; i++) {
		text[i] ^= 1;
		assert_false(occ_signing_key_parse(span(text), &key));
		text[i] ^= 1;
	}
	occ_signing_key_wipe(&key);
	for (size_t i = 0; i < sizeof(key); i++)
		assert_int_equal(((unsigned char *)&key)[i], 0);
}

static void test_sign(void **state)
{
	struct occ_secure_digest digest = {{1, 2, 3}};
	struct occ_trusted_keys keys = {.count = 0};
	struct occ_signature signature;
	struct occ_signing_key key;
	struct occ_public_key other;

	(void)state;
	assert_true(occ_signing_key_parse(span("name:" SECRET_TEXT), &key));
	occ_sign(&key, &digest, &signature);
	assert_string_equal(signature.name, "name");
	assert_false(occ_signature_is_good(&keys, &digest, &signature));
	/* Another one's of the same name, and its own. */
	assert_true(occ_public_key_parse(span("name:" PUBLIC_TEXT), &other));
	other.bytes[0] ^= 1;
	assert_true(occ_trusted_keys_add(&keys, &other));
	assert_false(occ_signature_is_good(&keys, &digest, &signature));
	other.bytes[0] ^= 1;
	assert_true(occ_trusted_keys_add(&keys, &other));
	assert_int_equal(keys.count, 2);
	assert_true(occ_signature_is_good(&keys, &digest, &signature));
	strcpy(signature.name, "nam");
	assert_false(occ_signature_is_good(&keys, &digest, &signature));
	strcpy(signature.name, "name");
	for (size_t i = 0; i < OCC_SIGNATURE_SIZE * 8; i++) {
		signature.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		assert_false(occ_signature_is_good(&keys, &digest, &signature));
		signature.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
	}
	digest.bytes[31] ^= 1;
	assert_false(occ_signature_is_good(&keys, &digest, &signature));
}

/* A key of which everything can be signed by anybody. */
static void test_small_order(void **state)
{
	struct occ_trusted_keys keys = {.keys = {{.name = "zero"}}, .count = 1};
	struct occ_signature signature = {.name = "zero"};
	struct occ_secure_digest digest = {{0}};

	(void)state;
	for (unsigned char first = 0; first < 2; first++) {
		keys.keys[0].bytes[0] = first;
		signature.bytes[0] = first;
		assert_false(occ_signature_is_good(&keys, &digest, &signature));
	}
}

static void set_environment(struct fixture *fixture)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/config", fixture->path);
	assert_int_equal(mkdir(path, 0700), 0);
	setenv("XDG_CONFIG_HOME", path, 1);
	setenv("OCLCACHE_ROOT", fixture->path, 1);
	strcat(path, "/oclcache");
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/etc", fixture->path);
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/oclcache");
	assert_int_equal(mkdir(path, 0755), 0);
	unsetenv("OCLCACHE_TRUSTED_KEYS");
	unsetenv("OCLCACHE_SIGNING_KEY");
}

#define SYSTEM "etc/oclcache/trusted-keys"
#define USER   "config/oclcache/trusted-keys"
#define OWN    "config/oclcache/signing-key"

static void write_text(struct fixture *fixture, const char *name,
		       const char *text)
{
	fixture_write(fixture, name, text, strlen(text));
}

static char problems[2048];

static void note(void *data, const char *file, unsigned line,
		 const char *problem)
{
	const struct fixture *fixture = data;

	if (!strncmp(file, fixture->path, strlen(fixture->path)))
		file += strlen(fixture->path) + 1;
	snprintf(problems + strlen(problems),
		 sizeof(problems) - strlen(problems), "%s:%u: %s\n", file, line,
		 problem);
}

static void read_keys(struct fixture *fixture, struct occ_trusted_keys *keys)
{
	*problems = '\0';
	occ_settings_read(&settings);
	occ_trusted_keys_read(&settings, keys, note, fixture);
	occ_settings_release(&settings);
}

static void test_files(void **state)
{
	struct fixture *fixture = *state;
	struct occ_trusted_keys keys;

	set_environment(fixture);
	read_keys(fixture, &keys);
	assert_int_equal(keys.count, 0);
	assert_string_equal(problems, "");
	write_text(fixture, SYSTEM, "system-1:" PUBLIC_TEXT "\n");
	write_text(fixture, USER,
		   "# a comment\n\n \t\nuser-1:" PUBLIC_TEXT "\r\nwrong\n"
		   "system-1:" PUBLIC_TEXT "\nuser-2:" PUBLIC_TEXT);
	read_keys(fixture, &keys);
	assert_int_equal(keys.count, 3);
	assert_string_equal(keys.keys[0].name, "system-1");
	assert_string_equal(keys.keys[1].name, "user-1");
	assert_string_equal(keys.keys[2].name, "user-2");
	assert_string_equal(problems,
			    USER ":5: isn't a public key, NAME:BASE64\n");
	assert_true(occ_trusted_keys_have(&keys, "user-2"));
	assert_false(occ_trusted_keys_have(&keys, "user-"));
	/* The own one counts. */
	write_text(fixture, OWN, "own-1:" SECRET_TEXT "\n");
	read_keys(fixture, &keys);
	assert_int_equal(keys.count, 4);
	assert_string_equal(keys.keys[3].name, "own-1");
}

static void test_whose_files(void **state)
{
	struct fixture *fixture = *state;
	struct occ_trusted_keys keys;

	set_environment(fixture);
	write_text(fixture, USER, "user-1:" PUBLIC_TEXT "\n");
	assert_int_equal(fchmodat(fixture->directory, USER, 0602, 0), 0);
	read_keys(fixture, &keys);
	assert_int_equal(keys.count, 0);
	assert_string_equal(
		problems,
		USER ":0: can be written by users other than you and root\n");
	if (!geteuid()) {
		assert_int_equal(fchmodat(fixture->directory, USER, 0600, 0),
				 0);
		assert_int_equal(fchownat(fixture->directory, USER, 1000, 1000,
					  0),
				 0);
		read_keys(fixture, &keys);
		assert_int_equal(keys.count, 0);
	}
	assert_int_equal(unlinkat(fixture->directory, USER, 0), 0);
	assert_int_equal(mkfifoat(fixture->directory, USER, 0600), 0);
	read_keys(fixture, &keys);
	assert_string_equal(problems, USER ":0: isn't a regular file\n");
}

static void test_too_many(void **state)
{
	struct occ_buffer text = OCC_BUFFER_INIT;
	struct fixture *fixture = *state;
	struct occ_trusted_keys keys;
	char line[80];

	set_environment(fixture);
	for (int i = 0; i < OCC_TRUSTED_KEYS_MAX + 1; i++) {
		snprintf(line, sizeof(line), "key-%d:" PUBLIC_TEXT "\n", i);
		occ_buffer_append(&text, line, strlen(line));
	}
	fixture_write(fixture, USER, text.data, text.size);
	occ_buffer_release(&text);
	read_keys(fixture, &keys);
	assert_int_equal(keys.count, OCC_TRUSTED_KEYS_MAX);
	assert_string_equal(problems, USER
			    ":65: is one key too many: at most 64 are read\n");
}

static void test_set_files(void **state)
{
	struct fixture *fixture = *state;
	struct occ_trusted_keys keys;
	char list[256];

	set_environment(fixture);
	write_text(fixture, SYSTEM, "system-1:" PUBLIC_TEXT "\n");
	write_text(fixture, "one", "one-1:" PUBLIC_TEXT "\n");
	write_text(fixture, "two", "two-1:" PUBLIC_TEXT "\n");
	snprintf(list, sizeof(list), "%s/one::%s/three:two:%s/two",
		 fixture->path, fixture->path, fixture->path);
	setenv("OCLCACHE_TRUSTED_KEYS", list, 1);
	read_keys(fixture, &keys);
	assert_int_equal(keys.count, 2);
	assert_string_equal(keys.keys[0].name, "one-1");
	assert_string_equal(keys.keys[1].name, "two-1");
	assert_string_equal(problems, "three:0: doesn't exist\n");
	unsetenv("OCLCACHE_TRUSTED_KEYS");
}

static int read_own(const char **ret_problem)
{
	struct occ_signing_key key;
	int error;

	occ_settings_read(&settings);
	error = occ_signing_key_read(&settings, &key, ret_problem);
	occ_settings_release(&settings);
	return error;
}

static void test_signing_key(void **state)
{
	struct fixture *fixture = *state;
	const char *problem;
	char path[128];

	set_environment(fixture);
	assert_int_equal(read_own(&problem), OCC_E_NOT_FOUND);
	assert_string_equal(problem, "doesn't exist");
	write_text(fixture, OWN, "# mine\nown-1:" SECRET_TEXT "\n");
	assert_int_equal(read_own(&problem), OCC_OK);
	for (mode_t other = 1; other <= 040; other <<= 1) {
		assert_int_equal(fchmodat(fixture->directory, OWN, 0600 | other,
					  0),
				 0);
		assert_int_equal(read_own(&problem), OCC_E_FORBIDDEN);
		assert_string_equal(problem, "can be read or written by "
					     "other users");
	}
	assert_int_equal(fchmodat(fixture->directory, OWN, 0600, 0), 0);
	write_text(fixture, OWN, "# none\n");
	assert_int_equal(read_own(&problem), OCC_E_CORRUPT);
	assert_string_equal(problem, "contains no key");
	write_text(fixture, OWN, "own-1:" PUBLIC_TEXT "\n");
	assert_int_equal(read_own(&problem), OCC_E_CORRUPT);
	write_text(fixture, OWN,
		   "own-1:" SECRET_TEXT "\nown-2:" SECRET_TEXT "\n");
	assert_int_equal(read_own(&problem), OCC_E_CORRUPT);
	assert_string_equal(problem, "contains more than one key");
	snprintf(path, sizeof(path), "%s/elsewhere", fixture->path);
	write_text(fixture, "elsewhere", "own-1:" SECRET_TEXT);
	setenv("OCLCACHE_SIGNING_KEY", path, 1);
	assert_int_equal(read_own(&problem), OCC_OK);
	unsetenv("OCLCACHE_SIGNING_KEY");
}

static void test_no_home(void **state)
{
	char path[128];

	(void)state;
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	assert_false(occ_signature_path("name", path, sizeof(path)));
	setenv("HOME", "/home/me", 1);
	setenv("XDG_CONFIG_HOME", "relative", 1);
	assert_true(occ_signature_path("name", path, sizeof(path)));
	assert_string_equal(path, "/home/me/.config/oclcache/name");
	assert_true(occ_signature_path("", path, sizeof(path)));
	assert_string_equal(path, "/home/me/.config/oclcache");
	assert_false(occ_signature_path("name", path, 30));
}

#define WITH_DIRECTORY(test)                                                   \
	cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digest),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_parse_secret),
		cmocka_unit_test(test_sign),
		cmocka_unit_test(test_small_order),
		WITH_DIRECTORY(test_files),
		WITH_DIRECTORY(test_whose_files),
		WITH_DIRECTORY(test_too_many),
		WITH_DIRECTORY(test_set_files),
		WITH_DIRECTORY(test_signing_key),
		cmocka_unit_test(test_no_home),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
