"""Local recoding of Adult (8 quasi-identifiers, k = 5): its Loss beside that of the best node alone.

The nodes of the least Loss were found by counting every node of the lattice (6,480) by hand.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import duckdb

from bench.figure import Figure, print_rows
from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset, relation
from ordermade.hierarchies.read_csv import read_csv
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Requirement
from ordermade.methods.generalization.local_recoding import local_recoding
from ordermade.release.plan import Plan
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.limits import Limits

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "arx" / "adult"
COLUMNS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
K = 5
ROWS = 30_162
FULL_DOMAIN: dict[str, tuple[int, Node]] = {
    "0": (0, (0, 4, 0, 2, 3, 2, 2, 1)),
    "5 %": (ROWS // 20, (0, 3, 0, 1, 2, 1, 1, 1)),
    "100 %": (ROWS, (0, 3, 0, 0, 2, 1, 0, 1)),
}
"""By the limit: the rows that may be suppressed, and the node of the least Loss."""


def show() -> Sequence[Figure]:
    """Prints the table; Loss of local recoding as a share of that of the best node, by limit."""
    if not DATA.exists():
        print(f"\nlocal recoding: no data in {DATA}")
        return []
    rows, figures = [], []
    with tempfile.TemporaryDirectory() as folder:
        for limit, (most_suppressed, node) in FULL_DOMAIN.items():
            plan, lattice = adult(Path(folder))
            started = time.perf_counter()
            found = local_recoding(plan, lattice, Requirement(K, most_suppressed), node)
            seconds = time.perf_counter() - started
            plan.dataset.backend.close()
            mine, other = found.losses["loss"], found.full_domain_loss
            assert mine is not None
            assert other is not None
            rows.append(
                (limit, other, mine, len(found.rounds), found.classes.divisions, found.suppressed_rows, seconds)
            )
            figures.append(Figure(f"Loss of local recoding / of the best node, limit {limit}", mine / other, 1.0))
    headings = ("limit", "Loss of the best node", "Loss", "rounds", "classes", "rows suppressed", "seconds")
    print_rows("local recoding of Adult, k = 5", headings, rows)
    return figures


def adult(folder: Path) -> tuple[Plan, Lattice]:
    """Adult as a table of a source, its attributes grounded."""
    database = folder / "adult.duckdb"
    if not database.exists():
        with duckdb.connect(str(database)) as connection:
            connection.execute(
                f"CREATE TABLE adult AS FROM read_csv('{DATA / 'adult.csv'}', delim = ';', all_varchar = TRUE)"
            )
    backend = DuckDBFile(database, writable=False, limits=Limits())
    (table,) = backend.tables()
    dataset = Dataset("adult", backend, relation(table.reference, None), table.columns)
    attributes = tuple(
        encode_counted(dataset, place, name, read_csv(DATA / f"adult_hierarchy_{name}.csv", name, "arx")[0], 0)
        for place, name in enumerate(COLUMNS, 1)
    )
    axes = (Axis(each.column, each.hierarchy.order, (*each.levels, each.hierarchy.top)) for each in attributes)
    lattice = Lattice(tuple(axes))
    return Plan(dataset, attributes, lattice.top, (), "rows", k=K, local=True), lattice
