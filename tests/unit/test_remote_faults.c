/* SPDX-License-Identifier: MIT */
/*
 * The client of a remote storage helper while its own system calls and
 * allocations fail; and no memory for what is only announced.
 */
#include "tests/unit/remote_helper.h"

/* After the standard headers, whose functions it replaces. */
#include "tests/unit/fault.h"

static int put_some(struct place *place)
{
	return occ_remote_put(place->remote, key, false, key, &place->answer);
}

/* What may come of a fault: the answer all the same, or a failure. */
static void judge(struct place *place, int error, unsigned descriptors,
		  unsigned n)
{
	if (error == OCC_OK)
		assert_int_equal(place->answer.fault, OCC_REMOTE_FAULT_NONE);
	else if (error == OCC_E_REMOTE)
		assert_int_not_equal(place->answer.fault,
				     OCC_REMOTE_FAULT_NONE);
	else if (error != OCC_E_MEMORY)
		fail_msg("call %u: %d", n, error);
	if (error)
		assert_null(place->answer.value.data);
	assert_int_equal(count_descriptors(), descriptors);
}

static void fail_everywhere(void **state, enum fault_class class, int code,
			    int (*call)(struct place *place))
{
	unsigned char bytes[64];
	struct helper_script script = SCRIPT(greeting, bytes);
	struct fault_plan plan = {.class = class, .error = code};
	unsigned descriptors, hits;
	struct place place;
	long blocks;
	int error;

	script.answer_size = print_value(bytes, 5, "value", 5);
	if (call == put_some)
		script.answer_size = 1;
	do {
		begin_with(&place, *state, &script, &generous);
		descriptors = count_descriptors();
		blocks = fault.blocks;
		plan.n++;
		fault_arm(&plan);
		error = call(&place);
		fault_disarm();
		hits = fault.hits;
		judge(&place, error, descriptors, plan.n);
		if (!hits)
			assert_int_equal(error, OCC_OK);
		occ_buffer_release(&place.answer.value);
		assert_int_equal(fault.blocks, blocks);
		end(&place);
	} while (hits);
	/* It went by the calls that are to fail. */
	assert_true(plan.n > (class == FAULT_MEMORY ? 1 : 8));
}

static void test_faults(void **state)
{
	static const int codes[] = {EINTR, EIO, EAGAIN, ENOMEM, EMFILE, EBADF};

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		fail_everywhere(state, FAULT_SYSTEM, codes[i], get);
		fail_everywhere(state, FAULT_SYSTEM, codes[i], put_some);
	}
	fail_everywhere(state, FAULT_MEMORY, ENOMEM, get);
}

static void test_announced(void **state)
{
	unsigned char bytes[64];
	struct helper_script script = SCRIPT(greeting, bytes);
	struct place place;

	script.answer_size = print_value(bytes, OCC_ENTRY_SIZE_MAX, "v", 1);
	begin_with(&place, *state, &script, &generous);
	fault.largest = 0;
	assert_int_equal(get(&place), OCC_E_REMOTE);
	assert_int_equal(place.answer.fault, OCC_REMOTE_FAULT_CLOSED);
	assert_true(fault.largest <= 2 << 20);
	end(&place);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_faults),
		TEST(test_announced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
