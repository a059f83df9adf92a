/* SPDX-License-Identifier: MIT */
/* cache/driver/driver.c: which record is for which version. */
#include "tests/unit/fixture.h"

#include "cache/driver/driver.h"

static const struct occ_driver *of(const char *version)
{
	return occ_driver_of_device("rusticl", version, OCC_DEVICE_CPU);
}

static void test_driver__versions(void **state)
{
	(void)state;
	assert_ptr_equal(of("22.3.6"), &occ_driver_rusticl_22);
	assert_ptr_equal(of("22"), &occ_driver_rusticl_22);
	assert_ptr_equal(of("23.0.0"), &occ_driver_rusticl_23);
	assert_ptr_equal(of("25.0.7-2+deb13u1"), &occ_driver_rusticl_23);
	assert_ptr_equal(of("25.2.99"), &occ_driver_rusticl_23);
	assert_ptr_equal(of("25.3"), &occ_driver_rusticl);
	assert_ptr_equal(of("25.10.1"), &occ_driver_rusticl);
	assert_ptr_equal(of("26.0.0-devel (git-1)"), &occ_driver_rusticl);
	assert_ptr_equal(of("100.0"), &occ_driver_rusticl);
}

static void test_driver__no_version(void **state)
{
	(void)state;
	assert_null(of(""));
	assert_null(of("Mesa 26.2"));
	assert_null(of(".26"));
	assert_ptr_equal(of("0"), &occ_driver_rusticl_22);
	assert_ptr_equal(of("99999999999999999999999.1"), &occ_driver_rusticl);
}

static const char pocl[] = "Portable Computing Language";

static void test_driver__others(void **state)
{
	(void)state;
	assert_ptr_equal(occ_driver_of_device(pocl, "7.1", OCC_DEVICE_CPU),
			 &occ_driver_pocl);
	assert_ptr_equal(occ_driver_of_device(pocl, "", OCC_DEVICE_CPU),
			 &occ_driver_pocl);
	assert_null(occ_driver_of_device("Clover", "22.3", OCC_DEVICE_GPU));
	assert_null(occ_driver_of_device("none", "1.0", OCC_DEVICE_GPU));
	assert_null(occ_driver_of_device("Intel(R) OpenCL", "2026.2",
					 OCC_DEVICE_GPU));
}

/* What it has of other kinds, and of other machines, isn't known. */
static void test_driver__pocls_devices(void **state)
{
	static const struct {
		const char *name;
		enum occ_variable_kind kind;
	} cases[] = {{"POCL_REMOTE0_PARAMETERS", OCC_VARIABLE_FILES},
		     {"POCL_REMOTE12_PARAMETERS", OCC_VARIABLE_FILES},
		     {"POCL_REMOTE_SEARCH_DOMAINS", OCC_VARIABLE_FILES},
		     {"POCL_DISCOVERY", OCC_VARIABLE_FILES},
		     {"POCL_BASIC0_PARAMETERS", OCC_VARIABLE_KEY},
		     {"POCL_DEVICES", OCC_VARIABLE_HARMLESS}};

	(void)state;
	assert_null(occ_driver_of_device(pocl, "7.1", OCC_DEVICE_GPU));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(occ_driver_variable(&occ_driver_pocl,
						     cases[i].name,
						     strlen(cases[i].name)),
				 cases[i].kind);
}

/* They share all but traits, and the newest comes first. */
static void test_driver__records(void **state)
{
	const struct occ_driver *driver, *first;

	(void)state;
	for (size_t i = 0; (driver = occ_driver_at(i)); i++) {
		if (!driver->platform_name)
			continue;
		first = occ_driver_of_platform(driver->platform_name);
		assert_ptr_equal(driver->variables, first->variables);
		assert_ptr_equal(driver->components, first->components);
		assert_ptr_equal(driver->include_dirs, first->include_dirs);
		assert_ptr_equal(driver->cache, first->cache);
		assert_ptr_equal(driver->dialect, first->dialect);
		assert_true(driver->since.major <= first->since.major);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_driver__versions),
		cmocka_unit_test(test_driver__no_version),
		cmocka_unit_test(test_driver__others),
		cmocka_unit_test(test_driver__pocls_devices),
		cmocka_unit_test(test_driver__records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
