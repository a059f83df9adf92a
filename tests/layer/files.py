#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the files that a driver looks at in builds with those of the layer.

    files.py DRIVER LAYER PROGRAM BARE WARM

BARE and WARM are traces of PROGRAM (tests/layer/moments.c) by

    strace -f -k -y -s 4096 -e trace=%file,getdents64

the first without the layer; the second with it, where each build is a hit and
the layer has to look at everything anew. PROGRAM marks where builds, launches
and the like begin and end.

Of every path that the driver, or a process that it starts, asks for between two
marks, one of these must be true:

- the layer looks at it between the same marks, or outside of all (what the
  driver consists of), and reads it if the driver does;
- it is a directory, only asked for, in which the layer looks for files;
- it is in the list below, with the reason why it does no harm.

Prints "ok" or "not ok" of each part, and what the paths were.
"""
import os
import re
import shutil
import sys

# What each driver asks for besides. Of a tuple: the driver ("" for any), how it
# asks ("r" for also reading it, "w" for also writing, "" for neither), the path,
# and why that does no harm. {cache}, {here}: directories of the test; {cuda}: where
# CUDA is, by the first ptxas of PATH.
HARMLESS = [
    ("", "r", r"/proc/.*", "of the process, or of the machine"),
    ("", "r", r"/sys/.*", "of the machine: the key has what the device says"),
    ("", "rw", r"/dev/(null|shm/.*|urandom)", "no file of anybody's"),
    ("", "", r"{here}/input\.cl", "the source, which is no file"),
    ("intel", "", r"{here}/modules\.idx",
     "an index of modules, which OpenCL hasn't: garbage in it changes nothing"),
    ("oclgrind", "", r"/remapped/[\w.-]+",
     "the driver's own headers, and those that it is given, are no files"),
    ("neo", "rw", r"{here}/cl_cache(/[0-9a-f]{16}\.cl_cache)?",
     "the driver's own cache of what it made"),
    # But not headers in it, which a source may include.
    ("pocl", "rw", r"{cache}/[A-Z]{2}(/.*)?", "PoCL's own cache of what it made"),
    ("pocl", "rw", r"{cache}/temp(file|dir)_.*", "its temporary files"),
    # Clang, of which the driver wants to know how ld is called here.
    ("pocl", "r", r"/etc/(os-release|[a-z]+[-_](release|version))",
     "the distribution, for options of ld that say nothing of code"),
    ("pocl", "r", r"/(opt|opt/rh|opt/rocm|etc/env\.d/gcc)",
     "other compilers, which aren't used"),
    ("pocl", "r", r"/usr/local(/cuda[-\d.]*(/.*)?)?", "CUDA's, likewise"),
    ("pocl", "", r".*/ptxas", "CUDA's, likewise"),
    ("pocl", "r", r"{cuda}(/(bin|include(/cuda\.h)?|lib(64)?|nvvm(/libdevice.*)?|"
     r"version\.(json|txt)))?", "what is beside CUDA's compiler, likewise"),
    ("pocl", "", r"/usr/lib/llvm-[\d.]+(/.*)?", "the directories that clang has"),
    ("pocl", "", r"(/usr)?/lib(32|64|x32)?(/gcc(-cross)?)?",
     "which gcc there is: all have their part in the key"),
    ("pocl", "", r"/usr/lib/gcc/[-\w]+/\d+(/(32|64|x32|sparcv8plus))?/crtbegin\.o",
     "likewise"),
    ("pocl", "", r"/usr/[-\w]+-linux-gnu\w*/lib(64)?",
     "directories that ld may look for libraries in"),
    # What ld is told to link with. Of archives it takes what is called, which is
    # in libgcc.a; of the others the names of symbols.
    ("pocl", "", r"{here}/(-l\w+|libgcc_s\.so\.1)", "no files: options"),
    ("pocl", "r", r"(/usr)?/lib.*/lib(c|m|mvec|gcc|gcc_s)\.(so|a)[.\d]*",
     "the C library's and gcc's, which the process has loaded"),
    ("pocl", "r", r"(/usr)?/lib.*/(libc_nonshared\.a|ld-linux[-\w]*\.so\.2)",
     "likewise"),
    ("pocl", "r", r"(/usr)?/lib.*/libpocl\.so[.\d]*", "the driver itself"),
    ("pocl", "r", r"/etc/ld\.so\.(cache|preload)", "the dynamic linker's"),
    ("pocl", "r", r"(/usr)?/lib/.*/lib(ctf|jansson|sframe|z|zstd)[-\w]*\.so.*",
     "libraries of ld that have no part in code"),
]

# The part in which the layer looks at what the driver consists of: the first
# build, of a source that includes nothing.
DRIVER = "driver"

# In these it surely reads headers.
READING = {"call", "linked"}

FRAME = re.compile(r"^ > (\S+?)(?:\(| \[)")
# Whoever calls them asks.
BETWEEN = re.compile(r"/(libc|ld-linux[^/]*|libstdc\+\+|libc\+\+|libdl|libpthread)"
                     r"[-.0-9]*\.so[^/]*$")
CALL = re.compile(r"^(\w+)\((.*)\) += (-?\d+)")
RESUMED = re.compile(r"^<\.\.\. \w+ resumed>")
PATH = re.compile(r'(?:(\d+|AT_FDCWD)<((?:[^<>]|->)*)>, )?"((?:[^"\\]|\\.)*)"')
DIRECTORY = re.compile(r"^\d+<([^<>]*)>")
WRITING = re.compile(r"O_(WRONLY|RDWR|CREAT)")
READERS = {"open", "openat", "openat2", "execve", "execveat"}
ASKERS = {"stat", "lstat", "newfstatat", "statx", "access", "faccessat",
          "faccessat2", "readlink", "readlinkat", "statfs"}
IGNORED = {"getcwd", "chdir", "fchdir"}


class Event:
    """One system call: its paths, and the object that made it."""

    def __init__(self, text):
        self.text = text
        self.caller = "?"
        self.linker = False
        match = CALL.match(text)
        self.name = match.group(1) if match else ""
        self.succeeded = bool(match) and not match.group(3).startswith("-")
        self.lists = self.name == "getdents64"
        arguments = match.group(2) if match else ""
        if self.lists:
            self.paths = [canonical(path) for path in DIRECTORY.findall(arguments)]
        elif self.name in IGNORED:
            self.paths = []
        else:
            self.paths = list(paths_of(arguments))
        # Programs' arguments, and what a link says.
        if self.name.startswith(("exec", "readlink")):
            self.paths = self.paths[:1]
        if not self.succeeded:
            self.how = ""
        elif self.name in READERS and not WRITING.search(arguments):
            self.how = "" if "O_DIRECTORY" in arguments else "r"
        else:
            asks = self.lists or self.name in ASKERS
            self.how = "" if asks else "w"

    def heard(self, frame):
        """The first frame that isn't the C library's says who asks."""
        match = FRAME.match(frame)
        self.linker |= bool(match) and "/ld-linux" in match.group(1)
        if match and self.caller == "?" and not BETWEEN.search(match.group(1)):
            self.caller = match.group(1)


def paths_of(arguments):
    for _, base, path in PATH.findall(arguments):
        if path:
            yield canonical(os.path.join(base or os.getcwd(), path))


def canonical(path):
    """The directory as it is; the last part may be a link that is asked for."""
    path = re.sub(r"/(\./|/)*", "/", path)
    path = re.sub(r"/\.?$", "", path) or "/"
    directory, name = os.path.split(path)
    return os.path.join(os.path.realpath(directory), name) if name else path


def events(trace):
    """In the order in which they ended."""
    begun, event = {}, None
    with open(trace, errors="replace") as lines:
        for line in lines:
            if line.startswith(" > "):
                if event:
                    event.heard(line)
                continue
            if event:
                yield event
            event = None
            process, _, text = line.rstrip("\n").partition(" ")
            text = text.lstrip()
            if text.endswith("<unfinished ...>"):
                begun[process] = text[:-len("<unfinished ...>")].rstrip()
                continue
            if RESUMED.match(text):
                text = begun.pop(process, "") + RESUMED.sub("", text)
            event = Event(text)
    if event:
        yield event


def parts(trace):
    """What is between the marks: {"build": [event ...]}; "" for all else."""
    result, part = {"": []}, ""
    for event in events(trace):
        mark = [path for path in event.paths if path.startswith("/mark/")]
        if mark:
            part = mark[0][len("/mark/"):]
            part = "" if part == "end" else part
            result.setdefault(part, [])
        else:
            result[part].append(event)
    return result


class Looks:
    """What the layer looked at, and what of that it read or listed."""

    def __init__(self, events_of_layer):
        self.seen, self.read, self.listed = set(), set(), set()
        self.absent = set()
        for event in events_of_layer:
            self.seen.update(event.paths)
            if not event.succeeded:
                self.absent.update(event.paths)
            if event.how == "r":
                self.read.update(event.paths)
            if event.lists:
                self.listed.update(event.paths)

    def add(self, other):
        self.seen |= other.seen
        self.read |= other.read
        self.listed |= other.listed
        self.absent |= other.absent

    def tells_absent(self, path):
        """Is there surely no such file, by one of its directories?"""
        while path != "/":
            directory = os.path.dirname(path)
            if path in self.absent or \
                    directory in self.listed and not os.path.lexists(path):
                return True
            path = directory
        return False


def is_harmless(driver, how, path):
    ptxas = os.path.realpath(shutil.which("ptxas") or "/none/bin/ptxas")
    places = {"{cache}": os.environ.get("POCL_CACHE_DIR", "/none"),
              "{here}": os.getcwd(),
              "{cuda}": os.path.dirname(os.path.dirname(ptxas))}
    for of, kind, pattern, _ in HARMLESS:
        for name, place in places.items():
            pattern = pattern.replace(name, re.escape(os.path.realpath(place)))
        if of in ("", driver) and (how == "" or how in kind) and \
                re.fullmatch(pattern, path):
            return True
    return False


def is_covered(event, path, here, anywhere, directories):
    """`here`: of this part; `anywhere`: of all."""
    if event.how == "w":
        return False
    if event.how == "r":
        return path in here.seen and path in anywhere.read
    # The directories of LD_LIBRARY_PATH are the dynamic linker's (doc/limits.md).
    return path in here.seen or path in directories or \
        event.linker and event.caller == "?" or \
        not event.succeeded and here.tells_absent(path)


def above(paths):
    """All directories that they are in."""
    directories = set()
    for path in paths:
        while path != "/" and path not in directories:
            path = os.path.dirname(path)
            directories.add(path)
    return directories


def judge(part, asked, driver, program, layers):
    here, anywhere = Looks([]), Looks([])
    for name in ("", DRIVER, part):
        here.add(layers.get(name, Looks([])))
    for looks in layers.values():
        anywhere.add(looks)
    directories = above(anywhere.seen)
    unseen, count, read = {}, 0, 0
    for event in asked:
        if os.path.realpath(event.caller) == program:
            continue
        for path in event.paths:
            count += 1
            read += event.how == "r"
            if not is_covered(event, path, here, anywhere, directories) and \
                    not is_harmless(driver, event.how, path):
                unseen[path] = f"{event.name} by {event.caller}"
    if part in READING and not read:
        unseen["nothing was read"] = "the trace is wrong"
    print("not ok" if unseen else "ok",
          f"{driver}, {part}: {count} paths, {read} of them read")
    for path, who in sorted(unseen.items()):
        print(f"{path}: {who}")


def main():
    driver, layer, program, bare_trace, warm_trace = sys.argv[1:]
    bare, warm = parts(bare_trace), parts(warm_trace)
    layers = {part: Looks([event for event in all_of_it
                           if os.path.realpath(event.caller) ==
                           os.path.realpath(layer)])
              for part, all_of_it in warm.items()}
    for part, asked in bare.items():
        if part:
            judge(part, asked, driver, os.path.realpath(program), layers)


main()
