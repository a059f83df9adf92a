/* SPDX-License-Identifier: MIT */
#include "cli/worker.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cache/file.h"
#include "cli/message.h"
#include "cli/text.h"
#include "cli/worker_loop.h"

/* What it says of a program: error, log. */
#define WORDS_DONE  2

/* What it says at its beginning: error, and whether the place is at fault. */
#define WORDS_BEGUN 2

static char *request_path(const struct occ_worker *worker)
{
	return occ_text("%s/request.%zu", worker->scratch, worker->number);
}

void occ_worker_start(struct occ_worker *worker)
{
	struct occ_worker_side side = {.worker = worker};
	int ends[2];

	worker->state = OCC_WORKER_STARTS;
	worker->log_file =
		occ_text("%s/log.%zu", worker->scratch, worker->number);
	worker->error = occ_text("%s", "");
	worker->log = occ_text("%s", "");
	worker->orders = -1;
	if (!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		worker->orders = ends[0];
		side.orders = ends[1];
		/* At the lowest priority a busy machine makes it wait. */
		occ_child_start(&worker->child, occ_worker_loop, &side,
				worker->keeps_priority ? OCC_CHILD_LIMIT
						       : OCC_CHILD_LIMIT_BUILD);
		close(ends[1]);
	} else {
		worker->child =
			(struct occ_child){.words = -1,
					   .sounds = -1,
					   .how = OCC_CHILD_NOT_STARTED};
	}
	worker->unable = worker->child.how != OCC_CHILD_RUNNING;
	if (worker->unable)
		worker->state = OCC_WORKER_GONE;
}

static void take_text(struct occ_worker *worker, char **place)
{
	const char *text = occ_child_next(&worker->child);

	free(*place);
	*place = occ_text("%s", text ? text : "");
}

static void take_trace(struct occ_worker *worker)
{
	occ_build_trace_release(&worker->trace);
	occ_build_trace_read(&worker->trace, worker->log_file,
			     &worker->log_offset);
	if (worker->trace.unstored && !worker->unstored)
		worker->unstored = occ_text("%s", worker->trace.unstored);
}

static void take_words(struct occ_worker *worker)
{
	struct occ_child *child = &worker->child;
	size_t count = occ_child_pending(child);

	if (worker->state == OCC_WORKER_DONE)
		worker->state = OCC_WORKER_READY;
	if (worker->state == OCC_WORKER_STARTS && count >= WORDS_BEGUN) {
		take_text(worker, &worker->error);
		worker->misplaced = *occ_child_next(child) == '1';
		worker->unable = *worker->error;
		worker->state = OCC_WORKER_READY;
		occ_child_extend(child, 0);
	} else if (worker->state == OCC_WORKER_WORKS && count >= WORDS_DONE) {
		take_text(worker, &worker->error);
		take_text(worker, &worker->log);
		take_trace(worker);
		worker->state = OCC_WORKER_DONE;
		occ_child_extend(child, 0);
	}
	occ_child_forget(child);
}

enum occ_worker_state occ_worker_look(struct occ_worker *worker)
{
	if (worker->state == OCC_WORKER_GONE)
		return worker->state;
	take_words(worker);
	/* What it had said before it ended counts. */
	if (worker->state != OCC_WORKER_DONE &&
	    worker->child.how != OCC_CHILD_RUNNING) {
		take_trace(worker);
		worker->unable |= worker->state == OCC_WORKER_STARTS;
		worker->state = OCC_WORKER_GONE;
	}
	return worker->state;
}

static void order(struct occ_worker *worker, char what)
{
	/* One that has died is seen soon; SIGPIPE would end this command. */
	if (worker->orders >= 0)
		(void)!send(worker->orders, &what, 1, MSG_NOSIGNAL);
}

bool occ_worker_give(struct occ_worker *worker, struct occ_span request,
		     unsigned limit)
{
	char *path = request_path(worker);
	FILE *file = fopen(path, "we");
	bool good = file &&
		    fwrite(request.data, 1, request.size, file) == request.size;

	good = file && !fclose(file) && good;
	free(path);
	if (!good)
		return false;
	/* What was logged since the last program belongs to that. */
	take_trace(worker);
	worker->child.noise.size = 0;
	worker->state = OCC_WORKER_WORKS;
	occ_child_extend(&worker->child, limit);
	order(worker, OCC_WORKER_ORDER_BUILD);
	return true;
}

void occ_worker_leave(struct occ_worker *worker, unsigned limit)
{
	worker->state = OCC_WORKER_LEAVES;
	occ_child_extend(&worker->child, limit);
	order(worker, OCC_WORKER_ORDER_LEAVE);
}

static uint64_t memory_of(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	/* In kB, as it says. */
	return at ? strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

void occ_worker_memory(const struct occ_worker *worker, uint64_t *ret_now,
		       uint64_t *ret_most)
{
	char status[4096] = "";
	char path[64];

	*ret_now = *ret_most = 0;
	if (worker->child.pid <= 0 || worker->child.how != OCC_CHILD_RUNNING)
		return;
	snprintf(path, sizeof(path), "/proc/%ld/status",
		 (long)worker->child.pid);
	if (occ_file_read_kernel(path, status, sizeof(status)) < 0)
		return;
	*ret_now = memory_of(status, "VmRSS:");
	*ret_most = memory_of(status, "VmHWM:");
}

void occ_worker_release(struct occ_worker *worker)
{
	char *path = request_path(worker);

	unlink(path);
	unlink(worker->log_file);
	free(path);
	if (worker->orders >= 0)
		close(worker->orders);
	occ_child_release(&worker->child);
	occ_build_trace_release(&worker->trace);
	free(worker->log_file);
	free(worker->error);
	free(worker->log);
	free(worker->unstored);
	*worker = (struct occ_worker){.orders = -1, .state = OCC_WORKER_GONE};
}
