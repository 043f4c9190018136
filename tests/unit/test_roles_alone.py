"""A call without roles says which ones it proposes, and drafts no hierarchy for that."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import pytest

from ordermade import InputError, anonymize
from ordermade.anonymization import proposal
from ordermade.drafts.hierarchies import Undrafted, drafted_hierarchy, undrafted
from tests.drafted import counted, profile_of

COLUMNS: Mapping[str, tuple[dict[str, int], str]] = {
    "a few texts": ({"f": 30, "m": 30}, "VARCHAR"),
    "a few rare texts": (counted(f"place {number}" for number in range(20)), "VARCHAR"),
    "long texts": ({"x" * 4_000 + str(number): 9 for number in range(9)}, "VARCHAR"),
    "rare texts": (counted(f"place {number}" for number in range(60)), "VARCHAR"),
    "countries, each once": (counted(["Japan", "France", "Chile", "Kenya"] * 2), "VARCHAR"),
    "numbers": (counted(range(90)), "INTEGER"),
    "numbers beyond all": ({"inf": 3, "1": 3, "2": 3}, "DOUBLE"),
    "dates": (counted(f"2024-01-{day:02}" for day in range(1, 29)), "DATE"),
    "times of the day": ({f"{hour:02}:{minute:02}:00": 2 for hour in range(9) for minute in range(9)}, "TIME"),
    "nothing": ({}, "VARCHAR"),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("least", [2, 5, 50])
def test_a_column_is_undrafted_where_no_hierarchy_is_drafted(name: str, least: int) -> None:
    counts, kind = COLUMNS[name]
    profile = profile_of(counts, kind, name=name)
    draft = drafted_hierarchy(profile, least_rows=least)
    assert undrafted(profile, least_rows=least) == (draft if isinstance(draft, Undrafted) else None)


def test_no_hierarchy_is_drafted_for_the_call_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pd.DataFrame({"age": [20 + number % 40 for number in range(400)], "sex": ["f", "m"] * 200})
    table["text"] = [f"note {number} of nobody at all" for number in range(400)]
    with pytest.raises(InputError) as whole:
        anonymize(table, k=5)
    monkeypatch.setattr(proposal, "drafted_hierarchies", None)
    with pytest.raises(InputError, match=r"anonymize\(data, k=5, quasi_identifiers=\['age', 'sex'\]\)") as alone:
        anonymize(table, k=5)
    assert str(alone.value) == str(whole.value)
