/* SPDX-License-Identifier: MIT */
#include "cli/login_profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/heeded_file.h"
#include "cli/message.h"
#include "cli/replace_file.h"
#include "cli/screen.h"
#include "cli/text.h"

#define BEGIN                                                                  \
	"# >>> oclcache: added by 'oclcache enable --profile', "               \
	"removed by 'oclcache disable'\n"
#define END "# <<< oclcache\n"

/* A layer that has gone with its package is nobody's trouble. */
char *occ_login_profile_lines(const char *layer)
{
	return occ_text(
		"if [ -r %s ]; then\n"
		"    case \":${OPENCL_LAYERS-}:\" in\n"
		"    *:%s:*) ;;\n"
		"    *)\n"
		"        OPENCL_LAYERS=%s${OPENCL_LAYERS:+:$OPENCL_LAYERS}\n"
		"        export OPENCL_LAYERS\n"
		"        ;;\n"
		"    esac\n"
		"fi\n",
		layer, layer, layer);
}

static char *path_of(const char *name)
{
	const char *home = getenv("HOME");

	return home && *home == '/' ? occ_text("%s/%s", home, name) : NULL;
}

char *occ_login_profile_path(void)
{
	return path_of(".profile");
}

/* "" where there is none; NULL: `complains`, and an error was shown. */
static char *read_file(const char *path, bool complains)
{
	const char *problem;
	size_t size = 0;
	char *text = NULL;

	problem = occ_heeded_file_read(path, OCC_HEEDED_PUBLIC, &text, &size);
	if (!problem && text && strlen(text) != size)
		problem = "isn't a text file";
	if (!problem && text)
		return text;
	free(text);
	if (!problem || !complains)
		return occ_text("%s", "");
	occ_message_error("%s %s; nothing in it was changed", path, problem);
	return NULL;
}

/* The start of a line that is this one; NULL: there is none. */
static const char *find_line(const char *text, const char *line)
{
	const char *at = text;

	while ((at = strstr(at, line)) && at > text && at[-1] != '\n')
		at++;
	return at;
}

/* False after an error was shown. */
static bool change(struct occ_login_profile *profile, const char *text)
{
	const char *begin = find_line(text, BEGIN), *end = NULL, *rest, *line;
	const char *block = profile->block ? profile->block : "";
	size_t before = begin ? (size_t)(begin - text) : strlen(text);

	if (begin)
		end = find_line(begin, END);
	if (begin && !end) {
		occ_message_error("%s: the line '%.*s' is missing; remove by "
				  "hand what 'oclcache enable' added",
				  profile->path, (int)strlen(END) - 1, END);
		return false;
	}
	rest = end ? end + strlen(END) : "";
	profile->is_ours = begin != NULL;
	profile->is_current = begin &&
			      (size_t)(rest - begin) == strlen(block) &&
			      !strncmp(begin, block, strlen(block));
	line = *block && before && text[before - 1] != '\n' ? "\n" : "";
	profile->text =
		occ_text("%.*s%s%s%s", (int)before, text, line, block, rest);
	return true;
}

bool occ_login_profile_begin(const char *layer, bool adds,
			     struct occ_login_profile *ret_profile)
{
	char *text, *lines;
	bool good;

	*ret_profile =
		(struct occ_login_profile){.path = occ_login_profile_path()};
	if (!ret_profile->path) {
		occ_message_error("HOME isn't set to an absolute path; set it");
		return false;
	}
	if (layer) {
		lines = occ_login_profile_lines(layer);
		ret_profile->block = occ_text(BEGIN "%s" END, lines);
		free(lines);
	}
	text = read_file(ret_profile->path, adds);
	good = text && change(ret_profile, text);
	free(text);
	if (!good)
		occ_login_profile_end(ret_profile);
	return good;
}

void occ_login_profile_end(struct occ_login_profile *profile)
{
	free(profile->path);
	free(profile->block);
	free(profile->text);
	*profile = (struct occ_login_profile){.path = NULL};
}

bool occ_login_profile_write(const struct occ_login_profile *profile)
{
	struct stat status;
	/* Somebody has made the link, and what it leads to. */
	bool goes = !*profile->text && !lstat(profile->path, &status) &&
		    S_ISREG(status.st_mode);
	int result = goes ? unlink(profile->path)
			  : occ_replace_file(profile->path, profile->text,
					     strlen(profile->text));

	if (result)
		occ_message_error("%s: %s; nothing in it was changed",
				  profile->path, strerror(errno));
	return !result;
}

void occ_login_profile_warn(void)
{
	static const char *const instead[] = {".bash_profile", ".bash_login"};
	const char *shell = getenv("SHELL");

	if (shell && (occ_text_ends_with(shell, "/zsh") ||
		      occ_text_ends_with(shell, "/fish")))
		occ_screen_line("Your shell, %s, doesn't read ~/.profile: set "
				"OPENCL_LAYERS in a file that it reads.",
				shell);
	for (size_t i = 0; i < sizeof(instead) / sizeof(*instead); i++) {
		char *path = path_of(instead[i]);

		if (path && !access(path, F_OK))
			occ_screen_line("bash reads ~/%s instead of "
					"~/.profile: add '. ~/.profile' to "
					"it, unless it has that line.",
					instead[i]);
		free(path);
	}
}
