"""One request after another: what is measured afresh, what is known, what is refused and why."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.errors import RequestError
from ordermade.methods.registry import METHOD_OF
from ordermade.progress.waiting import Silent
from ordermade.requests.methods import REQUESTS
from ordermade.sources.executor import ExecutedStatement
from tests.conformance.prepared import copied, prepare
from tests.made import Row, new_engine, write_hierarchy, write_table

COLUMNS = {"sex": "VARCHAR", "age": "INTEGER", "plan": "VARCHAR"}
SEX = ("value", "top"), [("f", "*"), ("m", "*")]
AGE = ("value", "pair", "half"), [(str(age), f"p{age // 2}", f"h{age // 4}") for age in range(8)]
ROWS: list[Row] = [("f" if i % 3 else "m", i * i % 8, f"plan {i % 2}") for i in range(40)]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    return prepare(folder, COLUMNS, ROWS, {"sex": SEX, "age": AGE}, writable=False)


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return copied(prepared, tmp_path, monkeypatch)


def asked(folder: Path, k: int = 2, columns: tuple[str, ...] = ("sex", "age"), **more: Any) -> dict[str, Any]:
    ranges = more.pop("ranges", {})
    qis = {column: {"hierarchy": column, **ranges.get(column, {})} for column in columns}
    to = {"to": str(folder / "out.csv"), "replace": True}
    return {"dataset": "d", "k": k, "quasi_identifiers": qis, "release": to, **more}


def label(column: str, value: Any, level: int) -> Any:
    if column == "sex":
        return value if level == 0 else "*"
    return [value, f"p{value // 2}", f"h{value // 4}", "*"][level]


def k_of(levels: dict[str, int], rows: list[Row] = ROWS) -> int:
    """The k of a node, counted in Python."""
    place = {"sex": 0, "age": 1}
    return min(Counter(tuple(label(c, row[place[c]], lv) for c, lv in levels.items()) for row in rows).values())


def figures(result: Any) -> tuple[Any, ...]:
    return dict(result.levels), result.k, result.divisions, dict(result.loss)


@pytest.mark.slow
def test_a_repeated_request_and_another_k_ask_the_source_nothing(engine: Engine, tmp_path: Path) -> None:
    first = engine.run(asked(tmp_path))
    assert first.search.source_queries == 1
    again = engine.run(asked(tmp_path), again=True)
    assert (again.search.source_queries, again.search.nodes_measured) == (0, 0)
    assert figures(again) == figures(first)
    for k in (3, 9):
        other = engine.run(asked(tmp_path, k))
        assert other.search.source_queries == 0
        assert other.k == k_of(dict(other.levels)) >= k
    engine.cache.purge()
    assert engine.run(asked(tmp_path), again=True).search.source_queries == 0


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("more", [{}, {"suppression_limit": 0.3, "suppressed": "star"}])
def test_a_release_that_stands_has_the_columns_that_it_was_written_with(
    tmp_path: Path, ending: str, more: dict[str, Any]
) -> None:
    rows: list[Row] = [("m" if age % 2 else "f", age, "plan") for age in (8, 9, 10, 11, 12, 13) for _ in range(4_000)]
    engine = new_engine(tmp_path)
    write_table(tmp_path / "s.duckdb", COLUMNS, [*rows, ("f", 7, "plan")])
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("d", "s", table="persons", least_k=2)
    for name, (columns, paths) in {
        "sex": SEX,
        "age": (AGE[0], [(str(n), f"p{n // 2}", f"h{n // 4}") for n in range(14)]),
    }.items():
        engine.hierarchies.add(name, write_hierarchy(tmp_path / f"{name}.csv", columns, paths), "header")
    request = asked(tmp_path, **more) | {"release": {"to": str(tmp_path / f"out.{ending}")}}
    written, stands = engine.run(request), engine.run(request)
    assert (hasattr(written, "returned"), hasattr(stands, "returned")) == (False, True)
    assert stands.columns == written.columns
    assert all(each.loss_share is not None for each in stands.columns if each.role == "quasi-identifier")


@pytest.mark.slow
def test_a_changed_row_is_measured_afresh(engine: Engine, tmp_path: Path) -> None:
    engine.run(asked(tmp_path))
    rows: list[Row] = [("m", 7, "plan 0"), *ROWS[1:]]
    write_table(tmp_path / "s.duckdb", COLUMNS, rows)
    again = engine.run(asked(tmp_path))
    assert again.search.source_queries == 1
    assert again.k == k_of(dict(again.levels), rows)
    assert len({each.dataset_version_id for each in engine.cache.entries()}) == 1
    write_table(tmp_path / "s.duckdb", COLUMNS, ROWS)
    assert engine.run(asked(tmp_path), again=True).search.source_queries == 0


@pytest.mark.slow
def test_a_changed_hierarchy_of_the_same_name_is_measured_afresh(engine: Engine, tmp_path: Path) -> None:
    first = engine.run(asked(tmp_path, 4))
    header, paths = AGE
    moved = [(leaf, "p0" if leaf == "7" else pair, half) for leaf, pair, half in paths]
    added = engine.hierarchies.add("age", write_hierarchy(tmp_path / "age.csv", header, moved), "header")
    assert added.outcome == "replaced"
    again = engine.run(asked(tmp_path, 4, ranges={"age": {"from": 1}}))
    assert (first.search.source_queries, again.search.source_queries) == (1, 1)
    assert again.search.nodes_measured == 1  # the level that changed; the others have the content that they had


@pytest.mark.slow
def test_without_the_cache_nothing_is_kept_beside_the_state(engine: Engine, tmp_path: Path) -> None:
    engine = replace(engine, use_cache=False)
    assert engine.run(asked(tmp_path)).search.source_queries == 1
    assert not engine.cache.path.exists()
    assert engine.run(asked(tmp_path), again=True).search.source_queries == 0
    coarser = asked(tmp_path, ranges={"age": {"from": 2, "to": 2}, "sex": {"from": 0, "to": 0}})
    assert engine.run(coarser).search.source_queries in (0, 1)
    assert not engine.cache.path.exists()


@pytest.mark.slow
def test_a_request_for_less_is_served_from_the_stored_frequency_set(engine: Engine, tmp_path: Path) -> None:
    engine.run(asked(tmp_path, 2, ranges={"sex": {"to": 0}, "age": {"to": 0}}))
    less = engine.run(asked(tmp_path, 6, ("age",), ranges={"age": {"from": 1}}))
    assert (less.search.source_queries, less.search.nodes_measured) == (0, 0)  # a marginal proves a column alone
    assert less.k == k_of(dict(less.levels)) >= 6
    turned = engine.run(asked(tmp_path, 5, ("age", "sex"), ranges={"age": {"from": 2}}))
    assert (turned.search.source_queries, turned.search.nodes_measured > 0) == (0, True)
    assert turned.k == k_of(dict(turned.levels)) >= 5


@pytest.mark.slow
def test_the_order_of_the_lines_of_a_hierarchy_does_not_change_what_is_counted(engine: Engine, tmp_path: Path) -> None:
    rows: list[Row] = [("f", age, "") for age, n in ((0, 3), (1, 5), (2, 7), (3, 11)) for _ in range(n)]
    write_table(tmp_path / "s.duckdb", COLUMNS, rows)
    header, paths = AGE
    same = [paths[i] for i in (2, 0, 3, 1, 7, 6, 5, 4)]
    engine.hierarchies.add("again", write_hierarchy(tmp_path / "again.csv", header, same), "header")
    engine.run(asked(tmp_path, 2, ("age",), ranges={"age": {"to": 0}}))
    request = asked(tmp_path, 2, ("age",), ranges={"age": {"hierarchy": "again", "from": 1, "to": 1}})
    result = engine.run(request)
    assert (result.search.source_queries, result.k) == (0, 8)


@pytest.mark.slow
def test_without_roll_up_the_figures_are_the_same(
    prepared: Path, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_source = engine.run(asked(tmp_path, 5), roll_up=False)
    other = tmp_path / "other"
    rolled_up = copied(prepared, other, monkeypatch).run(asked(other, 5))
    assert figures(in_source) == figures(rolled_up)
    assert in_source.search.source_queries == in_source.search.nodes_measured == rolled_up.search.nodes_measured
    assert (tmp_path / "out.csv").read_bytes() == (other / "out.csv").read_bytes()


@pytest.mark.slow
def test_a_row_filter_makes_a_dataset_of_its_own(engine: Engine, tmp_path: Path) -> None:
    engine.run(asked(tmp_path))
    rows = [row for row in ROWS if row[2] == "plan 1"]
    filtered = engine.run(asked(tmp_path, where="plan = 'plan 1'"))
    assert (filtered.rows, filtered.search.source_queries) == (len(rows), 1)
    assert filtered.k == k_of(dict(filtered.levels), rows)
    assert engine.run(asked(tmp_path, where="plan = 'plan 1'"), again=True).search.source_queries == 0
    assert engine.run(asked(tmp_path), again=True).search.source_queries == 0
    assert len({each.dataset_version_id for each in engine.cache.entries()}) == 2


@pytest.mark.slow
def test_an_inline_dataset_answers_as_the_registered_one(engine: Engine, tmp_path: Path) -> None:
    first = engine.run(asked(tmp_path, 5))
    inline = engine.run({**asked(tmp_path, 5), "dataset": {"source": "s", "table": "persons"}})
    assert figures(inline) == figures(first)
    query = {"source": "s", "query": "SELECT sex, age FROM persons WHERE plan = 'plan 1'"}
    assert engine.run({**asked(tmp_path, 5), "dataset": query}).rows == 20


@pytest.mark.slow
def test_an_empty_table_and_too_large_a_k_are_refused(engine: Engine, tmp_path: Path) -> None:
    too_large = engine.run(asked(tmp_path, 41))
    assert (too_large.status, too_large.nearest) == ("refused", None)
    assert too_large.reason == "fewer than 41 rows remain, so nothing can be released"
    assert (
        engine.run(asked(tmp_path, where="age > 100")).reason == "fewer than 2 rows remain, so nothing can be released"
    )
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
def test_a_refusal_names_the_column_and_the_nearest_node_that_passes(engine: Engine, tmp_path: Path) -> None:
    ranges = {"sex": {"to": 0}, "age": {"to": 1}}
    for k in (6, 25):
        result = engine.run(asked(tmp_path, k, ranges=ranges))
        assert (result.status, result.k, result.release) == ("refused", None, None)
        assert f"the coarsest has k = {k_of({'sex': 0, 'age': 1})}" in (result.reason or "")
        alone = {"sex": k_of({"sex": 1, "age": 1}), "age": k_of({"sex": 0, "age": 3})}
        assert result.column == max(alone, key=lambda column: alone[column])
        nodes = [dict(zip(("sex", "age"), node, strict=True)) for node in itertools.product((0, 1), range(4))]
        beyond = {tuple(n.values()): n["sex"] + max(0, n["age"] - 1) for n in nodes if k_of(n) >= k}
        assert result.nearest is not None
        assert beyond[tuple(result.nearest.levels.values())] == min(beyond.values())
        assert result.nearest.k == k_of(dict(result.nearest.levels))
    assert not (tmp_path / "out.csv").exists()


class Interrupting(Silent):
    """Raises at a step, or at the n-th time the search says what is left."""

    def __init__(self, step: str = "", left: int = -1) -> None:
        self.at_step, self.left = step, left

    def step(self, name: str) -> None:
        if name.startswith(self.at_step or "-"):
            raise KeyboardInterrupt

    def nodes_left(self, count: int) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt

    def statement(self, statement: ExecutedStatement) -> None:
        assert statement.seconds >= 0


@pytest.mark.parametrize(
    ("progress", "measured"),
    [
        (Interrupting("coverage"), False),
        (Interrupting("search"), False),
        (Interrupting(left=2), True),
        (Interrupting("release"), True),
    ],
    ids=["coverage", "search", "under way", "release"],
)
@pytest.mark.slow
def test_an_interrupted_request_has_failed_and_what_was_measured_is_kept(
    engine: Engine, tmp_path: Path, progress: Interrupting, measured: bool
) -> None:
    with pytest.raises(KeyboardInterrupt):
        replace(engine, progress=progress).run(asked(tmp_path, 4, search=OLA))
    (request,) = engine.requests.list()
    assert (request.status, request.reason) == ("failed", "KeyboardInterrupt")
    assert (request.nodes_measured > 0) == measured
    assert not (tmp_path / "out.csv").exists()
    if measured:
        again = engine.run(asked(tmp_path, 4, search=OLA))
        assert again.search.nodes_measured + request.nodes_measured == NODES_OF_K_4


OLA = {"algorithm": "ola"}
NODES_OF_K_4 = 3
"""What the request measures where nothing is known: OLA's, on a lattice of 8 nodes, of which marginals prove 5."""


@pytest.mark.slow
def test_the_nodes_that_the_interrupted_request_would_have_measured(engine: Engine, tmp_path: Path) -> None:
    assert engine.run(asked(tmp_path, 4, search=OLA)).search.nodes_measured == NODES_OF_K_4


def test_every_kind_of_request_has_a_method_that_answers_it() -> None:
    assert list(METHOD_OF) == list(REQUESTS)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["sex = 1", "sex <= 1", "sex IN ('f', 1)"])
def test_a_text_is_compared_with_no_number_as_on_every_database(engine: Engine, tmp_path: Path, where: str) -> None:
    with pytest.raises(
        RequestError, match="where: the column 'sex' cannot have a value that the filter compares it with"
    ):
        engine.run(asked(tmp_path, where=where))
