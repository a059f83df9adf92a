/* SPDX-License-Identifier: MIT */
/*
 * What libsodium calls when it is called in a way that its documentation
 * excludes. Its own does the same, but lies where sodium_init() does, so that
 * the layer would have all of libsodium that can be chosen for a CPU.
 */
#include <stdlib.h>

/* The linker makes that name. */
/* NOLINTNEXTLINE(cert-dcl37-c,cert-dcl51-cpp,bugprone-reserved-identifier) */
_Noreturn void __wrap_sodium_misuse(void);

/* NOLINTNEXTLINE(cert-dcl37-c,cert-dcl51-cpp,bugprone-reserved-identifier) */
_Noreturn void __wrap_sodium_misuse(void)
{
	abort();
}
