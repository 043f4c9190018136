"""A release as a file: the statements that write it and read it back, and the names that it may get."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
from collections.abc import Sequence
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, ReleaseFault
from ordermade.private_files import kind_of_file
from ordermade.sources.csv_format import literal_path, text_columns

_TEMPLATES = {".parquet": "write_parquet", ".csv": "write_csv", ".csv.gz": "write_csv_gz"}
_READ_BACK = {
    ".parquet": ("written_parquet", "stand_in.parquet"),
    ".csv": ("written_csv", "stand_in.csv"),
    ".csv.gz": ("written_csv_gz", "stand_in.csv.gz"),
}
MANIFEST = ".manifest.json"
LONGEST_NAME = 200


def ending_of(path: Path) -> str:
    """`.parquet`, `.csv` or `.csv.gz`."""
    return next(ending for ending in (".csv.gz", ".parquet", ".csv") if path.name.rstrip().lower().endswith(ending))


def manifest_of(path: Path) -> Path:
    """Where the manifest of a release stands: beside it."""
    return path.with_name(path.name + MANIFEST)


def write_statement(query: exp.Query, path: Path, ending: str) -> exp.Expr:
    """The COPY that writes `query` to `path`."""
    tree = sql.template(_TEMPLATES[ending])
    tree.this.set("this", query)
    tree.set("files", [exp.Literal.string(str(path))])
    return tree


def read_statement(path: Path, ending: str, columns: Sequence[str] | None = None) -> exp.Select:
    """The query that reads a written release back; `columns` are those of its header where it is not written yet."""
    name, stand_in = _READ_BACK[ending]
    tree = sql.with_literal(sql.select(name), stand_in, literal_path(path))
    struct = tree.find(exp.Struct)
    if struct is not None:  # a CSV file: named here, since DuckDB trims the names it reads
        struct.set("expressions", text_columns(header_of(path, ending) if columns is None else columns))
    return tree


def header_of(path: Path, ending: str) -> list[str]:
    """The names of the columns of a written CSV release. Raises ReleaseFault if it cannot be read."""
    try:
        with path.open("rb") as file:
            plain = gzip.GzipFile(fileobj=file) if ending == ".csv.gz" else file
            return next(csv.reader(io.TextIOWrapper(plain, encoding="utf-8", newline="")), [])
    except (OSError, EOFError, UnicodeDecodeError, csv.Error):
        raise ReleaseFault(
            "the release cannot be read",
            where=str(path),
            next_step="It was moved, deleted or damaged after its release; run the request again.",
        ) from None


def check_target(path: Path, what: str = "release: to:") -> None:
    """Raises InputError if no file may be written to `path` at all: no regular file, a folder, an unusable name.

    `what`: the field of the request that names it.
    """
    around = next((each for each in path.parents if each.exists()), None)
    if around is not None and not around.is_dir():
        raise InputError(
            f"{around} is a file, not a folder", where=str(path), next_step=f"Give `{what}` a file in a folder."
        )
    for each in (path, manifest_of(path)):
        kind = _standing_kind(each)
        if kind not in (None, "file"):
            raise InputError(
                f"this is a {kind}, not a file", where=str(each), next_step=f"Give `{what}` the name of a file."
            )
    if "\\" in path.name or len(os.fsencode(path.name)) > LONGEST_NAME:
        raise InputError(
            f"the name of the file has a backslash or more than {LONGEST_NAME} bytes",
            where=str(path),
            next_step=f"Give `{what}` another name.",
        )


def standing(path: Path) -> Path | None:
    """The file that has the name of a release, or of its manifest; None where both names are free."""
    return next((each for each in (path, manifest_of(path)) if _standing_kind(each) is not None), None)


def refuse_standing(path: Path, instead: str) -> None:
    """Raises InputError where a file has the name of a release already, or that of its manifest.

    `instead` says what else can be done.
    """
    found = standing(path)
    if found is not None:
        raise InputError("there is a file of this name already", where=str(found), next_step=instead)


def _standing_kind(path: Path) -> str | None:
    """The kind of thing that has the name, links not followed; None where it is free. Raises InputError."""
    try:
        return kind_of_file(path.lstat().st_mode)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(
            f"the name cannot be looked up ({error.strerror or type(error).__name__})",
            where=str(path),
            next_step="Give a path that may be read.",
        ) from None


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cannot_write(path: Path, error: OSError) -> ReleaseFault:
    """The fault that an error of the file system becomes."""
    return ReleaseFault(
        f"the release cannot be written ({error.strerror or type(error).__name__})",
        where=str(path),
        next_step="Check that the folder is there, writable and has free space. Nothing was left half written.",
    )
