/* SPDX-License-Identifier: MIT */
/*
 * The style sheet of `oclcache report`: light or dark as the reader's system
 * has it, and light in print. Text has a contrast of 4.5 to 1 at least, and
 * what is drawn one of 3 to 1 (WCAG 2.2, level AA).
 */
#ifndef OCC_CLI_REPORT_STYLE_H
#define OCC_CLI_REPORT_STYLE_H

extern const char occ_report_style[];

#endif
