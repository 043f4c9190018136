"""Numbers read at their bound (`<0.5`, `>20`): no release shows one as if it were known."""

from __future__ import annotations

import csv
import itertools
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ordermade import anonymize
from ordermade.drafts.missing_values import censored_ends
from ordermade.drafts.profile import CensoredEnds
from ordermade.hierarchies.intervals import IntervalHierarchy

LIMITS = {
    "one of each": (["<0.5"], [">20"]),
    "two laboratories": (["<0.5", "<2"], [">20", ">8"]),
    "below alone": (["< 1"], []),
    "above alone": ([], ["≥ 10"]),
    "like a value": (["<1"], [">3"]),
}
COLUMN = "crp"


def texts(below: list[str], above: list[str], rng: random.Random) -> list[str]:
    exact = [f"{rng.lognormvariate(1, 1):.1f}" for _ in range(240)]
    return [
        *exact,
        *(rng.choice(below) for _ in range(80 if below else 0)),
        *(rng.choice(above) for _ in range(80 * bool(above))),
    ]


def may_be(text: str, low: Any, high: Any) -> bool:
    """Whether all that a text may be is from `low` up to `high`, as an interval says."""
    number = Decimal(text.strip("<>≥ "))
    if text[0] == "<":
        return low is None and (high is None or number <= high)
    if text[0] in ">≥":
        return high is None and (low is None or low <= number)
    return (low is None or low <= number) and (high is None or number < high)


@pytest.mark.parametrize("called", LIMITS)
@pytest.mark.parametrize("method", ["full-domain", "local", "mondrian"])
def test_no_value_read_at_its_bound_is_released_as_it_is(tmp_path: Path, called: str, method: Any) -> None:
    rng = random.Random(7)
    column = texts(*LIMITS[called], rng)
    file = tmp_path / "t.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([(COLUMN, "sex"), *((each, rng.choice("fm")) for each in column)])
    given: dict[str, Any] = {"quasi_identifiers": [COLUMN, "sex"], "reading": {"at_bounds": [COLUMN]}}
    release = anonymize(file, k=3, method=method, suppression_limit=0, **given)
    labels = {str(each) for each in release.frame()[COLUMN]}
    hierarchy = release.result.forms.hierarchies[COLUMN]
    assert isinstance(hierarchy, IntervalHierarchy)
    spans = [span for each in labels - {"*"} for span in hierarchy.levels_of(each).values()]
    assert len(labels) > 1
    assert len(spans) >= len(labels - {"*"}), "each is an interval and no value"
    for rule in hierarchy.intervals:
        ends = [None, *map(Decimal, map(str, rule.bounds)), None]
        for text in {each for each in column if each[0] in "<>≥"}:
            number = Decimal(text.strip("<>≥ "))
            low, high = next(
                (low, high)
                for low, high in itertools.pairwise(ends)
                if (low is None or low <= number) and (high is None or number < high)
            )
            assert may_be(text, low, high), (text, low, high)


def test_kept_and_sensitive_columns_stay_with_their_signs(tmp_path: Path) -> None:
    rng = random.Random(8)
    file = tmp_path / "t.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        rows = [(each, each, rng.choice("fm")) for each in texts(["<1"], [">3"], rng)]
        csv.writer(out).writerows([("kept", "ill", "sex"), *rows])
    given: dict[str, Any] = {"quasi_identifiers": ["sex"], "keep": ["kept"], "sensitive": ["ill"]}
    given |= {"reading": {"at_bounds": ["kept", "ill"]}, "allow_identifying": ["kept", "ill"]}
    released = anonymize(file, k=3, suppression_limit=0, **given).frame()
    for column in ("kept", "ill"):
        assert {"<1", ">3"} <= set(released[column])


def test_the_ends_are_the_bounds_that_part_least() -> None:
    found = censored_ends(["<0,5", "<2", "3", ">20", "≥ 8", "n/a", "<?"], lambda text: text.replace(",", ".").strip())
    assert found == CensoredEnds(Decimal(2), Decimal(8))
    assert [found.may_part(Decimal(each)) for each in (2, 3, 8, 9)] == [False, True, True, False]
    assert censored_ends(["1", "2"], str) is None
