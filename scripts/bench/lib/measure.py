# SPDX-License-Identifier: MIT
"""What all benchmarks share: rounds, medians, the CSV, how busy the machine is.

A part (scripts/bench/NAME) appends lines to one CSV:

    part,driver,program,variant,what,value,unit,runs

`value` is the median of `runs` values. Where there are three or more, two lines
more have the quartiles: `what` with ".q1" and ".q3". Variants with "/" or "-"
between two others are ratios and differences, taken round by round.
"""
import argparse
import csv
import datetime
import math
import os
import platform
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Callable, Iterable, Iterator

from drivers import (ROOT, Device, Target, Unavailable, find_devices,
                     installed_drivers)

DIRECTORY = ROOT / "build/bench"
CSV_NAME = ROOT / "build/bench.csv"
CSV_HEAD = ["part", "driver", "program", "variant", "what", "value", "unit",
            "runs"]
# Of the machine's time: more than this, taken by others, makes times doubtful.
BUSY = 0.10


def quartiles(values: list[float]) -> tuple[float, float]:
    first, _, third = quantiles(values, n=4, method="inclusive")
    return first, third


def interval(values: list[float]) -> tuple[float, float]:
    """Where the median lies with a certainty of 95 %, by the binomial
    distribution; of fewer than six values all that there are."""
    values = sorted(values)
    outside = first = 0
    for index in range(len(values) // 2):
        # That so few of them, or fewer, are on one side of it; two sides.
        outside += 2 * math.comb(len(values), index)
        if outside > 0.05 * 2 ** len(values):
            break
        first = index
    return values[first], values[-1 - first]


class Samples:
    """Values by variant and by what they measure, one per round."""

    def __init__(self) -> None:
        self.rounds: dict[tuple[str, str], dict[int, float]] = {}

    def add(self, variant: str, number: int, values: dict[str, float]) -> None:
        for what, value in values.items():
            self.rounds.setdefault((variant, what), {})[number] = value

    def values(self, variant: str, what: str) -> list[float]:
        return list(self.rounds.get((variant, what), {}).values())

    def median(self, variant: str, what: str) -> float | None:
        values = self.values(variant, what)
        return median(values) if values else None

    def kinds(self) -> Iterable[tuple[str, str]]:
        return self.rounds.keys()

    def each_round(self, over: str, under: str, what: str,
                   combine: Callable[[float, float], float]) -> list[float]:
        """What slows the machine for a while slows both of a round. Where the
        rounds aren't the same, of the medians."""
        ups = self.rounds.get((over, what), {})
        downs = self.rounds.get((under, what), {})
        if not ups or not downs:
            return []
        if len(ups) != len(downs):
            return [combine(median(ups.values()), median(downs.values()))]
        return [combine(ups[number], downs[number])
                for number in ups if number in downs]

    def ratio(self, over: str, under: str, what: str) -> list[float]:
        return self.each_round(over, under, what,
                               lambda a, b: a / b if b else float("inf"))

    def ratio_of_rounds(self, over: str, under: str, what: str) -> list[float]:
        """Only of the rounds that both have."""
        ups = self.rounds.get((over, what), {})
        downs = self.rounds.get((under, what), {})
        return [ups[number] / downs[number] for number in ups
                if downs.get(number)]

    def difference(self, over: str, under: str, what: str) -> list[float]:
        return self.each_round(over, under, what, lambda a, b: a - b)


def interleave(ways: dict[str, Callable[[], dict[str, float]]],
               rounds: int, samples: Samples,
               counts: dict[str, int] | None = None,
               step: Callable[[str], None] = lambda text: None,
               first: int = 0) -> None:
    """Runs all ways in turn, `rounds` times (a way in `counts`: as often),
    every other round backwards: what runs after a long compile may be
    slower. The rounds' numbers begin with `first`."""
    for number in range(first, first + rounds):
        names = list(ways) if number % 2 == 0 else list(reversed(ways))
        for name in names:
            if number < (counts or {}).get(name, first + rounds):
                step(f"{name}, run {number + 1}")
                samples.add(name, number, ways[name]())


def rounds_within(limit_s: float, most: int, least: int = 0
                  ) -> Iterator[int]:
    """The numbers of as many rounds as fit, of `least` to `most`."""
    end = time.monotonic() + limit_s
    for number in range(most):
        if number >= least and time.monotonic() >= end:
            return
        yield number


class Processors:
    """How much of the machine others have used since it was made."""

    def __init__(self) -> None:
        self.start = self.read()

    @staticmethod
    def read() -> tuple[float, float, float]:
        """Busy, all and our own seconds of CPU time."""
        tick = os.sysconf("SC_CLK_TCK")
        ours = sum(use.ru_utime + use.ru_stime for use in (
            resource.getrusage(resource.RUSAGE_SELF),
            resource.getrusage(resource.RUSAGE_CHILDREN)))
        try:
            line = Path("/proc/stat").read_text().splitlines()[0]
        except OSError:
            return 0, 0, ours
        times = [int(word) / tick for word in line.split()[1:9]]
        # user nice system idle iowait irq softirq steal
        return sum(times) - times[3] - times[4], sum(times), ours

    def others(self) -> float:
        """A share of the machine, 0 to 1."""
        busy, total, ours = (now - before for now, before
                             in zip(self.read(), self.start))
        return max(0.0, busy - ours) / total if total > 0 else 0.0


class Part:
    """One benchmark: takes results, prints and keeps them."""

    def __init__(self, name: str, options: argparse.Namespace) -> None:
        self.name = name
        self.options = options
        self.processors = Processors()
        self.failures: list[str] = []
        self.path = options.csv
        self.path.parent.mkdir(parents=True, exist_ok=True)
        DIRECTORY.mkdir(parents=True, exist_ok=True)
        print_machine()
        warn_of_load()

    def line(self, *cells) -> None:
        new = not self.path.exists() or not self.path.stat().st_size
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            if new:
                writer.writerow(CSV_HEAD)
            writer.writerow([self.name, *cells])

    def keep(self, driver: str, program: str, variant: str, what: str,
             values: list[float], unit: str = "ms") -> float | None:
        """Returns the median; None where there is nothing."""
        if not values:
            return None
        label = (driver, program, variant)
        middle = median(values)
        self.line(*label, what, number(middle), unit, len(values))
        if len(values) >= 3:
            for end, value in zip(("q1", "q3"), quartiles(values)):
                self.line(*label, f"{what}.{end}", number(value), unit,
                          len(values))
        return middle

    def keep_interval(self, driver: str, program: str, variant: str, what: str,
                      values: list[float], unit: str) -> float | None:
        """With `what` and ", from" and ", to": where the median lies."""
        middle = self.keep(driver, program, variant, what, values, unit)
        if values:
            for end, value in zip(("from", "to"), interval(values)):
                self.line(driver, program, variant, f"{what}, {end}",
                          number(value), unit, len(values))
        return middle

    def keep_all(self, driver: str, program: str, samples: Samples,
                 unit: str = "ms") -> None:
        for variant, what in samples.kinds():
            self.keep(driver, program, variant, what,
                      samples.values(variant, what), unit)

    def keep_ratio(self, driver: str, program: str, samples: Samples,
                   over: str, under: str, what: str) -> float | None:
        values = samples.ratio(over, under, what)
        # Of fewer an interval would be all that there are.
        keep = self.keep_interval if len(values) >= 6 else self.keep
        return keep(driver, program, f"{over}/{under}", what, values, "x")

    def keep_difference(self, driver: str, program: str, samples: Samples,
                        over: str, under: str, what: str) -> float | None:
        return self.keep(driver, program, f"{over}-{under}", what,
                         samples.difference(over, under, what))

    def fail(self, text: str) -> None:
        self.failures.append(text)

    def finish(self) -> int:
        """The exit status."""
        others = self.processors.others()
        self.line("", "", "", "machine used by others", number(100 * others),
                  "%", 1)
        if others > BUSY:
            print(f"{self.name}: WARNING: others used {others:.0%} of this "
                  "machine meanwhile: times are too long, ratios doubtful")
        for failure in self.failures:
            print(f"{self.name}: FAILED: {failure}")
        return 1 if self.failures else 0


def number(value: float) -> str:
    return f"{value:.6g}"


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def revision() -> str:
    try:
        done = subprocess.run(["git", "describe", "--always", "--dirty"],
                              cwd=ROOT, capture_output=True, text=True,
                              check=False)
    except FileNotFoundError:
        return "unknown revision"
    return done.stdout.strip() or "unknown revision"


def print_machine() -> None:
    now = datetime.datetime.now().astimezone()
    print(f"{now:%Y-%m-%d %H:%M %Z}, {cpu_model()}, {os.cpu_count()} cores, "
          f"load {os.getloadavg()[0]:.1f}, oclcache {revision()}, Linux "
          f"{platform.release()}", flush=True)


def warn_of_load() -> None:
    load = os.getloadavg()[0]
    # What has just ended is still in the average.
    if load > os.cpu_count():
        print(f"WARNING: the load is {load:.1f} on {os.cpu_count()} cores: "
              "the machine is busy", flush=True)


def environment_of(target: Target) -> dict[str, str]:
    """A target's, with a cache directory of its own: drivers with their caches
    off still write there."""
    scratch = DIRECTORY / "scratch" / f"{target.driver}-{target.loader}"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    return {**target.environment(), "XDG_CACHE_HOME": str(scratch)}


def targets(part: Part, more: tuple[str, ...] = ()
            ) -> Iterator[tuple[Target, Device, dict[str, str]]]:
    """The first device of each driver that is wanted, and is here; of `more`,
    too."""
    for driver in part.options.driver or [*installed_drivers(), *more]:
        target = Target(driver, part.options.loader)
        try:
            environment = environment_of(target)
            device = find_devices(environment)[0]
        except Unavailable as error:
            print(f"{target}: not measured: {error}")
            continue
        print(f"{target}: {device.platform} {device.version}, {device.name}",
              flush=True)
        yield target, device, environment


def add_target_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--driver", action="append", metavar="NAME",
                        help="only this one (again for more): intel, pocl ..")
    parser.add_argument("--loader", default=os.environ.get(
        "OCLCACHE_BENCH_LOADER", "ocl-icd"))


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def make_parser(name: str, description: str,
                runs: int) -> argparse.ArgumentParser:
    """Options that all parts have. Runs: of light programs."""
    chosen = os.environ.get("OCLCACHE_BENCH_CSV") or CSV_NAME
    parser = argparse.ArgumentParser(
        prog=f"scripts/bench/{name}", description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=positive, metavar="N",
                        help=f"rounds (default {runs}; quick: 3)")
    parser.add_argument("--quick", action="store_true",
                        help="fewer rounds, light programs only")
    parser.add_argument("--csv", type=Path, default=Path(chosen),
                        metavar="FILE",
                        help="append there (default build/bench.csv, or "
                             "$OCLCACHE_BENCH_CSV)")
    parser.set_defaults(default_runs=runs)
    return parser


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    options = parser.parse_args()
    if not options.runs:
        options.runs = 3 if options.quick else options.default_runs
    return options


def main_of(name: str, run: Callable[[Part], None],
            options: argparse.Namespace) -> int:
    part = Part(name, options)
    try:
        run(part)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    finally:
        shutil.rmtree(DIRECTORY / "scratch", ignore_errors=True)
    return part.finish()
