#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random trees of headers: is the include closure what clang reads?

    generate.py [--count N] [--seed TEXT] [--tree N] [--jobs N] [--keep DIR]
                [--closure PROGRAM] [--break MODE] [--no-shrink] [--strict]

trees.py makes the trees. clang-15 in OpenCL mode, as PoCL and rusticl use it,
says what it reads; tests/closure/closure says what the key covers. For every
tree that is cacheable:

superset    every file that clang lists is in the closure
looked      every place where clang looked for a file and found none is keyed
            as absent (this needs tests/closure/reads.so)
edit        other bytes in a file that clang reads: another key; also when the
            file's size and time of change are put back (kept)
delete      a file that clang reads goes: another key
win         a file is made where there was none: when the key stays the same,
            so does what clang reads and says
rewire      a link becomes a copy of what it leads to: likewise; but for
            names in messages (a directory with several names), of one in 1000
touch       another time, or the same bytes again: the same key
unrelated   files come and change that nothing names: the same key
restore     all as at first: the first key
refused     of the trees without anything that must not be cached at least 95
            in 100 are cacheable; of the others (the clock, #embed, assembly
            that includes, predefined macros in names, ...) none is

Failures are made smaller and printed whole. --break spoils the answers in one
way (see Spoiled), to show that the tests find it. With --strict each tree that
is refused without a good reason is a failure, too. Exit status 0: all is well.
"""

import argparse
import collections
import hashlib
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import trees  # noqa: E402

CLANG = "/usr/lib/llvm-15/bin/clang"
SHARE = 0.95
FAILURES_SHOWN = int(os.environ.get("OCLCACHE_TEST_FAILURES", 3))
SHRINK_SECONDS = 60
# Files that may be made in one tree, to see whether one wins.
SPOTS = 12
# Of how many trees clang says what it makes of files that change no key: they
# are in places where it doesn't look (see "looked"), as a rule.
SILENT_SHARE = 0.35


class Failure(Exception):
    def __init__(self, kind, what):
        super().__init__(f"{kind}: {what}")
        self.kind = kind
        self.what = what


# The two that are compared ----------------------------------------------------

class Closure:
    """The program under test, one process for many trees."""

    def __init__(self, program, root):
        self.process = subprocess.Popen(
            [program, "--driver", "pocl", "--directory",
             os.path.join(root, trees.DRIVER)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, cwd, source, options):
        fields = (f.replace("\\", "\\\\").replace("\t", "\\t")
                  .replace("\n", "\\n") for f in (cwd, source, options))
        try:
            self.process.stdin.write("\t".join(fields).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            raise Failure("crash", "the closure program ended: status "
                          f"{self.process.wait()}")
        answer = json.loads(line)
        for name in ("files", "present", "absent"):
            answer[name] = [p.encode("latin-1").decode("utf-8", "replace")
                            for p in answer[name]]
        answer["cached"] = answer["reason"] is None and \
            answer["unsafe"] is None
        answer["key"] = answer["hash"] if answer["cached"] else None
        return answer

    def start_tree(self):
        pass

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Spoiled(Closure):
    """One that is wrong, in the way that its mode says.

    drop        forgets one file
    narrow      keys only the files that are found at first, and no absence
    times       believes sizes and times of change
    all         keys every file that there is
    refuse      caches too little
    clock       caches what has the clock in it
    unlooked    forgets one absent path
    """

    def __init__(self, program, root, mode):
        super().__init__(program, root)
        self.mode = mode
        self.root = root
        self.first = None
        self.count = 0

    def start_tree(self):
        self.first = None
        self.count += 1

    def ask(self, cwd, source, options):
        answer = super().ask(cwd, source, options)
        if self.mode == "clock" and "__DATE__" in (answer["reason"] or ""):
            answer["cached"] = True
            answer["key"] = "same"
        if not answer["cached"]:
            return answer
        if self.mode == "drop":
            answer["files"] = answer["files"][:-1]
        elif self.mode == "unlooked":
            answer["absent"] = answer["absent"][1:]
        elif self.mode == "narrow":
            self.first = self.first or answer["files"] + answer["present"]
            answer["key"] = self.digest(cwd, self.first, options)
        elif self.mode == "times":
            answer["key"] = self.digest(cwd, answer["files"], options, True)
        elif self.mode == "all":
            answer["key"] = self.digest(cwd, [
                os.path.join(directory, name)
                for directory, _, names in sorted(os.walk(self.root))
                for name in sorted(names)], options)
        elif self.mode == "refuse" and self.count % 8 == 0:
            answer["cached"] = False
            answer["reason"] = "refused for the test"
            answer["key"] = None
        return answer

    @staticmethod
    def digest(cwd, files, options, times=False):
        digest = hashlib.md5(options.encode())
        for path in files:
            path = os.path.join(cwd, path)
            digest.update(path.encode() + b"\0")
            if not os.path.isfile(path):
                digest.update(b"none")
            elif times:
                status = os.stat(path)
                digest.update(b"%d %d" % (status.st_size,
                                          status.st_mtime_ns))
            else:
                with open(path, "rb") as file:
                    digest.update(file.read())
        return digest.hexdigest()


class Read:
    """What clang read of a tree."""

    def __init__(self):
        self.listed = []  # by -M
        self.included = []  # by -H
        self.absent = []  # where it looked
        self.text = b""
        self.error = None  # None, "missing" or another's text


def parse_rule(text):
    """The names behind "x:" in a rule of a makefile."""
    text = text.replace("\\\n", " ")
    words = re.findall(r"(?:\\.|\$\$|[^\s\\])+", text)
    return [re.sub(r"\\(.)", r"\1", word).replace("$$", "$")
            for word in words if word != "x:"]


class Clang:
    def __init__(self, root, scratch, shim):
        self.root = root
        self.rule = os.path.join(scratch, "rule")
        self.looks = os.path.join(scratch, "looks")
        self.environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        self.shim = shim
        if shim:
            self.environment["LD_PRELOAD"] = shim
            self.environment["OCC_TEST_READS"] = self.looks

    def command(self, tree):
        words = [CLANG, "-cc1", "-E", "-x", "cl", "-cl-std=" + tree.standard,
                 "-MT", "x", "-dependency-file", self.rule, "-sys-header-deps",
                 "-H", "-w"]
        words += [word.replace("@ROOT@", self.root)
                  for word in tree.option_arguments()]
        words += ["-internal-isystem", os.path.join(self.root, trees.DRIVER),
                  "main.cl" if tree.in_file else "-"]
        return words

    def read(self, tree):
        for path in (self.rule, self.looks):
            if os.path.exists(path):
                os.unlink(path)
        source = tree.source.replace(b"@ROOT@", self.root.encode())
        process = subprocess.run(
            self.command(tree), input=b"" if tree.in_file else source,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
            cwd=os.path.join(self.root, tree.cwd), env=self.environment,
            check=False)
        read = Read()
        read.text = process.stdout
        said = process.stderr.decode("utf-8", "replace")
        read.included = re.findall(r"^\.+ (.*)$", said, re.M)
        if os.path.exists(self.rule):
            with open(self.rule, encoding="utf-8") as file:
                read.listed = parse_rule(file.read())
        if tree.in_file and "main.cl" in read.listed:
            read.listed.remove("main.cl")
        if process.returncode:
            errors = re.findall(r"error: (.*)", said)
            read.error = errors[0] if errors else said or "no message"
            # When clang guesses what was meant it reads that, to find more
            # errors; nothing comes of such a compilation.
            if (re.search(r"'.*' file not found", read.error)
                    and "did you mean" not in said):
                read.error = "missing"
        if self.shim and os.path.exists(self.looks):
            with open(self.looks, encoding="utf-8", errors="replace") as file:
                read.absent = [line for line in file.read().split("\0")
                               if line not in ("", "<stdin>")]
        return read


# Trees on disk ---------------------------------------------------------------

class Disk:
    """One tree, written below `root`, and what is done to it."""

    def __init__(self, root):
        self.root = root

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, tree):
        shutil.rmtree(self.root, ignore_errors=True)
        for directory in sorted(tree.directories | {trees.DRIVER, tree.cwd}):
            os.makedirs(self.path(directory), exist_ok=True)
        for name, text in tree.files.items():
            self.write_file(name, text)
        for name, target in tree.links.items():
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            os.symlink(target.replace("@ROOT@", self.root), self.path(name))
        self.write_file(self.source(tree), tree.source)

    @staticmethod
    def source(tree):
        # Where nothing searches, when clang gets it from a pipe.
        if tree.in_file:
            return os.path.join(tree.cwd, "main.cl")
        return "source text"

    def write_file(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text.replace(b"@ROOT@", self.root.encode()))

    def read_file(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()


def changed_byte(text):
    """Other text of the same size."""
    return text[:-1] + bytes([text[-1] ^ 1])


def without_markers(text):
    """What is compiled; __FILE__ is replaced by then."""
    return re.sub(rb'(?m)^# \d+ ".*$', b"", text)


class Checker:
    """All checks of one tree. `only` runs those of one kind."""

    strict = False  # every tree without anything unsafe must be cacheable

    def __init__(self, disk, closure, clang, only=None):
        self.disk = disk
        self.closure = closure
        self.clang = clang
        self.only = only
        # How often only what messages call a file differed: one of the names
        # of its directory, of which clang takes the one that it met first.
        self.named = 0

    def wants(self, *kinds):
        return self.only is None or self.only in kinds

    def ask(self):
        return self.closure.ask(
            os.path.join(self.disk.root, self.tree.cwd),
            self.disk.path(self.disk.source(self.tree)),
            self.tree.option_text().replace("@ROOT@", self.disk.root))

    def key(self):
        return self.ask()["key"]

    def real(self, path):
        return os.path.realpath(os.path.join(self.disk.root, self.tree.cwd,
                                             path))

    def clean(self, path):
        """The place, whether or not a file is there."""
        path = os.path.join(self.disk.root, self.tree.cwd, path.rstrip("/"))
        return os.path.join(os.path.realpath(os.path.dirname(path)),
                            os.path.basename(path))

    def check(self, tree):
        """Returns what was found: a word, and a reason."""
        self.tree = tree
        self.random = random.Random(f"{tree.seed} mutations")
        self.closure.start_tree()
        self.disk.write(tree)
        self.first = self.ask()
        self.read = self.clang.read(tree)
        if self.read.error not in (None, "missing"):
            return "error", self.read.error
        if not self.first["cached"]:
            reason = self.first["reason"] or "option " + self.first["unsafe"]
            if self.strict and not tree.unsafe and not self.read.error:
                raise Failure("share", reason)
            return "refused", reason
        self.check_refused()
        self.check_superset()
        if self.read.error:
            return "missing", None
        self.check_looked()
        if self.only == "share":
            return "cached", None
        self.check_edits()
        self.check_touch()
        self.check_unrelated()
        self.check_rewire()
        self.check_win()
        return "cached", None

    def check_refused(self):
        if self.tree.unsafe and self.wants("refused"):
            raise Failure("refused", "cached in spite of " +
                          ", ".join(sorted(self.tree.unsafe)))

    def check_superset(self):
        files = {self.real(p) for p in self.first["files"]}
        present = {self.real(p) for p in self.first["present"]}
        if not self.wants("superset"):
            return
        for path in self.read.included:
            if self.real(path) not in files and \
                    self.real(path) != self.real("main.cl"):
                raise Failure("superset", f"clang includes {path}")
        for path in self.read.listed:
            if self.real(path) not in files | present:
                raise Failure("superset", f"clang lists {path}")

    def check_looked(self):
        if not self.wants("looked"):
            return
        absent = {self.clean(p) for p in self.first["absent"]}
        keyed = absent | {self.clean(p) for name in ("files", "present")
                          for p in self.first[name]}
        # Nothing is looked for in a directory that isn't there.
        above = {path[:m.start()] for path in keyed
                 for m in re.finditer("/", path)}
        above |= {self.clean(word.replace("@ROOT@", self.disk.root))
                  for word in self.tree.option_arguments()}
        for path in self.read.absent:
            clean = self.clean(path)
            if not clean.startswith(self.disk.root + "/"):
                continue
            if clean not in absent and clean not in above:
                raise Failure("looked", f"clang looked for {path}, which is "
                              "not keyed as absent")

    # Changes ---------------------------------------------------------------

    def expect_other(self, kind, what):
        if self.key() == self.first["key"]:
            raise Failure(kind, f"the same key after: {what}")

    def expect_same(self, kind, what):
        answer = self.ask()
        if answer["key"] != self.first["key"]:
            raise Failure(kind, f"another key after: {what}" + (
                f" ({answer['reason']})" if answer["reason"] else ""))

    def read_names(self):
        """Files that clang read, without links, below the root."""
        names = {}
        contents = {self.real(p) for p in self.first["files"]}
        for path in self.read.listed:
            real = self.real(path)
            if real.startswith(self.disk.root + "/"):
                name = real[len(self.disk.root) + 1:]
                names[name] = real in contents
        names.pop(self.disk.source(self.tree), None)
        return names

    def check_edit(self, name):
        path = self.disk.path(name)
        text = self.disk.read_file(name)
        status = os.stat(path)
        times = status.st_atime_ns, status.st_mtime_ns
        if text and self.wants("kept"):
            with open(path, "r+b") as file:
                file.write(changed_byte(text))
            os.utime(path, ns=times)
            self.expect_other("kept", f"edit of {name}, its size and time of "
                              "change put back")
        if self.wants("edit"):
            with open(path, "wb") as file:
                file.write(text + b"// edit\n")
            self.expect_other("edit", f"edit of {name}")
        with open(path, "wb") as file:
            file.write(text)
        os.utime(path, ns=times)

    def check_edits(self):
        if not self.wants("edit", "kept", "delete", "restore"):
            return
        names = sorted(self.read_names().items())
        for name, contents in names:
            # Of some files only the presence counts.
            if contents:
                self.check_edit(name)
            if self.wants("delete"):
                path = self.disk.path(name)
                os.rename(path, path + ".away")
                self.expect_other("delete", f"deleting {name}")
                os.rename(path + ".away", path)
        if names and self.wants("restore"):
            self.expect_same("restore", "all as at first")

    def check_touch(self):
        names = sorted(self.read_names())
        if not names or not self.wants("touch"):
            return
        for name in self.random.sample(names, min(2, len(names))):
            self.disk.write_file(name, self.disk.read_file(name))
            os.utime(self.disk.path(name), (1, self.random.randrange(10**9)))
        self.expect_same("touch", f"touching {', '.join(names)}")

    def check_unrelated(self):
        if not self.wants("unrelated"):
            return
        made = []
        for directory in sorted(self.tree.directories):
            if not os.path.isdir(self.disk.path(directory)):
                continue
            name = os.path.join(directory, "unrelated.h")
            self.disk.write_file(name, b"int unrelated;\n")
            made.append(name)
        self.expect_same("unrelated", "making " + ", ".join(made))
        for name in made:
            self.disk.write_file(name, b"int other;\n")
        self.expect_same("unrelated", "editing " + ", ".join(made))
        for name in made:
            os.unlink(self.disk.path(name))

    def compare_reads(self, kind, what):
        """The key is the same: so must be what clang makes of it."""
        again = self.clang.read(self.tree)
        if again.error:
            raise Failure(kind, f"the same key, clang fails after: {what}")
        # Its line markers name every file that was read. What clang lists
        # besides depends on the name by which __has_include found a file.
        if again.text == self.read.text:
            return
        if without_markers(again.text) != without_markers(self.read.text):
            raise Failure(kind, "the same key, the preprocessed text "
                          f"differs: {what}")
        self.named += 1

    def check_rewire(self):
        if not self.tree.links or not self.wants("rewire"):
            return
        links = sorted(self.tree.links)
        for link in links if self.only else [self.random.choice(links)]:
            path = self.disk.path(link)
            target = os.readlink(path)
            if not os.path.exists(path):
                continue
            copied = path + ".copy"
            if os.path.isdir(path):
                shutil.copytree(path, copied, symlinks=True)
            else:
                shutil.copy(path, copied)
            os.unlink(path)
            os.rename(copied, path)
            if self.key() == self.first["key"]:
                self.compare_reads("rewire", f"{link} is a copy, no link")
            if os.path.isdir(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
            os.symlink(target, path)
        self.expect_same("restore", "links as at first")

    def spots(self):
        """Where a file could be made that some include names."""
        tree = self.tree
        directories = set(tree.directories) | {"gone", trees.DRIVER, tree.cwd}
        directories |= {os.path.dirname(p) for p in tree.files}
        spots = set()
        for name in tree.names:
            name = name.replace("@ROOT@", self.disk.root)
            for directory in directories:
                path = os.path.normpath(self.disk.path(
                    os.path.join(directory, name)))
                if path.startswith(self.disk.root + "/"):
                    spots.add(path)
        for link, target in tree.links.items():
            path = os.path.normpath(self.disk.path(os.path.join(
                os.path.dirname(link),
                target.replace("@ROOT@", self.disk.root))))
            if path.startswith(self.disk.root + "/"):
                spots.add(path)
        return sorted(path for path in spots if not os.path.isfile(path))

    def make_spot(self, path):
        """Makes a file there; returns how to undo it, or None."""
        undo = []
        try:
            if os.path.isdir(path):
                os.rmdir(path)
                undo.append((os.mkdir, path))
            directory = os.path.dirname(path)
            missing = []
            while not os.path.exists(directory):
                missing.append(directory)
                directory = os.path.dirname(directory)
            for directory in reversed(missing):
                os.mkdir(directory)
                undo.append((os.rmdir, directory))
            with open(path, "xb") as file:
                file.write(b"int winner;\n")
            undo.append((os.unlink, path))
        except OSError:
            self.undo(undo)
            return None
        return undo

    @staticmethod
    def undo(steps):
        for function, path in reversed(steps):
            function(path)

    def check_win(self):
        """Those that change nothing for the key are made all at once, too."""
        if not self.wants("win"):
            return
        spots = self.spots()
        if not self.only and len(spots) > SPOTS:
            spots = self.random.sample(spots, SPOTS)
        silent = []
        for path in spots:
            steps = self.make_spot(path)
            if steps is None:
                continue
            if self.key() == self.first["key"]:
                silent.append(path)
                if self.only:
                    self.compare_reads("win", f"making {path}")
            self.undo(steps)
        if silent and (self.only or self.random.random() < SILENT_SHARE):
            steps = []
            for path in silent:
                steps += self.make_spot(path) or []
            if self.key() == self.first["key"]:
                self.compare_reads("win", "making " + ", ".join(silent))
            self.undo(steps)
        self.expect_same("restore", "what was made is gone")


# Making failures smaller -----------------------------------------------------

class Shrinker:
    def __init__(self, checker_of, kind):
        self.checker_of = checker_of
        self.kind = kind
        self.end = time.monotonic() + SHRINK_SECONDS

    def fails(self, tree):
        if time.monotonic() > self.end:
            return None
        checker = self.checker_of(self.kind)
        try:
            checker.check(tree)
        except Failure as failure:
            return failure if failure.kind == self.kind else None
        except OSError:
            return None
        return None

    def smaller(self, tree):
        """Trees with something less, the most first."""
        for name in sorted(tree.links):
            less = tree.copy()
            del less.links[name]
            yield less
        for name in sorted(tree.files):
            less = tree.copy()
            del less.files[name]
            yield less
        for i in range(len(tree.options)):
            less = tree.copy()
            del less.options[i]
            yield less
        for name in sorted(tree.directories - {tree.cwd}):
            less = tree.copy()
            less.directories.discard(name)
            yield less
        yield from self.smaller_texts(tree)

    @staticmethod
    def smaller_texts(tree):
        for name in [None] + sorted(tree.files):
            text = tree.source if name is None else tree.files[name]
            lines = text.splitlines(keepends=True)
            size = max(1, len(lines) // 2)
            while lines:
                for at in range(0, len(lines), size):
                    less = tree.copy()
                    left = b"".join(lines[:at] + lines[at + size:])
                    if name is None:
                        less.source = left
                    else:
                        less.files[name] = left
                    yield less
                if size == 1:
                    break
                size //= 2

    def shrink(self, tree, failure):
        found = True
        while found:
            found = False
            for less in self.smaller(tree):
                smaller = self.fails(less)
                if smaller:
                    tree, failure, found = less, smaller, True
                    break
        return tree, failure


def show(tree, checker, failure, replay):
    """The whole case, for people."""
    lines = [f"FAILED {failure}", f"  replay: {replay}",
             f"  in: {tree.cwd}", f"  options: {tree.option_text()}",
             "  clang: " + " ".join(checker.clang.command(tree))]
    texts = {"(source)": tree.source, **tree.files}
    for name, text in texts.items():
        lines.append(f"  --- {name}")
        lines += ["    " + repr(line)[2:-1]
                  for line in text.splitlines(keepends=True)]
    for name, target in sorted(tree.links.items()):
        lines.append(f"  --- {name} -> {target}")
    lines.append("  directories: " + ", ".join(sorted(tree.directories)))
    try:
        checker.disk.write(tree)
        checker.tree = tree
        answer = checker.ask()
        for name in ("reason", "unsafe", "files", "present", "absent"):
            lines.append(f"  closure, {name}: {answer[name]}")
        read = checker.clang.read(tree)
        lines.append(f"  clang lists {read.listed}, includes {read.included}")
    except (Failure, OSError) as problem:
        lines.append(f"  {problem}")
    return "\n".join(lines)


# Many trees ------------------------------------------------------------------

class Worker:
    def __init__(self, arguments, number):
        self.arguments = arguments
        self.number = number
        # Absolute names have it: no word in it may be a macro.
        self.scratch = os.path.join(tempfile.gettempdir(),
                                    f"oclcache-trees-{os.getpid()}-{number}")
        os.mkdir(self.scratch, 0o700)
        self.root = os.path.join(os.path.realpath(self.scratch), "tree")
        self.counts = collections.Counter()
        self.reasons = collections.Counter()
        self.microseconds = []
        self.closure = None

    def open_closure(self):
        if self.closure:
            self.closure.close()
        if self.arguments.spoil:
            self.closure = Spoiled(self.arguments.closure, self.root,
                                   self.arguments.spoil)
        else:
            self.closure = Closure(self.arguments.closure, self.root)

    def checker(self, kind=None):
        if self.closure is None or self.closure.process.poll() is not None \
                or kind == "crash":
            self.open_closure()
        return Checker(Disk(self.root), self.closure,
                       Clang(self.root, self.scratch, self.arguments.shim),
                       None if kind == "crash" else kind)

    def replay(self, index):
        return f"tests/closure/generate.py --seed {self.arguments.seed} " \
            f"--tree {index}"

    def one(self, index):
        """Checks one tree; returns the failure's description or None."""
        tree = trees.make(f"{self.arguments.seed}/{index}")
        checker = self.checker()
        try:
            word, reason = checker.check(tree)
        except Failure as failure:
            return self.describe(tree, failure, index)
        except OSError as problem:
            return f"FAILED {problem}\n  replay: {self.replay(index)}"
        self.microseconds.append(checker.first["us"])
        self.count(tree, word, reason)
        if checker.named:
            self.counts["named"] += 1
            self.reasons["other names: " + self.replay(index)] += 1
        return None

    def describe(self, tree, failure, index):
        if self.arguments.keep:
            shutil.copytree(self.root, os.path.join(
                self.arguments.keep, f"tree-{index}"), symlinks=True,
                dirs_exist_ok=True)
        if not self.arguments.no_shrink:
            shrinker = Shrinker(self.checker, failure.kind)
            tree, failure = shrinker.shrink(tree, failure)
        return show(tree, self.checker(), failure, self.replay(index))

    def count(self, tree, word, reason):
        self.counts[word] += 1
        if word == "error":
            self.reasons["clang: " + reason[:60]] += 1
            return
        unsafe = ", ".join(sorted(tree.unsafe))
        if tree.unsafe:
            self.counts["unsafe"] += 1
            if word == "refused":
                self.counts["unsafe refused"] += 1
            self.reasons[f"{word} with {unsafe}: {reason}"] += 1
        else:
            self.counts["safe"] += 1
            if word == "refused":
                self.counts["safe refused"] += 1
                self.reasons["refused: " + reason] += 1

    def run(self, queue, indices, stop):
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        try:
            for index in indices:
                if stop.value >= FAILURES_SHOWN:
                    break
                failed = self.one(index)
                if failed:
                    stop.value += 1
                    queue.put(("failure", failed))
            if self.closure:
                self.closure.close()
            queue.put(("counts", self.counts, self.reasons,
                       self.microseconds))
        except BaseException as problem:
            queue.put(("failure", f"FAILED in the test: {problem!r}"))
            queue.put(("counts", self.counts, self.reasons, []))
            raise
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--tree", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep")
    parser.add_argument("--closure", default="build/tests/closure/closure")
    parser.add_argument("--shim", default="build/tests/closure/reads.so")
    parser.add_argument("--break", dest="spoil")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--strict", action="store_true")
    arguments = parser.parse_args()
    Checker.strict = arguments.strict
    arguments.closure = os.path.abspath(arguments.closure)
    arguments.shim = os.path.abspath(arguments.shim)
    if not os.path.exists(arguments.shim):
        arguments.shim = None
    if arguments.keep:
        arguments.keep = os.path.abspath(arguments.keep)
    return arguments


def run_all(arguments, indices):
    queue = multiprocessing.Queue()
    stop = multiprocessing.Value("i", 0)
    jobs = max(1, min(arguments.jobs, len(indices)))
    processes = [multiprocessing.Process(
        target=Worker(arguments, i).run, args=(queue, indices[i::jobs], stop))
        for i in range(jobs)]
    for process in processes:
        process.start()
    counts, reasons = collections.Counter(), collections.Counter()
    microseconds, failures, running = [], 0, jobs
    while running:
        message = queue.get()
        if message[0] == "failure":
            failures += 1
            print(message[1], flush=True)
        else:
            running -= 1
            counts += message[1]
            reasons += message[2]
            microseconds += message[3]
    for process in processes:
        process.join()
    return counts, reasons, microseconds, failures


def main():
    arguments = read_arguments()
    start = time.monotonic()
    if arguments.tree is None:
        indices = list(range(arguments.count))
    else:
        indices = [arguments.tree]
    counts, reasons, microseconds, failures = run_all(arguments, indices)
    safe = counts["safe"]
    cached = safe - counts["safe refused"]
    print(f"seed {arguments.seed}: {counts['cached']} trees cached and checked,"
          f" {counts['missing']} with a missing include, "
          f"{counts['refused']} refused, {counts['error']} that clang can't "
          f"preprocess, {failures} failures")
    print(f"without anything unsafe: {cached} of {safe} cacheable"
          f" ({100 * cached / safe if safe else 0:.2f} %); with: "
          f"{counts['unsafe refused']} of {counts['unsafe']} refused")
    print(f"{counts['named']} in which only what messages call a file differed")
    for reason, count in reasons.most_common():
        print(f"  {count:6} {reason}")
    if microseconds:
        microseconds.sort()
        print(f"closure and key: median "
              f"{microseconds[len(microseconds) // 2]:.0f} us, longest "
              f"{microseconds[-1]:.0f} us; all in "
              f"{time.monotonic() - start:.0f} s")
    if arguments.tree is None and safe and cached < SHARE * safe:
        print(f"FAILED share: less than {100 * SHARE:.0f} % cacheable")
        failures += 1
    if arguments.tree is None and (
            counts["named"] > max(1, 0.001 * len(indices))):
        print("FAILED names: too many trees whose files have other names")
        failures += 1
    if arguments.tree is None and (
            counts["error"] + counts["missing"] > 0.1 * len(indices)):
        print("FAILED valid: too many trees that clang can't preprocess")
        failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
