/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "hash/reader.h"
#include "hash/resolver.h"

/* What looking at a directory counts as, in bytes of paths. */
#define DIRECTORY_COST 4096

/* Takes "NAME", "NAME=BODY" or "NAME(A,B)=BODY". */
static bool take_macro(struct occ_resolver *resolver, const char *text,
		       size_t length, bool undefines)
{
	struct occ_option_macro macro = {NULL, NULL, 0};
	const char *end = text + length;
	const char *equals = memchr(text, '=', length);
	const char *head = equals ? equals : end;
	const char *parameters = memchr(text, '(', (size_t)(head - text));
	const char *name_end = parameters ? parameters : head;
	char *rest;

	if (!occ_resolver_grow(resolver, (void *)&resolver->macros,
			       resolver->macro_count, &resolver->macro_capacity,
			       sizeof(macro)))
		return false;
	macro.name = occ_resolver_add_string(resolver, &resolver->macro_texts,
					     text, (size_t)(name_end - text));
	/* "(A,B)" in front of " BODY"; without "=" the body is 1. */
	macro.rest =
		occ_resolver_add_string(resolver, &resolver->macro_texts,
					name_end, (size_t)(end - name_end));
	if (!macro.name || !macro.rest)
		return false;
	macro.rest_length = (size_t)(end - name_end);
	rest = resolver->macro_texts.items[resolver->macro_texts.count - 1];
	if (undefines) {
		macro.rest = NULL;
	} else if (equals) {
		rest[equals - name_end] = ' ';
	} else {
		macro.rest = " 1";
		macro.rest_length = 2;
	}
	resolver->macros[resolver->macro_count++] = macro;
	return true;
}

static bool take_directory(struct occ_resolver *resolver, const char *path,
			   size_t length)
{
	const struct occ_closure_request *request = resolver->request;
	const char *directory =
		occ_resolver_add_string(resolver, &resolver->directories, path,
					length);
	struct occ_closure_file file = {0};

	if (!directory || !occ_resolver_spend(resolver, DIRECTORY_COST))
		return false;
	/* A file may be a map of headers (Clang's). */
	if (*directory &&
	    request->look(directory, false, &file, request->look_data) !=
		    OCC_CLOSURE_ABSENT)
		occ_resolver_fail(resolver, OCC_REASON_OPTION_DIRECTORY);
	occ_resolver_number_directory(resolver, &file);
	return !resolver->reason;
}

static bool visit_option(enum occ_option_kind kind, const char *argument,
			 size_t length, bool certain, void *data)
{
	struct occ_resolver *resolver = data;

	switch (kind) {
	case OCC_OPTION_DIRECTORY:
		resolver->directories_uncertain |= !certain;
		return take_directory(resolver, argument, length);
	case OCC_OPTION_FILE:
		return occ_resolver_add_string(resolver, &resolver->files,
					       argument, length);
	case OCC_OPTION_DEFINE:
	case OCC_OPTION_UNDEFINE:
		/* Matters only to computed includes. */
		resolver->macros_uncertain |= !certain;
		return take_macro(resolver, argument, length,
				  kind == OCC_OPTION_UNDEFINE);
	}
	return false;
}

/*
 * Is a directory perhaps named by another option than -I? Those of -iquote and
 * -idirafter aren't all searched before the driver's own.
 */
static bool has_other_directories(const char *options)
{
	const char *at = options;

	while ((at = strstr(at, "-i")) && at > options &&
	       occ_is_identifier((unsigned char)at[-1]))
		at++;
	return at;
}

void occ_closure_options_take(struct occ_resolver *resolver)
{
	struct occ_resolver_strings *directories = &resolver->directories;
	const char *const *own = resolver->request->directories;
	const char *options = resolver->request->options;

	if (!options)
		options = "";
	resolver->directories_uncertain = resolver->request->own_unknown &&
					  has_other_directories(options);
	resolver->options = occ_scan_make_options(options);
	if (!resolver->options)
		occ_resolver_fail(resolver, OCC_REASON_OUT_OF_MEMORY);
	occ_resolver_add_string(resolver, directories, "", 0);
	resolver->own_first = directories->count;
	for (; own && *own; own++)
		occ_resolver_add_string(resolver, directories, *own,
					strlen(*own));
	resolver->own_end = directories->count;
	if (!occ_option_walk(options, resolver->request->dialect, visit_option,
			     resolver))
		occ_resolver_fail(resolver, OCC_REASON_OPTIONS_UNCERTAIN);
}
