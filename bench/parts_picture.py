"""The picture of the growth of parts: seconds against rows, and against combinations, beside one GROUP BY."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordermade.plots.figures import BLACK, BLUE, ORANGE, drawn, plain_logarithms


@dataclass(frozen=True)
class GrownParts:
    """A request on a table of one size up to its decision, nothing known.

    Seconds of the GROUP BY by hand, of the request, and of the counting of its parts; the most memory in GiB; the MiB
    of the parts, and those spilled.
    """

    rows: int
    combinations: int
    by_hand: float
    decided: float
    counting: float
    memory: float
    read: float
    spilled: float


def draw(found: Sequence[GrownParts], by_rows: int, path: Path) -> None:
    """Draws the first `by_rows` figures against their rows, those of the most rows alike against their combinations."""
    first, others = found[:by_rows], found[by_rows:]
    alike = others[0].rows if others else first[-1].rows
    second = sorted((each for each in found if each.rows == alike), key=lambda each: each.combinations)
    with drawn(path, 2, across=2, size=(13.2, 4.8)) as (left, right):
        _panel(left, first, [each.rows for each in first])
        left.set_xlabel("rows")
        left.set_title(f"up to {max(each.combinations for each in first):,} combinations")
        _panel(right, second, [each.combinations for each in second])
        right.set_xlabel("combinations")
        right.set_title(f"{alike:,} rows")
        left.set_ylabel("seconds")
        left.legend()


def _panel(axes: Any, found: Sequence[GrownParts], places: Sequence[int]) -> None:
    plain_logarithms(axes)
    axes.plot(places, [each.decided for each in found], color=BLACK, marker="o", lw=2.2, label="request, decided")
    axes.plot(places, [each.counting for each in found], color=BLUE, marker="s", label="parts counted")
    by_hand = [each.by_hand for each in found]
    axes.plot(places, by_hand, color=ORANGE, marker="^", ls=(0, (4, 2)), label="one GROUP BY over all")
