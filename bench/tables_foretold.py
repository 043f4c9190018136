"""Tables with totals foretold: the error of the share of suppressed cells, by what was observed before.

Requests for tables of Adult are made at random: other columns and levels, subtotals, k of 3 to 20, zeros shown or
hidden. Held-out tables are foretold after 0, 10, 30 and 100 others were made. Table C has the nodes of those, and the
state has their numbers of cells. No held-out table is ever observed.
"""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product
from pathlib import Path
from statistics import fmean

import numpy as np

from bench.figure import Figure, print_rows
from ordermade.lattice.observation import Observation
from ordermade.prediction.expected_tables import MeasuredClasses, expected_table
from ordermade.prediction.suppressed_cells import SuppressedCells, TableForm, TableOutcome
from ordermade.tables.dimensions import LevelledDimension, dimension_of_levels
from ordermade.tables.protected import CellRules, ProtectedTables, protect
from ordermade.tables.suppression import Zeros
from ordermade.tables.tabulation import FinestCells, tabulate

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "arx" / "adult"
COLUMNS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
FEWEST, MOST = 20, 200
"""The cells of a table: fewer tell nothing of a share, and of more the patterns take minutes."""
MOST_COLUMNS = 4
CHECKPOINTS = (0, 10, 30, 100)
HELD_OUT = 200
SEED_OF_OBSERVED, SEED_OF_HELD_OUT = 431, 432
MOST_ERROR = 0.05
AT = 100
"""The observed tables after which the error is judged."""


@dataclass(frozen=True)
class Asked:
    """A request for a table: the levels that it shows of each column, those with a grand total, k and zeros."""

    levels: dict[str, tuple[int, ...]]
    totals: frozenset[str]
    k: int
    zeros: Zeros

    @property
    def nodes(self) -> Iterator[frozenset[tuple[str, str]]]:
        """The nodes that its cells are; a level goes by its number."""
        shown = [
            [(column, each) for each in levels] + ([None] if column in self.totals else [])
            for column, levels in self.levels.items()
        ]
        for node in product(*shown):
            yield frozenset((each[0], str(each[1])) for each in node if each is not None)


class AdultTables:
    """The rows of Adult with their hierarchies, counted and protected as a request for a table does."""

    def __init__(self, folder: Path = ADULT) -> None:
        with (folder / "adult.csv").open(encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines, delimiter=";"))
        self.rows = len(rows)
        self.paths: dict[str, list[list[str]]] = {}
        self.values: dict[str, np.ndarray] = {}
        for column in COLUMNS:
            with (folder / f"adult_hierarchy_{column}.csv").open(encoding="utf-8") as lines:
                paths = list(csv.reader(lines, delimiter=";"))
            place = {path[0]: number for number, path in enumerate(paths)}
            self.paths[column] = paths
            self.values[column] = np.array([place[row[column]] for row in rows])
        self._observed: dict[frozenset[tuple[str, str]], Observation] = {}

    @cached_property
    def marginals(self) -> dict[tuple[str, str], tuple[tuple[int, int], ...]]:
        """The class sizes of every level of a column but the top."""
        return {
            (column, str(level)): self.observed(frozenset([(column, str(level))])).sizes
            for column, paths in self.paths.items()
            for level in range(len(paths[0]) - 1)
        }

    def observed(self, node: frozenset[tuple[str, str]]) -> Observation:
        """The class sizes of a node."""
        if node not in self._observed:
            code = np.zeros(self.rows, dtype=np.int64)
            for column, level in sorted(node):
                labels, codes = self._coded(column, int(level))
                code = code * len(labels) + codes[self.values[column]]
            _, sizes = np.unique(code, return_counts=True)
            sizes, classes = np.unique(sizes, return_counts=True)
            self._observed[node] = Observation.from_histogram(zip(sizes.tolist(), classes.tolist(), strict=True))
        return self._observed[node]

    def _coded(self, column: str, level: int) -> tuple[list[str], np.ndarray]:
        labels = [path[level] for path in self.paths[column]]
        names, codes = np.unique(labels, return_inverse=True)
        return names.tolist(), codes.reshape(-1)

    def asked(self, seed: int) -> Iterator[Asked]:
        """Requests at random without end, of tables of neither very few nor many cells."""
        chance = random.Random(seed)
        while True:
            columns = chance.sample(COLUMNS, chance.randint(1, MOST_COLUMNS))
            levels = {}
            for column in columns:
                below = range(len(self.paths[column][0]) - 1)
                finest = chance.choice(below)
                coarser = [each for each in below if each > finest]
                subtotal = (chance.choice(coarser),) if coarser and chance.random() < 0.3 else ()
                levels[column] = (finest, *subtotal)
            totals = frozenset(each for each in columns if chance.random() < 0.85)
            found = Asked(levels, totals, chance.randint(3, 20), chance.choice(("shown", "hidden")))
            if FEWEST <= sum(self.observed(each).divisions for each in found.nodes) <= MOST:
                yield found

    def made(self, asked: Asked) -> ProtectedTables:
        """The table that a request gives."""
        levelled = [self._dimension(column, levels) for column, levels in asked.levels.items()]
        leaves = np.column_stack(
            [leaf[self.values[column]] for (_, leaf), column in zip(levelled, asked.levels, strict=True)]
        )
        leaves, rows = np.unique(leaves, axis=0, return_counts=True)
        codes = {}
        for (found, _), column in zip(levelled, asked.levels, strict=True):
            shown = {code for places in found.places for code in places}
            codes[column] = tuple(sorted(shown.union(found.dimension.roots if column in asked.totals else ())))
        finest = FinestCells(tuple(found.dimension for found, _ in levelled), leaves, rows.astype(np.int64))
        return protect(tabulate(finest, [codes]), CellRules(asked.k, asked.zeros), ("units",))

    def _dimension(self, column: str, levels: Sequence[int]) -> tuple[LevelledDimension, np.ndarray]:
        occurs = np.unique(self.values[column]).tolist()
        paths = sorted({tuple(self.paths[column][value][level] for level in levels) for value in occurs})
        found = dimension_of_levels(
            column, [[path[place] for path in paths] for place in range(len(levels))], total="*"
        )
        leaf_of = {path: found.places[0][number] for number, path in enumerate(paths)}
        leaf = np.full(len(self.paths[column]), -1)
        for value in occurs:
            leaf[value] = leaf_of[tuple(self.paths[column][value][level] for level in levels)]
        return found, leaf


@dataclass(frozen=True)
class Outcome:
    """A table that was made, with its form as measured."""

    asked: Asked
    form: TableForm
    suppressed: int
    is_protected: bool

    @property
    def share(self) -> float:
        return self.suppressed / self.form.cells


def outcome(tables: AdultTables, asked: Asked) -> Outcome:
    """What comes of a request."""
    found = tables.made(asked)
    own = {node: tables.observed(node) for node in asked.nodes if node}
    measured = foretold_form(MeasuredClasses(tables.rows, tables.marginals, own), asked)
    cells = int(np.count_nonzero(found.shown))
    form = replace(measured, cells=cells, primary=len(found.primary))
    return Outcome(asked, form, len(found.suppressed), not found.unprotected)


def foretold_form(measured: MeasuredClasses, asked: Asked) -> TableForm:
    """The form of a table by what is measured."""
    finest = frozenset((column, str(levels[0])) for column, levels in asked.levels.items())
    table = expected_table(measured, list(asked.nodes), asked.k)
    inner = expected_table(measured, [finest], asked.k).cells
    combinations = math.prod(measured.number_of(pair) for pair in finest)
    return TableForm(
        table.cells, table.primary, asked.k, len(asked.levels), len(asked.totals), inner, combinations, table.spread
    )


def show() -> Sequence[Figure]:
    """Prints the errors by the number of observed tables; the mean absolute error after 100."""
    if not ADULT.exists():
        print(f"\ntables foretold: no data in {ADULT}")
        return []
    tables = AdultTables()
    observed = [outcome(tables, each) for each in islice(tables.asked(SEED_OF_OBSERVED), CHECKPOINTS[-1])]
    mine = {(*each.asked.levels.items(), each.asked.totals, each.asked.k, each.asked.zeros) for each in observed}
    others = (
        each
        for each in tables.asked(SEED_OF_HELD_OUT)
        if (*each.levels.items(), each.totals, each.k, each.zeros) not in mine
    )
    held_out = [outcome(tables, each) for each in islice(others, HELD_OUT)]
    rows, errors = [], {}
    for number in CHECKPOINTS:
        made = observed[:number]
        nodes = {node: tables.observed(node) for each in made for node in each.asked.nodes if node}
        measured = MeasuredClasses(tables.rows, tables.marginals, nodes)
        learnt = SuppressedCells([TableOutcome(each.form, each.suppressed, each.is_protected) for each in made[::-1]])
        forms = [foretold_form(measured, each.asked) for each in held_out]
        found = [learnt.expected(each) for each in forms]
        pairs = list(zip(found, held_out, strict=True))
        errors[number] = fmean(abs(each.share - actual.share) for each, actual in pairs)
        below = fmean(abs(form.share - each.form.share) for form, each in zip(forms, held_out, strict=True))
        inside = fmean(each.low - 1e-9 <= actual.share <= each.high + 1e-9 for each, actual in pairs)
        width = fmean(each.high - each.low for each in found)
        rows.append((number, len(nodes), below, errors[number], inside, width))
    headings = ("tables observed", "nodes", "error of cells < k", "error of suppressed", "in the 90 %", "width of it")
    print_rows(f"tables foretold: the share of suppressed cells of {HELD_OUT} held-out tables of Adult", headings, rows)
    shares = sorted(each.share for each in held_out)
    mean = fmean(shares)
    spread = fmean(abs(each - mean) for each in shares)
    note = f"the mean share is {mean:.2f}; foretelling it of every table errs by {spread:.3f}"
    return [
        Figure(f"mean absolute error after {AT} tables", errors[AT], MOST_ERROR, unit="", note=note, digits=3),
    ]
