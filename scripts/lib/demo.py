# SPDX-License-Identifier: MIT
"""The measuring part of scripts/demo."""
import shutil
import subprocess
import sys
from dataclasses import dataclass

from demo_update import Updates
from drivers import (LOADERS, ROOT, VENV_PYTHON, Device, Target, Unavailable,
                     find_devices, has_dpnp, installed_drivers,
                     own_cache_in)
from runs import (PROBE, Outcome, Progress, RunFailed, Store, flatten,
                  milliseconds, print_table, ratio, run)

DIRECTORY = ROOT / "build/demo"
# Of these another release can be had, see driver_update.py.
UPDATED = ("pocl", "intel")
HEAD = ["program", "driver", "loader", "cold ms", "warm ms", "ratio",
        "own cache ms", "served"]


@dataclass(frozen=True)
class Program:
    name: str
    command: tuple[str, ...]
    # Whether it prints its time to first result; else the wall time counts.
    reports: bool = True
    # Whether what it runs on has a cache, even where the driver has none.
    own_cache: bool = False

    def time(self, outcome: Outcome) -> float:
        return outcome.report()["total"] if self.reports else outcome.wall_ms

    def digest(self, outcome: Outcome) -> str:
        """Of the results; "" for programs that check them themselves."""
        return outcome.report().get("digest", "") if self.reports else ""


@dataclass
class Row:
    program: str
    target: Target
    cold: float | None = None
    warm: float | None = None
    own: float | None = None
    served: str = ""
    ok: bool = False

    def cells(self) -> list[str]:
        return [self.program, self.target.driver, self.target.loader,
                milliseconds(self.cold), milliseconds(self.warm),
                ratio(self.cold, self.warm), milliseconds(self.own),
                self.served]


def hashcat(kernel: str, entry: str) -> Program:
    source = flatten(kernel, DIRECTORY)
    return Program(f"hashcat {kernel}",
                   (str(PROBE), "--source", str(source), "--kernel", entry,
                    "--no-launch"))


def pyopencl(target: Target) -> Program:
    # PyPI's pyopencl has that loader in it; Debian's uses the system's.
    python = VENV_PYTHON if target.loader == "pyopencl" else "/usr/bin/python3"
    return Program("pyopencl",
                   (str(python), str(ROOT / "scripts/demo_pyopencl.py")))


def dpnp() -> Program:
    return Program("dpnp", (str(VENV_PYTHON),
                            str(ROOT / "scripts/demo_dpnp.py")),
                   own_cache=True)


def programs(target: Target, everything: bool) -> list[Program]:
    chosen = [Program("clinfo", ("clinfo",), reports=False), pyopencl(target)]
    # A build takes as long under any loader.
    if target.loader == LOADERS[0]:
        chosen.append(hashcat("m00000_a3-optimized", "m00000_m04"))
    if everything and target == Target("intel", LOADERS[0]):
        chosen.append(hashcat("m01800-pure", "m01800_init"))
        if has_dpnp():
            chosen.append(dpnp())
    return chosen


class Demo:
    def __init__(self, everything: bool) -> None:
        self.everything = everything
        self.progress = Progress()
        self.rows: list[Row] = []
        self.devices: dict[str, Device] = {}
        # They don't depend on the loader: measured once.
        self.own: dict[tuple[str, str], tuple[float, str]] = {}
        self.unusable: set[str] = set()
        self.updates = Updates(DIRECTORY / "updates", self.progress)

    def targets(self) -> list[Target]:
        loaders = LOADERS if self.everything else LOADERS[:1]
        return [Target(driver, loader) for driver in installed_drivers()
                if driver != "intel" or self.everything
                for loader in loaders]

    def measure_all(self) -> None:
        for target in self.targets():
            if target.driver not in self.unusable:
                self.measure(target)
        if not self.devices and "pocl" not in installed_drivers():
            self.progress.clear()
            subprocess.run([ROOT / "scripts/deps", "pocl"], check=True)
            self.measure(Target("pocl", LOADERS[0]))

    def environment(self, target: Target) -> dict[str, str]:
        # Drivers with their caches off still write here.
        scratch = DIRECTORY / "scratch"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        return {**target.environment(), "XDG_CACHE_HOME": str(scratch)}

    def measure(self, target: Target) -> None:
        self.progress.step(f"{target}: looking for devices")
        try:
            environment = self.environment(target)
            device = find_devices(environment)[0]
        except Unavailable as error:
            self.unusable.add(target.driver)
            self.rows.append(Row("-", target, served=f"unusable: {error}",
                                 ok=True))
            return
        self.devices.setdefault(target.driver, device)
        for program in programs(target, self.everything):
            self.rows.append(self.row(program, target, device, environment))
        if target.driver in UPDATED and target.loader == LOADERS[0]:
            self.updates.play(target, environment, [
                program for program in programs(target, False)
                if program.reports])

    def row(self, program: Program, target: Target, device: Device,
            environment: dict[str, str]) -> Row:
        row = Row(program.name, target)
        name = program.name.replace(" ", "-")
        store = Store(DIRECTORY / "stores" / f"{target.driver}-{target.loader}"
                      / name)
        command = list(program.command)
        try:
            self.progress.step(f"{target}: {program.name}, first run")
            outcome, _ = store.run(command, environment, device)
            row.cold = program.time(outcome)
            digests = {program.digest(outcome)}
            self.progress.step(f"{target}: {program.name}, second run")
            outcome, trace = store.run(command, environment, device)
            row.warm = program.time(outcome)
            digests.add(program.digest(outcome))
            row.ok = trace.served
            row.served = "yes" if row.ok else f"no: {trace.why()}"
            own = self.own_cache(program, target, environment)
            if own:
                row.own = own[0]
                digests.add(own[1])
            if len(digests) > 1:
                row.ok, row.served = False, "no: the results differ"
        except RunFailed as error:
            row.served = self.blame(command, environment, str(error))
            row.ok = not row.served.startswith("no")
        return row

    def own_cache(self, program: Program, target: Target,
                  environment: dict[str, str]) -> tuple[float, str] | None:
        """Time and digest of the second run with the driver's own cache,
        without the layer."""
        if not (target.has_own_cache or program.own_cache):
            return None
        key = (target.driver, program.name)
        if key not in self.own:
            self.progress.step(f"{target}: {program.name}, own cache")
            directory = DIRECTORY / "own-cache"
            shutil.rmtree(directory, ignore_errors=True)
            own = {**environment, **own_cache_in(directory)}
            run(list(program.command), own)
            outcome = run(list(program.command), own)
            self.own[key] = program.time(outcome), program.digest(outcome)
        return self.own[key]

    def blame(self, command: list[str], environment: dict[str, str],
              error: str) -> str:
        """A program that fails without the layer, too, isn't its failure."""
        try:
            run(command, environment)
        except RunFailed:
            return f"unusable: also fails without the layer: {error}"
        return f"no: fails only with the layer: {error}"

    def report(self) -> bool:
        self.progress.clear()
        print()
        print_table(HEAD, [row.cells() for row in self.rows], left=3)
        print()
        print(NOTES)
        if any(device.is_pocl for device in self.devices.values()):
            print(POCL_NOTE)
        for driver, device in self.devices.items():
            print(f"{driver}: {device.platform} {device.version}, "
                  f"{device.name}")
        print()
        updated = self.updates.report()
        print(NEXT)
        return bool(self.devices) and updated and all(row.ok for row in self.rows)


NOTES = """\
cold, warm: time to the first result under the layer, in the first and in the
second process: clBuildProgram, clCreateKernel, first launch, clFinish (hashcat:
without a launch; clinfo: the whole process; dpnp: 50 operations once each).
The drivers' own caches are off.
own cache: a second run without the layer and with the driver's own cache (dpnp:
SYCL's persistent one)."""
POCL_NOTE = """\
PoCL ran with OCLCACHE_STORE=eager. When it is asked for a program's binary, it
compiles once more, so by default the layer stores a program only at the end of
its second use, and only if that should take less than a second (which leaves out
large programs). It serves the program from the third use on."""
NEXT = """\
What to type next:
    build/oclcache run PROGRAM      run one of your programs, and see what it saved
    build/oclcache doctor           check the layer, loaders and drivers
    sudo make install               install the layer and the command
    oclcache enable                 then switch it on for all your programs"""


def clean() -> None:
    for name in ("scratch", "own-cache", "updates"):
        shutil.rmtree(DIRECTORY / name, ignore_errors=True)


def main(arguments: list[str]) -> int:
    demo = Demo("--all" in arguments)
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    try:
        demo.measure_all()
        good = demo.report()
    except (RunFailed, subprocess.CalledProcessError) as error:
        demo.progress.clear()
        print(f"scripts/demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        demo.progress.clear()
        print("interrupted", file=sys.stderr)
        return 130
    finally:
        clean()
    if not demo.devices:
        print("scripts/demo: no usable OpenCL driver", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
