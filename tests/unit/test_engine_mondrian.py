"""Requests for Mondrian through the whole engine: releases against plain scans of the same persons, and their files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from statistics import fmean, mean
from typing import Any

import duckdb
import pytest
import yaml

from ordermade import Engine
from ordermade.errors import InputError
from ordermade.methods.mondrian.result import RuleReport
from ordermade.privacy.models import AlphaK, DistinctL, Model, RecursiveCL, TCloseness
from ordermade.sources.limits import Limits
from tests import label_parts
from tests.long import sampled
from tests.made import new_engine, write_table
from tests.plain_scans.mondrian import PlainMondrian, Sensitive
from tests.privacy_by_hand import passes
from tests.split_persons import COLUMNS, HIERARCHIES, SPLIT, Interval, SplitColumn, persons, split_columns
from tests.split_rules import RULES, Rule, guide, served
from tests.state_by_hand import every_row

pytestmark = pytest.mark.slow

K = 4
PERSONS = persons()
PLANS = ("basic", "more", "most")
COLUMNS_CUT = split_columns("median", PERSONS)
PEOPLE = {"dataset": "people"}
TF_IDF = {"split": "tf-idf", "rules": "rules.yaml"}
GAIN = {"split": "information-gain", "target": "plan"}
DISTINCT = ({"model": "distinct_l", "l": 2}, DistinctL(2))
CLOSE = ({"model": "t_closeness", "t": 0.25, "distance": "equal"}, TCloseness(Fraction("0.25")))
ALPHA = ({"model": "alpha_k", "alpha": 0.75}, AlphaK(Fraction("0.75")))
RECURSIVE = ({"model": "recursive_cl", "c": 2, "l": 2}, RecursiveCL(Fraction(2), 2))

Asked = tuple[str, Mapping[str, Any], Mapping[str, Any], Sequence[tuple[Mapping[str, Any], Model]]]
MORE = {"width", "hierarchy-width", "hierarchy-gain"}
"""What is asked of in another case too."""
CASES: dict[str, Asked] = {
    "width": ("median", {}, {}, ()),
    "prec-means": ("median", {"split": "prec", "labels": "mean", "rules": "rules.yaml"}, {}, ()),
    "relaxed-sets": ("median", {"strict": False, "labels": "set", "rules": "rules.yaml"}, {}, [CLOSE]),
    "tf-idf": ("median", TF_IDF | {"labels": "median"}, {}, ()),
    "gain": ("median", GAIN, {}, [RECURSIVE]),
    "hierarchy": ("hierarchy", {"rules": "rules.yaml"}, {}, [ALPHA, DISTINCT]),
    "hierarchy-width": ("hierarchy", {"split": "width", "strict": False, "labels": "set"}, {}, ()),
    "hierarchy-tf-idf": ("hierarchy", TF_IDF, {}, ()),
    "hierarchy-gain": ("hierarchy", GAIN | {"labels": "mean"}, {}, ()),
    "persons": ("median", TF_IDF, PEOPLE, [DISTINCT, ALPHA]),
    "persons-relaxed": ("hierarchy", {"strict": False, "labels": "set", "rules": "rules.yaml"}, PEOPLE, [DISTINCT]),
    "persons-linked": (
        "median",
        {"split": "prec", "labels": "median", "rules": "rules.yaml"},
        PEOPLE | {"pseudonym": "who"},
        [CLOSE],
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The persons in a database, their rules and hierarchies in files."""
    folder = tmp_path_factory.mktemp("mondrian")
    write_table(folder / "s.duckdb", COLUMNS, [tuple(row.values()) for row in PERSONS])
    rules = {"rules": [rule.document for rule in RULES]}
    (folder / "rules.yaml").write_text(yaml.safe_dump(rules, allow_unicode=True), encoding="utf-8")
    for name, text in HIERARCHIES.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def engine(folder: Path) -> Engine:
    """An engine on them: a row is a person, or the column `person` tells them apart."""
    engine = new_engine(folder)
    engine.sources.add("s", str(folder / "s.duckdb"))
    engine.datasets.add("rows", "s", table="persons", least_k=2)
    engine.datasets.add("people", "s", table="persons", entity="person", least_k=2)
    for name in HIERARCHIES:
        engine.hierarchies.add(name, folder / f"{name}.yaml")
    return engine


def request(folder: Path, to: Path, variant: str, mondrian: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A request for all columns that can be split; rows are known by their id."""
    release = {"replace": True, "to": str(to)} | {
        name: more.pop(name) for name in ("pseudonym", "shape") if name in more
    }
    found = {"rules": str(folder / "rules.yaml")} if "rules" in mondrian else {}
    asked = {
        "dataset": "rows",
        "method": "mondrian",
        "k": K,
        "quasi_identifiers": {name: {"hierarchy": name} if name in HIERARCHIES else {} for name in SPLIT},
        "keep": ["id"],
        "mondrian": {"variant": variant, **mondrian, **found},
        "release": release,
    } | more
    return asked | ({"allow_identifying": ["id"]} if "id" in asked["keep"] else {})


def labels_by_id(path: Path, columns: Sequence[SplitColumn]) -> dict[int, tuple[Any, ...]]:
    """What each row is released as. Every row is there once."""
    rows = duckdb.sql(f"SELECT id, {', '.join(each.name for each in columns)} FROM '{path}'").fetchall()
    assert sorted(row[0] for row in rows) == [row["id"] for row in PERSONS]
    return {row[0]: row[1:] for row in rows}


def classes_of(labels: Mapping[int, tuple[Any, ...]]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """The rows that are released alike."""
    found = defaultdict(list)
    for each in sorted(labels):
        found[labels[each]].append(PERSONS[each])
    return found


def by_plain_scans(asked: Asked, columns: Sequence[SplitColumn], result: Any, who: str) -> set[frozenset[int]]:
    """The ids of each group, split one row after another. Rows stand in the order of what is pulled of them."""
    codes = [[column.values.index(row[column.name]) for column in columns] for row in PERSONS]
    plans = [PLANS.index(row["plan"]) for row in PERSONS]
    order = sorted(range(len(PERSONS)), key=lambda row: (codes[row], plans[row] if asked[3] else 0, row))
    models = [model for _, model in asked[3]]
    groups = PlainMondrian(
        domains=[column.domain() for column in columns],
        codes=[codes[row] for row in order],
        k=K,
        split=result.mondrian.split,
        strict=result.mondrian.strict,
        guide=guide(columns),
        target=[plans[row] for row in order],
        persons=[int(PERSONS[row]["person"][1:]) for row in order] if who == "person" else None,
        sensitive=[Sensitive([plans[row] for row in order], models)] if models else [],
    ).partition()
    return {frozenset(order[row] for row in group.rows) for group in groups}


@pytest.mark.parametrize(
    "called", sampled([pytest.param(each, marks=pytest.mark.whole if each in MORE else ()) for each in CASES], 2)
)
def test_a_release_is_that_of_plain_scans(engine: Engine, folder: Path, tmp_path: Path, called: str) -> None:
    asked = CASES[called]
    variant, mondrian, more, models = asked
    sensitive = {"sensitive": {"plan": [part for part, _ in models]}} if models else {}
    result = engine.run(request(folder, tmp_path / "out.parquet", variant, mondrian, **more, **sensitive))
    columns, who = split_columns(variant, PERSONS), "person" if "dataset" in more else "id"
    labels = labels_by_id(tmp_path / "out.parquet", columns)
    classes = classes_of(labels)

    assert {frozenset(row["id"] for row in rows) for rows in classes.values()} == by_plain_scans(
        asked, columns, result, who
    )
    sizes, units = [len({row[who] for row in rows}) for rows in classes.values()], len({row[who] for row in PERSONS})
    assert min(sizes) == result.k >= K
    assert len(classes) == result.divisions == result.mondrian.groups > 5
    whole = values_of(PERSONS, who)
    for rows in classes.values():
        part, size = values_of(rows, who), len({row[who] for row in rows})
        assert all(passes(model, part, whole, None, size) for _, model in models)

    said = {
        labels: [said_of(*each, rows, result.mondrian.labels) for each in zip(columns, labels, strict=True)]
        for labels, rows in classes.items()
    }
    shares = {
        column.name: sum(column.width(said[key][place]) * len(rows) for key, rows in classes.items()) / len(PERSONS)
        for place, column in enumerate(columns)
    }
    steps = [
        sum(column.step(said[key][place]) * len(rows) for key, rows in classes.items()) / len(PERSONS)
        for place, column in enumerate(columns)
    ]
    assert result.loss == {
        "loss": pytest.approx(fmean(shares.values())),
        "prec": pytest.approx(fmean(steps)),
        "classes": len(classes),
        "dm": sum(size**2 for size in sizes),
        "c_avg": pytest.approx(units / len(classes) / K),
        "aecs": pytest.approx(units / len(classes)),
        "by_attribute": pytest.approx(shares),
    }
    assert result.mondrian.prec == pytest.approx(1 - fmean(steps))
    for column, place, told in zip(columns, range(len(columns)), result.mondrian.attributes, strict=True):
        assert told.column == column.name
        assert told.kept == sum(len(rows) for key, rows in classes.items() if column.step(said[key][place]) < 1)
    seen = who == "id" or "pseudonym" in more
    assert [as_told(each) for each in result.recommendation] == (
        [by_labels(rule, columns, labels, who, seen=seen) for rule in RULES] if "rules" in mondrian else []
    )


def values_of(rows: Sequence[Mapping[str, Any]], who: str) -> Counter[Any]:
    """The plans with the rows, or the persons, that have them."""
    return Counter(plan for _, plan in {(row[who], row["plan"]) for row in rows})


def said_of(column: SplitColumn, label: Any, rows: Sequence[Mapping[str, Any]], labels: str) -> Any:
    """What a label says of the rows of its class, which is as it must be; a mean stands for all from end to end."""
    values = sorted(row[column.name] for row in rows) if column.kind == "ordered" else []
    if column.kind != "ordered" or labels in ("interval", "set"):
        said = column.read(label)
        assert column.tells(said, rows)
        assert isinstance(said, Interval) == (labels == "interval" and len(set(values)) > 1)
        return said
    if labels == "median":
        values = [values[(len(values) - 1) // 2], values[len(values) // 2]]
    if column.name == "birth":
        assert label == date.fromordinal(sum(value.toordinal() for value in values) // len(values))
    else:
        assert label == pytest.approx(float(mean(values)), rel=1e-12)
    every = sorted(row[column.name] for row in rows)
    return Interval(every[0], every[-1])


def by_labels(
    rule: Rule, columns: Sequence[SplitColumn], labels: Mapping[int, Any], who: str, *, seen: bool
) -> tuple[Any, ...]:
    """What a release may tell of a rule: what is not seen in it in multiples of k, of few nothing."""
    meant, serves, both = served(rule, columns, PERSONS, labels, who)
    if meant < K:
        return (rule.item, rule.weight, None, None, None)
    meant, both, rounded = (K * ((2 * each + K) // (2 * K)) for each in (meant, both, serves))
    serves = serves if seen else rounded
    before = (meant, *((1.0, 1.0) if meant else (None, None)))
    after = (serves, both / meant if meant else None, min(both / serves, 1.0) if serves else None)
    return (rule.item, rule.weight, meant, before, after)


def as_told(rule: RuleReport) -> tuple[Any, ...]:
    """The same as it is told."""
    before, after = ((each.served, each.recall, each.precision) if each else None for each in (rule.before, rule.after))
    return (rule.item, rule.weight, rule.meant, before, after)


def test_a_statistical_table_has_a_row_a_class(engine: Engine, folder: Path, tmp_path: Path) -> None:
    asked = request(folder, tmp_path / "rows.parquet", "median", {"labels": "set"})
    engine.run(asked)
    table = {"to": str(tmp_path / "table.csv"), "shape": "table"}
    result = engine.run(
        {name: each for name, each in asked.items() if name not in ("keep", "allow_identifying")} | {"release": table}
    )
    counted = {
        labels: len(rows) for labels, rows in classes_of(labels_by_id(tmp_path / "rows.parquet", COLUMNS_CUT)).items()
    }

    names = ", ".join(SPLIT)
    rows = duckdb.sql(f"SELECT {names}, count FROM read_csv('{tmp_path / 'table.csv'}', all_varchar = true)").fetchall()
    assert {row[:-1]: int(row[-1]) for row in rows} == counted
    assert (len(rows), result.divisions) == (len(counted), len(counted))


@pytest.mark.parametrize("variant", ["median", "hierarchy"])
def test_the_same_release_comes_from_every_source_in_any_order(
    engine: Engine, folder: Path, tmp_path: Path, variant: str
) -> None:
    """With values dealt out, ties everywhere and nothing kept that tells equal rows apart."""
    columns = "sex, birth, height::INTEGER // 4 AS height, shop, smoker, job, plan"
    found = set()
    with duckdb.connect(str(folder / "s.duckdb"), read_only=True) as source:
        source.execute(f"COPY (SELECT {columns} FROM persons) TO '{tmp_path / 'one.parquet'}'")
        source.execute(f"COPY (SELECT {columns} FROM persons ORDER BY hash(id)) TO '{tmp_path / 'two.csv'}'")
        source.execute(f"COPY (SELECT {columns} FROM persons ORDER BY id DESC) TO '{tmp_path / 'three.parquet'}'")
    with duckdb.connect(str(tmp_path / "four.duckdb")) as other:
        other.execute(f"CREATE TABLE four AS FROM '{tmp_path / 'two.csv'}' ORDER BY shop, hash(birth)")
    for threads, file in enumerate(("one.parquet", "two.csv", "three.parquet", "four.duckdb"), start=1):
        engine.sources.add(f"{variant}{threads}", str(tmp_path / file), allow_inline=True)
        asked = request(folder, tmp_path / f"{threads}.csv", variant, {"strict": False}, keep=["plan"])
        asked["quasi_identifiers"].pop("price")
        asked["dataset"] = f"{variant}{threads}"
        engine.datasets.add(asked["dataset"], asked["dataset"], table=file.partition(".")[0], least_k=2)
        found.add(replace(engine, limits=Limits(threads=threads)).run(asked).release.sha256)
    assert len(found) == 1


def test_nothing_but_the_release_tells_of_a_person(folder: Path, tmp_path: Path) -> None:
    """Values that one row has, or fewer than k: none is in what is noted, told or explained."""
    # Numbers of 13 digits: seven stand in a hash, a time or a share now and then by chance.
    points = "7000000000000 + id * 7919 AS points"
    marked = f"SELECT *, 'Zqx' || id AS name, {points}, DATE '1901-02-03' + id AS day FROM persons"
    with duckdb.connect(str(tmp_path / "s.duckdb")) as source:
        source.execute(f"ATTACH '{folder / 's.duckdb'}' AS given (READ_ONLY)")
        source.execute(f"CREATE TABLE persons AS {marked.replace('persons', 'given.persons')}")
    rules = {"rules": [{"item": "one", "when": {"job": ["care"]}}]}
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(rules), encoding="utf-8")
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("d", "s", table="persons", entity="person", least_k=2)
    engine.hierarchies.add("job", folder / "job.yaml")
    asked = {
        "dataset": "d",
        "method": "mondrian",
        "k": K,
        "quasi_identifiers": {"name": {}, "points": {}, "day": {}, "job": {"hierarchy": "job"}},
        "sensitive": {"shop": [{"model": "distinct_l", "l": 2}]},
        "identifiers": ["id"],
        "allow_identifying": ["name"],
        "mondrian": {"labels": "set", "rules": str(tmp_path / "rules.yaml")},
        "release": {"replace": True, "to": str(tmp_path / "out.parquet"), "pseudonym": "who"},
    }
    result = engine.run(asked)
    refused = engine.run(asked | {"sensitive": {"shop": [{"model": "distinct_l", "l": 7}]}})
    with pytest.raises(InputError) as failed:
        engine.run(asked | {"quasi_identifiers": {"name": {}, "gone": {}}, "dataset": "d"})

    released = duckdb.sql(f"SELECT name, points, day FROM '{tmp_path / 'out.parquet'}'").fetchall()
    assert "Zqx" in released[0][0]
    told = [
        str(result.as_dict()),
        str(refused.as_dict()),
        str(failed.value),
        *(each.sql or "" for each in engine.explain(asked)),
    ]
    told += [str(asdict(engine.requests.get(each.id))) for each in engine.requests.list()]
    told += [(tmp_path / "out.parquet.manifest.json").read_text("utf-8")]
    with engine.state_file.reading() as state:
        told += every_row(state)
    values = {
        cell
        for row in released
        for label in row
        for cell in (label_parts.ends_of(str(label)) or label_parts.values_of(str(label)))
    } - {"*"}
    values |= {f"'{row['person']}'" for row in PERSONS} | {row["shop"] for row in PERSONS if len(row["shop"]) > 1}
    assert len(values) > 300
    assert not [value for value in values for text in told if value in text]
