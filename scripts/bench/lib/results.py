# SPDX-License-Identifier: MIT
"""Reads what benchmarks left in the CSV (see measure.py for its lines)."""
import csv
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Result:
    part: str
    driver: str
    program: str
    variant: str
    what: str
    value: float
    unit: str
    runs: int
    first_quartile: float | None = None
    third_quartile: float | None = None

    def quartiles(self) -> tuple[float, float]:
        if self.first_quartile is None or self.third_quartile is None:
            return self.value, self.value
        return self.first_quartile, self.third_quartile


class Results:
    def __init__(self, path: Path) -> None:
        self.all = read(path)

    def find(self, **wanted: str) -> list[Result]:
        """All with these fields, e.g. part="programs", what="total"."""
        return [result for result in self.all
                if all(getattr(result, name) == value
                       for name, value in wanted.items())]

    def one(self, **wanted: str) -> Result | None:
        """The latest."""
        found = self.find(**wanted)
        return found[-1] if found else None

    def drivers(self, part: str) -> list[str]:
        return sorted({result.driver for result in self.find(part=part)
                       if result.driver})


def read(path: Path) -> list[Result]:
    found: dict[tuple[str, ...], dict[str, str]] = {}
    quartiles: dict[tuple[str, ...], dict[str, float]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            what, dot, end = line["what"].rpartition(".")
            if dot and end in ("q1", "q3"):
                key = (line["part"], line["driver"], line["program"],
                       line["variant"], what)
                quartiles.setdefault(key, {})[end] = float(line["value"])
            else:
                key = (line["part"], line["driver"], line["program"],
                       line["variant"], line["what"])
                found[key] = line
    return [Result(*key, float(line["value"]), line["unit"],
                   int(line["runs"] or 1), quartiles.get(key, {}).get("q1"),
                   quartiles.get(key, {}).get("q3"))
            for key, line in found.items()]


def without_parts(path: Path, parts: list[str]) -> None:
    """Removes these parts' lines, which will be measured anew."""
    if not path.exists():
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if lines and "what" not in lines[0].rstrip().split(","):
        path.unlink()  # another program's
        return
    path.write_text("".join(line for line in lines
                            if line.split(",", 1)[0] not in parts),
                    encoding="utf-8")
