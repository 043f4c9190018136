"""A release as a file: written beside its name, flushed, and renamed only when it has been measured."""

from __future__ import annotations

import contextlib
import csv
import glob
import gzip
import hashlib
import io
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, ReleaseFault
from ordermade.processes import process_is_alive
from ordermade.sources.csv_format import literal_path, text_columns

_TEMPLATES = {".parquet": "write_parquet", ".csv": "write_csv", ".csv.gz": "write_csv_gz"}
_READ_BACK = {
    ".parquet": ("written_parquet", "stand_in.parquet"),
    ".csv": ("written_csv", "stand_in.csv"),
    ".csv.gz": ("written_csv_gz", "stand_in.csv.gz"),
}
MANIFEST = ".manifest.json"
LONGEST_NAME = 200
PRIVATE = 0o600
"""What is not measured yet is nobody's but its owner's."""


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


def check_target(path: Path) -> None:
    """Raises InputError if a release may not be written to `path`: a folder, or a file the engine did not write."""
    around = next((each for each in path.absolute().parents if each.exists()), None)
    if path.is_dir() or (around is not None and not around.is_dir()):
        what = "this is a folder" if path.is_dir() else f"{around} is a file, not a folder"
        raise InputError(what, where=str(path), next_step="Give `release: to:` the name of a file in a folder.")
    if "\\" in path.name or len(os.fsencode(path.name)) > LONGEST_NAME:
        raise InputError(
            f"the name of the file has a backslash or more than {LONGEST_NAME} bytes",
            where=str(path),
            next_step="Give `release: to:` another name.",
        )
    stands = manifest_of(path)
    if (path.exists() and not _is_release(path)) or (stands.exists() and not _noted_hashes(stands)):
        raise InputError(
            "there is a file already, of this name or its manifest's, that is not a release of ordermade",
            where=str(path),
            next_step="Move it away, or give `release: to:` another name.",
        )


def _noted_hashes(manifest: Path) -> list[str]:
    """The hashes of the files that a manifest may stand beside; empty if it is no manifest of ordermade."""
    try:
        noted = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    if not isinstance(noted, dict) or "engine_version" not in noted:
        return []
    return [each for each in (noted.get("sha256"), noted.get("replaced_sha256")) if isinstance(each, str)]


def _is_release(path: Path) -> bool:
    """Whether the manifest beside a file is its own, or that of the release about to replace it."""
    try:
        return sha256_of(path) in _noted_hashes(manifest_of(path))
    except OSError:
        return False


@contextlib.contextmanager
def partial(path: Path) -> Iterator[Path]:
    """A name beside `path` to write to; whatever is left there at the end is removed.

    It is readable by its owner only until it is published. Names that a killed process left behind are removed first.
    Raises ReleaseFault if the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_left_behind(path)
        beside = path.with_name(f".{path.name}.{os.getpid()}.partial")
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE))
    except OSError as error:
        raise cannot_write(path, error) from None
    try:
        yield beside
    finally:
        beside.unlink(missing_ok=True)


def publish(beside: Path, path: Path, manifest: str, *, private: bool = False) -> None:
    """Gives a flushed, measured file its name, its manifest first.

    Both are for others to read, as any new file there is; `private`: for their owner alone. Raises ReleaseFault.
    """
    note = beside.with_name(beside.name + MANIFEST)
    try:
        if private:
            note.touch(PRIVATE)
        note.write_text(manifest, encoding="utf-8")
        beside.chmod(note.stat().st_mode)
        _flush(note)
        _flush(beside)
        with _alone_in(path.parent):
            note.replace(manifest_of(path))
            beside.replace(path)
            _flush(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from None
    finally:
        note.unlink(missing_ok=True)


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


def _remove_left_behind(path: Path) -> None:
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.partial*"):
        owner = left.name.removeprefix(f".{path.name}.").split(".", 1)[0]
        if owner.isdigit() and not process_is_alive(int(owner)):
            left.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Holds the folder's lock, so that the manifest and the file of one release are never another's."""
    try:
        import fcntl
    except ImportError:  # not a POSIX system: renames stay atomic one by one
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
