# SPDX-License-Identifier: MIT
"""The numbers to reach by loading ahead, as scripts/bench/ahead keeps them."""
from dataclasses import dataclass, replace
from typing import Iterator

from results import Result, Results

WAITED = "hashcat m00000, after 0.5 s"
AT_ONCE = "hashcat m00000, at once"
THREE_WAITED = "hashcat's three, after 0.5 s"
TEN_WAITED = "ten programs, after 0.5 s"
TEN_WORKED = "ten programs, after 100 ms"
TEN_AT_ONCE = "ten programs, at once"
WRONG = "ten programs, others expected"
NEVER_BUILT = "nothing, never built"
BUILT_BEFORE = "nothing, ten expected"
PYOPENCL = "pyopencl, ten programs"
HASHCAT = "hashcat's order"
DPNP = "dpnp, 20 operations"
DPNP_TESTS = "dpnp, tests of logic"

# No number is to be reached: what it costs, or what is compared with.
NO_LIMIT = None


@dataclass(frozen=True)
class AheadGoal:
    what: str
    program: str
    variant: str
    measure: str
    limit: float | None
    unit: str = "x"
    driver: str | None = None  # of all but "neo"

    def results(self, results: Results) -> Iterator[Result]:
        for one in results.find(part="ahead", program=self.program,
                                variant=self.variant, what=self.measure):
            if one.unit == self.unit and (one.driver == self.driver
                                          or not self.driver
                                          and one.driver != "neo"):
                yield one


def beside(goal: AheadGoal) -> AheadGoal:
    """The same without loading ahead."""
    return replace(goal, what="... served, nothing loaded ahead", limit=NO_LIMIT,
                   variant=goal.variant.replace("ahead", "off"))


def against(what: str, program: str, variant: str, measure: str, limit: float,
            alone: str = "build",
            driver: str | None = None) -> tuple[AheadGoal, ...]:
    """With the same without loading ahead, and what remains of the calls that
    make programs: drivers do more when kernels are made and launched."""
    goal = AheadGoal(what, program, variant, measure, limit, driver=driver)
    return goal, beside(goal), replace(
        goal, what="... programs alone", limit=NO_LIMIT, measure=alone)


GOALS = (
    *against("ahead against the floor, 0.5 s before", WAITED, "ahead/floor",
             "total", 0.1),
    *against("ahead against the floor, nothing before", AT_ONCE, "ahead/floor",
             "total", 1.02),
    *against("ahead against the floor, 100 ms before", PYOPENCL,
             "ahead/floor", "total", 0.5, "program"),
    *against("ahead against the floor, 0.5 s before", THREE_WAITED,
             "ahead/floor", "total", 0.5),
    *against("ahead against hashcat's own cache", HASHCAT, "ahead/floor",
             "programs", 0.5, "program"),
    *against("ahead against DPC++'s cache, start-up", DPNP, "ahead/own",
             "start_up", 0.9, "program"),
    *against("ahead against DPC++'s cache, start-up", DPNP_TESTS, "ahead/own",
             "start_up", 0.9, "program"),
    *(AheadGoal("processor time, what is expected comes", program,
                "ahead/off", "cpu", 1.02)
      for program in (WAITED, AT_ONCE, TEN_AT_ONCE, TEN_WORKED)),
    AheadGoal("processor time, something else comes", WRONG, "ahead/off",
              "cpu", 1.10),
    AheadGoal("... to the last result", WRONG, "ahead/off", "total",
              NO_LIMIT),
    *(goal for program in (NEVER_BUILT, BUILT_BEFORE) for goal in (
        AheadGoal("a context and nothing else", program, "ahead-off",
                  "whole, least", 50, "us"),
        AheadGoal("... whole process", program, "ahead-off", "process, least",
                  NO_LIMIT, "us"),
        AheadGoal("... against no layer", program, "ahead-none",
                  "whole, least", NO_LIMIT, "us"),
        AheadGoal("... processor time", program, "ahead/off", "cpu",
                  NO_LIMIT))),
    *(goal for program in (TEN_AT_ONCE, TEN_WORKED)
      for goal in against("ahead against NEO's own cache", program,
                          "ahead+own/own", "total", 0.5, driver="neo")),
    *(AheadGoal(f"resident memory {when} builds, against off", program,
                "ahead-off", when, NO_LIMIT, "kB")
      for program in (WAITED, TEN_WAITED) for when in ("before", "after")),
)
