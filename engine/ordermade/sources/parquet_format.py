"""Parquet files: the query that reads several as one table, and the footer that shows whether one is whole."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault


def literal_path(path: Path) -> exp.Literal:
    """A path as a literal for DuckDB, the characters of glob patterns escaped."""
    return exp.Literal.string(glob.escape(str(path)))


def parquet_query(paths: Sequence[Path]) -> exp.Select:
    """The query that reads Parquet files as one table."""
    listed = exp.Array(expressions=[literal_path(path) for path in paths])
    return sql.with_literal(sql.select("files/parquet"), "stand_in.parquet", listed)


def footer_of(path: Path) -> str:
    """The SHA-256 of the footer of a Parquet file. Raises OSError, and SourceFault for a file without one."""
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        size = file.tell()
        file.seek(max(0, size - 8))
        end = file.read(8)
        length = int.from_bytes(end[:4], "little") + 8
        if end[4:] not in (b"PAR1", b"PARE") or length > size:
            step = "Check that it was written whole."
            raise SourceFault("this is not a Parquet file", where=str(path), next_step=step)
        file.seek(size - length)
        return hashlib.sha256(file.read(length)).hexdigest()
