/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "hash/resolver.h"

/* Texts whose macros with __FILE__ are looked for; one, as a rule. */
#define FILE_MACRO_PASSES 4

/*
 * Traits of words that print the type, or function, that they are given: of an
 * unnamed type that is the file that it is in, which may be another text's.
 * Functions are named after types in C++ only.
 */
static unsigned type_traits(const struct occ_resolver *resolver)
{
	const char *options = resolver->request->options;

	if (options && (strstr(options, "++") || strstr(options, "pp")))
		return OCC_SCAN_TYPE | OCC_SCAN_FUNCTION;
	return OCC_SCAN_TYPE;
}

/* Is a macro with __FILE__ ever expanded? */
static bool expands_file_macro(const struct occ_resolver *resolver,
			       unsigned traits)
{
	size_t count = resolver->text_count + 1, passes = 0;

	/* The words that these make aren't known. */
	if (traits & (OCC_SCAN_PASTING | OCC_SCAN_PRAGMA))
		return true;
	for (size_t i = 0; i < resolver->text_count; i++) {
		const struct occ_scan *scan = resolver->scans[i];

		if (!(scan->traits & OCC_SCAN_MACRO_FILE))
			continue;
		if (passes++ == FILE_MACRO_PASSES)
			return true;
		for (size_t user = 0; user < count; user++)
			if (occ_scan_may_use_file_macro(resolver->scans[user],
							scan))
				return true;
	}
	return false;
}

/*
 * Can the result have the name that the driver gives to the source, or to one
 * of its headers? In an included file __FILE__ is that file, but in a macro it
 * is the file that uses the macro. `traits`: of all texts.
 */
static bool names_source(const struct occ_resolver *resolver, unsigned traits)
{
	/* What a driver calls other files may not be known, either. */
	size_t own = resolver->request->own_unknown
			     ? resolver->text_count
			     : resolver->request->header_count + 1;

	if (traits & type_traits(resolver) ||
	    resolver->options->traits & OCC_SCAN_FILE)
		return true;
	for (size_t i = 0; i < own && i < resolver->text_count; i++)
		if (resolver->texts[i].scan->traits & OCC_SCAN_FILE)
			return true;
	for (size_t i = 0; i < resolver->text_count; i++)
		if (resolver->texts[i].scan->traits & OCC_SCAN_MACRO_FILE)
			return expands_file_macro(resolver, traits);
	return false;
}

/* Can any text read other files by an assembler, or by a _Pragma? */
static bool reads_otherwise(const struct occ_resolver *resolver,
			    unsigned traits)
{
	bool stringizing = traits & OCC_SCAN_STRINGIZING;

	for (size_t i = 0; i < resolver->text_count + 1; i++) {
		const struct occ_scan *scan = resolver->scans[i];

		if (traits & OCC_SCAN_ASSEMBLY &&
		    occ_scan_assembly_includes(scan))
			return true;
		if (traits & OCC_SCAN_ASSEMBLY_OPEN &&
		    !(scan->traits & OCC_SCAN_OPTIONS) &&
		    occ_scan_strings_include(scan, stringizing))
			return true;
		if (traits & OCC_SCAN_PRAGMA && occ_scan_pragma_includes(scan))
			return true;
	}
	return false;
}

void occ_closure_check(struct occ_resolver *resolver)
{
	size_t count = resolver->text_count + 1;
	unsigned traits = 0, pastable = 0;

	if (!occ_resolver_list_scans(resolver))
		return;
	for (size_t i = 0; i < count; i++)
		traits |= resolver->scans[i]->traits;
	if (traits & OCC_SCAN_PASTING)
		pastable = occ_scan_pastable(resolver->scans, count);
	resolver->closure->names_source =
		names_source(resolver, traits) ||
		pastable & (OCC_SCAN_FILE | type_traits(resolver));
	resolver->closure->assembly = traits & OCC_SCAN_ASSEMBLY ||
				      (traits & OCC_SCAN_PASTING &&
				       traits & OCC_SCAN_ASSEMBLY_SUFFIX);
	if ((traits | pastable) & OCC_SCAN_READS ||
	    reads_otherwise(resolver, traits))
		occ_resolver_fail(resolver, OCC_REASON_SOURCE_READS);
	if ((traits | pastable) & OCC_SCAN_CLOCK)
		occ_resolver_fail(resolver, OCC_REASON_SOURCE_CLOCK);
	if (traits & OCC_SCAN_UNCERTAIN || (traits & OCC_SCAN_BLANK_SPLICE &&
					    !resolver->request->splices_blanks))
		occ_resolver_fail(resolver, OCC_REASON_SOURCE_UNCERTAIN);
}
