"""A written release as a data frame."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from ordermade import sql
from ordermade.errors import ReleaseFault
from ordermade.release.files import ending_of, read_statement

if TYPE_CHECKING:
    import pandas


def read_frame(path: Path) -> pandas.DataFrame:
    """The release at `path`; columns of a CSV release are texts. Raises ReleaseFault if it cannot be read."""
    statement = sql.text(read_statement(path, ending_of(path)))
    with duckdb.connect() as connection:
        try:
            return connection.execute(statement).df()
        except duckdb.Error as error:
            raise ReleaseFault(
                f"the release cannot be read ({type(error).__name__})",
                where=str(path),
                next_step="It was moved, deleted or damaged after its release; run the request again.",
            ) from None
