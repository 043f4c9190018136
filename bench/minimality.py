"""What releases of 1,000 small tables tell to whoever knows the algorithm, beyond their labels: method x k x limit.

Twenty random domains of two attributes with 3 or 4 values, one or two levels of random classes below `*`, 6 to 9 rows,
50 random tables of each; of a domain every table there is (up to 25,000) is decided by every method. Then the bound, on
sealed releases of Adult (8 quasi-identifiers, k = 5).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sqlglot import exp

from bench import local
from bench.figure import Figure, print_rows
from bench.minimal.attackers import Algorithm, Attack, Told, full_domain, mondrian, rounds, sealed
from bench.minimal.small_tables import SmallAttribute, SmallDomain, number_of_tables
from bench.minimal.split_bound import LabelSplits, SplitBound, split_bound
from ordermade.lattice.observation import Requirement
from ordermade.methods.generalization.local_counting import PLACED, LocalCombinations, classes_of_cells
from ordermade.methods.generalization.local_rounds import CellClasses
from ordermade.methods.generalization.sealed_recoding import sealed_recoding
from ordermade.sources.executor import Purpose

SEED = 2007
DOMAINS, TABLES_EACH = 20, 50
MAX_TABLES = 25_000
KS = (2, 3)
LIMITS = {"0": Fraction(0), "20 %": Fraction(1, 5), "100 %": Fraction(1)}
UNDER_LIMITS: Mapping[str, Callable[[int, Fraction], Algorithm]] = {
    "full domain": full_domain,
    "rounds": rounds,
    "sealed": sealed,
}

Setting = tuple[str, int, str]
"""Method, k, limit."""

ORDER: tuple[Setting, ...] = (
    *((name, k, limit) for name in UNDER_LIMITS for k in KS for limit in LIMITS),
    *(("Mondrian", k, "0") for k in KS),
)


@dataclass(frozen=True)
class Drawn:
    """A domain, the rows of its tables, and the numbers of those that are released."""

    domain: SmallDomain
    rows: int
    chosen: tuple[int, ...]


def show() -> Sequence[Figure]:
    """Prints the table; the share of outputs of sealed classes without suppression that rule out a value."""
    random = np.random.default_rng(SEED)
    every = [_drawn(random) for _ in range(DOMAINS)]
    told: dict[Setting, list[Told]] = {each: [] for each in ORDER}
    with ProcessPoolExecutor(min(2, os.cpu_count() or 1), mp_context=get_context("spawn")) as pool:
        for found in pool.map(_told, every):
            for context, outputs in found.items():
                told[context].extend(outputs)
    headings = (
        "method",
        "k",
        "limit",
        "tells, %",
        "bits open",
        "told",
        "value out, %",
        "named",
        "left",
        "likeliest",
        "rise",
    )
    print_rows(
        f"told beyond labels, {DOMAINS * TABLES_EACH:,} small tables",
        headings,
        [(*context, *_row(each)) for context, each in told.items()],
    )
    _show_adult()
    return [
        Figure(
            f"outputs that rule out a value, sealed, limit 0, k = {k}",
            _share(each.rules_out_a_value for each in told["sealed", k, "0"]),
            None,
            "%",
        )
        for k in KS
    ]


def _drawn(random: np.random.Generator) -> Drawn:
    """A random domain, and random tables of it: each row has each cell with the same probability."""
    while True:
        domain = SmallDomain((_attribute(random), _attribute(random)))
        rows = int(random.integers(6, 10))
        if number_of_tables(len(domain.cells), rows) <= MAX_TABLES:
            break
    tables = domain.tables(rows)
    numbers = {each.tobytes(): number for number, each in enumerate(tables)}
    cells = len(domain.cells)
    drawn = (np.bincount(random.integers(0, cells, rows), minlength=cells) for _ in range(TABLES_EACH))
    return Drawn(domain, rows, tuple(numbers[each.astype(np.int64).tobytes()] for each in drawn))


def _attribute(random: np.random.Generator) -> SmallAttribute:
    """3 or 4 values; below `*` a level of two or three classes, or of two and one between."""
    values = int(random.integers(3, 5))
    levels = [_merged(random, tuple(range(values)))]
    if max(levels[0]) > 1 and random.integers(0, 2):
        levels.append(_merged(random, levels[0]))
    return SmallAttribute.of(*levels)


def _merged(random: np.random.Generator, classes: Sequence[int]) -> tuple[int, ...]:
    """Some classes of these together: at least two are left, and one fewer than there were at most."""
    number = max(classes) + 1
    left = int(random.integers(2, number))
    while len(set(to := random.integers(0, left, number).tolist())) < left:
        pass
    return tuple(to[each] for each in classes)


def _told(drawn: Drawn) -> dict[Setting, list[Told]]:
    """What each setting tells of each of the chosen tables."""
    tables = drawn.domain.tables(drawn.rows)
    found = {}
    for context in ORDER:
        attack = Attack(drawn.domain, _algorithm(*context), tables)
        found[context] = [attack.told(attack.output_of(each)) for each in drawn.chosen]
    return found


def _algorithm(method: str, k: int, limit: str) -> Algorithm:
    return UNDER_LIMITS[method](k, LIMITS[limit]) if method in UNDER_LIMITS else mondrian(k)


def _share(flags: Iterator[bool]) -> float:
    return 100 * float(np.mean(list(flags)))


def _row(told: Sequence[Told]) -> tuple[float, ...]:
    """Shares of outputs and bits an output; values and probabilities as means over released rows."""
    classes = [each for output in told for each in output.classes]
    weights = [each.rows for each in classes]

    def mean(numbers: Iterator[float]) -> float:
        return float(np.average(list(numbers), weights=weights))

    return (
        _share(each.anything for each in told),
        float(np.mean([each.bits_open for each in told])),
        float(np.mean([each.bits for each in told])),
        _share(each.rules_out_a_value for each in told),
        mean(each.named for each in classes),
        mean(each.left for each in classes),
        mean(each.likeliest for each in classes),
        mean(each.rise for each in classes),
    )


# ---- the bound -------------------------------------------------------------------------------------------------------


def _show_adult() -> None:
    """Prints the classes of sealed releases of Adult about which something is told, where its data are."""
    if not local.DATA.exists():
        print(f"\nthe bound on Adult: no data in {local.DATA}")
        return
    rows = []
    with TemporaryDirectory() as folder:
        for limit, (most_suppressed, node) in local.FULL_DOMAIN.items():
            found = _bound(Path(folder), most_suppressed, node)
            rows.append((limit, found.classes, 100 * found.share, found.too_small, found.rows, found.told_rows))
    headings = ("limit", "classes", "told of, %", "below 2 k", "rows", "rows told of")
    print_rows(f"sealed release of Adult, k = {local.K}: classes whose label could be split", headings, rows)


def _bound(folder: Path, most_suppressed: int, node: tuple[int, ...]) -> SplitBound:
    plan, lattice = local.adult(folder)
    released = sealed_recoding(plan, lattice, Requirement(local.K, most_suppressed), node)
    if released.start != "sealed":
        raise ValueError("the release of Adult is not by splits")
    attributes = classes_of_cells(plan)
    counted = LocalCombinations.of(plan)
    numbers, cells, rows = counted.numbers, counted.cells, counted.rows
    placed = exp.select("combo", "round").from_(PLACED)
    round_of = dict(plan.dataset.backend.workspace.rows(Purpose.ROLL_UP, placed))
    plan.dataset.backend.close()
    sizes: Counter[tuple[tuple[int, int], ...]] = Counter()
    for number, each, count in zip(numbers.tolist(), zip(*(c.tolist() for c in cells), strict=True), rows, strict=True):
        if number in round_of:
            levels = released.rounds[round_of[number] - 1].node
            label = tuple(
                (level, _class(of, level, cell)) for of, level, cell in zip(attributes, levels, each, strict=True)
            )
            sizes[label] += int(count)
    splits = [
        {label: _parts(of, axis.accepted, label) for label in {each[place] for each in sizes}}
        for place, (of, axis) in enumerate(zip(attributes, lattice.axes, strict=True))
    ]
    return split_bound(
        (
            LabelSplits(count, tuple(filter(None, (of[part] for of, part in zip(splits, label, strict=True)))))
            for label, count in sizes.items()
        ),
        local.K,
    )


def _class(attribute: CellClasses, level: int, cell: int) -> int:
    return 0 if level == attribute.top else attribute.classes[level][cell]


def _parts(attribute: CellClasses, accepted: Sequence[int], label: tuple[int, int]) -> tuple[int, ...]:
    """The values that occur under each part of a label of one attribute, at the first finer level that parts it."""
    level, number = label
    under = [cell for cell in attribute.classes[attribute.base] if _class(attribute, level, cell) == number]
    for finer in reversed([each for each in accepted if each < level]):
        parts = Counter(_class(attribute, finer, cell) for cell in under)
        if len(parts) > 1:
            return tuple(parts.values())
    return ()
