"""Messy texts with the values that they are written for, made up at random for tests of readings."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal

from ordermade.drafts.profile import ColumnProfile, ValueCount

Pair = tuple[str, object]
WIDE = str.maketrans("0123456789", "０１２３４５６７８９")
ERAS = (
    (date(2019, 5, 1), "令和", "R", 2018),
    (date(1989, 1, 8), "平成", "H", 1988),
    (date(1926, 12, 25), "昭和", "S", 1925),
)


def profile_of(name: str, texts: Sequence[str | None], column_type: str = "VARCHAR") -> ColumnProfile:
    """The profile of a column, counted in Python, that lists every value."""
    counts = Counter(each for each in texts if each is not None)
    values = tuple(ValueCount(*each) for each in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
    single = sum(rows == 1 for rows in counts.values())
    nulls = sum(each is None for each in texts)
    return ColumnProfile(name, column_type, len(texts), nulls, len(counts), single, values)


def thousands(chosen: random.Random) -> Pair:
    """A whole number with separators, signs and digits of two widths."""
    number = chosen.choice([chosen.randrange(1000), chosen.randrange(10**7), -chosen.randrange(1, 10**5)])
    text = f"{abs(number):,}"
    if number < 0:
        text = chosen.choice([f"-{text}", f"▲{text}", f"({text})", f"−{text}"])
    return chosen.choice([text, text.translate(WIDE), f" {text}", f"{text}　"]), number


def yen(chosen: random.Random) -> Pair:
    """An amount of yen."""
    number = chosen.randrange(10**6)
    return chosen.choice([f"¥{number:,}", f"{number:,}円", f"￥{number}", f"{number:,}".translate(WIDE)]), number


def dollars(chosen: random.Random) -> Pair:
    """An amount of dollars and cents."""
    number = Decimal(chosen.randrange(10**7)).scaleb(-2)
    return chosen.choice([f"${number:,}", f"US${number}", f"{number:,} USD"]), number


def decimal_comma(chosen: random.Random) -> Pair:
    """A number with a decimal comma and a point between thousands."""
    number = Decimal(chosen.randrange(10**7)).scaleb(-2)
    return f"{number:,}".replace(",", ";").replace(".", ",").replace(";", "."), number


def age(chosen: random.Random) -> Pair:
    """An age in years."""
    number = chosen.randrange(110)
    return chosen.choice([f"{number}歳", f"{number}才", str(number), f"{number}歳".translate(WIDE)]), number


def day(chosen: random.Random) -> Pair:
    """A day of any spelling of which the year is first, or an era."""
    found = date(1927, 1, 1) + timedelta(days=chosen.randrange(35_000))
    year, month, number = found.year, found.month, found.day
    _, era, letter, before = next(each for each in ERAS if found >= each[0])
    of_era = year - before
    written = "元" if of_era == 1 and chosen.random() < 0.5 else str(of_era)
    spellings = [
        found.isoformat(),
        f"{year}/{month}/{number}",
        f"{year}.{month}.{number}",
        f"{found:%Y%m%d}",
        f"{year}年{month}月{number}日",
        f"{year}年{month}月{number}日".translate(WIDE),
        f"{era}{written}年{month}月{number}日",
        f"{letter}{of_era}.{month}.{number}",
        f"{letter}{of_era:02}/{month:02}/{number:02}",
    ]
    return chosen.choice(spellings), found


def day_first(chosen: random.Random) -> Pair:
    """A day whose number is first; of one more than 12 now and then."""
    found = date(1950, 1, 1) + timedelta(days=chosen.randrange(25_000))
    spellings = [f"{found:%d/%m/%Y}", f"{found.day}.{found.month}.{found.year}", found.isoformat()]
    return chosen.choice(spellings), found


def postcode(chosen: random.Random) -> Pair:
    """A Japanese postcode."""
    number = f"{chosen.randrange(10**7):07}"
    parted = f"{number[:3]}-{number[3:]}"
    return chosen.choice([number, parted, f"〒{parted}", parted.translate(WIDE)]), number


KINDS: dict[str, Callable[[random.Random], Pair]] = {
    each.__name__: each for each in (thousands, yen, dollars, decimal_comma, age, day, day_first, postcode)
}
"""The kinds of messy texts, by the name of the column that has them."""


def column_of(kind: str, rows: int, seed: int) -> list[tuple[str | None, object]]:
    """Texts of a kind and their values, with NULLs and, but for postcodes, texts that mean a missing value."""
    chosen = random.Random(f"{kind}{seed}")
    pairs: list[tuple[str | None, object]] = [KINDS[kind](chosen) for _ in range(rows)]
    for place in range(0, rows, 9):
        pairs[place] = (chosen.choice([None, "-", "N/A", "不明"]), None)
    return pairs
