/* SPDX-License-Identifier: MIT */
#include "cli/oci_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/program_path.h"
#include "cli/program_wait.h"
#include "cli/text.h"

#define ARGUMENTS_MAX 10

/* It isn't shown, then. */
static bool has_user(const char *place)
{
	const char *at = strchr(place, '@');

	return !strncmp(place, "oci://", strlen("oci://")) && at &&
	       strncmp(at, "@sha256:", strlen("@sha256:")) != 0;
}

/* NULL: it can be one in a registry, else what is wrong. */
static const char *problem_of(const char *reference)
{
	static const char taken[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-/:@[]";
	if (reference[strspn(reference, taken)] || *reference == '-' ||
	    !strchr(reference, '/') || *reference == '/')
		return "use oci://REGISTRY/NAME:TAG";
	return NULL;
}

bool occ_oci_tool_check(const char *command,
			const struct occ_arguments *arguments)
{
	const char *place = arguments->operands[0], *problem = NULL;

	if (!occ_arguments_expect(arguments, command, 1,
				  "name one image, such as "
				  "oci://registry.example.org/kernels:1"))
		return false;
	if (has_user(place)) {
		occ_message_error(
			"%s: the address can't contain a user or password; log "
			"in with 'skopeo login' or 'oras login'",
			command);
		return false;
	}
	if (!strncmp(place, "oci://", strlen("oci://")))
		problem = problem_of(place + strlen("oci://"));
	else if (strncmp(place, "oci:", strlen("oci:")) != 0 ||
		 !place[strlen("oci:")])
		problem = "use oci://REGISTRY/NAME:TAG or oci:DIR";
	if (problem)
		occ_message_error("%s: %s: %s", command, place, problem);
	return !problem;
}

char *occ_oci_tool_tag(const char *reference)
{
	const char *name = strrchr(reference, '/'), *tag;

	if (!name || strchr(name, '@'))
		return occ_text("latest");
	tag = strrchr(name, ':');
	return occ_text("%s", tag && tag[1] ? tag + 1 : "latest");
}

/* With its tag, where it has neither that nor a digest. */
static char *whole_reference(const char *reference)
{
	const char *name = strrchr(reference, '/');

	return occ_text("%s%s", reference,
			strpbrk(name, ":@") ? "" : ":latest");
}

/* What it says of its progress is nobody's. */
static bool run(const char *program, const char *const *arguments)
{
	int status = occ_program_wait(program, arguments, true);

	if (!status)
		return true;
	occ_message_error("%s failed (status %d)", program, status);
	return false;
}

/*
 * Our signatures, not the policy of images, decide what is taken. Digests stay,
 * so that nothing is compressed on the way.
 */
static bool by_skopeo(const char *program, bool push, const char *directory,
		      const char *reference, bool plain)
{
	char *tag = occ_oci_tool_tag(reference);
	char *here = occ_text("oci:%s:%s", directory, tag);
	char *whole = whole_reference(reference);
	char *there = occ_text("docker://%s", whole);
	const char *arguments[ARGUMENTS_MAX] = {"skopeo", "--insecure-policy",
						"copy", "--quiet",
						"--preserve-digests"};
	size_t count = 5;
	bool good;

	if (plain)
		arguments[count++] = push ? "--dest-tls-verify=false"
					  : "--src-tls-verify=false";
	arguments[count++] = push ? here : there;
	arguments[count++] = push ? there : here;
	good = run(program, arguments);
	free(tag);
	free(here);
	free(whole);
	free(there);
	return good;
}

static bool by_oras(const char *program, bool push, const char *directory,
		    const char *reference, bool plain)
{
	char *tag = occ_oci_tool_tag(reference);
	char *here = occ_text("%s:%s", directory, tag);
	char *there = whole_reference(reference);
	const char *arguments[ARGUMENTS_MAX] = {"oras", "cp",
						push ? "--from-oci-layout"
						     : "--to-oci-layout"};
	size_t count = 3;
	bool good;

	if (plain)
		arguments[count++] =
			push ? "--to-plain-http" : "--from-plain-http";
	arguments[count++] = push ? here : there;
	arguments[count++] = push ? there : here;
	good = run(program, arguments);
	free(tag);
	free(here);
	free(there);
	return good;
}

bool occ_oci_tool_copy(enum occ_oci_direction direction, const char *directory,
		       const char *reference, bool plain)
{
	bool push = direction == OCC_OCI_PUSH, good = false;
	char *skopeo = occ_program_path_find("skopeo");
	char *oras = skopeo ? NULL : occ_program_path_find("oras");

	if (skopeo)
		good = by_skopeo(skopeo, push, directory, reference, plain);
	else if (oras)
		good = by_oras(oras, push, directory, reference, plain);
	else
		occ_message_error("%s: pushing to and pulling from a registry "
				  "needs skopeo or oras; install one of them, "
				  "or use oci:DIRECTORY and copy that",
				  push ? "push" : "pull");
	free(skopeo);
	free(oras);
	return good;
}
