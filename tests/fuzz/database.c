/* SPDX-License-Identifier: MIT */
/*
 * cache/database.h: any bytes as a file, and as frames with right heads. What
 * is read has the digest that it was asked for, takes no more than its size
 * says, and what is then added is there.
 */
#include "tests/fuzz/directory.h"

#include "cache/database_frame.h"
#include "cache/database_record.h"

#define NAME "fuzz.ocldb"

static void check_frame(struct occ_database *database, size_t number,
			uint64_t end)
{
	struct occ_frame frame = *occ_database_frame(database, number);
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	struct occ_digest name;
	int error;

	fuzz_expect(frame.stored >= OCC_FRAME_HEAD_SIZE && frame.stored < end,
		    "a frame within the file");
	fuzz_expect(frame.size <= OCC_DATABASE_FRAME_MAX, "a frame's size");
	/* A few bytes may be 64 MB; that takes time, and shows nothing. */
	if (frame.size > 1 << 20)
		return;
	error = occ_database_read(database, (enum occ_frame_type)frame.type,
				  &frame.name, &bytes);
	fuzz_expect(!error || error == OCC_E_CORRUPT, "no other failure");
	fuzz_expect(!error || !bytes.size, "nothing after a failure");
	if (!error) {
		occ_database_name(occ_buffer_span(&bytes), &name);
		fuzz_expect(!memcmp(&name, &frame.name, sizeof(name)),
			    "what was asked for");
	}
	occ_buffer_release(&bytes);
}

static void check_all(const char *path)
{
	struct occ_database *database;
	uint64_t end;

	if (occ_database_open_read(path, &database))
		return;
	end = occ_database_size(database);
	fuzz_expect(occ_database_bad(database) <= end, "bad bytes are of it");
	for (size_t i = 0; i < occ_database_count(database); i++)
		check_frame(database, i, end);
	occ_database_close(database);
}

/* Somebody adds, what is there already and what isn't. */
static void add(const char *path, struct occ_span bytes)
{
	struct occ_database *database;
	struct occ_buffer read = OCC_BUFFER_INIT;
	struct occ_digest name;

	if (occ_database_open(path, 0, &database))
		return;
	fuzz_expect(!occ_database_begin(database, 1000), "begin");
	fuzz_expect(!occ_database_add(database, OCC_FRAME_CONTENT, bytes,
				      &name),
		    "add");
	fuzz_expect(!occ_database_commit(database), "commit");
	occ_database_close(database);
	fuzz_expect(!occ_database_open_read(path, &database), "open");
	fuzz_expect(!occ_database_read(database, OCC_FRAME_CONTENT, &name,
				       &read) &&
			    fuzz_same(occ_buffer_span(&read), bytes),
		    "what was added");
	occ_buffer_release(&read);
	occ_database_close(database);
}

static void play(const unsigned char *file, size_t size)
{
	struct occ_span tail = {file + size / 2, size - size / 2};
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", fuzz_directory(), NAME);
	fuzz_write(NAME, file, size);
	check_all(path);
	add(path, tail);
	check_all(path);
	unlinkat(fuzz_descriptor(), NAME, 0);
}

/*
 * Wherever a frame begins, or could, its check is made right; the lengths stay
 * as they are, and so do the names, but for those of plain ones.
 */
static void mend_frames(unsigned char *file, size_t size)
{
	struct occ_digest digest;

	for (size_t at = OCC_DATABASE_HEAD_SIZE;
	     at + OCC_FRAME_HEAD_SIZE <= size; at += OCC_FRAME_ALIGNMENT) {
		unsigned char *head = file + at;
		uint64_t length = occ_get_u64(head + 8);

		if (memcmp(head, "\x8fOFR", 4) != 0)
			continue;
		if (!occ_get_u32(head + 24) &&
		    length <= size - at - OCC_FRAME_HEAD_SIZE) {
			occ_digest(head + OCC_FRAME_HEAD_SIZE, (size_t)length,
				   OCC_SEED_NAME, &digest);
			memcpy(head + 32, digest.bytes, OCC_DIGEST_SIZE);
		}
		occ_digest(head, 56, OCC_SEED_CHECKSUM, &digest);
		memcpy(head + 56, digest.bytes, 8);
	}
}

/* Any bytes as a record. */
static void parse(struct occ_span record)
{
	struct occ_recorded_file file;
	struct occ_content content;
	struct occ_field field;
	size_t offset = 0;

	while (occ_field_next(record.data, record.size, &offset, &field) == 1) {
		if (occ_content_parse(&field, &content))
			fuzz_expect(field.length == OCC_CONTENT_SIZE,
				    "a content");
		if (field.kind == OCC_FIELD_BYTES &&
		    occ_recorded_file_parse(occ_field_span(&field), &file))
			fuzz_expect(file.path.size < field.length,
				    "a path within its field");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *file = fuzz_copy(data, size);

	parse((struct occ_span){file, size});
	play(file, size);
	mend_frames(file, size);
	play(file, size);
	free(file);
	return 0;
}
