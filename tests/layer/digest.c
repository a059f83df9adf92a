/* SPDX-License-Identifier: MIT */
/*
 * Prints the digest of a file's content, as stores name what included files
 * had (cache/included_contents.h).
 *
 *	digest FILE
 */
#include "hash/digest.h"
#include "tests/layer/common.h"

int main(int argc, char **argv)
{
	struct occ_digest digest;
	char text[65536], hex[OCC_DIGEST_HEX_SIZE];
	FILE *file = argc == 2 ? fopen(argv[1], "re") : NULL;
	size_t size;

	if (!file)
		die("usage: digest FILE");
	size = fread(text, 1, sizeof(text), file);
	if (ferror(file) || size == sizeof(text))
		die("it can't be read, or is too large");
	fclose(file);
	occ_digest(text, size, OCC_SEED_NAME, &digest);
	occ_digest_hex(&digest, hex);
	puts(hex);
	return 0;
}
