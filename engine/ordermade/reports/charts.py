"""The charts of a report, as inline SVG: bars before and after, histograms, and the matrix of associations.

Text is text, colours come from the style sheet by class, each chart has a title and a description for screen readers.
No axis of rows or persons has a tick from 1 to below the floor. Numbers stand on an axis to scale, of their logarithms
where they span powers of ten; where bars are of different widths, their areas are the counts.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate, pairwise

from markupsafe import Markup, escape

from ordermade.records.inert import fitted, inert, width
from ordermade.reports.figures import Association, Count, ReportedDistribution, Sizes
from ordermade.reports.language import Language

WIDE, HIGH = 360.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 48.0, 12.0, 20.0, 36.0
LETTER = 5.9
"""About how wide a letter of the charts' texts is."""
_FIRST_DAY = date(1970, 1, 1)
MAX_LABELLED = 14
"""Columns in the matrix of associations; the table beneath it has all."""


def _tag(name: str, *inside: str, **attributes: object) -> Markup:
    """An SVG element; every attribute is escaped, and every text that is no markup."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{written}>") + Markup().join(escape(each) for each in inside) + Markup(f"</{name}>")


def _short(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _chart(
    key: str, size: tuple[float, float], title: str, description: str, parts: Iterable[Markup], least: float = 0
) -> Markup:
    wide, high = size
    return _tag(
        "svg",
        _tag("title", _plain(title), id=f"{key}-title"),
        _tag("desc", _plain(description), id=f"{key}-desc"),
        *parts,
        class_="chart",
        viewBox=f"0 0 {_short(wide)} {_short(high)}",
        role="img",
        aria_labelledby=f"{key}-title {key}-desc",
        style=f"max-width:{_short(wide * 1.25)}px" + (f";min-width:{_short(least)}px" if least else ""),
    )


def _plain(text: str) -> str:
    """The text without the markup of its values, for a title or a description, which show none."""
    return text.striptags() if isinstance(text, Markup) else text


def bar(before: float | None, after: float | None) -> Markup:
    """A bar for a row of a table, from 0 to 1; with the original's, two thin ones. The numbers stand beside it."""
    parts = []
    if before is not None:
        parts.append(_tag("rect", class_="before", x=0, y=1, width=f"{_share(before)}%", height=5))
    if after is not None:
        y, high = (3, 8) if before is None else (8, 5)
        parts.append(_tag("rect", class_="after", x=0, y=y, width=f"{_share(after)}%", height=high))
    return _tag("svg", *parts, class_="bar", width="100%", height=14, aria_hidden="true", focusable="false")


def _share(value: float) -> float:
    return round(min(max(value, 0.0), 1.0) * 100, 2)


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place on the axis: its bars, from the first series to the last, and its bounds; `label`: in words."""

    counts: tuple[Count, ...]
    low: float | None
    high: float | None
    label: str = ""


def sizes_histogram(sizes: Sizes, say: Language) -> Markup:
    """The number of equivalence classes by their size."""
    slots = [_Slot((Count(each.classes),), None, None, _span(each.first, each.last, say)) for each in sizes.bins]
    title = say.text("Equivalence classes by size")
    description = say.text(
        "Histogram: the number of equivalence classes of each size, from %(least)s to %(greatest)s.",
        least=say.number(sizes.least),
        greatest=say.number(sizes.greatest),
    )
    return _histogram(
        "sizes", title, description, slots, ("after",), say, 1, say.text("classes"), say.text("size of the class")
    )


def _span(first: int, last: int, say: Language) -> str:
    return say.number(first) if first == last else f"{say.number(first)}–{say.number(last)}"


def distribution_chart(found: ReportedDistribution, key: str, unit: str, floor: int, say: Language) -> Markup:
    """The histogram of a column of numbers, original and release side by side."""
    with_before = any(each.before is not None for each in found.bars)
    series = ("before", "after") if with_before else ("after",)
    slots = [
        _Slot((each.before or Count(0), each.after) if with_before else (each.after,), each.low, each.high, each.label)
        for each in found.bars
    ]
    title = say.text("Distribution of %(column)s", column=inert(found.column))
    description = (
        say.text("Bars of the original and of the release side by side; the table beneath has the numbers.")
        if with_before
        else say.text("Bars of the release; the table beneath has the numbers.")
    )
    counted = say.text("persons") if unit == "persons" else say.text("rows")
    axis = fitted(found.column, 40) + (f"（{found.unit}）" if found.unit not in ("", "days") else "")
    return _histogram(
        key, title, description, slots, series, say, floor, counted, axis, found.unit, _scaled(slots, say)
    )


@dataclass(frozen=True, slots=True)
class _Scaled:
    """The share of the axis that each slot takes; `is_even`: all about the same; `words`: of an axis of logarithms."""

    shares: tuple[float, ...]
    is_even: bool = True
    words: str = ""

    @classmethod
    def even(cls, slots: int) -> _Scaled:
        """The same share for each."""
        return cls((1 / max(slots, 1),) * slots)


_POWERS = 50
"""Numbers whose greatest is so many times the least are on an axis of logarithms, if their bars are that uneven."""
_UNEVEN = 5
_ABOUT_EVEN = 1.6


def _scaled(slots: Sequence[_Slot], say: Language) -> _Scaled:
    """The slots of numbers to scale; an open end takes as much as the other slots in the middle."""
    closed = [(each.low, each.high) for each in slots if each.low is not None and each.high is not None]
    widths = [high - low for low, high in closed]
    if not widths or min(widths) <= 0:
        return _Scaled.even(len(slots))
    above = [each for each in closed if each[0] > 0]
    in_powers = (
        bool(above)
        and min(low for low, _ in closed) >= 0
        and max(high for _, high in above) >= _POWERS * min(low for low, _ in above)
        and max(widths) >= _UNEVEN * min(widths)
    )
    lengths = [_length(each, in_powers=in_powers) for each in slots]
    known = [each for each in lengths if each is not None]
    usual = statistics.median(known)
    filled = [usual if each is None else each for each in lengths]
    whole = sum(filled)
    is_even = max(filled) <= _ABOUT_EVEN * min(filled)
    return _Scaled(tuple(each / whole for each in filled), is_even, say.text("logarithmic scale") if in_powers else "")


def _length(slot: _Slot, *, in_powers: bool) -> float | None:
    """The length of a slot on the axis; None where it has an open end."""
    if slot.low is None or slot.high is None or (in_powers and slot.low <= 0):
        return None
    return math.log10(slot.high / slot.low) if in_powers else slot.high - slot.low


def _histogram(
    key: str,
    title: str,
    description: str,
    slots: Sequence[_Slot],
    series: Sequence[str],
    say: Language,
    floor: int,
    across: str,
    along: str,
    unit: str = "",
    scaled: _Scaled | None = None,
) -> Markup:
    scaled = scaled or _Scaled.even(len(slots))
    inner_wide, inner_high = WIDE - LEFT - RIGHT, HIGH - TOP - BOTTOM
    ends = [LEFT + inner_wide * each for each in accumulate(scaled.shares, initial=0.0)]
    # In bars of different widths the area is the count: the height is as if each were as wide as the narrowest.
    narrowest = min(scaled.shares, default=1.0)
    factors = [1.0 if scaled.is_even else narrowest / each for each in scaled.shares]
    most = max(
        ((count.number or 0) * by for slot, by in zip(slots, factors, strict=True) for count in slot.counts), default=0
    )
    ticks = [each for each in _ticks(math.ceil(most)) if each == 0 or each >= floor] if scaled.is_even else [0]
    top = max([most, *ticks, 1e-9 if most else 1])
    if not scaled.is_even:
        across = say.text("area: %(unit)s", unit=across)
    along = f"{along} ({scaled.words})" if scaled.words else along
    parts = []
    for tick in ticks:
        y = TOP + inner_high * (1 - tick / top)
        parts.append(_tag("line", class_="grid" if tick else "axis", x1=LEFT, x2=WIDE - RIGHT, y1=y, y2=y))
        parts.append(_tag("text", say.number(tick), class_="tick", x=LEFT - 6, y=y + 3.5, text_anchor="end"))
    for slot, (start, end), by in zip(slots, pairwise(ends), factors, strict=True):
        gap = min((end - start) * 0.18, 6)
        thick = (end - start - gap) / max(len(series), 1)
        for number, (name, count) in enumerate(zip(series, slot.counts, strict=True)):
            parts.append(_column(name, start + gap / 2 + number * thick, thick, count, top / by, inner_high, say))
    parts += _places(slots, ends, unit, say)
    parts.append(_tag("text", _plain(across), class_="unit", x=0, y=8.5))
    parts.append(_tag("text", _plain(along), class_="unit", x=WIDE - RIGHT, y=HIGH - 3, text_anchor="end"))
    return _chart(key, (WIDE, HIGH), title, description, parts)


def _column(name: str, x: float, thick: float, count: Count, top: float, inner_high: float, say: Language) -> Markup:
    """One bar; of a count that is only "fewer than k", a dashed line on the axis."""
    bottom = TOP + inner_high
    label = _tag("title", say.count(count))
    if count.number is None:
        return _tag("line", label, class_=f"{name} few", x1=x, x2=x + thick, y1=bottom - 2, y2=bottom - 2)
    high = inner_high * count.number / top
    return _tag("rect", label, class_=name, x=x, y=bottom - high, width=max(thick - 0.5, 0.5), height=high)


def _places(slots: Sequence[_Slot], ends: Sequence[float], unit: str, say: Language) -> Iterable[Markup]:
    """The labels under the bars: bounds where bars meet, else a label a bar; those that would overlap are left out."""
    bounded = bool(slots) and not any(slot.label for slot in slots)
    if bounded and all(one.high == other.low for one, other in pairwise(slots)):
        wanted = list(_edges(slots, ends, unit, say))
    else:
        wanted = [
            ((ends[place] + ends[place + 1]) / 2, fitted(slot.label, 16) or interval(slot.low, slot.high, unit, say))
            for place, slot in enumerate(slots)
        ]
    edge = -math.inf
    for x, label in wanted:
        half = width(label) * LETTER / 2
        if x - half > edge + 3:
            anchor, at = ("end", WIDE) if x + half > WIDE else ("middle", x)
            yield _tag("text", label, class_="tick", x=at, y=HIGH - BOTTOM + 14, text_anchor=anchor)
            edge = x + half


def _edges(slots: Sequence[_Slot], ends: Sequence[float], unit: str, say: Language) -> Iterable[tuple[float, str]]:
    """The bounds where bars meet; an open end as such, under the middle of its bar."""
    for place, slot in enumerate(slots):
        if slot.low is None or slot.high is None:
            label = interval(slot.low, slot.high, unit, say)
            step = ends[place + 1] - ends[place]
            yield ends[place] + step / 2 if place else LEFT + min(step, width(label) * LETTER) / 2, label
        else:
            yield ends[place], bound(slot.low, unit, say)
    if slots[-1].high is not None:
        yield ends[-1], bound(slots[-1].high, unit, say)


def bound(number: float, unit: str, say: Language) -> str:
    """A bound of a bar: a number, or the date of a day."""
    if unit != "days":
        return say.number(number, 4)
    try:
        return (_FIRST_DAY + timedelta(days=math.floor(number))).isoformat()
    except OverflowError:
        return say.number(number)


def interval(low: float | None, high: float | None, unit: str, say: Language) -> str:
    """The numbers from `low` to below `high`, written as on every screen; open ends as such."""
    if unit not in ("", "days"):
        return _in_units(low, high, unit, say)
    if say.code == "ja" and low != high:
        from_low = "" if low is None else f"{bound(low, unit, say)}以上"
        return from_low + ("" if high is None else f"{bound(high, unit, say)}未満")
    if low is None or high is None:
        if low is not None:
            return f"≥ {bound(low, unit, say)}"
        return say.text("(empty)") if high is None else f"< {bound(high, unit, say)}"
    return bound(low, unit, say) if low == high else f"[{bound(low, unit, say)}, {bound(high, unit, say)})"


def _in_units(low: float | None, high: float | None, unit: str, say: Language) -> str:
    """The numbers as a Japanese table has them: whole ones up to the last that is in it."""
    if low is None:
        return say.text("(empty)") if high is None else f"{bound(high, unit, say)}{unit}未満"
    if high is None:
        return f"{bound(low, unit, say)}{unit}以上"
    if not (low.is_integer() and high.is_integer()):
        return f"{bound(low, unit, say)}{unit}以上{bound(high, unit, say)}{unit}未満"
    first, last = bound(low, unit, say), bound(high - 1, unit, say)
    return f"{first}{unit}" if high <= low + 1 else f"{first}～{last}{unit}"


def _ticks(most: int) -> list[int]:
    """Round whole numbers from 0 to `most` or above, about five of them."""
    if most <= 0:
        return [0]
    rough = most / 4
    power = 10 ** math.floor(math.log10(rough)) if rough >= 1 else 1
    step = next(int(each * power) for each in (1, 2, 5, 10) if each * power >= rough)
    step = max(step, 1)
    return list(range(0, math.ceil(most / step) * step + 1, step))


def association_columns(found: Sequence[Association]) -> list[str]:
    """The columns of the matrix, in order; of many those that stand first."""
    names = list(dict.fromkeys(name for each in found for name in (each.first, each.second)))
    return names[:MAX_LABELLED]


def association_matrix(found: Sequence[Association], key: str, *, after: bool, say: Language) -> Markup:
    """The associations of every two columns, before or after, a square each: the darker, the stronger."""
    names = association_columns(found)
    values = {(each.first, each.second): (each.after if after else each.before) for each in found}
    side, margin = 38.0, 16 + LETTER * min(max(width(inert(name[:20])) for name in names), 17) if names else 0.0
    parts = []
    for row, name in enumerate(names):
        y = margin + row * side
        label = fitted(name, margin / LETTER - 1)
        parts.append(_tag("text", label, class_="label", x=margin - 6, y=y + side / 2 + 4, text_anchor="end"))
        x = margin + row * side + side / 2 + 4
        parts.append(
            _tag("text", label, class_="label", transform=f"translate({_short(x)} {_short(margin - 6)}) rotate(-90)")
        )
        for column, other in enumerate(names):
            parts += _square(name, other, values, margin + column * side, y, side, same=row == column, say=say)
    title = say.text("Associations in the release") if after else say.text("Associations in the original")
    description = say.text(
        "Matrix of the association of every two columns, from 0 to 1; the table beneath has the numbers."
    )
    size = margin + side * len(names) + 2
    return _chart(key, (size, size), title, description, parts, least=min(size, 230 + 8 * len(names)))


def _square(
    one: str,
    other: str,
    values: dict[tuple[str, str], float | None],
    x: float,
    y: float,
    side: float,
    *,
    same: bool,
    say: Language,
) -> Iterable[Markup]:
    if same:
        yield _tag("rect", class_="same", x=x + 1, y=y + 1, width=side - 2, height=side - 2)
        return
    value = values.get((one, other), values.get((other, one)))
    if value is None:
        yield _tag("text", "–", class_="tick", x=x + side / 2, y=y + side / 2 + 4, text_anchor="middle")
        return
    strength = min(abs(value), 1.0)
    yield _tag(
        "rect", class_="cell", x=x + 1, y=y + 1, width=side - 2, height=side - 2, fill_opacity=0.06 + 0.94 * strength
    )
    on = "on" if strength > 0.75 else "between" if strength > 0.55 else "off"
    yield _tag(
        "text", say.share(value), class_=f"number {on}", x=x + side / 2, y=y + side / 2 + 4, text_anchor="middle"
    )
