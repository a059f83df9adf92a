# SPDX-License-Identifier: MIT
"""The numbers to reach, each beside what was measured."""
from dataclasses import dataclass, replace
from typing import Callable, Iterator

import ahead_goals as ahead
from measure import BUSY
from results import Result, Results
from runs import print_table

LARGE = 1_000_000
# Those of scripts/probe_kernels.h.
SMALL_PROGRAMS = ("small", "barriers")


@dataclass(frozen=True)
class Goal:
    what: str
    limit: float | None  # None: it is shown beside others
    unit: str  # x, us, kB ...
    at_least: bool = False

    def text(self) -> str:
        if self.limit is None:
            return "-"
        return f"{'>=' if self.at_least else '<='} {show(self.limit, self.unit)}"

    def reached(self, value: float) -> bool:
        # A ratio as it is shown: 1.00 x isn't missed by a thousandth.
        if self.unit == "x":
            value = round(value, 2)
        return value >= self.limit if self.at_least else value <= self.limit


@dataclass(frozen=True)
class Measured:
    value: float
    low: float
    high: float
    where: str
    runs: int
    # A verdict that isn't to be had from the numbers alone.
    verdict: str = ""


def show(value: float, unit: str) -> str:
    if unit == "x":
        return f"{value:.2f} x"
    return f"{value:.3g} {unit}" if abs(value) < 100 else f"{value:.0f} {unit}"


def measured(results: Results, result: Result, scale: float = 1) -> Measured:
    """With where the median lies, if its part has kept that, else the
    quartiles."""
    ends = [results.one(part=result.part, driver=result.driver,
                        program=result.program, variant=result.variant,
                        what=f"{result.what}, {end}")
            for end in ("from", "to")]
    low, high = ((one.value for one in ends) if all(ends)
                 else result.quartiles())
    where = " ".join(filter(None, (result.driver, result.program)))
    return Measured(result.value * scale, low * scale, high * scale, where,
                    result.runs)


def worst(found: list[Measured], goal: Goal) -> Measured:
    """Of those that miss the goal for certain, if there are any: of several that
    are equal to it one is always beyond it by chance."""
    certain = [one for one in found
               if not goal.reached(one.low) and not goal.reached(one.high)]
    choose = min if goal.at_least else max
    return choose(certain or found, key=lambda one: one.value)


def verdict(goal: Goal, one: Measured) -> str:
    if one.verdict:
        return one.verdict
    if goal.limit is None:
        return ""
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


def told_apart(results: Results, goal: Goal, result: Result) -> Measured:
    """Where two loads of the same differ by more than the goal, by chance, the
    difference of a hit says something only if all of its spread does."""
    one = measured(results, result)
    same = results.one(part="floor", driver=result.driver,
                       program=result.program, variant="floor-floor",
                       what="beyond")
    if not same:
        return one
    control = measured(results, same)
    chance = (control.high - control.low) / 2
    if (chance > goal.limit and goal.reached(one.low)
            and not goal.reached(one.high)):
        return replace(one, verdict=f"undecided: in {one.runs} rounds two "
                       "bare loads can't be told apart by less than "
                       f"{show(chance, goal.unit)}")
    return one


def floor_goals(results: Results) -> Iterator[tuple[Goal, Measured | None]]:
    def large(driver: str) -> list[Measured]:
        return [measured(results, one)
                for one in against_floor(results, driver, "/")
                if sizes(results, driver).get(one.program, 0) > LARGE]

    below = Goal("hit against the floor, below", 100, "us")

    def small(driver: str) -> list[Measured]:
        often = [told_apart(results, below, one) for one in results.find(
                     part="floor", driver=driver, variant="hit-floor",
                     what="beyond")]
        if often:
            return often
        return [measured(results, one, 1000)
                for one in against_floor(results, driver, "-")
                if sizes(results, driver).get(one.program, 0) <= LARGE]

    yield from by_driver(results, "programs",
                         Goal("hit against the floor, over 1 MB", 1.05, "x"),
                         large)
    yield from by_driver(results, "programs", below, small)


def steady_goals(results: Results) -> Iterator[tuple[Goal, Measured | None]]:
    """Against the same binary without the layer, which is what the layer can be
    blamed for; and against compiled, where the driver's own difference between
    compiling and loading is in it, too."""
    def steady(driver: str, variant: str) -> dict[str, Result]:
        return {one.program: one for one in results.find(
            part="steady", driver=driver, variant=variant,
            what="launch, least")}

    def against_floor(driver: str) -> list[Measured]:
        return [measured(results, one)
                for one in steady(driver, "warm/floor").values()]

    goal = Goal("steady kernel, hit against the bare load", 1.02, "x")
    yield from by_driver(results, "steady", goal, against_floor)

    goal = Goal("steady kernel, hit against compiled", 1.02, "x")

    def against_compiled(driver: str) -> list[Measured]:
        bare = steady(driver, "floor/none")
        blame = steady(driver, "warm/floor")
        found = []
        for name, one in steady(driver, "warm/none").items():
            said = measured(results, one)
            if name in bare:
                control = show(bare[name].value, "x")
                said = replace(said,
                               where=f"{said.where} (bare load {control})")
            if (not goal.reached(said.value) and name in bare
                    and not goal.reached(bare[name].value)
                    and goal.reached(blame[name].value)):
                said = replace(said, verdict="missed, as by the bare load")
            found.append(said)
        return found

    yield from by_driver(results, "steady", goal, against_compiled)


def own_goals(results: Results) -> Iterator[tuple[Goal, Measured | None]]:
    def own(driver: str, programs: tuple[str, ...] | None) -> list[Measured]:
        return [measured(results, one) for one in results.find(
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
        measured(results, one) for one in results.find(
            part=part, driver=driver, variant="cold/none", what="process")
        if one.runs >= 3])


def repeat_goals(results: Results) -> Iterator[tuple[Goal, Measured | None]]:
    """Small, and large enough for the hashing to show."""
    for size, what in (("small", "repeat beyond creating, same context"),
                       ("large", "repeat of 16 MB, beyond creating it")):
        limit = results.one(part="repeat", program=size, what="limit")
        yield from by_driver(
            results, "repeat", Goal(what, limit.value if limit else 0, "us"),
            lambda driver, size=size: [
                measured(results, one) for one in results.find(
                    part="repeat", driver=driver, program=size,
                    what="beyond")])


def single(results: Results, goal: Goal, scale: float = 1,
           **wanted: str) -> Iterator[tuple[Goal, Measured | None]]:
    found = [measured(results, one, scale) for one in results.find(**wanted)]
    yield goal, worst(found, goal) if found else None


def call_goals(results: Results, call: str
               ) -> Iterator[tuple[Goal, Measured | None]]:
    """Of calls that the layer doesn't intercept the loader's slot tells. What
    the driver's own function takes varies from one heap to another: on Intel's
    runtime, without any layer, 1.07 us in a process that has loaded the
    program's binary and 1.10 in one that has compiled."""
    yield from single(results, Goal(f"{call}'s slot taken", 0, "slots"),
                      part="calls", variant="slots", what=call)
    for goal, one in single(results, Goal(f"{call} against an empty layer",
                                          1.0, "x"),
                            part="calls", variant="warm/empty", what=call):
        yield goal, one and replace(one, verdict="not judged: the slot is")


def ahead_goals(results: Results) -> Iterator[tuple[Goal, Measured | None]]:
    """Each by itself: by what they do programs differ more than by chance. None
    of those that weren't measured."""
    for wanted in ahead.GOALS:
        goal = Goal(wanted.what, wanted.limit, wanted.unit)
        for one in wanted.results(results):
            yield goal, measured(results, one)


def all_goals(results: Results) -> Iterator[tuple[Goal, Measured | None]]:
    yield from floor_goals(results)
    yield from steady_goals(results)
    yield from own_goals(results)
    yield from single(
        results, Goal("dpnp's start-up against DPC++'s cache", 0.9, "x"),
        part="dpnp", variant="warm/own", what="start_up")
    yield from cold_goals(results)
    yield from repeat_goals(results)
    for what in ("process", "cpu"):
        yield from single(
            results, Goal(f"8 processes on one cold key, {what}", 1.1, "x"),
            part="crowd", program="processes", variant="8/1", what=what)
    for call in ("clSetKernelArg", "clEnqueueNDRangeKernel"):
        yield from call_goals(results, call)
    yield from single(
        results, Goal("resident memory of an idle layer", 1000, "kB"),
        part="calls", variant="warm-none", what="resident")
    for what, goal in (
            ("platform", Goal("initialising the layer", 200, "us")),
            ("resident", Goal("resident memory, nothing built", 300, "kB"))):
        yield from single(results, goal, part="first", program="platform",
                          variant="known-none", what=what)
    yield from single(
        results, Goal("a context, nothing built", 50, "us"),
        part="first", program="context", variant="known-none", what="context")
    yield from single(
        results, Goal("evicting a third of 100 000 entries", 1, "s"), 1e-6,
        part="scale", variant="100000", what="evict")
    yield from ahead_goals(results)


def print_goals(results: Results,
                goals: Callable[[Results], Iterator[
                    tuple[Goal, Measured | None]]] = all_goals) -> None:
    rows = []
    for goal, one in goals(results):
        if not one:
            rows.append([goal.what, "", goal.text(), "-", "-", "",
                         "not measured"])
            continue
        spread = ("-" if one.low == one.high else
                  f"{show(one.low, goal.unit)} .. {show(one.high, goal.unit)}")
        rows.append([goal.what, one.where, goal.text(),
                     show(one.value, goal.unit), spread, str(one.runs),
                     verdict(goal, one)])
    print_table(["what", "worst at", "goal", "measured", "spread", "runs",
                 ""], rows, left=2)
    busy = sorted(one.part for one in results.find(
        what="machine used by others") if one.value > 100 * BUSY)
    if busy:
        print("\nWARNING: the machine had other work meanwhile, so that these "
              f"parts prove nothing: {' '.join(busy)}")
