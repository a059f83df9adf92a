/* SPDX-License-Identifier: MIT */
#include "cli/remote_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cache/error.h"
#include "cache/file.h"
#include "cache/settings.h"
#include "cli/background.h"
#include "cli/message.h"
#include "cli/program_path.h"
#include "cli/text.h"

/* Bytes of what a helper that doesn't start says. */
#define COMPLAINT_MAX 512

/* ms between two looks whether it listens. */
#define LOOK_MS	      5

bool occ_remote_helper_begin(struct occ_remote_helper *ret_helper,
			     char **ret_why)
{
	/* Who starts it is a command, which can wait. */
	static const struct occ_remote_budget budget = {
		OCC_REMOTE_HELPER_START_MS, OCC_REMOTE_HELPER_START_MS,
		2 * OCC_REMOTE_HELPER_FLUSH_MS};
	struct occ_settings settings;
	const char *problem = NULL, *text;
	bool is_set;

	*ret_why = NULL;
	*ret_helper = (struct occ_remote_helper){.remote = NULL};
	occ_settings_read(&settings);
	/* Also one that isn't understood: it is said what is wrong. */
	text = settings.values[OCC_SETTING_REMOTE].text;
	is_set = text && *text && strcmp(text, "default") != 0 &&
		 !settings.disabled;
	if (is_set)
		problem = occ_remote_setting_parse(text, &ret_helper->setting);
	if (is_set && !problem &&
	    !occ_remote_setting_socket(&ret_helper->setting, ret_helper->socket,
				       sizeof(ret_helper->socket))) {
		occ_remote_setting_release(&ret_helper->setting);
		problem = "the path of the helper's socket is too long; set "
			  "XDG_RUNTIME_DIR to a shorter one";
	}
	if (problem)
		*ret_why = occ_text("OCLCACHE_REMOTE: %s", problem);
	occ_settings_release(&settings);
	if (!is_set || problem)
		return false;
	ret_helper->remote =
		occ_message_must(occ_remote_new(ret_helper->socket, &budget));
	return true;
}

void occ_remote_helper_end(struct occ_remote_helper *helper)
{
	occ_remote_free(helper->remote);
	occ_remote_setting_release(&helper->setting);
}

bool occ_remote_helper_is_anothers(const struct occ_remote_helper *helper)
{
	return !strncmp(helper->setting.url, "crsh:", strlen("crsh:"));
}

/* One that is absent is asked again only after a while: not by us. */
int occ_remote_helper_ask(const struct occ_remote_helper *helper,
			  struct occ_remote_answer *ret_answer)
{
	static const struct occ_remote_budget budget = {
		OCC_REMOTE_HELPER_ASK_MS, OCC_REMOTE_HELPER_ASK_MS,
		OCC_REMOTE_HELPER_ASK_MS};
	struct occ_remote *remote =
		occ_message_must(occ_remote_new(helper->socket, &budget));
	int error;

	*ret_answer =
		(struct occ_remote_answer){.fault = OCC_REMOTE_FAULT_NONE};
	error = occ_remote_info(remote, ret_answer);
	occ_remote_free(remote);
	return error == OCC_E_NOT_FOUND ? OCC_OK : error;
}

static bool listens(const struct occ_remote_helper *helper, int *ret_error,
		    enum occ_remote_fault *ret_fault)
{
	struct occ_remote_answer answer;

	*ret_error = occ_remote_helper_ask(helper, &answer);
	*ret_fault = answer.fault;
	occ_buffer_release(&answer.value);
	return !*ret_error;
}

static char *why_not(int error, enum occ_remote_fault fault)
{
	return occ_text("%s", fault ? occ_remote_fault_text(fault)
				    : occ_error_string(error));
}

/* ---- which program ---- */

char *occ_remote_helper_program(const struct occ_remote_helper *helper)
{
	const char *url = helper->setting.url;
	char *path, *name;

	if (occ_remote_helper_is_anothers(helper))
		return NULL;
	if (helper->setting.helper)
		return occ_program_path_find(helper->setting.helper);
	path = occ_program_path_beside(OCC_REMOTE_HELPER_NAME);
	if (!path)
		path = occ_program_path_beside(
			"../libexec/oclcache/" OCC_REMOTE_HELPER_NAME);
	if (!path)
		path = occ_program_path_find(OCC_REMOTE_HELPER_NAME);
	if (path)
		return path;
	name = occ_text("ccache-storage-%.*s", (int)strcspn(url, ":"), url);
	path = occ_program_path_find(name);
	free(name);
	return path;
}

/* ---- starting it ---- */

/* What the new process needs. */
struct start {
	const struct occ_remote_helper *helper;
	const char *program;
};

static void set(const char *name, const char *value)
{
	if (setenv(name, value, 1))
		_exit(OCC_BACKGROUND_FAILED);
}

static void set_attribute(size_t i, const char *what, const char *value)
{
	char name[64];

	snprintf(name, sizeof(name), "CRSH_ATTR_%s_%zu", what, i);
	set(name, value);
}

/* In the new process. It has no arguments: they can be seen by others. */
static void be_helper(void *data)
{
	const struct start *start = data;
	const struct occ_remote_setting *setting = &start->helper->setting;
	char number[32];

	set("CRSH_IPC_ENDPOINT", start->helper->socket);
	set("CRSH_URL", setting->url);
	snprintf(number, sizeof(number), "%d", OCC_REMOTE_HELPER_IDLE_S);
	set("CRSH_IDLE_TIMEOUT", number);
	snprintf(number, sizeof(number), "%zu", setting->attribute_count);
	set("CRSH_NUM_ATTR", number);
	for (size_t i = 0; i < setting->attribute_count; i++) {
		set_attribute(i, "KEY", setting->attributes[i].key);
		set_attribute(i, "VALUE", setting->attributes[i].value);
	}
	umask(077);
	if (chdir("/"))
		return;
	execl(start->program, start->program, (char *)NULL);
	fprintf(stderr, "%s\n", strerror(errno));
	fflush(stderr);
}

/*
 * The directory of the socket where it is /tmp/oclcache-UID, which nobody else
 * makes. NULL: it is there, and only this user's; else what is wrong.
 */
static char *make_directory(const char *socket)
{
	char *directory = occ_message_must(strdup(socket)), *problem = NULL;
	struct stat status;

	*strrchr(directory, '/') = '\0';
	if (!strncmp(directory, "/tmp/oclcache-", strlen("/tmp/oclcache-")) &&
	    mkdir(directory, 0700) && errno != EEXIST)
		problem = occ_text("can't create %s: %s", directory,
				   strerror(errno));
	else if (lstat(directory, &status))
		problem = occ_text("%s: %s", directory, strerror(errno));
	else if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
		 (status.st_mode & (S_IWGRP | S_IWOTH)))
		problem = occ_text(
			"%s isn't a directory that only this user can write to",
			directory);
	free(directory);
	return problem;
}

/*
 * A file for what it says at the start. It doesn't grow, whatever is said
 * later, and goes with the last who has it open. -1: none.
 */
static int make_complaint(void)
{
	int file = memfd_create("oclcache-storage",
				MFD_ALLOW_SEALING | MFD_CLOEXEC);

	if (file >= 0 && (ftruncate(file, COMPLAINT_MAX) ||
			  fcntl(file, F_ADD_SEALS, F_SEAL_GROW))) {
		close(file);
		file = -1;
	}
	return file;
}

/* What it has said, its first line, to be freed. */
static char *read_complaint(int file)
{
	char text[COMPLAINT_MAX + 1] = "", *line = text;

	if (file >= 0 && pread(file, text, COMPLAINT_MAX, 0) < 0)
		*text = '\0';
	/* Its own name is said already. */
	if (!strncmp(line, OCC_REMOTE_HELPER_NAME ": ",
		     strlen(OCC_REMOTE_HELPER_NAME ": ")))
		line += strlen(OCC_REMOTE_HELPER_NAME ": ");
	line[strcspn(line, "\n")] = '\0';
	return occ_text("%s", *line ? line : "it exited immediately");
}

/*
 * Waits a moment. True: the process has ended. Nobody may have waited for it,
 * so that its number says nothing.
 */
static bool has_ended(pid_t pid, int process)
{
	struct pollfd wanted = {.fd = process, .events = POLLIN};

	if (process < 0) {
		poll(NULL, 0, LOOK_MS);
		return kill(pid, 0) && errno == ESRCH;
	}
	return poll(&wanted, 1, LOOK_MS) > 0;
}

/*
 * NULL: it listens. Else why it isn't waited for any longer, to be freed; ""
 * where it has ended, and may have said why.
 */
static char *wait_for(const struct occ_remote_helper *helper, pid_t pid)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0), error;
	uint64_t end = occ_file_clock() +
		       OCC_REMOTE_HELPER_START_MS * UINT64_C(1000000);
	bool ended = process < 0 && errno == ESRCH;
	enum occ_remote_fault fault;
	char *why = NULL;

	for (bool is_there = false; !is_there && !why;) {
		/* In this order: another's may listen when ours gives up. */
		ended = ended || has_ended(pid, process);
		is_there = listens(helper, &error, &fault);
		if (!is_there && fault != OCC_REMOTE_FAULT_ABSENT)
			why = why_not(error, fault);
		else if (!is_there && ended)
			why = occ_text("%s", "");
		else if (!is_there && occ_file_clock() >= end)
			why = occ_text("it was not listening after %d ms",
				       OCC_REMOTE_HELPER_START_MS);
	}
	if (process >= 0)
		close(process);
	return why;
}

static char *start_program(const struct occ_remote_helper *helper,
			   const char *program)
{
	struct start start = {helper, program};
	int complaint = make_complaint();
	char *why, *problem = NULL;
	pid_t pid;

	pid = occ_background_start(be_helper, &start, complaint);
	why = pid > 0 ? wait_for(helper, pid) : occ_text("can't start it");
	if (why && !*why) {
		free(why);
		why = read_complaint(complaint);
	}
	if (why)
		problem = occ_text("%s: %s", program, why);
	free(why);
	if (complaint >= 0)
		close(complaint);
	return problem;
}

static char *start(const struct occ_remote_helper *helper)
{
	char *program, *problem;

	if (occ_remote_helper_is_anothers(helper))
		return occ_text("no helper listens on %s", helper->socket);
	program = occ_remote_helper_program(helper);
	if (!program)
		return occ_text(
			"can't find the helper %s; install it, or choose "
			"another one with helper=PATH in OCLCACHE_REMOTE",
			helper->setting.helper ? helper->setting.helper
					       : OCC_REMOTE_HELPER_NAME);
	problem = make_directory(helper->socket);
	if (!problem)
		problem = start_program(helper, program);
	free(program);
	return problem;
}

char *occ_remote_helper_ensure(const struct occ_remote_helper *helper,
			       bool *ret_started)
{
	enum occ_remote_fault fault;
	char *problem;
	int error;

	if (ret_started)
		*ret_started = false;
	if (listens(helper, &error, &fault))
		return NULL;
	if (fault != OCC_REMOTE_FAULT_ABSENT)
		return why_not(error, fault);
	problem = start(helper);
	if (ret_started)
		*ret_started = !problem;
	return problem;
}

char *occ_remote_helper_flush(const struct occ_remote_helper *helper)
{
	struct occ_remote_answer answer = {.fault = OCC_REMOTE_FAULT_NONE};
	int error = occ_remote_flush(helper->remote, OCC_REMOTE_HELPER_FLUSH_MS,
				     &answer);
	char *problem = NULL;

	if (error == OCC_E_BUSY)
		problem = occ_text("the upload takes longer than %d ms; the "
				   "helper continues it",
				   OCC_REMOTE_HELPER_FLUSH_MS);
	else if (error && answer.fault == OCC_REMOTE_FAULT_SERVER &&
		 *answer.message)
		problem = occ_text("%s", answer.message);
	else if (error && error != OCC_E_NOT_FOUND)
		problem = occ_text("can't tell what was uploaded: %s",
				   answer.fault
					   ? occ_remote_fault_text(answer.fault)
					   : occ_error_string(error));
	occ_buffer_release(&answer.value);
	return problem;
}
