"""A measured figure, the target it is held against, and the table of all of them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """What was measured: a ratio or an amount in `unit`; `target` is the most it may be (None: told only)."""

    name: str
    value: float
    target: float | None = None
    unit: str = "x"
    note: str = ""

    @property
    def met(self) -> bool:
        return self.target is None or self.value <= self.target


def median(seconds: Sequence[float]) -> float:
    return statistics.median(seconds)


def print_table(title: str, figures: Sequence[Figure]) -> None:
    print(f"\n{title}")
    for each in figures:
        target = "" if each.target is None else f"<= {_shown(each.target, each.unit)}"
        verdict = "" if each.target is None else ("pass" if each.met else "MISS")
        print(f"  {each.name:<58} {_shown(each.value, each.unit):>10} {target:>12}  {verdict}")
        for line in filter(None, each.note.split("\n")):
            print(f"      {line}")


def _shown(value: float, unit: str) -> str:
    return f"{value:,.0f}" if unit == "" else f"{value:,.2f} {unit}"
