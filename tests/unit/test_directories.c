/* SPDX-License-Identifier: MIT */
/* layer/key/include_dirs.h, of which the whole is taken in: it needs no driver.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layer/key/include_dirs.c"

static const char *const variables[] = {
	"POCL_CACHE_DIR",
	"XDG_CACHE_HOME",
	"HOME",
	"MESA_SHADER_CACHE_DISABLE",
	"CPATH",
	"C_INCLUDE_PATH",
	"CPLUS_INCLUDE_PATH",
	"OBJC_INCLUDE_PATH",
};

static struct occ_driver unlisted = {.learnt = true};
static struct occ_identity identity;

static void be(const char *platform)
{
	identity.driver =
		platform ? occ_driver_of_platform(platform) : &unlisted;
	assert_non_null(identity.driver);
}

static int clean(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
	return 0;
}

static int end(void **state)
{
	(void)state;
	occ_include_dirs_end();
	return 0;
}

/* All of them in one line, each with a blank behind it. */
static const char *joined(char **directories)
{
	static char line[4096];

	assert_non_null(directories);
	*line = '\0';
	for (char **directory = directories; *directory; directory++) {
		strcat(line, *directory);
		strcat(line, " ");
	}
	occ_include_dirs_free(directories);
	return line;
}

static const char *directories_searched(void)
{
	char **directories;

	assert_null(occ_include_dirs_take(&identity, &directories));
	return joined(directories);
}

/* PoCL's: behind the one that every driver has. */
static const char *own_directories(void)
{
	const char *all = directories_searched();

	assert_int_equal(0, strncmp(all, "include ", strlen("include ")));
	return all + strlen("include ");
}

static void test_directories__unlisted(void **state)
{
	char **directories;

	(void)state;
	be(NULL);
	assert_non_null(occ_include_dirs_take(&identity, &directories));
	assert_null(directories);
	assert_null(*occ_include_dirs_headers(&identity, false));
	assert_false(occ_include_dirs_are_overlooked(&identity, NULL));
}

/* Those of whoever runs this. */
static void forget_caches(void)
{
	for (char **variable = environ; variable && *variable;) {
		size_t length = strcspn(*variable, "=");
		char *name = strndup(*variable, length);

		assert_non_null(name);
		if (occ_variable_names_cache(name, length)) {
			unsetenv(name);
			variable = environ;
		} else {
			variable++;
		}
		free(name);
	}
}

/* Once it is known how it searches, and while no variable names a cache. */
static void test_directories__learnt(void **state)
{
	static const char *const harmless[] = {
		"OCLCACHE_DIR",
		"XDG_CACHE_HOME",
		"PIP_NO_CACHE_DIR",
		"CACH",
	};
	static const char *const caches[] = {"X_KERNEL_CACHE", "cl_cache_dir",
					     "CACHE"};
	char **directories;

	(void)state;
	be(NULL);
	forget_caches();
	assert_int_equal(occ_include_dirs_take(&identity, &directories),
			 OCC_REASON_UNLISTED_DIRECTORIES);
	unlisted.search = OCC_SEARCH_OTHER;
	assert_int_equal(occ_include_dirs_take(&identity, &directories),
			 OCC_REASON_UNLISTED_SEARCH);
	unlisted.search = OCC_SEARCH_USUAL;
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		setenv(harmless[i], "1", 1);
	setenv("CPATH", "/a", 1);
	assert_string_equal(directories_searched(), "include /a ");
	for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++) {
		setenv(caches[i], "0", 1);
		assert_int_equal(occ_include_dirs_take(&identity, &directories),
				 OCC_REASON_OWN_CACHE_INCLUDES);
		/* Set when the driver was loaded, and no more. */
		occ_include_dirs_start();
		unsetenv(caches[i]);
		assert_int_equal(occ_include_dirs_take(&identity, &directories),
				 OCC_REASON_OWN_CACHE_INCLUDES);
		occ_include_dirs_end();
		assert_string_equal(directories_searched(), "include /a ");
	}
	unlisted.search = OCC_SEARCH_UNKNOWN;
}

static void test_directories__fixed(void **state)
{
	(void)state;
	be("Intel(R) OpenCL");
	assert_string_equal(directories_searched(),
			    "include /usr/local/include /usr/include ");
	be("Oclgrind");
	assert_non_null(strstr(directories_searched(), "/remapped "));
}

static void test_directories__variables(void **state)
{
	(void)state;
	be("NVIDIA CUDA");
	setenv("CPATH", "/a::/b", 1);
	setenv("OBJC_INCLUDE_PATH", "/b:/usr/include:c", 1);
	assert_string_equal(directories_searched(),
			    "include /usr/local/include /usr/include /a . /b "
			    "c ");
}

static void test_directories__pocl_cache(void **state)
{
	(void)state;
	be("Portable Computing Language");
	assert_string_equal(own_directories(),
			    "/tmp/pocl/kcache /tmp/pocl/uncached ");
	setenv("HOME", "/home/me", 1);
	setenv("XDG_CACHE_HOME", "", 1);
	occ_include_dirs_start();
	assert_string_equal(own_directories(),
			    "/home/me/.cache/pocl/kcache "
			    "/home/me/.cache/pocl/uncached ");
	/* Whether it is read now or was read then. */
	setenv("XDG_CACHE_HOME", "/cache", 1);
	assert_string_equal(own_directories(),
			    "/home/me/.cache/pocl/kcache "
			    "/home/me/.cache/pocl/uncached "
			    "/cache/pocl/kcache /cache/pocl/uncached ");
	setenv("POCL_CACHE_DIR", "here", 1);
	assert_string_equal(own_directories(),
			    "/home/me/.cache/pocl/kcache "
			    "/home/me/.cache/pocl/uncached here ");
}

static void test_directories__overlooked(void **state)
{
	static const char *const on[] = {"0", "", "on", "2", " 1", "truely"};
	static const char *const off[] = {"1", "true", "TRUE", "Yes", "y"};

	(void)state;
	be("rusticl");
	assert_true(occ_include_dirs_are_overlooked(&identity, NULL));
	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
		setenv("MESA_SHADER_CACHE_DISABLE", off[i], 1);
		/* Set too late. */
		assert_true(occ_include_dirs_are_overlooked(&identity, ""));
		occ_include_dirs_start();
		assert_false(occ_include_dirs_are_overlooked(&identity, ""));
		occ_include_dirs_end();
	}
	for (size_t i = 0; i < sizeof(on) / sizeof(on[0]); i++) {
		setenv("MESA_SHADER_CACHE_DISABLE", on[i], 1);
		occ_include_dirs_start();
		assert_true(occ_include_dirs_are_overlooked(&identity, ""));
		occ_include_dirs_end();
	}
	be("Portable Computing Language");
	assert_false(occ_include_dirs_are_overlooked(&identity, NULL));
}

/* With directories among its options rusticl's cache isn't used. */
static void test_directories__overlooked_but_for_options(void **state)
{
	(void)state;
	be("rusticl");
	assert_false(occ_include_dirs_are_overlooked(&identity, "-I/a"));
	assert_false(occ_include_dirs_are_overlooked(&identity, "-I /a -w"));
	assert_false(occ_include_dirs_are_overlooked(&identity, "-w  -I/a"));
	assert_true(occ_include_dirs_are_overlooked(&identity, "-w -DI=-I/a"));
	assert_true(
		occ_include_dirs_are_overlooked(&identity, "-DA=\"b -I/a\""));
	assert_true(occ_include_dirs_are_overlooked(&identity, "-isystem /a"));
}

static void test_directories__headers(void **state)
{
	(void)state;
	be("rusticl");
	assert_string_equal(occ_include_dirs_headers(&identity, false)[0],
			    "opencl-c-base.h");
	assert_null(occ_include_dirs_headers(&identity, false)[2]);
	assert_string_equal(occ_include_dirs_headers(&identity, true)[2],
			    "/tmp/openclon12/opencl-c-base.h");
	be("NVIDIA CUDA");
	assert_string_equal(occ_include_dirs_headers(&identity, false)[0],
			    "cl_kernel.h");
	be("Oclgrind");
	assert_null(occ_include_dirs_headers(&identity, false)[0]);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, clean, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_directories__unlisted),
		TEST(test_directories__learnt),
		TEST(test_directories__fixed),
		TEST(test_directories__variables),
		TEST(test_directories__pocl_cache),
		TEST(test_directories__overlooked),
		TEST(test_directories__overlooked_but_for_options),
		TEST(test_directories__headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
