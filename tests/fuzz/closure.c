/* SPDX-License-Identifier: MIT */
/*
 * hash/closure.h, and with it hash/macro.h: bytes as a compilation. The parts,
 * each ended by a NUL: options (their first byte chooses the driver), the
 * source, and then names and contents of files, in turn; every file can be
 * found in any directory by the end of its path. The closure of the same is the
 * same, and has no file that isn't there.
 */
#include "tests/fuzz/fuzz.h"

#include "hash/closure.h"

#define FILES_MAX 16

struct file {
	char *name;
	struct occ_span text;
	struct occ_scan *scan;
};

struct files {
	struct file items[FILES_MAX];
	size_t count;
};

static bool ends_with(const char *path, const char *name)
{
	size_t size = strlen(path), length = strlen(name);

	return length && size >= length &&
	       !strcmp(path + size - length, name) &&
	       (size == length || path[size - length - 1] == '/');
}

static enum occ_closure_found look(const char *path, bool contents,
				   struct occ_closure_file *ret_file,
				   void *data)
{
	struct files *files = data;

	for (size_t i = 0; i < files->count; i++) {
		struct file *file = &files->items[i];

		if (!ends_with(path, file->name))
			continue;
		memset(ret_file, 0, sizeof(*ret_file));
		ret_file->file[1] = i + 1;
		if (!contents)
			return OCC_CLOSURE_FOUND;
		ret_file->directory[1] = strlen(path) - strlen(file->name);
		ret_file->size = file->text.size;
		ret_file->scan = file->scan;
		occ_digest(file->text.data, file->text.size, OCC_SEED_NAME,
			   &ret_file->digests[0]);
		return OCC_CLOSURE_FOUND;
	}
	return OCC_CLOSURE_ABSENT;
}

static void take_files(const uint8_t *data, size_t size, struct files *files)
{
	struct occ_span name, text;

	files->count = 0;
	while (files->count < FILES_MAX && fuzz_next(&data, &size, 0, &name)) {
		struct file *file = &files->items[files->count++];

		if (!fuzz_next(&data, &size, 0, &text))
			text = (struct occ_span){NULL, 0};
		file->name = fuzz_string(name.data, name.size);
		file->text.data = fuzz_copy(text.data, text.size);
		file->text.size = text.size;
		file->scan =
			occ_scan_make((const char *)file->text.data, text.size);
		fuzz_expect(file->scan, "a scan");
	}
}

static void release_files(struct files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		occ_scan_release(files->items[i].scan);
		free((void *)(uintptr_t)files->items[i].text.data);
		free(files->items[i].name);
	}
}

static void check_fields(const struct occ_closure *closure)
{
	struct occ_field field;
	size_t offset = 0, files = 0;
	int found;

	while ((found = occ_field_next(closure->fields.data,
				       closure->fields.size, &offset,
				       &field)) == 1) {
		fuzz_expect(field.length > OCC_KEY_FILE_HEAD, "a path");
		files += field.id == OCC_KEY_INCLUDE_FILE;
	}
	fuzz_expect(!found && files == closure->file_count, "all files");
}

static void play(const struct occ_closure_request *request)
{
	struct occ_closure closure, again;
	enum occ_reason reason = occ_closure_make(request, &closure);

	fuzz_expect(occ_closure_make(request, &again) == reason,
		    "the same answer");
	if (!reason) {
		check_fields(&closure);
		fuzz_expect(occ_closure_equal(&closure, &again) &&
				    closure.names_source == again.names_source,
			    "the same closure");
	}
	occ_closure_release(&closure);
	occ_closure_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const directories[] = {"/driver", NULL};
	struct occ_span options = {NULL, 0}, source = {NULL, 0};
	struct occ_closure_request request = {.directories = directories,
					      .look = look};
	struct files files;
	char *text, *words;

	fuzz_next(&data, &size, 0, &options);
	fuzz_next(&data, &size, 0, &source);
	take_files(data, size, &files);
	text = (char *)fuzz_copy(source.data, source.size);
	words = fuzz_string(options.size ? options.data + 1 : NULL,
			    options.size ? options.size - 1 : 0);
	request.source = occ_scan_make(text, source.size);
	request.options = words;
	request.dialect = fuzz_dialect(options.size ? *options.data : 0);
	request.splices_blanks = request.dialect;
	request.look_data = &files;
	fuzz_expect(request.source, "a scan");
	play(&request);
	occ_scan_release((struct occ_scan *)(uintptr_t)request.source);
	release_files(&files);
	free(words);
	free(text);
	return 0;
}
