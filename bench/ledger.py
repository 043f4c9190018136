"""The check of a new release beside 1,000 remembered ones of 1,000,000 rows: seconds, by how it is decided.

Made-up persons have six columns with hierarchies, skewed and correlated. Data users ask for two to five columns, half
of the time for what was asked before; the levels are coarsened until the rows of classes below k are within a limit:
none (seven of ten), 1 %; one of ten filters by a column, one of ten is a table with totals. What the check lets pass
while it looks at one group at most is remembered; after the first 400 requests, what follows from the pool alone, up to
1,000 releases. Then 50 new requests are checked whole. The GROUP BY is one of the six columns at the finest levels in
DuckDB, on codes: hierarchies are not joined.
"""

from __future__ import annotations

import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import duckdb
import numpy as np
import pyarrow as pa

from bench.figure import Figure, median, print_rows
from ordermade.ledger import beside
from ordermade.ledger.beside import judged_together
from ordermade.ledger.figures import REST, UNBOUNDED, Compared, JointCells, KnownFigures, PersonPartition
from ordermade.ledger.following import follows_from, without_followers
from ordermade.requests.filter_tree import Constant, FilterComparison
from ordermade.tables.cells import Whole

ROWS, REMEMBERED, NEW, K, SEED = 1_000_000, 1_000, 50, 5, 44
MOST_DRAWN = 20_000
CHECKED = 400
"""The first requests, which are checked whatever they are; later ones are remembered where they follow."""
SECONDS, MIB = 3.0, 1024
COLUMNS = ("age", "prefecture", "occupation", "plan", "sex", "joined")
WIDTHS: tuple[tuple[int, ...], ...] = ((1, 2, 6), (1, 6, 24), (1, 5, 10), (1, 3), (1,), (1, 5, 10))
"""How many codes of a column a class of each of its levels has."""
SIZES = (18, 47, 20, 6, 2, 20)
REPEATED, WITHOUT_DROPS, FILTERED, TABLES = 0.5, 0.7, 0.1, 0.1
DECIDED = ("follows", "refinement", "witnesses")
NUMBER_OF_WAYS = ("follows", "refinement", "witnesses", "programs", "breach", "undecided", "not checked")


@dataclass(frozen=True)
class Wanted:
    """What a data user asks for: a level of each of some columns, a filter by a code, a table or rows, the limit."""

    levels: tuple[tuple[int, int], ...]
    only: tuple[int, int] | None
    is_table: bool
    limit: float


def show() -> Sequence[Figure]:
    """Prints each new request; the median and the most seconds of those that follow or witnesses decide."""
    rng = np.random.default_rng(SEED)
    connection = duckdb.connect()
    connection.register("persons", pa.table(dict(zip(COLUMNS, persons(rng), strict=True))))
    connection.execute("CREATE TABLE made AS SELECT * FROM persons")
    joint, _ = grouped(connection)
    print(f"\n{ROWS:,} rows, {len(joint.cells):,} cells, seed {SEED}; {_mib():,.0f} MiB before the first release")
    drawn: list[Wanted] = []
    shown: dict[Wanted, list[KnownFigures]] = {}
    pool: list[KnownFigures] = []
    remembered, refused, ways = 0, dict[Wanted, str](), Counter[str]()
    number, looked_over = 0, beside.MOST_LOOKED_OVER
    beside.MOST_LOOKED_OVER = 0
    while remembered < REMEMBERED and number < MOST_DRAWN:
        number += 1
        wanted = another(rng, drawn)
        drawn.append(wanted)
        if wanted in refused:
            ways[refused[wanted]] += 1
            continue
        if wanted not in shown:
            shown[wanted] = figures(wanted, joint, number)
        release = [replace(each, releases=(number,)) for each in shown[wanted]]
        if number > CHECKED and not follows(release, pool):
            ways["not checked"] += 1
            continue
        way, _ = checked(pool, release, joint)
        ways[way] += 1
        if way in ("breach", "undecided"):
            refused[wanted] = way
        else:
            remembered += 1
            pool += release
        if number % 10 == 0:
            essential = len(without_followers(pool))
            print(
                f"  {number:,} requests, {remembered:,} remembered, {essential} partitions do not follow: {_all(ways)}"
            )
            sys.stdout.flush()
    beside.MOST_LOOKED_OVER = looked_over
    rows, seconds = [], list[tuple[str, float]]()
    for place in range(NEW):
        wanted = another(rng, drawn)
        started = time.perf_counter()
        way, by_pure = checked(pool, figures(wanted, joint, number + place + 1), joint)
        by_source = 0.0 if way == "follows" else grouped(connection)[1]
        seconds.append((way, by_pure))
        rows.append((_named(wanted), way, by_source, by_pure))
        print(f"  {rows[-1]}, {time.perf_counter() - started:.1f} s in all, {_mib():,.0f} MiB at most")
        sys.stdout.flush()
    print_rows(f"new requests beside {remembered:,} releases", ("request", "way", "GROUP BY, s", "check, s"), rows)
    print(f"\n{_all(Counter(way for way, _ in seconds))}")
    decided = [each for way, each in seconds if way in DECIDED]
    others = [each for way, each in seconds if way not in DECIDED]
    return [
        Figure("check, decided by following, refinement or witnesses, most", max(decided), SECONDS, "s"),
        Figure("the same, median", median(decided), None, "s"),
        Figure("share of requests decided so", 100 * len(decided) / len(seconds), None, "%"),
        Figure("check of the others, most", max(others, default=0.0), None, "s"),
        Figure("memory of the whole process, most", _mib(), MIB, "MiB"),
    ]


def persons(rng: np.random.Generator) -> Iterator[Whole]:
    """The codes of each column: few have most persons, and each column leans on the one before."""
    before = np.zeros(ROWS)
    for size in SIZES:
        drawn = 0.7 * rng.beta(1.2, 2.0, ROWS) + 0.3 * before
        before = drawn
        yield np.minimum((drawn * size).astype(np.int64), size - 1)


def grouped(connection: duckdb.DuckDBPyConnection) -> tuple[JointCells, float]:
    """The cells of all columns, and the seconds of their GROUP BY."""
    started = time.perf_counter()
    found = connection.execute(
        f"SELECT {', '.join(COLUMNS)}, COUNT(*) AS n FROM made GROUP BY {', '.join(COLUMNS)}"
    ).fetchnumpy()
    took = time.perf_counter() - started
    cells = np.stack([found[each] for each in COLUMNS], axis=1).astype(np.int64)
    order = np.lexsort(cells.T[::-1])
    return JointCells(SIZES, cells[order], np.asarray(found["n"])[order].astype(np.int64)), took


def another(rng: np.random.Generator, drawn: Sequence[Wanted]) -> Wanted:
    """Half of the time, one that was asked before; those asked often are asked again more often."""
    if drawn and rng.random() < REPEATED:
        return drawn[int(rng.integers(len(drawn)))]
    is_table = rng.random() < TABLES
    size = 2 if is_table else int(rng.integers(2, 6))
    columns = sorted(rng.choice(len(COLUMNS), size=size, replace=False).tolist())
    levels = tuple((axis, int(rng.integers(len(WIDTHS[axis])))) for axis in columns)
    only = None
    if not is_table and rng.random() < FILTERED:
        axis = int(rng.choice([3, 4]))
        only = axis, int(rng.integers(SIZES[axis] // 2))
    return Wanted(levels, only, is_table, 0.0 if is_table or rng.random() < WITHOUT_DROPS else 0.01)


def follows(release: Sequence[KnownFigures], pool: Sequence[KnownFigures]) -> bool:
    """Whether all that a release says follows from one of the pool each."""
    return all(any(follows_from(each, earlier) for earlier in pool) for each in release)


def checked(pool: Sequence[KnownFigures], release: Sequence[KnownFigures], joint: JointCells) -> tuple[str, float]:
    """How the release is decided, and the seconds of the check alone."""
    started = time.perf_counter()
    if follows(release, pool):
        return "follows", time.perf_counter() - started
    found = judged_together([*pool, *release], joint, K)
    took = time.perf_counter() - started
    if found.answer != "safe":
        return found.answer, took
    if found.by_refinement:
        return "refinement", took
    return ("programs" if found.programs else "witnesses"), took


def figures(wanted: Wanted, joint: JointCells, number: int) -> list[KnownFigures]:
    """What the release says, its columns coarsened in turn until the limit is kept."""
    levels = dict(wanted.levels)
    while True:
        partition = _partition(levels, wanted.only)
        labels, rows = _counted(partition, joint)
        few = int(rows[rows < K].sum())
        if few <= wanted.limit * rows.sum() or not levels:
            break
        axis = max(levels, key=lambda each: SIZES[each] / WIDTHS[each][levels[each]])
        levels[axis] += 1
        if levels[axis] == len(WIDTHS[axis]):
            del levels[axis]
    if wanted.is_table:
        found = []
        for size in range(len(levels) + 1):
            for some in combinations(levels, size):
                part = _partition({axis: levels[axis] for axis in some}, None)
                own, persons_of = _counted(part, joint)
                found.append(KnownFigures((number,), str(some), part, own, persons_of, persons_of))
        return found
    kept = rows >= K
    release = [
        KnownFigures((number,), "rows", partition, labels[kept], rows[kept], rows[kept], (not kept.all()) * (K - 1))
    ]
    if few:
        gone = np.array([few], dtype=np.int64)
        rest = PersonPartition(partition.classes, partition.filter, partition.compared, listed=labels[kept])
        release.append(KnownFigures((number,), "dropped", rest, np.array([REST]), gone, gone, UNBOUNDED))
    return release


def _partition(levels: dict[int, int], only: tuple[int, int] | None) -> PersonPartition:
    classes = {axis: np.arange(SIZES[axis]) // WIDTHS[axis][level] for axis, level in levels.items()}
    if only is None:
        return PersonPartition(classes)
    axis, code = only
    comparison = FilterComparison(COLUMNS[axis], "=", (Constant("number", str(code)),))
    truths = np.where(np.arange(SIZES[axis]) == code, 2, 0)
    return PersonPartition(classes, comparison, {comparison: Compared(axis, truths)})


def _counted(partition: PersonPartition, joint: JointCells) -> tuple[Whole, Whole]:
    labels, number = np.unique(partition.labels(joint.cells), return_inverse=True)
    rows = np.bincount(number.reshape(-1), joint.persons).astype(np.int64)
    return labels[labels >= 0], rows[labels >= 0]


def _named(wanted: Wanted) -> str:
    columns = ", ".join(f"{COLUMNS[axis]} {level}" for axis, level in wanted.levels)
    kind = "table: " if wanted.is_table else ""
    return kind + columns + (f" where {COLUMNS[wanted.only[0]]}" if wanted.only else "") + f", {wanted.limit:.0%}"


def _all(ways: Counter[str]) -> str:
    return ", ".join(f"{each} {ways[each]:,}" for each in NUMBER_OF_WAYS)


def _mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
