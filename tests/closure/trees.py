# SPDX-License-Identifier: MIT
"""Random trees of headers, with a source and options that read them.

make(seed) returns a Tree; the same seed makes the same tree. Every way that a
source can name another file is in some of them: see Writer. Most are valid for
a preprocessor. A tree that has something which must not be cached says so in
`unsafe`.

Texts may have @ROOT@ in them: the absolute path of the directory that the tree is
written to.
"""

import copy
import os
import posixpath
import random

# The directory that stands for the driver's own headers.
DRIVER = "driver"

DIRECTORIES = ["inc", "lib/cl", "other", "sys", "work/sub", "work/kernels",
           "with space", "inc/sub", "a.h", "inc-2"]
NAMES = ["a.h", "b.h", "common.h", "types.h", "inc_vendor.h", "util.cl",
         "x.inc", "defs.hpp", "plain", "m00000.cl", "kernel_1.h", "a.b.h",
         "width4.h", "inc_hash_md5.h", "odd name.h", "dash-ed.h", "UP.HPP",
         "v2.0.h", "kernels.h", "math__.h"]
STANDARDS = ["CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"]


class Option:
    """As written in the options, and as clang is given it."""

    def __init__(self, text, arguments):
        self.text = text
        self.arguments = arguments


class Tree:
    """Paths are relative to the tree's root and never end with a slash."""

    def __init__(self, seed):
        self.seed = seed
        self.files = {}  # path: text
        self.links = {}  # path: target as written
        self.directories = set()  # those that would be empty else
        self.cwd = "work"
        self.source = b""
        self.in_file = False  # clang reads it as a file, else from stdin
        self.standard = "CL1.2"
        self.options = []
        self.names = set()  # as includes name them, as far as known
        self.unsafe = set()  # what must not be cached in it
        self.odd = set()  # what compilers may read differently

    def copy(self):
        return copy.deepcopy(self)

    def option_text(self):
        words = ["-cl-std=" + self.standard]
        return " ".join(words + [option.text for option in self.options])

    def option_arguments(self):
        return [word for option in self.options for word in option.arguments]


class Writer:
    """Makes one tree."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.tree = Tree(seed)
        self.counter = 0
        self.search = []  # (kind, directory) in the order of the options
        self.defines = []  # -D, as (name with parameters, body)
        self.where = {}  # name: directories that have it
        self.order = []  # names; each includes only later ones

    def chance(self, share):
        return self.random.random() < share

    def pick(self, things):
        return self.random.choice(things)

    def number(self):
        self.counter += 1
        return self.counter

    # Layout ---------------------------------------------------------------

    def choose_directories(self):
        tree = self.tree
        count = self.random.randint(1, 5)
        self.directories = self.random.sample(DIRECTORIES, count)
        if self.chance(0.15):
            tree.cwd = self.pick(["work", "work/deep/er", "other"])
        kinds = ["-I"] * 6 + ["-isystem", "-iquote", "-idirafter"]
        for directory in self.directories:
            if self.chance(0.8):
                self.search.append((self.pick(kinds), directory))
        if self.chance(0.2):
            self.search.append((self.pick(kinds), "gone"))
        if self.chance(0.15):
            self.search.append((self.pick(kinds), tree.cwd))
        if self.search and self.chance(0.1):
            self.search.append((self.pick(kinds), self.pick(self.search)[1]))
        self.random.shuffle(self.search)

    def link_directories(self):
        """Some directories are links to others."""
        real = list(self.directories)
        for link in self.directories:
            if link == self.tree.cwd or len(real) < 2 or not self.chance(0.12):
                continue
            target = self.pick([f for f in real if f != link])
            if (link + "/").startswith(target + "/") or (
                    target + "/").startswith(link + "/") or any(
                    (f + "/").startswith(link + "/") for f in self.directories
                    if f != link):
                continue
            real.remove(link)
            if self.chance(0.3):
                text = "@ROOT@/" + target
            else:
                text = posixpath.relpath(target, posixpath.dirname(link))
            self.tree.links[link] = text
        self.real = real

    def choose_names(self):
        count = self.random.randint(2, 8)
        self.order = self.random.sample(NAMES, count)
        for i, name in enumerate(self.order):
            if self.chance(0.2):
                self.order[i] = self.pick(["sub/", "detail/"]) + name
        directories = self.real + [self.tree.cwd] * 2
        if self.chance(0.3):
            directories.append(DRIVER)
        for name in self.order:
            spots = self.random.sample(directories, min(
                len(directories), self.pick([1, 1, 1, 2, 2, 3])))
            self.where[name] = []
            for directory in sorted(set(spots)):
                path = posixpath.join(directory, name)
                if not self.blocked(path):
                    self.tree.files[path] = None
                    self.where[name].append(directory)
        self.order = [n for n in self.order if self.where[n]]

    def blocked(self, path):
        """Something that isn't a directory would be a directory above, or is."""
        while path:
            if path in self.tree.files or path in self.tree.links:
                return True
            path = posixpath.dirname(path)
        return False

    def link_files(self):
        for path in sorted(self.tree.files):
            if not self.chance(0.06):
                continue
            others = [p for p in sorted(self.tree.files)
                      if p != path and p not in self.tree.links]
            if not others:
                continue
            target = self.pick(others)
            # Levels: a link must not lead back to what includes it.
            if self.level(target) < self.level(path):
                continue
            del self.tree.files[path]
            self.tree.links[path] = posixpath.relpath(
                target, posixpath.dirname(path))
        if self.chance(0.05):
            path = posixpath.join(self.pick(self.real), "dangling.h")
            if not self.blocked(path):
                self.tree.links[path] = "dangling_target.h"
                self.tree.names.add("dangling.h")

    def level(self, path):
        for i, name in enumerate(self.order):
            if path == name or path.endswith("/" + name):
                return i
        return -1

    # Names ----------------------------------------------------------------

    def exists(self, path):
        """Is it a file of the tree, through links of directories?"""
        for _ in range(8):
            path = posixpath.normpath(path)
            if path in self.tree.files or path in self.tree.links and \
                    path not in self.directories:
                return True
            for link, target in self.tree.links.items():
                if path.startswith(link + "/"):
                    if target.startswith("@ROOT@/"):
                        target = target[7:]
                    else:
                        target = posixpath.join(posixpath.dirname(link),
                                                target)
                    path = posixpath.join(target, path[len(link) + 1:])
                    break
            else:
                return False
        return False

    def resolves(self, here, name, quoted):
        directories = [f for kind, f in self.search if kind != "-iquote"]
        if quoted:
            directories += [here]
            directories += [f for kind, f in self.search if kind == "-iquote"]
        return any(self.exists(posixpath.join(directory, name))
                   for directory in directories + [DRIVER])

    def reference(self, here, name):
        """A way to write a name that finds a file: (name, quoted)."""
        quoted = self.chance(0.7)
        for way in (quoted, not quoted):
            if self.chance(0.93) and self.resolves(here, name, way):
                return name, way
        directory = self.pick(self.where[name])
        path = posixpath.join(directory, name)
        if path not in self.tree.files:
            return name, True
        bases = [here] + [f for kind, f in self.search
                          if kind != "-iquote" and f not in self.tree.links
                          and f != "gone"]
        if self.chance(0.25):
            return "@ROOT@/" + path, self.chance(0.7)
        # From a linked directory, .. leads elsewhere.
        if here not in self.tree.links and not any(
                link.startswith(here) or here.startswith(link)
                for link in self.tree.links):
            relative = posixpath.relpath(path, here)
            if self.chance(0.1):
                relative = "./" + relative
            elif self.chance(0.05):
                relative = relative.replace("/", "/./", 1)
            return relative, True
        base = self.pick(bases)
        if base in self.directories and not self.tree.links:
            return posixpath.relpath(path, base), base != here
        return "@ROOT@/" + path, True

    # Spelling -------------------------------------------------------------

    def blank(self):
        return self.pick(["", "", "", " ", "\t", "  ", "/**/", " /* a */ ",
                          "\\\n", " \\\n ", "/* b\n*/"])

    def plain_blank(self):
        return self.pick([" "] * 8 + ["\t", "  ", " /* */ ", "/**/",
                                      " \\\n", "\\\n "])

    def spliced(self, word):
        if self.chance(0.03):
            at = self.random.randrange(1, len(word))
            return word[:at] + "\\\n" + word[at:]
        return word

    def hash(self):
        roll = self.random.random()
        if roll < 0.06:
            return "%:"
        if roll < 0.09 and self.tree.standard != "CLC++":
            return "??="
        return "#"

    def directive(self, word, rest):
        if self.chance(0.7):
            return f"#{word} {rest}".rstrip() + "\n"
        front = self.blank() if self.chance(0.4) else ""
        # A splice at the start of a text is legal, but no line before it.
        middle = self.blank() if self.chance(0.5) else ""
        gap = self.plain_blank()
        if rest[:1] in '"<' and self.chance(0.2):
            gap = ""
        tail = self.pick(["", "", "", " ", " // tail", " /* tail */",
                          "/* over\n lines */", "\t"])
        return front + self.hash() + middle + self.spliced(word) + gap + \
            rest + tail + "\n"

    def quote(self, name, quoted):
        return f'"{name}"' if quoted else f"<{name}>"

    def define(self, name, body):
        """A macro for the rest of the text: from it, or from the options."""
        return self.directive("define", f"{name} {body}")

    def define_early(self, name, body):
        """A macro in the options or in the text: lines for the text."""
        if self.chance(0.4) and not set(body + name) & set(' "\'\\@'):
            self.defines.append((name, body))
            return ""
        return self.define(name, body)

    # Computed includes ----------------------------------------------------

    def can_stringify(self, name):
        """Nothing that a macro's argument would change."""
        return not set(name) & set(" @,()'\"\\+") and "//" not in name and \
            "__" not in name

    def computed(self, name, quoted):
        """Lines before, and what stands behind #include."""
        n = self.number()
        if " " in name and self.chance(0.9):
            quoted = True
        operand = self.quote(name, quoted)
        ways = [self.by_object, self.by_chain, self.by_function,
                self.by_empty]
        if self.can_stringify(name):
            ways += [self.by_string, self.by_hashcat, self.by_hashcat,
                     self.by_paste, self.by_element, self.by_variadic,
                     self.by_angle, self.by_suffix]
        return self.pick(ways)(n, name, operand)

    def by_object(self, n, name, operand):
        before = self.define(f"H{n}", operand)
        if self.chance(0.2):
            other = self.quote(self.pick(self.order), True)
            before = self.define(f"H{n}", other) + \
                self.directive("undef", f"H{n}") + before
        return before, f"H{n}"

    def by_chain(self, n, name, operand):
        lines = [self.define_early(f"C{n}_1", f"C{n}_2"),
                 self.define_early(f"C{n}_2", f"C{n}_3"),
                 self.define(f"C{n}_3", operand)]
        self.random.shuffle(lines)
        return "".join(lines), f"C{n}_1"

    def by_function(self, n, name, operand):
        other = self.quote(self.pick(self.order), True)
        return self.define(f"F{n}(x,y)", "x") + \
            self.define(f"G{n}", operand), f"F{n}(G{n}, {other})"

    def by_empty(self, n, name, operand):
        return self.define_early(f"EMPTY{n}", "") + \
            self.define(f"E{n}", f"EMPTY{n} {operand}"), f"E{n} EMPTY{n}"

    def stringify(self, n):
        return self.define_early(f"STR{n}(x)", f"XSTR{n}(x)") + \
            self.define_early(f"XSTR{n}(x)", "#x")

    def by_string(self, n, name, operand):
        gap = self.pick(["", "", " "])
        return self.stringify(n), f"STR{n}({gap}{name}{gap})"

    def by_hashcat(self, n, name, operand):
        """-D INCLUDE_PATH=... and the element in the name."""
        directory, base = posixpath.split(name)
        if not directory or directory.startswith("/"):
            return self.by_string(n, name, operand)
        before = self.stringify(n)
        if self.chance(0.6) and not directory.startswith("@"):
            self.defines.append((f"PATH{n}", directory))
        else:
            before += self.define(f"PATH{n}", directory)
        return before, f"STR{n}(PATH{n}/{base})"

    def by_paste(self, n, name, operand):
        before = self.define_early(f"CAT{n}(a,b)", "a##b")
        before += self.define(f"HDR{n}_one", operand)
        before += self.define(f"HDR{n}_two", '"' + self.pick(self.order) + '"')
        return before, f"CAT{n}(HDR{n}_, one)"

    def by_element(self, n, name, operand):
        """A word of the name is a macro."""
        base = posixpath.basename(name)
        word = base.split(".")[0]
        if not word.isidentifier() or word in ("sub", "detail"):
            return self.by_string(n, name, operand)
        before = self.stringify(n) + self.define_early(f"WORD{n}", word)
        written = name[:len(name) - len(base)] + f"WORD{n}" + base[len(word):]
        return before, f"STR{n}({written})"

    def by_suffix(self, n, name, operand):
        """A number from the options at the end of a word."""
        for digit in "0124":
            at = name.find(digit)
            if at > 0 and name[at - 1].isalpha() or \
                    at > 0 and name[at - 1] == "_":
                break
        else:
            return self.by_string(n, name, operand)
        front, back = name[:at], name[at + 1:]
        if back[:1].isalnum() or back[:1] == "_":
            return self.by_string(n, name, operand)
        word = posixpath.basename(front)
        front = front[:len(front) - len(word)]
        if not word.isidentifier():
            return self.by_string(n, name, operand)
        before = self.stringify(n)
        before += self.define_early(f"JOIN{n}(a,b)", f"XJOIN{n}(a,b)")
        before += self.define_early(f"XJOIN{n}(a,b)", "a##b")
        before += self.define_early(f"SIZE{n}", digit)
        return before, f"STR{n}({front}JOIN{n}({word},SIZE{n}){back})"

    def by_variadic(self, n, name, operand):
        if not self.chance(0.03):
            return self.by_string(n, name, operand)
        return self.define(f"V{n}(...)", f"W{n}(__VA_ARGS__)") + \
            self.define(f"W{n}(...)", "#__VA_ARGS__"), f"V{n}({name})"

    def by_angle(self, n, name, operand):
        if operand.startswith('"'):
            return self.by_string(n, name, operand)
        directory, base = posixpath.split(name)
        if directory and not directory.startswith("@"):
            return self.define_early(f"D{n}", directory) + \
                self.define(f"A{n}", f"<D{n}/{base}>"), f"A{n}"
        return self.define(f"A{n}", operand), f"A{n}"

    # Texts ----------------------------------------------------------------

    def include(self, here, index):
        """Lines that include some name behind `index` in the order."""
        later = self.order[index + 1:]
        if not later:
            return ""
        name, quoted = self.reference(here, self.pick(later))
        self.tree.names.add(name)
        word = "include"
        roll = self.random.random()
        if roll < 0.06:
            word = "import"
        elif roll < 0.1 and self.next_resolves(here, name):
            word = "include_next"
        if self.chance(0.35) and "//" not in name:
            before, operand = self.computed(name, quoted)
        else:
            before, operand = "", self.quote(name, quoted)
        return before + self.directive(word, operand)

    def next_resolves(self, here, name):
        """Roughly: two directories have it, and it is searched from one."""
        found = [f for _, f in self.search
                 if self.exists(posixpath.join(f, name))]
        return len(set(found)) > 1

    def conditional(self, here, index):
        n = self.number()
        inside = self.include(here, index)
        roll = self.random.random()
        if roll < 0.2:
            absent = f"missing_{n}.h"
            self.tree.names.add(absent)
            return "#if 0\n" + self.directive("include", f'"{absent}"') + \
                inside + "#endif\n"
        if roll < 0.5:
            if self.chance(0.5):
                self.defines.append((f"FLAG{n}", self.pick(["", "1", "0"])))
            test = self.pick([f"#ifdef FLAG{n}", f"#if FLAG{n}+0",
                              f"#if defined(FLAG{n}) && FLAG{n}+0 > 0",
                              f"#ifndef FLAG{n}"])
            return f"{test}\n{inside}#else\n{self.include(here, index)}#endif\n"
        return self.has_include(here, index, n)

    def has_include(self, here, index, n):
        if self.chance(0.5) and self.order[index + 1:]:
            name, quoted = self.reference(
                here, self.pick(self.order[index + 1:]))
        else:
            name, quoted = f"maybe_{n}.h", self.chance(0.6)
        self.tree.names.add(name)
        operand = self.quote(name, quoted)
        word = "__has_include"
        if self.chance(0.1):
            word = "__has_include_next"
        before = ""
        written = operand
        # Not followed, but seldom.
        if self.chance(0.004):
            before = self.define(f"Q{n}", operand)
            written = f"Q{n}"
        test = self.pick([f"#if {word}({written})",
                          f"#if {word} ( {written} ) ",
                          f"#if defined({word}) && {word}({written})",
                          f"#ifdef {word}\n#if {word}({written})\n"
                          f"int both_{n};\n#endif\n#endif\n"
                          f"#if {word}({written})"])
        if word == "__has_include" and self.chance(0.5):
            inside = self.directive("include", operand)
        else:
            inside = f"int has_{n};\n"
        return f"{before}{test}\n{inside}#endif\n"

    def repeated(self, here, index):
        """A header more than once, with another macro each time."""
        later = self.order[index + 1:]
        if not later:
            return ""
        name, quoted = self.reference(here, self.pick(later))
        self.tree.names.add(name)
        n = self.number()
        return "".join(
            f"#define ITEM{n}(x) item_{n}_{i}_##x\n" +
            self.directive("include", self.quote(name, quoted)) +
            f"#undef ITEM{n}\n" for i in range(self.random.randint(2, 3)))

    def chosen(self, here, index):
        """One #include that stands for several names in turn."""
        later = self.order[index + 1:]
        if not later:
            return ""
        n = self.number()
        text = ""
        for _ in range(self.random.randint(1, 3)):
            name, quoted = self.reference(here, self.pick(later))
            self.tree.names.add(name)
            quoted = quoted or " " in name
            text += f"#undef TURN{n}\n#define TURN{n} " \
                f"{self.quote(name, quoted)}\n#include TURN{n}\n"
        return text

    def filler(self):
        n = self.number()
        return self.pick([
            f"int filler_{n};\n",
            f"// #include \"never_{n}.h\"\n",
            f"/*\n#include \"never_{n}.h\"\n*/\n",
            f"constant char s_{n}[] = \"\\\n#include <never_{n}.h>\";\n",
            f"__kernel void k_{n}(__global int *p) {{ p[0] = '\\''; }}\n",
            "int line = __LINE__; // caf\u00e9\n",
            f"#define UNUSED_{n}(a, b) a ## b + #a\n",
            f"#pragma unroll {n}\n",
            "\n\n",
            f"#undef NOTHING_{n}\n",
            f"#line {n}\n",
            f"#if 0\n don't #include \"never_{n}.h\n#endif\n",
            f"constant char f_{n}[] = __FILE__;\n",
        ])

    def body(self, here, index, wanted):
        text = ""
        for _ in range(wanted):
            roll = self.random.random()
            if roll < 0.5:
                text += self.include(here, index)
            elif roll < 0.72:
                text += self.conditional(here, index)
            elif roll < 0.78:
                text += self.repeated(here, index)
            elif roll < 0.84:
                text += self.chosen(here, index)
            else:
                text += self.filler()
        return text

    def guard(self, text, index):
        n = self.number()
        roll = self.random.random()
        if roll < 0.35:
            return f"#ifndef GUARD_{n}\n#define GUARD_{n}\n{text}#endif\n"
        if roll < 0.5:
            return f"#pragma once\n{text}"
        if roll < 0.54:
            base = posixpath.basename(self.order[index])
            return f"{text}#ifndef AGAIN_{n}\n#define AGAIN_{n}\n" \
                f"#include \"{base}\"\n#endif\n"
        return text

    def header(self, path):
        index = self.level(path)
        here = posixpath.dirname(path)
        if self.chance(0.04):
            return b""
        text = self.body(here, index, self.pick([0, 1, 1, 2, 2, 3]))
        text = self.guard(f"int marker_{self.number()};\n" + text, index)
        return self.finish_text(text)

    def finish_text(self, text):
        if self.chance(0.08):
            text = text.replace("\n", "\r\n")
        if self.chance(0.1):
            text = text.rstrip("\r\n")
            # A splice at the very end is read differently.
            text = text.rstrip("\\")
        if self.chance(0.0003):
            text = "\ufeff" + text
        return text.encode()

    def write_texts(self):
        tree = self.tree
        # In a fixed order, for the same seed to make the same tree.
        for path in sorted(tree.files, key=lambda p: (self.level(p), p)):
            tree.files[path] = self.header(path)
        tree.source = self.finish_text(
            self.body(tree.cwd, -1, self.random.randint(1, 8)) +
            f"__kernel void main_{self.number()}(void) {{}}\n")

    # Options --------------------------------------------------------------

    def written_directory(self, directory):
        """As an argument: relative to the current directory, or absolute."""
        roll = self.random.random()
        if roll < 0.25:
            text = "@ROOT@/" + directory
        else:
            text = posixpath.relpath(directory, self.tree.cwd)
            if roll < 0.35:
                text = "./" + text
        if self.chance(0.1):
            text += "/"
        return text

    def option(self, word, argument):
        """Joined, apart or quoted."""
        if " " in argument:
            text = self.pick([f'{word} "{argument}"', f'{word}"{argument}"'])
        else:
            text = self.pick([f"{word}{argument}", f"{word} {argument}",
                              f"{word}{argument}", f"{word} {argument}",
                              f'{word} "{argument}"', f'{word}"{argument}"'])
        return Option(text, [word, argument])

    def write_options(self):
        tree = self.tree
        for kind, directory in self.search:
            tree.options.append(self.option(kind, self.written_directory(directory)))
        for name, body in self.defines:
            text = f"{name}={body}"
            if name.startswith("FLAG") and not body and self.chance(0.5):
                text, argument = name, name
            word = self.pick(["-D", "-D "])
            tree.options.append(Option(word + text, ["-D", text]))
        if self.chance(0.12):
            name = self.pick(self.order)
            if self.resolves(tree.cwd, name, True):
                tree.options.append(self.option(
                    self.pick(["-include ", "-include ", "-imacros "]).strip(),
                    name))
                tree.names.add(name)
        for text in ("-cl-mad-enable", "-w", "-cl-fast-relaxed-math",
                     "-DUNUSED=1", "-U UNKNOWN", "-cl-denorms-are-zero"):
            if self.chance(0.08):
                known = [] if "denorms" in text else text.split()
                tree.options.append(Option(text, known))
        if self.chance(0.5):
            self.random.shuffle(tree.options)

    # What must not be cached ----------------------------------------------

    def add_unsafe(self):
        tree = self.tree
        n = self.number()
        what, text = self.pick([
            ("clock", f"constant char d_{n}[] = __DATE__;\n"),
            ("clock", f"constant char d_{n}[] = __TIME__;\n"),
            ("clock", f"constant char d_{n}[] = __TIMESTAMP__;\n"),
            ("clock", f"#define PUT{n}(a,b) a##b\nchar *d = PUT{n}(__TI,ME__);\n"),
            ("embed", "#if 0\n#embed \"data.bin\"\n#endif\n"),
            ("assembly", "void f(void) { asm(\".include \\\"x.s\\\"\"); }\n"),
            ("assembly", "void f(void) { __asm__(\".incbin \\\"x.s\\\"\"); }\n"),
            ("predefined", f"#define P{n}(x) Q{n}(x)\n#define Q{n}(x) #x\n"
             f"#include P{n}(v/__OPENCL_VERSION__.h)\n"),
            ("predefined", f"#define P{n}(x) Q{n}(x)\n#define Q{n}(x) #x\n"
             f"#include P{n}(linux/unix.h)\n"),
            ("predefined", f"#ifndef SELF{n}\n#define SELF{n}\n"
             f"#include __FILE__\n#endif\n"),
            ("pragma", "#pragma GCC dependency \"a.h\"\n"),
            ("pragma", "_Pragma(\"GCC dependency \\\"a.h\\\"\")\n"),
            ("option", "-foo=/some/where"),
            ("option", "@options.txt"),
            ("option", "--embed-dir=../data"),
            ("option", "-iprefix ../inc"),
        ])
        tree.unsafe.add(what)
        if what == "option":
            tree.options.append(Option(text, []))
        elif what == "predefined":
            if "FILE" in text:
                tree.in_file = True
            else:
                version = tree.standard.replace(".", "")[2:] + "0"
                for name in ("linux/unix.h", f"v/{version}.h",
                             "v/__OPENCL_VERSION__.h"):
                    path = posixpath.join(tree.cwd, name)
                    if not self.blocked(path):
                        tree.files[path] = b"int u;\n"
            tree.source += b"\n" + text.encode()
        else:
            tree.source += b"\n" + text.encode()

    def add_odd(self):
        n = self.number()
        what, text = self.pick([
            ("blank", f"#define ODD{n} 1 \\ \n\n"),
            ("return", f"int odd_{n};\r int more;\n"),
            ("error", f"#if 0\n#error it's /* odd\n#endif\n"),
            ("letters", f"int \u00e4_{n};\n"),
        ])
        self.tree.odd.add(what)
        self.tree.source += b"\n" + text.encode()

    def make(self):
        tree = self.tree
        tree.standard = "CLC++" if self.chance(0.03) else self.pick(STANDARDS)
        tree.in_file = self.chance(0.5)
        self.choose_directories()
        self.link_directories()
        self.choose_names()
        while not self.order:
            self.choose_names()
        self.link_files()
        self.write_texts()
        self.write_options()
        if self.chance(0.08):
            self.add_unsafe()
        if self.chance(0.006):
            self.add_odd()
        for directory in self.real + [tree.cwd, DRIVER]:
            tree.directories.add(directory)
        if self.chance(0.1):
            path = posixpath.join(self.pick(self.real), self.pick(self.order))
            if not self.blocked(path) and path not in tree.directories:
                tree.directories.add(path)
        return tree


def make(seed):
    return Writer(seed).make()
