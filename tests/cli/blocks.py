#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Takes a document's command blocks apart, for tests/cli/95-docs.

    blocks.py DOCUMENT DIRECTORY

Every fenced block of language "sh" is one. Comments say more of it:

    <!-- needs: NAME... -->     before it: what it can't be run without
    <!-- not run: WHY -->       before it
    <!-- seen: PATTERN -->      after it: must be in its output (grep -E)

Writes N (the commands), N.line (where the block is), and where there are such
comments N.needs, N.not and N.seen, N from 100 on, into DIRECTORY. A fence without
a language that looks like commands, and a comment that stands nowhere, are
errors: nothing must slip by.
"""
import re
import sys
from pathlib import Path

COMMENT = re.compile(r"<!-- (needs|not run|seen): (.*) -->$")
COMMANDS = re.compile(r"^(\$|sudo|oclcache|make|export) ", re.MULTILINE)
SHOWN = {"c", "ini", "python", "yaml", "dockerfile"}


class Document:
    def __init__(self, path: Path, directory: Path) -> None:
        self.path = path
        self.directory = directory
        self.count = 0
        self.before: dict[str, str] = {}

    def fail(self, line: int, what: str) -> None:
        sys.exit(f"{self.path}:{line}: {what}")

    def write(self, suffix: str, text: str) -> None:
        name = f"{100 + self.count}{suffix}"
        with open(self.directory / name, "a", encoding="utf-8") as file:
            file.write(text + "\n")

    def comment(self, line: int, kind: str, text: str) -> None:
        if kind == "seen":
            if not self.count:
                self.fail(line, "no block was before this comment")
            self.write(".seen", text)
        else:
            self.before[kind] = text

    def block(self, line: int, language: str, text: str) -> None:
        if language == "sh":
            self.count += 1
            self.write("", text)
            self.write(".line", str(line))
            for kind, value in self.before.items():
                self.write(".needs" if kind == "needs" else ".not", value)
        elif language and language not in SHOWN:
            self.fail(line, f"what is a block of {language}?")
        elif self.before:
            self.fail(line, "the comment before it is for commands")
        elif not language and COMMANDS.search(text):
            self.fail(line, "commands that no test runs")
        self.before = {}


def read(document: Document) -> None:
    lines = document.path.read_text(encoding="utf-8").splitlines()
    fence = None
    inside: list[str] = []
    for number, line in enumerate(lines, 1):
        if fence is not None and line == "```":
            document.block(fence[0], fence[1], "\n".join(inside))
            fence = None
        elif fence is not None:
            inside.append(line)
        elif line.startswith("```"):
            fence, inside = (number, line[3:].strip()), []
        elif match := COMMENT.match(line):
            document.comment(number, match[1], match[2])
        elif line and document.before:
            document.fail(number, "a comment for a block stands before text")
    if fence is not None:
        document.fail(fence[0], "the block has no end")


def main() -> None:
    read(Document(Path(sys.argv[1]), Path(sys.argv[2])))


if __name__ == "__main__":
    main()
