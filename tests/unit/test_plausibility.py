"""Values that cannot be what the name of their column says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import pytest

from ordermade.drafts.plausibility import ImplausibleValues, implausible_values
from tests.drafted import counted, profile_of

TODAY = date(2026, 11, 28)


def found(name: str, counts: Mapping[str, int], kind: str) -> list[ImplausibleValues]:
    return list(implausible_values([profile_of(counts, kind, name=name)], TODAY))


def test_ages_of_nobody_are_counted() -> None:
    ages = counted([*range(20, 113), 999, 999, 999, -1, 131, 150, 200])
    assert found("Alter", ages, "INTEGER") == [ImplausibleValues("Alter", "ages over 130 or below 0", 7, 100)]
    assert found("age", counted(range(131)), "INTEGER") == []
    assert found("stage", ages, "INTEGER") == []


def test_births_are_neither_to_come_nor_too_long_ago() -> None:
    days = {"1980-02-03": 97, "2026-11-28": 1, "2026-11-29": 1, "1880-01-01": 1}
    (births,) = found("date_naissance", days, "DATE")
    assert (births.rows, births.what) == (2, "births in the future or before 1896")
    assert found("admission_date", {**days, "2030-01-01": 9}, "DATE") == []
    (years,) = found("Geburtsjahr", {"1980": 9, "2026": 1, "2027": 2, "9": 1}, "INTEGER")
    assert years.rows == 3
    assert found("birth month", counted([*range(1, 13)] * 9), "INTEGER") == []


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_of_values_that_are_not_listed_the_quantiles_count(share: float) -> None:
    ages = counted([number / 1000 for number in range(20_000)] + [999 + n / 1000 for n in range(int(20_000 * share))])
    (ages_of_nobody,) = found("age", ages, "DOUBLE")
    assert ages_of_nobody.rows / ages_of_nobody.of == pytest.approx(share / (1 + share), abs=0.03)
