# SPDX-License-Identifier: MIT
"""The measuring part of scripts/bench/programs."""
import argparse
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from drivers import (OWN_CACHE_OFF, PROBE, ROOT, SIMULATED, Device, Target,
                     own_cache_in)
from measure import (DIRECTORY, Part, Samples, add_target_options, interleave,
                     rounds_within, targets)
from runs import (Outcome, Progress, RunFailed, Store, milliseconds,
                  print_table, ratio, run)

sys.path.insert(0, str(ROOT / "tests/closure"))
from corpora import HASHCAT, hashcat_options  # noqa: E402

# What scripts/bench/carry puts there, for machines without it.
CARRIED = ROOT / "build/carry"
TIMES = ("create", "build", "kernel", "launch", "total", "release")
WAYS = ("none", "own", "cold", "storing", "warm", "warm+own", "floor",
        "floor+own")
HEAD = ["program", "driver", "entry kB", *WAYS, "warm-floor", "warm/floor",
        "own/hit", "compiled/hit", "cold/none"]
# All of hashcat's kernels take as many pointers; zeros end them at once.
HASHCAT_ARGUMENTS = 25


@dataclass(frozen=True)
class Program:
    name: str
    arguments: tuple[str, ...]
    # A compile takes many seconds: one fills the store, and one the driver's
    # own cache.
    heavy: bool = False


# ---- programs ----

def carried(path: Path, inside: str) -> Path:
    return path if path.exists() else CARRIED / inside


def hashcat_program(driver: str, kernel: str, entry: str) -> Program:
    """With hashcat's own options, files included from where it has them."""
    directory = carried(HASHCAT, "hashcat")
    options = hashcat_options(f"{kernel}.cl").replace(str(HASHCAT),
                                                      str(directory))
    if driver == "nvidia":
        options = nvidia_options(options)
    arguments = ["--source", str(directory / f"{kernel}.cl"), "--kernel", entry,
                 "--options", options, "--global", "64",
                 "--arguments", str(HASHCAT_ARGUMENTS)]
    # Oclgrind has less constant memory than these want.
    if driver == "oclgrind":
        arguments.append("--no-launch")
    return Program(f"hashcat {kernel}", tuple(arguments), heavy=True)


def nvidia_options(options: str) -> str:
    """hashcat's for an NVIDIA GPU rather than a CPU."""
    changes = {"VENDOR_ID=64": "VENDOR_ID=32", "DEVICE_TYPE=2":
               "DEVICE_TYPE=4", "VECT_SIZE=4": "VECT_SIZE=1",
               "CUDA_ARCH=0": "CUDA_ARCH=900", "LOCAL_MEM_TYPE=2":
               "LOCAL_MEM_TYPE=1"}
    for name in ("ADD", "ADDC", "SUB", "SUBC", "BFE", "LOP3", "MOV64", "PRMT"):
        changes[f"HAS_{name}=0"] = f"HAS_{name}=1"
    for old, new in changes.items():
        options = options.replace(f"-D {old} ", f"-D {new} ")
    return options


HASHCAT_KERNELS = {
    "nvidia": (("m00000_a3-optimized", "m00000_m04"),
               ("m22000-pure", "m22000_init")),
    # The one that it takes longest for.
    "intel": (("m00000_a3-optimized", "m00000_m04"),
              ("m01800-pure", "m01800_init")),
    # rusticl takes half a minute or more for others' first launch, and Oclgrind
    # doesn't find the others' kernels.
    None: (("m00000_a3-optimized", "m00000_m04"),),
}
# Loads, which are compared, vary by a fifth from one to the next; compiles less,
# and of small programs bench-cold and bench-floor have more.
HEAVY_ROUNDS = 7
# So of these alone there are more, as many as fit; seconds for each two.
HEAVY_WAYS = ("warm", "warm+own", "floor", "floor+own")
HEAVY_LIMIT_S = 6
ROUNDS_MAX = 31
HEAVY_COUNTS = {"none": 0, "own": 3}
COMPILES = {"none": 1, "cold": 1, "storing": 1}


def spirv_program() -> Program | None:
    """The small program as SPIR-V; None where that can't be made."""
    source, bitcode, il = (DIRECTORY / f"small.{kind}"
                           for kind in ("cl", "bc", "spv"))
    source.write_text(subprocess.check_output([PROBE, "--print"], text=True))
    try:
        subprocess.run(["clang-14", "-c", "-target", "spir64-unknown-unknown",
                        "-emit-llvm", "-O2", "-cl-std=CL1.2", "-Xclang",
                        "-finclude-default-header", "-o", bitcode, source],
                       check=True)
        subprocess.run(["llvm-spirv-14", bitcode, "-o", il], check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    return Program("SPIR-V", ("--source", "small", "--il", str(il)))


def small_programs(driver: str, quick: bool) -> list[Program]:
    # Oclgrind interprets: a launch of all items takes seconds.
    few = ("--global", "256") if driver == "oclgrind" else ()
    chosen = [Program(name, ("--source", name, *few))
              for name in ("small", "barriers")[:1 if quick else None]]
    if driver in ("intel", "neo"):
        spirv = spirv_program()
        if spirv:
            chosen.append(spirv)
        else:
            print("SPIR-V: not measured: clang-14 or llvm-spirv-14 isn't "
                  "installed")
    return chosen


def programs(driver: str, quick: bool) -> list[Program]:
    chosen = small_programs(driver, quick)
    if not carried(HASHCAT, "hashcat").is_dir():
        print("hashcat: not measured: hashcat-data isn't installed")
        return chosen
    kernels = HASHCAT_KERNELS.get(driver, HASHCAT_KERNELS[None])
    if quick:
        kernels = (kernels[:1] if driver in ("intel", "neo", "nvidia") else ())
    return chosen + [hashcat_program(driver, *names) for names in kernels]


# ---- one program on one device ----

class Measurement:
    """All ways of one program on one device."""

    def __init__(self, part: Part, target: Target, device: Device,
                 program: Program, environment: dict[str, str]) -> None:
        self.part = part
        self.target = target
        self.device = device
        self.program = program
        self.environment = environment
        self.plain = {**environment, **OWN_CACHE_OFF}
        # Its directory lasts: "own" is measured when it is warm.
        self.own = {**environment, **own_cache_in(self.fresh("own-cache"))}
        self.warm_store = Store(DIRECTORY / "warm")
        self.cold_store = Store(DIRECTORY / "cold")
        self.samples = Samples()
        self.checksums: set[str] = set()
        self.command = [str(PROBE), "--platform", device.platform,
                        "--device", str(device.index), *program.arguments]
        if target.driver in SIMULATED:
            self.command.append("--no-results")

    @staticmethod
    def fresh(name: str) -> Path:
        directory = DIRECTORY / name
        shutil.rmtree(directory, ignore_errors=True)
        return directory

    @property
    def label(self) -> tuple[str, str]:
        return self.target.driver, self.program.name

    def measure(self, progress: Progress) -> None:
        def step(text: str) -> None:
            progress.step(f"{self.target}: {self.program.name}: {text}")

        options = self.part.options
        ways = self.ways()
        step("filling the store")
        self.fill(step)
        counts, rounds = dict(COMPILES), options.runs
        if self.program.heavy:
            counts = dict(HEAVY_COUNTS)
            rounds = options.runs if options.quick else HEAVY_ROUNDS
        interleave(ways, rounds, self.samples, counts, step)
        if self.program.heavy and not options.quick:
            self.add_loads({way: ways[way] for way in HEAVY_WAYS
                            if way in ways}, step)
        self.check_served()
        if len(self.checksums) > 1:
            self.part.fail(f"{self.label}: the results differ")

    def add_loads(self, ways: dict[str, Callable[[], dict[str, float]]],
                  step: Callable[[str], None]) -> None:
        limit = HEAVY_LIMIT_S * len(ways) / 2
        for number in rounds_within(limit, ROUNDS_MAX):
            interleave(ways, 1, self.samples, step=step,
                       first=HEAVY_ROUNDS + number)

    def ways(self) -> dict[str, Callable[[], dict[str, float]]]:
        ways = {"none": lambda: self.take(self.plain),
                "warm": lambda: self.take(self.layer(self.warm_store)),
                "floor": lambda: self.floor(self.plain)}
        # Of heavy ones the run that fills the store is kept.
        if not self.program.heavy:
            ways["cold"] = self.cold
        if self.target.has_own_cache:
            ways["own"] = lambda: self.take(self.own)
            ways["warm+own"] = lambda: self.take(self.both())
            ways["floor+own"] = lambda: self.floor(self.own)
        if self.device.is_pocl and not self.program.heavy:
            ways["storing"] = self.storing
        return ways

    def layer(self, store: Store, eager: bool = False,
              trace: bool = False) -> dict[str, str]:
        return {**self.environment,
                **store.environment(self.device, eager, trace)}

    def both(self) -> dict[str, str]:
        return self.warm_store.beside(self.own, self.device)

    def fill(self, step: Callable[[str], None]) -> None:
        outcome, _ = self.warm_store.run(self.command, self.environment,
                                         self.device)
        if self.program.heavy:
            self.samples.add("storing", 0, self.times(outcome))
        if not self.warm_store.entries():
            raise RunFailed("nothing was stored")
        if self.target.has_own_cache:
            step("filling the driver's own cache")
            filling = self.take(self.own)
            # It compiled, and there was no layer.
            if self.program.heavy:
                self.samples.add("none", 0, filling)
            # What it does with binaries, too, if anything.
            run(self.command, self.both())
            self.floor(self.own)

    def check_served(self) -> None:
        _, trace = self.warm_store.run(self.command, self.environment,
                                       self.device)
        if not trace.served:
            self.part.fail(f"{self.label}: not served: {trace.why()}")

    def cold(self) -> dict[str, float]:
        """As users have it: no switch set."""
        self.cold_store.empty()
        return self.take(self.layer(self.cold_store))

    def storing(self) -> dict[str, float]:
        self.cold_store.empty()
        return self.take(self.layer(self.cold_store, eager=True))

    def floor(self, environment: dict[str, str]) -> dict[str, float]:
        entry = self.warm_store.entries()[0]
        return self.take(environment, "--entry", str(entry))

    def take(self, environment: dict[str, str],
             *more: str) -> dict[str, float]:
        return self.times(run([*self.command, *more], environment))

    def times(self, outcome: Outcome) -> dict[str, float]:
        report = outcome.report()
        if "checksum" in report:
            self.checksums.add(report["checksum"])
        return {"process": outcome.wall_ms, "cpu": outcome.cpu_ms,
                **{time: report[time] for time in TIMES}}

    # ---- results ----

    def keep(self) -> list[str]:
        """The line of the table."""
        part, label, samples = self.part, self.label, self.samples
        part.keep_all(*label, samples)
        size = self.warm_store.entries()[0].stat().st_size
        part.keep(*label, "", "entry", [size], "bytes")
        middle = [samples.median(way, "total") for way in WAYS]
        adds = part.keep_difference(*label, samples, "warm", "floor", "total")
        # Of heavy programs on drivers without a cache of their own only the
        # compile is measured that fills the store.
        compiled = "none" if samples.values("none", "total") else "storing"
        ratios = [part.keep_ratio(*label, samples, over, under, "total")
                  for over, under in (("warm", "floor"), ("own", "warm+own"),
                                      (compiled, "warm"))]
        ratios.append(part.keep_ratio(*label, samples, "cold", "none",
                                      "process"))
        part.keep_ratio(*label, samples, "cold", "none", "cpu")
        part.keep_ratio(*label, samples, "storing", "none", "process")
        part.keep_ratio(*label, samples, "own", "warm", "total")
        part.keep_ratio(*label, samples, "warm+own", "floor+own", "total")
        part.keep_difference(*label, samples, "warm+own", "floor+own", "total")
        return [self.program.name, self.target.driver, f"{size / 1e3:.0f}",
                *map(milliseconds, middle),
                "-" if adds is None else f"{adds:+.2f}",
                *(ratio(value, 1) for value in ratios)]


# ---- all of them ----

def measure(part: Part) -> None:
    progress = Progress()
    rows = []
    for target, device, environment in targets(part, SIMULATED):
        for program in programs(target.driver, part.options.quick):
            if not wanted(program, part.options.program):
                continue
            try:
                measurement = Measurement(part, target, device, program,
                                          environment)
                measurement.measure(progress)
                rows.append(measurement.keep())
            except RunFailed as error:
                part.fail(f"{target}: {program.name}: {error}")
    progress.clear()
    print_table(HEAD, rows, left=2)


def wanted(program: Program, names: list[str] | None) -> bool:
    return not names or any(name in program.name for name in names)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_target_options(parser)
    parser.add_argument("--program", action="append", metavar="TEXT",
                        help="only those with TEXT in their names")
