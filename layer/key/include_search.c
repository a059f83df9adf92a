/* SPDX-License-Identifier: MIT */
#include "layer/key/include_search.h"

#include <stdlib.h>
#include <string.h>

#include "cache/entry.h"
#include "cache/include_files.h"
#include "cache/includes.h"
#include "cache/version.h"
#include "hash/buffer.h"
#include "hash/closure.h"
#include "hash/digest.h"
#include "hash/scan.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/base/writer.h"
#include "layer/driver/identity.h"
#include "layer/key/include_dirs.h"
#include "layer/key/input.h"

/* Goes up when what is found for the same files may be something else. */
#define SEARCH_VERSION 4

static struct occ_scan *scan(const struct occ_input *input)
{
	return occ_scan_make(input->text, input->size);
}

/* Scans of the source and the headers; frees them. */
struct texts {
	struct occ_scan *source;
	struct occ_closure_header *headers;
	size_t count;
};

static bool scan_texts(const struct occ_build_key *build_key,
		       struct texts *ret_texts)
{
	struct texts texts = {.source = scan(build_key->input)};

	texts.headers = calloc(build_key->header_count + (size_t)1,
			       sizeof(*texts.headers));
	*ret_texts = texts;
	if (!texts.source || !texts.headers)
		return false;
	for (cl_uint i = 0; i < build_key->header_count; i++) {
		struct occ_closure_header *header = &texts.headers[i];

		header->name = build_key->headers[i].name;
		header->scan = scan(build_key->headers[i].input);
		ret_texts->count = i + (size_t)1;
		if (!header->scan)
			return false;
	}
	return true;
}

static void release_texts(struct texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		occ_scan_release((struct occ_scan *)texts->headers[i].scan);
	free(texts->headers);
	occ_scan_release(texts->source);
}

static bool options_include(const struct occ_build_key *build_key)
{
	return strstr(build_key->options, "-include") ||
	       strstr(build_key->options, "-imacros");
}

/* Does any text, or option, name files? */
static bool includes_files(const struct occ_build_key *build_key,
			   const struct texts *texts)
{
	if (options_include(build_key) || occ_scan_includes(texts->source))
		return true;
	for (size_t i = 0; i < texts->count; i++)
		if (occ_scan_includes(texts->headers[i].scan))
			return true;
	return false;
}

void occ_include_search_release(struct occ_include_search *search)
{
	occ_closure_release(&search->closure);
	occ_buffer_release(&search->looks);
	occ_buffer_release(&search->directories);
}

/* Where a driver looks. */
struct places {
	char **directories;
	char *here;
};

static enum occ_reason take_places(const struct occ_build_key *build_key,
				   struct places *ret_places)
{
	const struct occ_identity *identity = build_key->identities[0];
	enum occ_reason reason =
		occ_include_dirs_take(identity, &ret_places->directories);

	ret_places->here = NULL;
	return reason ? reason
		      : occ_include_dirs_here(identity, &ret_places->here);
}

static void free_places(struct places *places)
{
	occ_include_dirs_free(places->directories);
	free(places->here);
}

static void append_string(struct occ_buffer *bytes, const char *string)
{
	occ_buffer_append(bytes, string, strlen(string) + 1);
}

static void list_places(const struct places *places, struct occ_buffer *list)
{
	for (char **directory = places->directories; directory && *directory;
	     directory++)
		append_string(list, *directory);
	append_string(list, "");
	if (places->here)
		append_string(list, places->here);
}

enum occ_reason occ_include_search_list_directories(
	const struct occ_build_key *build_key, struct occ_buffer *ret_list)
{
	struct places places;
	enum occ_reason reason = take_places(build_key, &places);

	list_places(&places, ret_list);
	free_places(&places);
	return reason;
}

static enum occ_reason follow_in_directories(
	const struct occ_build_key *build_key,
	struct occ_closure_request *request, struct occ_include_search *search)
{
	struct places places;
	enum occ_reason reason = take_places(build_key, &places);

	request->directories = (const char *const *)places.directories;
	request->here = places.here;
	search->searched = true;
	list_places(&places, &search->directories);
	if (!reason)
		reason = occ_closure_make(request, &search->closure);
	free_places(&places);
	return reason;
}

static enum occ_reason follow_texts(const struct occ_build_key *build_key,
				    const struct texts *texts,
				    struct occ_include_files_view *view,
				    struct occ_include_search *search)
{
	const struct occ_identity *identity = build_key->identities[0];
	struct occ_closure_request request = {
		.source = texts->source,
		.headers = texts->headers,
		.header_count = texts->count,
		.options = build_key->options,
		.dialect = identity->driver->dialect,
		.own_unknown = identity->driver->learnt,
		.splices_blanks = identity->driver->splices_blanks,
		.implicit =
			occ_include_dirs_headers(identity, texts->count > 0),
		.look = occ_include_files_look,
		.look_data = view,
	};
	enum occ_reason reason;

	if (includes_files(build_key, texts))
		return follow_in_directories(build_key, &request, search);
	reason = occ_closure_make(&request, &search->closure);
	if (reason || !search->closure.file_count)
		return reason;
	/* What the driver includes by itself may include others. */
	occ_closure_release(&search->closure);
	return follow_in_directories(build_key, &request, search);
}

enum occ_reason occ_include_search_make(const struct occ_build_key *build_key,
					bool anew,
					struct occ_include_search *ret_search)
{
	struct occ_include_files_view *view = occ_include_files_view_open(anew);
	enum occ_reason reason = OCC_REASON_OUT_OF_MEMORY;
	struct texts texts;

	memset(ret_search, 0, sizeof(*ret_search));
	if (scan_texts(build_key, &texts) && view) {
		reason = follow_texts(build_key, &texts, view, ret_search);
		occ_include_files_view_stamp(view, &ret_search->stamp);
		ret_search->repeatable =
			occ_include_files_view_looks(view,
						     &ret_search->looks) &&
			!ret_search->directories.failed;
	}
	release_texts(&texts);
	occ_include_files_view_close(view);
	return reason;
}

static bool mentions_includes(const struct occ_input *input)
{
	return memmem(input->text, input->size, "include", 7) ||
	       memmem(input->text, input->size, "import", 6);
}

/* Is it worth while to ask? Spellings that this doesn't see are scanned. */
static bool may_include(const struct occ_build_key *build_key)
{
	if (options_include(build_key) || mentions_includes(build_key->input))
		return true;
	for (cl_uint i = 0; i < build_key->header_count; i++)
		if (mentions_includes(build_key->headers[i].input))
			return true;
	return false;
}

static void append_number(struct occ_buffer *bytes, uint64_t number)
{
	unsigned char word[8];

	occ_put_u64(word, number);
	occ_buffer_append(bytes, word, sizeof(word));
}

static void append_text(struct occ_buffer *bytes, const struct occ_input *input)
{
	struct occ_digest digest;

	append_number(bytes, input->size);
	occ_digest(input->text, input->size, OCC_SEED_NAME, &digest);
	occ_buffer_append(bytes, digest.bytes, OCC_DIGEST_SIZE);
	occ_digest(input->text, input->size, OCC_SEED_FIELD, &digest);
	occ_buffer_append(bytes, digest.bytes, OCC_DIGEST_SIZE);
}

/* All that occ_include_search_make() goes by, but for the files. */
static void ask(const struct occ_build_key *build_key,
		const struct occ_buffer *directories,
		struct occ_buffer *question)
{
	const struct occ_identity *identity = build_key->identities[0];
	const char *const *implicit =
		occ_include_dirs_headers(identity, build_key->header_count > 0);

	append_string(question, OCC_WRITER);
	append_number(question, SEARCH_VERSION);
	append_number(question, identity->driver->dialect
					? identity->driver->dialect->number
					: 0);
	append_number(question, identity->driver->learnt);
	for (; implicit && *implicit; implicit++)
		append_string(question, *implicit);
	append_string(question, "");
	append_text(question, build_key->input);
	append_string(question, build_key->options);
	append_number(question, build_key->header_count);
	for (cl_uint i = 0; i < build_key->header_count; i++) {
		append_string(question, build_key->headers[i].name);
		append_text(question, build_key->headers[i].input);
	}
	occ_buffer_append(question, directories->data, directories->size);
}

static bool recall(const struct occ_build_key *build_key,
		   struct occ_include_search *search)
{
	struct occ_buffer question = OCC_BUFFER_INIT;
	struct occ_includes includes;
	bool found;

	ask(build_key, &search->directories, &question);
	found = !question.failed && !search->directories.failed &&
		occ_includes_recall(occ_stores(), occ_buffer_span(&question),
				    &includes);
	occ_buffer_release(&question);
	if (!found)
		return false;
	search->closure = includes.closure;
	search->stamp = includes.stamp;
	search->looks = includes.looks;
	search->searched = true;
	search->repeatable = true;
	search->recalled = true;
	return true;
}

bool occ_include_search_recall(const struct occ_build_key *build_key,
			       struct occ_include_search *ret_search)
{
	memset(ret_search, 0, sizeof(*ret_search));
	if (!occ_stores_is_written() || !may_include(build_key))
		return false;
	if (!occ_include_search_list_directories(build_key,
						 &ret_search->directories) &&
	    recall(build_key, ret_search)) {
		occ_log_debug("what is included is known and unchanged");
		return true;
	}
	occ_buffer_release(&ret_search->directories);
	return false;
}

/* Something to be remembered, on its way to the store. */
struct note {
	struct occ_task task; /* first: tasks are these */
	struct occ_buffer file;
};

static void write_note(struct occ_task *task)
{
	struct note *note = (struct note *)task;

	/* What can't be kept is found again. */
	occ_includes_remember(occ_stores(), &note->file);
	occ_buffer_release(&note->file);
	free(note);
}

static bool fits(const struct occ_build_key *build_key)
{
	return build_key->closure.fields.size + build_key->closure.absent.size +
		       build_key->looks.size <
	       OCC_INCLUDES_SIZE_MAX;
}

static void add_note(const struct occ_build_key *build_key)
{
	struct occ_buffer question = OCC_BUFFER_INIT;
	struct note *note = calloc(1, sizeof(*note));

	if (!note)
		return;
	ask(build_key, &build_key->directories, &question);
	if (!question.failed)
		occ_includes_encode(occ_buffer_span(&question),
				    &build_key->closure,
				    &build_key->closure_stamp,
				    &build_key->looks, &note->file);
	occ_buffer_release(&question);
	note->task.run = write_note;
	note->task.bytes = note->file.size;
	occ_writer_add(&note->task);
}

void occ_include_search_remember(struct occ_build_key *build_key)
{
	if (!build_key->searched || !build_key->looks.size ||
	    __atomic_exchange_n(&build_key->remembered, true, __ATOMIC_RELAXED))
		return;
	if (occ_settings.store_policy != OCC_STORE_NEVER &&
	    occ_stores_is_written() && may_include(build_key) &&
	    fits(build_key) && occ_include_files_lasts(&build_key->looks))
		add_note(build_key);
}

void occ_include_search_forget(const struct occ_build_key *build_key)
{
	struct occ_buffer question = OCC_BUFFER_INIT;

	ask(build_key, &build_key->directories, &question);
	if (!question.failed && occ_stores_is_written())
		occ_includes_forget(occ_stores(), occ_buffer_span(&question));
	occ_buffer_release(&question);
}
