/* SPDX-License-Identifier: MIT */
#include "hash/closure.h"

#include <stdio.h>
#include <string.h>

#include "hash/resolver.h"

/* Computed includes expanded, each again when more is known: some dozens. */
#define EXPANSIONS_MAX 4096

/* Work on all of these together (macro.h); some ten thousands. */
#define MACRO_WORK_MAX ((uint64_t)16 << 20)

/* Is it below the directories searched, and not odd? */
static bool is_inside(const char *name)
{
	const char *part = name;

	if (*name == '/' || !occ_scan_name_certain(name, strlen(name)))
		return false;
	while (part) {
		if (!strncmp(part, "..", 2) && (!part[2] || part[2] == '/'))
			return false;
		part = strchr(part, '/');
		part = part ? part + 1 : NULL;
	}
	return true;
}

static void take_texts(struct occ_resolver *resolver)
{
	const struct occ_closure_request *request = resolver->request;

	occ_resolver_add_text(resolver, request->source, "", false);
	for (size_t i = 0; i < request->header_count; i++) {
		const struct occ_closure_header *header = &request->headers[i];

		if (!is_inside(header->name))
			occ_resolver_fail(resolver, OCC_REASON_HEADER_NAME);
		occ_resolver_add_text(resolver, header->scan, header->name,
				      true);
	}
}

static enum occ_resolver_form form_of(const struct occ_directive *directive,
				      bool quoted)
{
	if (directive->next)
		return OCC_RESOLVER_NEXT;
	return quoted ? OCC_RESOLVER_QUOTED : OCC_RESOLVER_ANGLED;
}

/* What a text or an option includes; a driver that finds none goes on. */
static void include(struct occ_resolver *resolver,
		    const struct occ_resolver_text *text, const char *name,
		    size_t length, enum occ_resolver_form form, bool contents)
{
	bool first = occ_resolver_search(resolver, text, name, length, form,
					 contents);

	if (!first && resolver->request->own_unknown)
		occ_resolver_fail(resolver, OCC_REASON_INCLUDE_ELSEWHERE);
}

/* From the text *at on; those that are found are followed, too. */
static void follow_texts(struct occ_resolver *resolver, size_t *at)
{
	for (; *at < resolver->text_count && !resolver->reason; (*at)++) {
		/* A copy: what is found may move the texts. */
		struct occ_resolver_text text = resolver->texts[*at];
		const struct occ_scan *scan = text.scan;

		for (size_t i = 0;
		     i < scan->directive_count && !resolver->reason; i++) {
			const struct occ_directive *directive =
				&scan->directives[i];
			const char *name = occ_scan_name(scan, directive);
			bool has = directive->kind == OCC_DIRECTIVE_HAS;

			if (has || directive->kind == OCC_DIRECTIVE_INCLUDE)
				include(resolver, &text, name, strlen(name),
					form_of(directive, directive->quoted),
					!has);
		}
	}
}

/* A computed include, and the text that it is in. */
struct computed {
	struct occ_resolver *resolver;
	struct occ_resolver_text text; /* a copy, as above */
	const struct occ_directive *directive;
};

static bool visit_computed(const char *name, size_t length, bool quoted,
			   void *data)
{
	const struct computed *computed = data;

	if (!occ_scan_name_certain(name, length))
		return false;
	include(computed->resolver, &computed->text, name, length,
		form_of(computed->directive, quoted),
		computed->directive->kind == OCC_DIRECTIVE_COMPUTED);
	return true;
}

static void expand(struct computed *computed, const struct occ_macros *macros)
{
	const struct occ_directive *directive = computed->directive;
	struct occ_resolver *resolver = computed->resolver;
	enum occ_reason reason;

	if (resolver->expansions++ == EXPANSIONS_MAX) {
		occ_resolver_fail(resolver, OCC_REASON_INCLUDES_MANY);
		return;
	}
	reason = occ_macro_includes(macros, directive->rest,
				    directive->rest_length, visit_computed,
				    computed);
	if (reason)
		occ_resolver_fail(resolver, reason);
}

/* With the definitions that are known by now. */
static void follow_computed(struct occ_resolver *resolver)
{
	size_t count = resolver->text_count;
	struct occ_macros macros = {
		.scan_count = count,
		.options = resolver->macros,
		.option_count = resolver->macro_count,
		.options_uncertain = resolver->macros_uncertain,
		.work_left = &resolver->macro_work,
	};

	if (!occ_resolver_list_scans(resolver))
		return;
	macros.scans = resolver->scans;
	for (size_t t = 0; t < count && !resolver->reason; t++) {
		struct computed computed = {resolver, resolver->texts[t], NULL};
		const struct occ_scan *scan = computed.text.scan;

		for (size_t i = 0;
		     i < scan->directive_count && !resolver->reason; i++) {
			computed.directive = &scan->directives[i];
			if (computed.directive->kind ==
				    OCC_DIRECTIVE_COMPUTED ||
			    computed.directive->kind ==
				    OCC_DIRECTIVE_COMPUTED_HAS)
				expand(&computed, &macros);
		}
	}
}

/* Is a file of that name found that wasn't yet? */
static bool is_present(struct occ_resolver *resolver, const char *name)
{
	size_t size = resolver->closure->fields.size;

	occ_resolver_search(resolver, NULL, name, strlen(name),
			    OCC_RESOLVER_NEXT, false);
	return resolver->closure->fields.size != size;
}

/*
 * The files that are read before the source. Some compilers take a precompiled
 * one instead if it is beside it.
 */
static void follow_files(struct occ_resolver *resolver)
{
	static const char *const precompiled[] = {".pch", ".gch"};

	for (size_t i = 0; i < resolver->files.count; i++) {
		const char *name = resolver->files.items[i];
		size_t length = strlen(name);
		/*
		 * So drivers that don't know quotes read a quoted name; as a
		 * rule there is no such file.
		 */
		bool quote = *name == '"' || *name == '\'';

		if (occ_scan_name_certain(name, length))
			include(resolver, NULL, name, length, OCC_RESOLVER_NEXT,
				true);
		else if (!quote || length > OCC_SCAN_NAME_MAX ||
			 is_present(resolver, name))
			occ_resolver_fail(resolver, OCC_REASON_OPTION_FILE);
		for (size_t p = 0; p < 2 && !resolver->reason; p++) {
			char path[OCC_SCAN_NAME_MAX + sizeof(".pch")];

			snprintf(path, sizeof(path), "%s%s", name,
				 precompiled[p]);
			if (is_present(resolver, path))
				occ_resolver_fail(
					resolver,
					OCC_REASON_PRECOMPILED_HEADER);
		}
	}
}

/*
 * Those that the driver includes by itself, unless it finds others first. Its
 * own are part of its identity.
 */
static void follow_implicit(struct occ_resolver *resolver)
{
	const char *const *names = resolver->request->implicit;

	resolver->own_skipped = true;
	for (; names && *names && !resolver->reason; names++)
		occ_resolver_search(resolver, NULL, *names, strlen(*names),
				    OCC_RESOLVER_NEXT, true);
	resolver->own_skipped = false;
}

/* Until nothing new is found: files may define what includes are made of. */
static void follow(struct occ_resolver *resolver)
{
	size_t at = 0, before;

	follow_implicit(resolver);
	follow_files(resolver);
	do {
		follow_texts(resolver, &at);
		before = resolver->text_count;
		if (!resolver->reason)
			follow_computed(resolver);
	} while (resolver->text_count > before && !resolver->reason);
}

/* What such a driver calls a file in a log may be its whole path. */
static void add_here(struct occ_resolver *resolver)
{
	static const unsigned char head[OCC_KEY_FILE_HEAD];
	const char *here = resolver->request->here;
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	if (!resolver->request->own_unknown || !here || !resolver->is_relative)
		return;
	occ_buffer_append(&bytes, head, sizeof(head));
	occ_buffer_append(&bytes, here, strlen(here));
	occ_field_append(&resolver->closure->fields, OCC_KEY_INCLUDE_PRESENT,
			 bytes.data, bytes.size);
	resolver->closure->fields.failed |= bytes.failed;
	occ_buffer_release(&bytes);
}

enum occ_reason occ_closure_make(const struct occ_closure_request *request,
				 struct occ_closure *ret_closure)
{
	struct occ_resolver resolver = {.request = request,
					.closure = ret_closure,
					.macro_work = MACRO_WORK_MAX};

	memset(ret_closure, 0, sizeof(*ret_closure));
	take_texts(&resolver);
	if (!resolver.reason)
		occ_closure_options_take(&resolver);
	if (!resolver.reason)
		follow(&resolver);
	if (!resolver.reason)
		add_here(&resolver);
	if (!resolver.reason)
		occ_closure_check(&resolver);
	if (resolver.out_of_memory || ret_closure->absent.failed ||
	    ret_closure->fields.failed)
		resolver.reason = OCC_REASON_OUT_OF_MEMORY;
	occ_resolver_release(&resolver);
	if (resolver.reason)
		occ_closure_release(ret_closure);
	return resolver.reason;
}

void occ_closure_add(const struct occ_closure *closure, struct occ_key *key)
{
	occ_key_add_fields(key, &closure->fields);
}

bool occ_closure_equal(const struct occ_closure *a, const struct occ_closure *b)
{
	return occ_span_equal(occ_buffer_span(&a->fields),
			      occ_buffer_span(&b->fields));
}

void occ_closure_release(struct occ_closure *closure)
{
	occ_buffer_release(&closure->fields);
	occ_buffer_release(&closure->absent);
	closure->file_count = 0;
}
