"""The page of the lifecycle is as the data make it."""

from __future__ import annotations

from pathlib import Path

from checks.lifecycle_reference import page
from ordermade.service.lifecycle import MOVES, STATES, words

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "lifecycle.md"


def test_the_page_is_as_the_data_make_it() -> None:
    made = page()
    assert PAGE.read_text(encoding="utf-8") == made, "make it anew: python -m checks.lifecycle_reference"


def test_the_diagram_has_every_move_from_every_state_and_nothing_else() -> None:
    drawn = page().split("```text\n")[1].split("```")[0]
    arrows, state = set(), ""
    for line in drawn.splitlines():
        left, _, rest = line.partition("  ── ")
        state = left.strip() or state
        names, _, target = rest.partition(" ──▶ ")
        arrows |= {(state, name, target) for name in names.split(", ") if name}
    assert arrows == {(words(source), each.name, words(each.target)) for each in MOVES for source in each.sources}
    assert all(words(each) in drawn for each in STATES)
