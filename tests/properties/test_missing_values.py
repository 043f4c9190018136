"""Missing values that are released as `*` at every level: the whole engine against counting by hand.

They form classes with each other alone, cost what `*` costs in Loss, and change no other figure.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import HierarchyError, RequestError
from ordermade.methods.generalization.result import GeneralizationResult
from tests.long import rounds
from tests.made import Value, new_engine, write_hierarchy, write_table

SEED = 20_261_128
KINDS = {"n": "INTEGER", "place": "VARCHAR", "code": "VARCHAR", "ill": "VARCHAR"}
NAMES = ("n", "place", "code")
TOPS = {"n": 3, "place": 2, "code": 2}
PLACES = ("a1", "a2", "b1", "b2", "b3")
Row = tuple[Value, ...]


def _interval(value: int, width: int) -> str:
    low = value // width * width
    return f"[{low}, {low + width})"


LABELS: Mapping[str, Callable[[Any, int], str]] = {
    "n": lambda value, level: str(value) if level == 0 else _interval(value, (2, 6)[level - 1]),
    "place": lambda value, level: (value, value[0])[level],
    "code": lambda value, level: (value, f"{value[0]}*")[level],
}
"""What a value that is not missing is released as, below the top."""


@dataclass(frozen=True)
class Wanted:
    """A request: its k, its share of suppressed rows, and the columns whose missing values are `*`.

    `lists_null`: whether the hierarchy of places gives missing ones a path of their own.
    """

    k: int
    limit: Fraction
    starred: frozenset[str]
    lists_null: bool = False

    def document(self, **more: Any) -> dict[str, Any]:
        columns: dict[str, dict[str, Any]] = {name: {"hierarchy": name} for name in NAMES}
        for name in self.starred:
            columns[name]["missing"] = "suppressed"
        return {
            "dataset": "d",
            "k": self.k,
            "suppression_limit": float(self.limit),
            "quasi_identifiers": columns,
            "search": {"objective": "loss"},
            "release": {"to": "out.parquet", "replace": True},
            **more,
        }


def label(name: str, value: Any, level: int, wanted: Wanted) -> str | None:
    """What a cell is released as, missing or not."""
    if level == TOPS[name] or (value is None and name in wanted.starred):
        return "*"
    if value is None:
        return "nowhere" if wanted.lists_null and name == "place" and level else None
    return LABELS[name](value, level)


def leaves(name: str, rows: Sequence[Row], wanted: Wanted) -> list[Value]:
    """The values among which a label leaves the choice: those listed, or those that occur; and NULL likewise."""
    found = {row[NAMES.index(name)] for row in rows}
    has_null = None in found or (name == "place" and wanted.lists_null)
    return [*(PLACES if name == "place" else found - {None}), *([None] if has_null else [])]


def losses(rows: Sequence[Row], node: Sequence[int], wanted: Wanted) -> tuple[Fraction, Counter[Any]] | None:
    """The Loss of a node with its released rows; None where it does not pass."""
    shown = [tuple(map(label, NAMES, row, node, [wanted] * 3)) for row in rows]
    sizes = Counter(shown)
    kept = [each for each in shown if sizes[each] >= wanted.k]
    if len(shown) - len(kept) > wanted.limit * len(shown) or not kept:
        return None
    total = Fraction()
    for place, (name, level) in enumerate(zip(NAMES, node, strict=True)):
        domain = leaves(name, rows, wanted)
        if len(domain) > 1:
            plain = replace(wanted, starred=frozenset())
            under = Counter(label(name, each, level, plain) for each in domain)
            for row, released in zip(rows, shown, strict=True):
                is_star = sizes[released] < wanted.k or released[place] == "*"
                own = len(domain) if is_star else under[label(name, row[place], level, plain)]
                total += Fraction(own - 1, (len(domain) - 1) * len(rows) * len(NAMES))
    return total, Counter(kept)


def table(rng: random.Random) -> list[Row]:
    share = rng.choice([0.0, 0.1, 0.4])

    def missing(value: Value) -> Value:
        return None if rng.random() < share else value

    return [
        (
            missing(rng.choice([0, 1, 2, 3, 5, 8, 11])),
            missing(rng.choice(PLACES)),
            missing(rng.choice(["x1", "x2", "y1"])),
            rng.choice("uvw"),
        )
        for _ in range(rng.choice([12, 40, 90]))
    ]


def engine_of(folder: Path, rows: Sequence[Row], *, lists_null: bool) -> Engine:
    engine = new_engine(folder)
    write_table(folder / "s.duckdb", KINDS, rows)
    engine.sources.add("s", str(folder / "s.duckdb"))
    engine.datasets.add("d", "s", table="persons", least_k=2)
    (folder / "n.yaml").write_text("intervals: {levels: [{width: 2}, {width: 6}]}\n", encoding="utf-8")
    (folder / "code.yaml").write_text("prefix: {keep: [1]}\n", encoding="utf-8")
    for name in ("n", "code"):
        engine.hierarchies.add(name, folder / f"{name}.yaml")
    paths: list[tuple[Value, ...]] = [(each, each[0]) for each in PLACES]
    if lists_null:
        paths.append((None, "nowhere"))
    engine.hierarchies.add("place", write_hierarchy(folder / "place.csv", ("place", "part"), paths), "header")
    return engine


@pytest.mark.parametrize("number", range(rounds(4, 120)))
def test_what_is_released_is_the_best_by_hand(number: int, tmp_path: Path) -> None:
    rng = random.Random(SEED + number)
    rows, starred = table(rng), frozenset(each for each in NAMES if rng.random() < 0.7)
    lists_null = rng.random() < 0.5
    wanted = Wanted(rng.choice([2, 3, 5]), Fraction(rng.choice([0, 1, 3]), 10), starred, lists_null)
    engine = engine_of(tmp_path, rows, lists_null=lists_null)
    nodes = itertools.product(*(range(TOPS[name] + 1) for name in NAMES))
    found = {node: each for node in nodes if (each := losses(rows, node, wanted)) is not None}
    document = wanted.document(release={"to": str(tmp_path / "out.parquet"), "replace": True})
    if not found:
        assert engine.run(document).status == "refused"
        return

    best = min(loss for loss, _ in found.values())
    for algorithm in ("guided", "exhaustive", "hitting-set"):
        request = document | {"search": {"objective": "loss", "algorithm": algorithm}}
        result = engine.run(request, again=True)
        assert isinstance(result, GeneralizationResult)
        node = tuple(result.levels[name] for name in NAMES)
        assert found[node][0] - best < Fraction(1, 10**9)
        assert result.loss["loss"] == pytest.approx(float(found[node][0]), abs=1e-9)
        out = duckdb.sql(f"SELECT * FROM '{tmp_path / 'out.parquet'}'").fetchall()
        released = Counter(tuple(None if each is None else str(each) for each in row) for row in out)
        assert released == found[node][1]
        engine.certify(request, result, tmp_path / f"{algorithm}.json")
        assert engine.verify_certificate(tmp_path / f"{algorithm}.json", request).nodes == 36


@pytest.mark.parametrize("number", range(rounds(4, 40)))
def test_nothing_but_loss_and_labels_depends_on_the_choice(number: int, tmp_path: Path) -> None:
    rng = random.Random(SEED - number)
    engine = engine_of(tmp_path, table(rng), lists_null=False)
    node = {name: rng.randrange(TOPS[name] + 1) for name in NAMES}
    found = []
    for starred in (frozenset[str](), frozenset(NAMES)):
        document = Wanted(2, Fraction(1), starred).document(release={"to": str(tmp_path / f"{len(found)}.csv")})
        for name, level in node.items():
            document["quasi_identifiers"][name] |= {"from": level, "to": level}
        result = engine.run(document)
        assert isinstance(result, GeneralizationResult)
        found.append(result)
    one, other = (dict(each.loss) for each in found)
    assert (found[0].k, found[0].divisions, found[0].suppressed_rows) == (
        found[1].k, found[1].divisions, found[1].suppressed_rows,
    )  # fmt: skip
    assert one.pop("loss") <= other.pop("loss")  # type: ignore[operator]
    assert one == other


def test_a_hierarchy_that_puts_missing_values_with_others_is_refused(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, table(random.Random(1)), lists_null=False)
    for name, last in (("with", (None, "b")), ("stars", ("zz", "*"))):
        paths: list[tuple[Value, ...]] = [*((each, each[0]) for each in PLACES), last]
        file = write_hierarchy(tmp_path / f"{name}.csv", ("place", "part"), paths)
        engine.hierarchies.add(name, file, "header")
        document = Wanted(2, Fraction(0), frozenset(["place"])).document()
        document["quasi_identifiers"]["place"]["hierarchy"] = name
        with pytest.raises(RequestError, match="together with missing ones"):
            engine.run(document)
        document["quasi_identifiers"]["place"] |= {"from": 2}
        document["release"] = {"to": str(tmp_path / f"{name}.parquet")}
        assert engine.run(document).released


@pytest.mark.parametrize(("value", "finest"), [("*", 0), ("", 1)])
def test_a_value_that_is_written_as_a_star_is_refused(value: str, finest: int, tmp_path: Path) -> None:
    engine = engine_of(tmp_path, [(1, "a1", each, "u") for each in (value, None, "x1", "x1")], lists_null=False)
    document = Wanted(2, Fraction(1, 2), frozenset(["code"])).document(release={"to": str(tmp_path / "out.csv")})
    document["quasi_identifiers"]["code"]["from"] = finest
    with pytest.raises(HierarchyError, match="missing values released as"):
        engine.run(document)
    document["quasi_identifiers"]["code"] |= {"from": 2}
    assert engine.run(document).released


def test_it_is_refused_where_it_does_not_go(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, table(random.Random(2)), lists_null=False)
    document = Wanted(2, Fraction(0), frozenset(["n"])).document()
    with pytest.raises(RequestError, match="local recoding"):
        engine.run(document | {"recoding": "local"})
    mondrian = {each: document[each] for each in ("dataset", "k", "quasi_identifiers", "release")}
    with pytest.raises(RequestError, match="missing"):
        engine.run(mondrian | {"method": "mondrian"})
