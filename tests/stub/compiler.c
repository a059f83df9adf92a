/* SPDX-License-Identifier: MIT */
#include "tests/stub/compiler.h"

#include <stdlib.h>
#include <string.h>

#include "tests/stub/kept.h"
#include "tests/stub/object.h"
#include "tests/stub/switches.h"

/* STUB_TARGETED: all that makes this driver another one. */
static void add_target(struct stub_digest *digest)
{
	const char *variable = getenv(stub.variable);
	const char *const texts[] = {
		stub.platform_name,	 stub.platform_vendor,
		stub.platform_version,	 stub.device_name,
		stub.device_vendor,	 stub.device_version,
		stub.opencl_c_version,	 stub.extensions,
		stub.driver_version,	 stub.machine,
		variable ? variable : ""};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		stub_digest_add(digest, texts[i], strlen(texts[i]));
	stub_digest_add(digest, &stub.vendor_id, sizeof(stub.vendor_id));
}

static void finish(struct stub_code *code, const struct stub_source *source,
		   const struct stub_text *expanded)
{
	struct stub_digest digest = STUB_DIGEST_INIT;

	stub_digest_add(&digest, source->text, source->size);
	stub_digest_add(&digest, source->raw_options,
			strlen(source->raw_options));
	if (expanded)
		stub_digest_add(&digest, stub_text_string(expanded),
				expanded->size);
	for (size_t i = 0; i < source->constant_count; i++) {
		const struct stub_constant *constant = &source->constants[i];

		stub_digest_add(&digest, &constant->id, sizeof(constant->id));
		stub_digest_add(&digest, constant->value, constant->size);
	}
	if (stub.targeted)
		add_target(&digest);
	stub_digest_hex(&digest, code->digest);
}

static struct stub_code *compile_text(const struct stub_source *source,
				      struct stub_text *log)
{
	struct stub_code *code =
		stub_code_new(CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
	struct stub_preprocessor state = {
		.options = source->options,
		.headers = source->headers,
		.header_count = source->header_count,
	};
	bool good;

	if (!stub_kept_find(source, &state.out)) {
		stub_preprocess(&state, source->text);
		if (!state.errors)
			stub_kept_add(source, &state.out);
	}
	if (!source->options->no_warnings || state.errors)
		stub_text_add(log, stub_text_string(&state.log),
			      state.log.size);
	good = !state.errors &&
	       (!state.warnings || !source->options->warnings_are_errors) &&
	       stub_parse(code, stub_text_string(&state.out),
			  source->options->argument_info, log);
	finish(code, source, &state.out);
	stub_preprocessor_release(&state);
	if (good)
		return code;
	stub_code_release(code);
	return NULL;
}

struct stub_code *stub_compile(const struct stub_source *source,
			       struct stub_text *log)
{
	struct stub_code *code;

	if (!source->is_il)
		return compile_text(source, log);
	code = stub_code_new(CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
	stub_il_parse(code, source->text, source->size);
	finish(code, source, NULL);
	return code;
}
