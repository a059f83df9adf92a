/* SPDX-License-Identifier: MIT */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache/file.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/text.h"

#define NS_PER_S       UINT64_C(1000000000)

/* Between two looks at whether one has ended without closing its pipe. */
#define LOOK_MS	       50

/* Nobody means to say more; a driver that raves mustn't take all memory. */
#define SAID_MAX       ((size_t)64 << 20)
#define NOISE_MAX      ((size_t)64 << 10)

/* A line of what a driver printed, for people. */
#define LAST_WORDS_MAX 200

/* At once, of one that never ends to write. */
#define READS_MAX      1024

static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
static volatile sig_atomic_t interrupted;

/* In the child: where what it says goes. */
static FILE *words;

static void note(int number)
{
	interrupted = number;
}

void occ_child_catch_signals(void)
{
	static bool done;
	struct sigaction action = {.sa_handler = note}, before;

	if (done)
		return;
	done = true;
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		/* Who started us with one ignored wants it so (nohup). */
		if (!sigaction(passed[i], NULL, &before) &&
		    before.sa_handler != SIG_IGN)
			sigaction(passed[i], &action, NULL);
}

bool occ_child_interrupted(void)
{
	return interrupted != 0;
}

void occ_child_pass_interrupt(void)
{
	if (!interrupted)
		return;
	fflush(stdout);
	signal(interrupted, SIG_DFL);
	raise(interrupted);
}

_Noreturn static void be_child(int say, int sounds, pid_t parent,
			       int (*work)(void *data), void *data)
{
	int status, nothing;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		signal(passed[i], SIG_DFL);
	nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	dup2(sounds, STDOUT_FILENO);
	dup2(sounds, STDERR_FILENO);
	words = fdopen(say, "w");
	if (!words)
		_exit(1);
	status = work(data);
	if (fflush(words) && !status)
		status = 1;
	/* Layers and drivers have to end their work, so not _exit(). */
	exit(status);
}

static void fail(struct occ_child *child, int error)
{
	child->how = OCC_CHILD_NOT_STARTED;
	child->status = error;
}

void occ_child_extend(struct occ_child *child, unsigned limit)
{
	const char *value = getenv("OCLCACHE_CHILD_LIMIT");
	unsigned long seconds = value ? strtoul(value, NULL, 10) : 0;

	if (seconds && seconds < 1000000 && limit)
		limit = (unsigned)seconds;
	child->limit = limit;
	child->end = limit ? occ_file_clock() + limit * NS_PER_S : UINT64_MAX;
}

void occ_child_start(struct occ_child *child, int (*work)(void *data),
		     void *data, unsigned limit)
{
	pid_t parent = getpid();
	int say[2], sounds[2];

	*child = (struct occ_child){.words = -1, .sounds = -1};
	child->start = occ_file_clock();
	occ_child_extend(child, limit);
	occ_child_catch_signals();
	if (pipe2(say, O_CLOEXEC)) {
		fail(child, errno);
		return;
	}
	if (pipe2(sounds, O_CLOEXEC)) {
		fail(child, errno);
		close(say[0]);
		close(say[1]);
		return;
	}
	/* What is buffered would be written twice. */
	fflush(stdout);
	fflush(stderr);
	child->pid = fork();
	if (!child->pid)
		be_child(say[1], sounds[1], parent, work, data);
	if (child->pid < 0)
		fail(child, errno);
	close(say[1]);
	close(sounds[1]);
	child->words = say[0];
	child->sounds = sounds[0];
}

static void keep(struct occ_buffer *buffer, const char *bytes, size_t size,
		 size_t most)
{
	/* The newer half is enough of what isn't wanted whole. */
	if (buffer->size + size > most && most == NOISE_MAX) {
		memmove(buffer->data, buffer->data + buffer->size / 2,
			buffer->size - buffer->size / 2);
		buffer->size -= buffer->size / 2;
	}
	if (buffer->size + size > most)
		return;
	occ_buffer_append(buffer, bytes, size);
	if (buffer->failed)
		occ_message_no_memory();
}

/* The pipe is closed at its end. */
static void listen_to(int *pipe, struct occ_buffer *buffer, size_t most)
{
	char bytes[4096];
	ssize_t size = read(*pipe, bytes, sizeof(bytes));

	if (size > 0) {
		keep(buffer, bytes, (size_t)size, most);
	} else if (!size || errno != EINTR) {
		close(*pipe);
		*pipe = -1;
	}
}

static void listen_now(struct occ_child *child)
{
	struct pollfd files[] = {{.fd = child->words, .events = POLLIN},
				 {.fd = child->sounds, .events = POLLIN}};

	for (int i = 0; i < READS_MAX && poll(files, 2, 0) > 0; i++) {
		if (files[0].revents)
			listen_to(&child->words, &child->said, SAID_MAX);
		if (files[1].revents)
			listen_to(&child->sounds, &child->noise, NOISE_MAX);
		files[0].fd = child->words;
		files[1].fd = child->sounds;
	}
}

static void finish(struct occ_child *child, enum occ_child_end how, int status)
{
	/* What it started and left behind. */
	kill(-child->pid, SIGKILL);
	listen_now(child);
	if (child->words >= 0)
		close(child->words);
	if (child->sounds >= 0)
		close(child->sounds);
	child->words = child->sounds = -1;
	child->how = how;
	child->status = status;
	child->took = occ_file_clock() - child->start;
}

void occ_child_end(struct occ_child *child, enum occ_child_end how, int status)
{
	kill(-child->pid, SIGKILL);
	kill(child->pid, SIGKILL);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	finish(child, how, status);
}

/* Has it ended, or must it? */
static bool judge(struct occ_child *child)
{
	int status;
	pid_t pid = waitpid(child->pid, &status, WNOHANG);

	if (pid == child->pid && WIFSIGNALED(status))
		finish(child, OCC_CHILD_SIGNALLED, WTERMSIG(status));
	else if (pid == child->pid)
		finish(child, OCC_CHILD_EXITED, WEXITSTATUS(status));
	else if (interrupted)
		occ_child_end(child, OCC_CHILD_INTERRUPTED, 0);
	else if (occ_file_clock() >= child->end)
		occ_child_end(child, OCC_CHILD_TOO_LONG, 0);
	return child->how != OCC_CHILD_RUNNING;
}

/* Until one says something, or for a moment. */
static void wait_a_moment(struct occ_child *const *children, size_t count)
{
	struct pollfd *files =
		occ_message_must(calloc(2 * count, sizeof(*files)));

	for (size_t i = 0; i < count; i++) {
		bool runs = children[i]->how == OCC_CHILD_RUNNING;

		files[2 * i].fd = runs ? children[i]->words : -1;
		files[2 * i + 1].fd = runs ? children[i]->sounds : -1;
		files[2 * i].events = files[2 * i + 1].events = POLLIN;
	}
	poll(files, 2 * count, LOOK_MS);
	free(files);
	occ_progress_step(0);
	for (size_t i = 0; i < count; i++)
		if (children[i]->how == OCC_CHILD_RUNNING)
			listen_now(children[i]);
}

struct occ_child *occ_child_wait_any(struct occ_child *const *children,
				     size_t count)
{
	for (;;) {
		bool any = false;

		for (size_t i = 0; i < count; i++) {
			if (children[i]->how != OCC_CHILD_RUNNING)
				continue;
			any = true;
			if (judge(children[i]))
				return children[i];
		}
		if (!any)
			return NULL;
		wait_a_moment(children, count);
	}
}

/* Does the caller have something to do? */
static bool has_news(const struct occ_child *child)
{
	return child->how != OCC_CHILD_RUNNING || occ_child_pending(child);
}

void occ_child_watch(struct occ_child *const *children, size_t count)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (children[i]->how != OCC_CHILD_RUNNING)
			continue;
		if (!judge(children[i]))
			listen_now(children[i]);
		any |= has_news(children[i]);
	}
	if (!any)
		wait_a_moment(children, count);
}

size_t occ_child_pending(const struct occ_child *child)
{
	size_t count = 0;

	for (size_t i = child->at; i < child->said.size; i++)
		count += !child->said.data[i];
	return count;
}

void occ_child_forget(struct occ_child *child)
{
	if (!child->at)
		return;
	child->said.size -= child->at;
	memmove(child->said.data, child->said.data + child->at,
		child->said.size);
	child->at = 0;
}

void occ_child_run(struct occ_child *child, int (*work)(void *data), void *data,
		   unsigned limit)
{
	occ_child_start(child, work, data, limit);
	occ_child_wait_any(&child, 1);
}

const char *occ_child_next(struct occ_child *child)
{
	const char *text = (const char *)child->said.data + child->at;
	size_t left = child->said.size - child->at;
	const char *end = left ? memchr(text, '\0', left) : NULL;

	if (!end)
		return NULL;
	child->at += (size_t)(end - text) + 1;
	return text;
}

static char *how_it_ended(const struct occ_child *child)
{
	switch (child->how) {
	case OCC_CHILD_SIGNALLED:
		return occ_text("it crashed (%s)", strsignal(child->status));
	case OCC_CHILD_TOO_LONG:
		return occ_text("it hung and was killed after %u s",
				child->limit);
	case OCC_CHILD_TOO_LARGE:
		return occ_text(
			"it used too much memory and was killed at %d MB",
			child->status);
	case OCC_CHILD_NOT_STARTED:
		return occ_text("can't start a process: %s",
				strerror(child->status));
	case OCC_CHILD_INTERRUPTED:
		return occ_text("it was interrupted");
	default:
		return occ_text("it exited with status %d", child->status);
	}
}

char *occ_child_reason(const struct occ_child *child)
{
	const char *noise = (const char *)child->noise.data;
	size_t end = child->noise.size, start;
	char *how = how_it_ended(child), *text;

	while (end && (noise[end - 1] == '\n' || noise[end - 1] == ' '))
		end--;
	for (start = end; start && noise[start - 1] != '\n';)
		start--;
	if (end - start > LAST_WORDS_MAX)
		end = start + LAST_WORDS_MAX;
	if (start == end)
		return how;
	text = occ_text("%s; its last output: %.*s", how, (int)(end - start),
			noise + start);
	free(how);
	return text;
}

void occ_child_release(struct occ_child *child)
{
	occ_buffer_release(&child->said);
	occ_buffer_release(&child->noise);
}

int occ_child_voice(void)
{
	return fileno(words);
}

bool occ_child_resume(int voice)
{
	fcntl(voice, F_SETFD, FD_CLOEXEC);
	words = fdopen(voice, "w");
	return words != NULL;
}

void occ_child_say(const char *text)
{
	fputs(text, words);
	putc('\0', words);
	fflush(words);
}

void occ_child_say_number(uint64_t number)
{
	fprintf(words, "%" PRIu64, number);
	putc('\0', words);
	fflush(words);
}
