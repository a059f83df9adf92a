/* SPDX-License-Identifier: MIT */
/*
 * An archive of entries (cli/export.c) as an OCI image: a directory in the
 * layout that the OCI Image Format Specification has, of one image with one
 * layer. It is an image rather than an artifact of another kind so that it can
 * be mounted as well, as a store that is only read: what can mount images and
 * knows nothing of artifacts is widespread. Its artifact type says what it is.
 *
 * The same entries give the same digests. The layer isn't compressed: entries
 * are.
 */
#ifndef OCC_CLI_OCI_LAYOUT_H
#define OCC_CLI_OCI_LAYOUT_H

#include <stdbool.h>

#define OCC_OCI_ARTIFACT_TYPE "application/vnd.oclcache.entries.v1"

/*
 * Makes the layout of an archive in a directory, which is made, or is empty.
 * False after an error was shown.
 */
bool occ_oci_layout_make(const char *directory, const char *archive,
			 const char *tag);

/*
 * Calls back for each archive in a layout, with its path, until false is
 * returned; a blob's bytes are those of its name. False after an error was
 * shown, or what is called back has.
 */
bool occ_oci_layout_each(const char *directory,
			 bool (*visit)(const char *archive, void *data),
			 void *data);

#endif
