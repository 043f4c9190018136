"""Keys of persons that repeat: k counts the persons, where no wish says otherwise."""

from __future__ import annotations

import pandas as pd
import pytest

from ordermade import InputError, anonymize
from ordermade.drafts.persons import repeated_key
from ordermade.drafts.profile import ColumnProfile
from ordermade.drafts.roles import proposed_roles

PERSONS, ROWS = 200, 600


def key(name: str, distinct: int = 12_000, nulls: int = 0) -> ColumnProfile:
    return ColumnProfile(name, "VARCHAR", 30_000, nulls, distinct, 0, shortest=6, longest=6, words=1.0)


def found(*profiles: ColumnProfile) -> str | None:
    persons = repeated_key(profiles, proposed_roles(profiles))
    return None if persons is None else persons.column


def test_the_key_of_a_person_is_found_among_others() -> None:
    assert found(key("visit_id", 30_000), key("patient_id"), key("sex", 2)) == "patient_id"
    assert found(key("Fallnummer", 30_000), key("Patienten-Nr"), key("Geschlecht", 2)) == "Patienten-Nr"
    assert found(key("id"), key("email"), key("sex", 2)) == "id"
    assert found(key("PESEL"), key("sex", 2)) == "PESEL"


def test_where_a_row_is_a_person_or_no_key_is_whole_there_is_none() -> None:
    assert found(key("member_id", 30_000), key("email"), key("sex", 2)) is None
    assert found(key("product_id"), key("order_id"), key("sex", 2)) is None
    assert found(key("patient_id", nulls=100), key("sex", 2)) is None
    assert found(key("patient_id", 15), key("sex", 2)) is None


def visits() -> pd.DataFrame:
    persons = [number * 7 % PERSONS for number in range(ROWS)]
    return pd.DataFrame(
        {
            "patient_id": [f"P{each:04}" for each in persons],
            "sex": ["fm"[each % 2] for each in persons],
            "age": [20 + each % 40 for each in persons],
        }
    )


def test_accepted_roles_count_persons() -> None:
    release = anonymize(visits(), 5, accept_roles=True)
    assert release.result.release.persons is not None
    assert any("k counts persons (entity='patient_id')" in each for each in release.result.warnings)
    with pytest.raises(InputError, match=r"entity='patient_id'\)"):
        anonymize(visits(), 5)


def test_roles_that_are_all_given_stay_as_they_are_and_the_weaker_count_is_said() -> None:
    release = anonymize(visits(), 5, quasi_identifiers=["sex", "age"])
    assert release.result.release.persons is None
    assert any("k counts rows, which protects a person less: entity" in each for each in release.result.warnings)
    named = anonymize(visits(), 5, quasi_identifiers=["sex", "age"], entity="patient_id")
    assert named.result.warnings == ()


def test_ages_that_nobody_has_are_warned_of_in_counts_of_k() -> None:
    table = visits().assign(age=lambda each: each["age"].mask(each.index < 40, 999).mask(each.index > 596, -1))
    said = anonymize(table, 5, quasi_identifiers=["sex", "age"], entity="patient_id").result.warnings
    assert said == ("the column 'age' has ages over 130 or below 0 in 43 rows.",)
    few = table.assign(age=lambda each: each["age"].mask(each.index < 40, 33))
    said = anonymize(few, 5, quasi_identifiers=["sex", "age"], entity="patient_id").result.warnings
    assert said == ("the column 'age' has ages over 130 or below 0 in fewer than 5 rows.",)


def test_amounts_that_tell_persons_are_generalised_where_k_counts_them() -> None:
    costs = [
        float(100 + row % 150 + (row % 150) ** 2) for row in range(ROWS)
    ]  # more values than half of the persons, fewer than half of the rows
    release = anonymize(visits().assign(cost=costs), k=5, accept_roles=True)
    roles = {each.column: each.role for each in release.roles}
    assert roles["cost"] in ("quasi-identifier", "identifier"), roles
