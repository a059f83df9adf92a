/* SPDX-License-Identifier: MIT */
#include "tests/unit/fixture.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "cache/directory.h"
#include "cache/file.h"
#include "cache/temp.h"

/* In a child, because the test's own output needs its descriptors. */
static int in_child(int (*body)(struct fixture *), struct fixture *fixture)
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child)
		_exit(body(fixture));
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int open_without_standard_streams(struct fixture *fixture)
{
	int directory, file, low;

	close(0);
	close(1);
	close(2);
	file = occ_file_open(fixture->directory, "file", O_RDWR | O_CREAT);
	directory = occ_file_open_directory(fixture->path);
	low = fcntl(0, F_GETFD) >= 0 || fcntl(1, F_GETFD) >= 0 ||
	      fcntl(2, F_GETFD) >= 0;
	if (file < 3 || directory < 3 || low)
		return 1;
	if (fcntl(file, F_GETFD) != FD_CLOEXEC ||
	    fcntl(directory, F_GETFD) != FD_CLOEXEC)
		return 2;
	return 0;
}

static void test_file__leaves_standard_streams_alone(void **state)
{
	assert_int_equal(in_child(open_without_standard_streams, *state), 0);
}

static void test_file__never_follows_links(void **state)
{
	struct fixture *fixture = *state;

	fixture_fill(fixture, "target", 1);
	assert_int_equal(symlinkat("target", fixture->directory, "link"), 0);
	assert_int_equal(occ_file_open(fixture->directory, "link", O_RDONLY),
			 -1);
	assert_int_equal(errno, ELOOP);
}

static void test_file__never_waits_for_a_fifo(void **state)
{
	struct fixture *fixture = *state;
	int file;

	assert_int_equal(mkfifoat(fixture->directory, "fifo", 0600), 0);
	file = occ_file_open(fixture->directory, "fifo", O_RDONLY);
	assert_true(file >= 3);
	occ_file_close(file);
}

static void test_file__reads_up_to_the_end(void **state)
{
	struct fixture *fixture = *state;
	char data[8];
	int file;

	file = occ_file_open(fixture->directory, "file", O_RDWR | O_CREAT);
	assert_int_equal(occ_file_write(file, 2, "abc", 3), 0);
	assert_int_equal(occ_file_read(file, 0, data, sizeof(data)), 5);
	assert_memory_equal(data, "\0\0abc", 5);
	assert_int_equal(occ_file_read(file, 9, data, sizeof(data)), 0);
	occ_file_close(file);
}

/* Applications fork at any moment; their children must not keep the lock. */
static void test_file__unlock_frees_what_a_child_inherited(void **state)
{
	struct fixture *fixture = *state;
	int pipe_ends[2], file, other;
	pid_t child;
	char byte;

	assert_int_equal(pipe(pipe_ends), 0);
	file = occ_file_open(fixture->directory, "file", O_RDWR | O_CREAT);
	assert_int_equal(occ_file_lock(file, 1000), 0);
	child = fork();
	if (!child) {
		close(pipe_ends[1]);
		_exit(read(pipe_ends[0], &byte, 1) != 0);
	}
	occ_file_unlock(file);
	occ_file_close(file);
	other = occ_file_open(fixture->directory, "file", O_RDWR);
	assert_int_equal(occ_file_lock(other, 0), 0);
	occ_file_close(other);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void test_file__rename_new_never_replaces(void **state)
{
	struct fixture *fixture = *state;

	fixture_fill(fixture, "one", 1);
	fixture_fill(fixture, "two", 2);
	assert_int_equal(occ_file_rename_new(fixture->directory, "one", "two"),
			 -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(fixture_status(fixture, "two").st_size, 2);
	assert_int_equal(occ_file_rename_new(fixture->directory, "one",
					     "three"),
			 0);
	assert_false(fixture_exists(fixture, "one"));
	assert_int_equal(fixture_status(fixture, "three").st_size, 1);
}

static int open_and_close(const char *path, enum occ_directory_create create)
{
	int directory = -1, error;

	error = occ_directory_open(path, create, &directory);
	if (!error)
		occ_file_close(directory);
	return error;
}

static int make_under_a_mask(struct fixture *fixture)
{
	char path[120], name[OCC_NAME_SIZE];
	struct stat status;
	int file;

	umask(0777);
	snprintf(path, sizeof(path), "%s/parent/store", fixture->path);
	if (open_and_close(path, OCC_DIRECTORY_CREATE_PARENT) ||
	    stat(path, &status) || (status.st_mode & 0777) != 0700)
		return 1;
	if (occ_temp_create(fixture->directory, name, &file) ||
	    fstat(file, &status) || (status.st_mode & 0777) != 0600)
		return 2;
	return umask(022) == 0777 ? 0 : 3;
}

static void test_file__owners_may_use_what_they_make(void **state)
{
	assert_int_equal(in_child(make_under_a_mask, *state), 0);
}

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	(void)number;
	signals++;
}

static bool is_refused(int result)
{
	return result == -1 && errno == EFBIG;
}

static int write_too_much(struct fixture *fixture)
{
	const struct rlimit limit = {1000, 1000};
	int file = occ_file_open(fixture->directory, "file", O_RDWR | O_CREAT);
	char bytes[2000] = {0};
	sigset_t set;

	setrlimit(RLIMIT_FSIZE, &limit);
	if (!is_refused(occ_file_write(file, 0, bytes, sizeof(bytes))) ||
	    !is_refused(occ_file_resize(file, sizeof(bytes))))
		return 1;
	signal(SIGXFSZ, on_signal);
	if (!is_refused(occ_file_write(file, 1000, bytes, 1)) || signals)
		return 2;
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (!is_refused(occ_file_resize(file, sizeof(bytes))) ||
	    sigpending(&set) || sigismember(&set, SIGXFSZ))
		return 3;
	raise(SIGXFSZ);
	if (!is_refused(occ_file_resize(file, sizeof(bytes))) ||
	    sigpending(&set) || !sigismember(&set, SIGXFSZ))
		return 4;
	sigprocmask(SIG_SETMASK, NULL, &set);
	return sigismember(&set, SIGXFSZ) && !signals ? 0 : 5;
}

static void test_file__limits_bring_no_signals(void **state)
{
	assert_int_equal(in_child(write_too_much, *state), 0);
}

static void test_directory__creates_as_many_levels_as_allowed(void **state)
{
	struct fixture *fixture = *state;
	char one[96], two[96], three[96];

	snprintf(one, sizeof(one), "%s/a", fixture->path);
	snprintf(two, sizeof(two), "%s/a/b/", fixture->path);
	snprintf(three, sizeof(three), "%s/x/y/z", fixture->path);
	assert_int_equal(open_and_close(one, OCC_DIRECTORY_MUST_EXIST),
			 OCC_E_NO_DIRECTORY);
	assert_int_equal(open_and_close(two, OCC_DIRECTORY_CREATE),
			 OCC_E_NO_DIRECTORY);
	assert_false(fixture_exists(fixture, "a"));
	assert_int_equal(open_and_close(two, OCC_DIRECTORY_CREATE_PARENT),
			 OCC_OK);
	assert_int_equal(fixture_status(fixture, "a").st_mode & 07777, 0700);
	assert_int_equal(fixture_status(fixture, "a/b").st_mode & 07777, 0700);
	assert_int_equal(open_and_close(three, OCC_DIRECTORY_CREATE_PARENT),
			 OCC_E_NO_DIRECTORY);
	assert_int_equal(open_and_close(one, OCC_DIRECTORY_MUST_EXIST), OCC_OK);
}

static void test_directory__refuses_what_others_can_write(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(fchmod(fixture->directory, 0777), 0);
	assert_int_equal(open_and_close(fixture->path, OCC_DIRECTORY_CREATE),
			 OCC_E_FORBIDDEN);
	assert_int_equal(fchmod(fixture->directory, 0755), 0);
	assert_int_equal(open_and_close(fixture->path, OCC_DIRECTORY_CREATE),
			 OCC_OK);
	if (geteuid())
		skip();
	assert_int_equal(fchown(fixture->directory, 12345, (gid_t)-1), 0);
	assert_int_equal(open_and_close(fixture->path, OCC_DIRECTORY_CREATE),
			 OCC_E_FORBIDDEN);
}

static void test_directory__of_a_group(void **state)
{
	static const char own[] = "neo_compiler_cache";
	struct fixture *fixture = *state;
	char path[sizeof(fixture->path) + sizeof(own)];

	if (geteuid())
		skip();
	snprintf(path, sizeof(path), "%s/%s", fixture->path, own);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chown(path, 0, 12345), 0);
	assert_int_equal(chown(fixture->path, 0, 12345), 0);
	assert_int_equal(fchmod(fixture->directory, 0775), 0);
	assert_int_equal(open_and_close(fixture->path, OCC_DIRECTORY_CREATE),
			 OCC_E_FORBIDDEN);
	/* As NEO makes it. */
	assert_int_equal(chmod(path, 0775), 0);
	assert_int_equal(open_and_close(path, OCC_DIRECTORY_CREATE), OCC_OK);
	assert_int_equal(chmod(path, 02775), 0);
	assert_int_equal(open_and_close(path, OCC_DIRECTORY_CREATE),
			 OCC_E_FORBIDDEN);
	/* Root's private group. */
	assert_int_equal(chown(fixture->path, 0, 0), 0);
	assert_int_equal(fchmod(fixture->directory, 0775), 0);
	assert_int_equal(open_and_close(fixture->path, OCC_DIRECTORY_CREATE),
			 OCC_OK);
}

static void test_directory__refuses_a_file(void **state)
{
	struct fixture *fixture = *state;
	char path[96];

	fixture_fill(fixture, "file", 1);
	snprintf(path, sizeof(path), "%s/file", fixture->path);
	assert_int_equal(open_and_close(path, OCC_DIRECTORY_CREATE_PARENT),
			 OCC_E_NO_DIRECTORY);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_file__leaves_standard_streams_alone),
		TEST(test_file__never_follows_links),
		TEST(test_file__never_waits_for_a_fifo),
		TEST(test_file__reads_up_to_the_end),
		TEST(test_file__unlock_frees_what_a_child_inherited),
		TEST(test_file__rename_new_never_replaces),
		TEST(test_file__owners_may_use_what_they_make),
		TEST(test_file__limits_bring_no_signals),
		TEST(test_directory__creates_as_many_levels_as_allowed),
		TEST(test_directory__refuses_what_others_can_write),
		TEST(test_directory__of_a_group),
		TEST(test_directory__refuses_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
