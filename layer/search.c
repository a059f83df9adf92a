/* SPDX-License-Identifier: MIT */
#include "layer/search.h"

#include <stdlib.h>
#include <string.h>

#include "cache/content.h"
#include "cache/includes.h"
#include "cache/version.h"
#include "layer/config.h"
#include "layer/disk.h"
#include "layer/folders.h"
#include "layer/log.h"
#include "layer/writer.h"

/* Goes up when what is found for the same files may be something else. */
#define SEARCH_VERSION 1

static const char out_of_memory[] = "out of memory";

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

static bool scan_texts(const struct occ_recipe *recipe, struct texts *ret_texts)
{
	struct texts texts = {.source = scan(recipe->input)};

	texts.headers = calloc(recipe->header_count + (size_t)1,
			       sizeof(*texts.headers));
	*ret_texts = texts;
	if (!texts.source || !texts.headers)
		return false;
	for (cl_uint i = 0; i < recipe->header_count; i++) {
		struct occ_closure_header *header = &texts.headers[i];

		header->name = recipe->headers[i].name;
		header->scan = scan(recipe->headers[i].input);
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

static bool options_include(const struct occ_recipe *recipe)
{
	return strstr(recipe->options, "-include") ||
	       strstr(recipe->options, "-imacros");
}

/* Does any text, or option, name files? */
static bool includes_files(const struct occ_recipe *recipe,
			   const struct texts *texts)
{
	if (options_include(recipe) || occ_scan_includes(texts->source))
		return true;
	for (size_t i = 0; i < texts->count; i++)
		if (occ_scan_includes(texts->headers[i].scan))
			return true;
	return false;
}

void occ_search_release(struct occ_search *search)
{
	occ_closure_release(&search->closure);
	occ_buffer_release(&search->looks);
	occ_buffer_release(&search->folders);
}

void occ_search_list_folders(char *const *folders, struct occ_buffer *ret_list)
{
	for (; folders && *folders; folders++)
		occ_buffer_append(ret_list, *folders, strlen(*folders) + 1);
}

static const char *follow_in_folders(const struct occ_recipe *recipe,
				     struct occ_closure_request *request,
				     struct occ_search *search)
{
	char **folders;
	const char *reason = occ_folders_take(recipe->identities[0], &folders);

	request->folders = (const char *const *)folders;
	search->searched = true;
	occ_search_list_folders(folders, &search->folders);
	if (!reason)
		reason = occ_closure_make(request, &search->closure);
	occ_folders_free(folders);
	return reason;
}

static const char *follow_texts(const struct occ_recipe *recipe,
				const struct texts *texts,
				struct occ_content_view *view,
				struct occ_search *search)
{
	const struct occ_identity *identity = recipe->identities[0];
	struct occ_closure_request request = {
		.source = texts->source,
		.headers = texts->headers,
		.header_count = texts->count,
		.options = recipe->options,
		.driver = identity->driver->options,
		.implicit = occ_folders_headers(identity),
		.look = occ_content_look,
		.look_data = view,
	};
	const char *reason;

	if (includes_files(recipe, texts))
		return follow_in_folders(recipe, &request, search);
	reason = occ_closure_make(&request, &search->closure);
	if (reason || !search->closure.file_count)
		return reason;
	/* What the driver includes by itself may include others. */
	occ_closure_release(&search->closure);
	return follow_in_folders(recipe, &request, search);
}

const char *occ_search_make(const struct occ_recipe *recipe,
			    struct occ_search *ret_search)
{
	struct occ_content_view *view = occ_content_view_open();
	const char *reason = out_of_memory;
	struct texts texts;

	memset(ret_search, 0, sizeof(*ret_search));
	if (scan_texts(recipe, &texts) && view) {
		reason = follow_texts(recipe, &texts, view, ret_search);
		occ_content_view_stamp(view, &ret_search->stamp);
		ret_search->repeatable =
			occ_content_view_looks(view, &ret_search->looks) &&
			!ret_search->folders.failed;
	}
	release_texts(&texts);
	occ_content_view_close(view);
	return reason;
}

static bool mentions_includes(const struct occ_input *input)
{
	return memmem(input->text, input->size, "include", 7) ||
	       memmem(input->text, input->size, "import", 6);
}

/* Is it worth while to ask? Spellings that this doesn't see are scanned. */
static bool may_include(const struct occ_recipe *recipe)
{
	if (options_include(recipe) || mentions_includes(recipe->input))
		return true;
	for (cl_uint i = 0; i < recipe->header_count; i++)
		if (mentions_includes(recipe->headers[i].input))
			return true;
	return false;
}

static void append_number(struct occ_buffer *bytes, uint64_t number)
{
	unsigned char word[8];

	occ_put_u64(word, number);
	occ_buffer_append(bytes, word, sizeof(word));
}

static void append_string(struct occ_buffer *bytes, const char *string)
{
	occ_buffer_append(bytes, string, strlen(string) + 1);
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

/* All that occ_search_make() goes by, but for the files. */
static void ask(const struct occ_recipe *recipe,
		const struct occ_buffer *folders, struct occ_buffer *question)
{
	const struct occ_identity *identity = recipe->identities[0];
	const char *const *implicit = occ_folders_headers(identity);

	append_string(question, OCC_WRITER);
	append_number(question, SEARCH_VERSION);
	append_number(question, identity->driver->options);
	for (; implicit && *implicit; implicit++)
		append_string(question, *implicit);
	append_string(question, "");
	append_text(question, recipe->input);
	append_string(question, recipe->options);
	append_number(question, recipe->header_count);
	for (cl_uint i = 0; i < recipe->header_count; i++) {
		append_string(question, recipe->headers[i].name);
		append_text(question, recipe->headers[i].input);
	}
	occ_buffer_append(question, folders->data, folders->size);
}

static bool recall(const struct occ_recipe *recipe, struct occ_search *search)
{
	struct occ_buffer question = OCC_BUFFER_INIT;
	struct occ_includes includes;
	bool found;

	ask(recipe, &search->folders, &question);
	found = !question.failed && !search->folders.failed &&
		occ_includes_recall(occ_disk(),
				    (struct occ_span){question.data,
						      question.size},
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

bool occ_search_recall(const struct occ_recipe *recipe,
		       struct occ_search *ret_search)
{
	char **folders;

	memset(ret_search, 0, sizeof(*ret_search));
	if (!occ_disk_is_written() || !may_include(recipe) ||
	    occ_folders_take(recipe->identities[0], &folders))
		return false;
	occ_search_list_folders(folders, &ret_search->folders);
	occ_folders_free(folders);
	if (recall(recipe, ret_search)) {
		occ_log_debug("what is included is known and unchanged");
		return true;
	}
	occ_buffer_release(&ret_search->folders);
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
	occ_includes_remember(occ_disk(), &note->file);
	occ_buffer_release(&note->file);
	free(note);
}

static bool fits(const struct occ_recipe *recipe)
{
	return recipe->closure.fields.size + recipe->closure.absent.size +
		       recipe->looks.size <
	       OCC_INCLUDES_SIZE_MAX;
}

static void add_note(const struct occ_recipe *recipe)
{
	struct occ_buffer question = OCC_BUFFER_INIT;
	struct note *note = calloc(1, sizeof(*note));

	if (!note)
		return;
	ask(recipe, &recipe->folders, &question);
	if (!question.failed)
		occ_includes_encode((struct occ_span){question.data,
						      question.size},
				    &recipe->closure, &recipe->closure_stamp,
				    &recipe->looks, &note->file);
	occ_buffer_release(&question);
	note->task.run = write_note;
	note->task.bytes = note->file.size;
	occ_writer_add(&note->task);
}

void occ_search_remember(struct occ_recipe *recipe)
{
	if (!recipe->searched || !recipe->looks.size ||
	    __atomic_exchange_n(&recipe->remembered, true, __ATOMIC_RELAXED))
		return;
	if (occ_config.store_policy != OCC_STORE_NEVER &&
	    occ_disk_is_written() && may_include(recipe) && fits(recipe) &&
	    occ_content_lasts(&recipe->looks))
		add_note(recipe);
}

void occ_search_forget(const struct occ_recipe *recipe)
{
	struct occ_buffer question = OCC_BUFFER_INIT;

	ask(recipe, &recipe->folders, &question);
	if (!question.failed && occ_disk_is_written())
		occ_includes_forget(occ_disk(),
				    (struct occ_span){question.data,
						      question.size});
	occ_buffer_release(&question);
}
