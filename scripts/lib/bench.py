# SPDX-License-Identifier: MIT
"""The measuring part of scripts/bench-clinfo."""
import argparse
import csv
import datetime
import difflib
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from drivers import (LOADERS, OWN_CACHE_OFF, ROOT, VENV_PYTHON, Device, Target,
                     Unavailable, find_devices, has_dpnp, installed_drivers,
                     loader_version, own_cache_in)
from runs import (LAYER, PROBE, Progress, RunFailed, Store, flatten,
                  milliseconds, print_table, ratio, run)

FOLDER = ROOT / "build/bench"
WAYS = ("none", "own", "cold", "warm", "floor")
TIMES = ("create", "build", "kernel", "launch", "total", "steady", "release",
         "wall")


@dataclass(frozen=True)
class Workload:
    name: str
    arguments: tuple[str, ...] = ()
    # A program other than the probe: it has no floor. What it runs on may have
    # a cache even where the driver has none.
    command: tuple[str, ...] = ()
    own_cache: bool = False


@dataclass
class Samples:
    """All runs of one workload on one device, by way and time."""
    runs: dict[str, list[dict[str, float]]] = field(
        default_factory=lambda: {way: [] for way in WAYS})
    problems: list[str] = field(default_factory=list)

    def sums(self, way: str, times: tuple[str, ...]) -> list[float]:
        return [sum(run[time] for time in times)
                for run in self.runs[way] if all(t in run for t in times)]

    def median(self, way: str, *times: str) -> float | None:
        values = self.sums(way, times)
        return median(values) if values else None

    def lowest(self, way: str, name: str) -> float | None:
        """For times that only disturbance makes longer."""
        return min(self.sums(way, (name,)), default=None)

    def adds(self, over: str, under: str, over_times: tuple[str, ...],
             under_times: tuple[str, ...]) -> float | None:
        """The median of each round's difference."""
        values = [a - b for a, b in zip(self.sums(over, over_times),
                                        self.sums(under, under_times))]
        return median(values) if values else None

    def ratio(self, over: str, under: str, over_times: tuple[str, ...],
              under_times: tuple[str, ...] = ()) -> str:
        """The median of each round's ratio: what slows the machine for a
        while slows both."""
        ratios = [a / b for a, b in zip(
            self.sums(over, over_times),
            self.sums(under, under_times or over_times)) if b]
        return ratio(median(ratios), 1.0) if ratios else "-"


class Bench:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.progress = Progress()
        self.failures: list[str] = []
        self.clinfo_rows: list[list[str]] = []
        self.rows: dict[str, list[list[str]]] = {
            "first": [], "parts": []}
        self.samples: list[list[str]] = []
        self.versions: list[str] = []

    # ---- clinfo ----

    def clinfo(self, target: Target, environment: dict[str, str],
               device: Device) -> None:
        """The output must not change; the time should not, either."""
        store = Store(FOLDER / "clinfo")
        plain = {**environment, **OWN_CACHE_OFF}
        walls: dict[str, list[float]] = {"none": [], "cold": [], "warm": []}
        outputs: dict[str, str] = {}
        served = "yes"
        for number in range(self.options.runs):
            self.progress.step(f"{target}: clinfo, run {number + 1}")
            store.empty()
            none = run(["clinfo"], plain)
            cold, _ = store.run(["clinfo"], environment, device)
            warm, trace = store.run(["clinfo"], environment, device)
            if not trace.served:
                served = f"no: {trace.why()}"
            for way, outcome in zip(walls, (none, cold, warm)):
                walls[way].append(outcome.wall_ms)
                outputs[way] = outcome.output
        same = self.same_outputs(target, outputs)
        if served != "yes":
            self.failures.append(f"{target}: clinfo not served ({served})")
        none_ms, cold_ms, warm_ms = (median(walls[way]) for way in walls)
        self.clinfo_rows.append(
            [target.driver, target.loader, milliseconds(none_ms),
             milliseconds(cold_ms), milliseconds(warm_ms),
             f"{cold_ms - none_ms:+.1f}", f"{warm_ms - none_ms:+.1f}",
             "same" if same else "DIFFERS", served])

    def same_outputs(self, target: Target, outputs: dict[str, str]) -> bool:
        same = True
        for way in ("cold", "warm"):
            diff = list(difflib.unified_diff(
                outputs["none"].splitlines(), outputs[way].splitlines(),
                "without the layer", f"with the layer, {way}", lineterm="",
                n=0))
            if diff:
                same = False
                self.progress.clear()
                print("\n".join(diff))
                self.failures.append(f"{target}: clinfo's output differs")
        return same

    # ---- devices ----

    def workloads(self, target: Target) -> list[Workload]:
        # Oclgrind interprets: one launch takes seconds.
        launches = 1 if target.driver == "oclgrind" else self.options.steady
        steady = ("--steady", str(launches))
        chosen = [Workload(name, ("--source", name, *steady))
                  for name in ("small", "barriers")]
        if self.options.quick:
            return chosen
        kernel = "m00000_a3-optimized"
        source = flatten(kernel, FOLDER)
        chosen.append(Workload(f"hashcat {kernel}", (
            "--source", str(source), "--kernel", "m00000_m04",
            "--no-launch")))
        if target.driver == "intel" and has_dpnp():
            chosen.append(Workload("dpnp", own_cache=True, command=(
                str(VENV_PYTHON), str(ROOT / "scripts/demo_dpnp.py"))))
        return chosen

    def device(self, target: Target, environment: dict[str, str],
               device: Device, index: int) -> None:
        for workload in self.workloads(target):
            name = f"{target}: {device.name}: {workload.name}"
            try:
                samples = Measurement(
                    self, name, target, device, workload,
                    environment).measure()
            except RunFailed as error:
                self.failures.append(f"{name}: {error}")
                continue
            label = [workload.name, target.driver, str(index)]
            self.first_row(label, samples)
            self.parts_row(label, samples)
            self.keep_samples([target.driver, target.loader, device.name,
                               workload.name], samples)
            if samples.problems:
                self.failures.append(f"{name}: {samples.problems[0]}")

    def first_row(self, label: list[str], samples: Samples) -> None:
        total = ("total",)
        self.rows["first"].append(
            label + [milliseconds(samples.median(way, *total))
                     for way in WAYS]
            + [samples.ratio("warm", "floor", total),
               samples.ratio("own", "warm", total),
               samples.ratio("none", "warm", total),
               samples.ratio("cold", "none", total),
               samples.ratio("cold", "none", ("wall",)),
               samples.problems[0] if samples.problems else "yes"])

    def parts_row(self, label: list[str], samples: Samples) -> None:
        bare = ("create", "build")
        compiled = samples.lowest("none", "steady")
        stored = samples.lowest("warm", "steady")
        self.rows["parts"].append(label + [
            three_digits(samples.median("warm", "build")),
            three_digits(samples.median("floor", *bare)),
            three_digits(samples.adds("warm", "floor", ("build",), bare)),
            samples.ratio("warm", "floor", ("build",), bare),
            three_digits(compiled), three_digits(stored),
            ratio(stored, compiled) if stored and compiled else "-"])

    def keep_samples(self, label: list[str], samples: Samples) -> None:
        for way, runs in samples.runs.items():
            for number, times in enumerate(runs):
                self.samples.append(
                    [*label, way, str(number + 1)]
                    + [str(times.get(time, "")) for time in TIMES])

    # ---- all of it ----

    def measure(self) -> None:
        for driver in self.drivers():
            measured = False
            for loader in self.options.loader or LOADERS:
                target = Target(driver, loader)
                try:
                    self.progress.step(f"{target}: looking for devices")
                    environment = self.environment(target)
                    devices = find_devices(environment)
                except Unavailable as error:
                    self.versions.append(f"{target}: not used: {error}")
                    continue
                self.note_versions(target, environment, devices)
                self.target(target, environment, devices, not measured)
                measured = True

    def target(self, target: Target, environment: dict[str, str],
               devices: list[Device], with_devices: bool) -> None:
        try:
            self.clinfo(target, environment, devices[0])
        except RunFailed as error:
            self.failures.append(f"{target}: clinfo: {error}")
        # A build takes as long under any loader.
        for index, device in enumerate(devices if with_devices else []):
            self.device(target, environment, device, index)

    def drivers(self) -> list[str]:
        return self.options.driver or installed_drivers()

    def environment(self, target: Target) -> dict[str, str]:
        scratch = FOLDER / "scratch"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        return {**target.environment(), "XDG_CACHE_HOME": str(scratch)}

    def note_versions(self, target: Target, environment: dict[str, str],
                      devices: list[Device]) -> None:
        self.versions.append(f"{target}: {loader_version(environment)}")
        for index, device in enumerate(devices):
            self.versions.append(f"    device {index}: {device.name}, "
                                 f"{device.platform} {device.version}")


class Measurement:
    """One workload on one device in all ways."""

    def __init__(self, bench: Bench, name: str, target: Target,
                 device: Device, workload: Workload,
                 environment: dict[str, str]) -> None:
        self.bench = bench
        self.name = name
        self.device = device
        self.has_own_cache = target.has_own_cache or workload.own_cache
        self.has_floor = not workload.command
        self.plain = {**environment, **OWN_CACHE_OFF}
        self.environment = environment
        self.store = Store(FOLDER / "probe")
        self.binary = FOLDER / "floor.bin"
        self.own_folder = FOLDER / "own-cache"
        self.command = list(workload.command) or [
            str(PROBE), "--platform", device.platform,
            "--device", str(device.index), *workload.arguments]
        self.samples = Samples()
        self.checksums: set[str] = set()

    def measure(self) -> Samples:
        self.prepare()
        for number in range(self.bench.options.runs):
            self.bench.progress.step(f"{self.name}, run {number + 1}")
            self.round()
        if len(self.checksums) > 1:
            self.samples.problems.append("the results differ")
        return self.samples

    def prepare(self) -> None:
        """The floor's binary, as a driver has it after a launch."""
        self.bench.progress.step(f"{self.name}, preparing")
        if self.has_floor:
            run([*self.command, "--save-binary", str(self.binary)], self.plain)
        if self.has_own_cache:
            shutil.rmtree(self.own_folder, ignore_errors=True)
            run(self.command, self.own_environment())

    def own_environment(self) -> dict[str, str]:
        return {**self.environment, **own_cache_in(self.own_folder)}

    def round(self) -> None:
        self.keep("none", run(self.command, self.plain))
        if self.has_own_cache:
            self.keep("own", run(self.command, self.own_environment()))
        self.store.empty()
        cold, _ = self.store.run(self.command, self.environment, self.device)
        self.keep("cold", cold)
        warm, trace = self.store.run(self.command, self.environment,
                                     self.device)
        self.keep("warm", warm)
        if not trace.served:
            self.samples.problems.append(f"no: {trace.why()}")
        if self.has_floor:
            floor = [*self.command, "--binary", str(self.binary)]
            self.keep("floor", run(floor, self.plain))

    def keep(self, way: str, outcome) -> None:
        report = outcome.report()
        for name in ("checksum", "digest"):
            if name in report:
                self.checksums.add(report[name])
        times = {time: report[time] for time in TIMES if time in report}
        self.samples.runs[way].append({**times, "wall": outcome.wall_ms})


def three_digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def revision() -> str:
    done = subprocess.run(["git", "describe", "--always", "--dirty"],
                          cwd=ROOT, capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() or "unknown revision"


def print_machine(options: argparse.Namespace) -> None:
    now = datetime.datetime.now().astimezone()
    load = os.getloadavg()[0]
    print(f"{now:%Y-%m-%d %H:%M %Z}, {cpu_model()}, {os.cpu_count()} cores, "
          f"load {load:.1f}")
    print(f"oclcache {revision()}, Linux {platform.release()}, medians of "
          f"{options.runs} rounds, ratios: medians of each round's")


def print_report(bench: Bench) -> None:
    bench.progress.clear()
    print()
    print_machine(bench.options)
    print("\n".join(bench.versions))
    print("\nclinfo, the whole process, ms")
    print_table(["driver", "loader", "none", "cold", "warm", "cold adds",
                 "warm adds", "output", "served"], bench.clinfo_rows, left=2)
    print("\nTime to first result, ms: build, clCreateKernel, first launch, "
          "clFinish (hashcat: no launch; dpnp: 50 operations, own: SYCL's "
          "persistent cache)")
    print_table(["program", "driver", "device", *WAYS, "warm/floor",
                 "own/warm", "none/warm", "cold/none", "whole process",
                 "served"], bench.rows["first"], left=3)
    print("\nclBuildProgram alone (bare: reading, hashing, creating, "
          "building) and the steady launch (lowest median of a run), ms")
    print_table(["program", "driver", "device", "hit", "bare", "adds", "hit/bare",
                 "compiled", "from store", "store/compiled"],
                bench.rows["parts"], left=3)
    if bench.failures:
        print("\nFAILED:")
        print("\n".join(f"    {line}" for line in bench.failures))


def write_csv(path: Path, bench: Bench) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["driver", "loader", "device", "program", "way",
                         "run", *(f"{time}_ms" for time in TIMES)])
        writer.writerows(bench.samples)


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def parse(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench-clinfo", description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=positive, default=5, metavar="N")
    parser.add_argument("--steady", type=positive, default=300, metavar="N",
                        help="launches for the steady time (default 300)")
    parser.add_argument("--quick", action="store_true",
                        help="without the heavy source")
    parser.add_argument("--driver", action="append", metavar="NAME",
                        help="only this one (again for more): intel, pocl ..")
    parser.add_argument("--loader", action="append", choices=LOADERS)
    parser.add_argument("--csv", type=Path, metavar="FILE",
                        help="write every run there")
    return parser.parse_args()


def main(description: str) -> int:
    options = parse(description)
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not PROBE.exists():
        print(f"scripts/bench-clinfo: {PROBE} is missing: type "
              "`make all script-programs`", file=sys.stderr)
        return 2
    if not LAYER.exists():
        print("scripts/bench-clinfo: no layer: build/liboclcache.so is "
              "missing", file=sys.stderr)
    bench = Bench(options)
    try:
        bench.measure()
    except KeyboardInterrupt:
        bench.progress.clear()
        print("interrupted", file=sys.stderr)
        return 130
    except RunFailed as error:
        bench.failures.append(str(error))
    finally:
        for name in ("scratch", "own-cache"):
            shutil.rmtree(FOLDER / name, ignore_errors=True)
    print_report(bench)
    if options.csv:
        write_csv(options.csv, bench)
    if not bench.clinfo_rows:
        print("scripts/bench-clinfo: no usable driver", file=sys.stderr)
        return 1
    return 1 if bench.failures else 0
