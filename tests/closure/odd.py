#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sources, options and files that nobody writes: the closure must answer.

    odd.py PROGRAM [COUNT] [SEED]

PROGRAM is tests/closure/closure, best a sanitizer's. Prints "ok WHAT" or "not
ok WHAT" for tests/layer/lib.sh's adopt. COUNT random ones of each kind.
"""

import os
import random
import shutil
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generate  # noqa: E402
import trees  # noqa: E402

# No answer after so many seconds is a hang.
LIMIT = 120

PIECES = [b"#", b"##", b"%:", b"%:%:", b"??=", b"??/\n", b"\\\n", b"\\ \n",
          b"include", b"include_next", b"import", b"define", b"undef", b"if",
          b"elif", b"endif", b"pragma once", b"__has_include", b"_Pragma",
          b"embed", b"defined", b"__VA_ARGS__", b"...", b"(", b")", b",",
          b"<", b">", b"\"", b"'", b"/*", b"*/", b"//", b"\n", b"\r\n", b"\r",
          b" ", b"\t", b"\0", b"x.h", b"a/x.h", b"../", b"/", b".", b"\\",
          b"A", b"B(", b"F(x)", b"F(x,y)", b"x", b"y", b"x##y", b"#x", b"1",
          b"1e+", b"\xff", b"\xc3\xa9", b"R\"(", b"asm(\".", b"__DATE__",
          b"<x.h>", b"\"x.h\"", b"#include A\n", b"#define A \"x.h\"\n",
          b"#include F(A)\n", b"#define F(x) #x\n", b"#define B A\n"]
WORDS = ["-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote",
         "-idirafter", "\"", "'", "\\", " ", "  ", "A", "=", "F(x)", "#x",
         "a", "x.h", "/", "..", "-cl-std=CL1.2", "-", "--", "@", "\t", "\n",
         "A(x,y)=x##y", "é", "-Ia", "-I a"]


class Odd:
    def __init__(self, program, count, seed):
        self.program = program
        self.count = count
        self.random = random.Random(seed)
        self.root = os.path.realpath(tempfile.mkdtemp())
        self.work = os.path.join(self.root, "work")
        self.closure = generate.Closure(program, self.root)

    def write(self, name, text):
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text)

    def clear(self):
        shutil.rmtree(self.work, ignore_errors=True)
        os.mkdir(self.work)

    def ask(self, source, options=""):
        self.write("source.cl", source)
        # One line, and no NUL: more there can't be.
        options = options.replace("\0", "")
        signal.alarm(LIMIT)
        answer = self.closure.ask(self.work, "source.cl", options)
        signal.alarm(0)
        return answer

    def case(self, what, wanted, source, options=""):
        """`wanted`: cached, refused or any."""
        try:
            answer = self.ask(source, options)
        except generate.Failure as failure:
            print(f"not ok {what}: {failure}")
            print(repr(source[:2000]), repr(options))
            self.closure = generate.Closure(self.program, self.root)
            return None
        got = "cached" if answer["cached"] else "refused"
        if wanted in (got, "any"):
            print(f"ok {what}")
        else:
            print(f"not ok {what}: {got}, {answer['reason']}")
        return answer

    def many(self, what, make):
        """Random ones; only that there is an answer counts."""
        for number in range(self.count):
            source, options = make()
            try:
                self.ask(source, options)
            except generate.Failure as failure:
                print(f"not ok {what}, number {number}: {failure}")
                print(repr(source[:4000]), repr(options))
                self.closure = generate.Closure(self.program, self.root)
                return
        print(f"ok {self.count} {what}")

    # Random texts ----------------------------------------------------------

    def random_bytes(self):
        return self.random.randbytes(self.random.randrange(400)), ""

    def random_pieces(self):
        pieces = self.random.choices(PIECES, k=self.random.randrange(60))
        words = self.random.choices(WORDS, k=self.random.randrange(12))
        self.write("x.h", b"".join(self.random.choices(PIECES, k=20)))
        self.write("a/x.h", b"#include \"../x.h\"\n#include A\n")
        return b"".join(pieces), "".join(words)

    def broken_tree(self):
        """A valid one, with a few bytes changed in each text."""
        tree = trees.make(f"odd {self.random.random()}")
        self.clear()
        for name, text in tree.files.items():
            if not name.startswith("work/"):
                continue
            self.write(name[5:], self.broken(text))
        return self.broken(tree.source), self.broken(
            tree.option_text().encode()).decode("utf-8", "replace")

    def broken(self, text):
        text = bytearray(text)
        for _ in range(self.random.randrange(4)):
            at = self.random.randrange(len(text) + 1)
            roll = self.random.random()
            if roll < 0.3:
                del text[at:at + self.random.randrange(20)]
            elif roll < 0.6:
                text[at:at] = self.random.choice(PIECES)
            elif roll < 0.8:
                del text[at:]
            else:
                text[at:at] = bytes([self.random.randrange(256)])
        return bytes(text).replace(b"@ROOT@", self.work.encode())

    def cut_short(self):
        """Every beginning of a text with everything in it."""
        text = b"".join(
            b"#include \"x.h\" // a\n#define F(x, y) x ## y #x\n"
            b"%:include <a/x.h> /* b */\n??=import F(A, \"x.h\")\n"
            b"#if __has_include(\"x.h\") && __has_include_next(<y.h>)\n"
            b"#include F(A, B(C)) \\\n D\n#pragma once\n_Pragma(\"x\")\n"
            b"asm(\".include\");\n#undef F\n#include_next X\n"
            for _ in range(1))
        for end in range(len(text) + 1):
            try:
                self.ask(text[:end], "-DA=x -D \"B(x)=#x\" -include x.h"[:end])
            except generate.Failure as failure:
                print(f"not ok a text cut short at {end}: {failure}")
                return
        print("ok texts cut short")

    # Too much of everything ------------------------------------------------

    def sizes(self):
        self.clear()
        for number in range(3000):
            self.write(f"h{number}.h",
                       b"#include \"h%d.h\"\n" % (number + 1))
        self.write("h3000.h", b"")
        self.case("3000 headers, each within the other", "cached",
                  b"#include \"h0.h\"\n")
        self.case("5000 includes", "any", b"".join(
            b"#include \"n%d.h\"\n" % i for i in range(5000)))
        self.case("5000 includes in 20 directories", "refused", b"".join(
            b"#include \"n%d.h\"\n" % i for i in range(5000)),
            " ".join(f"-I f{i}" for i in range(20)))
        for number in range(1000):
            self.write(f"c{number}.h", b"#define N%d \"c%d.h\"\n" %
                       (number + 1, number + 1))
        self.case("1000 headers, each of which names the next", "refused",
                  b"#define N0 \"c0.h\"\n" + b"".join(
                      b"#include N%d\n" % i for i in range(1000)))
        self.case("nested conditions", "cached", b"#if 1\n" * 20000)
        self.case("nested parentheses", "any",
                  b"#define F(x) x\n#include " + b"F(" * 20000 + b"\n")
        self.case("nested calls of macros", "any", b"#define F(x) x\n#include "
                  + b"F(" * 2000 + b"\"x.h\"" + b")" * 2000 + b"\n")
        self.case("a long chain of macros", "any", b"".join(
            b"#define M%d M%d\n" % (i, i + 1) for i in range(5000)) +
            b"#include M0\n")
        self.case("macros that double", "any", b"".join(
            b"#define D%d D%d D%d\n" % (i, i + 1, i + 1)
            for i in range(60)) + b"#define S(x) #x\n#define T(x) S(x)\n"
            b"#include T(D0)\n")
        self.case("many definitions of many macros", "refused", b"".join(
            b"#define C%d v%d\n" % (i % 20, i) for i in range(400)) +
            b"#define S(x) #x\n#define T(x) S(x)\n#include T(" +
            b"/".join(b"C%d" % i for i in range(20)) + b")\n")
        self.case("a long name", "refused",
                  b"#include \"" + b"a/" * 3000 + b"x.h\"\n")
        self.case("a long line", "any", b"#include " + b"A" * 1000000 + b"\n")
        self.case("a long comment", "any", b"/*" + b"*" * 1000000)
        self.case("many splices", "any", b"\\\n" * 100000 + b"#include")
        self.case("long options", "any", b"#include A\n",
                  "-DA=\"x.h\" " * 5000)
        self.case("one directory many times", "any", b"#include \"x.h\"\n",
                  "-I a " * 5000)

    # Loops -----------------------------------------------------------------

    def loops(self):
        self.clear()
        self.write("self.h", b"#include \"self.h\"\n")
        self.case("a header that includes itself", "cached",
                  b"#include \"self.h\"\n")
        self.write("a/up.h", b"#include \"../a/up.h\"\n")
        self.case("a path that gets longer by ..", "cached",
                  b"#include \"a/up.h\"\n")
        self.write("b/x.h", b"#include \"loop/x.h\"\n")
        os.symlink(".", os.path.join(self.work, "b/loop"))
        self.case("a path that gets longer by a link to its directory", "cached",
                  b"#include \"b/x.h\"\n")
        os.symlink("around.h", os.path.join(self.work, "around.h"))
        self.case("a link to itself", "cached", b"#include \"around.h\"\n")
        self.write("c/one.h", b"#include \"../d/two.h\"\n")
        self.write("d/two.h", b"#include \"../c/one.h\"\n")
        self.case("two that include each other by ..", "cached",
                  b"#include \"c/one.h\"\n")
        self.write("e/grow.h", b"#include \"e/grow.h\"\n")
        os.symlink(".", os.path.join(self.work, "e/e"))
        self.case("a directory within itself, searched", "cached",
                  b"#include \"e/grow.h\"\n", "-I e -I e/e -I e/e/e")
        self.write("macro.h", b"#define N CAT(N, x)\n#include S(N)\n"
                   b"#define S(x) #x\n#define CAT(a, b) a##b\n")
        self.case("a macro that makes itself", "any",
                  b"#include \"macro.h\"\n#include S(N)\n")

    # No files to read ------------------------------------------------------

    def files(self):
        self.clear()
        os.mkfifo(os.path.join(self.work, "pipe.h"))
        self.case("a pipe", "refused", b"#include \"pipe.h\"\n")
        self.case("a device", "refused", b"#include \"/dev/zero\"\n")
        self.case("a file without a size", "refused",
                  b"#include \"/proc/self/maps\"\n")
        self.case("asking for a device", "any",
                  b"#if __has_include(\"/dev/zero\")\n#endif\n")
        os.mkdir(os.path.join(self.work, "directory.h"))
        self.case("a directory", "cached", b"#include \"directory.h\"\n")
        self.write("plain.txt", b"text")
        self.case("a file in the place of a searched directory", "refused",
                  b"#include \"x.h\"\n", "-I plain.txt")
        with open(os.path.join(self.work, "large.h"), "wb") as file:
            file.truncate(1 << 40)
        self.case("a file of a terabyte", "refused", b"#include \"large.h\"\n")
        self.case("an empty source", "cached", b"")
        self.write("nul.h", b"\0" * 1000)
        self.case("a header of NULs", "any", b"#include \"nul.h\"\n")

    def remembered(self):
        """What is remembered across questions is checked, too."""
        self.clear()
        self.write("x.h", b"#include \"y.h\"\nint one;\n")
        self.write("y.h", b"int y;\n")
        path = os.path.join(self.work, "x.h")
        # Until what was read may be remembered.
        time.sleep(3.5)
        keys = [self.ask(b"#include \"x.h\"\n")["key"] for _ in range(3)]
        if len(set(keys)) != 1 or keys[0] is None:
            print(f"not ok the same key again: {keys}")
            return
        status = os.stat(path)
        for what, text in (("other bytes", b"#include \"y.h\"\nint two;\n"),
                           ("another include",
                            b"#include \"z.h\"\nint one;\n")):
            self.write("x.h", text)
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            if self.ask(b"#include \"x.h\"\n")["key"] == keys[0]:
                print(f"not ok {what} in a remembered file, with its size and "
                      "time of change")
                return
        self.write("new", b"#include \"y.h\"\nint six;\n")
        os.utime(os.path.join(self.work, "new"),
                 ns=(status.st_atime_ns, status.st_mtime_ns))
        os.rename(os.path.join(self.work, "new"), path)
        if self.ask(b"#include \"x.h\"\n")["key"] == keys[0]:
            print("not ok another file in the place of a remembered one")
            return
        self.write("x.h", b"#include \"y.h\"\nint one;\n")
        if self.ask(b"#include \"x.h\"\n")["key"] != keys[0]:
            print("not ok the first bytes, the first key")
            return
        print("ok remembered files that change")

    def run(self):
        self.clear()
        self.many("sources of random bytes", self.random_bytes)
        self.many("sources of random pieces", self.random_pieces)
        self.many("broken trees", self.broken_tree)
        self.cut_short()
        self.sizes()
        self.loops()
        self.files()
        self.remembered()
        self.closure.close()
        if self.closure.process.returncode:
            print("not ok the program ends well: "
                  f"{self.closure.process.returncode}")
        shutil.rmtree(self.root, ignore_errors=True)


def main():
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = sys.argv[3] if len(sys.argv) > 3 else "0"
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    sys.stdout.reconfigure(line_buffering=True)
    Odd(program, count, seed).run()


if __name__ == "__main__":
    main()
