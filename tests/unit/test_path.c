/* SPDX-License-Identifier: MIT */
/* cache/directory.h: paths and directories in others' hands. */
#include <limits.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/xattr.h>

#include "cache/directory.h"
#include "cache/file.h"
#include "tests/unit/fixture.h"

#define STRANGER 12345

static const struct occ_path_missing two_levels = {2, 0700};

/* What a store would be opened as; nothing is left open. */
static int try(struct fixture *fixture, const char *name, bool *ret_steady)
{
	char path[2 * PATH_MAX];
	struct occ_path at;
	int error;

	snprintf(path, sizeof(path), "%s/%s", fixture->path, name);
	error = occ_path_open(path, &two_levels, &at);
	if (error)
		return error;
	if (ret_steady)
		*ret_steady = at.steady;
	occ_file_close(at.directory);
	return OCC_OK;
}

static int open_and_close(const char *path, enum occ_directory_create create)
{
	int directory = -1,
	    error = occ_directory_open(path, create, &directory);

	if (!error)
		occ_file_close(directory);
	return error;
}

/* A directory of another user's in the fixture's; only root can make one. */
static void make_strangers(struct fixture *fixture, const char *name,
			   mode_t mode)
{
	assert_int_equal(mkdirat(fixture->directory, name, 0700), 0);
	assert_int_equal(fchmodat(fixture->directory, name, mode, 0), 0);
	assert_int_equal(fchownat(fixture->directory, name, STRANGER, STRANGER,
				  0),
			 0);
}

static void link_to(struct fixture *fixture, const char *target,
		    const char *name, uid_t owner)
{
	assert_int_equal(symlinkat(target, fixture->directory, name), 0);
	if (owner != geteuid())
		assert_int_equal(fchownat(fixture->directory, name, owner,
					  owner, AT_SYMLINK_NOFOLLOW),
				 0);
}

static void need_root(void)
{
	if (geteuid()) {
		print_message("only root can make another user's files\n");
		skip();
	}
}

static void test_own_links_lead_on(void **state)
{
	struct fixture *fixture = *state;
	bool steady = false;

	assert_int_equal(mkdirat(fixture->directory, "real", 0700), 0);
	link_to(fixture, "real", "link", geteuid());
	link_to(fixture, "../.././tmp//", "up", geteuid());
	link_to(fixture, "link/", "chain", geteuid());
	assert_int_equal(try(fixture, "chain", &steady), OCC_OK);
	assert_true(steady);
	assert_int_equal(try(fixture, "up", NULL), OCC_OK);
	assert_int_equal(try(fixture, "./real/..//link/.", NULL), OCC_OK);
}

static void test_a_strangers_link_leads_nowhere(void **state)
{
	struct fixture *fixture = *state;

	need_root();
	assert_int_equal(mkdirat(fixture->directory, "real", 0700), 0);
	link_to(fixture, "real", "link", STRANGER);
	assert_int_equal(try(fixture, "link", NULL), OCC_E_ANOTHERS);
	assert_int_equal(try(fixture, "link/below", NULL), OCC_E_ANOTHERS);
	assert_false(fixture_exists(fixture, "real/below"));
	/* One of ours to it is no better. */
	link_to(fixture, "link", "second", geteuid());
	assert_int_equal(try(fixture, "second", NULL), OCC_E_ANOTHERS);
}

static void test_odd_links(void **state)
{
	struct fixture *fixture = *state;

	link_to(fixture, "loop", "loop", geteuid());
	assert_int_equal(try(fixture, "loop", NULL), OCC_E_IO);
	assert_int_equal(errno, ELOOP);
	link_to(fixture, "nowhere", "dangling", geteuid());
	assert_int_equal(try(fixture, "dangling", NULL), OCC_E_NO_DIRECTORY);
	assert_int_equal(try(fixture, "dangling/a", NULL), OCC_E_NO_DIRECTORY);
	assert_false(fixture_exists(fixture, "nowhere"));
	/* Nor what a link in a link's text leads to. */
	assert_int_equal(mkdirat(fixture->directory, "real", 0700), 0);
	link_to(fixture, "real", "step", geteuid());
	link_to(fixture, "step/b/c", "chain", geteuid());
	assert_int_equal(try(fixture, "chain", NULL), OCC_E_NO_DIRECTORY);
	assert_false(fixture_exists(fixture, "real/b"));
	fixture_fill(fixture, "file", 1);
	assert_int_equal(try(fixture, "file", NULL), OCC_E_NO_DIRECTORY);
	link_to(fixture, "file", "to-file", geteuid());
	assert_int_equal(try(fixture, "to-file", NULL), OCC_E_NO_DIRECTORY);
}

static void __attribute__((noinline)) paint_stack(int number)
{
	volatile int paint[PATH_MAX];

	for (size_t i = 0; i < sizeof(paint) / sizeof(*paint); i++)
		paint[i] = number;
}

static void test_long_paths(void **state)
{
	struct fixture *fixture = *state;
	char name[PATH_MAX + 2];
	struct occ_path at;

	memset(name, 'x', sizeof(name) - 1);
	name[NAME_MAX + 1] = '\0';
	assert_int_equal(try(fixture, name, NULL), OCC_E_IO);
	assert_int_equal(errno, ENAMETOOLONG);
	name[NAME_MAX + 1] = 'x';
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(try(fixture, name, NULL), OCC_E_IO);
	assert_int_equal(errno, ENAMETOOLONG);
	/* Nothing was opened, nothing is closed. */
	paint_stack(fixture->directory);
	assert_int_equal(occ_path_open(name, NULL, &at), OCC_E_IO);
	assert_true(fcntl(fixture->directory, F_GETFD) >= 0);
}

/* Root with HOME kept: what it would make there the user couldn't use. */
static void test_nothing_is_made_in_anothers_directory(void **state)
{
	struct fixture *fixture = *state;

	need_root();
	make_strangers(fixture, "home", 0755);
	assert_int_equal(try(fixture, "home/.cache/store", NULL),
			 OCC_E_ANOTHERS);
	assert_false(fixture_exists(fixture, "home/.cache"));
	/* What is there is opened: whose it is others judge. */
	assert_int_equal(try(fixture, "home", NULL), OCC_OK);
}

/* As a child that became another user, or moved: 0, or what it says. */
static int in_child(struct fixture *fixture, int (*play)(struct fixture *))
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(play(fixture));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* OCC_E_... are negative; an exit status isn't. */
static int said(int error)
{
	return error < 0 ? 100 - error : error;
}

static int make_as_another(struct fixture *fixture)
{
	if (setgid(STRANGER) || setuid(STRANGER))
		return 1;
	return said(try(fixture, "theirs/store", NULL));
}

/* A directory of a group, or for everybody: its owner has asked others in. */
static void test_users_make_what_they_may(void **state)
{
	struct fixture *fixture = *state;

	need_root();
	assert_int_equal(fchmod(fixture->directory, 0755), 0);
	assert_int_equal(mkdirat(fixture->directory, "theirs", 0700), 0);
	assert_int_equal(fchownat(fixture->directory, "theirs", STRANGER + 1,
				  STRANGER, 0),
			 0);
	assert_int_equal(in_child(fixture, make_as_another),
			 said(OCC_E_DENIED));
	assert_int_equal(fchmodat(fixture->directory, "theirs", 02770, 0), 0);
	assert_int_equal(in_child(fixture, make_as_another), 0);
	assert_int_equal(fixture_status(fixture, "theirs/store").st_mode & 0777,
			 0700);
	/* Root may make it everywhere, which says nothing. */
	assert_int_equal(try(fixture, "theirs/roots", NULL), OCC_E_ANOTHERS);
	assert_int_equal(fchmodat(fixture->directory, "theirs", 0777, 0), 0);
	assert_int_equal(try(fixture, "theirs/roots", NULL), OCC_E_ANOTHERS);
	assert_int_equal(fchmodat(fixture->directory, "theirs", 01777, 0), 0);
	assert_int_equal(try(fixture, "theirs/roots", NULL), OCC_OK);
}

#define NO_NAMESPACE 77

static int write_map(void)
{
	const char map[] = "12345 12345 1";
	int file = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	ssize_t written = write(file, map, strlen(map));

	close(file);
	return written != (ssize_t)strlen(map);
}

/* With a number of its own, or without. */
static int enter_namespace(bool with_number)
{
	if (setgid(STRANGER) || setuid(STRANGER) || unshare(CLONE_NEWUSER))
		return 1;
	/* Its files in /proc were root's. */
	return with_number && (prctl(PR_SET_DUMPABLE, 1) || write_map());
}

static int follow_without_root(struct fixture *fixture)
{
	if (enter_namespace(true))
		return NO_NAMESPACE;
	return said(try(fixture, "link", NULL));
}

static int make_without_root(struct fixture *fixture)
{
	if (enter_namespace(true))
		return NO_NAMESPACE;
	return said(try(fixture, "link/store", NULL));
}

/* What is of nobody it knows isn't its own. */
static int open_without_number(struct fixture *fixture)
{
	if (enter_namespace(false))
		return NO_NAMESPACE;
	return said(open_and_close(fixture->path, OCC_DIRECTORY_MUST_EXIST));
}

static void need_namespace(int result)
{
	if (result == NO_NAMESPACE) {
		print_message("no user namespaces here\n");
		skip();
	}
}

/* Where root has no number its links are those of the user 65534. */
static void test_in_a_user_namespace(void **state)
{
	struct fixture *fixture = *state;
	int result;

	need_root();
	assert_int_equal(fchmod(fixture->directory, 0755), 0);
	assert_int_equal(mkdirat(fixture->directory, "open", 0700), 0);
	assert_int_equal(fchmodat(fixture->directory, "open", 01777, 0), 0);
	link_to(fixture, "open", "link", 0);
	result = in_child(fixture, follow_without_root);
	need_namespace(result);
	assert_int_equal(result, 0);
	assert_int_equal(in_child(fixture, open_without_number),
			 said(OCC_E_FORBIDDEN));
	assert_int_equal(in_child(fixture, make_without_root), 0);
	assert_true(fixture_exists(fixture, "open/store"));
	/* Where anybody makes links they may be anybody's. */
	assert_int_equal(fchmod(fixture->directory, 01777), 0);
	assert_int_equal(in_child(fixture, follow_without_root),
			 said(OCC_E_ANOTHERS));
	/* Here nobody is a user like another. */
	assert_int_equal(fchmod(fixture->directory, 0755), 0);
	link_to(fixture, "open", "nobodys", 65534);
	assert_int_equal(try(fixture, "nobodys", NULL), OCC_E_ANOTHERS);
}

static int make_without_proc(struct fixture *fixture)
{
	struct occ_path at;
	struct stat status;

	if (chroot(fixture->path) || chdir("/"))
		return 1;
	umask(0777);
	if (occ_path_open("/a/b", &two_levels, &at))
		return 2;
	return stat("/a/b", &status) || (status.st_mode & 07777) != 0700;
}

static void test_modes_without_proc(void **state)
{
	need_root();
	assert_int_equal(in_child(*state, make_without_proc), 0);
}

static void test_modes_are_not_the_umasks(void **state)
{
	struct fixture *fixture = *state;
	mode_t before = umask(0777);
	int error = try(fixture, "a/b", NULL);

	umask(before);
	assert_int_equal(error, OCC_OK);
	assert_int_equal(fixture_status(fixture, "a").st_mode & 07777, 0700);
	assert_int_equal(fixture_status(fixture, "a/b").st_mode & 07777, 0700);
}

static void test_no_mode_changes_of_what_was_there(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(mkdirat(fixture->directory, "a", 0700), 0);
	assert_int_equal(fchmodat(fixture->directory, "a", 0755, 0), 0);
	assert_int_equal(try(fixture, "a", NULL), OCC_OK);
	assert_int_equal(try(fixture, "a/b", NULL), OCC_OK);
	assert_int_equal(fixture_status(fixture, "a").st_mode & 07777, 0755);
}

static void test_what_others_can_rename_is_not_steady(void **state)
{
	struct fixture *fixture = *state;
	bool steady = false;

	assert_int_equal(mkdirat(fixture->directory, "a", 0700), 0);
	assert_int_equal(try(fixture, "a", &steady), OCC_OK);
	assert_true(steady);
	assert_int_equal(fchmod(fixture->directory, 0777), 0);
	assert_int_equal(try(fixture, "a", &steady), OCC_OK);
	assert_false(steady);
	assert_int_equal(fchmod(fixture->directory, 01777), 0);
	assert_int_equal(try(fixture, "a", &steady), OCC_OK);
	assert_true(steady);
	assert_int_equal(fchmod(fixture->directory, 0770), 0);
	assert_int_equal(try(fixture, "a", &steady), OCC_OK);
	assert_false(steady);
	need_root();
	assert_int_equal(fchmod(fixture->directory, 01777), 0);
	make_strangers(fixture, "b", 0755);
	assert_int_equal(try(fixture, "b", &steady), OCC_OK);
	assert_false(steady);
}

/* Opened by name from the second time on, unless it leads elsewhere then. */
static void test_steady_paths_are_remembered(void **state)
{
	struct fixture *fixture = *state;
	bool steady = false;
	int directory;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(occ_directory_find(fixture->path,
						    OCC_DIRECTORY_MUST_EXIST,
						    &steady, &directory),
				 OCC_OK);
		occ_file_close(directory);
		assert_true(steady);
	}
	assert_int_equal(fchmod(fixture->directory, 0777), 0);
	assert_int_equal(occ_directory_find(fixture->path,
					    OCC_DIRECTORY_MUST_EXIST, &steady,
					    &directory),
			 OCC_E_FORBIDDEN);
}

static void test_files_by_path(void **state)
{
	struct fixture *fixture = *state;
	char path[96];
	int file;

	snprintf(path, sizeof(path), "%s/log", fixture->path);
	file = occ_path_open_file(path, O_WRONLY | O_CREAT);
	assert_true(file > 2);
	occ_file_close(file);
	snprintf(path, sizeof(path), "%s/link", fixture->path);
	link_to(fixture, "log", "link", geteuid());
	file = occ_path_open_file(path, O_WRONLY | O_CREAT);
	assert_true(file > 2);
	occ_file_close(file);
	snprintf(path, sizeof(path), "%s/", fixture->path);
	assert_int_equal(occ_path_open_file(path, O_RDONLY), -1);
	assert_int_equal(errno, EISDIR);
	need_root();
	snprintf(path, sizeof(path), "%s/planted", fixture->path);
	link_to(fixture, "log", "planted", STRANGER);
	assert_int_equal(occ_path_open_file(path, O_WRONLY | O_CREAT), -1);
	assert_int_equal(errno, EPERM);
}

/* As setfacl -m u:12345:PERMISSIONS has the kernel keep it. */
static void set_list(struct fixture *fixture, unsigned char permissions)
{
	const unsigned char list[] = {
		2,  0, 0,	    0,			       /* version */
		1,  0, 7,	    0, 0xff, 0xff, 0xff, 0xff, /* owner */
		2,  0, permissions, 0, 0x39, 0x30, 0,	 0,    /* 12345 */
		4,  0, 5,	    0, 0xff, 0xff, 0xff, 0xff, /* group */
		16, 0, 7,	    0, 0xff, 0xff, 0xff, 0xff, /* mask */
		32, 0, 0,	    0, 0xff, 0xff, 0xff, 0xff, /* others */
	};

	if (fsetxattr(fixture->directory, "system.posix_acl_access", list,
		      sizeof(list), 0)) {
		print_message("no access control lists in /tmp: %s\n",
			      strerror(errno));
		skip();
	}
}

/* Group permissions are the list's mask then: the mode says 0770. */
static void test_lists_of_users_are_read(void **state)
{
	struct fixture *fixture = *state;

	if (!geteuid())
		assert_int_equal(chown(fixture->path, 0, 0), 0);
	set_list(fixture, 7);
	assert_int_equal(fixture_status(fixture, ".").st_mode & 0777, 0770);
	assert_int_equal(open_and_close(fixture->path,
					OCC_DIRECTORY_MUST_EXIST),
			 OCC_E_FORBIDDEN);
	assert_int_equal(open_and_close(fixture->path, OCC_DIRECTORY_READ_ONLY),
			 OCC_E_FORBIDDEN);
	set_list(fixture, 5);
	if (fixture_status(fixture, ".").st_gid !=
	    fixture_status(fixture, ".").st_uid)
		skip();
	assert_int_equal(open_and_close(fixture->path,
					OCC_DIRECTORY_MUST_EXIST),
			 OCC_OK);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, fixture_setup,               \
					fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_own_links_lead_on),
		TEST(test_a_strangers_link_leads_nowhere),
		TEST(test_odd_links),
		TEST(test_long_paths),
		TEST(test_nothing_is_made_in_anothers_directory),
		TEST(test_users_make_what_they_may),
		TEST(test_in_a_user_namespace),
		TEST(test_modes_without_proc),
		TEST(test_modes_are_not_the_umasks),
		TEST(test_no_mode_changes_of_what_was_there),
		TEST(test_what_others_can_rename_is_not_steady),
		TEST(test_steady_paths_are_remembered),
		TEST(test_files_by_path),
		TEST(test_lists_of_users_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
