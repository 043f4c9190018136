"""What releases give away together, judged and enumerated: all data that agree with them, over all persons.

`ORDERMADE_LONG=1` draws 2,000 sets; else 60. What is printed (`pytest -s`): by kind of release, how many sets were
refused although nothing followed from them, how many were left undecided, how many had too many data to be enumerated.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import pytest

from ordermade.ledger.beside import judged_together
from ordermade.ledger.figures import UNBOUNDED, Compared, JointCells, KnownFigures, PersonPartition, merged
from ordermade.requests.filter_tree import Constant, Filter, FilterComparison, Not
from ordermade.tables.cells import Whole

pytest.importorskip("scipy")

SETS = 2_000 if os.environ.get("ORDERMADE_LONG") else 60
SEED = 44
MOST_NODES = 150_000
KINDS = ("rows", "rows, filtered", "tables")


@dataclass(frozen=True, eq=False)
class Drawn:
    """A set of releases, the data that they are of, and k."""

    kind: str
    given: tuple[KnownFigures, ...]
    joint: JointCells
    k: int


def drawn(rng: np.random.Generator, kind: str) -> Drawn:
    """Two to six releases of a few persons with two or three columns of two to four values."""
    while True:
        sizes = tuple(rng.integers(2, 4, size=int(rng.integers(2, 4))).tolist())
        if np.prod(sizes) <= 12:
            break
    k = int(rng.integers(2, 4))
    cells = np.array(list(product(*map(range, sizes))), dtype=np.int64)
    persons = rng.integers(0, 5, size=len(cells)) * (rng.random(len(cells)) < 0.8)
    persons[0] += k
    held = persons > 0
    joint = JointCells(sizes, cells[held], persons[held].astype(np.int64))
    found: list[KnownFigures] = []
    for number in range(int(rng.integers(2, 5 if kind == "tables" else 7))):
        if kind == "tables":
            found += tables(rng, number, sizes, joint, k)
        else:
            found.append(rows(rng, number, sizes, joint, k, is_filtered=kind != "rows" and rng.random() < 0.7))
    return Drawn(kind, tuple(found), joint, k)


def levels(rng: np.random.Generator, sizes: tuple[int, ...]) -> dict[int, Whole]:
    """Some columns at a level each: their values, or two classes of them."""
    found = {}
    for axis, size in enumerate(sizes):
        match int(rng.integers(0, 3)):
            case 0:
                found[axis] = np.arange(size)
            case 1:
                found[axis] = (np.arange(size) >= rng.integers(1, size)).astype(np.int64)
    return found


def filtering(rng: np.random.Generator, sizes: tuple[int, ...]) -> tuple[Filter, dict[FilterComparison, Compared]]:
    axis = int(rng.integers(0, len(sizes)))
    value = int(rng.integers(0, sizes[axis]))
    comparison = FilterComparison(f"column {axis}", "=", (Constant("number", str(value)),))
    truths = np.where(np.arange(sizes[axis]) == value, 2, 0)
    tree: Filter = Not(comparison) if rng.random() < 0.5 else comparison
    return tree, {comparison: Compared(axis, truths)}


def rows(
    rng: np.random.Generator, number: int, sizes: tuple[int, ...], joint: JointCells, k: int, *, is_filtered: bool
) -> KnownFigures:
    """A release of rows: the classes of k persons or more, the others dropped."""
    tree, compared = filtering(rng, sizes) if is_filtered else (None, {})
    partition = PersonPartition(levels(rng, sizes), tree, compared)
    labels, persons = counted(partition, joint)
    kept = persons >= k
    others = 0 if kept.all() else k - 1
    return KnownFigures((number,), "", partition, labels[kept], persons[kept], persons[kept], others)


def tables(
    rng: np.random.Generator, number: int, sizes: tuple[int, ...], joint: JointCells, k: int
) -> list[KnownFigures]:
    """A table with totals of some columns: few persons and some other cells hidden, by readers who see no zeros."""
    columns = sorted(rng.choice(len(sizes), size=int(rng.integers(1, len(sizes) + 1)), replace=False).tolist())
    found = []
    for size in range(len(columns) + 1):
        for some in combinations(columns, size):
            partition = PersonPartition({axis: np.arange(sizes[axis]) for axis in some})
            labels, persons = counted(partition, joint)
            hidden = (persons < k) | (rng.random(len(labels)) < 0.3 * bool(some))
            least, most = np.where(hidden, 1, persons), np.where(hidden, UNBOUNDED, persons)
            found.append(KnownFigures((number,), "", partition, labels, least, most, 0, hidden))
    return found


def counted(partition: PersonPartition, joint: JointCells) -> tuple[Whole, Whole]:
    labels, number = np.unique(partition.labels(joint.cells), return_inverse=True)
    persons = np.bincount(number.reshape(-1), joint.persons).astype(np.int64)
    return labels[labels >= 0], persons[labels >= 0]


def consistent(case: Drawn) -> np.ndarray | None:
    """Every data that agree with the releases, a row of persons by cell each; None where they are too many.

    A cell that nothing bounds has at most k more than there are persons: then it can have k.
    """
    sizes, k = case.joint.sizes, case.k
    cells = np.array(list(product(*map(range, sizes))), dtype=np.int64)
    cap = k + 1
    bounding = []
    for each in case.given:
        labels = each.partition.labels(cells)
        for label in np.unique(labels).tolist():
            low, high = (int(one[0]) for one in each.bounds(np.array([label])))
            if low > 0 or high < UNBOUNDED:
                bounding.append((np.flatnonzero(labels == label).tolist(), low, high))
    of_cell: list[list[int]] = [[] for _ in cells]
    for place, (members, _, _) in enumerate(bounding):
        for cell in members:
            of_cell[cell].append(place)
    at = dict(zip(map(tuple, case.joint.cells.tolist()), case.joint.persons.tolist(), strict=True))
    persons = [at.get(tuple(row), 0) for row in cells.tolist()]
    sums, left = [0] * len(bounding), [len(members) for members, _, _ in bounding]
    found: list[list[int]] = []
    value = [0] * len(cells)
    nodes = 0

    def visit(cell: int) -> bool:
        nonlocal nodes
        nodes += 1
        if nodes > MOST_NODES:
            return False
        if cell == len(cells):
            found.append(value.copy())
            return True
        most = min((bounding[place][2] - sums[place] for place in of_cell[cell]), default=UNBOUNDED)
        most = min(most, persons[cell] + cap) if most >= UNBOUNDED // 2 else most
        for number in range(int(most) + 1):
            value[cell] = number
            fits = True
            for place in of_cell[cell]:
                sums[place] += number
                left[place] -= 1
                low = bounding[place][1]
                if left[place] == 0 and sums[place] < low:
                    fits = False
            going = not fits or visit(cell + 1)
            for place in of_cell[cell]:
                sums[place] -= number
                left[place] += 1
            if not going:
                return False
        value[cell] = 0
        return True

    return np.array(found, dtype=np.int64) if visit(0) else None


def is_breach(case: Drawn, data: np.ndarray) -> bool:
    """Whether the same of all data: any set of cells with 1 to k - 1 persons, or a hidden cell known to less than k."""
    cells = np.array(list(product(*map(range, case.joint.sizes))), dtype=np.int64)
    sets = np.array(list(product((0, 1), repeat=len(cells))), dtype=np.float32)[1:]
    for some in (data[:64], data):  # few sets are left by the first data
        numbers = sets @ some.T.astype(np.float32)
        sets = sets[(numbers.min(axis=1) >= 1) & (numbers.max(axis=1) < case.k)]
    if len(sets):
        return True
    for each in merged(case.given):
        own = each.partition.labels(cells)
        for label in each.hidden_labels.tolist():
            hidden = data[:, own == label].sum(axis=1)
            if hidden.max() - hidden.min() < case.k:
                return True
    return False


@pytest.mark.parametrize("most_cells", [3_000, 8], ids=["whole", "local"])
def test_a_breach_never_passes(most_cells: int) -> None:
    rng = np.random.default_rng(SEED)
    found: Counter[tuple[str, str]] = Counter()
    for number in range(SETS):
        case = drawn(rng, KINDS[number % len(KINDS)])
        data = consistent(case)
        if data is None:
            found[case.kind, "not enumerated"] += 1
            continue
        assert len(data), f"set {number}: the data themselves agree with their releases"
        truth = "breach" if is_breach(case, data) else "safe"
        answer = judged_together(case.given, case.joint, case.k, most_cells).answer
        assert not (truth == "breach" and answer == "safe"), f"set {number} of seed {SEED}: a breach passes"
        assert not (truth == "safe" and answer == "breach"), f"set {number} of seed {SEED}: refused without a breach"
        if most_cells > 100:
            assert answer == truth, f"set {number} of seed {SEED}: {answer}, where all data say {truth}"
        found[case.kind, f"{truth}: {answer}"] += 1
    for (kind, what), n in sorted(found.items()):
        print(f"{kind:15} {what:20} {n:,}")


def known(case: Drawn, data: np.ndarray) -> tuple[np.ndarray, set[tuple[bytes, int]]]:
    """The sets of cells with 1 to k - 1 persons in all data, and the hidden cells that are known to less than k."""
    cells = np.array(list(product(*map(range, case.joint.sizes))), dtype=np.int64)
    sets = np.array(list(product((0, 1), repeat=len(cells))), dtype=np.float32)[1:]
    for some in (data[:64], data):
        numbers = sets @ some.T.astype(np.float32)
        sets = sets[(numbers.min(axis=1) >= 1) & (numbers.max(axis=1) < case.k)]
    hidden = set()
    for each in merged(case.given):
        own = each.partition.labels(cells)
        for label in each.hidden_labels.tolist():
            persons = data[:, own == label].sum(axis=1)
            if persons.max() - persons.min() < case.k:
                hidden.add((each.partition.key, label))
    return sets.astype(np.bool_), hidden


def test_what_earlier_releases_give_away_is_no_breach_of_a_later_one() -> None:
    """A later release adds one where a set of cells, or a hidden cell, is known with it alone."""
    rng = np.random.default_rng(SEED + 1)
    found: Counter[str] = Counter()
    for number in range(SETS):
        case = drawn(rng, KINDS[number % len(KINDS)])
        last = max(release for each in case.given for release in each.releases)
        before = Drawn(case.kind, tuple(each for each in case.given if last not in each.releases), case.joint, case.k)
        data, earlier = consistent(case), consistent(before)
        if data is None or earlier is None:
            continue
        (now, hidden_now), (then, hidden_then) = known(case, data), known(before, earlier)
        assert {each.tobytes() for each in then} <= {each.tobytes() for each in now}
        adds = len(now) > len(then) or bool(hidden_now - hidden_then)
        stands = bool(len(then) or hidden_then)
        together = judged_together(case.given, case.joint, case.k, judged=last)
        where = f"set {number} of seed {SEED + 1}"
        assert (together.answer == "breach") == (stands or adds), where
        assert not together.breaches or adds, f"{where}: a breach that stands is called one of the later release"
        assert together.breaches or not adds or stands, f"{where}: a breach of the later release is called one before"
        assert all(last not in each.releases for each in together.groups if each.stands), where
        found[f"{'stands' if stands else ''} {'adds' if adds else ''}: {len(together.breaches) > 0}"] += 1
    print(dict(found))
    assert found["stands : False"]
    assert found["stands adds: True"]
