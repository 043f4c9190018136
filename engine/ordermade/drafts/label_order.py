"""The order in which reports and tables list labels: by the values that they stand for, never by their text.

Numbers and their intervals go by their lower end, prefectures of Japan and their regions by JIS X 0401, the sexes in
Japanese by ISO 5218 (男, 女), and texts that begin with numbers (`20-29`, `20代`) by these. Any other labels stay as
they come, the most frequent first, or go by their text (`by_value_or_text`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from ordermade.drafts.prefectures import place_of
from ordermade.hierarchies.hierarchy import STAR
from ordermade.hierarchies.interval_labels import span_of_label

_Place: TypeAlias = tuple[float, float]
_REST = frozenset((STAR, "other", "その他", "不明"))
_SEXES = {"男": 1.0, "男性": 1.0, "男子": 1.0, "女": 2.0, "女性": 2.0, "女子": 2.0}
_FIRST = float("-inf")
_LAST = float("inf")
_BEGINS = re.compile(r"\s*(-?\d{1,15}(?:\.\d{1,9})?)")
_DIGITS = re.compile(r"([0-9]{1,15})")
_CLOSED = re.compile(r"[\[(](-?\d{1,15}(?:\.\d{1,9})?), ?(-?\d{1,15}(?:\.\d{1,9})?)[\])]")


def in_order(labels: Sequence[str]) -> tuple[str, ...] | None:
    """The labels in the order of their values; None where they have none."""
    positions = _by_value(labels)
    return None if positions is None else tuple(labels[position] for position in positions)


def by_value(labels: Sequence[str]) -> tuple[int, ...]:
    """The positions of the labels in the order of their values; as they come where they have none.

    `*` and the label of the rest come last.
    """
    return _by_value(labels) or tuple(range(len(labels)))


def by_value_or_text(labels: Sequence[str]) -> tuple[int, ...]:
    """The positions of the labels in the order of their values, else of their texts, in which numbers count as such.

    `*` and the label of the rest come last.
    """
    texts = sorted(range(len(labels)), key=lambda at: (labels[at] in _REST, _parts(labels[at]), labels[at]))
    return tuple(texts[position] for position in by_value([labels[at] for at in texts]))


def _parts(label: str) -> tuple[tuple[str, int], ...]:
    """The text before each number of a label, and the number."""
    texts = _DIGITS.split(label)
    return tuple(zip(texts[::2], (*map(int, texts[1::2]), -1), strict=True))


def _by_value(labels: Sequence[str]) -> tuple[int, ...] | None:
    for place_of_label in (_of_span, _of_prefecture, _of_sex, _of_beginning):
        places = [(_LAST, _LAST) if label in _REST else place_of_label(label) for label in labels]
        known = [each for each in places if each is not None]
        if len(known) == len(labels):
            return tuple(sorted(range(len(labels)), key=known.__getitem__))
    return None


def are_prefectures(labels: Sequence[str]) -> bool:
    """Whether every label, but for the rest, is a prefecture of Japan, a region or a half of it."""
    return all(label in _REST or place_of(label) is not None for label in labels)


def _of_span(label: str) -> _Place | None:
    found = span_of_label(label)
    if found is not None:
        low, high = found
        return (_FIRST if low is None else float(low), _LAST if high is None else float(high))
    closed = _CLOSED.fullmatch(label)
    if closed is not None:
        return float(closed[1]), float(closed[2])
    number = _BEGINS.fullmatch(label)
    return None if number is None else (float(number[1]), float(number[1]))


def _of_prefecture(label: str) -> _Place | None:
    place = place_of(label)
    return None if place is None else (float(place), 0.0)


def _of_sex(label: str) -> _Place | None:
    code = _SEXES.get(label)
    return None if code is None else (code, 0.0)


def _of_beginning(label: str) -> _Place | None:
    found = _BEGINS.match(label)
    return None if found is None else (float(found[1]), 0.0)
