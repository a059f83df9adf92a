/* SPDX-License-Identifier: MIT */
/*
 * storage/http_settings.h, storage/s3_credentials.h, storage/compression.h:
 * what a server is asked for, without one.
 */
#include "tests/unit/fixture.h"

#include "cache/entry_format.h"
#include "storage/compression.h"
#include "storage/inflow.h"
#include "storage/http_settings.h"
#include "storage/s3_credentials.h"

static char problem[256];
static struct occ_storage_options options;

/* Attributes as "NAME=VALUE", a NULL at the end. */
static bool make(const char *url, const char *const *attributes,
		 struct occ_http_settings *ret_settings)
{
	struct occ_backend_error error = {.is_fatal = false};

	assert_true(occ_storage_options_begin(&options, url, problem,
					      sizeof(problem)));
	for (; *attributes; attributes++) {
		char *key = strdup(*attributes);
		char *equals = strchr(key, '=');

		*equals = '\0';
		assert_true(occ_storage_options_add(&options, key, equals + 1));
		free(key);
	}
	if (occ_http_settings_make(&options, ret_settings, &error))
		return true;
	assert_true(*error.message);
	return false;
}

static void forget(struct occ_http_settings *settings)
{
	occ_http_settings_release(settings);
	occ_storage_options_release(&options);
}

static void expect_url(const char *url, const char *const *attributes,
		       struct occ_span key, const char *wanted)
{
	struct occ_http_settings settings;
	char *found;

	assert_true(make(url, attributes, &settings));
	found = occ_http_url(&settings, key);
	assert_string_equal(found, wanted);
	free(found);
	forget(&settings);
}

/* Those of ccache's HTTP helpers. */
static void test_layouts(void **state)
{
	static const char *const none[] = {NULL};
	static const char *const flat[] = {"layout=flat", NULL};
	static const char *const bazel[] = {"layout=bazel", NULL};
	const struct occ_span key = {(const unsigned char *)"\xab\xcd\xef", 3};
	const struct occ_span one = {(const unsigned char *)"\xab", 1};
	const unsigned char zeros[40] = {0};

	(void)state;
	expect_url("http://h", none, key, "http://h/ab/cdef");
	expect_url("http://h/", none, key, "http://h/ab/cdef");
	expect_url("https://h:1/a%20b/", none, key,
		   "https://h:1/a%20b/ab/cdef");
	expect_url("http://[::1]:2/p?q=1&r", none, key,
		   "http://[::1]:2/p/ab/cdef?q=1&r");
	expect_url("http://u:p@h", none, one, "http://h/ab");
	expect_url("http://h", flat, key, "http://h/abcdef");
	expect_url("http://h/p", bazel, key,
		   "http://h/p/ac/abcdefabcdefabcdefabcdefabcdefabcdefabcdef"
		   "abcdefabcdefabcdefabcd");
	expect_url("http://h", bazel, (struct occ_span){zeros, 40},
		   "http://h/ac/00000000000000000000000000000000000000000000"
		   "00000000000000000000");
	expect_url("http://h", bazel, (struct occ_span){zeros, 0},
		   "http://h/ac/");
}

static void test_s3(void **state)
{
	static const char *const plain[] = {"region=eu-west-1", NULL};
	static const char *const at[] = {"endpoint=http://127.0.0.1:9000/",
					 NULL};
	const struct occ_span key = {(const unsigned char *)"\xab\xcd", 2};

	(void)state;
	expect_url("s3://bucket/pre/fix", plain, key,
		   "https://s3.eu-west-1.amazonaws.com/bucket/pre/fix/ab/cd");
	expect_url("s3://bucket", at, key,
		   "http://127.0.0.1:9000/bucket/ab/cd");
}

static void test_refused(void **state)
{
	static const struct {
		const char *url;
		const char *attributes[2];
	} cases[] = {
		{"http://h", {"layout=deep"}},
		{"http://h", {"bearer=x"}},
		{"http://h", {"region=x"}},
		{"http://h", {"ca-file=relative"}},
		{"http://h", {"bearer-token-file=relative"}},
		{"http://h", {"use-netrc=perhaps"}},
		{"http:/p", {NULL}},
		{"s3://b", {"bearer-token=x"}},
		{"s3://b", {"region=a.b/c"}},
		{"s3://b", {"endpoint=ftp://h"}},
		{"s3://b", {"endpoint=http://u:p@h"}},
		{"s3://b", {"endpoint=http://h/path"}},
		{"s3://b:80/", {NULL}},
		{"s3://u:p@b/", {NULL}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct occ_http_settings settings;

		assert_false(
			make(cases[i].url, cases[i].attributes, &settings));
		forget(&settings);
	}
}

static void test_profiles(void **state)
{
	static const char text[] = "aws_access_key_id = outside\n"
				   "[default]\r\n"
				   "# aws_access_key_id = comment\n"
				   "aws_access_key_id=ID\r\n"
				   "  aws_secret_access_key =  a/b+c=  \n"
				   "region = x\n"
				   "[ci]\n"
				   "aws_access_key_id = ID2\n"
				   "aws_secret_access_key = S2\n"
				   "aws_session_token = T2\n"
				   "[half]\n"
				   "aws_access_key_id = ID3\n"
				   "[]\n[";
	struct occ_s3_credentials credentials;

	(void)state;
	assert_true(occ_s3_credentials_parse(text, "default", &credentials));
	assert_string_equal(credentials.access_key, "ID");
	assert_string_equal(credentials.secret_key, "a/b+c=");
	assert_null(credentials.session_token);
	occ_s3_credentials_release(&credentials);
	assert_true(occ_s3_credentials_parse(text, "ci", &credentials));
	assert_string_equal(credentials.session_token, "T2");
	occ_s3_credentials_release(&credentials);
	assert_false(occ_s3_credentials_parse(text, "half", &credentials));
	assert_false(occ_s3_credentials_parse(text, "none", &credentials));
	assert_false(occ_s3_credentials_parse("", "default", &credentials));
	assert_false(occ_s3_credentials_parse("[", "", &credentials));
}

static void note(void *context)
{
	++*(size_t *)context;
}

/* NULL: it is damaged. */
static struct occ_value *arrive(struct occ_span sent, size_t piece,
				bool announced)
{
	struct occ_inflow inflow = {.has_size = false};
	struct occ_value_sink sink = occ_inflow_sink(&inflow);
	struct occ_value *value;
	size_t notes = 0;
	bool good;

	occ_inflow_begin(&inflow, note, &notes);
	good = !announced || sink.size(sink.context, sent.size);
	for (size_t at = 0; good && at < sent.size; at += piece) {
		size_t left = sent.size - at;

		good = sink.take(sink.context,
				 (struct occ_span){sent.data + at,
						   left < piece ? left
								: piece});
		value = occ_inflow_value(&inflow);
		/* Who has the last byte has what is good. */
		assert_true(!value || !value->size ||
			    value->there < value->size);
	}
	good = good && occ_inflow_end(&inflow);
	occ_inflow_release(&inflow);
	value = occ_inflow_value(&inflow);
	assert_true(good == !inflow.problem);
	if (good)
		return value;
	occ_value_release(value);
	return NULL;
}

static bool arrives(struct occ_span sent)
{
	struct occ_value *value = arrive(sent, 100, true);

	occ_value_release(value);
	return value;
}

/* To the server and back. True: it was compressed. */
static bool travels(struct occ_span value)
{
	struct occ_buffer frame = OCC_BUFFER_INIT;
	struct occ_span sent = occ_frame_pack(value, &frame);
	bool compressed = sent.data != value.data;

	for (size_t piece = 1; piece <= sent.size + 1; piece += piece / 2 + 1) {
		struct occ_value *came = arrive(sent, piece, piece % 2);

		assert_non_null(came);
		assert_int_equal(came->there, value.size);
		assert_true(occ_span_equal((struct occ_span){came->data,
							     came->size},
					   value));
		occ_value_release(came);
	}
	occ_buffer_release(&frame);
	return compressed;
}

static void test_compression(void **state)
{
	unsigned char value[4096] = {0};
	struct occ_buffer frame = OCC_BUFFER_INIT;
	struct occ_span span = {value, sizeof(value)};

	(void)state;
	/* Others' values are as they were. */
	assert_false(travels(span));
	assert_false(travels((struct occ_span){value, 0}));
	memcpy(value, occ_entry_magic, sizeof(occ_entry_magic));
	assert_true(travels(span));
	assert_false(travels((struct occ_span){value, 8}));
	/* What looks like a frame is no exception. */
	occ_frame_pack(span, &frame);
	assert_true(travels(occ_buffer_span(&frame)));
	assert_true(travels((struct occ_span){frame.data, 8}));
	occ_buffer_release(&frame);
}

static void test_damaged_frames(void **state)
{
	unsigned char value[4096] = {0};
	struct occ_buffer frame = OCC_BUFFER_INIT;

	(void)state;
	memcpy(value, occ_entry_magic, sizeof(occ_entry_magic));
	occ_frame_pack((struct occ_span){value, sizeof(value)}, &frame);
	for (size_t size = 8; size < frame.size; size++) {
		assert_false(arrives((struct occ_span){frame.data, size}));
	}
	/* Nor is there anything behind it. */
	occ_buffer_append(&frame, "", 1);
	assert_false(arrives(occ_buffer_span(&frame)));
	frame.size--;
	/* Of sizes that nothing has no memory is taken. */
	occ_put_u64(frame.data + 8, UINT64_MAX);
	assert_false(arrives(occ_buffer_span(&frame)));
	occ_put_u64(frame.data + 8, sizeof(value) + 1);
	assert_false(arrives(occ_buffer_span(&frame)));
	occ_put_u64(frame.data + 8, sizeof(value) - 1);
	assert_false(arrives(occ_buffer_span(&frame)));
	occ_buffer_release(&frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_s3),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_compression),
		cmocka_unit_test(test_damaged_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
