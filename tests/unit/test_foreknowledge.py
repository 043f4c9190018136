"""What table C and the marginals say of a request's lattice, and what that saves a request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from ordermade import Engine
from ordermade.counting.counts import Units
from ordermade.counting.coverage import encode_counted
from ordermade.counting.marginals import marginals_of
from ordermade.hierarchies.cross_refinement import contents
from ordermade.hierarchies.explicit import ExplicitHierarchy, ListedLevel, explicit_hierarchy
from ordermade.hierarchies.prefixes import prefix_hierarchy
from ordermade.lattice.lattice import Axis, Lattice
from ordermade.lattice.observation import Observation
from ordermade.methods.generalization import search_problem
from ordermade.methods.generalization.search_problem import KnownNodes, foreknowledge, remembered
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.resolve_generalization import Resolved, ResolvedQI
from ordermade.state import observations, versions
from tests.conformance.prepared import WHERE, copied, prepare
from tests.made import Row, counted, write_hierarchy, write_table
from tests.state_by_hand import by_hand

pytestmark = pytest.mark.slow

COLUMNS = {"sex": "VARCHAR", "age": "INTEGER", "area": "VARCHAR"}
AREAS = "abcdef"
ROWS: list[Row] = [("f" if i % 5 else "m", i * i % 8, AREAS[i * 7 % 11 % 6]) for i in range(60)]
SEX = ("value", "top"), [("f", "*"), ("m", "*")]
AGE = ("value", "pair", "half"), [(str(age), f"p{age // 2}", f"h{age // 4}") for age in range(8)]
AREA = ("value", "region"), [(area, "north" if area < "d" else "south") for area in AREAS]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    hierarchies = {"sex": SEX, "age": AGE, "area": AREA}
    return prepare(tmp_path_factory.mktemp("prepared"), COLUMNS, ROWS, hierarchies, writable=False)


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return copied(prepared, tmp_path, monkeypatch)


def asked(folder: Path, k: int, columns: Mapping[str, Mapping[str, Any]], **search: Any) -> dict[str, Any]:
    qis = {column: {"hierarchy": column, **options} for column, options in columns.items()}
    release = {"replace": True, "to": str(folder / "out.csv")}
    return {"dataset": "d", "k": k, "quasi_identifiers": qis, "release": release, "search": search}


def hierarchy(header: Sequence[str], paths: Sequence[Sequence[str]]) -> ExplicitHierarchy:
    levels = [ListedLevel(name, tuple(path[level] for path in paths)) for level, name in enumerate(header) if level]
    return explicit_hierarchy("h", [path[0] for path in paths], levels)[0]


def resolved(**hierarchies: ExplicitHierarchy) -> Resolved:
    """Every level of each column accepted."""
    qis = tuple(
        ResolvedQI(column, COLUMNS[column], each, tuple(range(each.top + 1))) for column, each in hierarchies.items()
    )
    lattice = Lattice(tuple(Axis(each.column, each.hierarchy.order, each.accepted) for each in qis))
    return Resolved(
        request=cast("GeneralizationRequest", None),
        lattice=lattice,
        qis=qis,
        identifiers=(),
        keep=(),
        filter=None,
        filter_text=None,
    )


def key(levels: Mapping[str, tuple[ExplicitHierarchy, int]]) -> frozenset[tuple[str, str]]:
    return frozenset((column, each.levels[level].content_hash) for column, (each, level) in levels.items())


SEX_AGE = resolved(sex=hierarchy(*SEX), age=hierarchy(*AGE))
SOME = Observation.from_histogram([(4, 5), (8, 5)])
WHOLE = Observation.from_histogram([(60, 1)])


def test_nodes_of_the_lattice_are_observed_and_prove_what_they_bound() -> None:
    age = SEX_AGE.qis[1].hierarchy
    known = KnownNodes(1, 60, {key({"age": (cast("ExplicitHierarchy", age), 1)}): SOME, frozenset(): WHOLE})
    evidence = foreknowledge(known, SEX_AGE, {})
    assert dict(evidence.observed) == {(1, 1): SOME, (1, 3): WHOLE}
    assert evidence.proofs.exact((1, 1)) == SOME
    assert evidence.proofs.passes((1, 2), 4) is True
    assert evidence.proofs.passes((0, 1), 5) is False
    assert evidence.proofs.passes((0, 2), 5) is None
    assert evidence.proofs.bounds((0, 0)).least_divisions == 10


def test_levels_of_the_request_are_placed_without_a_look_at_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_problem, "contents", None)
    age = cast("ExplicitHierarchy", SEX_AGE.qis[1].hierarchy)
    nodes = {key({"age": (age, level)}): SOME for level in range(age.top)}
    evidence = foreknowledge(KnownNodes(1, 60, nodes), SEX_AGE, {("age", age.levels[2].content_hash): ((30, 2),)})
    assert set(evidence.observed) == {(1, level) for level in range(age.top)}


def test_a_node_of_a_column_that_is_left_out_bounds_what_is_coarser_and_nothing_finer() -> None:
    by_area = key({"age": (hierarchy(*AGE), 1), "area": (hierarchy(*AREA), 1)})
    evidence = foreknowledge(KnownNodes(1, 60, {by_area: SOME}), SEX_AGE, {})
    assert evidence.observed == {}
    assert evidence.proofs.exact((1, 1)) is None
    assert evidence.proofs.passes((1, 1), 4) is True
    assert evidence.proofs.bounds((1, 1)).most_divisions == 10
    assert evidence.proofs.passes((0, 1), 9) is None


def test_a_level_of_another_hierarchy_takes_its_place_by_its_content() -> None:
    _, paths = AGE
    other = hierarchy(
        ("value", "other", "half"), [(value, f"q{int(value) // 2}", half[::-1]) for value, _, half in paths]
    )
    of_other = dict(zip((each.content_hash for each in other.levels), contents(other), strict=True))
    known = KnownNodes(1, 60, {key({"age": (other, 1)}): SOME}, levels=of_other)
    evidence = foreknowledge(known, SEX_AGE, {})
    assert dict(evidence.observed) == {(1, 1): SOME}  # the same classes under other labels
    coarser = foreknowledge(KnownNodes(1, 60, {key({"age": (other, 2)}): SOME}, levels=of_other), SEX_AGE, {})
    assert coarser.proofs.exact((1, 2)) == SOME
    assert coarser.proofs.passes((1, 1), 5) is False


def test_a_level_that_nothing_is_known_of_lies_between_the_original_values_and_the_top() -> None:
    known = KnownNodes(1, 60, {frozenset({("age", "a level of a hierarchy that is gone")}): SOME})
    proofs = foreknowledge(known, SEX_AGE, {}).proofs
    assert proofs.passes((1, 0), 5) is False
    assert proofs.passes((0, 0), 5) is False
    assert proofs.passes((1, 1), 4) is None
    assert proofs.passes((1, 1), 9) is None


def test_observations_of_other_rows_prove_nothing_and_an_older_version_only_hints() -> None:
    age = cast("ExplicitHierarchy", SEX_AGE.qis[1].hierarchy)
    node = key({"age": (age, 1)})
    evidence = foreknowledge(KnownNodes(1, 61, {node: SOME}, earlier={node: SOME}), SEX_AGE, {})
    assert evidence.observed == {}
    assert evidence.proofs.placed == ()
    assert dict(evidence.earlier) == {(1, 1): SOME}


def test_a_marginal_proves_its_column_alone_and_is_no_observation() -> None:
    age = cast("ExplicitHierarchy", SEX_AGE.qis[1].hierarchy)
    sizes = ((10, 3), (30, 1))
    marginals = {("age", age.levels[1].content_hash): sizes, ("area", "of no column asked for"): ((60, 1),)}
    evidence = foreknowledge(KnownNodes(1, 60, {}), SEX_AGE, marginals)
    assert evidence.observed == {}
    assert evidence.marginals == ({}, {1: sizes})
    assert evidence.proofs.exact((1, 1)) == Observation.from_histogram(sizes)
    assert evidence.proofs.passes((0, 1), 11) is False
    assert evidence.widened().proofs.exact((1, 1)) == Observation.from_histogram(sizes)


def sizes_of(values: Sequence[Any]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(Counter(Counter(values).values()).items()))


@pytest.mark.parametrize("base", [0, 1])
def test_marginals_are_those_counted_row_by_row(engine: Engine, base: int) -> None:
    age = hierarchy(*AGE)
    prefixes, _ = prefix_hierarchy("p", [1], [None])
    with engine.datasets.open("d") as opened:
        dataset = opened.filtered(None)
        listed, ruled = (
            encode_counted(dataset, 1, "age", age, base),
            encode_counted(dataset, 2, "area", prefixes, base),
        )
    ages = [cast("int", row[1]) for row in ROWS]
    expected = {0: sizes_of(ages), 1: sizes_of([a // 2 for a in ages]), 2: sizes_of([a // 4 for a in ages])}
    assert dict(listed.marginal) == {level: sizes for level, sizes in expected.items() if level >= base}
    areas = sizes_of([row[2] for row in ROWS])
    assert dict(ruled.marginal) == {level: areas for level in (0, 1) if level >= base}
    assert listed.class_counts[age.top] == 1
    assert listed.class_counts[2] == 2
    assert marginals_of([listed], Units(len(ROWS)))["age", age.levels[2].content_hash] == expected[2]
    of_persons = marginals_of([listed], Units(len(ROWS), len(ROWS) // 2))["age", age.levels[2].content_hash]
    assert of_persons == tuple((round(size / 2), classes) for size, classes in expected[2])


def test_a_column_alone_needs_no_frequency_set(engine: Engine, tmp_path: Path) -> None:
    result = engine.run(asked(tmp_path, 6, {"age": {}}))
    assert (result.search.source_queries, result.search.nodes_measured) == (0, 0)
    classes = counted([row[1:] for row in ROWS], [hierarchy(*AGE)], (result.levels["age"],))
    assert (result.k, result.divisions) == (min(classes.values()), len(classes))
    with engine.state_file.reading() as connection:
        assert observations.counts(connection) == {}


def test_marginals_are_kept_in_the_cache_and_say_the_same_without_the_source(engine: Engine, tmp_path: Path) -> None:
    engine.run(asked(tmp_path, 3, {"sex": {}, "age": {}}))
    with engine.state_file.reading() as connection:
        (version,) = versions.listed(connection)
        known = remembered(connection, version, SEX_AGE)
    evidence = foreknowledge(known, SEX_AGE, engine.cache.marginals(version.id))
    ages = [cast("int", row[1]) for row in ROWS]
    assert evidence.marginals == (
        {0: sizes_of([row[0] for row in ROWS])},
        {0: sizes_of(ages), 1: sizes_of([age // 2 for age in ages]), 2: sizes_of([age // 4 for age in ages])},
    )
    for node in ((1, 0), (1, 1), (1, 2), (0, 3)):
        classes = counted(ROWS, [hierarchy(*SEX), hierarchy(*AGE)], node)
        assert evidence.proofs.exact(node) == Observation.from_histogram(Counter(classes.values()).items())


def test_without_the_cache_no_marginal_is_kept(engine: Engine, tmp_path: Path) -> None:
    Engine(engine.state_file.path, use_cache=False).run(asked(tmp_path, 3, {"sex": {}, "age": {}}))
    assert not engine.cache.path.exists()


def test_a_hierarchy_out_of_use_still_proves(engine: Engine, tmp_path: Path) -> None:
    columns = {"sex": {}, "age": {"from": 1}}
    first = engine.run(asked(tmp_path, 3, columns, algorithm="exhaustive"))
    header, paths = AGE
    renamed = [(value, pair.replace("p", "q"), half) for value, pair, half in paths]
    engine.hierarchies.add("age", write_hierarchy(tmp_path / "age.csv", header, renamed), "header")
    again = engine.run(asked(tmp_path, 3, columns))
    assert (again.search.source_queries, again.search.nodes_measured) == (0, 0)
    assert (again.levels, again.k, again.divisions) == (first.levels, first.k, first.divisions)
    refused = engine.run(asked(tmp_path, 59, {"sex": {"to": 0}, "age": {"from": 1, "to": 1}}))
    assert refused.search.source_queries == 0
    assert refused.nearest is not None


def test_a_damaged_hierarchy_out_of_use_proves_nothing_and_stops_nothing(engine: Engine, tmp_path: Path) -> None:
    columns = {"sex": {}, "age": {"from": 1}}
    engine.run(asked(tmp_path, 3, columns, algorithm="exhaustive"))
    header, paths = AGE
    renamed = [(value, pair.replace("p", "q"), half) for value, pair, half in paths]
    engine.hierarchies.add("age", write_hierarchy(tmp_path / "age.csv", header, renamed), "header")
    with by_hand(engine.state_file.path) as connection:
        connection.execute("UPDATE hierarchy_values SET label = 'p3' WHERE label = 'p0'")
    again = engine.run(asked(tmp_path, 3, {"sex": {"to": 0}, "age": {"from": 1, "to": 1}}))
    assert again.search.source_queries == 1


def test_a_changed_dataset_is_hinted_at_by_what_it_was(engine: Engine, tmp_path: Path) -> None:
    columns = {"sex": {}, "age": {}}
    engine.run(asked(tmp_path, 3, columns, algorithm="exhaustive"))
    write_table(tmp_path / "s.duckdb", COLUMNS, [*ROWS, ("m", 7, "a")])
    engine.run(asked(tmp_path, 2, {"sex": {"to": 0}}))
    with engine.state_file.reading() as connection:
        latest, first = versions.listed(connection)
        now, then = (remembered(connection, each, SEX_AGE) for each in (latest, first))
    assert (latest.rows, first.rows) == (61, 60)
    assert (now.rows, dict(now.observations)) == (61, {})
    assert now.earlier == then.observations
    assert then.earlier == {}
    evidence = foreknowledge(now, SEX_AGE, {})
    assert set(evidence.earlier) == set(SEX_AGE.lattice.nodes()) - {SEX_AGE.lattice.top}
    assert evidence.proofs.placed == ()


def test_a_version_with_enough_nodes_of_its_own_needs_no_hint(engine: Engine, tmp_path: Path) -> None:
    columns = {"age": {}, "area": {}}
    engine.run(asked(tmp_path, 3, columns, algorithm="exhaustive"))
    write_table(tmp_path / "s.duckdb", COLUMNS, [*ROWS, ("m", 7, "a")])
    engine.run(asked(tmp_path, 3, columns, algorithm="exhaustive"))
    age_area = resolved(age=hierarchy(*AGE), area=hierarchy(*AREA))
    with engine.state_file.reading() as connection:
        version = versions.listed(connection)[0]
        assert remembered(connection, version, age_area).earlier == {}
        assert remembered(connection, version, SEX_AGE).earlier != {}


def seeded_requests(folder: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Requests on any columns, levels, k and objectives, under two hierarchies of age that do not refine each other."""
    random = np.random.default_rng(seed)
    tops = {"sex": 1, "age": 3, "area": 2}
    for _ in range(25):
        columns: dict[str, dict[str, Any]] = {}
        for column in random.permutation(list(tops))[: random.integers(1, 4)].tolist():
            first = int(random.integers(0, tops[column] + 1))
            columns[column] = {"from": first, "to": int(random.integers(first, tops[column] + 1))}
        if "age" in columns and random.random() < 0.5:
            columns["age"]["hierarchy"] = "other age"
        objective = str(random.choice(["prec", "height", "classes", "dm", "entropy"]))
        yield asked(folder, int(random.integers(2, 12)), columns, objective=objective)


@pytest.mark.parametrize("count", [6, pytest.param(25, marks=pytest.mark.thorough)])
def test_answers_do_not_depend_on_earlier_requests(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, count: int
) -> None:
    other = [(str(age), f"t{age // 2}", f"x{(age + 2) // 4}") for age in range(8)]
    file = write_hierarchy(tmp_path / "other.csv", ("value", "two", "four"), other)

    copied(prepared, tmp_path / "prepared", monkeypatch).hierarchies.add("other age", file, "header")

    def engine_in(folder: Path) -> Engine:
        return copied(tmp_path / "prepared", folder, monkeypatch)

    learning = engine_in(tmp_path / "learning")
    without_a_source_query = 0
    for number, request in enumerate(islice(seeded_requests(tmp_path, seed), count)):
        exhaustive = {**request, "search": {**request["search"], "algorithm": "exhaustive"}}
        expected = engine_in(tmp_path / f"fresh {number}").run(exhaustive)
        monkeypatch.setenv(WHERE, str(tmp_path / "learning"))
        found = learning.run(request)
        assert (found.status, found.levels, found.k) == (expected.status, expected.levels, expected.k)
        assert (found.divisions, found.loss) == (expected.divisions, expected.loss)
        assert (found.column, found.nearest) == (expected.column, expected.nearest)
        without_a_source_query += found.search.source_queries == 0
    assert without_a_source_query > (12 if count == 25 else 1)
