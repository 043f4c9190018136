"""How much a long test does: a sample in the suite, everything in `make long`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet


def rounds(sample: int, everything: int) -> int:
    """The number of rounds of a test marked `long`: `everything` where ORDERMADE_LONG is set, else the `sample`."""
    return everything if os.environ.get("ORDERMADE_LONG") else sample


def sampled(cases: Iterable[Any], step: int) -> list[Any]:
    """Near-equal cases that each run a whole request: every `step`-th is always run, the others are thorough."""
    found = []
    for place, each in enumerate(cases):
        values, marks, name = (each.values, each.marks, each.id) if isinstance(each, ParameterSet) else (each, (), None)
        values = values if isinstance(values, tuple) else (values,)
        found.append(pytest.param(*values, marks=[*marks, *([pytest.mark.thorough] if place % step else [])], id=name))
    return found
