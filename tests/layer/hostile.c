/* SPDX-License-Identifier: MIT */
/*
 * An application that makes its surroundings hostile once it has a context, and
 * again between two builds.
 *
 *	hostile DEED [DIRECTORY]
 *
 * What it does is in deeds[], DIRECTORY is one that it may use. Then it builds
 * three programs, the third of which is the first one once more, runs them and
 * says what became of what is its own:
 *
 *	build CODE STATUS	and "result INT INT ...", for each
 *	own WHAT ...		as the deed has it
 *	stack BYTES		on stderr: the most that the thread of
 *				"small-stack" used
 *
 * Exit status 0, also after a failed build; 2: it can't be played, with "SKIP
 * why".
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/layer/common.h"

/* Descriptors that the application makes its own. */
#define LOW	  3
#define HIGH	  40

#define MINE	  "this is the application's\n"

#define NOBODY	  65534
#define SMALL	  ((size_t)64 << 10)
#define THREADS	  4
#define CANCELLED 200

static struct world world;
static const char *directory = "/";

static const char text[] = "kernel void k(global int *out, int x)\n"
			   "{ out[get_global_id(0)] = 40 + x + N; }\n";

static void skip(const char *why)
{
	printf("SKIP %s\n", why);
	exit(2);
}

static cl_program make(int number, cl_int *ret_code)
{
	char options[64];
	const char *part = text;
	cl_program program;
	cl_int code;

	program =
		clCreateProgramWithSource(world.context, 1, &part, NULL, &code);
	must(code, "clCreateProgramWithSource");
	snprintf(options, sizeof(options), "-DN=%d", number);
	*ret_code =
		clBuildProgram(program, 1, &world.device, options, NULL, NULL);
	return program;
}

/* Writes to a pipe or a file itself, so that limits are no matter of stdio. */
static void play(int number, char *said, size_t size)
{
	int out[RUN_ITEMS] = {0};
	cl_kernel kernel;
	cl_program program;
	cl_int code, built;

	program = make(number, &built);
	kernel = clCreateKernel(program, "k", &code);
	if (code == CL_SUCCESS)
		code = run_kernel(&world, kernel, 3, 0, out);
	snprintf(said, size, "build %d %d\nresult %d %d %d, %d\n", built,
		 build_status(&world, program), out[0], out[1],
		 out[RUN_ITEMS - 1], code);
	if (kernel)
		clReleaseKernel(kernel);
	clReleaseProgram(program);
}

static void play_and_say(int number)
{
	char said[256];

	play(number, said, sizeof(said));
	fputs(said, stdout);
	fflush(stdout);
}

static void nothing(void)
{
}

/* Its descriptors, closed or taken. */

static void close_all(void)
{
	if (close_range(LOW, ~0U, 0))
		skip("no close_range()");
}

static struct stat mine;

static struct flock lock_of(short type)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

/*
 * One file by all low numbers. Its lock goes when anybody in the process closes
 * any of them.
 */
static void take_all(void)
{
	struct flock lock = lock_of(F_WRLCK);
	int file;

	close_all();
	file = memfd_create("mine", 0);
	if (file < 0 || write(file, MINE, strlen(MINE)) < 0 ||
	    fstat(file, &mine))
		die("no file");
	for (int i = LOW; i <= HIGH; i++)
		if (i != file && dup2(file, i) < 0)
			die("no descriptor");
	if (fcntl(file, F_SETLK, &lock))
		die("no lock");
}

static bool is_mine(int file)
{
	char bytes[64] = "";
	struct stat status;

	return !fstat(file, &status) && status.st_ino == mine.st_ino &&
	       status.st_dev == mine.st_dev &&
	       pread(file, bytes, sizeof(bytes), 0) == (ssize_t)strlen(MINE) &&
	       !strcmp(bytes, MINE) &&
	       lseek(file, 0, SEEK_CUR) == (off_t)strlen(MINE) &&
	       fcntl(file, F_GETFD) == 0;
}

/* As another process sees it. */
static bool is_locked(void)
{
	struct flock lock = lock_of(F_WRLCK);
	int status = 0;
	pid_t child = fork();

	if (!child)
		_exit(!(!fcntl(LOW, F_GETLK, &lock) && lock.l_type == F_WRLCK));
	waitpid(child, &status, 0);
	return status == 0;
}

static void look_at_all(void)
{
	int same = 0;

	for (int i = LOW; i <= HIGH; i++)
		same += is_mine(i);
	printf("own files %d of %d, locked %d\n", same, HIGH - LOW + 1,
	       is_locked());
}

static void *take_later(void *data)
{
	(void)data;
	/* Tests say how long the driver compiles: longer. */
	usleep(100000);
	take_all();
	return NULL;
}

static pthread_t taker;

static void take_in_the_midst(void)
{
	if (pthread_create(&taker, NULL, take_later, NULL))
		die("no thread");
}

static void taken_in_the_midst(void)
{
	pthread_join(taker, NULL);
}

static void look_after_the_midst(void)
{
	taken_in_the_midst();
	look_at_all();
}

static void take_again_in_the_midst(void)
{
	taken_in_the_midst();
	take_in_the_midst();
}

static void close_standard(void)
{
	close(STDIN_FILENO);
	close(STDERR_FILENO);
}

static void look_at_standard(void)
{
	printf("own standard streams %d %d\n", fcntl(STDIN_FILENO, F_GETFD),
	       fcntl(STDERR_FILENO, F_GETFD));
}

/* Limits. */

static void limit(int what, rlim_t value)
{
	struct rlimit now;

	if (getrlimit(what, &now))
		die("no limit");
	now.rlim_cur = value;
	if (setrlimit(what, &now))
		die("limit refused");
}

/* Not one more than are open. */
static void limit_files(void)
{
	int file = dup(STDOUT_FILENO);

	if (file < 0)
		return;
	close(file);
	limit(RLIMIT_NOFILE, (rlim_t)file);
}

static void limit_size(void)
{
	limit(RLIMIT_FSIZE, 1000);
}

static void limit_size_to_nothing(void)
{
	limit(RLIMIT_FSIZE, 0);
}

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	(void)number;
	signals++;
}

static void handle(int number)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigemptyset(&action.sa_mask);
	if (sigaction(number, &action, NULL))
		die("no handler");
}

static void handle_size(void)
{
	handle(SIGXFSZ);
	limit_size_to_nothing();
}

/* One of its own, which it has blocked, stays. */
static void pending_size(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	raise(SIGXFSZ);
	handle_size();
}

static void look_at_signals(void)
{
	sigset_t set;

	sigpending(&set);
	printf("own handler called %s, pending %d\n",
	       signals ? "in vain" : "never", sigismember(&set, SIGXFSZ));
}

static void limit_memory(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%ld", &pages) != 1)
		skip("no /proc");
	fclose(file);
	limit(RLIMIT_AS, (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + (16 << 20));
}

/* Standard error as a pipe that nobody reads: what is said there must not kill.
 */
static void break_pipe(void)
{
	int ends[2];

	if (pipe(ends) || dup2(ends[1], STDERR_FILENO) < 0)
		die("no pipe");
	close(ends[0]);
	close(ends[1]);
}

/* Rights and places. */

static void change_root(void)
{
	if (geteuid() != 0)
		skip("needs root");
	if (chroot(directory) || chdir("/"))
		die("no chroot()");
}

static void drop_rights(void)
{
	if (geteuid() != 0)
		skip("needs root");
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		die("no setuid()");
}

static void change_directory(void)
{
	if (chdir("/proc"))
		die("no /proc");
}

static void lose_directory(void)
{
	char path[] = "/tmp/oclcache-hostile-XXXXXX";

	if (!mkdtemp(path) || chdir(path) || rmdir(path))
		die("no directory to lose");
}

static void mask_nothing(void)
{
	umask(0);
}

static void mask_all(void)
{
	umask(0777);
}

static void look_at_mask(void)
{
	printf("own mask %o\n", umask(0));
}

/* Signals. */

static void block_all(void)
{
	sigset_t set;

	sigfillset(&set);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
}

static void look_at_blocked(void)
{
	sigset_t set;

	pthread_sigmask(SIG_SETMASK, NULL, &set);
	printf("own mask of signals %d %d\n", sigismember(&set, SIGXFSZ),
	       sigismember(&set, SIGTERM));
}

static void alarm_often(void)
{
	struct itimerval often = {{0, 1000}, {0, 1000}};

	/* No SA_RESTART. */
	handle(SIGALRM);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void alarm_no_more(void)
{
	struct itimerval never = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &never, NULL);
}

/* Threads. */

static void *build_and_build(void *data)
{
	char said[256];

	for (int i = 0; i < 50; i++)
		play(100 + i % 10, said, sizeof(said));
	return data;
}

/* Cancels threads that build, at moments that the numbers choose. */
static void cancel_some(void)
{
	unsigned seed = (unsigned)getpid();
	pthread_t threads[THREADS];

	for (int i = 0; i < CANCELLED; i += THREADS) {
		for (int j = 0; j < THREADS; j++)
			if (pthread_create(&threads[j], NULL, build_and_build,
					   NULL))
				die("no thread");
		for (int j = 0; j < THREADS; j++) {
			usleep((useconds_t)rand_r(&seed) % 3000);
			pthread_cancel(threads[j]);
		}
		for (int j = 0; j < THREADS; j++)
			pthread_join(threads[j], NULL);
	}
}

#define PAINT 0xa5

static void *play_all(void *data)
{
	play_and_say(1);
	play_and_say(2);
	play_and_say(1);
	return data;
}

static void small_stack(void)
{
	pthread_attr_t attributes;
	unsigned char *stack;
	pthread_t thread;
	size_t free = 0;

	stack = mmap(NULL, SMALL, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(stack, PAINT, SMALL);
	pthread_attr_init(&attributes);
	if (pthread_attr_setstack(&attributes, stack, SMALL) ||
	    pthread_create(&thread, &attributes, play_all, NULL))
		die("no thread");
	pthread_join(thread, NULL);
	while (free < SMALL && stack[free] == PAINT)
		free++;
	fprintf(stderr, "stack %zu\n", SMALL - free);
	printf("own stack %s\n", free ? "large enough" : "too small");
}

/* Processes. */

/* Both at once; what the child says comes through a pipe. */
static void fork_and_build(void)
{
	char said[1024];
	int ends[2], status = 0;
	ssize_t size;
	pid_t child;

	fflush(stdout);
	if (pipe(ends) || (child = fork()) < 0)
		die("no child");
	if (!child) {
		dup2(ends[1], STDOUT_FILENO);
		play_all(NULL);
		_exit(0);
	}
	close(ends[1]);
	play_and_say(2);
	play_and_say(3);
	while ((size = read(ends[0], said, sizeof(said))) > 0)
		fwrite(said, 1, (size_t)size, stdout);
	waitpid(child, &status, 0);
	printf("own child %d\n", status);
}

/* The parent's part comes later, so that its lines don't mix. */
static void fork_then_build(void)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		play_all(NULL);
		exit(0);
	}
	waitpid(child, &status, 0);
	printf("own child %d\n", status);
}

static const struct deed {
	const char *name;
	void (*before)(void);
	void (*between)(void);
	void (*after)(void);
} deeds[] = {
	{"nothing", nothing, nothing, nothing},
	{"close-all", close_all, close_all, nothing},
	{"take-all", take_all, take_all, look_at_all},
	{"take-between", nothing, take_all, look_at_all},
	{"take-in-the-midst", take_in_the_midst, take_again_in_the_midst,
	 look_after_the_midst},
	{"close-standard", close_standard, nothing, look_at_standard},
	{"limit-files", limit_files, limit_files, nothing},
	{"limit-size", limit_size, nothing, nothing},
	{"limit-size-0", limit_size_to_nothing, nothing, nothing},
	{"handle-size", handle_size, nothing, look_at_signals},
	{"pending-size", pending_size, nothing, look_at_signals},
	{"limit-memory", limit_memory, nothing, nothing},
	{"break-pipe", break_pipe, nothing, nothing},
	{"chroot", change_root, nothing, nothing},
	{"chroot-between", nothing, change_root, nothing},
	{"drop-rights", drop_rights, nothing, nothing},
	{"drop-rights-between", nothing, drop_rights, nothing},
	{"change-directory", change_directory, nothing, nothing},
	{"lose-directory", lose_directory, nothing, nothing},
	{"umask-0", mask_nothing, nothing, look_at_mask},
	{"umask-0777", mask_all, nothing, look_at_mask},
	{"block-signals", block_all, nothing, look_at_blocked},
	{"alarms", alarm_often, nothing, alarm_no_more},
	{"cancel", cancel_some, nothing, nothing},
	{"small-stack", small_stack, nothing, nothing},
	{"fork", fork_then_build, fork_then_build, nothing},
	{"fork-at-once", nothing, nothing, fork_and_build},
};

static const struct deed *find(const char *name)
{
	for (size_t i = 0; i < LENGTH(deeds); i++)
		if (!strcmp(deeds[i].name, name))
			return &deeds[i];
	die("%s: no such deed", name);
}

int main(int argc, char **argv)
{
	const struct deed *deed;

	if (argc < 2)
		die("usage: hostile DEED [DIRECTORY]");
	deed = find(argv[1]);
	if (argc > 2)
		directory = argv[2];
	world_open(&world);
	deed->before();
	play_and_say(1);
	deed->between();
	play_and_say(2);
	play_and_say(1);
	deed->after();
	world_close(&world);
	return 0;
}
