/* SPDX-License-Identifier: MIT */
/*
 * oclcache enable: for programs that nobody starts with `oclcache run`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/activation.h"
#include "cli/command.h"
#include "cli/layer.h"
#include "cli/loader.h"
#include "cli/login_profile.h"
#include "cli/message.h"
#include "cli/nvidia/nvidia.h"
#include "cli/program_path.h"
#include "cli/remote_enable.h"
#include "cli/screen.h"
#include "cli/text.h"
#include "cli/timer.h"

/* Can any user load it? False after an error was shown. */
static bool is_readable_by_all(const char *layer)
{
	char *path = occ_message_must(strdup(layer));
	char *slash = path;
	struct stat status;
	bool readable = true;

	while (readable && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		readable = !stat(path, &status) && (status.st_mode & S_IXOTH);
		*slash = readable ? '/' : '\0';
	}
	if (readable)
		readable = !stat(path, &status) && (status.st_mode & S_IROTH);
	if (!readable)
		occ_message_error("%s: other users can't read %s; install the "
				  "layer where they can, or leave out --system",
				  layer, path);
	free(path);
	return readable;
}

static bool begins_with(const char *text, const char *beginning)
{
	return !strncmp(text, beginning, strlen(beginning));
}

/* Places that go away or are changed while others use them. */
static void warn_of_place(const char *layer)
{
	const char *home = getenv("HOME");
	struct stat status;

	if (begins_with(layer, "/home/") || begins_with(layer, "/root/") ||
	    (home && home[0] && home[1] && begins_with(layer, home)))
		occ_message_warning(
			"%s is in a home directory, but all programs will load "
			"it; install it (make install)",
			layer);
	else if (!occ_text_ends_with(layer, "/oclcache/" OCC_LAYER_NAME))
		occ_message_warning(
			"%s is in a build directory, but all programs will "
			"load it; install it (make install)",
			layer);
	if (!stat(layer, &status) &&
	    (status.st_uid || (status.st_mode & (S_IWGRP | S_IWOTH))))
		occ_message_warning("%s can be changed by users other than "
				    "root, but all programs will load it",
				    layer);
}

/* False after an error was shown: it's somebody else's. */
static bool may_write(const struct occ_activation_file *file)
{
	switch (file->state) {
	case OCC_ACTIVATION_MISSING:
	case OCC_ACTIVATION_OURS:
		return true;
	case OCC_ACTIVATION_CHANGED:
		occ_message_error("%s was changed after 'oclcache enable' "
				  "wrote it; remove it, and try again",
				  file->path);
		return false;
	case OCC_ACTIVATION_ANOTHERS:
		occ_message_error("%s wasn't written by 'oclcache enable'; "
				  "remove it, and try again",
				  file->path);
		return false;
	case OCC_ACTIVATION_UNKNOWN:
		break;
	}
	occ_message_error("can't read %s; check its permissions", file->path);
	return false;
}

static void show_text(const char *line)
{
	while (*line) {
		int length = (int)strcspn(line, "\n");

		occ_screen_line("    %.*s", length, line);
		line += length + (line[length] == '\n');
	}
}

static void show(const struct occ_activation_file *file)
{
	if (file->is_current) {
		occ_screen_line("already there: %s", file->path);
		return;
	}
	if (file->is_link) {
		occ_screen_line("would link: %s", file->path);
		occ_screen_line("    %s", file->text);
		return;
	}
	occ_screen_line("would write: %s", file->path);
	show_text(file->text);
}

/* How programs of this user come to the layer. */
struct reach {
	bool system;
	bool profile; /* ~/.profile has it */
	bool systemd; /* it runs here, and reads environment.d */
};

static const char *reach_of(const struct reach *reach,
			    const struct occ_loader *loader)
{
	if (!loader->is_ours)
		return "doesn't load the layer: it is for another "
		       "architecture";
	if (!loader->takes_layers)
		return "doesn't load the layer: it doesn't support layers";
	if (reach->system && loader->reads_directory)
		return "loads the layer at once";
	if (reach->system || (reach->profile && reach->systemd))
		return "loads the layer from the next login on";
	if (reach->profile)
		return "loads the layer in login shells, from the next login "
		       "on";
	return reach->systemd
		       ? "loads the layer in what systemd starts, from the "
			 "next login on"
		       : "doesn't load the layer yet";
}

static void say_loaders(const struct reach *reach)
{
	const char *root = getenv("OCLCACHE_ROOT");
	struct occ_loaders loaders;

	occ_loader_find(root ? root : "", &loaders);
	if (!loaders.count)
		puts("No OpenCL loader (" OCC_LOADER_NAME
		     ") is installed yet.");
	else
		puts("OpenCL loaders:");
	for (size_t i = 0; i < loaders.count; i++) {
		const struct occ_loader *loader = &loaders.items[i];

		occ_screen_line("    %s (%s, %s)", loader->path,
				occ_loader_kind_name(loader->kind),
				occ_loader_machine(loader));
		printf("        %s\n", reach_of(reach, loader));
	}
	occ_loader_release(&loaders);
}

static void say_for_user(const struct reach *reach, const char *layer)
{
	if (reach->systemd)
		puts("From the next login on, this reaches what systemd starts "
		     "for you: user services,\n"
		     "and desktops such as GNOME and KDE.");
	else
		puts("systemd doesn't run here, and nothing else reads "
		     "environment.d.");
	if (reach->profile) {
		puts("From the next login on, this also reaches login shells, "
		     "over ssh and on a console:\n"
		     "they read ~/.profile.");
		occ_login_profile_warn();
		return;
	}
	puts("This setting doesn't reach logins over ssh or on a console, or "
	     "other desktops.\n"
	     "For these, run 'oclcache enable --profile', or add this line to "
	     "~/.profile\n"
	     "yourself:");
	occ_screen_line("    export OPENCL_LAYERS="
			"%s${OPENCL_LAYERS:+:$OPENCL_LAYERS}",
			layer);
}

static void say_whom_it_reaches(const struct reach *reach, const char *layer)
{
	puts("");
	if (reach->system)
		puts("From the next login on, this reaches programs started "
		     "from login shells and\n"
		     "desktops. Programs whose OpenCL loader reads "
		     "/etc/OpenCL/layers (Khronos' since\n"
		     "2022, ocl-icd since 2.3.2) are reached at once, however "
		     "they are started. With other\n"
		     "loaders, this doesn't reach system services, cron jobs "
		     "and containers: set\n"
		     "OPENCL_LAYERS there.");
	else
		say_for_user(reach, layer);
	say_loaders(reach);
	printf("'oclcache disable%s' undoes this; OCLCACHE_DISABLE=1 switches "
	       "the layer off for one\n"
	       "program.\n",
	       reach->system ? " --system" : "");
}

static void say_when_timer(bool system)
{
	char *systemctl = occ_program_path_find("systemctl");

	puts("");
	free(systemctl);
	if (!systemctl) {
		puts("This machine has no systemctl, and without systemd the "
		     "timer has no effect. This\n"
		     "line for crontab(1) does the same:\n"
		     "    @daily oclcache replay --stale --quiet --time-limit "
		     "3600s; oclcache upgrade --quiet --time-limit 1800");
		return;
	}
	printf("From %s next login on, systemd runs 'oclcache replay --stale'\n"
	       "and 'oclcache upgrade' every day and after a driver package is "
	       "installed. To\n"
	       "start now:\n"
	       "    systemctl --user daemon-reload\n"
	       "    systemctl --user start oclcache-upgrade.timer "
	       "oclcache-upgrade.path\n",
	       system ? "each user's" : "your");
}

/* What was asked for. */
struct wanted {
	bool system, dry, timer;
	bool profile;
	const char *remote; /* NULL: none */
	const char *layer;
};

/* False after an error was shown. */
static bool write_all(const struct wanted *wanted,
		      const struct occ_activation *activation)
{
	bool good = true;

	for (size_t i = 0; i < activation->count; i++)
		if (!may_write(&activation->files[i]))
			good = false;
	for (size_t i = 0; good && i < activation->count; i++) {
		const struct occ_activation_file *file = &activation->files[i];

		if (wanted->dry) {
			show(file);
		} else if (file->is_current) {
			occ_screen_line("already there: %s", file->path);
		} else {
			good = occ_activation_write(file);
			if (good)
				occ_screen_line("written: %s", file->path);
		}
	}
	return good;
}

/*
 * Also without --profile, where it was given last time: the layer's path is
 * brought up to date. False after an error was shown.
 */
static bool write_profile(const struct wanted *wanted,
			  const struct occ_login_profile *profile)
{
	if (!wanted->profile && !profile->is_ours)
		return true;
	if (profile->is_current) {
		occ_screen_line("already there: %s", profile->path);
		return true;
	}
	if (wanted->dry) {
		occ_screen_line("would add to: %s", profile->path);
		show_text(profile->block);
		return true;
	}
	if (!occ_login_profile_write(profile))
		return false;
	occ_screen_line("added to: %s", profile->path);
	return true;
}

static bool is_systemd_here(void)
{
	const char *root = getenv("OCLCACHE_ROOT");
	/* sd_booted(3) */
	char *path = occ_text("%s/run/systemd/system", root ? root : "");
	bool here = !access(path, F_OK);

	free(path);
	return here;
}

static void say_all(const struct wanted *wanted,
		    const struct occ_login_profile *profile)
{
	const struct reach reach = {
		.system = wanted->system,
		.profile = wanted->profile || profile->is_ours,
		.systemd = is_systemd_here(),
	};

	say_whom_it_reaches(&reach, wanted->layer);
	if (wanted->timer)
		say_when_timer(wanted->system);
	else if (occ_nvidia_is_here() &&
		 !occ_activation_has_timer(wanted->system, NULL) &&
		 !occ_activation_has_timer(true, NULL))
		printf("\n"
		       "Hits on NVIDIA's driver are faster after 'oclcache "
		       "upgrade'. To have systemd\n"
		       "run it every day, type 'oclcache enable%s --timer'.\n",
		       wanted->system ? " --system" : "");
	if (wanted->remote)
		occ_remote_enable_say(wanted->system);
}

static int enable(const struct wanted *wanted,
		  struct occ_activation *activation,
		  const struct occ_login_profile *profile)
{
	struct occ_remote_enable remote;
	bool good;

	if (wanted->remote &&
	    !occ_remote_enable_begin(wanted->system, wanted->remote, activation,
				     &remote))
		return OCC_EXIT_FAILED;
	good = write_all(wanted, activation) &&
	       write_profile(wanted, profile) &&
	       (!wanted->remote ||
		occ_remote_enable_write(&remote, wanted->dry));
	if (wanted->remote)
		occ_remote_enable_end(&remote);
	if (!good)
		return OCC_EXIT_FAILED;
	say_all(wanted, profile);
	return OCC_EXIT_OK;
}

static int enable_layer(const struct wanted *wanted)
{
	unsigned parts = OCC_ACTIVATION_LAYER;
	struct occ_login_profile profile = {.path = NULL};
	struct occ_activation activation;
	int status;

	if (wanted->timer)
		parts |= OCC_ACTIVATION_TIMER;
	else if (occ_activation_has_timer(wanted->system, NULL))
		/* It shall start this command, too. */
		parts |= OCC_ACTIVATION_RENEWAL;
	if (!occ_activation_is_plain(wanted->layer) ||
	    (parts != OCC_ACTIVATION_LAYER && !occ_timer_is_possible()) ||
	    (wanted->system && !is_readable_by_all(wanted->layer)))
		return OCC_EXIT_FAILED;
	if (wanted->system)
		warn_of_place(wanted->layer);
	if (!occ_activation_begin(wanted->system, parts, wanted->layer,
				  &activation))
		return OCC_EXIT_FAILED;
	status = OCC_EXIT_FAILED;
	if (wanted->system ||
	    occ_login_profile_begin(wanted->layer, wanted->profile, &profile))
		status = enable(wanted, &activation, &profile);
	occ_login_profile_end(&profile);
	occ_activation_end(&activation);
	return status;
}

static int run(const struct occ_arguments *arguments)
{
	char *layer;
	int status;

	if (!occ_arguments_expect(arguments, "enable", 0,
				  "for one program, run 'oclcache run "
				  "PROGRAM'"))
		return OCC_EXIT_USAGE;
	if (occ_arguments_has(arguments, "system") &&
	    occ_arguments_has(arguments, "profile")) {
		occ_message_error(
			"enable: --system writes a file for all login "
			"shells; leave out --profile");
		return OCC_EXIT_USAGE;
	}
	layer = occ_layer_path();
	if (!layer) {
		occ_layer_complain();
		return OCC_EXIT_FAILED;
	}
	const struct wanted wanted = {
		.system = occ_arguments_has(arguments, "system"),
		.dry = occ_arguments_has(arguments, "dry-run"),
		.timer = occ_arguments_has(arguments, "timer"),
		.profile = occ_arguments_has(arguments, "profile"),
		.remote = occ_arguments_value(arguments, "remote"),
		.layer = layer,
	};

	status = enable_layer(&wanted);
	free(layer);
	return status;
}

static const struct occ_option options[] = {
	{"system", 0, NULL, "for all users; needs root"},
	{"profile", 0, NULL,
	 "also add it to ~/.profile, for ssh and the console"},
	{"timer", 0, NULL, "also compile for new drivers in the background"},
	{"remote", 0, "URL", "share with other machines: \"URL ATTRIBUTE...\""},
	{"dry-run", 'n', NULL, "only show what would be written"},
	{NULL, 0, NULL, NULL},
};

const struct occ_command occ_command_enable = {
	.name = "enable",
	.summary = "switch the layer on for all programs",
	.details =
		"Writes a file for your systemd user sessions:\n"
		"    ~/.config/environment.d/50-oclcache.conf\n"
		"With --profile, also adds lines to ~/.profile, for login "
		"shells.\n"
		"With --system, writes files for all users instead:\n"
		"    /etc/OpenCL/layers/oclcache.lay\n"
		"    /etc/environment.d/50-oclcache.conf\n"
		"    /etc/profile.d/oclcache.sh\n"
		"With --timer, also writes units for systemd's user sessions,\n"
		"in ~/.config/systemd/user or /etc/systemd/user:\n"
		"    oclcache-upgrade.service, oclcache-upgrade.timer,\n"
		"    oclcache-upgrade.path\n"
		"They run 'oclcache replay --stale' and 'oclcache upgrade' at\n"
		"idle priority and only on AC power: every day and, if\n"
		"oclcache was installed as a package, after the package of a\n"
		"driver is installed.\n"
		"With --remote, also writes the setting OCLCACHE_REMOTE to\n"
		"oclcache.conf, and units with which systemd starts the "
		"helper:\n"
		"    oclcache-storage.socket, oclcache-storage.service\n"
		"Units from an earlier version are updated in any case. Other\n"
		"layers in OPENCL_LAYERS stay, behind this one.\n"
		"In a virtual environment, the Python package's command "
		"writes\n"
		"oclcache.pth there instead, for that environment alone.\n"
		"Files that 'oclcache enable' didn't write are never "
		"overwritten.",
	.options = options,
	.run = run,
};
