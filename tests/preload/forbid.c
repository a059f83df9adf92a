/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into an application: a seccomp filter for the whole process, under
 * which a system call fails.
 *
 *	FORBID=NUMBER	the call's number
 *	FORBID_HOW=NUMBER	with that errno
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((constructor)) static void forbid(void)
{
	const char *number = getenv("FORBID"), *how = getenv("FORBID_HOW");
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			 number ? (unsigned)strtoul(number, NULL, 10) : ~0U, 0,
			 1),
		BPF_STMT(BPF_RET | BPF_K,
			 SECCOMP_RET_ERRNO |
				 (how ? (unsigned)strtoul(how, NULL, 10)
				      : EPERM)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(*filter),
					   filter};

	if (!number)
		return;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(98);
}
