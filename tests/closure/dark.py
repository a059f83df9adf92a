#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Texts from the preprocessor's dark corners: does the closure see what clang does?

    dark.py PROGRAM [--count N | --seconds N] [--jobs N] [--seed TEXT]
            [--assembly N] [--intel LIBRARY]

PROGRAM is tests/closure/closure. Random texts of preprocessing numbers, odd quotes,
conditions, predefined macros, macros in every place where a directive takes tokens,
stringizing, pasting, splices, digraphs and comments, in OpenCL C and in C++ for
OpenCL. Compilers say what of each text is included with a header there, and without
it. Where that makes a difference the closure must have the header's path, or the
text must be refused. Of --assembly N texts with inline assembly clang's intermediate
code says which include files; these must be refused.

The judges are libclang and, where --intel says where its libcommon_clang.so is, the
compiler of Intel's runtime, which is newer: it takes more for a number. They are
asked for some hundreds of texts at once, each in a directory of its own and with the
macros undefined again in between, which is what makes it thousands a second; what
they say of a text that seems to be missed counts when they say it of that text alone.

The compilers get `inline` as an empty macro, as PoCL's does (doc/drivers.md). Prints
"ok WHAT" or "not ok WHAT" for tests/layer/lib.sh's adopt; a failing text is made
smaller, by lines. With --seconds the number of texts is what fits in that time.
"""
import argparse
import ctypes
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generate  # noqa: E402

CLANG = "/usr/lib/llvm-15/bin/clang"
LIBCLANG = "/usr/lib/llvm-15/lib/libclang-15.so.1"
SOURCE = "source.cl"
HEADER = "y.h"
SEEN = "seen.h"
# Of a text in which it is included there is no binary.
HALT = "halt.h"
STANDARDS = ["CL1.2", "CL2.0", "CL3.0", "CLC++", "CLC++2021"]
# What drivers define besides, and the closure isn't told; and all that texts define.
START = "".join(f"#undef {name}\n" for name in (
    "A", "B", "F", "G", "S", "D", "H", "X", "EMPTY", "inline")) + "#define inline\n"
# No more than one text in so many may break a compiler.
UNJUDGED_PART = 10000
LIMIT = 40
BATCH = 300


def sources_of(texts, header):
    """The main source and the files of a batch, by their names."""
    main = "".join(f"{START}#include \"d{i}/{SOURCE}\"\n"
                   for i in range(len(texts)))
    files = {}
    for i, text in enumerate(texts):
        files[f"d{i}/{SOURCE}"] = stopped(text)
        files[f"d{i}/{SEEN}"] = files[f"d{i}/{HALT}"] = b""
        if header:
            files[f"d{i}/{HEADER}"] = b""
    return main.encode(), files


def stopped(text):
    """Marks each #error, unless it is behind a splice."""
    lines = text.split(b"\n")
    for at, line in enumerate(lines):
        spliced = at and re.search(rb"(\\|\?\?/)[ \t\v\f\r]*$", lines[at - 1])
        if line.startswith(b"#error") and not spliced:
            lines[at] = f"#include \"{HALT}\"\n".encode() + line
    return b"\n".join(lines)


def by_text(paths, count):
    """What each text includes, of the paths of all."""
    found = [[] for _ in range(count)]
    for path in paths:
        # Line markers, too, may say that a file is entered, of any name.
        match = re.search(r"\bd(\d+)/([^/]+)$", path)
        if match and match[2] != SOURCE:
            found[int(match[1])].append(match[2])
    return found


class UnsavedFile(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("contents", ctypes.c_char_p),
                ("length", ctypes.c_ulong)]


class String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("flags", ctypes.c_uint)]


class Clang:
    """By libclang, in this process and in memory."""

    name = "clang"

    def __init__(self):
        self.library = ctypes.CDLL(LIBCLANG)
        self.visitor_type = ctypes.CFUNCTYPE(
            None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint,
            ctypes.c_void_p)
        self.library.clang_createIndex.restype = ctypes.c_void_p
        self.library.clang_parseTranslationUnit.restype = ctypes.c_void_p
        self.library.clang_parseTranslationUnit.argtypes = [
            ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int,
            ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint]
        self.library.clang_getFileName.restype = String
        self.library.clang_getFileName.argtypes = [ctypes.c_void_p]
        self.library.clang_getCString.restype = ctypes.c_char_p
        self.library.clang_getCString.argtypes = [String]
        self.library.clang_disposeString.argtypes = [String]
        self.library.clang_getInclusions.argtypes = [
            ctypes.c_void_p, self.visitor_type, ctypes.c_void_p]
        self.library.clang_disposeTranslationUnit.argtypes = [ctypes.c_void_p]
        self.index = self.library.clang_createIndex(0, 0)

    def parse(self, main, files, standard):
        words = ["-x", "cl", f"-cl-std={standard}", "-cl-no-stdinc", "-nostdinc",
                 "-w", "-ferror-limit=0"]
        arguments = (ctypes.c_char_p * len(words))(
            *(word.encode() for word in words))
        here = os.getcwd()
        contents = {f"{here}/{name}".encode(): data
                    for name, data in {SOURCE: main, **files}.items()}
        unsaved = (UnsavedFile * len(contents))(
            *(UnsavedFile(name, data, len(data))
              for name, data in contents.items()))
        return self.library.clang_parseTranslationUnit(
            self.index, f"{here}/{SOURCE}".encode(), arguments, len(words),
            unsaved, len(contents), 0)

    def included(self, texts, standard, header):
        """Of each text the names of what it includes, in their order."""
        unit = self.parse(*sources_of(texts, header), standard)
        if not unit:
            raise generate.Failure("clang", "it gave no answer")
        paths = []

        def visit(file, _stack, depth, _data):
            if depth:
                string = self.library.clang_getFileName(file)
                paths.append(self.library.clang_getCString(string).decode())
                self.library.clang_disposeString(string)

        self.library.clang_getInclusions(unit, self.visitor_type(visit), None)
        self.library.clang_disposeTranslationUnit(unit)
        return by_text(paths, len(texts))


class Intel:
    """The compiler within Intel's runtime, by the interface that the runtime uses.

    It is that of opencl-clang's common_clang.h. Clang's own option makes it write
    down what is included; an error (an action was given twice) is part of that.
    """

    name = "Intel's clang"
    # Places in the table of IOCLFEBinaryResult.
    RELEASE = 5

    def __init__(self, path, root):
        self.compile = ctypes.CDLL(path).Compile
        self.compile.argtypes = [
            ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p,
            ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_char_p,
            ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)]
        self.list = os.path.join(root, "included")

    @staticmethod
    def release(result):
        table = ctypes.cast(result, ctypes.POINTER(ctypes.c_void_p))[0]
        method = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[Intel.RELEASE]
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(method)(result)

    def included(self, texts, standard, header):
        main, files = sources_of(texts, header)
        names = (ctypes.c_char_p * len(files))(*(n.encode() for n in files))
        contents = (ctypes.c_char_p * len(files))(*files.values())
        result = ctypes.c_void_p()
        with open(self.list, "wb"):
            pass
        self.compile(main, contents, len(files), names, None, 0,
                     f"-cl-std={standard}".encode(),
                     f"-Eonly -header-include-file {self.list}".encode(), b"300",
                     ctypes.byref(result))
        if result.value:
            self.release(result)
        with open(self.list, encoding="utf-8") as file:
            paths = [line.strip() for line in file if f"/{SOURCE}" in line or
                     line.strip().endswith(".h")]
        if sum(path.endswith(f"/{SOURCE}") for path in paths) < len(texts):
            raise generate.Failure("Intel's", "it didn't see all texts")
        return by_text(paths, len(texts))


class Closure(generate.Closure):
    """Many texts at once, without a file for each."""

    def __init__(self, program, root):
        # pylint: disable=super-init-not-called
        self.process = subprocess.Popen(
            [program, "--text", "--driver", "pocl"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        self.root = root

    def write(self, texts, standard):
        for text in texts:
            text = text.replace(b"\\", b"\\\\").replace(b"\t", b"\\t") \
                .replace(b"\n", b"\\n")
            self.process.stdin.write(
                b"%s\t%s\t-cl-std=%s\n" % (self.root.encode(), text,
                                          standard.encode()))
        self.process.stdin.flush()

    def ask_all(self, texts, standard):
        """Of each: None if it is refused; else, does it know the header?"""
        writer = threading.Thread(target=self.write, args=(texts, standard))
        writer.start()
        answers = [self.process.stdout.readline() for _ in texts]
        writer.join()
        if not answers[-1]:
            raise generate.Failure("crash", "the closure program ended: status "
                                   f"{self.process.wait()}")
        known = []
        for answer in map(json.loads, answers):
            cached = answer["reason"] is None and answer["unsafe"] is None
            known.append(any(path.endswith(HEADER) for path in
                             answer["files"] + answer["present"])
                         if cached else None)
        return known


NUMBERS = ["1", "1.", ".5", "1e+", ".5e+f", "0x1p-", "1.a", "1..e-", "9_x",
           "a1.5e+", "x.5", "e+5", "2.e", "0b1", "1u", "1$", "$1", "1\\u00e9",
           "1.\\u00e9", "1\\U000000e9", "1\\u{e9}", "0x1p+\\u00e9",
           "1\\N{LATIN SMALL LETTER E WITH ACUTE}", "\\u00e9", "\\u00e91", "1\u00e9",
           "1\\\n", "1\\ \n", "1e\\\n+", "1\\\nu00e9", "1\\\\\nu00e9", "1_\\u0024"]
QUOTES = ["'", "\"", "'b'", "\"s\"", "'\"'", "\"'\"", "'/*'", "' /* '", "L'a'",
          "u8\"x\"", "R\"(\"", ")\"", "R\"x(", ")x\"", "'\\''", "\"\\\"",
          "u8R\"(", "LR\"(", "R\\\n\"(", "'a'_x", "\"s\"_R", "$R\"(", "'e /* '"]
COMMENTS = ["/*", "*/", "//", "/**/", "/\\\n*", "*\\\n/", "*\\ \t\n/", "// \\ \n"]
NAMES = ["A", "B", "F", "defined", "inline", "EMPTY", "foo", "__OPENCL_VERSION__",
         "__has_include", "__LINE__", "kernel", "D", "H", "__VA_ARGS__",
         "__VA_OPT__", "_Pragma"]
OTHERS = ["(", ")", ",", "#", "##", "%:", "%:%:", "<", ">", "+", "-", "||", "&&",
          "!", "?", ":", ";", "\\\n", "\\ \n", "\\\v\f\n", "\\", "??/\n", "??=", "0", "==", "...", " ",
          "\t", "{", "}", "."]
TARGETS = ["\"y.h\"", "<y.h>", "H", "F(y)", "inline \"y.h\"", "EMPTY H",
           "foo \"y.h\"", "F(y.h)", "G(y,h)", "inline H", "A H", "inline inline H"]
CONDITIONS = ["defined(defined)", "defined defined", "defined(A)", "0", "1", "!0",
              "__has_include(\"y.h\")", "__has_include(<y.h>)",
              "__has_include(H)", "defined(__has_include)",
              "defined __has_include", "A", "D(A)", "D __has_include(\"y.h\")",
              "(__has_include)(\"y.h\")", "F(0)", "__has_include inline (H)",
              "defined(__has_include) && __has_include(\"y.h\")"]
DEFINES = ["#define EMPTY", "#define H \"y.h\"", "#define H <y.h>",
           "#define F(x) #x", "#define F(x) x", "#define G(a,b) S(a.b)",
           "#define S(x) #x", "#define D(x) defined(x)", "#define D defined",
           "#define A 1", "#define A inline", "#define A", "#undef A",
           "#define B A", "#define inline A", "#undef inline",
           "#define H inline \"y.h\"", "#define F(x) <x>", "#define G(a,b) <a.b>"]


class Grammar:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *lists):
        return self.random.choice(self.random.choice(lists))

    def junk(self):
        """Tokens that may hide what is behind them, or may not."""
        count = self.random.randrange(1, 7)
        return "".join(
            self.pick(NUMBERS, QUOTES, COMMENTS, NAMES, OTHERS) +
            self.random.choice(["", "", " "]) for _ in range(count))

    def condition(self):
        parts = [self.random.choice(CONDITIONS)
                 for _ in range(self.random.randrange(1, 4))]
        return self.random.choice([" || ", " && "]).join(parts)

    def include(self):
        word = self.random.choice(["include", "include", "include_next", "import",
                                   "inc\\\nlude", "/**/include"])
        hash_sign = self.random.choice(["#", "#", "%:", "??=", " # "])
        return f"{hash_sign}{word} {self.random.choice(TARGETS)}"

    def message(self):
        """A directive that ends where its line does, or doesn't."""
        word = self.random.choice(
            ["error", "warning", "pragma mark", "pragma", "pragma/**/mark", "ident",
             "define X", "undef A", "line 1", "endif", "else", " 1 \"y.h\"", "foo",
             "pragma region", "pragma clang mark", "elif", "ifdef A", "ifndef A"])
        return f"#{word} {self.junk()}"

    def hidden(self):
        """What a comment hides, if it is one."""
        first = self.pick(NUMBERS, QUOTES, NAMES)
        quote = self.random.choice(["'", "'b'", "\"(", "'\"", ""])
        line = f"{first}{quote} /* {self.random.choice(QUOTES)}"
        if self.random.random() < 0.5:
            line = f"{self.message()} {line}"
        if self.random.random() < 0.6:
            line = f"#if 0\n{line}\n#endif"
        return f"{line}\n{self.include()}\n// */"

    def line(self):
        roll = self.random.random()
        if roll < 0.08:
            return self.hidden()
        if roll < 0.13:
            return self.message()
        if roll < 0.25:
            return self.junk()
        if roll < 0.5:
            return self.random.choice(DEFINES)
        if roll < 0.7:
            return self.include()
        if roll < 0.85:
            return (f"#if {self.condition()}\n#include \"seen.h\"\n"
                    f"{self.junk() if self.random.random() < 0.2 else ''}\n#endif")
        if roll < 0.9:
            return f"#if 0\n{self.junk()}\n#endif"
        if roll < 0.95:
            return f"int x = {self.pick(NUMBERS)}{self.pick(QUOTES)};"
        return self.random.choice(
            ["#error it's", "#pragma once", "#line 1 \"y.h\"", "#ifdef defined",
             "#pragma push_macro(\"A\")", "#pragma pop_macro(\"A\")",
             "_Pragma(\"mark /*\")", "#pragma mark it's",
             "#endif", "#else", "#elif __has_include(\"y.h\")", "#warning \"",
             "#elifdef A", "#pragma \"y.h\""])

    def text(self):
        lines = [self.line() for _ in range(self.random.randrange(1, 9))]
        return "\n".join(lines) + "\n"

    # Inline assembly -------------------------------------------------------

    def string(self):
        return self.random.choice(
            ["\".incbin \\\"blob\\\"\"", "\".inc\" \"bin \\\"blob\\\"\"",
             "\"\\x2eincbin \\\"blob\\\"\"", "\"\\56incbin \\\"blob\\\"\"",
             "\".\\151ncbin \\\"blob\\\"\"", "\"nop\"", "\"# %=\"", "\"\\n\"",
             "\" \\\"blob\\\"\"", "\".include \\\"blob\\\"\"", "\".\"", "\"incbin\"",
             "\".in{cbin|x} \\\"blob\\\"\"", "\".text\"", "S(.)", "S(incbin)",
             "S(.incbin)", "T(incbin)", "W", "\".L%=:\"", "\"x.incs\"",
             "S(.) S(incbin) \" \\\"blob\\\"\"", "\".INCBIN \\\"blob\\\"\""])

    def assembly(self):
        parts = " ".join(self.string()
                         for _ in range(self.random.randrange(1, 4)))
        word = self.random.choice(["asm", "__asm__", "__asm", "ASM"])
        if word == "ASM":
            word = "__asm__"
            parts = parts if self.random.random() < 0.5 else "M"
        volatile = self.random.choice(["", " volatile", "\n", " /**/ "])
        tail = self.random.choice(["", ":", "::", ":::\"memory\""])
        return ("#define S(x) #x\n#define T(x) S(.x)\n"
                f"#define W {self.string()}\n#define M {self.string()}\n"
                f"kernel void k(void) {{ {word}{volatile}({parts}{tail}); }}\n")


class Tests:
    def __init__(self, program, root, intel):
        self.root = root
        self.program = program
        self.judges = [Clang()]
        if intel:
            self.judges.append(Intel(intel, root))
        self.closure = Closure(program, root)
        self.cached = self.judged = self.unjudged = 0
        for name in (HEADER, SEEN, "blob"):
            with open(os.path.join(root, name), "wb"):
                pass

    def ask_all(self, texts, standard):
        try:
            return self.closure.ask_all(texts, standard)
        except generate.Failure:
            self.closure = Closure(self.program, self.root)
            raise

    @staticmethod
    def differs(with_header, without):
        return with_header != without and HALT not in with_header + without

    def judge(self, judge, texts, standard):
        """Of each: does the header make a difference to a compilation?"""
        try:
            both = [judge.included(texts, standard, header)
                    for header in (True, False)]
        except generate.Failure:
            # A compiler may die of a text, and says nothing of the others then.
            if len(texts) == 1:
                self.unjudged += 1
                return [False]
            half = len(texts) // 2
            return (self.judge(judge, texts[:half], standard)
                    + self.judge(judge, texts[half:], standard))
        return [self.differs(*pair) for pair in zip(*both)]

    def who_needs(self, text, standard):
        """The compilers to which the header matters."""
        return [judge.name for judge in self.judges
                if self.judge(judge, [text], standard)[0]]

    def missed(self, texts, standard):
        """Those of which a compiler reads the header, and the closure doesn't."""
        known = self.ask_all(texts, standard)
        doubtful = [text for text, knows in zip(texts, known) if knows is False]
        self.cached += sum(knows is not None for knows in known)
        self.judged += len(doubtful)
        found = set()
        for judge in self.judges if doubtful else []:
            wrong = self.judge(judge, doubtful, standard)
            # Alone it must be so, too.
            found.update(text for text, is_wrong in zip(doubtful, wrong)
                         if is_wrong and self.judge(judge, [text], standard)[0])
        return sorted(found)

    def is_missed(self, text, standard):
        return self.ask_all([text], standard)[0] is False and \
            bool(self.who_needs(text, standard))

    def includes_by_assembly(self, text, standard):
        done = subprocess.run(
            [CLANG, "-cc1", "-triple", "x86_64-unknown-linux", "-x", "cl",
             f"-cl-std={standard}", "-emit-llvm", "-w", "-o", "-", "-"],
            input=text, capture_output=True, check=False)
        if done.returncode:
            return False
        found = re.findall(rb'asm [^"]*"((?:[^"\\]|\\.)*)"', done.stdout)
        # Behind a letter a dot is a part of a symbol (ld.global).
        return any(re.search(rb"(?i)(?<![a-z0-9_])\.(incbin|include)\b",
                             self.plain(code)) for code in found)

    @staticmethod
    def plain(code):
        code = re.sub(rb"\\([0-9A-Fa-f]{2})",
                      lambda match: bytes([int(match[1], 16)]), code)
        # Of each choice of dialects the first, and then the second.
        first = re.sub(rb"\$\((.*?)\$\|.*?\$\)", rb"\1", code)
        second = re.sub(rb"\$\(.*?\$\|(.*?)\$\)", rb"\1", code)
        return first + b"\n" + second

    def is_missed_assembly(self, text, standard):
        return self.ask_all([text], standard)[0] is not None and \
            self.includes_by_assembly(text, standard)

    @staticmethod
    def shrink(text, standard, fails):
        lines = text.split(b"\n")
        at = 0
        while at < len(lines):
            fewer = lines[:at] + lines[at + 1:]
            if fails(b"\n".join(fewer), standard):
                lines = fewer
            else:
                at += 1
        return b"\n".join(lines)

    def show(self, what, text, standard, fails):
        """Of a text that is missed; by a line for adopt and one for people."""
        text = self.shrink(text, standard, fails)
        who = ", ".join(self.who_needs(text, standard))
        print(f"not ok {what}: missed with {standard} ({who})")
        print(repr(text))

    def dark(self, grammar, count, until):
        """As many as said, or until then. Their number; None: some were missed."""
        number = failed = 0
        while number < count and (until is None or time.monotonic() < until):
            texts = [grammar.text().encode()
                     for _ in range(min(BATCH, count - number))]
            standard = grammar.random.choice(STANDARDS)
            try:
                missed = self.missed(texts, standard)
            except generate.Failure as failure:
                print(f"not ok dark texts from number {number}, {standard}: {failure}")
                return None
            for text in missed[:LIMIT - failed]:
                self.show("dark texts", text, standard, self.is_missed)
            failed += len(missed)
            if failed >= LIMIT:
                return None
            if self.unjudged > 10 + number // UNJUDGED_PART:
                print(f"not ok dark texts: of {self.unjudged} of {number} a "
                      "compiler says nothing")
                return None
            number += len(texts)
        return None if failed else number

    def assembly(self, grammar, count):
        for _ in range(count):
            text = grammar.assembly().encode()
            standard = grammar.random.choice(STANDARDS)
            if self.is_missed_assembly(text, standard):
                self.show("texts with assembly", text, standard,
                          self.is_missed_assembly)
                return
        print(f"ok {count} texts with assembly")


# What was found so, or by somebody; each with a standard, and what must come of it.
FOUND = [
    ("CLC++", "double x = 1.a'b' /* ';\n#include \"y.h\"\n// */\n"),
    ("CLC++", "#if 0\n.5e+f'x' /* '\n#endif\n#include \"y.h\"\n// */\n"),
    ("CLC++", "int x = 1.\\\na'b' /* ';\n#include \"y.h\"\n// */\n"),
    ("CL1.2", "#if defined(defined) || __has_include(\"y.h\")\n"
              "#include \"seen.h\"\n#endif\n"),
    ("CL1.2", "#if defined defined || __has_include(\"y.h\")\n"
              "#include \"seen.h\"\n#endif\n"),
    ("CL1.2", "#include inline \"y.h\"\n"),
    ("CL1.2", "#define H \"y.h\"\n#include inline inline H\n"),
    ("CL1.2", "#define S(x) #x\n#define X(x) S(x)\n#include X(inline y.h)\n"),
    ("CL1.2", "\ufeff#include \"y.h\"\n"),
    ("CLC++", "#if 0\n1'b' /* '\n#endif\n#include \"y.h\"\n// */\n"),
    ("CLC++", "#if 0\n1.\\u00e9'b' /* '\n#endif\n#include \"y.h\"\n// */\n"),
    ("CLC++", "#if 0\n 1e\\\n+f'b' /* '\n#endif\n#include \"y.h\"\n// */\n"),
    ("CL1.2", "#pragma mark /*\n#include \"y.h\"\n// */\n"),
    ("CL1.2", "# /**/ pragma /**/ mark don't \"/*\" /*\n#include \"y.h\"\n// */\n"),
    ("CL1.2", "#warning /*\n#include \"y.h\"\n// */\n"),
    ("CL1.2", "#if 0\n#error don't R\"( /*\n#endif\n#include \"y.h\"\n//)\"*/\n"),
    ("CL1.2", "/\\ \t\n/ \\ \n/*\n#include \\\v\f\n\"y\\ \n.h\"\n// */\n"),
]
# Only the newer compiler of Intel's runtime takes these for numbers.
FOUND_BY_INTEL = [
    ("CLC++", f"#if 0\n{number}'b' /* '\n#endif\n#include \"y.h\"\n// */\n")
    for number in ("1$", "0x1p+\\u00e9", "1\\u{e9}", "1\\\nu00e9",
                   "1\\N{LATIN SMALL LETTER E WITH ACUTE}", "1\\U000000e9")
]
FOUND_BY_INTEL += [
    ("CL2.0", "#line 1 \"\\\"a\" /*\n#include \"y.h\"\n// */\n"),
    ("CL2.0", "# 1 \"\\\"a\" /*\n#include \"y.h\"\n// */\n"),
]
# Assembly that isn't told, or includes; and what is served all the same.
ASSEMBLY = [
    ("refused", "#define S(x) #x\nvoid f(void) {"
                " asm(S(.) S(incbin) \" \\\"blob\\\"\"); }\n"),
    ("refused", "#define S(x) #x\n#define A(x) asm(x)\nvoid f(void) {"
                " A(S(.) S(incbin) \" \\\"blob\\\"\"); }\n"),
    ("refused", "void f(void) { asm(\".\\151ncbin \\\"blob\\\"\"); }\n"),
    ("refused", "void f(void) { asm(\".in{cbin|x} \\\"blob\\\"\"); }\n"),
    ("refused", "void f(void) { asm(\"nop\" W); }\n#define W \".incbin\"\n"),
    ("refused", "#define W \"\\056incbin\"\nvoid f(void) { asm(W); }\n"),
    ("refused", "#define A asm(\nint x[] = {\n#define B A\n\"nop\" };\n"
                "#define S(x) #x\nvoid f(void) { A S(.incbin)); }\n"),
    ("cached", "void f(void) { asm volatile(\"lop3.b32 %0, %1;\\n\"\n"
               "\"nop\" : : \"r\"(1)); }\n"),
    ("cached", "#define S(x) #x\n#define LUT(a, e) asm (\"lop3.b32 %0, \"#e\";\""
               " : \"=r\"(a))\nvoid f(int a) { LUT(a, 0xe8); }\n"),
    ("cached", "void f(void) { asm(\".L%=: { .reg .u32 t; }\"); }\n"),
    ("cached", "\ufeffvoid f(void) {}\n"),
]


def known(tests):
    found = [(text, Clang.name) for text in FOUND]
    if len(tests.judges) > 1:
        found += [(text, Intel.name) for text in FOUND + FOUND_BY_INTEL]
    for (standard, text), who in found:
        what = f"{who} reads the header, and so does the closure: {text!r}"
        text = text.encode()
        if who not in tests.who_needs(text, standard):
            print(f"not ok {who} doesn't read the header: {text!r}")
        elif tests.is_missed(text, standard):
            print(f"not ok {what}")
        else:
            print(f"ok {what}")
    for wanted, text in ASSEMBLY:
        knows = tests.ask_all([text.encode()], "CL1.2")[0]
        got = "refused" if knows is None else "cached"
        verdict = "ok" if got == wanted else "not ok"
        print(f"{verdict} {got}: {text!r}")


def work(arguments, job, program, root):
    """One of the processes; what it prints goes to the file."""
    started = time.monotonic()
    until = started + arguments.seconds if arguments.seconds else None
    # Where libclang works files are in its memory, or nowhere.
    for directory in ("", "empty"):
        os.makedirs(os.path.join(root, directory), exist_ok=True)
    os.chdir(os.path.join(root, "empty"))
    grammar = Grammar(f"{arguments.seed} {job}")
    tests = Tests(program, root, arguments.intel)
    if job == 0:
        known(tests)
    tests.assembly(grammar, arguments.assembly // arguments.jobs)
    count = sys.maxsize if until else arguments.count // arguments.jobs
    started, tests.cached, tests.judged = time.monotonic(), 0, 0
    tests.unjudged = 0
    number = tests.dark(grammar, count, until)
    if number is not None:
        print(f"ok {number} dark texts ({tests.cached} would be cached; "
              f"{tests.judged} without the header, which "
              f"{' and '.join(judge.name for judge in tests.judges)} judged)")
        print(f"{number / (time.monotonic() - started):.0f} texts a second")


def fork(arguments, job, program, root):
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        with open(os.path.join(root, f"{job}.log"), "w", encoding="utf-8") as log:
            os.dup2(log.fileno(), 1)
            sys.stdout = log
            work(arguments, job, program, os.path.join(root, str(job)))
            status = 0
    finally:
        if status:
            sys.excepthook(*sys.exc_info())
        os._exit(status)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--assembly", type=int, default=100)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--intel")
    arguments = parser.parse_args()
    program = os.path.realpath(arguments.program)
    if arguments.intel:
        arguments.intel = os.path.realpath(arguments.intel)
    failed = False
    with tempfile.TemporaryDirectory(prefix="oclcache-dark.") as root:
        root = os.path.realpath(root)
        jobs = [fork(arguments, job, program, root) for job in range(arguments.jobs)]
        for job, process in enumerate(jobs):
            failed |= os.waitpid(process, 0)[1] != 0
            with open(os.path.join(root, f"{job}.log"), encoding="utf-8") as log:
                print(log.read(), end="", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
