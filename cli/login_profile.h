/* SPDX-License-Identifier: MIT */
/*
 * The lines of ~/.profile that switch the layer on in login shells, which
 * `oclcache enable --profile` adds and `oclcache disable` removes. They stand
 * between two comments; nothing else of the file is changed.
 *
 * bash reads ~/.bash_profile or ~/.bash_login instead where there is one, and
 * zsh and fish read none of these: occ_login_profile_warn() says so.
 *
 * Calling sequence: occ_login_profile_begin(), any of the rest,
 * occ_login_profile_end(). One thread.
 */
#ifndef OCC_CLI_LOGIN_PROFILE_H
#define OCC_CLI_LOGIN_PROFILE_H

#include <stdbool.h>

struct occ_login_profile {
	char *path;   /* absolute */
	char *block;  /* the lines to be there, with their comments; or NULL */
	char *text;   /* the file as it would be */
	bool is_ours; /* the lines are there, for some layer */
	bool is_current;
};

/* Of a shell's file, for a layer with an absolute path; to be freed. */
char *occ_login_profile_lines(const char *layer);

/* The path, to be freed; NULL: there is no HOME. */
char *occ_login_profile_path(void);

/*
 * What there is to do for the lines to be there; `layer` NULL: to go. False
 * after an error was shown: the file has the first comment without the last
 * one; or can't be read, or written by others, where lines are to be added
 * (`adds`): otherwise one like that has none.
 */
bool occ_login_profile_begin(const char *layer, bool adds,
			     struct occ_login_profile *ret_profile);
void occ_login_profile_end(struct occ_login_profile *profile);

/*
 * Writes the file, whole or not at all, through a link, too. Where nothing is
 * left in it, it is removed, unless it is a link. False after an error was
 * shown.
 */
bool occ_login_profile_write(const struct occ_login_profile *profile);

/* Says on standard output which shells of this user don't read it. */
void occ_login_profile_warn(void);

#endif
