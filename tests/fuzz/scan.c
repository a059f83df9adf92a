/* SPDX-License-Identifier: MIT */
/*
 * hash/scan.h: any bytes as a source. What is said of it is within it, and the
 * same when it is asked again.
 */
#include "tests/fuzz/fuzz.h"

#include "hash/scan.h"

static void check_directives(const struct occ_scan *scan)
{
	size_t first, macros = 0;

	for (size_t i = 0; i < scan->directive_count; i++) {
		const struct occ_directive *directive = &scan->directives[i];
		const char *name = occ_scan_name(scan, directive);

		fuzz_expect(strlen(name) <= OCC_SCAN_NAME_MAX, "a short name");
		fuzz_expect(!directive->rest_length ||
				    (directive->rest >= scan->text &&
				     directive->rest + directive->rest_length <=
					     scan->text + scan->size),
			    "a rest within the text");
		if (directive->kind == OCC_DIRECTIVE_INCLUDE ||
		    directive->kind == OCC_DIRECTIVE_HAS)
			fuzz_expect(occ_scan_name_certain(name, strlen(name)),
				    "a certain name");
		if (directive->kind != OCC_DIRECTIVE_DEFINE &&
		    directive->kind != OCC_DIRECTIVE_UNDEFINE)
			continue;
		macros++;
		fuzz_expect(occ_scan_find_macro(scan, name, &first) > 0,
			    "a macro that is found");
	}
	fuzz_expect(macros == scan->macro_count, "all macros");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = (char *)fuzz_copy(data, size);
	char *options = fuzz_string(data, size);
	struct occ_scan *scan = occ_scan_make(text, size);
	struct occ_scan *other = occ_scan_make_options(options);
	const struct occ_scan *both[2] = {scan, other};
	unsigned words;

	fuzz_expect(scan && other, "a scan");
	check_directives(scan);
	fuzz_expect(!other->directive_count, "options have no directives");
	words = occ_scan_pastable(both, 2);
	fuzz_expect((words & occ_scan_pastable(both, 1)) ==
			    occ_scan_pastable(both, 1),
		    "more texts make no fewer words");
	fuzz_expect(occ_scan_assembly_includes(scan) ==
			    occ_scan_assembly_includes(scan),
		    "the same again");
	occ_scan_pragma_includes(scan);
	occ_scan_includes(scan);
	occ_scan_strings_include(scan, true);
	occ_scan_may_use_file_macro(scan, scan);
	occ_scan_may_use_file_macro(other, scan);
	occ_scan_release(scan);
	occ_scan_release(other);
	free(options);
	free(text);
	return 0;
}
