"""The arguments of `anonymize` and `measure`: one about how never widens what, and none is swallowed."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from ordermade import anonymize, measure, sweep
from ordermade.errors import InputError

FRAME = pd.DataFrame(
    {
        "town": ["Kyoto", "Otsu"] * 20,
        "age": [20 + each % 4 for each in range(40)],
        "salary": [100 * (each % 5) for each in range(40)],
    }
)


def test_a_hierarchy_makes_no_column_a_quasi_identifier_and_releases_none() -> None:
    salary = {each: ["some"] for each in (0, 100, 200, 300, 400)}
    with pytest.raises(InputError, match="'salary' has a hierarchy and is no quasi-identifier") as refused:
        anonymize(FRAME, k=5, quasi_identifiers=["town"], hierarchies={"salary": salary})
    assert "Name it among quasi_identifiers too" in str(refused.value)
    with pytest.raises(InputError, match="is named in keep too"):
        anonymize(FRAME, k=5, quasi_identifiers=["town"], keep=["salary"], hierarchies={"salary": salary})


@pytest.mark.parametrize("key", ["attributes", "within"])
def test_options_of_a_column_make_it_no_quasi_identifier(key: str) -> None:
    options: dict[str, Any] = {key: {"salary": {}}}
    with pytest.raises(InputError, match="'salary' has options and is no quasi-identifier"):
        anonymize(FRAME, k=5, quasi_identifiers=["age"], method="microaggregation", **options)


@pytest.mark.parametrize(
    ("key", "meant"),
    [("qi", ""), ("quasi_identifier", "quasi_identifiers"), ("supression_limit", "suppression_limit"), ("dataset", "")],
)
def test_a_keyword_that_there_is_not_is_a_type_error(key: str, meant: str) -> None:
    given: dict[str, Any] = {key: ["town"]}
    with pytest.raises(TypeError, match=rf"anonymize\(\) got an unexpected keyword argument '{key}'.*{meant}"):
        anonymize(FRAME, k=5, accept_roles=True, **given)
    with pytest.raises(TypeError, match=rf"measure\(\) got an unexpected keyword argument '{key}'"):
        measure(FRAME, ["town"], **given)


def test_the_roles_are_called_roles() -> None:
    release = anonymize(FRAME, k=5, quasi_identifiers=["town"])
    assert {each.column: each.role for each in release.roles}["town"] == "quasi-identifier"
    with pytest.raises(InputError, match="the columns have no roles yet"):
        anonymize(FRAME, k=5)


def test_missing_values_are_stars_where_that_is_wanted() -> None:
    frame = FRAME.assign(age=[None if each % 4 == 0 else 20 + each % 4 for each in range(40)])
    columns: dict[str, Any] = {"quasi_identifiers": ["town", "age"], "suppression_limit": 0}
    plain, starred = (anonymize(frame, k=5, missing_values=each, **columns) for each in ("category", "suppressed"))
    assert plain.result.divisions == starred.result.divisions
    assert plain.frame()["age"].isna().sum() == 10
    assert (starred.frame()["age"] == "*").sum() == 10
    assert starred.frame()["age"].isna().sum() == 0
    assert starred.result.loss["loss"] > plain.result.loss["loss"]  # type: ignore[operator]
    swept = sweep(frame, [5], missing_values="suppressed", **columns)
    assert swept.points[0].loss == pytest.approx(starred.result.loss["loss"])


@pytest.mark.parametrize("more", [{"method": "local"}, {"method": "mondrian"}, {"method": "best"}, {"compare": True}])
def test_missing_values_are_stars_by_one_level_a_column_alone(more: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="by the method full-domain alone") as refused:
        anonymize(FRAME, k=5, quasi_identifiers=["town"], missing_values="suppressed", **more)
    assert "missing_values" in str(refused.value)
