"""A release as a file, and the manifest beside it: staged privately, written, read back, given its name.

The file that is measured, the file that is hashed and the file that gets the name are one: same device, same inode, and
not written to in between. The manifest has the request, the measured figures, and the SQL that made the release.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import hashlib
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import duckdb
from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, OrdermadeError, ReleaseFault
from ordermade.files.private import FILE_MODE, FOLDER_MODE, kind_of_file, new_private_file, same_file
from ordermade.files.yaml_documents import json_content
from ordermade.machine.exhaustion import exhausted
from ordermade.release.workbooks import WorkbookFormat
from ordermade.sources.csv_format import is_quoted_after_mark, text_columns, without_mark
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.parquet_format import literal_path
from ordermade.sources.spill_folder import SpillFolder
from ordermade.state.runs import FileMove, Run

if TYPE_CHECKING:
    import pandas
    import pyarrow as pa

Rows = TypeVar("Rows")

_TEMPLATES = {
    ".parquet": "release/files/write_parquet",
    ".csv": "release/files/write_csv",
    ".csv.gz": "release/files/write_csv_gz",
}
_MARKED = {".csv": "release/files/write_marked_csv", ".csv.gz": "release/files/write_marked_csv_gz"}
MARK = "\ufeff"
"""The byte order mark, with which a file of UTF-8 may begin."""
_READ_BACK = {
    ".parquet": ("release/files/written_parquet", "stand_in.parquet"),
    ".csv": ("release/files/written_csv", "stand_in.csv"),
    ".csv.gz": ("release/files/written_csv_gz", "stand_in.csv.gz"),
    ".xlsx": ("release/files/written_parquet", "stand_in.parquet"),
}
MANIFEST = ".manifest.json"
LONGEST_NAME = 200


def ending_of(path: Path) -> str:
    """`.parquet`, `.csv`, `.csv.gz` or `.xlsx`."""
    return next(
        ending for ending in (".csv.gz", ".parquet", ".csv", ".xlsx") if path.name.rstrip().lower().endswith(ending)
    )


def manifest_of(path: Path) -> Path:
    """Where the manifest of a release stands: beside it."""
    return path.with_name(path.name + MANIFEST)


def write_statement(query: exp.Query, path: Path, ending: str, *, has_mark: bool = False) -> exp.Expr:
    """The COPY that writes `query` to `path`; of a workbook, which no statement writes, `query` itself.

    `has_mark`: a CSV file begins with a byte order mark.
    """
    if ending not in _TEMPLATES:
        return query
    tree = sql.template((_MARKED if has_mark else _TEMPLATES)[ending])
    tree.this.set("this", query)
    tree.set("files", [exp.Literal.string(str(path))])
    if has_mark:
        tree = sql.with_literal(tree, "stand_in_names", exp.Literal.string(MARK + _line(query.named_selects)))
        tree = sql.with_literal(tree, "stand_in_end", exp.Literal.string("\n"))
    return tree


def _line(names: Sequence[str]) -> str:
    """The first line of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(names)
    return text.getvalue()


def read_statement(path: Path, ending: str, columns: Sequence[str] | None = None) -> exp.Select:
    """The query that reads a written release back; `columns` are those of its header where it is not written yet.

    Of a workbook `path` is the Parquet file that its cells were read into.
    """
    name, stand_in = _READ_BACK[ending]
    files = literal_path(path)
    if path.is_dir():
        files = exp.Literal.string(f"{files.name}/*{ending}")
    tree = sql.with_literal(sql.select(name), stand_in, files)
    struct = tree.find(exp.Struct)
    if struct is not None:  # a CSV file: named here, since DuckDB trims the names it reads
        struct.set("expressions", text_columns(header_of(path, ending) if columns is None else columns))
    return tree


def header_of(path: Path, ending: str) -> list[str]:
    """The names of the columns of a written CSV release. Raises ReleaseFault if it cannot be read."""
    try:
        with path.open("rb") as file:
            plain = gzip.GzipFile(fileobj=file) if ending == ".csv.gz" else file
            return next(csv.reader(io.TextIOWrapper(plain, encoding="utf-8-sig", newline="")), [])
    except (OSError, EOFError, UnicodeDecodeError, csv.Error):
        raise _unreadable(path) from None


def _unreadable(path: Path) -> ReleaseFault:
    return ReleaseFault(
        "the release cannot be read",
        where=str(path),
        next_step="It was moved, deleted or damaged after its release; run the request again.",
    )


def check_target(path: Path, what: str = "release: to:", *, kind: str = "file") -> None:
    """Raises InputError if no file may be written to `path` at all: no regular file, a folder, an unusable name.

    `what`: the field of the request that names it. `kind`: `folder` where the release is one, which then takes the
    place of another release alone.
    """
    around = next((each for each in path.parents if each.exists()), None)
    if around is not None and not around.is_dir():
        raise InputError(
            f"{around} is a file, not a folder", where=str(path), next_step=f"Give `{what}` a file in a folder."
        )
    for each, wanted in ((path, kind), (manifest_of(path), "file")):
        found = _standing_kind(each)
        if found not in (None, wanted):
            raise InputError(
                f"this is a {found}, not a {wanted}", where=str(each), next_step=f"Give `{what}` the name of a {kind}."
            )
    if kind == "folder" and path.exists() and not manifest_of(path).exists():
        raise InputError(
            "this folder is no release: it has no manifest beside it",
            where=str(path),
            next_step=f"Give `{what}` another name.",
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


_DATED = re.compile(r"-\d{4}-\d\d-\d\d(?:-\d+)?$")


def free_beside(path: Path, day: date) -> Path:
    """A free name beside a release that stands: `members-2026-11-28.csv`, with a number after it where that is taken.

    The day takes the place of the one that the name has already.
    """
    ending = ending_of(path)
    stem = f"{_DATED.sub('', path.name[: len(path.name) - len(ending)])}-{day:%Y-%m-%d}"
    names = (f"{stem}{number}{ending}" for number in chain(("",), (f"-{each}" for each in count(2))))
    return next(found for found in map(path.with_name, names) if standing(found) is None)


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


def cannot_write(path: Path, error: OSError) -> ReleaseFault:
    """The fault that an error of the file system becomes."""
    short = exhausted(error)
    return ReleaseFault(
        f"the release cannot be written ({error.strerror or type(error).__name__})",
        where=str(path),
        next_step="Check that the folder is there, writable and has free space. Nothing was left half written."
        if short is None
        else short.next_step,
    )


_BLOCK = 1 << 20
_READ_BY_OTHERS = 0o044


class ReleaseFormat(Protocol):
    """A format of released files."""

    def require_installed(self, where: str) -> None:
        """Raises ReleaseFault where a package that it needs is not installed."""

    def require_fits(self, executor: Executor, query: exp.Query, where: str) -> None:
        """Raises InputError where the answer of a query has what a file of this format cannot hold."""

    def write(self, executor: Executor, query: exp.Query, path: Path) -> None:
        """Writes the answer of a query as the file `path`, which exists and is empty. Raises ReleaseFault."""

    def readable(self, path: Path, folder: Path) -> Path:
        """The file that `read_statement` reads instead of a written one: itself, or one made in a private folder."""

    def typed(self, path: Path, folder: Path) -> Path:
        """The same, of the types that the file shows."""


class _Copied:
    """Parquet and CSV files, which DuckDB writes and reads where they are."""

    def __init__(self, ending: str, *, has_mark: bool) -> None:
        self._ending, self._has_mark = ending, has_mark

    def require_installed(self, where: str) -> None:
        """Nothing is needed."""

    def require_fits(self, executor: Executor, query: exp.Query, where: str) -> None:
        """Whatever they do not hold is refused by its type, before anything is counted."""

    def write(self, executor: Executor, query: exp.Query, path: Path) -> None:
        """Writes the answer with one COPY, as its rows come: collected first, 100,000,000 would not fit in memory."""
        executor.stream(Purpose.RELEASE, write_statement(query, path, self._ending, has_mark=self._has_mark))

    def readable(self, path: Path, folder: Path) -> Path:
        """The file itself, unless DuckDB misreads its first line: then a copy without the byte order mark."""
        if self._ending not in _MARKED:
            return path
        try:
            return without_mark(path, folder) if is_quoted_after_mark(path) else path
        except (OSError, EOFError):
            raise _unreadable(path) from None

    def typed(self, path: Path, folder: Path) -> Path:
        """The same: columns of a CSV file are texts."""
        return self.readable(path, folder)


def format_of(ending: str, *, has_mark: bool = False) -> ReleaseFormat:
    """The format of released files of an ending. `has_mark`: CSV files begin with a byte order mark."""
    if ending != ".xlsx":
        return _Copied(ending, has_mark=has_mark)

    return WorkbookFormat()


def read_frame(path: Path) -> pandas.DataFrame:
    """The release at `path`; columns of a CSV release are texts. Raises ReleaseFault if it cannot be read."""
    frame: pandas.DataFrame = _read(path, lambda answer: answer.df())
    return frame


def read_rows(path: Path) -> pa.Table:
    """The same as a table of Arrow. Raises ReleaseFault."""
    return _read(path, lambda answer: answer.to_arrow_table())


def _read(path: Path, rows: Callable[[duckdb.DuckDBPyRelation], Rows]) -> Rows:
    ending = ending_of(path)
    with SpillFolder() as spill, duckdb.connect() as connection:
        statement = sql.text(read_statement(format_of(ending).typed(path, spill.path), ending))
        try:
            return rows(connection.sql(statement))
        except duckdb.Error as error:
            raise ReleaseFault(
                f"the release cannot be read ({type(error).__name__})",
                where=str(path),
                next_step="It was moved, deleted or damaged after its release; run the request again.",
            ) from None


@dataclass(slots=True)
class StagedFile:
    """A file of a release at `path`, in a private folder beside the `target` whose name it is about to get.

    `within`: the same by the descriptor of the folder. At its path another user, who may rename in the folder of the
    target, could put a file of their own, to which the rows would be written. `mode`: that of the published file; until
    then it is readable by its owner alone.
    """

    target: Path
    path: Path
    within: Path
    mode: int
    _descriptor: int
    kind: ClassVar[str] = "file"
    _seen: os.stat_result | None = field(default=None)

    @classmethod
    def made(cls, run: Run, target: Path, mode: int = FILE_MODE) -> StagedFile:
        """A new, empty file, removed when the run ends. Raises ReleaseFault where the folder cannot be written."""
        try:
            make_folders(target.parent, mode)
            workshop = run.workshop(target.parent)
            within = workshop.through / target.name
            descriptor = new_private_file(within)
        except OSError as error:
            raise cannot_write(target, error) from None
        run.closing.callback(os.close, descriptor)
        if not workshop.has_made(descriptor):
            raise _taken_place("folder", target)
        return cls(target, workshop.path / target.name, within, mode, descriptor)

    @classmethod
    def with_text(cls, run: Run, target: Path, text: str, mode: int = FILE_MODE) -> StagedFile:
        """A finished file of this text. Raises ReleaseFault."""
        staged = cls.made(run, target, mode)
        try:
            with os.fdopen(os.dup(staged._descriptor), "w", encoding="utf-8", newline="") as file:
                file.write(text)
        except OSError as error:
            raise cannot_write(target, error) from None
        staged.finish()
        return staged

    @contextlib.contextmanager
    def written(self) -> Iterator[Path]:
        """Where the block writes the file. Raises ReleaseFault where its folder or itself was moved meanwhile."""
        try:
            yield self.within
        except OrdermadeError:
            self._look()  # that it was moved is why
            raise
        self.finish()

    def finish(self) -> None:
        """Notes the file as it was written; from now on it must stay so. Raises ReleaseFault."""
        self._seen = self._look()

    def sha256(self) -> str:
        """The SHA-256 of the finished file, in hexadecimal. Raises ReleaseFault if it is not as it was written."""
        found = hashlib.sha256()
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        while block := os.read(self._descriptor, _BLOCK):
            found.update(block)
        self.require_untouched()
        return found.hexdigest()

    def require_untouched(self) -> None:
        """Raises ReleaseFault unless the file under its path is the one that was written, and as it was written."""
        now, then = self._look(), self._seen
        if (
            then is None
            or not same_file(now, then)
            or (now.st_size, now.st_mtime_ns) != (then.st_size, then.st_mtime_ns)
        ):
            raise ReleaseFault(
                "the file changed after it was written, so nothing was released",
                where=str(self.target),
                next_step="Something else writes into that folder: release to another one.",
            )

    def seal(self) -> None:
        """Gives the file its mode and brings it to the disk. Raises ReleaseFault."""
        self.require_untouched()
        try:
            os.fchmod(self._descriptor, self.mode)
            os.fsync(self._descriptor)
        except OSError as error:
            raise cannot_write(self.target, error) from None

    def move(self, *, replace: bool) -> FileMove:
        """The last step of the file, for the journal."""
        return FileMove(str(self.path), str(self.target), replace)

    def _look(self) -> os.stat_result:
        try:
            named, opened = self.path.lstat(), os.fstat(self._descriptor)
        except OSError as error:
            raise cannot_write(self.target, error) from None
        if not same_file(named, opened):
            raise _taken_place("file", self.target)
        return opened


def _taken_place(kind: str, target: Path) -> ReleaseFault:
    return ReleaseFault(
        f"another {kind} took the place of the one that was made, so nothing was released",
        where=str(target),
        next_step="Something else writes into that folder: release to another one.",
    )


def make_folders(folder: Path, mode: int) -> None:
    """Makes the folder of a release; folders that are made let in whom the release is for, whatever the umask."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(exist_ok=True)
        # A user who may read the file must be able to reach it.
        reading = mode & _READ_BY_OTHERS
        each.chmod(FOLDER_MODE | reading | reading >> 2)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The fields of a manifest. Counts, levels, names of columns and hashes; the request is the user's own words.

    `k`, `classes` and `persons` are of the rows released unchanged, in the units that the manifest `counts` (rows or
    persons); `rows` are those of the file; `star_rows` of the dataset were suppressed and stay as `*`.
    `method_summary`: the method's own fields, by the names that stand in the manifest. `sensitive`: columns, their
    models in words and by name and parameters, and the figure of each in the worst class. `risk`: prosecutor,
    journalist, marketer.
    `formulas`: `keep` or `escape`, None where the file is no CSV. `dataset_version`: its `proof` is `rows` (each was
    hashed), `snapshot` (the server's shows that nothing was written since), `query` or `fingerprint`; with
    `vouched_by`, the SHA-256 of the provider's query, where one vouches for it.
    `row_level_security`, left out where there are none: the tables of which the server shows the role some rows, which
    alone were counted.
    """

    engine_version: str
    released_at: str
    request: Mapping[str, Any]
    request_id: int
    dataset: str
    dataset_version: Mapping[str, int | str]
    method: str
    method_summary: Mapping[str, Any]
    sensitive: Sequence[Mapping[str, Any]]
    kept: Sequence[str]
    pseudonym: str | None
    shape: str
    formulas: str | None
    counts: str
    k: int
    classes: int
    rows: int
    persons: int | None
    suppressed_rows: int
    suppressed_persons: int | None
    star_rows: int
    risk: Mapping[str, float]
    loss: Mapping[str, Any]
    sha256: str
    sql: Sequence[str]
    row_level_security: Sequence[str] = ()

    def text(self) -> str:
        """The manifest as JSON; the fields of the method stand after its name, before the long list of statements."""
        fields: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name != "row_level_security" or value:
                fields |= value if name == "method_summary" else {name: value}
        return manifest_text(fields)


def manifest_text(content: Mapping[str, Any]) -> str:
    """The text of a manifest."""
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest beside a release. Raises ReleaseFault if it is missing or cannot be read."""
    note = manifest_of(path)
    try:
        content = json_content(note.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise ReleaseFault(
            "the manifest is missing or damaged", where=str(note), next_step="Run the request again."
        ) from None
    if not isinstance(content, dict):
        raise ReleaseFault("the manifest is damaged", where=str(note), next_step="Run the request again.")
    return content
