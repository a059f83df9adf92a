# SPDX-License-Identifier: MIT
"""Plots of the benchmarks' results, as SVG."""
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
# The same results make the same files.
matplotlib.rcParams["svg.hashsalt"] = "oclcache"

import matplotlib.pyplot as plt  # noqa: E402

from results import Results  # noqa: E402

COLOURS = {"none": "#9a9a9a", "own": "#d98c3f", "cold": "#6a6a6a",
           "warm": "#2f74b5", "warm+own": "#2f74b5", "floor": "#6fb06f"}
NAMES = {"none": "no cache", "own": "the driver's own cache, warm",
         "warm": "oclcache, warm", "floor": "floor: the bare binary loaded"}


def save(figure, directory: Path, name: str) -> None:
    figure.savefig(directory / f"{name}.svg", dpi=110, bbox_inches="tight",
                   metadata={"Date": None})
    plt.close(figure)


def value(results: Results, driver: str, program: str,
          ways: tuple[str, ...]) -> float | None:
    """Of the first way that was measured."""
    for way in ways:
        one = results.one(part="programs", driver=driver, program=program,
                          variant=way, what="total")
        if one:
            return one.value
    return None


def plot_programs(results: Results, directory: Path) -> None:
    """Time to first result, a group of bars per program and driver."""
    groups = sorted({(one.driver, one.program) for one
                     in results.find(part="programs", what="total")
                     if one.program and "/" not in one.variant})
    if not groups:
        return
    # With the driver's own cache on, where it has one: as users have it.
    ways = {"none": ("none", "storing"), "own": ("own",),
            "warm": ("warm+own", "warm"), "floor": ("floor+own", "floor")}
    figure, axes = plt.subplots(figsize=(9, 0.62 * len(groups) + 1.2))
    height = 0.8 / len(ways)
    for number, (way, sources) in enumerate(ways.items()):
        bars = [(place, value(results, *group, sources))
                for place, group in enumerate(groups)]
        bars = [(place, time) for place, time in bars if time is not None]
        drawn = axes.barh([place + number * height - 0.3
                           for place, _ in bars],
                          [time for _, time in bars], height * 0.92,
                          color=COLOURS[way], label=NAMES[way])
        axes.bar_label(drawn, [label(time) for _, time in bars], padding=2,
                       fontsize=7)
    axes.set_yticks(range(len(groups)),
                    [f"{program}\n{driver}" for driver, program in groups],
                    fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("time to first result, ms (medians of fresh processes)")
    axes.margins(x=0.12)
    axes.grid(axis="x", which="major", color="#dddddd")
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.45, 1.0),
                ncols=2, frameon=False)
    save(figure, directory, "programs")


def label(time: float) -> str:
    return f"{time:.0f}" if time >= 100 else f"{time:.3g}"


def plot_series(results: Results, directory: Path, part: str, name: str,
                across: str) -> None:
    """Lines over a count that is each result's variant."""
    lines: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    units = {}
    for one in results.find(part=part):
        if one.variant.isdigit() and one.value > 0:
            key = (one.driver, one.program, one.what)
            lines.setdefault(key, []).append((float(one.variant), one.value))
            units[key] = one.unit
    if not lines:
        return
    figure, axes = plt.subplots(figsize=(8, 4.5))
    for key, points in lines.items():
        points.sort()
        axes.plot(*zip(*points), marker="o", markersize=4,
                  label=" ".join(filter(None, (*key, f"({units[key]})"))))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(across)
    axes.grid(which="major", color="#dddddd")
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0),
                frameon=False)
    save(figure, directory, name)


def plot_all(results: Results, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    plot_programs(results, directory)
    plot_series(results, directory, "crowd", "crowd",
                "processes or threads on one key")
    plot_series(results, directory, "scale", "scale", "entries in the store")
