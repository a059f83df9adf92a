/* SPDX-License-Identifier: MIT */
/* STUB_COUNT_FILE, and what passes time. */
#ifndef TESTS_STUB_COUNT_H
#define TESTS_STUB_COUNT_H

/* Appends "WHAT DIGEST" in one write. */
void stub_count(const char *what, const char *digest);

void stub_sleep(int milliseconds);

/* The same by computing. */
void stub_compute(int milliseconds);

#endif
