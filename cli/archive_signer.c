/* SPDX-License-Identifier: MIT */
#include "cli/archive_signer.h"

#include <limits.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/text.h"

static int read_own(const char *command, struct occ_archive_signer *signer)
{
	struct occ_settings settings;
	const char *problem;
	char path[PATH_MAX] = "";
	int error;

	occ_settings_read(&settings);
	error = occ_signing_key_read(&settings, &signer->key, &problem);
	signer->signs = !error;
	if (error && error != OCC_E_NOT_FOUND) {
		occ_signing_key_path(&settings, path, sizeof(path));
		occ_message_error("%s: %s %s; use --unsigned to sign nothing",
				  command, path, problem);
	}
	occ_settings_release(&settings);
	return !error || error == OCC_E_NOT_FOUND ? OCC_EXIT_OK
						  : OCC_EXIT_FAILED;
}

int occ_archive_signer_choose(const struct occ_arguments *arguments,
			      const char *command,
			      struct occ_archive_signer *ret_signer)
{
	const char *file = occ_arguments_value(arguments, "sign-with");
	const char *problem;

	*ret_signer = (struct occ_archive_signer){.signs = false};
	if (occ_arguments_has(arguments, "unsigned")) {
		if (file)
			occ_message_error("%s: --unsigned and --sign-with "
					  "can't be used together",
					  command);
		return file ? OCC_EXIT_USAGE : OCC_EXIT_OK;
	}
	if (!file)
		return read_own(command, ret_signer);
	if (occ_signing_key_read_file(file, &ret_signer->key, &problem)) {
		occ_message_error("%s: %s %s", command, file, problem);
		return OCC_EXIT_FAILED;
	}
	ret_signer->signs = true;
	return OCC_EXIT_OK;
}

void occ_archive_signer_wipe(struct occ_archive_signer *signer)
{
	occ_signing_key_wipe(&signer->key);
	signer->signs = false;
}

static bool add(struct archive *archive, const char *name, int64_t modified,
		const struct occ_entry_signatures *signatures)
{
	char *member = occ_text("%s" OCC_ARCHIVE_SIGNATURES_END, name);
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	bool added;

	occ_entry_signatures_encode(signatures, &bytes);
	if (bytes.failed)
		occ_message_no_memory();
	added = occ_archive_add(archive, member, modified, bytes.data,
				bytes.size);
	occ_buffer_release(&bytes);
	free(member);
	return added;
}

bool occ_archive_signer_add_entry(const struct occ_archive_signer *signer,
				  struct archive *archive, const char *name,
				  int64_t modified,
				  const struct occ_entry_file *whole)
{
	struct occ_entry_signatures signatures;

	if (!signer->signs)
		return true;
	occ_entry_sign(whole, &signer->key, &signatures);
	return add(archive, name, modified, &signatures);
}

bool occ_archive_signer_add_contents(const struct occ_archive_signer *signer,
				     struct archive *archive, const char *name,
				     struct occ_span contents)
{
	struct occ_entry_signatures signatures;

	if (!signer->signs)
		return true;
	occ_included_sign(contents, &signer->key, &signatures);
	return add(archive, name, 0, &signatures);
}
