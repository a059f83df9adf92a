/* SPDX-License-Identifier: MIT */
#include "cli/archive_admission.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "cache/name.h"
#include "cli/archive.h"
#include "cli/archive_signer.h"
#include "cli/message.h"
#include "cli/text.h"

#undef uthash_fatal
#define uthash_fatal(message) occ_message_no_memory()

struct occ_archive_signatures {
	char name[OCC_NAME_SIZE]; /* of what they are of */
	struct occ_entry_signatures signatures;
	bool bad;
	UT_hash_handle hh;
};

static void warn(void *data, const char *file, unsigned line,
		 const char *problem)
{
	char at[16] = "";

	(void)data;
	if (line)
		snprintf(at, sizeof(at), ":%u", line);
	occ_message_warning("%s%s %s; ignored", file, at, problem);
}

void occ_archive_admission_begin(struct occ_archive_admission *admission,
				 bool accepts_unsigned)
{
	struct occ_settings settings;

	*admission = (struct occ_archive_admission){.accepts_unsigned =
							    accepts_unsigned};
	occ_settings_read(&settings);
	occ_trusted_keys_read(&settings, &admission->keys, warn, NULL);
	occ_settings_release(&settings);
}

void occ_archive_admission_release(struct occ_archive_admission *admission)
{
	struct occ_archive_signatures *first = admission->signatures, *next;

	HASH_CLEAR(hh, admission->signatures);
	for (; first; first = next) {
		next = first->hh.next;
		free(first);
	}
}

bool occ_archive_admission_is_signatures(const char *name)
{
	return occ_text_ends_with(name, OCC_ARCHIVE_SIGNATURES_END);
}

static struct occ_archive_signatures *find(
	const struct occ_archive_admission *admission, const char *name)
{
	struct occ_archive_signatures *found;

	HASH_FIND_STR(admission->signatures, name, found);
	return found;
}

void occ_archive_admission_note(struct occ_archive_admission *admission,
				const char *name, struct occ_span bytes)
{
	size_t length = strlen(name) - strlen(OCC_ARCHIVE_SIGNATURES_END);
	struct occ_archive_signatures *noted;

	if (length >= OCC_NAME_SIZE)
		return;
	noted = occ_message_must(calloc(1, sizeof(*noted)));
	memcpy(noted->name, name, length);
	/* The first one counts, as a stream has it. */
	if (find(admission, noted->name)) {
		free(noted);
		return;
	}
	noted->bad = !occ_entry_signatures_decode(bytes, &noted->signatures);
	HASH_ADD_STR(admission->signatures, name, noted);
	admission->came_late |= admission->not_signed > 0;
}

static void collect(struct occ_archive_admission *admission, FILE *stream)
{
	unsigned char
		bytes[OCC_SIGNED_ENTRY_HEADER_SIZE + OCC_ENTRY_SIGNATURES_MAX];
	struct occ_archive_reader *reader =
		occ_message_must(occ_archive_open(stream));
	struct occ_archive_member member;
	size_t size;

	while (occ_archive_next(reader, &member) == OCC_ARCHIVE_MEMBER) {
		char *name;

		if (member.kind != OCC_ARCHIVE_FILE ||
		    !occ_archive_admission_is_signatures(member.name) ||
		    member.size > sizeof(bytes))
			continue;
		name = occ_message_must(strdup(basename(member.name)));
		size = occ_archive_read(reader, bytes, (size_t)member.size);
		if (size == member.size)
			occ_archive_admission_note(admission, name,
						   (struct occ_span){bytes,
								     size});
		free(name);
	}
	occ_archive_close(reader);
}

void occ_archive_admission_collect(struct occ_archive_admission *admission,
				   FILE *stream)
{
	off_t start = ftello(stream);

	if (start < 0 || fseeko(stream, start, SEEK_SET))
		return;
	collect(admission, stream);
	clearerr(stream);
	if (fseeko(stream, start, SEEK_SET))
		occ_message_error("can't read the archive a second time");
}

/* In words, and counted where there may be many of the kind. */
static const char *judge(struct occ_archive_admission *admission,
			 const struct occ_archive_signatures *found,
			 enum occ_admission result, bool *ret_counted)
{
	*ret_counted = true;
	switch (result) {
	case OCC_ADMITTED:
	case OCC_ADMITTED_UNSIGNED:
	case OCC_ADMITTED_WITHOUT_CODE:
		return NULL;
	case OCC_REFUSED_UNSIGNED:
		admission->not_signed++;
		break;
	case OCC_REFUSED_UNTRUSTED:
		if (!*admission->unknown && found)
			stpcpy(admission->unknown,
			       found->signatures.has_contents
				       ? found->signatures.contents.name
				       : found->signatures.program.name);
		admission->untrusted++;
		break;
	default:
		*ret_counted = false;
		break;
	}
	return occ_admission_text(result);
}

const char *occ_archive_admission_entry(struct occ_archive_admission *admission,
					const char *name,
					struct occ_entry_file *whole,
					bool *ret_counted)
{
	static const struct occ_entry_signatures none;
	struct occ_archive_signatures *found = find(admission, name);
	enum occ_admission result = OCC_REFUSED_SIGNATURE;

	if (!found || !found->bad)
		result = occ_entry_admit(whole,
					 found ? &found->signatures : &none,
					 &admission->keys,
					 admission->accepts_unsigned);
	if (result == OCC_ADMITTED_WITHOUT_CODE && !occ_entry_drop_code(whole))
		occ_message_no_memory();
	return judge(admission, found, result, ret_counted);
}

const char *occ_archive_admission_contents(
	struct occ_archive_admission *admission, const char *name,
	struct occ_span contents, bool *ret_counted)
{
	static const struct occ_entry_signatures none;
	struct occ_archive_signatures *found = find(admission, name);
	enum occ_admission result = OCC_REFUSED_SIGNATURE;

	if (!found || !found->bad)
		result = occ_included_admit(contents,
					    found ? &found->signatures : &none,
					    &admission->keys,
					    admission->accepts_unsigned);
	return judge(admission, found, result, ret_counted);
}

void occ_archive_admission_tell(const struct occ_archive_admission *admission,
				const char *path)
{
	if (admission->came_late)
		occ_message_error(
			"%s: %zu refused because their signatures come after "
			"them; import from a file, not from a pipe",
			path, admission->not_signed);
	else if (admission->not_signed)
		occ_message_error("%s: %zu refused because they are not "
				  "signed; if you know where they come from, "
				  "use --unsigned; otherwise export them again "
				  "with a key ('oclcache key generate'), and "
				  "trust that key here ('oclcache key trust')",
				  path, admission->not_signed);
	if (admission->untrusted)
		occ_message_error(
			"%s: %zu refused because the key that signed them, %s, "
			"isn't trusted; to trust it, run 'oclcache key trust "
			"LINE' with the line that 'oclcache key public' prints "
			"on the exporting machine",
			path, admission->untrusted, admission->unknown);
}
