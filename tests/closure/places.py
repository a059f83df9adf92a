#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which words make what clang compiles depend on the source's name?

    places.py CLANG LIBRARY CLOSURE [--list]

Takes every identifier in clang's library, asks clang which it knows without a
declaration (built-in functions, predefined identifiers and macros, keywords),
uses each in several ways within functions that have unnamed types around them,
and compiles that under two names, in OpenCL C and C++ for OpenCL. Where the code
differs, the closure must say that it does: it names the source, or isn't made.
Prints lines for tests/layer/lib.sh's adopt.
"""
import os
import re
import subprocess
import sys
import tempfile

# Of one target, or known not to be an expression's.
SKIPPED = re.compile(
    "__builtin_(ia32|altivec|arm|neon|sve|mips|msa|s390|hexagon|HEXAGON|vsx|"
    "ppc|rvv|riscv|ve|amdgcn|r600|nvvm|wasm|bpf|aarch64|arc|spirv)_|"
    "__nvvm_|__hvx|__sync_|_?_?svcount|__c11_|__opencl_atomic|__atomic")

PRELUDE = """
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
#pragma OPENCL EXTENSION __cl_clang_variadic_functions : enable
typedef struct { int named; } named;
__constant struct { int a; } v = {1};
__attribute__((overloadable)) void sink(__constant const char *);
__attribute__((overloadable)) void sink(const char *);
__attribute__((overloadable)) void sink(int);
int put(__constant const char *, ...);
int put_too(const char *, ...);
"""
CPLUSPLUS = """
namespace std { struct source_location { struct __impl {
    const char *_M_file_name; const char *_M_function_name;
    unsigned _M_line; unsigned _M_column; }; }; }
void sink(const std::source_location::__impl *);
template <typename T> struct pointer_to { typedef T *type; };
struct outer { struct { int i; } inner; };
typedef pointer_to<decltype(outer::inner)>::type pointer;
"""

# How a word is used: within a function that has a parameter `p` of a type
# without a name, and a variable `t` of another.
USES = [
    "sink({0});",
    "sink({0}());",
    "sink({0}(p));",
    "sink({0}(t));",
    "sink({0}(struct {{ int i; }}));",
    "{0}(&t, put);",
    "{0}(&t, put_too);",
    "{0}(p, put);",
    "sink({0} \"\");",
]
FUNCTION = """void {1}(__private struct {{ int x; }} *p) {{
    struct {{ int y; named z; }} t = {{0}}; {0} (void)t; }}
"""
CONVERSION = """struct S_{1} {{ operator pointer () {{ struct {{ int y; }}
    t = {{0}}, *p = &t; {0} return 0; }} }};
void {1}() {{ S_{1} s; (void)(pointer)s; }}
"""
TEMPLATE = """template <typename T> void T_{1}(T *p) {{
    struct {{ int y; }} t = {{0}}; {0} (void)t; }}
void {1}() {{ struct {{ int q; }} u; T_{1}(&u); }}
"""
FORMS = {"CL2.0": [FUNCTION], "clc++": [FUNCTION, CONVERSION, TEMPLATE]}


def identifiers(library):
    data = open(library, "rb").read()
    words = set(re.findall(rb"\b(?:L?__|_[A-Z])[A-Za-z0-9_]{2,60}", data))
    words = {word.decode() for word in words}
    # What is called by a mangled name, or has one.
    return sorted(word for word in words
                  if not word.startswith(("_Z", "__ZN")) and
                  not SKIPPED.match(word))


class Compiler:
    def __init__(self, clang, directory):
        self.clang = clang
        self.directory = directory

    def run(self, text, standard, name, *options):
        path = os.path.join(self.directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return subprocess.run(
            [self.clang, "-x", "cl", "-cl-std=" + standard, "-w", "-target",
             "spir64", "-Xclang", "-finclude-default-header", "-ferror-limit=0",
             "-fno-caret-diagnostics", *options, path],
            capture_output=True, text=True, errors="replace", check=False)

    def bad_lines(self, text, standard, matching):
        """The lines that an error is in."""
        run = self.run(text, standard, "x/probe.cl", "-fsyntax-only")
        lines = set()
        for match in re.finditer(r"probe\.cl:(\d+):\d+: (?:fatal )?error: (.*)",
                                 run.stderr):
            if re.search(matching, match[2]):
                lines.add(int(match[1]))
        return lines

    def code(self, text, standard, name):
        run = self.run(text, standard, name, "-S", "-emit-llvm", "-O0", "-o", "-")
        if run.returncode:
            return None
        return [line for line in run.stdout.splitlines()
                if not re.match("; ModuleID|source_filename", line)]


def known(compiler, words):
    """Those that needn't be declared."""
    text = "".join(f"int f{i} = sizeof({word});\n"
                   for i, word in enumerate(words))
    bad = compiler.bad_lines(text, "CL2.0",
                             "undeclared identifier|unknown type name")
    return [word for i, word in enumerate(words) if i + 1 not in bad]


def one_line(form, use, word, name):
    return form.format(use.format(word), name).replace("\n", " ") + "\n"


def prelude(standard):
    return (PRELUDE + (CPLUSPLUS if standard == "clc++" else ""))


def depends(compiler, standard, lines):
    """Does the code differ between two places? None: there is no code."""
    text = prelude(standard) + "".join(lines)
    one = compiler.code(text, standard, "one/source.cl")
    return one and one != compiler.code(text, standard, "another/text.cl")


def differing(compiler, standard, lines):
    """Of some lines of code, those whose code differs; by halves."""
    answer = depends(compiler, standard, lines)
    if answer is False or (answer is None and len(lines) == 1) or not lines:
        return []
    if len(lines) == 1:
        return lines
    half = len(lines) // 2
    return (differing(compiler, standard, lines[:half]) +
            differing(compiler, standard, lines[half:]))


def sources(compiler, words):
    """(standard, source) of each use of a word that shows the place."""
    for standard, forms in FORMS.items():
        head = prelude(standard)
        first = head.count("\n") + 1
        for form in forms:
            for use in USES:
                lines = [one_line(form, use, word, f"f{i}")
                         for i, word in enumerate(words)]
                bad = compiler.bad_lines(head + "".join(lines), standard, "")
                good = [line for i, line in enumerate(lines)
                        if first + i not in bad]
                for line in differing(compiler, standard, good):
                    yield standard, use, line, head + line


def judge(closure, directory, standard, source):
    """Does the closure say that the source's name counts?"""
    path = os.path.join(directory, "judged.cl")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    run = subprocess.run([closure], input=f"{directory}\t{path}\t-cl-std={standard}\n", text=True,
                         capture_output=True, check=True)
    return ('"names_source": true' in run.stdout or
            '"reason": null' not in run.stdout)


def main():
    clang, library, closure = sys.argv[1:4]
    found = set()
    with tempfile.TemporaryDirectory() as directory:
        compiler = Compiler(clang, directory)
        words = known(compiler, identifiers(library))
        print(f"{len(words)} words that clang knows")
        for standard, use, line, source in sources(compiler, words):
            word = next(word for word in words if re.search(
                rf"\b{re.escape(word)}\b", line.split("{", 1)[1])
                and use.format(word) in line)
            if (word, standard) in found and "--list" not in sys.argv:
                continue
            found.add((word, standard))
            good = judge(closure, directory, standard, source)
            print(f"{'ok' if good else 'not ok'} {standard}: {word} in "
                  f"{use.format(word)}")
        for word in ("__FILE__", "__PRETTY_FUNCTION__", "__builtin_FILE"):
            shown = any(word == other for other, _ in found)
            print(f"{'ok' if shown else 'not ok'} {word} shows the place")


main()
