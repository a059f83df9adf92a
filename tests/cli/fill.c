/* SPDX-License-Identifier: MIT */
/*
 * Fills a store with entries that no driver made:
 *
 *	fill DIRECTORY COUNT [BINARY_SIZE [SOURCE_SIZE [FIRST [TEXT]]]]
 *
 * All is known: the entry number N has the kernels kN and other, the options
 * -DN=N, and is for device 0, 1 or 2. What is there already stays. TEXT is in
 * all that is text: kernels, arguments, log, options, source, device, driver.
 *
 * FILL_INCLUDES=PATH: each of them includes that file, which is kept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/description.h"
#include "cache/included_contents.h"
#include "cache/store.h"

/* CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_ARG_NAME, ..._ADDRESS_QUALIFIER */
#define TYPE_NAME 0x1198
#define NAME	  0x119a
#define ADDRESS	  0x1196

#define TEXT_MAX  256

/* TEXT */
static const char *odd = "";

static void *must(void *memory)
{
	if (memory)
		return memory;
	fputs("fill: no memory\n", stderr);
	exit(1);
}

static void append_string(struct occ_buffer *metadata, enum occ_meta_field id,
			  const char *text)
{
	occ_field_append(metadata, (uint16_t)id, text, strlen(text) + 1);
}

static struct occ_answer answer(const void *bytes, size_t size)
{
	return (struct occ_answer){0, {bytes, size}};
}

static struct occ_answer text_answer(char *room, size_t size, const char *text)
{
	int length = snprintf(room, size, "%s%s", text, odd);

	return answer(room, (size_t)length + 1);
}

static void append_kernels(struct occ_buffer *metadata, const char *name)
{
	char room[TEXT_MAX];
	static const unsigned char global[4] = {0x9b, 0x11, 0, 0};
	struct occ_buffer kernels = OCC_BUFFER_INIT;
	size_t start = occ_description_begin(&kernels, name, strlen(name));

	occ_description_add_attributes(&kernels,
				       text_answer(room, sizeof(room), ""));
	occ_description_add_argument_count(&kernels, 1);
	occ_description_add_argument(&kernels, 0, ADDRESS,
				     answer(global, sizeof(global)));
	occ_description_add_argument(&kernels, 0, TYPE_NAME,
				     text_answer(room, sizeof(room), "float*"));
	occ_description_add_argument(&kernels, 0, NAME,
				     text_answer(room, sizeof(room), "out"));
	occ_description_end(&kernels, start);
	occ_field_append(metadata, OCC_META_KERNELS, kernels.data,
			 kernels.size);
	occ_buffer_release(&kernels);
}

static void make_metadata(unsigned long number, const char *options,
			  struct occ_buffer *ret_metadata)
{
	char names[TEXT_MAX], log[TEXT_MAX];

	snprintf(names, sizeof(names), "k%lu%s;other", number, odd);
	snprintf(log, sizeof(log), "a warning%s\n", odd);
	append_string(ret_metadata, OCC_META_BUILD_LOG, log);
	append_string(ret_metadata, OCC_META_BUILD_OPTIONS, options);
	occ_meta_append_number(ret_metadata, OCC_META_BINARY_TYPE, 4);
	occ_meta_append_number(ret_metadata, OCC_META_KERNEL_COUNT, 2);
	append_string(ret_metadata, OCC_META_KERNEL_NAMES, names);
	occ_meta_append_number(ret_metadata, OCC_META_COMPILE_TIME,
			       UINT64_C(1000000) * (1 + number % 5000));
	occ_meta_append_number(ret_metadata, OCC_META_CREATED, 1700000000);
	append_string(ret_metadata, OCC_META_WRITER, "fill");
	*strchr(names, ';') = '\0';
	append_kernels(ret_metadata, names);
}

/* A field of the file that is included; empty: there is none. */
static void make_include(struct occ_buffer *ret_field)
{
	const char *path = getenv("FILL_INCLUDES");
	FILE *file = path ? fopen(path, "re") : NULL;
	struct occ_buffer payload = OCC_BUFFER_INIT;
	struct occ_digest digest;
	unsigned char number[8];
	char text[TEXT_MAX];
	size_t size;

	if (!file)
		return;
	size = fread(text, 1, sizeof(text), file);
	fclose(file);
	occ_put_u64(number, size);
	occ_buffer_append(&payload, number, sizeof(number));
	for (int seed = OCC_SEED_NAME; seed <= OCC_SEED_FIELD; seed++) {
		occ_digest(text, size, (enum occ_digest_seed)seed, &digest);
		occ_buffer_append(&payload, digest.bytes, OCC_DIGEST_SIZE);
	}
	occ_put_u64(number, 0);
	occ_buffer_append(&payload, number, sizeof(number));
	occ_buffer_append(&payload, path, strlen(path));
	occ_field_append(ret_field, OCC_KEY_INCLUDE_FILE, payload.data,
			 payload.size);
	occ_buffer_release(&payload);
}

/* `room` has the size of sources, and something more. */
static void make_key(unsigned long number, char *room, size_t source_size,
		     const char *options, const struct occ_buffer *include,
		     struct occ_key *ret_key)
{
	static const char *const devices[] = {"Device zero", "Device one",
					      "Device two"};
	int length = snprintf(room, 2 * TEXT_MAX,
			      "// number %lu%s\n"
			      "kernel void k%lu(global float *out)\n"
			      "{\n\tout[0] = %lu;\n}\n"
			      "kernel void other(void)\n{\n}\n",
			      number, odd, number, number);
	char device[TEXT_MAX], driver[TEXT_MAX];
	size_t size =
		(size_t)length > source_size ? (size_t)length : source_size;

	memset(room + length, '\n', size - (size_t)length);
	occ_key_init(ret_key);
	occ_key_add_string(ret_key, OCC_KEY_OPERATION, "build");
	occ_key_add(ret_key, OCC_KEY_SOURCE, room, size);
	occ_key_add_fields(ret_key, include);
	occ_key_add_string(ret_key, OCC_KEY_OPTIONS, options);
	occ_key_add_string(ret_key, OCC_KEY_PLATFORM_NAME, "Platform");
	snprintf(device, sizeof(device), "%s%s", devices[number % 3], odd);
	snprintf(driver, sizeof(driver), "%s%s", number % 2 ? "1.0" : "2.0",
		 odd);
	occ_key_add_string(ret_key, OCC_KEY_DEVICE_NAME, device);
	occ_key_add_string(ret_key, OCC_KEY_DEVICE_VENDOR, "Vendor");
	occ_key_add_string(ret_key, OCC_KEY_DRIVER_VERSION, driver);
	if (occ_key_finish(ret_key))
		must(NULL);
}

static int put(struct occ_store *store, unsigned long number, char *room,
	       size_t source_size, struct occ_span binary)
{
	struct occ_buffer metadata = OCC_BUFFER_INIT;
	struct occ_buffer include = OCC_BUFFER_INIT;
	struct occ_key key;
	char options[TEXT_MAX];
	int error;

	snprintf(options, sizeof(options), "-DN=%lu%s", number, odd);
	make_include(&include);
	make_key(number, room, source_size, options, &include, &key);
	make_metadata(number, options, &metadata);
	error = occ_store_publish(store, &key, occ_buffer_span(&metadata),
				  binary);
	if (!error)
		error = occ_included_contents_keep(store,
						   occ_buffer_span(&include));
	occ_buffer_release(&metadata);
	occ_buffer_release(&include);
	occ_key_release(&key);
	return error == OCC_E_EXISTS ? OCC_OK : error;
}

static size_t number_of(char **argv, int argc, int index, size_t otherwise)
{
	return argc > index ? strtoul(argv[index], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	size_t count = number_of(argv, argc, 2, 0);
	size_t binary_size = number_of(argv, argc, 3, 1000);
	size_t source_size = number_of(argv, argc, 4, 0);
	size_t first = number_of(argv, argc, 5, 0);
	unsigned char *binary = must(calloc(1, binary_size + 1));
	char *room = must(malloc(source_size + 1000));
	struct occ_store *store;
	int error = OCC_OK;

	if (argc < 3) {
		fputs("usage: fill DIRECTORY COUNT [BINARY_SIZE [SOURCE_SIZE "
		      "[FIRST [TEXT]]]]\n",
		      stderr);
		return 2;
	}
	odd = argc > 6 ? argv[6] : "";
	if (strlen(odd) > TEXT_MAX / 2) {
		fputs("fill: TEXT is too long\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < binary_size; i++)
		binary[i] = (unsigned char)(i * 2654435761u >> 8);
	store = must(occ_store_open(argv[1], 0, true));
	for (size_t i = first; !error && i < first + count; i++)
		error = put(store, i, room, source_size,
			    (struct occ_span){binary, binary_size});
	if (error)
		fprintf(stderr, "fill: %s\n", occ_error_string(error));
	occ_store_close(store);
	free(binary);
	free(room);
	return error != OCC_OK;
}
