# SPDX-License-Identifier: MIT
"""What the time to a first result is spent on, by scripts/bench/layer/moments.c.

Of the thread that builds, in milliseconds, from the moments that scripts/probe.c
prints and the calls beneath it. What is traced takes longer: about a microsecond
for each look at a file.
"""
from dataclasses import dataclass
from pathlib import Path

from drivers import ROOT

MOMENTS = ROOT / "build/scripts/bench/libmoments.so"
CREATE, BUILD = "clCreateProgramWithBinary", "clBuildProgram"
SOURCE, QUERY = "clCreateProgramWithSource", "clGet"
# In the order of time, but for what is asked in between.
PHASES = ("queue, buffers", "clCreateProgramWithSource", "key", "read", "verify",
          CREATE, BUILD, "queries", "rest", "kernel", "launch")
# What is in these is in phases, too.
OF_THESE = ("looks at files", "files read")
LOOKS = "number of looks"


@dataclass(frozen=True)
class Moment:
    thread: int
    start: float  # milliseconds
    end: float
    what: str
    of: str

    @property
    def ms(self) -> float:
        return self.end - self.start


def environment(layers: str, path: Path) -> dict[str, str]:
    """`layers`: those above. The first one listed is the one beneath."""
    return {"LD_PRELOAD": str(MOMENTS), "MOMENTS_FILE": str(path),
            "OPENCL_LAYERS": f"{MOMENTS}:{layers}" if layers else str(MOMENTS)}


def read(path: Path) -> list[Moment]:
    moments = []
    for line in path.read_text(errors="replace").splitlines():
        thread, start, end, what, of = line.split("\t", 4)
        moments.append(Moment(int(thread), int(start) / 1e6, int(end) / 1e6,
                              what, of))
    return moments


def outermost(moments: list[Moment], thread: int, start: float,
              end: float) -> list[Moment]:
    """Those within, that aren't within another: drivers look at files, too."""
    found: list[Moment] = []
    for one in moments:
        if (one.thread == thread and start <= one.start < end and
                (not found or one.start >= found[-1].end)):
            found.append(one)
    return found


def spent(moments: list[Moment], what: str) -> float:
    return sum(one.ms for one in moments if one.what.startswith(what))


def phases(report: dict, moments: list[Moment]) -> dict[str, float]:
    """A hit, or the floor: both read one entry and load what is in it."""
    opened, create, _, kernel, launch, end = report["moments"]
    here = outermost(moments, moments[0].thread, create, kernel)
    files = [one for one in here if not one.what.startswith("cl")]
    load = next(one for one in here if one.what == CREATE)
    build = next(one for one in here if one.what == BUILD)
    entry = next(one for one in files if one.of.endswith(".cl_cache"))
    read_end = max(one.end for one in files if one.end <= load.start)
    after = [one for one in here if one.start > load.start]
    before = [one for one in here if one.end <= entry.start]
    of_driver = [one for one in before if one.what.startswith("cl")]
    took = {
        "queue, buffers": create - opened,
        SOURCE: spent(before, SOURCE),
        "key": entry.start - create - spent(of_driver, ""),
        "read": read_end - entry.start,
        "verify": load.start - read_end,
        CREATE: load.ms,
        BUILD: build.ms,
        "queries": spent(here, QUERY),
        "kernel": launch - kernel,
        "launch": end - launch,
    }
    took["rest"] = (kernel - load.start - load.ms - build.ms
                    - spent(after, QUERY))
    return {**took, "first": report["first"],
            "looks at files": spent(files, ""),
            "files read": spent(files, "read") + spent(files, "pread"),
            LOOKS: float(len(files))}
