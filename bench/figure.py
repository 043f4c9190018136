"""A measured figure, the target it is held against, and tables of what was measured."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Figure:
    """A measured figure: a ratio or an amount in `unit`, with so many `digits` after the point.

    `target` is the most it may be (None: reported only).
    """

    name: str
    value: float
    target: float | None = None
    unit: str = "x"
    note: str = ""
    digits: int | None = None

    @property
    def met(self) -> bool:
        return self.target is None or self.value <= self.target


def median(seconds: Sequence[float]) -> float:
    return statistics.median(seconds)


def processor_seconds(work: Callable[[], Result]) -> tuple[Result, float]:
    """The result of the work, and its seconds of the processor: other work of the machine weighs less in them."""
    started = time.process_time()
    found = work()
    return found, time.process_time() - started


def print_table(title: str, figures: Sequence[Figure]) -> None:
    print(f"\n{title}")
    for each in figures:
        target = "" if each.target is None else f"<= {_shown(each.target, each)}"
        verdict = "" if each.target is None else ("pass" if each.met else "MISS")
        print(f"  {each.name:<58} {_shown(each.value, each):>10} {target:>12}  {verdict}")
        for line in filter(None, each.note.split("\n")):
            print(f"      {line}")


def print_rows(title: str, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table: numbers with as many digits as tell something, to the right."""
    cells = [[*headings], *([_cell(each) for each in row] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(headings))]
    print(f"\n{title}")
    for row in cells:
        first, *rest = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        print("  " + "  ".join((row[0].ljust(len(first)), *rest)).rstrip())


def _cell(value: object) -> str:
    match value:
        case None:
            return "-"
        case float():
            return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
        case int():
            return f"{value:,}"
        case _:
            return str(value)


def _shown(value: float, figure: Figure) -> str:
    digits = (0 if figure.unit == "" else 2) if figure.digits is None else figure.digits
    return f"{value:,.{digits}f} {figure.unit}".rstrip()
