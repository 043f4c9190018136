"""The figures of reports, against counts by pandas; releases and originals that are gone or changed."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ordermade import Engine, anonymize
from ordermade.errors import InputError, Refused, ReleaseFault, UnknownName
from ordermade.reports.associations import correlation_ratio, cramers_v
from ordermade.reports.distributions import MAX_BINS, rising_edges, round_edges, whole_counts
from ordermade.reports.figures import Count, ReportedDistribution
from ordermade.reports.file import Report
from tests.conformance.prepared import WHERE, copied
from tests.made import new_engine

pytestmark = pytest.mark.slow

TOWNS = {"Kyoto": ["west", "*"], "Otsu": ["west", "*"], "Uji": ["east", "*"], "Nara": ["east", "*"]}
QIS = {"age": {"hierarchy": "age"}, "town": {"hierarchy": "town"}}
K = 5


def people() -> pd.DataFrame:
    draw = random.Random(7)
    return pd.DataFrame(
        {
            "who": [draw.randrange(150) for _ in range(300)],
            "age": [20 + draw.randrange(40) for _ in range(300)],
            "town": [draw.choice(list(TOWNS)) for _ in range(300)],
            "ill": [draw.choice(["flu", "cold", "gout"]) for _ in range(300)],
            "pay": [draw.randrange(100, 900) / 4 for _ in range(300)],
        }
    )


REQUESTS: Mapping[str, Mapping[str, Any]] = {
    "full-domain": {
        "method": "generalization", "quasi_identifiers": QIS, "suppression_limit": 0.1,
        "sensitive": {"ill": [{"model": "distinct_l", "l": 2}]},
    },
    "local": {"method": "generalization", "quasi_identifiers": QIS, "suppression_limit": 0.1, "recoding": "local"},
    "mondrian": {"method": "mondrian", "quasi_identifiers": QIS, "keep": ["ill"]},
    "microaggregation": {
        "method": "microaggregation", "attributes": {"age": {}, "pay": {}}, "keep": ["ill"],
        "microaggregation": {"budget": {"rounds": 5}},
    },
}  # fmt: skip
FORMATS = {"full-domain": "csv", "local": "parquet", "mondrian": "parquet", "microaggregation": "csv"}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a state in which the people of people.csv are a dataset."""
    folder = tmp_path_factory.mktemp("prepared")
    people().to_csv(folder / "people.csv", index=False)
    engine = new_engine(folder, use_cache=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(WHERE, str(folder))
        engine.sources.add("s", f"${{{WHERE}}}/people.csv")
        engine.datasets.add("people", "s", table="people", least_k=2)
    engine.hierarchies.add("age", "intervals:\n  levels: [{width: 5}, {width: 20}]\n")
    engine.hierarchies.add("town", TOWNS)
    return folder


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return copied(prepared, tmp_path, monkeypatch, use_cache=False)


@dataclass(frozen=True)
class Reported:
    """A release that is not changed, and its report."""

    path: Path
    report: Report

    def table(self, **more: Any) -> pd.DataFrame:
        """The released rows; `more`: how a CSV is read."""
        return pd.read_parquet(self.path) if self.path.suffix == ".parquet" else pd.read_csv(self.path, **more)


@pytest.fixture(scope="module")
def reported(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Reported]:
    """A release of each kind, of which two are Parquet, by its kind."""
    folder = tmp_path_factory.mktemp("reported")
    paths = {kind: folder / f"{kind}.{FORMATS[kind]}" for kind in REQUESTS}
    with pytest.MonkeyPatch.context() as patch:
        engine = copied(prepared, folder, patch, use_cache=False)
        return {kind: Reported(path, released(engine, path, **REQUESTS[kind])) for kind, path in paths.items()}


def released(engine: Engine, to: Path, **request: Any) -> Report:
    result = engine.run({"dataset": "people", "k": K, **request, "release": {"to": str(to)}})
    assert result.released, result.reason
    return engine.releases.report_of(result)


def quasi_identifiers(report: Report) -> list[str]:
    return [each.name for each in report.columns if each.role == "quasi-identifier"]


@pytest.mark.parametrize("kind", REQUESTS)
def test_sizes_and_risks_are_those_that_pandas_counts(kind: str, reported: Mapping[str, Reported]) -> None:
    report = reported[kind].report
    columns = quasi_identifiers(report)
    after, before = reported[kind].table(dtype=str), people()
    for frame, risks in ((after, report.risks_after), (before, report.risks_before)):
        sizes = frame.groupby(columns, dropna=False).size()
        assert risks is not None
        assert risks.prosecutor == 1 / sizes.min()
        assert risks.marketer == risks.average == pytest.approx(len(sizes) / len(frame))
        assert dict(risks.above)[0.2] == pytest.approx(sizes[sizes < 5].sum() / len(frame))
        assert risks.uniques == Count.of(int((sizes == 1).sum()), K)
    sizes = after.groupby(columns, dropna=False).size()
    assert (report.sizes.least, report.sizes.greatest) == (sizes.min(), sizes.max())
    assert report.sizes.median == sizes.median()
    assert report.sizes.mean == pytest.approx(sizes.mean())
    assert sum(each.units for each in report.sizes.bins) == len(after)
    assert sum(each.classes for each in report.sizes.bins) == len(sizes) == report.given.classes


@pytest.mark.parametrize("kind", REQUESTS)
def test_every_bar_holds_k_rows_on_both_sides_and_all_rows_are_in_bars(
    kind: str, reported: Mapping[str, Reported]
) -> None:
    report, after = reported[kind].report, reported[kind].table()
    assert {each.column for each in report.distributions} == set(after.columns)
    for each in report.distributions:
        counts = [bar.after.number for bar in each.bars]
        assert all(count is not None and (count == 0 or count >= K) for count in counts)
        assert sum(count or 0 for count in counts) == len(after)
        if each.bars[0].before is not None:
            earlier = [bar.before.number for bar in each.bars if bar.before is not None]
            assert all(count is not None and (count == 0 or count >= K) for count in earlier)
            assert sum(count or 0 for count in earlier) == len(people())


def test_bars_of_generalised_columns_count_the_original_under_each_label(reported: Mapping[str, Reported]) -> None:
    report = reported["full-domain"].report
    after, before = reported["full-domain"].table(dtype=str), people()
    levels = {each.name: each.level for each in report.columns}
    shown: dict[str, ReportedDistribution] = {each.column: each for each in report.distributions}
    generalised = before["town"] if levels["town"] == 0 else before["town"].map(lambda town: next(iter(TOWNS[town])))
    if levels["town"] == 2:
        generalised = generalised.map(lambda _: "*")
    for bar in shown["town"].bars:
        assert bar.after.number == (after["town"] == bar.label).sum()
        assert bar.before is not None
        assert bar.before.number == (generalised == bar.label).sum()
    for bar in shown["age"].bars:
        low, high = bar.low if bar.low is not None else -1, bar.high if bar.high is not None else 999
        assert bar.before is not None
        assert bar.before.number == before["age"].between(low, high - 1).sum()
    for bar in shown["ill"].bars:
        assert bar.after.number == (after["ill"] == bar.label).sum()


def test_persons_are_counted_where_a_pseudonym_tells_them_apart(engine: Engine, tmp_path: Path) -> None:
    engine.datasets.add("persons", "s", table="people", entity="who", least_k=2)
    request = {
        "dataset": "persons", "method": "generalization", "k": K, "quasi_identifiers": QIS,
        "release": {"to": str(tmp_path / "out.csv"), "pseudonym": "person"},
    }  # fmt: skip
    report = engine.releases.report_of(engine.run(request))
    after, before = pd.read_csv(tmp_path / "out.csv", dtype=str), people()
    for frame, person, risks in ((after, "person", report.risks_after), (before, "who", report.risks_before)):
        sizes = frame.groupby(["age", "town"])[person].nunique()
        least = frame.join(sizes.rename("size"), on=["age", "town"]).groupby(person)["size"].min()
        assert risks is not None
        assert risks.prosecutor == 1 / sizes.min()
        assert risks.average == pytest.approx((1 / least).mean())
        assert risks.uniques == Count.of(int((least == 1).sum()), K)


UNSEALED = {**REQUESTS["local"], "recoding": {"kind": "local", "seal": False}, "keep": ["ill"]}


def values_named(age: str, town: str) -> tuple[set[int], set[str]]:
    """The ages and towns that two labels name, of those that occur."""
    low, high = (0, 100) if age == "*" else (int(each) for each in re.findall(r"\d+", f"{age} {age}")[:2])
    ages = set(range(low, high)) if age.startswith(("[", "*")) else {low}
    return ages, {leaf for leaf, labels in TOWNS.items() if town in (leaf, *labels)}


def test_the_sensitive_values_left_by_an_elimination(engine: Engine, tmp_path: Path) -> None:
    """Of rounds that overlap: the rows of classes within others of which one has a further illness."""
    path = tmp_path / "overlapping.parquet"
    report = released(engine, path, **UNSEALED)
    rows = pd.read_parquet(path).groupby(["age", "town"])["ill"].agg([set, "size"])
    named = {labels: values_named(*labels) for labels in rows.index}
    fewer = 0
    for labels, own in rows.iterrows():
        ages, towns = named[labels]
        wider = [each for each in rows.index if named[each][0] >= ages and named[each][1] >= towns]
        fewer += own["size"] * (set().union(*(rows.loc[each]["set"] for each in wider)) > own["set"])
    (left,) = report.values_left
    assert report.classes_overlap
    assert fewer
    assert (left.column, left.fewest) == ("ill", min(map(len, rows["set"])))
    assert left.share_narrowed == pytest.approx(fewer / rows["size"].sum(), abs=1e-4)
    (of_user,) = engine.releases.report(report.release, "user").values_left
    assert (of_user.fewest, of_user.share_narrowed) == (left.fewest, None)


@pytest.mark.parametrize("kind", ["local", "mondrian"])
def test_an_elimination_leaves_all_values_where_classes_share_no_combination(
    kind: str, engine: Engine, tmp_path: Path
) -> None:
    path = tmp_path / "disjoint.parquet"
    report = released(engine, path, **{**REQUESTS[kind], "keep": ["ill"]})
    fewest = pd.read_parquet(path).groupby(["age", "town"])["ill"].nunique().min()
    assert not report.classes_overlap
    assert [(each.column, each.fewest, each.share_narrowed) for each in report.values_left] == [("ill", fewest, 0.0)]


def test_other_releases_speak_of_no_elimination(engine: Engine, tmp_path: Path) -> None:
    relaxed = {**REQUESTS["mondrian"], "mondrian": {"variant": "median", "strict": False}}
    relaxed["quasi_identifiers"] = {"age": {}, "pay": {}}
    for number, asked in enumerate((REQUESTS["full-domain"], relaxed)):
        assert released(engine, tmp_path / f"{number}.parquet", **asked).values_left == ()


def test_associations_are_those_of_pandas(reported: Mapping[str, Reported]) -> None:
    report = reported["microaggregation"].report
    after, before = reported["microaggregation"].table(), people()
    found = {(each.first, each.second): each for each in report.associations}
    pair = found["age", "pay"]
    assert pair.measure == "correlation"
    assert pair.after == pytest.approx(abs(after["age"].corr(after["pay"])))
    assert pair.before == pytest.approx(abs(before["age"].corr(before["pay"])))
    eta = found["age", "ill"]
    means = before.groupby("ill")["age"].transform("mean")
    assert eta.measure == "eta"
    unexplained = (1 - means.var() / before["age"].var()) * (len(before) - 1) / (len(before) - before["ill"].nunique())
    assert eta.before == pytest.approx(max(0.0, 1 - unexplained) ** 0.5)


def test_a_label_a_row_explains_nothing() -> None:
    assert correlation_ratio(0.87, 8_000, 7_000) == 0.0
    assert correlation_ratio(1.0, 100, 2) == pytest.approx(1.0)
    assert correlation_ratio(1.0, 100, 100) is None


def test_cramers_v_has_its_bias_corrected() -> None:
    assert cramers_v(1.0, 100, 2, 2) == pytest.approx(1.0)
    assert cramers_v(0.01, 100, 2, 2) == 0.0
    assert cramers_v(0.0, 100, 1, 2) is None


def test_a_release_that_changed_or_is_gone_has_no_report(engine: Engine, tmp_path: Path) -> None:
    released(engine, tmp_path / "out.csv", **REQUESTS["full-domain"])
    with (tmp_path / "out.csv").open("a", encoding="utf-8") as file:
        file.write("*,*,flu\n")
    with pytest.raises(Refused, match="SHA-256") as refused:
        engine.releases.report(1)
    assert "release verify 1" in refused.value.next_step
    (tmp_path / "out.csv").unlink()
    with pytest.raises(ReleaseFault, match="no longer there"):
        engine.releases.report(1)
    with pytest.raises(UnknownName):
        engine.releases.report(9)


def test_a_superseded_release_has_no_report(engine: Engine, tmp_path: Path) -> None:
    released(engine, tmp_path / "out.csv", **REQUESTS["full-domain"])
    again = {"dataset": "people", "k": 6, **REQUESTS["full-domain"]}
    engine.run({**again, "release": {"to": str(tmp_path / "out.csv"), "replace": True}})
    with pytest.raises(Refused, match="superseded by release 2"):
        engine.releases.report(1)
    assert engine.releases.report(2).floor == 6


def test_an_original_that_changed_or_is_gone_has_no_figures(engine: Engine, tmp_path: Path) -> None:
    released(engine, tmp_path / "out.csv", **REQUESTS["full-domain"])
    people().iloc[1:].to_csv(tmp_path / "people.csv", index=False)
    changed = engine.releases.report(1)
    assert (changed.original, changed.risks_before) == ("changed", None)
    (tmp_path / "people.csv").unlink()
    gone = engine.releases.report(1)
    assert gone.original == "gone"
    assert all(bar.before is None for each in gone.distributions for bar in each.bars)
    assert gone.risks_after == changed.risks_after


def test_a_frame_is_reported_on_while_the_program_has_it(tmp_path: Path) -> None:
    engine = new_engine(tmp_path, use_cache=False)
    engine.hierarchies.add("age", "intervals:\n  levels: [{width: 5}, {width: 20}]\n")
    engine.hierarchies.add("town", TOWNS)
    result = engine.run({"method": "generalization", "k": K, "quasi_identifiers": QIS}, data=people())
    report = engine.releases.report_of(result, data=people())
    assert report.original is None
    assert report.risks_before is not None
    assert engine.releases.report_of(result, "user").risks_before is None
    with pytest.raises(Refused, match="not kept"):
        engine.releases.report(1)


def test_a_call_gathers_the_report_before_its_state_is_gone(tmp_path: Path) -> None:
    ages = {age: f"{age // 10 * 10}s" for age in range(20, 60)}
    wanted: dict[str, Any] = {"quasi_identifiers": ["age"], "hierarchies": {"age": ages}, "keep": ["ill"]}
    of_frame = anonymize(people(), K, report="provider", **wanted).report
    assert of_frame is not None
    assert (of_frame.original, of_frame.audience) == (None, "provider")
    people().to_csv(tmp_path / "people.csv", index=False)
    of_file = anonymize(tmp_path / "people.csv", K, report="user", **wanted).report
    assert of_file is not None
    assert (of_file.original, of_file.risks_before) == ("user", None)
    assert anonymize(people(), K, **wanted).report is None
    with pytest.raises(InputError, match="provider or a user"):
        anonymize(people(), K, report="everybody", **wanted)


def test_a_report_is_plain_json(reported: Mapping[str, Reported]) -> None:
    report = reported["mondrian"].report
    found = json.loads(json.dumps(report.as_dict()))
    assert found["given"]["suppressed_rows"] == {"number": 0, "below": None}
    assert found["released_at"].endswith("+00:00")


def test_a_user_learns_neither_the_filter_nor_few_suppressed_rows(engine: Engine, tmp_path: Path) -> None:
    request = {**REQUESTS["full-domain"], "suppression_limit": 0.015, "where": "age >= 22"}
    released(engine, tmp_path / "out.csv", **request)
    report = engine.releases.report(1, "user")
    suppressed = engine.releases.get(1).suppressed_rows
    assert report.asked.filter is None
    assert report.file == "out.csv"
    assert suppressed < K
    assert report.given.suppressed_rows == Count(None, K)
    assert report.given.rows_of_dataset is None
    for shown in report.hierarchies:
        released_level = next(each.level_name for each in report.columns if each.name == shown.column)
        assert [each.name for each in shown.levels] == [released_level]


@pytest.mark.parametrize(("least", "greatest"), [(0, 0), (17, 90), (-3.25, 1e7), (0.001, 0.0042), (5, 5)])
@pytest.mark.parametrize("whole", [True, False])
def test_edges_are_few_and_cover_all_numbers(least: float, greatest: float, whole: bool) -> None:
    edges = round_edges(least, greatest, whole=whole)
    assert edges[0] <= least
    assert edges[-1] > greatest
    assert len(edges) <= MAX_BINS + 1
    assert list(edges) == sorted(set(edges))


def test_counts_are_rounded_to_their_sum() -> None:
    assert whole_counts([1.5, 1.5, 2.0]) == (2, 1, 2)
    assert whole_counts([0.3, 0.3, 0.4]) == (0, 0, 1)


@pytest.mark.parametrize(
    ("least", "greatest", "whole"),
    [(0, 10, True), (1, 7, True), (20, 400_000, True), (0, 10**9, True), (0.0003, 0.8, False), (0, 10**15, False)],
)
def test_rising_edges_are_round_few_and_hold_every_number(least: float, greatest: float, whole: bool) -> None:
    edges = rising_edges(least, greatest, whole=whole)

    assert edges[0] <= least
    assert edges[-1] > greatest
    assert list(edges) == sorted(set(edges))
    assert len(edges) <= MAX_BINS + 1
    assert not whole or all(each == int(each) for each in edges)
