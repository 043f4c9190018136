"""`python -m bench.how_it_works [FOLDER]`: the picture of a request's path, `how-it-works.svg`, into docs/images."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
NAME = "how-it-works.svg"

STEPS = ("1 request", "2 count once", "3 search", "4 release", "5 measure again")
LANES = (
    ("private", "source", "read-only"),
    ("lane", "engine", "Python thinks"),
    ("private", "workspace", "SQL counts"),
    ("lane", "own files", "on disk"),
)
BOXES = (
    (0, 0, "box", "dataset version", "one hash a row,", "added up"),
    (1, 0, "box heavy", "frequency set", "hierarchies joined once:", "the one heavy query"),
    (3, 0, "box", "release counted", "labels joined,", "combinations counted"),
    (0, 1, "box", "request.yaml", "checked: every mistake", "at once, with its line"),
    (2, 1, "box", "search", "which node next?", "guided, ola, incognito"),
    (4, 1, "box", "renamed", "never a partial file;", "manifest beside it"),
    (1, 2, "box", "codes and counts", "a column a level:", "checks need no join"),
    (2, 2, "box", "k-check", "GROUP BY over the", "smallest finer set"),
    (3, 2, "box", "written", "sorted, beside its", "final name"),
    (4, 2, "box proof", "measured again", "another connection", "reads the file"),
    (0, 3, "box", "state", "what is registered,", "requested, released"),
    (1, 3, "box warm", "cache (private)", "sets and marginals:", "personal data as codes"),
    (2, 3, "box", "table C", "each node measured:", "answers any k later"),
    (4, 3, "box", "release", "the file, its hash,", "its k"),
)
"""Step and lane of each box, its classes, its name and its two lines."""
ARROWS = (
    ("M190 168 V121", False),
    ("M268 89 H288", False),
    ("M367 120 V277", False),
    ("M445 309 H465", False),
    ("M367 341 V397", True),
    ("M544 231 V277", True),
    ("M544 340 V397", False),
    ("M622 429 h10 V218 h-9", False),
    ("M622 186 H691 V121", False),
    ("M741 120 V277", False),
    ("M799 309 H819", False),
    ("M898 278 V231", False),
    ("M976 199 h9 V429 h-8", False),
)
"""The path of each arrow, and whether it points both ways."""
WARNING = (
    "Shaded warm: personal data passes here. The state holds counts, levels and hashes, never a value of a person."
)
DESCRIPTION = (
    "Four lanes. The source gives the dataset version, one frequency set and the counted release. The engine checks "
    "the request and searches. The workspace counts nodes by roll-up, writes the release and measures it again. The "
    "state keeps table C; the cache keeps frequency sets."
)
STYLE = """\
    .page { fill: #ffffff } .lane { fill: #f3f5f7 } .private { fill: #fdf1e7 }
    .box { fill: #ffffff; stroke: #5b6b7b; stroke-width: 1.2 } .warm { fill: #fdf1e7 }
    .heavy { stroke: #b4500f; stroke-width: 2.2 } .proof { stroke: #1d6f42; stroke-width: 2.2 }
    .name { fill: #16202a; font-size: 14px; font-weight: 600 } .note { fill: #3d4a57; font-size: 11.5px }
    .lanename { fill: #3d4a57; font-size: 13px; font-weight: 600 }
    .arrow { stroke: #3d4a57; stroke-width: 1.5; fill: none } .head { fill: #3d4a57 }
    @media (prefers-color-scheme: dark) {
      .page { fill: #10161c } .lane { fill: #1a222b } .private { fill: #2b2119 }
      .box { fill: #10161c; stroke: #8fa1b3 } .warm { fill: #2b2119 }
      .heavy { stroke: #e8894a } .proof { stroke: #5cc48a }
      .name { fill: #eef3f8 } .note { fill: #b9c6d3 } .lanename { fill: #b9c6d3 }
      .arrow { stroke: #b9c6d3 } .head { fill: #b9c6d3 }
    }"""
WIDTH, HEIGHT = 1000, 520
STEP, LANE = 177, 110
"""From a step to the next, and from a lane to the next."""


def picture() -> str:
    """The picture as SVG."""
    return "\n".join([*_head(), *_lanes(), *_boxes(), *_arrows(), _text("note", 24, 506, WARNING), "</svg>", ""])


def _head() -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" aria-labelledby="title description" '
        "font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\">"
    )
    yield '  <title id="title">How ordermade answers a request</title>'
    yield f'  <desc id="description">{DESCRIPTION}</desc>'
    yield f"  <style>\n{STYLE}\n  </style>"
    yield (
        '  <defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path class="head" d="M0 0 L10 5 L0 10 z"/></marker></defs>'
    )
    yield f'  <rect class="page" width="{WIDTH}" height="{HEIGHT}" rx="10"/>'
    for place, step in enumerate(STEPS):
        yield _text("lanename", 190 + STEP * place, 30, step, ' text-anchor="middle"')


def _lanes() -> Iterator[str]:
    for place, (kind, name, note) in enumerate(LANES):
        top = 44 + LANE * place
        yield f'  <rect class="{kind}" x="12" y="{top}" width="976" height="90" rx="8"/>'
        yield _text("lanename", 24, top + 42, name)
        yield _text("note", 24, top + 59, note)


def _boxes() -> Iterator[str]:
    for step, lane, kind, name, first, second in BOXES:
        left, top = 112 + STEP * step, 58 + LANE * lane
        yield f'  <rect class="{kind}" x="{left}" y="{top}" width="156" height="62" rx="6"/>'
        yield _text("name", left + 10, top + 21, name)
        yield _text("note", left + 10, top + 38, first)
        yield _text("note", left + 10, top + 53, second)


def _arrows() -> Iterator[str]:
    for path, both in ARROWS:
        start = ' marker-start="url(#head)"' if both else ""
        yield f'  <path class="arrow" d="{path}" marker-end="url(#head)"{start}/>'


def _text(kind: str, x: int, y: int, text: str, more: str = "") -> str:
    return f'  <text class="{kind}" x="{x}" y="{y}"{more}>{escape(text)}</text>'


def main(folder: Path) -> None:
    """Draw the picture into the folder."""
    path = folder / NAME
    path.write_text(picture(), encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
