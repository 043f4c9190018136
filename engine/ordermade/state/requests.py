"""Requests in the state, started and then ended in one of three ways, and the runs that answer them.

A run is a request under way beside a state, with a locked folder, so that a killed one can be put in order. The folder
has a random name, which the request is noted with, and a journal: the private folders that the run has made elsewhere,
and once its release is decided, the names that the finished files are about to get. A process that takes the lock of
the folder knows that the run's own is gone, and goes by the journal.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordermade.errors import OrdermadeError, StateFault, UnknownName
from ordermade.private_files import (
    FOLDER_MODE,
    SPILL,
    OwnFolder,
    flush,
    is_alive,
    random_name,
    remove_abandoned,
    remove_if_abandoned,
    taken,
    write_private_file,
)
from ordermade.state.faults import state_fault
from ordermade.state.location import DEFAULT_PATH
from ordermade.state.records import (
    FinishedRequest,
    HistoryColumn,
    MicroaggregatedAttribute,
    RequestDetails,
    RequestedAttribute,
    RequestedModels,
    RequestRecord,
    SplitColumn,
    StartedRequest,
)
from ordermade.state.statements import WORKSHOP, new_id, require, rows, run, utc_now

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ordermade.state.database import StateFile

log = logging.getLogger("ordermade.requests")


def start(connection: DuckDBPyConnection, request: StartedRequest, ended: FinishedRequest | None = None) -> int:
    """Note that a request runs, until it ends or its run is found to be gone, or how it `ended` at once; its number."""
    outcome, now = ended or FinishedRequest("running"), utc_now()
    number = new_id(
        connection,
        "state/request_insert",
        title=request.title,
        request_hash=request.request_hash,
        engine_version=request.engine_version,
        dataset_name=request.dataset_name,
        dataset_version_id=request.dataset_version_id,
        filter=request.filter,
        k=request.k,
        algorithm=request.algorithm,
        objective=request.objective,
        shape=request.shape,
        target_path=request.target_path,
        target_table=request.target_table,
        suppression_limit=request.suppression_limit,
        suppressed=request.suppressed,
        recoding=request.recoding,
        risk=request.risk,
        weights=request.weights,
        entity_column=request.entity_column,
        method=request.method,
        options=request.options,
        run=request.run,
        request=request.text,
        started_at=now,
        status=outcome.status,
        reason=outcome.reason,
        finished_at=None if ended is None else now,
        nodes_measured=outcome.nodes_measured,
        seconds=outcome.seconds,
    )
    _note_columns(connection, number, request)
    log.info("request started", extra={"event": "request started", "request": number})
    return number


def _note_columns(connection: DuckDBPyConnection, number: int, request: StartedRequest) -> None:
    """Notes the columns of a request in their order: every list of them has a table of its own."""
    _note(
        connection,
        "state/request_quasi_identifiers_insert",
        number,
        column_name=[each.column for each in request.quasi_identifiers],
        hierarchy_name=[each.hierarchy for each in request.quasi_identifiers],
        hierarchy_hash=[each.hierarchy_hash for each in request.quasi_identifiers],
        from_level=[each.from_level for each in request.quasi_identifiers],
        to_level=[each.to_level for each in request.quasi_identifiers],
    )
    for role, columns in (("identifier", request.identifiers), ("keep", request.keep)):
        _note(connection, "state/request_columns_insert", number, role=role, column_name=list(columns))
    _note(
        connection,
        "state/request_sensitive_insert",
        number,
        column_name=[each.column for each in request.sensitive],
        models=[each.models for each in request.sensitive],
    )
    _note(
        connection,
        "state/request_attributes_insert",
        number,
        column_name=[each.column for each in request.attributes],
        weight=[each.weight for each in request.attributes],
        hierarchy_name=[each.hierarchy for each in request.attributes],
        hierarchy_hash=[each.hierarchy_hash for each in request.attributes],
        aggregate=[each.aggregate for each in request.attributes],
    )
    _note(
        connection,
        "state/request_splits_insert",
        number,
        column_name=[each.column for each in request.splits],
        kind=[each.kind for each in request.splits],
        hierarchy_name=[each.hierarchy for each in request.splits],
        hierarchy_hash=[each.hierarchy_hash for each in request.splits],
        finest_level=[each.finest for each in request.splits],
    )
    _note(
        connection,
        "state/request_history_insert",
        number,
        column_name=[each.column for each in request.history],
        role=[each.role for each in request.history],
        unit=[each.unit for each in request.history],
        sort_place=[each.sort_place for each in request.history],
        taxonomy_file=[each.taxonomy for each in request.history],
        taxonomy_hash=[each.taxonomy_hash for each in request.history],
        taxonomy_level=[each.level for each in request.history],
    )


def _note(
    connection: DuckDBPyConnection, statement: str, number: int, *, column_name: Sequence[str], **of_columns: object
) -> None:
    """Notes columns of a request with what is known of them, one place a column; nothing where there are none."""
    if column_name:
        places = list(range(len(column_name)))
        run(connection, statement, request_id=number, position=places, column_name=column_name, **of_columns)


def finish(connection: DuckDBPyConnection, number: int, outcome: FinishedRequest) -> None:
    """Note how a request ended. Raises KeyError for no such request, ValueError for an unknown status."""
    if outcome.status not in ("released", "refused", "failed"):
        raise ValueError(f"a request does not end as {outcome.status!r}")
    if not rows(connection, "state/request_by_id", id=number):
        raise KeyError(number)
    run(
        connection,
        "state/request_finish",
        id=number,
        status=outcome.status,
        reason=outcome.reason,
        dataset_version_id=outcome.dataset_version_id,
        finished_at=utc_now(),
        nodes_in_lattice=outcome.nodes_in_lattice,
        nodes_measured=outcome.nodes_measured,
        divisions_measured=outcome.divisions_measured,
        source_queries=outcome.source_queries,
        version_queries=outcome.version_queries,
        coverage_queries=outcome.coverage_queries,
        release_queries=outcome.release_queries,
        seconds=outcome.seconds,
    )
    log.info("request ended", extra={"event": "request ended", "request": number, "seconds": outcome.seconds})
    if outcome.chosen:
        run(
            connection,
            "state/request_level_chosen",
            request_id=number,
            column_name=list(outcome.chosen),
            level=[level for level, _ in outcome.chosen.values()],
            level_name=[level_name for _, level_name in outcome.chosen.values()],
        )


def interrupt(connection: DuckDBPyConnection, alive: Collection[str]) -> None:
    """Note that running requests are interrupted, except those of the runs that are `alive`."""
    _interrupt(connection, [int(row[0]) for row in rows(connection, "state/requests_left", alive=list(alive))])


def interrupt_run(connection: DuckDBPyConnection, name: str) -> None:
    """Note that the request of a run is interrupted, if it is still running."""
    _interrupt(connection, [int(row[0]) for row in rows(connection, "state/request_of_run", run=name)])


def _interrupt(connection: DuckDBPyConnection, numbers: list[int]) -> None:
    if numbers:
        run(connection, "state/requests_interrupted", id=numbers, interrupted_at=utc_now())


def text_of(connection: DuckDBPyConnection, number: int) -> str | None:
    """A request as canonical JSON; None where it was noted before requests were kept whole. Raises UnknownName."""
    found = rows(connection, "state/request_text", id=number)
    if not found:
        raise UnknownName("request", str(number), next_step="`ordermade request list` shows them.")
    return None if found[0][0] is None else str(found[0][0])


def of_run(connection: DuckDBPyConnection, name: str) -> tuple[int, str] | None:
    """The number and the status of the request of a run; None where it noted none."""
    return next(((int(row[0]), str(row[1])) for row in rows(connection, "state/request_of_run", run=name)), None)


def withdraw(connection: DuckDBPyConnection, number: int, reason: str) -> None:
    """Note that a request failed after all: its release never got its name."""
    run(connection, "state/request_withdrawn", id=number, reason=reason)


def listed(
    connection: DuckDBPyConnection, most: int | None = None, *, request_hash: str | None = None
) -> tuple[RequestRecord, ...]:
    """The requests, the latest first: `most` of them at most, of this hash if one is given."""
    return tuple(
        RequestRecord(*row) for row in rows(connection, "state/requests", request_hash=request_hash, most=most)
    )


def count(connection: DuckDBPyConnection) -> int:
    """The number of requests on record."""
    return int(rows(connection, "state/request_count")[0][0])


def covering(connection: DuckDBPyConnection, version_id: int) -> frozenset[tuple[str, str]]:
    """(column, content hash) of the hierarchies that a request found to cover a column of this dataset version."""
    found = rows(connection, "state/hierarchies_covering", dataset_version_id=version_id)
    return frozenset((str(column), str(content_hash)) for column, content_hash in found)


def get(connection: DuckDBPyConnection, number: int) -> RequestDetails:
    """A request with its columns. Raises UnknownName."""
    found = rows(connection, "state/request_by_id", id=number)
    if not found:
        raise UnknownName("request", str(number), next_step="`ordermade request list` shows them.")
    quasi_identifiers = rows(connection, "state/request_quasi_identifiers", request_id=number)
    columns = rows(connection, "state/request_columns", request_id=number)
    sensitive = rows(connection, "state/request_sensitive", request_id=number)
    attributes = rows(connection, "state/request_attributes", request_id=number)
    splits = rows(connection, "state/request_splits", request_id=number)
    history = rows(connection, "state/request_history", request_id=number)
    return RequestDetails(
        request=RequestRecord(*found[0]),
        quasi_identifiers=tuple(RequestedAttribute(*row) for row in quasi_identifiers),
        identifiers=tuple(str(column) for role, column in columns if role == "identifier"),
        keep=tuple(str(column) for role, column in columns if role == "keep"),
        sensitive=tuple(RequestedModels(*row) for row in sensitive),
        attributes=tuple(MicroaggregatedAttribute(*row) for row in attributes),
        splits=tuple(SplitColumn(*row) for row in splits),
        history=tuple(HistoryColumn(*row) for row in history),
    )


RUNS = "runs"
_JOURNAL = "journal.json"


@dataclass(frozen=True, slots=True)
class Move:
    """A finished file on its way to its name; without `replace` it takes no other's place."""

    made: str
    name: str
    replace: bool


@dataclass(frozen=True, slots=True)
class SourceCommit:
    """A table about to be committed: at `location` (`${ENV}` kept), called `table`, with `mark` in its comment.

    `kind` of source; `schema` of the table on a server.
    """

    location: str
    table: str
    mark: str
    kind: str = "duckdb"
    schema: str = ""


@dataclass(frozen=True, slots=True)
class MadeTable:
    """A table that the run makes on a server that commits every step by itself, under the private name `made`.

    `gone` is the private name of the one whose place it takes as `table`. `location` as the source was registered,
    without a password.
    """

    kind: str
    location: str
    schema: str
    table: str
    made: str
    gone: str


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal of a run: private `folders` and `tables`; once it is decided, `moves` in order or a `commit`."""

    folders: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()
    commit: SourceCommit | None = None
    tables: tuple[MadeTable, ...] = ()


def runs_folder(state: Path) -> Path:
    """Where the runs of a state are: beside it."""
    return state.with_name(RUNS if state.name == DEFAULT_PATH.name else f"{state.stem}.{RUNS}")


@dataclass(slots=True)
class Run:
    """A request under way on the state at `state`; it has no folder until it begins.

    `closing`: all that is to be closed or removed when the run ends, however it ends. `replaces`: whether its release
    may take the place of what has its name. `stays`: its journal is left to the next command, which does what is left.
    """

    state: Path
    replaces: bool = False
    stays: bool = False
    closing: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _folder: OwnFolder | None = None
    _journal: Journal = field(default_factory=Journal)

    @property
    def name(self) -> str | None:
        """The name of the run; None until it begins."""
        return None if self._folder is None else self._folder.path.name

    def begin(self) -> None:
        """Makes the folder of the run, locked until it ends. Raises StateFault."""
        folder = runs_folder(self.state)
        while self._folder is None:
            try:
                folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
                self._folder = OwnFolder.made(folder / random_name(""))
            except FileNotFoundError:  # the last run that ended took it away; without a state there is no place for it
                require(self.state)
            except OSError as error:
                raise state_fault(error, folder, "folder of runs") from error

    def end(self) -> None:
        """Closes and removes all that the run has made on its way, its own folder last."""
        try:
            self.closing.close()
        finally:
            if self._folder is not None:
                if self.stays:
                    self._folder.leave()
                else:
                    self._folder.remove()
                self._folder = None
                _remove_if_empty(runs_folder(self.state))

    def workshop(self, parent: Path) -> Path:
        """A private folder in `parent` for files to be made in, gone when the run ends. Raises OSError, StateFault."""
        there = next((each for each in map(Path, self._journal.folders) if each.parent == parent), None)
        if there is not None:
            return there
        remove_abandoned(parent, WORKSHOP)
        path = parent / random_name(WORKSHOP)
        self._note(replace(self._journal, folders=(*self._journal.folders, str(path))))
        folder = OwnFolder.made(path)
        self.closing.callback(folder.remove)
        return path

    def make_table(self, table: MadeTable) -> None:
        """Notes a table before it is made on a server. Raises StateFault."""
        self._note(replace(self._journal, tables=(*self._journal.tables, table)))

    def decide(self, moves: tuple[Move, ...], commit: SourceCommit | None) -> None:
        """Notes the last steps of a release, before the state records it. Raises StateFault."""
        self._note(replace(self._journal, moves=moves, commit=commit))

    def _note(self, journal: Journal) -> None:
        self._journal = journal
        if self._folder is None:
            return
        path = self._folder.path / _JOURNAL
        beside = path.with_suffix(".new")
        try:
            beside.unlink(missing_ok=True)
            write_private_file(beside, json.dumps(asdict(journal)))
            beside.replace(path)
            flush(path.parent)
        except OSError as error:
            raise state_fault(error, path, "journal of the run") from error


def alive(state: Path) -> frozenset[str]:
    """The names of the runs whose processes live."""
    return frozenset(each.name for each in _folders(state) if is_alive(each))


@dataclass(frozen=True, slots=True)
class AbandonedRun:
    """A run whose process is gone, locked by this process while it is put in order."""

    name: str
    journal: Journal

    def remove_folders(self) -> bool:
        """Removes the private folders that the run has made elsewhere; whether all are gone."""
        gone = [remove_if_abandoned(Path(each)) for each in self.journal.folders]
        return all(gone)


@contextlib.contextmanager
def abandoned(folder: Path) -> Iterator[AbandonedRun | None]:
    """The run of a folder if its process is gone, None if it lives; the folder goes where the block leaves it at that.

    The folder stays if the block raises, for the next process to try.
    """
    lock = taken(folder)
    if lock is None:
        yield None
        return
    try:
        yield AbandonedRun(folder.name, _read(folder / _JOURNAL))
    except BaseException:
        os.close(lock)
        raise
    OwnFolder(folder, lock).remove()
    _remove_if_empty(folder.parent)


def run_folders(state: Path) -> tuple[Path, ...]:
    """The folders of the runs of a state, alive or not."""
    return tuple(_folders(state))


def recovered(file: StateFile, put_in_order: Callable[[StateFile, AbandonedRun], None]) -> StateFile:
    """The state, not opened yet; what killed processes left on this machine and beside it is gone.

    `put_in_order` ends a run. Where it cannot now, a notice says why, and the next command tries again.
    """
    remove_abandoned(Path(tempfile.gettempdir()), SPILL)
    remove_abandoned(file.path.parent, WORKSHOP)
    for folder in run_folders(file.path):
        try:
            with abandoned(folder) as run:
                if run is not None:
                    put_in_order(file, run)
        except OrdermadeError as error:
            if file.notice is not None:
                file.notice(f"an interrupted request could not be put in order: {error.message}")
    return file


def _remove_if_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):  # another run has its folder there
        folder.rmdir()


def _folders(state: Path) -> list[Path]:
    try:
        with os.scandir(runs_folder(state)) as entries:
            return sorted(Path(each.path) for each in entries if each.is_dir(follow_symlinks=False))
    except OSError:  # no request was ever run on this state, or none is under way
        return []


def _read(path: Path) -> Journal:
    """The journal; an empty one where the process was killed before it wrote one. Raises StateFault."""
    try:
        noted: Any = json.loads(path.read_text(encoding="utf-8"))
        return Journal(
            tuple(str(each) for each in noted["folders"]),
            tuple(Move(**each) for each in noted["moves"]),
            None if noted["commit"] is None else SourceCommit(**noted["commit"]),
            tuple(MadeTable(**each) for each in noted.get("tables", ())),
        )
    except FileNotFoundError:
        return Journal()
    except (OSError, ValueError, KeyError, TypeError):
        raise StateFault(
            "the journal of an interrupted request cannot be read",
            where=str(path),
            next_step="Remove its folder once you have looked at what is in it.",
        ) from None
