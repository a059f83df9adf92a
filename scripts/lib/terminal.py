# SPDX-License-Identifier: MIT
"""What a terminal shows: commands run in it, what is on its screen, and a drawing of
that."""
import codecs
import html
import os
import pty
import re
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 108
CELL_WIDTH, LINE_HEIGHT, MARGIN, BAR = 8.4, 19, 16, 30
FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
BACKGROUND, FOREGROUND, FRAME = "#1b1f27", "#d7dae0", "#2a2f3a"
COLOURS = ["#4b5263", "#e06c75", "#98c379", "#e5c07b",
           "#61afef", "#c678dd", "#56b6c2", "#d7dae0"]
SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\x1b\][^\x07]*\x07"
                      r"|\x1b[()][A-Z0-9]")


def environment(home: Path, driver: str) -> dict[str, str]:
    """Of a user with that driver and an empty home."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG")
            if name in os.environ}
    kept |= {"HOME": str(home), "TERM": "xterm-256color",
             "PATH": f"{home}/bin:{ROOT}/build:{kept['PATH']}",
             "OCLCACHE_CONFIG": ""}
    done = subprocess.run(
        [ROOT / "scripts/opencl-env", driver, "ocl-icd", "env", "-0"],
        env=kept, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr.strip())
    return dict(line.split("=", 1)
                for line in done.stdout.split("\0") if "=" in line)


Chunk = tuple[float, str]


def run_timed(command: str, home: Path,
              settings: dict[str, str]) -> list[Chunk]:
    """What the command writes to a terminal, and when, in seconds; an empty piece is
    its end."""
    chunks: list[Chunk] = []
    start = time.monotonic()
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(home)
        os.execvpe("bash", ["bash", "-c",
                            f"stty cols {COLUMNS} rows 50; {command}"],
                   settings)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # EIO: its last process has ended
            break
        if not chunk:
            break
        chunks.append((time.monotonic() - start, decoder.decode(chunk)))
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    chunks.append((time.monotonic() - start, ""))
    if status:
        sys.exit(f"{sys.argv[0]}: {command} failed:\n"
                 + "".join(text for _, text in chunks))
    return [(at, text.replace(str(home), "~")) for at, text in chunks]


def run(command: str, home: Path, settings: dict[str, str]) -> str:
    """What the command shows on a terminal."""
    return "".join(text for _, text in run_timed(command, home, settings))


class Style:
    """What SGR sequences say."""

    def __init__(self) -> None:
        self.colour: str | None = None
        self.bold = self.dim = False

    def key(self) -> tuple[str | None, bool, bool]:
        return self.colour, self.bold, self.dim

    def apply(self, codes: str) -> None:
        for code in (int(part or 0) for part in codes.split(";")):
            if code == 0:
                self.__init__()
            elif code == 1:
                self.bold = True
            elif code == 2:
                self.dim = True
            elif code == 22:
                self.bold = self.dim = False
            elif 30 <= code <= 37:
                self.colour = COLOURS[code - 30]
            elif 90 <= code <= 97:
                self.colour = COLOURS[code - 90]
            elif code == 39:
                self.colour = None


Cell = tuple[str, tuple[str | None, bool, bool]]


def put(row: list[Cell], column: int, cell: Cell) -> None:
    while len(row) <= column:
        row.append((" ", (None, False, False)))
    row[column] = cell


def cut_at_a_blank(row: list[Cell]) -> list[Cell]:
    """Takes the last word of a full row; for the next one. Terminals cut words."""
    blank = max((i for i, (c, _) in enumerate(row) if c == " "), default=-1)
    if blank < 0:
        return []
    word = row[blank + 1:]
    del row[blank:]
    return word


class Screen:
    """The lines that a terminal would show."""

    def __init__(self) -> None:
        self.rows: list[list[Cell]] = [[]]
        self.style, self.column = Style(), 0

    def write(self, text: str) -> None:
        at = 0
        while at < len(text):
            if match := SEQUENCE.match(text, at):
                self.obey(match)
                at = match.end()
            else:
                self.character(text[at])
                at += 1

    def obey(self, match: re.Match) -> None:
        if match[2] == "m":
            self.style.apply(match[1])
        elif match[2] == "K":
            del self.rows[-1][self.column if match[1] in ("", "0") else 0:]

    def character(self, character: str) -> None:
        if character == "\n":
            self.rows.append([])
            self.column = 0
        elif character == "\r":
            self.column = 0
        elif character == "\t":
            self.column += 8 - self.column % 8
        elif unicodedata.category(character) != "Cc":
            if self.column == COLUMNS:
                self.rows.append(cut_at_a_blank(self.rows[-1]))
                self.column = len(self.rows[-1])
            put(self.rows[-1], self.column, (character, self.style.key()))
            self.column += 1


def screen(text: str) -> list[list[Cell]]:
    """The lines that a terminal would show in the end."""
    shown = Screen()
    shown.write(text)
    while shown.rows and not line_of(shown.rows[-1]):
        shown.rows.pop()
    return shown.rows


def line_of(row: list[Cell]) -> str:
    return "".join(character for character, _ in row).rstrip()


def plain(text: str, colour: str | None = None,
          bold: bool = False) -> list[Cell]:
    return [(character, (colour, bold, False)) for character in text]


def spans(row: list[Cell]) -> str:
    """One <tspan> for each run of cells of one style."""
    result, begin = [], 0
    for end in range(1, len(row) + 1):
        if end < len(row) and row[end][1] == row[begin][1]:
            continue
        colour, bold, dim = row[begin][1]
        text = html.escape("".join(cell[0] for cell in row[begin:end]))
        attributes = f' x="{MARGIN + begin * CELL_WIDTH:.1f}"' \
            f' textLength="{(end - begin) * CELL_WIDTH:.1f}"'
        if colour:
            attributes += f' fill="{colour}"'
        if bold:
            attributes += ' font-weight="bold"'
        if dim:
            attributes += ' opacity="0.7"'
        result.append(f"<tspan{attributes}>{text}</tspan>")
        begin = end
    return "".join(result)


def frame(rows: int, title: str, style: str = "") -> list[str]:
    """The beginning of a drawing of so many lines; its end is FRAME_END."""
    width = COLUMNS * CELL_WIDTH + 2 * MARGIN
    height = BAR + rows * LINE_HEIGHT + MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
        f'height="{height}" viewBox="0 0 {width:.0f} {height}" role="img">',
        f"<title>{html.escape(title)}</title>",
        # Chromium's own rule for <text> wins over an inherited xml:space.
        f"<style>text{{white-space:pre}}{style}</style>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        f'<path d="M0 {BAR - 6}V8a8 8 0 0 1 8-8H{width - 8:.0f}a8 8 0 0 1 8 8'
        f'v{BAR - 14}z" fill="{FRAME}"/>',
    ]
    lines += [f'<circle cx="{16 + 18 * i}" cy="12" r="5" fill="{colour}"/>'
              for i, colour in enumerate((COLOURS[1], COLOURS[3], COLOURS[2]))]
    return lines + [f'<g font-family="{FONT}" font-size="14" '
                    f'fill="{FOREGROUND}" xml:space="preserve">']


FRAME_END = ["</g>", "</svg>", ""]


def text_at(row: int, cells: list[Cell], attributes: str = "") -> str:
    return (f'<text{attributes} y="{BAR + (row + 1) * LINE_HEIGHT - 5}">'
            f"{spans(cells)}</text>")
