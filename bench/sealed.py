"""Sealed local recoding: rows that readers can narrow, its loss beside rounds and the least possible, and its cost.

The cost is in seconds: of Adult with each model and with persons, and of a million members.

Narrowed rows are those of the elimination attack (`ordermade judge recoding`). Made tables are parted in memory, and
the attack is run on their regions. The least possible is that of any partition into disjoint regions, in whatever order
they could be cut out, by an integer program over all of them: for tables small enough.
"""

from __future__ import annotations

import csv
import itertools
import json
import math
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from bench import census
from bench.adult_classes import _engine as adult_engine
from bench.figure import Figure, median, print_rows
from bench.local import COLUMNS, DATA
from bench.made_lattices import made_lattice
from bench.members import FINE, Bench, MadeBench
from ordermade import Engine, initialise
from ordermade.demo.tables import MEMBERS, make_members
from ordermade.methods.generalization.algorithm.sealed_partition import Partitions, Sealed, SealedLevels
from ordermade.privacy.elimination import ClassLabels, Eliminations, LabelledAttribute

KS = (2, 5, 20, 100)
LIMITS = (0.0, 0.05, 1.0)
SEALED: Mapping[str, Any] = {"recoding": "local"}
ROUNDS: Mapping[str, Any] = {"recoding": {"kind": "local", "seal": False}}
MONDRIAN = {5: 0.122, 10: 0.199, 50: 0.417}
"""The loss of hierarchy Mondrian by width on Adult, by k (`python -m bench adult`)."""
AIM = 1.10
"""What the loss over that of rounds is aimed at."""
MADE_TABLES, SMALL_TABLES = 300, 200
MAX_SECONDS, MAX_MEMORY = 30.0, 2.0
CLOSE: Mapping[str, Any] = {"model": "t_closeness", "t": 0.3}
DECIDED: Sequence[tuple[str, float, Mapping[str, Any] | None]] = (
    ("k alone", 5.0, None),
    ("distinct_l 2", 6.0, {"model": "distinct_l", "l": 2}),
    ("entropy_l 1.5", 15.0, {"model": "entropy_l", "l": 1.5}),
    ("recursive_cl 4, 2", 15.0, {"model": "recursive_cl", "c": 4, "l": 2}),
    ("alpha_k .9", 15.0, {"model": "alpha_k", "alpha": 0.9}),
    ("t_closeness .3", 15.0, {**CLOSE, "distance": "equal"}),
    ("t_closeness .3, ordered", 15.0, {**CLOSE, "distance": "ordered"}),
)
"""Of Adult, k = 5: what decides beside k, and the most seconds that a request is to take."""
PERSONS = """
CREATE TABLE persons AS SELECT ROW_NUMBER() OVER () // 2 AS person, * FROM adult
"""
REPETITIONS = 5


def show() -> Sequence[Figure]:
    """Prints the tables; narrowed rows, losses and seconds against what is wanted."""
    figures: list[Figure] = []
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        figures += _requests(Path(name))
    figures += _made_tables()
    figures += _least_possible()
    figures += _members()
    return figures


def _requests(folder: Path) -> Iterator[Figure]:
    rows: list[tuple[object, ...]] = []
    narrowed = 0
    tables = {table: (engine, columns) for table, engine, columns in _tables(folder)}
    for table, (engine, columns) in tables.items():
        for k, limit in itertools.product(KS, LIMITS):
            found = _judged(engine, folder, table, columns, k, limit, SEALED)
            if found is not None:
                narrowed += found[1]
                rows.append((table, k, f"{limit:.0%}", *found))
    headings = ("table", "k", "limit", "rows generalised", "narrowed", "loss", "sets right", "of classes")
    print_rows("sealed: rows that readers can narrow, whoever knows the nodes", headings, rows)
    yield Figure("sealed releases of tables: rows narrowed", narrowed, 0, "")
    if "adult" in tables:
        yield from _adult_beside_rounds(tables["adult"][0], folder)
        yield from _adult_decided(tables["adult"][0], folder)


def _adult_beside_rounds(engine: Engine, folder: Path) -> Iterator[Figure]:
    rows: list[tuple[object, ...]] = []
    seconds: dict[str, list[float]] = {"sealed": [], "rounds": []}
    for _ in range(REPETITIONS):
        for name, recoding in (("sealed", SEALED), ("rounds", ROUNDS)):
            started = time.perf_counter()
            engine.run(_request(folder, "adult", COLUMNS, 5, 0.0, recoding), again=True)
            seconds[name].append(time.perf_counter() - started)
    for k in (5, 10, 20, 50):
        (*_, sealed, _, _), (generalised, gone, rounds, right, classes) = (
            _judged(engine, folder, "adult", COLUMNS, k, 0.0, recoding) or () for recoding in (SEALED, ROUNDS)
        )
        rows.append((k, sealed, rounds, sealed / rounds, f"{gone / generalised:.1%}", right, classes))
        if k in MONDRIAN:
            yield Figure(f"Adult, k = {k}: loss sealed / hierarchy Mondrian by width", sealed / MONDRIAN[k], 1.0)
            yield Figure(f"Adult, k = {k}: loss sealed / rounds", sealed / rounds, AIM)
    headings = ("k", "loss sealed", "rounds", "ratio", "narrowed of rounds", "sets right", "of classes")
    print_rows("Adult, limit 0", headings, rows)
    mine, theirs = median(seconds["sealed"]), median(seconds["rounds"])
    note = f"{mine:.2f} s against {theirs:.2f} s"
    yield Figure("Adult, k = 5: a sealed request / one in rounds, warm", mine / theirs, 2.0, note=note)


def _adult_decided(engine: Engine, folder: Path) -> Iterator[Figure]:
    """With each model of the salary class, of rows and of persons with two rows each; and of the occupation."""
    import duckdb

    with duckdb.connect(str(folder / "adult" / "adult.duckdb")) as connection:
        connection.execute(PERSONS)
    engine.datasets.add("persons", "census", table="persons", least_k=2, entity="person")
    others = [each for each in COLUMNS if each != "occupation"]
    of_persons = [each for each in DECIDED if each[0] in ("k alone", "distinct_l 2", "t_closeness .3")]
    for table, columns, sensitive, decided in (
        ("adult", COLUMNS, "salary-class", DECIDED),
        ("persons", COLUMNS, "salary-class", of_persons),
        ("adult", others, "occupation", DECIDED),
    ):
        for name, most, model in decided:
            required = {} if model is None else {"sensitive": {sensitive: [model]}}
            started = time.perf_counter()
            answer = engine.run({**_request(folder, table, columns, 5, 0.0, SEALED), **required}, again=True).as_dict()
            seconds = time.perf_counter() - started
            units = "persons" if table == "persons" else "rows"
            called = f"Adult, {len(columns)} columns, {units}: {name}"
            note = f"{f'{sensitive}, ' if model else ''}loss {answer['loss']['loss']:.3f}"
            yield Figure(called, seconds, 15.0 if table == "persons" else most, "s", note)


def _tables(folder: Path) -> Iterator[tuple[str, Engine, Sequence[str]]]:
    """Adult and the census where they lie beside the repository, and made-up members, each with an engine."""
    three = ("sex", "age", "prefecture")
    made = {"adult": (_adult, COLUMNS), "census": (_census, three), "members": (_twenty_thousand, three)}
    for name, (make, columns) in made.items():
        own = folder / name
        own.mkdir()
        engine = make(own)
        if engine is not None:
            yield name, engine, columns


def _adult(folder: Path) -> Engine | None:
    return adult_engine(folder) if DATA.exists() else None


def _census(folder: Path) -> Engine | None:
    """The persons of the census by sex, age and prefecture, in thousands."""
    if not census.FILE.is_file():
        return None
    with census.FILE.open(encoding="utf-8") as lines, (folder / "census.csv").open("w", encoding="utf-8") as to:
        to.write("sex,age,prefecture\n")
        for line in csv.DictReader(lines):
            row = f"{line['sex']},{line['age_class']},{line['prefecture_code']}\n"
            to.write(row * round(int(line["population"]) / 1000))
    with (census.DATA / "prefecture_regions.csv").open(encoding="utf-8") as lines:
        regions = [f"{each['prefecture_code']};{each['region9']};{each['region2']};*" for each in csv.DictReader(lines)]
    halves = [f"{age};{'young' if place < 4 else 'old'};*" for place, age in enumerate(census.AGES)]
    hierarchies = {"sex": [f"{sex};*" for sex in census.SEXES], "age": halves, "prefecture": regions}
    engine = _new(folder, folder / "census.csv", "census")
    for name, lines_of in hierarchies.items():
        (folder / f"{name}.csv").write_text("\n".join(lines_of), encoding="utf-8")
        engine.hierarchies.add(name, folder / f"{name}.csv", "arx")
    return engine


def _twenty_thousand(folder: Path) -> Engine | None:
    make_members(folder / "members.duckdb", 20_000)
    engine = _new(folder, folder / "members.duckdb", "members")
    for name, file in {"sex": "sex.yaml", "age": "age.yaml", "prefecture": "prefecture.csv"}.items():
        engine.hierarchies.add(name, Path(str(MEMBERS)) / "hierarchies" / file)
    return engine


def _new(folder: Path, location: Path, table: str) -> Engine:
    engine = Engine(folder / "state.sqlite")
    initialise(engine.state_file.path)
    engine.sources.add("source", str(location))
    engine.datasets.add(table, "source", table=table, least_k=2)
    return engine


def _request(
    folder: Path, table: str, columns: Sequence[str], k: int, limit: float, recoding: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "dataset": table,
        "k": k,
        "suppression_limit": limit,
        "quasi_identifiers": {column: {"hierarchy": column} for column in columns},
        "release": {"to": str(folder / "release.parquet"), "replace": True},
        **recoding,
    }


def _judged(
    engine: Engine,
    folder: Path,
    table: str,
    columns: Sequence[str],
    k: int,
    limit: float,
    recoding: Mapping[str, Any],
) -> tuple[int, int, float, int, int] | None:
    """Rows generalised and narrowed, loss, sets right of classes; None where nothing passes."""
    answer = engine.run(_request(folder, table, columns, k, limit, recoding), again=True).as_dict()
    if answer["status"] != "released":
        return None
    original = f"{'source' if table != 'adult' else 'census'}.{table}"
    found = engine.judge_recoding(folder / "release.parquet", original=original, rounds=answer["local"]["rounds"], k=k)
    assert found.checked is not None
    checked = found.checked
    return found.rows_generalised, found.rows_narrowed, answer["loss"]["loss"], checked.right, checked.classes


def _made_tables() -> Iterator[Figure]:
    """Of made tables of up to eight columns, each with a k and a limit by chance, the regions' rows narrowed."""
    narrowed = classes = 0
    for seed in range(MADE_TABLES):
        chance = random.Random(seed)
        made = made_lattice(seed)
        k, limit = chance.choice(KS), chance.choice(LIMITS)
        combinations, rows = np.unique(np.stack(made.values, axis=1), axis=0, return_counts=True)
        levels = [_levels(place, combinations[:, place], each) for place, each in enumerate(made.levels)]
        price = math.inf if limit == 0 else 1.0
        sealed = Partitions(levels, rows.astype(np.int64), k, [price]).partition(0)
        if sealed is not None and sealed.nodes:
            classes += sum(sealed.regions)
            narrowed += _narrowed_regions(sealed, combinations, made.levels, chance)
    yield Figure(f"{MADE_TABLES} made tables, {classes:,} regions: regions narrowed", narrowed, 0, "")


def _levels(place: int, cells: Any, levels: Any) -> SealedLevels:
    """The levels of a made hierarchy, with the share of its values in each class as the cost."""
    count = levels.shape[1]

    def refines(fine: int, coarse: int) -> bool:
        pairs = set(zip(levels[fine].tolist(), levels[coarse].tolist(), strict=True))
        return fine < coarse and len(pairs) == len(set(levels[fine].tolist()))

    finer = []
    for level in range(len(levels)):
        below = [each for each in range(level) if refines(each, level)]
        finer.append([each for each in below if not any(refines(each, other) for other in below)])
    costs = [(np.bincount(each) - 1) / max(count - 1, 1) / 8 for each in levels]
    return SealedLevels.of_cells(place, cells, list(levels), finer, costs)


def _narrowed_regions(sealed: Sealed, combinations: Any, levels: Sequence[Any], chance: random.Random) -> int:
    """Of at most 200 regions of a partition, those of which fewer values remain possible than their labels name."""
    regions: dict[tuple[tuple[int, int], ...], int] = {}
    for number, combination in zip(sealed.node_of.tolist(), combinations.tolist(), strict=True):
        if number >= 0:
            node = sealed.nodes[number]
            label = tuple(
                (level, int(own[level][value])) for own, level, value in zip(levels, node, combination, strict=True)
            )
            regions.setdefault(label, number)
    attributes, labels = [], []
    for place, own in enumerate(levels):
        known = {label: number for number, label in enumerate(dict.fromkeys(label[place] for label in regions))}
        named = [np.flatnonzero(own[level] == value).tolist() for level, value in known]
        attributes.append(LabelledAttribute.of(own.shape[1], named))
        labels.append([known[label[place]] for label in regions])
    rounds = [(number, number) for number in regions.values()]
    attack = Eliminations(ClassLabels.of(attributes, np.array(labels, dtype=np.intp).T, rounds), with_rounds=True)
    some = chance.sample(range(len(regions)), min(200, len(regions)))
    return sum(
        any(len(now) < len(own.named[label]) for now, own, label in zip(left.values, attributes, at, strict=True))
        for left, at in ((attack.left(each), [column[each] for column in labels]) for each in some)
    )


def _least_possible() -> Iterator[Figure]:
    """Of small random tables the loss by splits, and the least of any partition into disjoint regions."""
    ours = least = 0.0
    same = 0
    for seed in range(SMALL_TABLES):
        chance = random.Random(seed)
        levels = [
            np.array([range(4), [0, 0, 1, 1], [0] * 4]) if chance.random() < 0.7 else np.array([range(3), [0] * 3])
            for _ in range(3)
        ]
        rows = chance.randint(15, 60)
        drawn = [
            [min(chance.randrange(own.shape[1]), chance.randrange(own.shape[1])) for own in levels] for _ in range(rows)
        ]
        combinations, counts = np.unique(np.array(drawn), axis=0, return_counts=True)
        k = chance.choice((2, 3, 5))
        of = [_levels(place, combinations[:, place], each) for place, each in enumerate(levels)]
        sealed = Partitions(of, counts.astype(np.int64), k, [math.inf]).partition(0)
        assert sealed is not None
        found = sum(
            count * _cost(levels, sealed.nodes[number], combination)
            for number, combination, count in zip(sealed.node_of, combinations, counts, strict=True)
        )
        best = _program(levels, combinations, counts, k)
        ours, least, same = ours + found, least + best, same + (found < best + 1e-6)
    name = f"{SMALL_TABLES} small tables: loss by splits / the least of any partition"
    yield Figure(name, ours / least, None, note=f"the same on {same} of them", digits=4)


def _cost(levels: Sequence[Any], node: Sequence[int], combination: Sequence[int]) -> float:
    each = (
        (np.count_nonzero(own[level] == own[level][value]) - 1) / (own.shape[1] - 1)
        for own, level, value in zip(levels, node, combination, strict=True)
    )
    return float(sum(each)) / len(levels)


def _program(levels: Sequence[Any], combinations: Any, counts: Any, k: int) -> float:
    """The least loss of disjoint regions of k rows or more that hold every row; each cell is in one at most."""
    shape = [own.shape[1] for own in levels]
    rows = np.zeros(shape, dtype=np.int64)
    rows[tuple(combinations.T)] = counts
    costs, cells = [], []
    for node in itertools.product(*(range(len(own)) for own in levels)):
        for label in itertools.product(*(np.unique(own[at]) for own, at in zip(levels, node, strict=True))):
            inside = np.ones(shape, dtype=np.bool_)
            for place, (own, at, value) in enumerate(zip(levels, node, label, strict=True)):
                inside &= (own[at] == value).reshape([-1 if place == other else 1 for other in range(len(shape))])
            size = int(rows[inside].sum())
            if size >= k:
                costs.append(
                    size
                    * _cost(
                        levels,
                        node,
                        [
                            int(
                                np.flatnonzero(
                                    inside.any(axis=tuple(other for other in range(len(shape)) if other != place))
                                )[0]
                            )
                            for place in range(len(shape))
                        ],
                    )
                )
                cells.append(inside.ravel())
    covers = np.array(cells, dtype=np.float64).T
    needed = (rows.ravel() > 0).astype(np.float64)
    solved = milp(
        np.array(costs),
        integrality=np.ones(len(costs)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(covers, needed, np.ones(len(needed))),
    )
    assert solved.success
    return float(solved.fun)


def _members() -> Iterator[Figure]:
    """A million members, six columns nearly all different: whole requests in processes of their own."""
    with MadeBench() as bench:
        for name in ("sealed", "rounds"):
            command = [sys.executable, "-m", "bench.sealed", str(bench.folder), name]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            seconds, memory, loss = json.loads(done.stdout)
            note = f"loss {loss:.4f}, {memory:.2f} GiB"
            yield Figure(f"1,000,000 members, six columns, k = 5, {name}", seconds, MAX_SECONDS, "s", note)
            yield Figure(f"the same, {name}: peak memory", memory, MAX_MEMORY, "GiB")


def main(folder: str, name: str) -> None:
    """One request of a million members; prints its seconds, the most memory in GiB, and its loss."""
    bench = Bench(Path(folder))
    request = {**bench.request(FINE, name, 5), **(SEALED if name == "sealed" else ROUNDS)}
    engine = bench.engine(name)
    started = time.perf_counter()
    result = engine.run(request)
    taken = time.perf_counter() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)
    print(json.dumps([taken, memory, result.loss["loss"]]))


if __name__ == "__main__":
    main(*sys.argv[1:])
