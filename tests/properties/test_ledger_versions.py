"""What releases before and after a change say of it, judged and enumerated: all data that agree with either side.

`ORDERMADE_LONG=1` draws 2,000 cases of each kind; else 120. What is printed (`pytest -s`): how many were breaches, and
what of sums that are no classes of the definition is not found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
import pytest

from ordermade.ledger import versions
from ordermade.ledger.entries import ShownClasses, ShownColumn
from ordermade.ledger.versions import changed_classes, suppressed_in_both
from ordermade.tables.cells import Marks, Whole
from tests.long import rounds

CASES = rounds(120, 2_000)
SEED = 444
MOST_DATA = 100_000
LEVELS = 3

Label = str | None


@dataclass(frozen=True, eq=False)
class Side:
    """The partitions of one version, the data that they are of, and the class of every cell in each."""

    partitions: tuple[ShownClasses, ...]
    persons: Whole
    classes: tuple[Whole, ...]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Releases before and after a change."""

    sizes: tuple[int, ...]
    cells: Whole
    labels: Mapping[ShownColumn, tuple[Label, ...]]
    sides: tuple[Side, Side]
    k: int


def drawn(rng: np.random.Generator, most_partitions: int) -> Drawn:
    while True:
        sizes = tuple(rng.integers(2, 5, size=int(rng.integers(1, 4))).tolist())
        if np.prod(sizes) <= 8:
            break
    cells = np.array(list(product(*map(range, sizes))), dtype=np.int64)
    labels = hierarchies(rng, sizes)
    before = rng.integers(0, 5, size=len(cells)) * (rng.random(len(cells)) < 0.7)
    after = before.copy()
    for _ in range(int(rng.integers(0, 7))):
        cell = int(rng.integers(len(cells)))
        match int(rng.integers(3)):
            case 0:
                after[cell] += rng.integers(1, 4)
            case 1:
                after[cell] -= rng.integers(0, after[cell] + 1)
            case _:
                moved = int(rng.integers(0, after[cell] + 1))
                after[cell] -= moved
                after[int(rng.integers(len(cells)))] += moved
    k = int(rng.integers(2, 5))
    sides = [side(rng, cells, labels, each, k, int(rng.integers(1, most_partitions + 1))) for each in (before, after)]
    if most_partitions == 1 and rng.random() < 0.4:  # the same levels again
        columns = sides[0].partitions[0].columns
        sides[1] = shown_side(rng, cells, labels, after, k, [columns])
    return Drawn(sizes, cells, labels, (sides[0], sides[1]), k)


def hierarchies(rng: np.random.Generator, sizes: Sequence[int]) -> dict[ShownColumn, tuple[Label, ...]]:
    """Two hierarchies of each column, with the values, two levels that refine each other, and labels of their own."""
    found: dict[ShownColumn, tuple[Label, ...]] = {}
    for axis, size in enumerate(sizes):
        for hierarchy in "gh":
            groups = np.arange(size)
            for level in range(LEVELS):
                found[ShownColumn(f"column {axis}", hierarchy, level)] = tuple(f"{level}:{each}" for each in groups)
                groups = np.minimum(groups, rng.integers(0, size, size=size))[groups]
    return found


def side(
    rng: np.random.Generator,
    cells: Whole,
    labels: Mapping[ShownColumn, tuple[Label, ...]],
    persons: Whole,
    k: int,
    n: int,
) -> Side:
    every = list(labels)
    partitions = []
    for _ in range(n):
        columns = []
        for axis in range(cells.shape[1]):
            own = [each for each in every if each.column == f"column {axis}"]
            if rng.random() < 0.75:
                columns.append(own[int(rng.integers(len(own)))])
        partitions.append(tuple(columns))
    return shown_side(rng, cells, labels, persons, k, partitions)


def shown_side(
    rng: np.random.Generator,
    cells: Whole,
    labels: Mapping[ShownColumn, tuple[Label, ...]],
    persons: Whole,
    k: int,
    partitions: Sequence[tuple[ShownColumn, ...]],
) -> Side:
    found = [shown(rng, cells, labels, persons, k, each) for each in partitions]
    return Side(tuple(one for one, _ in found), persons, tuple(classes for _, classes in found))


def shown(
    rng: np.random.Generator,
    cells: Whole,
    labels: Mapping[ShownColumn, tuple[Label, ...]],
    persons: Whole,
    k: int,
    columns: tuple[ShownColumn, ...],
) -> tuple[ShownClasses, Whole]:
    """A partition of whole classes, one that drops those below k, or one with hidden cells; each cell's class in it."""
    rows = [tuple(labels[each][cell[int(each.column[-1])]] for each in columns) for cell in cells.tolist()]
    every = list(dict.fromkeys(rows))
    classes = np.array([every.index(each) for each in rows], dtype=np.int64)
    sizes = np.bincount(classes, persons, len(every)).astype(np.int64)
    kind = int(rng.integers(4))
    kept = sizes >= (k if kind in (1, 2) else rng.integers(0, 2))
    others_most = k - 1 if kind in (1, 2) else 0
    gone = int(sizes[~kept].sum())
    rest = (gone, gone) if gone >= k and rng.random() < 0.7 else (0, k - 1) if gone < k and rng.random() < 0.5 else None
    if kind == 2:
        rest = (gone, gone)
    if kind == 0 or kind == 3:
        rest = None
    found = ShownClasses.of(
        columns, [every[each] for each in np.flatnonzero(kept)], sizes[kept].tolist(), others_most, rest
    )
    if kind == 3 and len(found.codes):
        hidden = rng.random(len(found.codes)) < 0.4
        found.hidden[:] = hidden
        width = rng.integers(0, 2 * k, size=len(hidden))
        found.least[hidden] = np.maximum(found.least - width, 0)[hidden]
        found.most[hidden] = (found.most + rng.integers(0, 2 * k, size=len(hidden)))[hidden]
    return found, classes


def agreeing(case: Drawn, side: Side) -> Whole | None:
    """All data that agree with one side, a row of persons by cell each; None where they are too many."""
    bounds: list[tuple[Marks, int, int]] = []
    for partition, classes in zip(side.partitions, side.classes, strict=True):
        listed = {
            tuple(partition.labels[place][code] for place, code in enumerate(codes)): row
            for row, codes in enumerate(partition.codes.tolist())
        }
        others: Marks = np.zeros(len(case.cells), dtype=np.bool_)
        for number in range(int(classes.max()) + 1):
            inside: Marks = classes == number
            values = case.cells[int(np.argmax(inside))].tolist()
            row = listed.get(tuple(case.labels[each][values[int(each.column[-1])]] for each in partition.columns), -1)
            if row < 0:
                others |= inside
                bounds.append((inside, 0, partition.others_most))
            else:
                bounds.append((inside, int(partition.least[row]), int(partition.most[row])))
        if partition.rest is not None:
            bounds.append((others, *partition.rest))
    found: Whole = np.zeros((1, 0), dtype=np.int64)
    for cell in range(len(case.cells)):
        most = min(high for inside, _, high in bounds if inside[cell])
        found = np.concatenate(
            [np.repeat(found, most + 1, axis=0), np.tile(np.arange(most + 1), len(found))[:, None]], axis=1
        )
        for inside, low, high in bounds:
            sums = found[:, inside[: cell + 1]].sum(axis=1)
            is_over = not inside[cell + 1 :].any()
            found = found[(sums <= high) & ((sums >= low) | (not is_over))]
        if len(found) > MOST_DATA:
            return None
    return found


def components(case: Drawn, places: tuple[int, int], some: Sequence[int]) -> list[Marks]:
    """The cells joined by a class of either partition, or by the same values in some columns."""
    return joined(case, [each.classes[place] for each, place in zip(case.sides, places, strict=True)], some)


def joined(case: Drawn, joins: list[Whole], some: Sequence[int]) -> list[Marks]:
    """The cells joined where one of the numberings gives them one number, or by the same values in some columns."""
    number = np.arange(len(case.cells))
    if len(some) < len(case.sizes):
        joins = [*joins, np.unique(case.cells[:, list(some)], axis=0, return_inverse=True)[1].reshape(-1)]
    for _ in range(len(case.cells)):
        for own in joins:
            for each in np.unique(own):
                number[own == each] = number[own == each].min()
    return [number == each for each in np.unique(number)]


def classes_looked_at(case: Drawn, places: tuple[int, int], data: Sequence[Whole]) -> Iterator[Marks]:
    """The finest groups of both partitions, their sums by some columns, and what is left of these."""
    axes = range(len(case.sizes))
    finest = components(case, places, axes)
    yield from finest
    exact = [[len(np.unique(own[:, each].sum(axis=1))) == 1 for each in finest] for own in data]
    left = [[not each for each in exact[0]], [not each for each in exact[1]]]
    left.append([one or other for one, other in zip(*left, strict=True)])
    for size in range(len(case.sizes)):
        for some in combinations(axes, size):
            for whole in components(case, places, some):
                yield whole
                for marks in left:
                    own = [each for each, is_left in zip(finest, marks, strict=True) if is_left and each[whole].any()]
                    if own:
                        yield np.logical_or.reduce(own)


def together(case: Drawn, some: Sequence[int]) -> list[Marks]:
    """The cells that all partitions of a side, of either, leave together, joined where they meet: sums by some columns.

    Values of a column are together on a side where all its partitions have one label for them.
    """
    joins = []
    for side in case.sides:
        of_axis = []
        for axis, size in enumerate(case.sizes):
            levels = {each for shown in side.partitions for each in shown.columns if each.column == f"column {axis}"}
            signatures = list(zip(*(case.labels[each] for each in sorted(levels, key=str)), strict=True)) or [()] * size
            of_axis.append(np.array([signatures.index(each) for each in signatures])[case.cells[:, axis]])
        joins.append(np.unique(np.stack(of_axis, axis=1), axis=0, return_inverse=True)[1].reshape(-1))
    return joined(case, joins, some)


def is_few(inside: Marks, data: Sequence[Whole], k: int) -> bool:
    """Whether the change of some cells is of 1 to k - 1 persons and of one sign in every pair of data."""
    before, after = (np.unique(each[:, inside].sum(axis=1)) for each in data)
    changes = np.unique(after[:, None] - before[None, :])
    return bool((changes[0] >= 1 and changes[-1] < k) or (changes[-1] <= -1 and changes[0] > -k))


def unions(groups: Sequence[Marks]) -> Iterator[Marks]:
    for size in range(1, len(groups) + 1):
        for some in combinations(groups, size):
            yield np.logical_or.reduce(some)


def with_totals(case: Drawn) -> Drawn:
    """The same with a partition of everybody on each side: the total, beside a partition that says less."""
    every = np.zeros(len(case.cells), dtype=np.int64)
    sides = [
        Side(
            (*each.partitions, ShownClasses.of((), [()], [int(each.persons.sum())])),
            each.persons,
            (*each.classes, every),
        )
        for each in case.sides
    ]
    return replace(case, sides=(sides[0], sides[1]))


def is_breach(case: Drawn, data: Sequence[Whole]) -> bool:
    first, second = (range(len(each.partitions)) for each in case.sides)
    axes = range(len(case.sizes))
    found = [
        *(inside for places in product(first, second) for inside in classes_looked_at(case, places, data)),
        *(inside for n in range(len(axes) + 1) for some in combinations(axes, n) for inside in together(case, some)),
    ]
    return any(is_few(inside, data, case.k) for inside in found)


@pytest.mark.parametrize("partitions", ["one", "one and the total", "several"])
def test_a_change_of_few_is_found_and_nothing_else(partitions: str) -> None:
    is_exact = partitions != "several"
    rng = np.random.default_rng([SEED, len(partitions)])
    seen: Counter[str] = Counter()
    for number in range(CASES):
        case = drawn(rng, 1 if is_exact else 3)
        if partitions == "one and the total":
            case = with_totals(case)
        where = f"case {number} of seed {SEED}"
        data = [agreeing(case, each) for each in case.sides]
        if data[0] is None or data[1] is None:
            seen["too many data"] += 1
            continue
        both = [data[0], data[1]]
        assert all(len(each) for each in both), f"{where}: the data agree with their releases"
        found = changed_classes(case.sides[0].partitions, case.sides[1].partitions, case.k, case.labels)
        assert found.answer != "undecided", where
        first, second = (range(len(each.partitions)) for each in case.sides)
        pairs = list(product(first, second))
        truth = is_breach(case, both)
        if found.answer == "breach":
            assert truth or any(
                is_few(inside, both, case.k)
                for places in pairs
                for inside in unions(components(case, places, range(len(case.sizes))))
            ), f"{where}: refused without a breach"
            assert truth or not is_exact, f"{where}: refused by what is no class"
        else:
            assert not truth, f"{where}: a change of few passes"
        seen[f"found: {found.answer}"] += 1
        if found.answer == "safe" and not truth:
            finest = [components(case, places, range(len(case.sizes))) for places in pairs]
            seen["safe, and a sum of other groups is few"] += any(
                is_few(inside, both, case.k) for groups in finest for inside in unions(groups)
            )
    print(f"\nseed {SEED}, {partitions} a side:", dict(sorted(seen.items())))


def test_where_groups_are_too_many_listed_ones_alone_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "MOST_GROUPS", 0)
    rng = np.random.default_rng([SEED, 9])
    seen: Counter[tuple[str, str]] = Counter()
    for number in range(CASES):
        case = drawn(rng, 1)
        if number % 2:
            case = with_totals(case)
        data = [agreeing(case, each) for each in case.sides]
        if data[0] is None or data[1] is None:
            continue
        truth = "breach" if is_breach(case, [data[0], data[1]]) else "safe"
        found = changed_classes(case.sides[0].partitions, case.sides[1].partitions, case.k, case.labels)
        assert found.answer in (truth, "undecided"), f"case {number} of seed {SEED}"
        seen[truth, found.answer] += 1
    print(f"\nseed {SEED}, listed groups alone:", dict(sorted(seen.items())))


def test_what_is_suppressed_in_both_passes() -> None:
    """The offer is judged again by all data: those that agree with the earlier release, and with what is offered."""
    rng = np.random.default_rng([SEED, 7])
    seen: Counter[str] = Counter()
    for number in range(CASES):
        case = drawn(rng, 1)
        columns = case.sides[0].partitions[0].columns
        persons = case.sides[1].persons
        later, classes = shown(rng, case.cells, case.labels, persons, case.k, columns)
        if later.hidden.any():
            continue
        n, says = int(persons.sum()), bool(rng.random() < 0.7)
        gone = suppressed_in_both(case.sides[0].partitions, later, case.k, case.labels, n if says else None)
        seen[f"{'number said' if says else 'not said'}: {'none' if gone is None else len(gone)}"] += 1
        if not gone:
            continue
        kept = ~np.isin(np.arange(len(later.codes)), gone)
        unlisted, most = n - int(later.least[kept].sum()), 2 * n + 4 * case.k
        offered = replace(
            later,
            codes=later.codes[kept],
            least=later.least[kept],
            most=later.most[kept],
            hidden=later.hidden[kept],
            others_most=most + int(case.sides[0].persons.sum()),
            rest=((unlisted, unlisted) if unlisted >= case.k else (0, case.k - 1)) if says else None,
        )
        offer = replace(case, sides=(case.sides[0], Side((offered,), persons, (classes,))))
        data = [agreeing(offer, each) for each in offer.sides]
        if data[0] is None or data[1] is None:
            seen["too many data"] += 1
            continue
        both = [data[0], data[1]]
        few = [each for each in classes_looked_at(offer, (0, 0), both) if is_few(each, both, case.k)]
        assert not few, f"case {number} of seed {SEED}: a change of few follows from what is offered"
    print(f"\nseed {SEED}, suppressed in both:", dict(sorted(seen.items())))
