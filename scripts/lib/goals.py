# SPDX-License-Identifier: MIT
"""The numbers to reach, each beside what was measured."""
from dataclasses import dataclass, replace
from typing import Callable, Iterator

from measure import BUSY
from results import Result, Results
from runs import print_table

LARGE = 1_000_000
# Those of scripts/probe_kernels.h.
SMALL_PROGRAMS = ("small", "barriers")


@dataclass(frozen=True)
class Goal:
    what: str
    limit: float
    unit: str  # x, us, kB ...
    at_least: bool = False

    def text(self) -> str:
        return f"{'>=' if self.at_least else '<='} {show(self.limit, self.unit)}"

    def reached(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit


@dataclass(frozen=True)
class Measured:
    value: float
    low: float
    high: float
    where: str
    runs: int


def show(value: float, unit: str) -> str:
    if unit == "x":
        return f"{value:.2f} x"
    return f"{value:.3g} {unit}" if abs(value) < 100 else f"{value:.0f} {unit}"


def measured(result: Result, scale: float = 1) -> Measured:
    low, high = (end * scale for end in result.quartiles())
    where = " ".join(filter(None, (result.driver, result.program)))
    return Measured(result.value * scale, low, high, where, result.runs)


def interval(results: Results, result: Result) -> Measured:
    """With where the median lies, rather than the quartiles."""
    ends = [results.one(part=result.part, driver=result.driver,
                        program=result.program, variant=result.variant,
                        what=f"{result.what}, {end}")
            for end in ("from", "to")]
    said = measured(result)
    if not all(ends):
        return said
    return replace(said, low=ends[0].value, high=ends[1].value)


def worst(found: list[Measured], goal: Goal) -> Measured:
    choose = min if goal.at_least else max
    return choose(found, key=lambda one: one.value)


def verdict(goal: Goal, one: Measured) -> str:
    said = "met" if goal.reached(one.value) else "missed"
    if goal.reached(one.low) != goal.reached(one.high):
        said += ", within the spread"
    return said


def sizes(results: Results, driver: str) -> dict[str, float]:
    return {one.program: one.value for one
            in results.find(part="programs", driver=driver, what="entry")}


def by_driver(results: Results, part: str, goal: Goal,
              choose: Callable[[str], list[Measured]]
              ) -> Iterator[tuple[Goal, Measured | None]]:
    drivers = results.drivers(part)
    for driver in drivers:
        found = choose(driver)
        if found:
            yield goal, worst(found, goal)
    if not drivers:
        yield goal, None


def against_floor(results: Results, driver: str, sign: str) -> list[Result]:
    """With the driver's own cache on, where it has one: as users have it."""
    found = {}
    for variant in (f"warm{sign}floor", f"warm+own{sign}floor+own"):
        for one in results.find(part="programs", driver=driver,
                                variant=variant, what="total"):
            found[one.program] = one
    return list(found.values())


def floor_goals(results: Results) -> Iterator[tuple[Goal, Measured | None]]:
    def large(driver: str) -> list[Measured]:
        return [measured(one) for one in against_floor(results, driver, "/")
                if sizes(results, driver).get(one.program, 0) > LARGE]

    def small(driver: str) -> list[Measured]:
        if results.find(part="floor", driver=driver):
            return [interval(results, one) for one in results.find(
                        part="floor", driver=driver, what="fastest tenth")]
        return [measured(one, 1000)
                for one in against_floor(results, driver, "-")
                if sizes(results, driver).get(one.program, 0) <= LARGE]

    yield from by_driver(results, "programs",
                         Goal("hit against the floor, over 1 MB", 1.05, "x"),
                         large)
    yield from by_driver(results, "programs",
                         Goal("hit against the floor, below", 100, "us"),
                         small)


def steady_goals(results: Results) -> Iterator[tuple[Goal, Measured | None]]:
    """Beside it the same binary without the layer: the control."""
    goal = Goal("steady kernel, hit against compiled", 1.02, "x")

    def steady(driver: str, variant: str) -> list[Result]:
        return results.find(part="steady", driver=driver, variant=variant,
                            what="launch, least")

    def against_compiled(driver: str) -> list[Measured]:
        bare = {one.program: one.value for one in steady(driver, "floor/none")}
        found = []
        for one in steady(driver, "warm/none"):
            said = interval(results, one)
            if one.program in bare:
                control = show(bare[one.program], "x")
                said = replace(said,
                               where=f"{said.where} (bare load {control})")
            found.append(said)
        return found

    yield from by_driver(results, "steady", goal, against_compiled)


def own_goals(results: Results) -> Iterator[tuple[Goal, Measured | None]]:
    def own(driver: str, programs: tuple[str, ...] | None) -> list[Measured]:
        return [measured(one) for one in results.find(
                    part="programs", driver=driver, variant="own/warm+own",
                    what="total")
                if not programs or one.program in programs]

    yield from by_driver(
        results, "programs",
        Goal("driver's own warm cache against a hit, small", 5, "x", True),
        lambda driver: own(driver, SMALL_PROGRAMS))
    yield from by_driver(
        results, "programs",
        Goal("driver's own warm cache against a hit, any", 1, "x", True),
        lambda driver: own(driver, None))


def cold_goals(results: Results) -> Iterator[tuple[Goal, Measured | None]]:
    goal = Goal("cold process against no layer", 1.05, "x")
    # bench-cold has more rounds.
    part = "cold" if results.find(part="cold") else "programs"
    yield from by_driver(results, part, goal, lambda driver: [
        measured(one) for one in results.find(
            part=part, driver=driver, variant="cold/none", what="process")
        if one.runs >= 3])


def single(results: Results, goal: Goal, scale: float = 1,
           **wanted: str) -> Iterator[tuple[Goal, Measured | None]]:
    found = [measured(one, scale) for one in results.find(**wanted)]
    yield goal, worst(found, goal) if found else None


def all_goals(results: Results) -> Iterator[tuple[Goal, Measured | None]]:
    yield from floor_goals(results)
    yield from steady_goals(results)
    yield from own_goals(results)
    yield from single(
        results, Goal("dpnp's start-up against DPC++'s cache", 0.9, "x"),
        part="dpnp", variant="warm/own", what="start_up")
    yield from cold_goals(results)
    yield from single(
        results, Goal("repeat in the same context, without hashing", 20,
                      "us"),
        part="repeat", what="repeat")
    yield from single(
        results, Goal("repeat: hashing", 5, "GB/s", True),
        part="repeat", what="hashing")
    for what in ("process", "cpu"):
        yield from single(
            results, Goal(f"8 processes on one cold key, {what}", 1.1, "x"),
            part="crowd", program="processes", variant="8/1", what=what)
    for call in ("clSetKernelArg", "clEnqueueNDRangeKernel"):
        yield from single(
            results, Goal(f"{call}'s slot taken", 0, "slots"),
            part="calls", variant="slots", what=call)
        yield from single(
            results, Goal(f"{call} against an empty layer", 1.0, "x"),
            part="calls", variant="warm/empty", what=call)
    yield from single(
        results, Goal("resident memory of an idle layer", 1000, "kB"),
        part="calls", variant="warm-none", what="resident")
    yield from single(
        results, Goal("evicting a third of 100 000 entries", 1, "s"), 1e-6,
        part="scale", variant="100000", what="evict")


def print_goals(results: Results) -> None:
    rows = []
    for goal, one in all_goals(results):
        if not one:
            rows.append([goal.what, "", goal.text(), "-", "-", "",
                         "not measured"])
            continue
        spread = ("-" if one.low == one.high else
                  f"{show(one.low, goal.unit)} .. {show(one.high, goal.unit)}")
        rows.append([goal.what, one.where, goal.text(),
                     show(one.value, goal.unit), spread, str(one.runs),
                     verdict(goal, one)])
    print_table(["what", "worst at", "goal", "measured", "quartiles", "runs",
                 ""], rows, left=2)
    busy = sorted(one.part for one in results.find(
        what="machine used by others") if one.value > 100 * BUSY)
    if busy:
        print("\nWARNING: the machine had other work meanwhile, so that these "
              f"parts prove nothing: {' '.join(busy)}")
