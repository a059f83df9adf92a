/* SPDX-License-Identifier: MIT */
#include "cli/activation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/file.h"
#include "cache/directory.h"
#include "cli/layer.h"
#include "cli/login_profile.h"
#include "cli/message.h"
#include "cli/remote_units.h"
#include "cli/text.h"
#include "cli/timer.h"
#include "hash/digest.h"

/* Larger files aren't ours. */
#define TEXT_MAX 16384

#define SERVICE	 "oclcache-upgrade.service"
#define TIMER	 "oclcache-upgrade.timer"
#define PATH	 "oclcache-upgrade.path"

#define MARK	 "# Made by 'oclcache enable', removed by 'oclcache disable': "

static void digest_of(const char *text, char ret_hex[OCC_DIGEST_HEX_SIZE])
{
	struct occ_digest digest;

	occ_digest(text, strlen(text), OCC_SEED_CHECKSUM, &digest);
	occ_digest_hex(&digest, ret_hex);
}

/* With the line that says whose it is. */
static char *mark(char *text)
{
	char hex[OCC_DIGEST_HEX_SIZE], *marked;

	digest_of(text, hex);
	marked = occ_text(MARK "%s\n%s", hex, text);
	free(text);
	return marked;
}

static enum occ_activation_state state_of(const char *path, const char *text)
{
	const char *end = strchr(text, '\n');
	char hex[OCC_DIGEST_HEX_SIZE];
	size_t length = strlen(MARK);

	if (occ_text_ends_with(path, ".lay")) {
		if (*text != '/' || !end ||
		    !occ_text_ends_with(text, "/" OCC_LAYER_NAME "\n"))
			return OCC_ACTIVATION_ANOTHERS;
		return end[1] ? OCC_ACTIVATION_CHANGED : OCC_ACTIVATION_OURS;
	}
	if (strncmp(text, MARK, length) != 0 || !end)
		return OCC_ACTIVATION_ANOTHERS;
	digest_of(end + 1, hex);
	return (size_t)(end - text) == length + strlen(hex) &&
			       !memcmp(text + length, hex, strlen(hex))
		       ? OCC_ACTIVATION_OURS
		       : OCC_ACTIVATION_CHANGED;
}

/* systemctl makes it with the whole path. */
static bool leads_to(const struct occ_activation_file *link, const char *target,
		     const struct occ_activation_file *unit)
{
	struct stat end, status;

	if (unit->state == OCC_ACTIVATION_MISSING)
		return !strcmp(target, link->text) ||
		       !strcmp(target, unit->path);
	return !stat(link->path, &end) && !stat(unit->path, &status) &&
	       end.st_dev == status.st_dev && end.st_ino == status.st_ino;
}

/* It's ours only if what it leads to is, or was. */
static void look_at_link(struct occ_activation_file *link,
			 const struct occ_activation_file *unit)
{
	char target[PATH_MAX];
	ssize_t length = readlink(link->path, target, sizeof(target) - 1);

	target[length < 0 ? 0 : length] = '\0';
	if (length >= 0)
		link->state = unit->state != OCC_ACTIVATION_ANOTHERS &&
					      leads_to(link, target, unit)
				      ? OCC_ACTIVATION_OURS
				      : OCC_ACTIVATION_ANOTHERS;
	else if (errno == ENOENT || errno == ENOTDIR)
		link->state = OCC_ACTIVATION_MISSING;
	else if (errno == EINVAL)
		link->state = OCC_ACTIVATION_ANOTHERS;
	else
		link->state = OCC_ACTIVATION_UNKNOWN;
	link->is_current = link->state == OCC_ACTIVATION_OURS;
}

static void look(struct occ_activation_file *file)
{
	int descriptor = occ_file_open(AT_FDCWD, file->path, O_RDONLY);
	char text[TEXT_MAX + 1];
	struct stat status;
	ssize_t size;

	file->state = OCC_ACTIVATION_UNKNOWN;
	if (descriptor < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			file->state = OCC_ACTIVATION_MISSING;
		else if (errno == ELOOP)
			file->state = OCC_ACTIVATION_ANOTHERS;
		return;
	}
	if (!occ_file_status(descriptor, &status) && !S_ISREG(status.st_mode)) {
		file->state = OCC_ACTIVATION_ANOTHERS;
	} else {
		size = occ_file_read(descriptor, 0, text, TEXT_MAX);
		if (size >= 0) {
			text[size] = '\0';
			file->state = state_of(file->path, text);
			file->is_current = !strcmp(text, file->text);
		}
	}
	occ_file_close(descriptor);
}

/* A link is one to the unit that has just been added. */
static void add(struct occ_activation *activation, mode_t directory_mode,
		bool is_link, char *path, char *text)
{
	struct occ_activation_file *file =
		&activation->files[activation->count++];

	*file = (struct occ_activation_file){.path = path,
					     .text = text,
					     .is_link = is_link,
					     .directory_mode = directory_mode};
	if (is_link)
		look_at_link(file, file - 1);
	else
		look(file);
}

static void release(struct occ_activation_file *file)
{
	free(file->path);
	free(file->text);
}

/* Takes back what was added last, unless it is there and ours. */
static void keep_ours(struct occ_activation *activation)
{
	struct occ_activation_file *file =
		&activation->files[activation->count - 1];

	if (file->state == OCC_ACTIVATION_OURS)
		return;
	release(file);
	activation->count--;
}

/* Where systemd's units are, and what is to be done with them. */
struct units {
	struct occ_activation *activation;
	const char *directory;
	mode_t mode;
	bool whole; /* else only those that are there and ours */
};

/* `text` is freed. `target`: by which it is on; NULL: by another unit. */
static void add_unit(const struct units *units, const char *name, char *text,
		     const char *target)
{
	add(units->activation, units->mode, false,
	    occ_text("%s/%s", units->directory, name), mark(text));
	if (!units->whole)
		keep_ours(units->activation);
	else if (target)
		add(units->activation, units->mode, true,
		    occ_text("%s/%s.wants/%s", units->directory, target, name),
		    occ_text("../%s", name));
}

/* Where systemd has the units of users' sessions, to be freed. */
static char *units_directory(bool system)
{
	const char *root = getenv("OCLCACHE_ROOT");

	return system ? occ_text("%s/etc/systemd/user", root ? root : "")
		      : occ_text("%s/.config/systemd/user", getenv("HOME"));
}

void occ_activation_add_remote(struct occ_activation *activation, bool system,
			       const char *socket, const char *program)
{
	char *directory = units_directory(system);
	const struct units units = {activation, directory, system ? 0755 : 0700,
				    true};

	add_unit(&units, "oclcache-storage.service",
		 occ_remote_units_service(program),
		 system ? NULL : "default.target");
	add_unit(&units, "oclcache-storage.socket",
		 occ_remote_units_socket(socket), "sockets.target");
	free(directory);
}

/* `directory` is freed. */
static void add_timer(struct occ_activation *activation, unsigned parts,
		      mode_t directory_mode, char *directory)
{
	const struct units units = {activation, directory, directory_mode,
				    parts & OCC_ACTIVATION_TIMER};

	if (units.whole || parts & OCC_ACTIVATION_RENEWAL) {
		add_unit(&units, SERVICE, occ_timer_service(), NULL);
		add_unit(&units, TIMER, occ_timer_text(), "timers.target");
		add_unit(&units, PATH, occ_timer_path(), "paths.target");
	}
	free(directory);
}

char *occ_activation_users_file(void)
{
	const char *home = getenv("HOME");

	/* systemd has it here, whatever XDG_CONFIG_HOME is in a shell. */
	return home && *home == '/'
		       ? occ_text("%s/.config/environment.d/50-oclcache.conf",
				  home)
		       : NULL;
}

bool occ_activation_begin(bool system, unsigned parts, const char *layer,
			  struct occ_activation *ret_activation)
{
	const char *variable = getenv("OCLCACHE_ROOT"), *root = "";
	mode_t mode = system ? 0755 : 0700;
	char *path;

	if (variable)
		root = variable;
	ret_activation->count = 0;
	path = system ? occ_text("%s" OCC_ACTIVATION_ENVIRONMENT, root)
		      : occ_activation_users_file();
	if (!path) {
		occ_message_error("HOME isn't set to an absolute path; set it, "
				  "or use --system");
		return false;
	}
	if (parts & OCC_ACTIVATION_LAYER) {
		if (system)
			add(ret_activation, mode, false,
			    occ_text("%s" OCC_ACTIVATION_LAYERS, root),
			    occ_text("%s\n", layer));
		add(ret_activation, mode, false, path,
		    mark(occ_text("OPENCL_LAYERS="
				  "%s${OPENCL_LAYERS:+:${OPENCL_LAYERS}}\n",
				  layer)));
		if (system)
			add(ret_activation, mode, false,
			    occ_text("%s" OCC_ACTIVATION_PROFILE, root),
			    mark(occ_login_profile_lines(layer)));
	} else {
		free(path);
	}
	add_timer(ret_activation, parts, mode, units_directory(system));
	return true;
}

void occ_activation_end(struct occ_activation *activation)
{
	for (size_t i = 0; i < activation->count; i++)
		release(&activation->files[i]);
	activation->count = 0;
}

bool occ_activation_has_timer(bool system, bool *ret_old)
{
	const char *home = getenv("HOME");
	struct occ_activation activation;
	bool has = false, old = false, missing = false;

	if (!system && (!home || *home != '/'))
		return false;
	occ_activation_begin(system, OCC_ACTIVATION_TIMER, "", &activation);
	for (size_t i = 0; i < activation.count; i++) {
		const struct occ_activation_file *file = &activation.files[i];
		bool ours = file->state == OCC_ACTIVATION_OURS;

		has |= ours && file->is_link;
		old |= ours && !file->is_current;
		missing |= file->state == OCC_ACTIVATION_MISSING;
	}
	occ_activation_end(&activation);
	/* Earlier versions had fewer units. */
	if (ret_old)
		*ret_old = old || (has && missing);
	return has;
}

bool occ_activation_is_plain(const char *layer)
{
	for (const char *c = layer; *c; c++) {
		if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
		    (*c >= '0' && *c <= '9') || (*c & 0x80) ||
		    strchr("/._+-@,=~%", *c))
			continue;
		occ_message_error(
			"%s: OPENCL_LAYERS and the files that set it can't "
			"contain '%c'; install the layer in another directory",
			layer, *c);
		return false;
	}
	return true;
}

static void complain(const char *path, int number)
{
	occ_message_error("%s: %s%s", path, strerror(number),
			  number == EACCES ? "; run this as root" : "");
}

/*
 * Opens the directory that the file is in, with all directories of the path
 * made if `mode` isn't 0. Root leaves nothing in another user's home, and
 * removes nothing there: HOME may be kept by sudo.
 */
static bool open_directory(const struct occ_activation_file *file, mode_t mode,
			   struct occ_path *ret_directory,
			   const char **ret_name)
{
	const struct occ_path_missing missing = {mode ? UINT_MAX : 0, mode};
	int error = occ_path_open_parent(file->path, &missing, ret_directory,
					 ret_name);

	if (!error && !occ_file_is_mine_or_roots(&ret_directory->status)) {
		occ_file_close(ret_directory->directory);
		error = OCC_E_ANOTHERS;
	}
	if (error == OCC_E_ANOTHERS)
		occ_message_error("%s: the directory belongs to another user; "
				  "run this as that user, or use --system to "
				  "switch the layer on for everybody",
				  file->path);
	else if (error)
		complain(file->path, errno);
	return !error;
}

/*
 * Under another name at first: systemd and shells read no file that ends so.
 * The mode is right whatever the umask.
 */
static bool write_file(int directory, const char *name, const char *text,
		       mode_t mode)
{
	char *temporary = occ_text("%s.new", name);
	bool written;
	int number, file;

	unlinkat(directory, temporary, 0);
	file = occ_file_open(directory, temporary, O_WRONLY | O_CREAT | O_EXCL);
	written = file >= 0 && !occ_file_write(file, 0, text, strlen(text)) &&
		  !fchmod(file, mode ? mode : 0644) && !fsync(file);
	occ_file_close(file);
	written = written && !occ_file_rename(directory, temporary, name);
	number = errno;
	if (!written)
		unlinkat(directory, temporary, 0);
	free(temporary);
	errno = number;
	return written;
}

bool occ_activation_write(const struct occ_activation_file *file)
{
	struct occ_path directory;
	const char *name;
	bool written;

	if (!open_directory(file, file->directory_mode, &directory, &name))
		return false;
	written = file->is_link
			  ? !symlinkat(file->text, directory.directory, name)
			  : write_file(directory.directory, name, file->text,
				       file->mode);
	if (!written)
		complain(file->path, errno);
	occ_file_close(directory.directory);
	return written;
}

/* If it is empty. */
static bool remove_directory(const char *path)
{
	struct occ_path parent;
	const char *name;
	bool removed;

	if (occ_path_open_parent(path, NULL, &parent, &name))
		return false;
	removed = occ_file_is_mine_or_roots(&parent.status) &&
		  !unlinkat(parent.directory, name, AT_REMOVEDIR);
	occ_file_close(parent.directory);
	return removed;
}

/* Directories that nobody but `enable` may have made. */
static void remove_directories(const char *path)
{
	static const char *const ends[] = {
		"/OpenCL/layers",
		"/.config/environment.d",
		"/systemd/user/timers.target.wants",
		"/systemd/user/paths.target.wants",
		"/systemd/user/sockets.target.wants",
		"/systemd/user/default.target.wants",
		"/.config/systemd/user",
		"/.config/systemd",
	};
	char *directory = occ_message_must(strdup(path));
	bool ours = true;

	while (ours) {
		*strrchr(directory, '/') = '\0';
		ours = false;
		for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
			ours = ours || occ_text_ends_with(directory, ends[i]);
		ours = ours && remove_directory(directory);
	}
	free(directory);
}

bool occ_activation_remove(const struct occ_activation_file *file)
{
	struct occ_path directory;
	const char *name;
	bool removed;

	if (!open_directory(file, 0, &directory, &name))
		return false;
	removed = !unlinkat(directory.directory, name, 0) || errno == ENOENT;
	if (!removed)
		complain(file->path, errno);
	occ_file_close(directory.directory);
	if (removed)
		remove_directories(file->path);
	return removed;
}
