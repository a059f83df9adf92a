/* SPDX-License-Identifier: MIT */
/* hash/option.h, hash/word.h: what build options read, write or change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cache/driver/driver.h"
#include "hash/option.h"
#include "hash/word.h"

enum driver {
	any,
	pocl,
	intel,
	nvidia,
	rusticl,
	oclgrind,
	DRIVERS,
};

static const struct {
	const char *name;
	const struct occ_driver *driver;
} drivers[DRIVERS] = {
	[any] = {"any", NULL},
	[pocl] = {"PoCL", &occ_driver_pocl},
	[intel] = {"Intel", &occ_driver_intel_cpu},
	[nvidia] = {"NVIDIA", &occ_driver_nvidia},
	[rusticl] = {"rusticl", &occ_driver_rusticl},
	[oclgrind] = {"Oclgrind", &occ_driver_oclgrind},
};

static const struct occ_option_dialect *dialect_of(enum driver driver)
{
	return drivers[driver].driver ? drivers[driver].driver->dialect : NULL;
}

/* The word that isn't safe, or "" when all are. */
static void expect(const char *options, enum driver driver, const char *wanted)
{
	size_t length = 0;
	const char *word =
		occ_option_unsafe(options, dialect_of(driver), &length);

	if (word && (word < options || word > options + strlen(options) ||
		     length > strlen(word)))
		fail_msg("a word outside of: %s", options);
	if (strlen(wanted) != length ||
	    (word && memcmp(word, wanted, length) != 0))
		fail_msg("%s, %s: [%.*s], not [%s]", drivers[driver].name,
			 options, (int)length, word ? word : "", wanted);
}

static void expect_all(const char *options, const char *wanted)
{
	for (int i = 0; i < DRIVERS; i++)
		expect(options, (enum driver)i, wanted);
}

static void test_option__safe_everywhere(void **state)
{
	static const char *const options[] = {
		"",
		"   ",
		"-DX -DY=1 -D Z=2 -U Z -UY",
		"-D M2S(x)=XM2S(x) -D XM2S(x)=#x -D INCLUDE_PATH=/a/b",
		"-DX=1.5f -DY=a,b -DZ=-3 -DA=@ -DM=x\"y\"",
		"-cl-std=CL2.0 -cl-std=CLC++2021 -cl-mad-enable -w -Werror",
		"-cl-kernel-arg-info\t-cl-fast-relaxed-math\n-O3",
		"-cl-single-precision-constant -cl-denorms-are-zero",
		"-cl-fp32-correctly-rounded-divide-sqrt -cl-opt-disable",
		"-cl-strict-aliasing -cl-no-signed-zeros -cl-mad-enable",
		"-cl-unsafe-math-optimizations -cl-finite-math-only",
		"-cl-uniform-work-group-size -cl-no-subgroup-ifp",
		"-cl-ext=+cl_khr_fp64,-cl_khr_fp16",
		"-cl-intel-greater-than-4GB-buffer-required",
		"-cl-nv-verbose -cl-nv-maxrregcount=32",
		"-x spir -spir-std=1.2 -x cl -xclc++",
		"-create-library -enable-link-options",
		"-Wall -Wextra -Wno-unused -Werror=return-type -pedantic",
		"-O -O0 -O2 -Os -Ofast -ffast-math -fno-builtin-sin",
		"-funroll-loops -fno-unroll-loops -ffp-contract=off",
		"-march=native -mcpu=gfx906 -mno-amdgpu-ieee -std=CL1.2",
		"-I /some/where -Ielsewhere -I. -I .. -I ../x/",
		"-isystem x -isystemx -iquote y -iquotey -idirafter z",
		"-include a.h -includeb.h -imacros c.h -imacrosc.h",
		"-include=a.h",
		/* Unknown ones that can't name a file. */
		"-foo -foo-bar -foo_bar -q0 -foo=1 -n -qkernel-x",
	};

	(void)state;
	expect_all(NULL, "");
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		expect_all(options[i], "");
}

/* Each alone, behind others, and before others, is the word that is named. */
static void test_option__unsafe_everywhere(void **state)
{
	static const char *const words[] = {
		/* Files with options, sources. */
		"@options",
		"file.cl",
		"file",
		"=",
		"'a'",

		/* Options for other programs. */
		"-Xclang",
		"-Xcompiler",
		"-Xs",
		"-Wl,x",
		"-Wf,--x",
		"-Wp,-MD,y",
		"-mllvm",
		"-igc_opts",
		"-cmc",
		"-fcmocl",
		"-z",
		/* What else reads files. */
		"-include-pch",
		"-include-pchx",
		"-include-pth",
		"-fmodules",
		"-fmodule-file=x",
		"-fmodule-map-file=x",
		"-fno-modules",
		"-fimplicit-module-maps",
		"-fapinotes",
		"-ivfsoverlay",
		"-isysroot",
		"-isysroot/x",
		"-iprefix",
		"-iwithprefix",
		"-iwithsysroot",
		"-iframework",
		"-iframeworkx",
		"-imultilib",
		"-isystem-after",
		"-internal-isystem",
		"-index-store-path",
		"-F",
		"-Fx",
		"-B/x",
		"-L/x",
		"-lm",
		"-Tx",
		"-resource-dir",
		"-working-directory",
		"-working-directory=x",
		"-fplugin=x.so",
		"-fplugin-arg-x",
		"-load",
		"-add-plugin",
		"-fprofile-use",
		"-fprofile-instr-use=x",
		"-specs=x",
		"-mlink-builtin-bitcode",
		"-fsanitize-blacklist=x",
		"-cxx-isystem",
		"--include",
		"--sysroot=x",
		"--config",
		"--x",
		"-foo=x",
		"-foo=1.c",
		"-foo=",
		"-foo/x",
		"-foo.x",
		"-foo,x",
		"-foo\\x",
		"-foo@x",
		"-cl-something=/etc/x",
		"-cl-x=y",
		"-cl-std=/x",
		"-O/x",
		"-W@x",
		"-",
		"-foo:x",
		"-foo*",
		"-foo~",
		/* What writes files, or something else than a program. */
		"-save-temps",
		"-save-temps=obj",
		"-dump",
		"-dumpdir",
		"-dump-opt-asm=x",
		"--dump",
		"-cl-intel-dump-asm",
		"-cl-intel-asm-dump",
		"-MD",
		"-M",
		"-MF",
		"-MFx",
		"-MMD",
		"-ftime-trace",
		"-ftime-report",
		"-fcoverage-mapping",
		"-fms-compatibility",
		"-fms-extensions",
		"-fno-dollars-in-identifiers",
		"-traditional-cpp",
		"-ftest-coverage",
		"-fprofile-arcs",
		"-E",
		"-S",
		"-c",
		"-o",
		"-ofile",
		/* What loads libraries into the compiler. */
		"-fplugin=x",
		"-fplugin-arg-x-y",
		"-fpass-plugin=x",
		"-fpass-plugin=x.so",
		"-load",
		"-plugin",
		"-add-plugin",
		"-load-pass-plugin=x",
		"-Xclang",
		"-mllvm",
		"@file",
		"-emit-llvm",
		"-emit-ast",
		"-fsyntax-only",
		"-v",
		"-H",
		"-P",
		"-CC",
		"-dM",
		"-dD",
		"-fembed-bitcode",
		"-ast-dump",
		"-print-stats",
		"-foptimization-record-file=x",
		"-fsave-optimization-record",
		"-split-dwarf-file",
		"-rewrite-x",
		"-time",
		"-flto",
		"-fcrash-diagnostics-dir=x",
		"-serialize-diagnostic-file",
		/* What puts paths into binaries. */
		"-g",
		"-g2",
		"-gdwarf-4",
		"-ggdb",
		"-gline-tables-only",
		"-s",
		"-fdebug-compilation-dir",
		"-pg",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char options[200];

		expect_all(words[i], words[i]);
		snprintf(options, sizeof(options), "-DA -cl-x  %s ", words[i]);
		expect_all(options, words[i]);
		snprintf(options, sizeof(options), "%s -w -DA=b", words[i]);
		expect_all(options, words[i]);
	}
}

static void test_option__arguments(void **state)
{
	static const struct {
		const char *options;
		const char *word;
	} cases[] = {
		/* None, or what may be an option. */
		{"-D", "-D"},
		{"-w -I ", "-I"},
		{"-include", "-include"},
		{"-D -include a.h", "-include"},
		{"-I -Ib", "-Ib"},
		{"-I @file", "@file"},
		{"-D @file", "@file"},
		{"-U -w", "-w"},
		{"-x", "-x"},
		{"-x -w", "-w"},
		{"-x a/b", "a/b"},
		/* Not directories of that name, to some. */
		{"-I-", "-I-"},
		{"-I -", "-"},
		{"-I=a", "-I=a"},
		{"-I =a", "=a"},
		{"-isystem=a", "-isystem=a"},
		{"-I@x", "-I@x"},
		{"-include -", "-"},
		{"-include-x", "-include-x"},
		{"-include=", "-include="},
		{"-include=-", "-include=-"},
		{"-include=@x", "-include=@x"},
		{"-include @x", "@x"},
		/* An unknown option and its argument. */
		{"-foo a.h -w", "a.h"},
		{"-foo a", "a"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_all(cases[i].options, cases[i].word);
}

static void test_option__quotes_by_driver(void **state)
{
	static const char blank[] = "-DX=\"a b\" -w";
	static const char directory[] = "-I \"my directory\" -w";
	static const char escaped[] = "-DX=a\\ b -w";

	(void)state;
	/* Known to keep it together; to others `b"` may be a file. */
	expect(blank, pocl, "");
	expect(blank, intel, "");
	expect(blank, rusticl, "");
	expect(blank, oclgrind, "");
	expect(blank, any, "b\"");
	expect(blank, nvidia, "");
	expect(escaped, nvidia, "b");
	expect("-DX=\"a\\\" b\"", nvidia, "b\"");
	expect(directory, intel, "");
	expect(directory, pocl, "");
	expect(directory, any, "directory\"");
	expect("\"-Ia b\"", intel, "");
	expect("\"-Ia b\"", oclgrind, "");
	expect("\"-Ia b\"", rusticl, "");
	expect("\"-Ia b\"", pocl, "\"-Ia b\"");
	expect(escaped, intel, "");
	expect(escaped, oclgrind, "");
	expect(escaped, pocl, "b");
	expect(escaped, rusticl, "b");
	expect(escaped, any, "b");
	/* Only NVIDIA's is known to understand these. */
	expect("-I 'a b' -DX='a b'", nvidia, "");
	expect("-I 'a b'", intel, "b'");
	expect("-I 'a b'", pocl, "b'");
	expect("-I 'a b'", rusticl, "b'");
	expect("-I 'a b'", oclgrind, "b'");
	expect("-I 'a b'", any, "b'");
	/* Quotes don't hide what another reading sees. */
	expect_all("-DX=\"a -save-temps\"", "-save-temps\"");
	expect_all("-DX=\"a @b\"", "@b\"");
	expect_all("\"-g\"", "\"-g\"");
	expect("-I \"-x\"", intel, "\"-x\"");
	expect("-I \"\"", intel, "\"\"");
	expect("-D\"X=a -w", intel, "");
	/* Tabs separate to some, and are in names to others. */
	expect_all("-I a\tb", "b");
	expect_all("-I\ta", "");
	expect_all("-w\t-g", "-g");
}

static void test_option__by_driver(void **state)
{
	(void)state;
	expect("-cl-nv-maxrregcount 32", nvidia, "");
	expect("-cl-nv-opt-level 3 -cl-nv-arch sm_90", nvidia, "");
	expect("-cl-nv-arch a/b", nvidia, "a/b");
	expect("-cl-nv-maxrregcount 32", any, "32");
	expect("-auto-prefetch-level=2", intel, "");
	expect("-fbin-source", any, "-fbin-source");
	expect("-triple spir64-unknown", rusticl, "");
	expect("-triple spir64-unknown", pocl, "spir64-unknown");
}

struct notes {
	char text[1000];
	int left; /* visits until false is returned */
};

static bool note(enum occ_option_kind kind, const char *argument, size_t length,
		 bool certain, void *data)
{
	struct notes *notes = data;
	size_t size = strlen(notes->text);

	snprintf(notes->text + size, sizeof(notes->text) - size, "%c%s[%.*s]",
		 "IFDU"[kind], certain ? "" : "?", (int)length, argument);
	return --notes->left;
}

static void expect_walk(const char *options, enum driver driver, bool told,
			const char *wanted)
{
	struct notes notes = {.left = 100};

	if (occ_option_walk(options, dialect_of(driver), note, &notes) != told)
		fail_msg("%s: told, or not: %s", drivers[driver].name, options);
	if (strcmp(notes.text, wanted) != 0)
		fail_msg("%s, %s: %s, not %s", drivers[driver].name, options,
			 notes.text, wanted);
}

static void test_option__walk(void **state)
{
	static const struct {
		const char *options;
		const char *found;
		bool told;
	} cases[] = {
		{NULL, "", true},
		{"", "", true},
		{"-cl-mad-enable -w -x cl", "", true},
		{"-I a -Ib -isystem c -iquoted -idirafter e -idirafterf",
		 "I[a]I[b]I[c]I[d]I[e]I[f]", true},
		{"-include a.h -imacros b.h -includec -imacrosd/e",
		 "F[a.h]F[b.h]F[c]F[d/e]", true},
		{"-include=a.h", "F[=a.h]F[a.h]", true},
		{"-DA -DB=1 -D C(x)=x -D D= -UA -U B",
		 "D[A]D[B=1]D[C(x)=x]D[D=]U[A]U[B]", true},
		{"-DA=1 -UA -DA=1", "D[A=1]U[A]D[A=1]", true},
		{"-D XM2S(x)=#x -I /a/b/ -D INCLUDE_PATH=/a/b",
		 "D[XM2S(x)=#x]I[/a/b/]D[INCLUDE_PATH=/a/b]", true},
		{"-Ia -I-", "", false},
		{"-Ia -I=b", "", false},
		{"-Ia -I", "", false},
		{"-Ia -save-temps", "", false},
		{"-DX=\"a b.h\" -w", "", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_walk(cases[i].options, any, cases[i].told,
			    cases[i].found);
}

/* Every directory is in some reading; what isn't in all of them isn't certain.
 */
static void test_option__walk_readings(void **state)
{
	(void)state;
	expect_walk("-I\"a b\" -Ic", intel, true,
		    "I?[\"a]I[c]I?[a b]I?[ a b ]");
	expect_walk("-DX=\"y\" -DA", rusticl, true,
		    "D?[X=\"y\"]D[A]D?[X=y]D?[X= y ]");
	expect_walk("-DX=\"y -DZ\" -DA", rusticl, true,
		    "D?[X=\"y]D?[Z\"]D[A]D?[X=y -DZ]D?[X= y -DZ ]");
	expect_walk("-I a\\ b", oclgrind, true, "I?[a\\]I?[a b]");
	expect_walk("-I\ta", oclgrind, true, "I?[\ta]I?[a]");
	expect_walk("-I'a' -DX", pocl, true, "I?['a']D[X]I?[a]");
	expect_walk("-DX=\\\"y\\\"", intel, true,
		    "D?[X=\\\"y\\\"]D?[X=\"y\"]D?[X=\\y\\]D?[X=\\ y\\ ]");
	expect_walk("-DX=\"a -include b.h\"", intel, true,
		    "D?[X=\"a]F?[b.h\"]D?[X=a -include b.h]"
		    "D?[X= a -include b.h ]");
	/* The same twice stays so in every reading. */
	expect_walk("-DA -UA -DA -DX=\"\"", intel, true,
		    "D[A]U[A]D[A]D?[X=\"\"]D?[X=]D?[X=  ]");
}

static void test_option__walk_stops(void **state)
{
	struct notes notes = {.left = 2};

	(void)state;
	assert_false(occ_option_walk("-Ia -Ib -Ic", NULL, note, &notes));
	assert_string_equal(notes.text, "I[a]I[b]");
}

/* What is safe can be walked, and the other way around, whatever it is. */
static void test_option__agree(void **state)
{
	static const char *const pieces[] = {"-D", "-I",  "-include", "\"",
					     "\\", "'",	  " ",	      "\t",
					     "a",  "-w ", "-foo",     "=",
					     "@",  "-g",  "/x",	      "-"};
	uint32_t random = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char options[100] = "";
		enum driver driver = round % DRIVERS;
		struct notes notes = {.left = 1000};
		size_t length = 0;
		const char *word;

		for (int i = 0; i < 8; i++) {
			random = random * 1664525 + 1013904223;
			strcat(options, pieces[random >> 28]);
		}
		word = occ_option_unsafe(options, dialect_of(driver), &length);
		if (!word !=
		    occ_option_walk(options, dialect_of(driver), note, &notes))
			fail_msg("safe or not: %s", options);
		if (word && (!length || word < options ||
			     word + length > options + strlen(options)))
			fail_msg("no such word: %s", options);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_option__safe_everywhere),
		cmocka_unit_test(test_option__unsafe_everywhere),
		cmocka_unit_test(test_option__arguments),
		cmocka_unit_test(test_option__quotes_by_driver),
		cmocka_unit_test(test_option__by_driver),
		cmocka_unit_test(test_option__walk),
		cmocka_unit_test(test_option__walk_readings),
		cmocka_unit_test(test_option__walk_stops),
		cmocka_unit_test(test_option__agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
