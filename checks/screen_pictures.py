"""A screen as an SVG picture, in light and dark, the same whenever and wherever it is drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape

from checks.pseudo_terminal import Screen, columns_of

_WIDTH, _HEIGHT, _MARGIN = 8.4, 19, 16
"""The size of a character, and the margin around the screen, in pixels."""
_RUN = re.compile(r"\S+(?: \S+)*")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d\b")
_SECONDS = re.compile(r"\b\d+(?:\.\d+)? s\b|(?<=seconds)(\s+)\d+(?:\.\d+)?")
STYLE = """\
.screen { fill: #fbfbfa; stroke: #d0d0cc } text { fill: #24292f; font: 14px/1 ui-monospace, "DejaVu Sans Mono", Menlo,
Consolas, "Noto Sans Mono CJK JP", monospace; white-space: pre } .typed, .bold { font-weight: 600 }
.typed { fill: #0550ae }
@media (prefers-color-scheme: dark) { .screen { fill: #16181c; stroke: #3a3f47 } text { fill: #d8dee6 }
.typed { fill: #79b8ff } }"""


def picture(typed: str, screen: Screen, replaced: Mapping[str, str]) -> str:
    """The command and its screen as SVG; `replaced`: texts that differ from run to run, with what stands for them.

    Times of day are drawn as the first minute of 2026, and seconds that went by as 0: no two runs agree on them.
    """
    rows = [_settled(line, replaced) for line in screen.lines]
    columns = max([sum(map(columns_of, row)) for row in rows] + [len(typed) + 2])
    width = round(2 * _MARGIN + columns * _WIDTH)
    height = 2 * _MARGIN + (len(rows) + 1) * _HEIGHT
    lines = [_line(f"$ {typed}", 0, "typed")]
    for number, row in enumerate(rows, start=1):
        bold = screen.bold[number - 1]
        lines.append(_line(row, number, "bold" if bold and all(bold[: len(row.rstrip())]) else ""))
    body = "\n".join(line for line in lines if line)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(typed, {chr(34): "&quot;"})} on a terminal">\n<style>{STYLE}</style>\n'
        f'<rect class="screen" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>\n{body}\n</svg>\n'
    )


def _settled(line: str, replaced: Mapping[str, str]) -> str:
    for was, now in replaced.items():
        line = line.replace(was, now)
    line = _TIME.sub("2026-01-01 00:00", line)
    return _SECONDS.sub(lambda match: f"{match[1]}0" if match[1] else "0 s", line)


def _line(text: str, number: int, kind: str) -> str:
    """A line of the screen; each run of words begins at its own column, whatever the font's widths."""
    spans = "".join(
        f'<tspan x="{_MARGIN + column * _WIDTH:.1f}">{escape(words)}</tspan>' for column, words in _runs(text)
    )
    shown = f' class="{kind}"' if kind else ""
    return f'<text{shown} y="{_MARGIN + (number + 0.75) * _HEIGHT:.1f}">{spans}</text>' if spans else ""


def _runs(text: str) -> Iterator[tuple[int, str]]:
    for match in _RUN.finditer(text):
        yield sum(map(columns_of, text[: match.start()])), match[0]
