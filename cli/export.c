/* SPDX-License-Identifier: MIT */
/*
 * oclcache export: a tar archive of verified entries. What it says first, the
 * manifest, is only known when all have been read; so they are read twice.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/file.h"
#include "cache/included_contents.h"
#include "cli/archive.h"
#include "cli/archive_signer.h"
#include "cli/catalogue.h"
#include "cli/command.h"
#include "cli/entry_contents.h"
#include "cli/link_target.h"
#include "cli/manifest.h"
#include "cli/message.h"
#include "cli/parallel_for.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/store_path.h"
#include "cli/text.h"
#include "cli/unfinished.h"
#include "cli/units.h"

/* Programs may store, evict or complete entries between the two readings. */
#define TRIES 3

struct parcel {
	const char *name;
	bool is_contents; /* of an included file; else it is an entry */
	bool good;
	const char *fault; /* NULL: good, or gone */
	uint64_t size;
	int64_t created; /* of its metadata; 0: it isn't known */
	struct occ_digest digest;
};

struct shipment {
	struct occ_store *store;
	int directory;
	bool or_roots;
	struct parcel *parcels; /* entries by name, then contents */
	size_t count;
	char (*names)[OCC_NAME_SIZE]; /* of contents */
	struct occ_entry_file wholes[OCC_PARALLEL_MAX];
	size_t good, bad; /* entries */
	size_t contents;
	uint64_t bytes;
	int64_t newest;
	const struct occ_archive_signer *signer;
};

static void digest_whole(const struct occ_entry_file *whole,
			 struct occ_digest *ret_digest)
{
	occ_digest(whole->memory, whole->size, OCC_SEED_CONTENT, ret_digest);
}

static void look(size_t index, unsigned worker, void *data)
{
	struct shipment *shipment = data;
	struct parcel *parcel = &shipment->parcels[index];
	struct occ_entry_file *whole = &shipment->wholes[worker];
	int error = occ_entry_file_read(shipment->directory, parcel->name,
					shipment->or_roots,
					OCC_ENTRY_FILE_WHOLE, whole);

	occ_progress_step(1);
	parcel->good = !error;
	if (error) {
		if (error != OCC_E_NOT_FOUND)
			parcel->fault = whole->fault;
		return;
	}
	parcel->size = whole->size;
	/* Not the file's time, which is when it was last used. */
	parcel->created =
		(int64_t)occ_entry_number(&whole->entry, OCC_META_CREATED, 0);
	digest_whole(whole, &parcel->digest);
}

/* The bytes of an included file's contents, as they are in the store. */
static int read_contents(struct shipment *shipment, const char *name,
			 struct occ_buffer *ret_bytes)
{
	int error = occ_store_read(shipment->store, name, ret_bytes);

	if (!error &&
	    !occ_included_contents_is_good(occ_buffer_span(ret_bytes), name))
		error = OCC_E_CORRUPT;
	return error;
}

static void look_at_contents(struct shipment *shipment, struct parcel *parcel)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	int error = read_contents(shipment, parcel->name, &bytes);

	parcel->good = !error;
	/* What an older version stored has none. */
	if (error && error != OCC_E_NOT_FOUND)
		parcel->fault = occ_error_string(error);
	parcel->size = bytes.size;
	occ_digest(bytes.data, bytes.size, OCC_SEED_CONTENT, &parcel->digest);
	occ_buffer_release(&bytes);
}

static int compare_parcels(const void *one, const void *other)
{
	const struct parcel *a = one, *b = other;

	return strcmp(a->name, b->name);
}

/* Contents that the good entries need, behind them. */
static void add_contents(struct shipment *shipment,
			 const struct occ_catalogue *catalogue)
{
	struct occ_listing_file **files =
		occ_message_must(calloc(catalogue->count + 1, sizeof(*files)));
	struct occ_entry_contents contents;
	size_t count = 0;

	for (size_t i = 0; i < catalogue->count; i++)
		files[count++] =
			(struct occ_listing_file *)catalogue->items[i].file;
	occ_entry_contents_collect(shipment->directory, shipment->or_roots,
				   files, count, &contents);
	shipment->names = occ_message_must(
		calloc(contents.count + 1, sizeof(*shipment->names)));
	shipment->parcels = occ_message_must(
		realloc(shipment->parcels, (shipment->count + contents.count +
					    1) * sizeof(*shipment->parcels)));
	for (size_t i = 0; i < contents.count; i++) {
		struct parcel *parcel = &shipment->parcels[shipment->count];

		occ_name_included(&contents.digests[i], shipment->names[i]);
		*parcel = (struct parcel){.name = shipment->names[i],
					  .is_contents = true};
		look_at_contents(shipment, parcel);
		shipment->count += parcel->good || parcel->fault;
	}
	occ_entry_contents_release(&contents);
	free(files);
}

static void prepare(struct shipment *shipment,
		    const struct occ_catalogue *catalogue)
{
	shipment->parcels = occ_message_must(
		calloc(catalogue->count + 1, sizeof(*shipment->parcels)));
	for (size_t i = 0; i < catalogue->count; i++)
		if (strlen(catalogue->items[i].file->name) < OCC_NAME_SIZE)
			shipment->parcels[shipment->count++].name =
				catalogue->items[i].file->name;
	qsort(shipment->parcels, shipment->count, sizeof(*shipment->parcels),
	      compare_parcels);
	occ_progress_begin("Verifying", "entries", shipment->count);
	occ_parallel_for(shipment->count, look, shipment);
	occ_progress_end();
	add_contents(shipment, catalogue);
	for (size_t i = 0; i < shipment->count; i++) {
		const struct parcel *parcel = &shipment->parcels[i];

		if (parcel->fault) {
			shipment->bad++;
			occ_message_warning("%s left out: %s", parcel->name,
					    parcel->fault);
		}
		if (!parcel->good)
			continue;
		*(parcel->is_contents ? &shipment->contents
				      : &shipment->good) += 1;
		shipment->bytes += parcel->size;
		if (parcel->created > shipment->newest)
			shipment->newest = parcel->created;
	}
}

static bool write_manifest(const struct shipment *shipment,
			   struct archive *archive)
{
	struct occ_buffer manifest = OCC_BUFFER_INIT;
	bool written;

	occ_manifest_begin(&manifest);
	for (size_t i = 0; i < shipment->count; i++)
		if (shipment->parcels[i].good)
			occ_manifest_add(&manifest, shipment->parcels[i].name,
					 shipment->parcels[i].size,
					 &shipment->parcels[i].digest);
	if (manifest.failed)
		occ_message_no_memory();
	written = occ_archive_add(archive, OCC_MANIFEST_NAME, shipment->newest,
				  manifest.data, manifest.size);
	occ_buffer_release(&manifest);
	return written;
}

enum outcome {
	DONE,
	CHANGED, /* an entry isn't what it was a moment ago */
	FAILED,	 /* errno says why */
	TOLD,	 /* an error was shown */
};

static enum outcome write_contents(struct shipment *shipment,
				   const struct parcel *parcel,
				   struct archive *archive)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	enum outcome outcome = CHANGED;
	struct occ_digest digest;
	int error = read_contents(shipment, parcel->name, &bytes);

	occ_digest(bytes.data, bytes.size, OCC_SEED_CONTENT, &digest);
	if (!error &&
	    !memcmp(digest.bytes, parcel->digest.bytes, OCC_DIGEST_SIZE))
		outcome = occ_archive_signer_add_contents(shipment->signer,
							  archive, parcel->name,
							  occ_buffer_span(
								  &bytes)) &&
					  occ_archive_add(archive, parcel->name,
							  0, bytes.data,
							  bytes.size)
				  ? DONE
				  : FAILED;
	occ_buffer_release(&bytes);
	return outcome;
}

static enum outcome write_parcel(struct shipment *shipment,
				 const struct parcel *parcel,
				 struct archive *archive)
{
	struct occ_entry_file *whole = &shipment->wholes[0];
	struct occ_digest digest;

	if (occ_entry_file_read(shipment->directory, parcel->name,
				shipment->or_roots, OCC_ENTRY_FILE_WHOLE,
				whole))
		return CHANGED;
	digest_whole(whole, &digest);
	if (memcmp(digest.bytes, parcel->digest.bytes, OCC_DIGEST_SIZE) != 0)
		return CHANGED;
	return occ_archive_signer_add_entry(shipment->signer, archive,
					    parcel->name, parcel->created,
					    whole) &&
			       occ_archive_add(archive, parcel->name,
					       parcel->created, whole->memory,
					       whole->size)
		       ? DONE
		       : FAILED;
}

static enum outcome write_members(struct shipment *shipment,
				  struct archive *archive)
{
	enum outcome outcome = DONE;

	if (!write_manifest(shipment, archive))
		return FAILED;
	occ_progress_begin("Writing", "files",
			   shipment->good + shipment->contents);
	for (size_t i = 0; i < shipment->count && outcome != FAILED; i++) {
		enum outcome one;

		if (!shipment->parcels[i].good)
			continue;
		one = (shipment->parcels[i].is_contents
			       ? write_contents
			       : write_parcel)(shipment, &shipment->parcels[i],
					       archive);
		if (one != DONE)
			outcome = one;
		occ_progress_step(1);
	}
	occ_progress_end();
	return outcome;
}

/* An archive that lacks something is ended all the same: it can be read. */
static enum outcome write_all(struct shipment *shipment, FILE *stream)
{
	struct archive *archive = occ_archive_create(stream);
	enum outcome outcome;
	int saved;

	if (!archive)
		return FAILED;
	outcome = write_members(shipment, archive);
	saved = errno;
	if ((!occ_archive_end(archive) || fflush(stream)) && outcome != FAILED)
		return FAILED;
	errno = saved;
	return outcome;
}

/* What is to go out, and who signs it. */
struct request {
	struct occ_store *store;
	struct occ_selection selection;
	struct occ_archive_signer signer;
};

static enum outcome ship(const struct request *request, FILE *stream,
			 struct shipment *shipment)
{
	struct occ_store *store = request->store;
	struct occ_catalogue catalogue;
	enum outcome outcome = TOLD;
	int saved;

	*shipment = (struct shipment){.store = store,
				      .or_roots = occ_store_is_read_only(store),
				      .signer = &request->signer};
	if (!occ_store_path_enter(store, &shipment->directory))
		return TOLD;
	if (occ_catalogue_read(store, &request->selection, &catalogue)) {
		prepare(shipment, &catalogue);
		outcome = write_all(shipment, stream);
		saved = errno;
		for (unsigned i = 0; i < OCC_PARALLEL_MAX; i++)
			occ_entry_file_release(&shipment->wholes[i]);
		free(shipment->parcels);
		free(shipment->names);
		occ_catalogue_release(&catalogue);
		errno = saved;
	}
	occ_file_close(shipment->directory);
	return outcome;
}

static int tell(enum outcome outcome, const char *path,
		const struct shipment *shipment)
{
	char size[OCC_UNITS_SIZE], contents[80] = "";

	if (outcome == FAILED)
		occ_message_error("%s: %s", path, strerror(errno));
	if (outcome == CHANGED)
		occ_message_error("%s: programs changed the store while it was "
				  "being read; try again",
				  path);
	if (outcome != DONE)
		return OCC_EXIT_FAILED;
	if (shipment->contents)
		snprintf(contents, sizeof(contents), " and %zu included %s",
			 shipment->contents,
			 shipment->contents == 1 ? "file" : "files");
	occ_message_note("%zu %s%s, %s; %s%s", shipment->good,
			 shipment->good == 1 ? "entry" : "entries", contents,
			 occ_units_size(shipment->bytes, size),
			 shipment->signer->signs ? "signed by " : "not signed",
			 shipment->signer->key.name);
	return shipment->bad ? OCC_EXIT_FAILED : OCC_EXIT_OK;
}

/* To a device or a pipe, which can't be replaced, or "-". */
static int export_to_stream(const struct request *request, const char *path)
{
	bool is_standard = !strcmp(path, "-");
	struct shipment shipment;
	FILE *stream = stdout;
	int status;

	if (is_standard && occ_screen_is_terminal(STDOUT_FILENO)) {
		occ_message_error("export: refusing to write an archive to a "
				  "terminal; name a file");
		return OCC_EXIT_USAGE;
	}
	if (!is_standard)
		stream = fopen(path, "we");
	if (!stream) {
		occ_message_error("%s: %s", path, strerror(errno));
		return OCC_EXIT_FAILED;
	}
	status = tell(ship(request, stream, &shipment),
		      is_standard ? "standard output" : path, &shipment);
	if (!is_standard && fclose(stream) && status == OCC_EXIT_OK) {
		occ_message_error("%s: %s", path, strerror(errno));
		status = OCC_EXIT_FAILED;
	}
	return status;
}

static enum outcome export_once(const struct request *request, const char *path,
				struct shipment *ret_shipment)
{
	char *name = occ_text("%s.%ld.tmp", path, (long)getpid());
	enum outcome outcome = FAILED;
	int file, saved;

	occ_unfinished_begin(name);
	/* As files of one's own are made, and not mkstemp()'s. */
	file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	saved = errno;
	if (file >= 0) {
		FILE *stream = occ_message_must(fdopen(file, "w"));

		outcome = ship(request, stream, ret_shipment);
		saved = errno;
		if (outcome != DONE) {
			fclose(stream);
			unlink(name);
		} else if (fclose(stream) || rename(name, path)) {
			saved = errno;
			outcome = FAILED;
			unlink(name);
		}
	}
	occ_unfinished_end();
	free(name);
	errno = saved;
	return outcome;
}

/* A link is to stay one; what it leads to needn't be there. */
static int export_to_file(const struct request *request, const char *path)
{
	char *file = occ_link_target(path);
	enum outcome outcome = CHANGED;
	struct shipment shipment = {0};
	int status;

	for (int try = 0; outcome == CHANGED && try < TRIES; try++)
		outcome = export_once(request, file, &shipment);
	status = tell(outcome, path, &shipment);
	free(file);
	return status;
}

static int run(const struct occ_arguments *arguments)
{
	struct request request;
	struct stat file;
	const char *path;
	int status;

	if (!occ_arguments_expect(
		    arguments, "export", 1,
		    "name one file, such as kernels.tar, or - for "
		    "standard output"))
		return OCC_EXIT_USAGE;
	if (!occ_selection_parse(arguments, "export", &request.selection))
		return OCC_EXIT_USAGE;
	status =
		occ_archive_signer_choose(arguments, "export", &request.signer);
	if (status != OCC_EXIT_OK)
		return status;
	request.store = occ_store_path_open(arguments, false);
	path = arguments->operands[0];
	status = OCC_EXIT_FAILED;
	if (request.store)
		status = !strcmp(path, "-") || (!stat(path, &file) &&
						!S_ISREG(file.st_mode))
				 ? export_to_stream(&request, path)
				 : export_to_file(&request, path);
	occ_store_close(request.store);
	occ_archive_signer_wipe(&request.signer);
	return status;
}

static const struct occ_option options[] = {
	OCC_SELECTION_DEVICE,
	OCC_SELECTION_PROGRAM,
	OCC_ARCHIVE_SIGNER_OPTIONS,
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_export = {
	.name = "export",
	.summary = "pack entries into a tar file",
	.operands = "FILE",
	.details = "Packs only entries that pass verification, and the "
		   "contents of the files they\n"
		   "include. The same entries always give the same archive. "
		   "\"-\" means standard\n"
		   "output. 'oclcache import' reads the archive, on this "
		   "machine or on another one\n"
		   "with the same driver and device. If you have a key "
		   "('oclcache key'), it signs\n"
		   "the archive.",
	.options = options,
	.run = run,
};
