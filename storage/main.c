/* SPDX-License-Identifier: MIT */
#include <stdio.h>

int main(void)
{
	fputs("oclcache-storage: not here yet\n", stderr);
	return 1;
}
