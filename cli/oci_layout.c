/* SPDX-License-Identifier: MIT */
#include "cli/oci_layout.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <sodium.h>

#include "cli/archive.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/text.h"

#define MANIFEST_TYPE "application/vnd.oci.image.manifest.v1+json"
#define CONFIG_TYPE   "application/vnd.oci.image.config.v1+json"
#define LAYER_TYPE    "application/vnd.oci.image.layer.v1.tar"

#define DIGEST_HEX    ((size_t)2 * crypto_hash_sha256_BYTES)
#define DIGEST_SIZE   (sizeof("sha256:") + DIGEST_HEX)

/* Bytes at a time. */
#define PART	      ((size_t)1 << 16)

/* Where a tar header has its magic. */
#define MAGIC_AT      257

static bool complain(const char *path)
{
	occ_message_error("%s: %s", path, strerror(errno));
	return false;
}

/* A blob: by its digest, in the layout's directory of them. */
struct blob {
	char digest[DIGEST_SIZE];
	uint64_t size;
};

/* False with errno. */
static bool digest_file(const char *path, struct blob *ret_blob)
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;
	FILE *file = fopen(path, "re");
	unsigned char *part;
	size_t size;
	bool good;

	if (!file)
		return false;
	part = occ_message_must(malloc(PART));
	ret_blob->size = 0;
	crypto_hash_sha256_init(&state);
	while ((size = fread(part, 1, PART, file))) {
		crypto_hash_sha256_update(&state, part, size);
		ret_blob->size += size;
	}
	good = !ferror(file);
	crypto_hash_sha256_final(&state, hash);
	memcpy(ret_blob->digest, "sha256:", strlen("sha256:"));
	sodium_bin2hex(ret_blob->digest + strlen("sha256:"), DIGEST_HEX + 1,
		       hash, sizeof(hash));
	free(part);
	fclose(file);
	return good;
}

static char *blob_path(const char *directory, const char *digest)
{
	return occ_text("%s/blobs/sha256/%s", directory,
			digest + strlen("sha256:"));
}

/* Gives a file that has been written its name. False after an error. */
static bool name_blob(const char *directory, const char *path,
		      struct blob *ret_blob)
{
	char *named;
	bool good;

	if (!digest_file(path, ret_blob))
		return complain(path);
	named = blob_path(directory, ret_blob->digest);
	good = !rename(path, named) || complain(named);
	free(named);
	return good;
}

/* ---- making ---- */

/* All members, as everybody may read them, and as if of one time. */
static bool copy_members(struct occ_archive_reader *reader,
			 struct archive *archive)
{
	struct occ_archive_member member;
	unsigned char *bytes = NULL;
	enum occ_archive_result result;
	bool good = true;

	while (good && (result = occ_archive_next(reader, &member)) ==
			       OCC_ARCHIVE_MEMBER) {
		size_t size = (size_t)member.size;

		bytes = occ_message_must(realloc(bytes, size ? size : 1));
		good = occ_archive_read(reader, bytes, size) == size &&
		       occ_archive_add_readable(archive, member.name, 1, bytes,
						size);
	}
	free(bytes);
	return good && result == OCC_ARCHIVE_END;
}

static bool write_layer(const char *from, const char *to)
{
	FILE *in = fopen(from, "re"), *out = fopen(to, "we");
	struct occ_archive_reader *reader = in ? occ_archive_open(in) : NULL;
	struct archive *archive = out ? occ_archive_create(out) : NULL;
	bool good = reader && archive && copy_members(reader, archive);

	if (archive && !occ_archive_end(archive))
		good = false;
	if (reader)
		occ_archive_close(reader);
	if (in)
		fclose(in);
	if (out && fclose(out))
		good = false;
	return good || complain(to);
}

/* As images name machines. */
static const char *architecture(void)
{
	static struct utsname machine;

	uname(&machine);
	if (!strcmp(machine.machine, "x86_64"))
		return "amd64";
	if (!strcmp(machine.machine, "aarch64"))
		return "arm64";
	return machine.machine;
}

static void describe(struct occ_json *json, const char *name, const char *type,
		     const struct blob *blob)
{
	occ_json_begin(json, name, '{');
	occ_json_string(json, "mediaType", type);
	occ_json_string(json, "digest", blob->digest);
	occ_json_number(json, "size", blob->size);
}

/* What an image has beside its layer. */
struct image {
	const char *tag;
	struct blob layer, config, manifest;
};

static void write_config(struct occ_json *json, const struct image *image)
{
	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "created", "1970-01-01T00:00:00Z");
	occ_json_string(json, "architecture", architecture());
	occ_json_string(json, "os", "linux");
	occ_json_begin(json, "rootfs", '{');
	occ_json_string(json, "type", "layers");
	occ_json_begin(json, "diff_ids", '[');
	occ_json_string(json, NULL, image->layer.digest);
	occ_json_end(json, ']');
	occ_json_end(json, '}');
	occ_json_end(json, '}');
}

static void write_manifest(struct occ_json *json, const struct image *image)
{
	occ_json_begin(json, NULL, '{');
	occ_json_number(json, "schemaVersion", 2);
	occ_json_string(json, "mediaType", MANIFEST_TYPE);
	occ_json_string(json, "artifactType", OCC_OCI_ARTIFACT_TYPE);
	describe(json, "config", CONFIG_TYPE, &image->config);
	occ_json_end(json, '}');
	occ_json_begin(json, "layers", '[');
	describe(json, NULL, LAYER_TYPE, &image->layer);
	occ_json_end(json, '}');
	occ_json_end(json, ']');
	occ_json_begin(json, "annotations", '{');
	occ_json_string(json, "org.opencontainers.image.title",
			"compiled OpenCL programs");
	occ_json_end(json, '}');
	occ_json_end(json, '}');
}

static void write_index(struct occ_json *json, const struct image *image)
{
	occ_json_begin(json, NULL, '{');
	occ_json_number(json, "schemaVersion", 2);
	occ_json_begin(json, "manifests", '[');
	describe(json, NULL, MANIFEST_TYPE, &image->manifest);
	occ_json_begin(json, "annotations", '{');
	occ_json_string(json, "org.opencontainers.image.ref.name", image->tag);
	occ_json_end(json, '}');
	occ_json_end(json, '}');
	occ_json_end(json, ']');
	occ_json_end(json, '}');
}

static void write_mark(struct occ_json *json, const struct image *image)
{
	(void)image;
	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "imageLayoutVersion", "1.0.0");
	occ_json_end(json, '}');
}

/* False after an error was shown. */
static bool write_file(const char *path,
		       void (*write)(struct occ_json *json,
				     const struct image *image),
		       const struct image *image)
{
	struct occ_json json = OCC_JSON_INIT(fopen(path, "we"));
	bool good;

	if (!json.stream)
		return complain(path);
	write(&json, image);
	good = !ferror(json.stream);
	return (!fclose(json.stream) && good) || complain(path);
}

/* All that is there once the layer is. */
static bool write_rest(const char *directory, const char *scratch,
		       struct image *image)
{
	char *index = occ_text("%s/index.json", directory);
	char *mark = occ_text("%s/oci-layout", directory);
	bool good;

	good = write_file(scratch, write_config, image) &&
	       name_blob(directory, scratch, &image->config) &&
	       write_file(scratch, write_manifest, image) &&
	       name_blob(directory, scratch, &image->manifest) &&
	       write_file(index, write_index, image) &&
	       write_file(mark, write_mark, image);
	free(index);
	free(mark);
	return good;
}

/* False after an error was shown. */
static bool make_directories(const char *directory)
{
	char *blobs = occ_text("%s/blobs", directory);
	char *hashed = occ_text("%s/blobs/sha256", directory);
	bool good = true;

	if (mkdir(directory, 0777) && errno != EEXIST) {
		good = complain(directory);
	} else if (mkdir(blobs, 0777)) {
		occ_message_error(
			"%s: %s", directory,
			errno == EEXIST
				? "the directory already contains an image"
				: strerror(errno));
		good = false;
	} else if (mkdir(hashed, 0777)) {
		good = complain(hashed);
	}
	free(blobs);
	free(hashed);
	return good;
}

bool occ_oci_layout_make(const char *directory, const char *archive,
			 const char *tag)
{
	char *scratch = occ_text("%s/blobs/new", directory);
	struct image image = {.tag = tag};
	bool good;

	good = make_directories(directory) && write_layer(archive, scratch) &&
	       name_blob(directory, scratch, &image.layer) &&
	       write_rest(directory, scratch, &image);
	free(scratch);
	return good;
}

/* ---- reading ---- */

static bool is_archive(const char *path)
{
	char header[MAGIC_AT + 5] = "";
	FILE *file = fopen(path, "re");
	bool is = file && fread(header, sizeof(header), 1, file) == 1 &&
		  !memcmp(header + MAGIC_AT, "ustar", 5);

	if (file)
		fclose(file);
	return is;
}

/* True: the file's bytes are those of its name. */
static bool is_whole(const char *path, const char *name)
{
	struct blob blob;

	if (digest_file(path, &blob) &&
	    !strcmp(blob.digest + strlen("sha256:"), name))
		return true;
	occ_message_error("%s: it is damaged", path);
	return false;
}

bool occ_oci_layout_each(const char *directory,
			 bool (*visit)(const char *archive, void *data),
			 void *data)
{
	char *blobs = occ_text("%s/blobs/sha256", directory);
	DIR *stream = opendir(blobs);
	struct dirent *entry;
	size_t count = 0;
	bool good = stream;

	if (!stream)
		occ_message_error("%s isn't the directory of an OCI image",
				  directory);
	while (good && (entry = readdir(stream))) {
		char *path;

		if (strlen(entry->d_name) != DIGEST_HEX)
			continue;
		path = occ_text("%s/%s", blobs, entry->d_name);
		if (is_archive(path)) {
			count++;
			good = is_whole(path, entry->d_name) &&
			       visit(path, data);
		}
		free(path);
	}
	if (stream)
		closedir(stream);
	if (good && !count) {
		occ_message_error(
			"%s: the image contains no uncompressed archive",
			directory);
		good = false;
	}
	free(blobs);
	return good;
}
