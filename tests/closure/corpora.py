#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""OpenCL sources of real programs: is the include closure what clang reads?

    corpora.py [--long] [--list] [--program FILE] [CORPUS...]

For each source, under the options that its program gives: every file that
clang-15 lists in OpenCL mode must be in the closure. Which share could be
cached is printed; of hashcat it must be all. Prints TAP.

The closure is made of all sources, by all ways in which drivers read options;
clang sees a sample of SAMPLE per corpus (OCLCACHE_TEST_SEED=TEXT: another one),
with --long all. Medians of the time for scan, closure and key are printed.

Corpora come from installed packages, from what `scripts/deps corpora` fetched,
from strings of installed programs, and from hashcat itself, which is run under
a layer that writes down what it compiles (tests/record/record.c); with --long
also from the programs of scripts/real.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLANG = "/usr/lib/llvm-15/bin/clang"
HASHCAT = Path("/usr/share/hashcat/OpenCL")
PYOPENCL = Path("/usr/lib/python3/dist-packages/pyopencl/cl")
POCL = Path("/usr/share/pocl/include")
FETCHED = ROOT / "build/corpora"
RECORDER = ROOT / "build/tests/record/librecord.so"
DRIVERS = ("pocl", "intel", "nvidia", "rusticl", "oclgrind", "any")
SAMPLE = 100

# Programs and libraries that have their kernels as strings.
PROGRAMS = {
    "clblast": ("/", "usr/lib/*/libclblast.so.1"),
    "ffmpeg": ("/", "usr/lib/*/libavfilter.so.*"),
    "leela-zero": ("/", "usr/games/leelaz"),
    "clpeak": ("/", "usr/bin/clpeak"),
    "clinfo": ("/", "usr/bin/clinfo"),
    "x264": (FETCHED, "libx264-*/usr/lib/*/libx264.so.*"),
    "opencv": (FETCHED, "libopencv-*/usr/lib/*/libopencv_*.so.*"),
    "gegl": (FETCHED, "libgegl-*/usr/lib/*/libgegl-*.so.*"),
}


class Source:
    """One source text, in a file, and how it is compiled."""

    def __init__(self, path, options="", directory="/", standard="CL1.2"):
        self.path = str(path)
        self.options = options
        self.directory = str(directory)
        self.standard = standard

    def line(self):
        def escape(text):
            return (text.replace("\\", "\\\\").replace("\t", "\\t")
                    .replace("\n", "\\n"))

        return "\t".join(map(escape, (self.directory, self.path,
                                      self.options))) + "\n"


class Skip(Exception):
    """Why a corpus can't be had."""


# hashcat ---------------------------------------------------------------------

HAS = ("ADD ADDC SUB SUBC VADD VADDC VADD_CO VADDC_CO VSUB VSUBB VSUB_CO "
       "VSUBB_CO VPERM VADD3 VBFE BFE LOP3 MOV64 PRMT").split()


def hashcat_options(name):
    """What hashcat 6.2.6 gives for a kernel file on a CPU.

    Numbers may be others; recorded_hashcat() compares the rest with what
    hashcat really does.
    """
    attack = re.search(r"_a([013])", name)
    mode = re.match(r"m(\d+)", name)
    fast = attack and mode
    kernel = attack.group(1) if attack else "0"
    macros = ["KERNEL_STATIC", f"INCLUDE_PATH={HASHCAT}", "XM2S(x)=#x",
              "M2S(x)=XM2S(x)", "LOCAL_MEM_TYPE=2", "VENDOR_ID=64",
              "CUDA_ARCH=0"]
    macros += [f"HAS_{what}=0" for what in HAS]
    macros += ["VECT_SIZE=4", "DEVICE_TYPE=2", "DGST_R0=0", "DGST_R1=3",
               "DGST_R2=2", "DGST_R3=1", "DGST_ELEM=4",
               f"KERN_TYPE={int(mode.group(1)) if mode else 400}",
               f"ATTACK_EXEC={11 if fast else 10}", f"ATTACK_KERN={kernel}",
               f"ATTACK_MODE={kernel}"]
    options = "".join(f"-D {macro} " for macro in macros) + "-w "
    # Main kernels' have room for some of the hash mode's.
    return options + " " if mode else options


def hashcat(_work):
    if not HASHCAT.is_dir():
        raise Skip("hashcat-data isn't installed")
    return [Source(path, hashcat_options(path.name))
            for path in sorted(HASHCAT.glob("*.cl"))
            if not path.name.startswith("inc_")]


MD5 = "406752a6778784f23ee9fdce1bc6508d"
SCRYPT = ("SCRYPT:1024:1:1:MDIwMzMwNTQwNDQyNQ==:"
          "5FW+zWivLxgCWj7qLiQbeC8zaNQ+qdO0NUinvqyFcfo=")
SHA512CRYPT = ("$6$72820166$U4DVzpcYxgw7MVVDGGvB2/H5lRistD5.Ah4upwENR5UtffLR4X"
               "4SxSzfREv8z6wVl0jRFX40/KnYVvK4829kD1")

# Sessions: hash mode and attack, in both kinds of kernels.
SESSIONS = (
    ("-m", "0", "-a", "0", MD5, "@WORDS@"),
    ("-m", "0", "-a", "0", "-O", MD5, "@WORDS@"),
    ("-m", "0", "-a", "1", MD5, "@WORDS@", "@WORDS@"),
    ("-m", "0", "-a", "3", "-O", MD5, "?l?l?d"),
    ("-m", "8900", "-a", "0", SCRYPT, "@WORDS@"),
    ("-m", "1800", "-a", "3", SHA512CRYPT, "?l?l?d"),
)


def any_driver():
    tested = os.environ.get("OCLCACHE_TEST_DRIVERS") or "intel pocl"
    for driver, loader in (("intel", "khronos"), ("pocl", "ocl-icd")):
        if driver in tested.split() and not subprocess.run(
                [ROOT / "scripts/opencl-env", driver, loader, "true"],
                stderr=subprocess.DEVNULL, check=False).returncode:
            return driver, loader
    raise Skip("no driver is here to run it on")


def recorded(directory):
    """What the recorder wrote."""
    sources = []
    try:
        lines = (directory / "requests").read_text("utf-8").splitlines()
    except FileNotFoundError:
        lines = []
    for line in lines:
        directory, path, options = (
            re.sub(r"\\(.)", lambda m: {"t": "\t", "n": "\n"}.get(
                m.group(1), m.group(1)), field)
            for field in line.split("\t"))
        sources.append(Source(path, options, directory))
    return sources


def recording(directory, command, **environment):
    """Runs a program on a driver and returns what it compiled."""
    driver, loader = any_driver()
    directory.mkdir(parents=True, exist_ok=True)
    home = directory / "home"
    home.mkdir(exist_ok=True)
    (directory / "requests").unlink(missing_ok=True)
    environment = {
        **os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home),
        "XDG_CACHE_HOME": str(home), "POCL_CACHE_DIR": str(home / "pocl"),
        "OPENCL_LAYERS": str(RECORDER), "RECORD_DIRECTORY": str(directory),
        "DRIVER": driver, "DIRECTORY": str(home), **environment}
    with open(directory / "output", "wb") as output:
        subprocess.run([ROOT / "scripts/opencl-env", driver, loader, *command],
                       env=environment, stdin=subprocess.DEVNULL, cwd=ROOT,
                       stdout=output, stderr=output, timeout=600, check=False)
    return recorded(directory)


def recorded_hashcat(work):
    """What hashcat compiles; its main kernels are refused, to save time."""
    if not any(Path(path, "hashcat").exists()
               for path in os.environ["PATH"].split(":")):
        raise Skip("hashcat isn't installed")
    directory = work / "hashcat"
    directory.mkdir()
    words = directory / "words"
    words.write_text("abc\nabd\n")
    sources = []
    for session in SESSIONS:
        sources += recording(
            directory,
            ["hashcat", "--force", "--quiet", "--opencl-device-types", "1",
             "--backend-ignore-cuda", "--potfile-disable", "--logfile-disable",
             "--hwmon-disable", "--kernel-accel", "1", "--kernel-loops", "1",
             *(word.replace("@WORDS@", str(words)) for word in session)],
            RECORD_ONLY="KERNEL_FQ void m")
    return sources


def without_numbers(options):
    return re.sub(r"=\d+", "=N", options)


def check_hashcat_options(sources):
    """Do hashcat's options begin with those that were made up?"""
    kernels = {path.read_bytes(): path.name for path in HASHCAT.glob("*.cl")}
    wrong, seen = [], set()
    for source in sources:
        name = kernels.get(Path(source.path).read_bytes())
        seen.add(name)
        if name is None or not without_numbers(source.options).startswith(
                without_numbers(hashcat_options(name))):
            wrong.append(f"{name}: {source.options!r}")
    if len(seen) < len(SESSIONS) + 1:
        wrong.append(f"only {len(seen)} kernels were compiled: {seen}")
    return wrong


# Others ----------------------------------------------------------------------

def fetched(package, directory, options="", patterns=("*.cl",)):
    """Sources of a package that isn't installed; {} is the source's directory."""
    def corpus(_work):
        top = FETCHED / package / directory
        if not top.is_dir():
            raise Skip(f"scripts/deps corpora didn't fetch {package}")
        return [Source(path, options.replace("{}", str(path.parent))
                       .replace("{top}", str(top)), path.parent)
                for pattern in patterns for path in sorted(top.rglob(pattern))]
    return corpus


def pyopencl(work):
    if not PYOPENCL.is_dir():
        raise Skip("python3-pyopencl isn't installed")
    directory = work / "pyopencl"
    directory.mkdir()
    sources = []
    # Everything that may be included, as programs do it.
    for path in sorted(p for p in PYOPENCL.rglob("*.*")
                       if p.suffix in (".h", ".cl")):
        name = str(path.relative_to(PYOPENCL))
        user = directory / name.replace("/", "-")
        user.write_text("#define PYOPENCL_DEFINE_CDOUBLE\n"
                        f"#include <{name}>\n")
        sources.append(Source(user, f"-I {PYOPENCL}", directory))
        sources.append(Source(path, f"-I {PYOPENCL}", directory))
    return sources


def pyopencl_examples(work):
    """Kernels that stand in Python's strings."""
    directory = work / "pyopencl-doc"
    directory.mkdir()
    found = []
    for path in sorted(Path("/usr/share/doc/python-pyopencl-doc/examples")
                       .glob("*.py")):
        strings = re.findall(r'"""(.*?)"""', path.read_text("utf-8"), re.S)
        found += [text.encode() for text in strings if "__kernel" in text]
    if not found:
        raise Skip("python-pyopencl-doc isn't installed")
    return as_files(directory, found, f"-I {PYOPENCL}")


def pocl(_work):
    if not POCL.is_dir():
        raise Skip("libpocl2-common isn't installed")
    return [Source(path, f"-I{POCL}") for path in sorted(POCL.glob("*.h"))]


def as_files(directory, texts, options=""):
    sources = []
    for number, text in enumerate(texts):
        path = directory / f"{number}.cl"
        path.write_bytes(text)
        sources.append(Source(path, options, directory))
    return sources


KERNEL = re.compile(rb"\b(__)?kernel\s+(__attribute__.*\s+)?void\b")


def kernels_in(path):
    """The C strings that are OpenCL sources."""
    return {text for text in path.read_bytes().split(b"\0")
            if len(text) > 80 and KERNEL.search(text) and
            not re.search(rb"[\x01-\x08\x0e-\x1f\x7f-\xff]", text)}


def strings_of(name, top, pattern):
    """Of a program or library."""
    def corpus(work):
        texts = set()
        for path in Path(top).glob(pattern):
            if path.exists():
                texts |= kernels_in(path)
        if not texts:
            raise Skip(f"no {pattern} with kernels in its strings")
        directory = work / name
        directory.mkdir()
        return as_files(directory, sorted(texts))
    return corpus


def recorded_program(recipe):
    """What a program of scripts/real compiles."""
    def corpus(work):
        sources = recording(work / f"real-{recipe}",
                            [ROOT / "scripts/real" / recipe], QUICK="yes")
        if not sources:
            raise Skip("it compiles nothing here")
        return sources
    return corpus


CORPORA = {
    "hashcat": hashcat,
    "hashcat's own builds": recorded_hashcat,
    "pyopencl": pyopencl,
    "pyopencl's examples": pyopencl_examples,
    "PoCL's headers": pocl,
    "darktable": fetched(
        "darktable", "usr/share/darktable/kernels",
        "-w -cl-fast-relaxed-math  -DUNKNOWN=1 -I{}"),
    "mandelbulber2": fetched(
        "mandelbulber2-data", "usr/share/mandelbulber2",
        "-w -cl-single-precision-constant -cl-denorms-are-zero "
        "-DOPENCL_KERNEL_CODE -I{top}/opencl", ("*.cl", "*.h*")),
    "silx": fetched("python3-silx", "usr/lib", "-DNIMAGE=1 -I {}"),
    "pyfai": fetched("python3-pyfai", "usr/lib", "-DNIMAGE=1 -I {}"),
    "starpu": fetched("starpu-examples", "usr/share/starpu", "-I{}"),
    **{name: strings_of(name, *where) for name, where in PROGRAMS.items()},
}
LONG = {f"{recipe} as built": recorded_program(recipe)
        for recipe in ("clpeak", "clblast", "pyopencl-tests",
                       "pyopencl-examples", "leela-zero", "ffmpeg")}
# All of these must be cached.
WHOLE = ("hashcat", "hashcat's own builds")


# Checks ----------------------------------------------------------------------

def closures(program, driver, sources):
    """The closure of each, as tests/closure/closure.c says it."""
    result = subprocess.run(
        [program, "--driver", driver],
        input="".join(source.line() for source in sources).encode(),
        stdout=subprocess.PIPE, check=False)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    if len(answers) != len(sources):
        raise RuntimeError(f"{len(answers)} closures of {len(sources)} "
                           f"sources, status {result.returncode}")
    return answers


def why_not(answer):
    if answer["unsafe"]:
        return f"option {answer['unsafe']}"
    return answer["reason"]


def preprocessor_options(source):
    """Clang's preprocessor doesn't know all that is about code."""
    return [word for word in source.options.split()
            if not word.startswith("-cl-")]


def clang_lists(source):
    """The files that clang reads, and what it says when it gives up.

    Drivers give it the text alone, so that no directory is the source's own.
    """
    text = Path(source.path).read_bytes()
    with tempfile.TemporaryDirectory(prefix="oclcache-rule.") as directory:
        rule = Path(directory, "rule")
        process = subprocess.run(
            [CLANG, "-cc1", "-Eonly", "-x", "cl", f"-cl-std={source.standard}",
             "-MT", "x", "-dependency-file", str(rule), "-sys-header-deps",
             "-H", "-w", *preprocessor_options(source), "-"],
            input=text, cwd=source.directory, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, timeout=60, check=False)
        said = process.stderr.decode("utf-8", "replace")
        names = re.findall(r"^\.+ (.*)$", said, re.M)
        # Clang takes it away after an error.
        if rule.exists():
            listed = rule.read_text("utf-8").replace("\\\n", " ")
            names += [re.sub(r"\\(.)", r"\1", word) for word in
                      re.findall(r"(?:\\.|[^\s\\])+", listed)][1:]
    errors = re.findall(r"error: .*", said)
    if process.returncode:
        return names, errors[0] if errors else "without a word"
    return names, None


def real(source, name):
    return os.path.realpath(os.path.join(source.directory, name))


def missing_files(source, answer):
    names, error = clang_lists(source)
    have = {real(source, name) for name in answer["files"]}
    return [name for name in names if real(source, name) not in have], error


class Tap:
    """Numbers the lines."""

    def __init__(self):
        self.number = 0
        self.failed = False

    def say(self, good, what, explanation=()):
        self.number += 1
        self.failed |= not good
        print(f"{'' if good else 'not '}ok {self.number} - {what}")
        for line in list(explanation)[:20]:
            print(f"#   {line}"[:400])

    def skip(self, what, why):
        self.number += 1
        print(f"ok {self.number} - {what} # SKIP {why}")


def check_shares(tap, name, sources, by_driver):
    """What is cached, and why the rest isn't."""
    reasons = {}
    for driver, answers in by_driver.items():
        refused = [answer for answer in answers if why_not(answer)]
        for answer in refused:
            reason = (driver, why_not(answer))
            reasons[reason] = reasons.get(reason, 0) + 1
        share = 100 * (1 - len(refused) / len(sources))
        # What isn't known of other drivers may be refused.
        if name in WHOLE and driver != "any":
            tap.say(not refused, f"{name}: all is cached on {driver}",
                    (f"{source.path}: {why_not(answer)}" for source, answer
                     in zip(sources, answers) if why_not(answer)))
        else:
            print(f"# {name}: {share:.1f} % of {len(sources)} are cached on "
                  f"{driver}")
    for (driver, reason), count in reasons.items():
        print(f"# {name}: {count} not on {driver}: {reason}")


def check_superset(tap, name, sources, answers, pool):
    # What isn't cached may have any files.
    pairs = [(source, answer) for source, answer in zip(sources, answers)
             if not why_not(answer)]
    found = list(pool.map(lambda pair: missing_files(*pair), pairs))
    wrong = [f"{source.path}: {', '.join(missing)}"
             for (source, _), (missing, _) in zip(pairs, found) if missing]
    errors = [error for _, error in found if error]
    tap.say(not wrong, f"{name}: the closures of {len(pairs)} sources have "
            "every file that clang reads", wrong)
    if errors:
        print(f"# {name}: clang stopped in {len(errors)} of them, for example "
              f"at: {errors[0]}")


def check_corpus(tap, name, sources, program, long, pool):
    by_driver = {driver: closures(program, driver, sources)
                 for driver in DRIVERS}
    check_shares(tap, name, sources, by_driver)
    answers = by_driver["pocl"]
    # The first to be looked at pays for reading the files.
    times = [answer["us"] for answer in answers[1:]] or [0]
    most = max(answers, key=lambda answer: len(answer["files"]))
    print(f"# {name}: {statistics.median(times):.0f} us each (median), "
          f"{len(most['files'])} files at most")
    chosen = list(range(len(sources)))
    if not long and len(chosen) > SAMPLE:
        seed = os.environ.get("OCLCACHE_TEST_SEED", "0")
        chosen = random.Random(seed).sample(chosen, SAMPLE)
    check_superset(tap, name, [sources[i] for i in chosen],
                   [answers[i] for i in chosen], pool)


def play(tap, name, corpus, arguments, work, pool):
    try:
        if not os.path.exists(CLANG):
            raise Skip("clang-15 isn't installed")
        sources = corpus(work)
    except Skip as why:
        tap.skip(name, why)
        return
    if corpus is recorded_hashcat:
        wrong = check_hashcat_options(sources)
        tap.say(not wrong, f"{name}: its options are those of the corpus",
                wrong)
    if sources:
        check_corpus(tap, name, sources, arguments.program, arguments.long,
                     pool)
    sys.stdout.flush()


def parse():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("\n\n")[1].strip(), description=__doc__)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--program",
                        default=ROOT / "build/tests/closure/closure")
    parser.add_argument("corpora", nargs="*")
    return parser.parse_args()


def main():
    arguments = parse()
    corpora = {**CORPORA, **(LONG if arguments.long else {})}
    if arguments.corpora:
        corpora = {**CORPORA, **LONG}
        corpora = {name: corpora[name] for name in arguments.corpora}
    if arguments.list:
        print("\n".join(corpora))
        return 0
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="oclcache-corpora.") as work, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, corpus in corpora.items():
            play(tap, name, corpus, arguments, Path(work), pool)
    print(f"1..{tap.number}")
    return tap.failed


if __name__ == "__main__":
    sys.exit(main())
