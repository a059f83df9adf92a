/* SPDX-License-Identifier: MIT */
/*
 * The files by which programs that know nothing of it get the layer, and that
 * `oclcache enable` makes and `oclcache disable` removes.
 *
 * For one user:
 *	~/.config/environment.d/50-oclcache.conf	systemd's user sessions
 * For all:
 *	/etc/OpenCL/layers/oclcache.lay		loaders that read that directory
 *	/etc/environment.d/50-oclcache.conf	systemd's user sessions
 *	/etc/profile.d/oclcache.sh		login shells
 *
 * If it is asked for, also a timer of systemd's user sessions, which starts
 * `oclcache replay --stale` and `oclcache upgrade`, and what has them started
 * when a driver was installed: in ~/.config/systemd/user, or for all in
 * /etc/systemd/user, oclcache-upgrade.service, .timer and .path
 *	timers.target.wants/oclcache-upgrade.timer	a link: it is on
 *	paths.target.wants/oclcache-upgrade.path	the same
 * With a remote storage, in the same directory, oclcache-storage.socket and
 * .service, by which systemd listens for the helper and starts it, and
 *	sockets.target.wants/oclcache-storage.socket	a link
 *	default.target.wants/oclcache-storage.service	a link; not for all
 * A link is ours unless the unit that it leads to is another's.
 *
 * In OPENCL_LAYERS the layer comes first, since it must be next to the driver,
 * and since ocl-icd hands only the first one on to the programs that a program
 * starts; what is there stays behind it.
 *
 * A file's first line says that it is ours, and has a digest of the rest: what
 * somebody has changed since is his. A .lay file can have no such line; it is
 * ours when its one line is the path of a file of the layer's name.
 *
 * OCLCACHE_ROOT=DIR is for tests: /etc is then DIR/etc.
 */
#ifndef OCC_CLI_ACTIVATION_H
#define OCC_CLI_ACTIVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Those for all. */
#define OCC_ACTIVATION_LAYERS	   "/etc/OpenCL/layers/oclcache.lay"
#define OCC_ACTIVATION_ENVIRONMENT "/etc/environment.d/50-oclcache.conf"
#define OCC_ACTIVATION_PROFILE	   "/etc/profile.d/oclcache.sh"

enum occ_activation_state {
	OCC_ACTIVATION_MISSING,
	OCC_ACTIVATION_OURS,	 /* as `enable` made it, for some layer */
	OCC_ACTIVATION_CHANGED,	 /* ours, and changed since */
	OCC_ACTIVATION_ANOTHERS, /* made by somebody else, or no file */
	OCC_ACTIVATION_UNKNOWN,	 /* can't be read; errno */
};

struct occ_activation_file {
	char *path; /* absolute */
	char *text; /* what `enable` would write; of a link its target */
	bool is_link;
	mode_t mode;	       /* 0: 0644 */
	mode_t directory_mode; /* of directories that it needs */
	enum occ_activation_state state;
	bool is_current; /* ours, and with just that text */
};

#define OCC_ACTIVATION_FILES 12

struct occ_activation {
	struct occ_activation_file files[OCC_ACTIVATION_FILES];
	size_t count;
};

enum occ_activation_part {
	OCC_ACTIVATION_LAYER = 1,
	OCC_ACTIVATION_TIMER = 2,
	OCC_ACTIVATION_RENEWAL = 4, /* those of the timer that are ours */
};

/*
 * What there is to do, for a layer with an absolute path; `layer` may be "" for
 * who only looks or removes. `parts`: which of them, added up. False after an
 * error was shown: there is no HOME.
 */
bool occ_activation_begin(bool system, unsigned parts, const char *layer,
			  struct occ_activation *ret_activation);

/*
 * Adds the units of the remote storage's helper, a program, which listens there
 * in $XDG_RUNTIME_DIR; both may be "" for who only looks or removes.
 */
void occ_activation_add_remote(struct occ_activation *activation, bool system,
			       const char *socket, const char *program);
void occ_activation_end(struct occ_activation *activation);

/*
 * Is the timer on, for this user, or for all? Another's doesn't count.
 * *ret_old, unless NULL: would `enable` change its units, since they were
 * written by another command, say?
 */
bool occ_activation_has_timer(bool system, bool *ret_old);

/* The path of the one user's file, to be freed; NULL: there is no HOME. */
char *occ_activation_users_file(void);

/*
 * Can the path stand in these files, and in OPENCL_LAYERS, as it is? False
 * after an error was shown.
 */
bool occ_activation_is_plain(const char *layer);

/*
 * Writes the file, whole or not at all, for everybody to read, with the
 * directories that it needs; or removes it, and its directory if that is
 * OpenCL's or the user's own and is empty then. False after an error was shown.
 */
bool occ_activation_write(const struct occ_activation_file *file);
bool occ_activation_remove(const struct occ_activation_file *file);

#endif
