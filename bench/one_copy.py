"""`python -m bench.one_copy DATABASE FILE`: a GROUP BY of six columns of the members, and a copy of them to a CSV file.

As typed by hand in DuckDB, within the limits of a request: the columns at their finest accepted levels, grouped as the
frequency set is and copied as the release is. In a process of its own, whose seconds are the yardstick.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.grown_members import COLUMNS
from bench.members import FINE
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect


def by_hand(database: Path, file: Path) -> None:
    """Groups and copies."""
    values = [each.by_hand for each in COLUMNS if each.name in FINE]
    columns = ", ".join(f"{value} AS c{place}" for place, value in enumerate(values))
    grouped = ", ".join(values)
    with SpillFolder() as spill:
        connection = connect(database, spill, Limits(), allow_external=True)
        connection.execute(
            f"CREATE TEMP TABLE counted AS SELECT {columns}, COUNT(*) AS n FROM members GROUP BY {grouped}"
        )
        connection.execute(f"COPY (SELECT {columns} FROM members) TO '{file}' (HEADER)")
        connection.close()


if __name__ == "__main__":
    by_hand(Path(sys.argv[1]), Path(sys.argv[2]))
