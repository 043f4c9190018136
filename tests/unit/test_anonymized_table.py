"""A release as a program has it: every column in its repr, numbers of its intervals, its picture, a sweep, progress."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ordermade
from ordermade import AnonymizedTable, InputError, Refused, Silent, anonymize, sweep
from ordermade.evaluation import model_utility
from ordermade.hierarchies.read import parse_yaml
from ordermade.progress import line
from ordermade.release.numbers import bounds_of, midpoint_of

ROWS = 480
AGES = {"intervals": {"levels": [{"bounds": [30, 45, 60]}]}}
TOWNS = {"Kyoto": ["Kansai"], "Otsu": ["Kansai"], "Tokyo": ["Kanto"], "Chiba": ["Kanto"]}


def made() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [15 + number % 60 for number in range(ROWS)],
            "town": ["Kyoto", "Otsu", "Tokyo", "Tokyo"] * (ROWS // 4 - 1) + ["Chiba", "Kyoto", "Otsu", "Tokyo"],
            "ill": ["flu", "cold", "gout"] * (ROWS // 3),
            "paid": [float(number % 7) for number in range(ROWS)],
            "name": [f"patient {number}" for number in range(ROWS)],
        }
    )


def of(data: Any, **more: Any) -> AnonymizedTable[Any]:
    given: dict[str, Any] = {
        "k": 40,
        "quasi_identifiers": ["age", "town"],
        "sensitive": ["ill"],
        "keep": ["paid"],
        "hierarchies": {"age": AGES, "town": TOWNS},
        "suppression_limit": 0,
    }
    return anonymize(data, **given | more)


@pytest.fixture(scope="module")
def release() -> AnonymizedTable[pd.DataFrame]:
    return of(made())


# ---- every column ---------------------------------------------------------------------------------------------------


def test_a_release_lists_every_column_with_role_level_and_labels(release: AnonymizedTable) -> None:
    lines = [each.split() for each in repr(release).splitlines()]
    at = lines.index(["column", "role", "level", "example"])
    assert [each[:2] for each in lines[at + 1 :]] == [
        ["age", "quasi-identifier"],
        ["town", "quasi-identifier"],
        ["ill", "sensitive"],
        ["paid", "kept"],
        ["name", "identifier"],
    ]
    assert "→" in repr(release)
    for column in ("age", "town", "ill", "paid", "name"):
        assert f">{column}<" in release._repr_html_()


def test_a_column_that_nobody_names_is_an_identifier_where_it_looks_like_one() -> None:
    table = made().assign(ward=["A", "B", "C"] * (ROWS // 3))
    release = of(table)
    roles = {each.column: each for each in release.roles}
    assert roles["name"].role == roles["ward"].role == "identifier"
    assert roles["ward"].reason == "not named"
    rows = {line.split("  ")[1].strip(): line for line in repr(release).splitlines() if "left out" in line}
    assert "identifier" in rows["name"]
    assert "not named" in rows["ward"]
    named = of(table, identifiers=["ward"])
    assert "not named" not in repr(named)


def test_what_allows_an_identifying_column_is_called_as_the_interface_calls_it() -> None:
    given: dict[str, Any] = {
        "keep": ["name"],
        "sensitive": [],
        "quasi_identifiers": ["age"],
        "hierarchies": {"age": AGES},
    }
    (warning,) = of(made(), allow_identifying=["name"], **given).result.warnings
    assert "which allow_identifying allows" in warning
    with pytest.raises(Refused, match=r"all the same with allow_identifying\."):
        of(made(), **given)
    with pytest.raises(Refused, match=r"leave it out, or write allow_identifying\.|with allow_identifying\."):
        of(made(), where="age < 40", **given)


def test_a_repr_shows_labels_and_no_value_that_a_hierarchy_lists(release: AnonymizedTable) -> None:
    assert set(release.frame()["town"]) == {"Kansai", "Kanto"}
    for text in (repr(release), release._repr_html_(), repr(release.result), release.result._repr_html_()):
        assert "… → Kan" in text
        for town in TOWNS:
            assert town not in text


def test_a_wide_release_lists_all_of_its_columns() -> None:
    wide = pd.DataFrame({"age": [30, 40] * 50, **{f"kept {number}": [1, 2] * 50 for number in range(45)}})
    release = anonymize(wide, k=5, quasi_identifiers=["age"], keep=[each for each in wide if each != "age"])
    for text in (repr(release), release._repr_html_()):
        assert all(f"kept {number}" in text for number in range(45))


# ---- numbers --------------------------------------------------------------------------------------------------------


def test_interval_labels_are_intervals_closed_on_the_left(release: AnonymizedTable) -> None:
    labels, found = release.frame()["age"], release.frame(numbers="interval")["age"]
    assert found.dtype == pd.IntervalDtype("float64", "left")
    read = {"< 30": (-math.inf, 30), "[30, 45)": (30, 45), "[45, 60)": (45, 60), "60+": (60, math.inf)}
    assert set(labels) == set(read)
    assert [(each.left, each.right) for each in found] == [read[each] for each in labels]
    assert list(release.frame(numbers="interval").columns) == list(release.frame().columns)


def test_intervals_between_whole_numbers_have_whole_ends() -> None:
    table = pd.DataFrame({"age": list(range(20, 60)) * 3})
    rule = {"intervals": {"levels": [{"width": 10}]}}
    found = anonymize(table, k=30, quasi_identifiers=["age"], hierarchies={"age": rule}).frame("interval")["age"]
    assert found.dtype == pd.IntervalDtype("int64", "left")
    assert set(found) == {pd.Interval(low, low + 10, closed="left") for low in (20, 30, 40, 50)}


def test_midpoints_are_numbers_and_an_open_end_is_as_wide_as_the_interval_beside_it(release: AnonymizedTable) -> None:
    found = release.frame(numbers="midpoint")
    assert found["age"].dtype == "float64"
    of_label = {"< 30": 22.5, "[30, 45)": 37.5, "[45, 60)": 52.5, "60+": 67.5}
    assert list(found["age"]) == [of_label[each] for each in release.frame()["age"]]
    assert list(found["town"]) == list(release.frame()["town"])


@pytest.mark.parametrize("make", [pl.DataFrame, pl.LazyFrame, pa.table], ids=["polars", "lazy", "arrow"])
def test_other_frames_have_midpoints_and_no_intervals(make: Callable[[Any], Any]) -> None:
    data: Any = make(made().to_dict("list"))
    release = of(data)
    found = release.frame(numbers="midpoint")
    assert type(found) is type(data)
    table = found.collect() if isinstance(found, pl.LazyFrame) else found
    assert set(table["age"].to_pylist() if isinstance(table, pa.Table) else table["age"]) == {22.5, 37.5, 52.5, 67.5}
    with pytest.raises(InputError, match="a type of pandas alone"):
        release.frame(numbers="interval")


def test_star_and_missing_are_no_numbers() -> None:
    rare = [100 * number for number in range(1, 13)]
    table = pd.DataFrame({"age": pd.array([*range(20, 40)] * 4 + [None] * 10 + rare, dtype="Int64")})
    rule = {"intervals": {"levels": [{"width": 10}]}}
    given: dict[str, Any] = {"quasi_identifiers": ["age"], "hierarchies": {"age": rule}, "suppression_limit": 0.15}
    release = anonymize(table, k=10, suppressed="star", **given)
    counted = Counter(release.frame()["age"].fillna("missing"))
    assert counted == {"[20, 30)": 40, "[30, 40)": 40, "missing": 10, "*": 12}
    assert release.frame("midpoint")["age"].isna().sum() == 22
    intervals = release.frame("interval")["age"]
    assert intervals.isna().sum() == 22
    assert isinstance(intervals.dtype, pd.IntervalDtype)


def test_values_as_they_were_stand_among_intervals_as_objects() -> None:
    table = pd.DataFrame({"age": [30] * 40 + [41, 42, 43, 44] * 5})
    rule = {"intervals": {"levels": [{"width": 10}]}}
    release = anonymize(table, k=10, quasi_identifiers=["age"], method="local", hierarchies={"age": rule})
    assert Counter(release.frame()["age"]) == {"30": 40, "[40, 50)": 20}
    found = release.frame("interval")["age"]
    assert found.dtype == object
    for label, interval in zip(release.frame()["age"], found, strict=True):
        low, closed = (40, "left") if label.startswith("[") else (30, "both")
        assert (interval.left, interval.closed) == (low, closed)


@pytest.mark.parametrize("text", ["[20, 30)", "[20, 40)", "< 20", "90+", "[0.5, 0.75)", "[-20, -10)"])
def test_bounds_go_by_the_rules_of_the_levels(text: str) -> None:
    rule = "intervals:\n  below: 20\n  above: 90\n  levels: [{width: 10}]\n"
    hierarchy: Any = parse_yaml(rule, "h", where="h")[0]
    if text in ("[20, 30)", "< 20", "90+"):
        assert midpoint_of(hierarchy, text) == {"[20, 30)": 25.0, "< 20": 15.0, "90+": 95.0}[text]
    else:
        with pytest.raises(ValueError, match="could not convert"):
            bounds_of(hierarchy, text)


def test_a_form_of_numbers_that_there_is_not_is_refused(release: AnonymizedTable) -> None:
    with pytest.raises(InputError, match="Give interval or midpoint"):
        release.frame(numbers="mean")  # type: ignore[call-overload]


# ---- the picture ----------------------------------------------------------------------------------------------------


def test_a_picture_has_every_column_and_the_sizes_of_the_classes(release: AnonymizedTable, tmp_path: Any) -> None:
    pytest.importorskip("matplotlib")
    picture = release.plot()
    columns, classes = picture.figure.axes
    assert [each.get_text() for each in columns.get_yticklabels()] == ["age", "town", "ill", "paid"]
    sizes = release.frame().groupby(["age", "town"]).size()
    assert sum(each.get_height() for each in classes.patches) == len(sizes)
    assert picture._repr_png_().startswith(b"\x89PNG")
    assert picture.save(tmp_path / "kept.svg").read_text().startswith("<?xml")
    assert not any(label in (tmp_path / "kept.svg").read_text() for label in ("Kansai", "[30, 45)", "Kyoto"))
    with pytest.raises(InputError, match="exists"):
        picture.save(tmp_path / "kept.svg")


def test_purchase_histories_have_no_classes_of_rows(release: AnonymizedTable) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(InputError, match="no equivalence classes of rows"):
        replace(release, result=replace(release.result, method="history")).plot()


@pytest.mark.parametrize(("entity", "words"), [(None, "rows"), ("name", "persons")])
def test_a_picture_says_what_k_counts(entity: str | None, words: str) -> None:
    pytest.importorskip("matplotlib")
    table = made().assign(age=[20 + number // 240 * 30 for number in range(ROWS)])
    release = of(table, k=40, entity=entity, quasi_identifiers=["age"], hierarchies={"age": AGES}, keep=[])
    classes = release.plot().figure.axes[1]
    assert classes.get_legend().get_texts()[0].get_text().split()[-1] == words


@pytest.mark.parametrize(
    ("low", "high", "is_logarithmic"),
    [(5, 6, False), (10, 25, False), (10, 99, False), (2, 25, True), (3, 9_000, True)],
)
def test_bins_of_whole_numbers_have_whole_bounds(low: int, high: int, is_logarithmic: bool) -> None:
    pytest.importorskip("matplotlib")
    from ordermade.plots.release_plot import BINS, integer_bins

    edges = integer_bins(low, high, is_logarithmic=is_logarithmic)
    widths = [right - left for left, right in pairwise(edges)]
    assert edges[0] == low
    assert edges[-1] >= high
    assert all(isinstance(each, int) for each in edges)
    assert min(widths) >= 1
    assert len(widths) <= BINS
    assert is_logarithmic or len(set(widths)) == 1
    assert high - low > BINS or set(widths) == {1}


def test_each_size_of_a_class_has_a_bar_of_its_own_where_there_are_few() -> None:
    pytest.importorskip("matplotlib")
    table = pd.DataFrame({"town": [town for town, rows in (("a", 10), ("b", 11), ("c", 14)) for _ in range(rows)]})
    levels = {each: ["*"] for each in "abc"}
    release = anonymize(table, k=10, quasi_identifiers=["town"], hierarchies={"town": levels}, suppression_limit=0)
    bars = release.plot().figure.axes[1].patches
    assert [(each.get_x(), each.get_width(), each.get_height()) for each in bars] == [
        (9.5, 1, 1), (10.5, 1, 1), (11.5, 1, 0), (12.5, 1, 0), (13.5, 1, 1)
    ]  # fmt: skip


def test_suppressed_rows_that_stay_are_no_class() -> None:
    rare = [f"village {number}" for number in range(12)]
    table = pd.DataFrame({"town": ["Kyoto"] * 30 + ["Otsu"] * 20 + rare})
    flat = dict.fromkeys(("Kyoto", "Otsu", *rare), "*")
    given: dict[str, Any] = {"hierarchies": {"town": flat}, "suppression_limit": 0.2}
    release = anonymize(table, k=10, quasi_identifiers=["town"], suppressed="star", **given)
    assert release.result.release.star_rows == 12
    assert release._sizes() == {30: 1, 20: 1}


# ---- a sweep --------------------------------------------------------------------------------------------------------


def test_a_sweep_has_the_losses_of_one_call_after_another() -> None:
    given: dict[str, Any] = {
        "quasi_identifiers": ["age", "town"],
        "hierarchies": {"age": AGES, "town": TOWNS},
        "suppression_limit": 0,
    }
    found = sweep(made(), [40, 2, 10], **given)
    assert [each.k for each in found.points] == [2, 10, 40]
    for point in found.points:
        release = anonymize(made(), k=point.k, **given)
        assert point.loss == pytest.approx(release.result.loss["loss"])
        assert point.measured_k == release.k
    assert "k" in repr(found)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["full-domain", "local", "mondrian", "microaggregation"])
def test_a_sweep_of_a_file_is_that_of_its_frame(tmp_path: Any, method: Any) -> None:
    made()[["age", "paid"]].to_csv(tmp_path / "made.csv", index=False)
    given: dict[str, Any] = {"quasi_identifiers": ["age"], "hierarchies": {"age": AGES}, "method": method}
    of_file = sweep(tmp_path / "made.csv", [2, 40], **given)
    of_frame = sweep(made(), [2, 40], **given)
    assert [(each.k, each.loss) for each in of_file.points] == [(each.k, each.loss) for each in of_frame.points]
    assert of_file.passes
    assert [each.name for each in tmp_path.iterdir()] == ["made.csv"]


def test_a_sweep_is_a_frame_with_a_row_a_k() -> None:
    found = sweep(made(), [2, 10, 400], quasi_identifiers=["age"], hierarchies={"age": AGES})
    refused = replace(found.points[2], loss=None, measured_k=None, divisions=None, reason="too few")
    frame = replace(found, points=(*found.points[:2], refused)).frame()
    assert frame["k"].tolist() == [2, 10, 400]
    assert frame["loss"].tolist()[:2] == [each.loss for each in found.points[:2]]
    assert frame["risk"].tolist()[:2] == [each.risk for each in found.points[:2]]
    assert frame["classes"].tolist()[:2] == [each.divisions for each in found.points[:2]]
    assert frame.loc[2, ["risk", "loss", "measured_k", "classes", "suppressed_rows"]].isna().all()
    assert frame["reason"].isna().tolist() == [True, True, False]
    assert str(frame.dtypes["suppressed_rows"]) == "Int64"


def test_a_sweep_that_passes_draws_itself(tmp_path: Any) -> None:
    pytest.importorskip("matplotlib")
    found = sweep(made(), [2, 10], quasi_identifiers=["age"], hierarchies={"age": AGES})
    assert found.plot().save(tmp_path / "sweep.svg").exists()
    none = replace(found, points=tuple(replace(each, loss=None) for each in found.points))
    with pytest.raises(InputError, match="every k is refused"):
        none.plot()


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({}, InputError, r"sweep\(data, k=\[2, 5\], quasi_identifiers="),
        ({"quasi_identifiers": ["age"], "k": []}, InputError, "every k is a whole number"),
        ({"quasi_identifiers": ["age"], "quasi": 1}, TypeError, "unexpected keyword argument 'quasi'"),
        ({"quasi_identifiers": ["age"], "k": [10_000]}, InputError, "fewer rows than k"),
        ({"quasi_identifiers": ["age"], "method": "best"}, InputError, "a sweep of its own"),
    ],
)
def test_a_sweep_that_cannot_be_says_why(given: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        sweep(made(), **{"k": [2, 5], **given})


# ---- progress -------------------------------------------------------------------------------------------------------


class Steps(Silent):
    """The steps of a call."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def step(self, name: str) -> None:
        self.names.append(name)


def test_a_call_reports_its_steps_from_the_first_one() -> None:
    steps = Steps()
    of(made(), progress=steps)
    assert steps.names[0] == "profiling the columns"
    assert len(steps.names) > 2


@pytest.mark.parametrize(("wanted", "lines"), [(None, 1), (True, 1), (False, 0)])
def test_one_line_is_shown_where_it_can_be(monkeypatch: pytest.MonkeyPatch, wanted: bool | None, lines: int) -> None:
    made_lines: list[line.ProgressSoFar] = []

    class Line(line.ProgressSoFar):
        def __enter__(self) -> Line:
            made_lines.append(self)
            return self

        def __exit__(self, *_: object) -> None:
            self.ended = True

    monkeypatch.setattr(line, "_line_here", Line)
    of(made(), **({} if wanted is None else {"progress": wanted}))
    assert len(made_lines) == lines
    assert all(each.ended and each.queries for each in made_lines)  # type: ignore[attr-defined]


def test_what_shows_no_progress_is_refused() -> None:
    with pytest.raises(InputError, match="Give True, False or a Progress"):
        of(made(), progress="yes")


# ---- the worth for a model ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_model_is_scored_before_and_after_on_rows_it_has_not_seen() -> None:
    pytest.importorskip("sklearn")
    table = made().assign(old=lambda each: (each["age"] >= 45).map({True: "yes", False: "no"}))
    release = of(table, keep=["paid", "old"])
    found = release.utility(table, "old", features=["age"], folds=6)
    before = {each.metric: each.before for each in found.scores}
    after = {each.metric: each.after for each in found.scores}
    assert set(before) == {"accuracy", "ROC AUC"}
    assert before["accuracy"] > 0.95
    assert after["accuracy"] > 0.9  # 45 is a bound of the intervals
    assert all(each.baseline <= 0.6 for each in found.scores)
    assert found == release.utility(table, "old", features=["age"], folds=6)
    assert "for the provider" in repr(found)


@pytest.mark.slow
def test_a_target_of_numbers_is_regressed() -> None:
    pytest.importorskip("sklearn")
    table = made().assign(cost=lambda each: each["age"] * 2.0 + (each["town"] == "Kyoto"))
    release = of(table, keep=["cost"])
    found = release.utility(table, "cost", features=["age", "town"], folds=6)
    assert [each.metric for each in found.scores] == ["R2", "MAE"]
    scores = {each.metric: each for each in found.scores}
    assert scores["R2"].before > scores["R2"].after > 0.5
    assert scores["MAE"].before < scores["MAE"].after < scores["MAE"].baseline
    assert abs(scores["R2"].baseline) < 0.2


@pytest.mark.slow
def test_a_regression_has_its_coefficients_before_and_after_in_the_same_terms() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    table = made().assign(cost=lambda each: each["age"] * 2.0 + 10 * each["town"].isin(["Kyoto", "Otsu"]) + 3)
    release = of(table, keep=["cost"])
    estimator = linear.Ridge(alpha=1e-9)
    found = release.utility(table, "cost", features=["age", "town"], folds=6, estimator=estimator)
    of_terms = {each.term: each for each in found.coefficients}
    assert list(of_terms) == ["age", "town = Kansai", "town = Kanto", "intercept"]
    assert of_terms["age"].before == pytest.approx(2.0, abs=1e-6)
    kansai, kanto = of_terms["town = Kansai"], of_terms["town = Kanto"]
    assert kansai.before - kanto.before == pytest.approx(10, abs=1e-5)
    # By hand: the same of the released labels, with the middle of each interval.
    rows = release.frame(numbers="midpoint")
    x = pd.DataFrame({"age": rows["age"], "kansai": (rows["town"] == "Kansai").astype(float)})
    by_hand = linear.LinearRegression().fit(x, rows["cost"])
    assert of_terms["age"].after == pytest.approx(by_hand.coef_[0], abs=1e-6)
    assert kansai.after - kanto.after == pytest.approx(by_hand.coef_[1], abs=1e-5)
    assert of_terms["age"].change == pytest.approx(by_hand.coef_[0] - 2, abs=1e-6)
    at_zero = of_terms["intercept"].after + kansai.after
    assert at_zero == pytest.approx(by_hand.intercept_ + by_hand.coef_[1], abs=1e-5)
    for text in (repr(found), found._repr_html_()):
        assert "town = Kansai" in text
        assert "in the terms of the release" in text


@pytest.mark.slow
def test_coefficients_of_classes_name_them_and_other_models_have_none() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    table = made().assign(old=lambda each: (each["age"] >= 45).map({True: "yes", False: "no"}))
    release = of(table, keep=["paid", "old"])
    two = release.utility(table, "old", features=["age", "town"], folds=3).coefficients
    assert {each.of_class for each in two} == {"yes"}
    assert all(each.before > 0 and (each.after or 0) > 0 for each in two if each.term == "age")
    three = release.utility(table, "ill", features=["age"], folds=3).coefficients
    assert [(each.term, each.of_class) for each in three] == [
        (term, name) for name in ("cold", "flu", "gout") for term in ("age", "intercept")
    ]
    forest = ensemble.RandomForestClassifier(n_estimators=3, random_state=0)
    assert release.utility(table, "old", features=["age"], folds=3, estimator=forest).coefficients == ()


def test_a_class_that_the_release_lost_leaves_no_coefficient_after() -> None:
    pytest.importorskip("sklearn")
    table = pd.DataFrame({"number": range(60), "class": ["a", "b", "c"] * 20})
    released = table[table["class"] != "c"]
    columns = (("number", "quasi-identifier"), ("class", "keep"))
    wanted = model_utility.ModelOptions("class", folds=3)
    found = model_utility.model_utility(table, released, columns, {}, lambda frame: frame, wanted)
    assert {each.of_class for each in found.coefficients} == {"a", "b", "c"}
    assert all(each.after is None and each.change is None for each in found.coefficients)


def test_a_card_shows_coefficients_while_there_is_room() -> None:
    pytest.importorskip("sklearn")
    table = pd.DataFrame({"town": [f"town {number % 40}" for number in range(400)], "cost": range(400)})
    columns = (("town", "quasi-identifier"), ("cost", "keep"))
    wanted = model_utility.ModelOptions("cost", folds=3)
    found = model_utility.model_utility(table, table, columns, {}, lambda frame: frame, wanted)
    assert len(found.coefficients) == 41
    assert 3 < repr(found).count("town = ") < 10
    assert "more" in repr(found).splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"target": "name"}, "'name' is no column of the release and of the data"),
        ({"target": "age"}, "'age' is generalised"),
        ({"target": "ill", "features": ["name"]}, "'name' is no column"),
        ({"target": "ill", "features": ["ill"]}, "no column to predict from"),
        ({"target": "ill", "folds": 1}, "fewer than two folds"),
        ({"target": "ill", "folds": 200}, "fewer rows than there are folds"),
    ],
)
def test_a_model_that_cannot_be_says_why(release: AnonymizedTable, given: dict[str, Any], said: str) -> None:
    pytest.importorskip("sklearn")
    with pytest.raises(InputError, match=said):
        release.utility(made(), **given)
    with pytest.raises(InputError, match="this is no frame"):
        release.utility("members.csv", "ill")


def test_a_release_of_an_engine_is_not_made_again(release: AnonymizedTable) -> None:
    with pytest.raises(InputError, match="can be anonymised again"):
        replace(release, again=None).utility(made(), "ill")


@pytest.mark.slow
def test_rows_that_do_not_pass_alone_are_refused() -> None:
    pytest.importorskip("sklearn")
    table = pd.DataFrame({"town": ["Kyoto"] * 9 + ["Otsu"] * 9, "ill": ["flu", "cold", "gout"] * 6})
    release = anonymize(table, k=9, quasi_identifiers=["town"], keep=["ill"], hierarchies={"town": TOWNS})
    with pytest.raises((Refused, InputError)):
        release.utility(table.iloc[:9], "ill", folds=3)


def test_each_model_is_trained_without_the_rows_that_score_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    table = pd.DataFrame({"number": range(60), "class": ["a", "b"] * 30})
    trained: list[set[int]] = []
    scored: list[set[int]] = []
    monkeypatch.setattr(model_utility, "_scores", lambda *_: {"accuracy": 1.0})
    encode = model_utility._Encoded.rows

    def rows(self: Any, frame: pd.DataFrame) -> Any:
        scored.append(set(frame["number"]))
        return encode(self, frame)

    def anonymised(frame: pd.DataFrame) -> pd.DataFrame:
        trained.append(set(frame["number"]))
        return frame

    monkeypatch.setattr(model_utility._Encoded, "rows", rows)
    columns = (("number", "quasi-identifier"), ("class", "keep"))
    wanted = model_utility.ModelOptions("class", folds=3)
    model_utility.model_utility(table, table, columns, {}, anonymised, wanted)
    # Of each fold: trained before, scored, trained after, scored.
    for fold, rows_of in enumerate(trained):
        assert scored[4 * fold] == scored[4 * fold + 2] == rows_of
        assert scored[4 * fold + 1] == scored[4 * fold + 3] == set(range(60)) - rows_of
    assert len(trained) == 3


@pytest.mark.slow
def test_a_kept_column_of_many_values_is_kept_of_fewer_rows_too() -> None:
    pytest.importorskip("sklearn")
    table = made().assign(cost=[float(number * 7 % 235) for number in range(ROWS)])
    release = of(table, keep=["cost"])
    assert release.utility(table, "cost", features=["age"], folds=6).task == "regression"


@pytest.mark.parametrize("given", [{"where": "age > 30"}, {"shape": "table", "keep": [], "sensitive": []}])
def test_a_filter_and_a_table_of_classes_are_not_made_again(given: dict[str, Any]) -> None:
    assert of(made(), **given).again is None
    with pytest.raises(InputError, match="without a filter"):
        of(made(), **given).utility(made(), "ill")


def test_texts_that_are_read_as_numbers_are_not_made_again() -> None:
    table = made().assign(age=lambda each: each["age"].map(lambda age: f" {age} years"))
    assert of(table).again is None


def test_no_report_has_the_scores() -> None:
    from ordermade.reports.figures import ReportFigures

    for record in (ordermade.Result, ordermade.GeneralizationResult, ReportFigures):
        assert not [each.name for each in fields(record) if "Model" in str(each.type)]


def test_two_open_intervals_reach_to_the_outermost_bounds() -> None:
    rule = "intervals:\n  levels: [{bounds: [25, 40, 60]}, {bounds: [40]}]\n"
    hierarchy: Any = parse_yaml(rule, "h", where="h")[0]
    assert [midpoint_of(hierarchy, each) for each in ("< 40", "40+", "< 25", "60+")] == [32.5, 50.0, 17.5, 70.0]
    alone: Any = parse_yaml("intervals:\n  levels: [{bounds: [40]}]\n", "h", where="h")[0]
    with pytest.raises(InputError, match="how far it reaches"):
        midpoint_of(alone, "< 40")
