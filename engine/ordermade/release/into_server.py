"""A release into a table of a server: made under a private name, read back and measured there, then given its name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ordermade.counting.dataset import Version, Versioning
from ordermade.errors import InputError, OrdermadeError, ReleaseFault, SourceChanged, SourceFault, Undecided
from ordermade.files.private import random_name
from ordermade.release.files import read_statement
from ordermade.release.into_source import INSTEAD, MARK, check_version, refuse_taken
from ordermade.release.measure import ExpectedRelease, ReadingPlan, check_measured, measured_table
from ordermade.sources.limits import Limits
from ordermade.sources.open import open_writer
from ordermade.sources.server import Lost
from ordermade.sources.server_writer import NewTable, ServerWriter
from ordermade.state.runs import MadeTable, Run, SourceCommit

PRIVATE = "ordermade_"
"""The prefix of private tables."""


@dataclass(frozen=True, slots=True)
class IntoServer:
    """The target of a release on a server: a staged Parquet file into `schema.table` at `location` (`${ENV}` kept).

    `reading` says how the table is measured, `versioning` and `version` what the dataset must still be. An
    earlier release of that name goes where the `run` replaces it.
    """

    kind: str
    location: str
    schema: str
    table: str
    staged: Path
    reading: ReadingPlan
    versioning: Versioning
    version: Version
    run: Run

    @property
    def mark(self) -> str:
        """The comment of the table."""
        return f"{MARK} {self.run.name}"

    @property
    def commit(self) -> SourceCommit:
        """The entry of the journal."""
        return SourceCommit(self.location, self.table, self.mark, self.kind, self.schema)


@contextlib.contextmanager
def server_table_written(plan: IntoServer, expected: ExpectedRelease, limits: Limits) -> Iterator[Callable[[], None]]:
    """Writes and measures the table on a connection of its own; what is given makes it everybody's.

    Nothing stays without that. Raises SourceChanged if the dataset is another by now, InputError if the name is taken,
    ReleaseFault if the table cannot be written or does not measure as it must.
    """
    work = _Work(plan, limits)
    try:
        with _as_release_fault(plan.location):
            work.write(expected)
        yield work.publish
    finally:
        work.end()


class _Work:
    """The work on one table, from the connection to its name."""

    def __init__(self, plan: IntoServer, limits: Limits) -> None:
        self._plan = plan
        self._limits = replace(limits, writes=(plan.staged.parent,))
        names = random_name(PRIVATE), random_name(PRIVATE)
        self._new = NewTable(plan.schema, plan.table, *names, mark=plan.mark)
        self._writer: ServerWriter | None = None
        self._is_made = False
        self._is_done = False

    def write(self, expected: ExpectedRelease) -> None:
        plan = self._plan
        self._writer = writer = open_writer(plan.location, plan.kind, limits=self._limits)
        writer.hold(plan.run.name or "")
        marks = writer.marks(plan.schema, plan.table)
        refuse_taken(marks, f"{plan.schema}.{plan.table}", replaces=plan.run.replaces, instead=INSTEAD)
        new = self._new = NewTable(
            plan.schema, plan.table, self._new.made, self._new.gone, plan.mark, next(iter(marks), None)
        )
        if writer.commits_every_step:
            plan.run.make_table(
                MadeTable(plan.kind, plan.location, new.schema, new.table, made=new.made, gone=new.gone)
            )
            self._is_made = True
        made = writer.make(new, read_statement(plan.staged, ".parquet"))
        found = measured_table(writer, made.reference, plan.reading)
        check_measured(found, expected, where=f"table {plan.schema}.{plan.table}")
        check_version(writer.executor, plan.versioning, plan.version)
        writer.prepare(new)

    def publish(self) -> None:
        """Gives the table its name. Raises Undecided where the server does not say whether it has it."""
        if self._writer is None:
            raise ReleaseFault("the release was not written", where=self._plan.location)
        try:
            with _as_release_fault(self._plan.location):
                is_all = self._writer.publish(self._new)
        except BaseException as error:
            if not self._has_its_name(error):
                raise
            is_all = False
        self._is_done = is_all
        self._plan.run.stays = not is_all and self._is_made

    def end(self) -> None:
        """Closes the connection; what is left under private names is dropped, or left to the next command."""
        if self._writer is not None:
            self._writer.close()
        if self._is_made and not self._is_done:
            plan, new = self._plan, self._new
            made = MadeTable(plan.kind, plan.location, new.schema, new.table, new.made, new.gone)
            try:
                put_away(made, plan.run.name or "", self._limits)
            except OrdermadeError:
                plan.run.stays = True
            else:
                plan.run.stays = False

    def _has_its_name(self, error: BaseException) -> bool:
        """Whether the table has its name after all. Raises Undecided where that cannot be found out now."""
        if isinstance(error, InputError):
            return False
        if self._writer is not None:
            self._writer.close()
        try:
            return is_in_place(self._plan.commit, self._plan.run.name or "", self._limits)
        except OrdermadeError:
            self._is_made, self._plan.run.stays = False, True
            raise Undecided(
                "the connection was lost while the release was committed, and the server does not answer",
                where=self._plan.location,
                next_step="Run any command once it answers, such as `ordermade request list`: it finds out whether the "
                "release is there.",
            ) from None


def is_in_place(commit: SourceCommit, run: str, limits: Limits) -> bool:
    """True if the server has the table of that name with its mark, once what the run did there has ended.

    Raises ReleaseFault where it does not say so.
    """
    with _writer_of(commit.kind, commit.location, run, limits) as writer:
        return commit.mark in writer.marks(commit.schema, commit.table)


def put_away(made: MadeTable, run: str, limits: Limits) -> None:
    """Drops what a run left on a server under private names. Raises ReleaseFault."""
    with _writer_of(made.kind, made.location, run, limits) as writer:
        writer.put_away(NewTable(made.schema, made.table, made.made, made.gone))


@contextlib.contextmanager
def _writer_of(kind: str, location: str, run: str, limits: Limits) -> Iterator[ServerWriter]:
    with _as_release_fault(location):
        writer = open_writer(location, kind, limits=limits)
        try:
            writer.hold(run)
            yield writer
        finally:
            writer.close()


@contextlib.contextmanager
def _as_release_fault(location: str) -> Iterator[None]:
    """Around work on the server: an error of the source becomes ReleaseFault; that of a changed dataset stays."""
    try:
        yield
    except SourceChanged:
        raise
    except SourceFault as fault:
        raise ReleaseFault(
            f"the release could not be written into the source: {fault.what}",
            where=fault.where or location,
            next_step=fault.next_step,
        ) from fault
    except Lost:
        raise ReleaseFault(
            "the connection to the server was lost",
            where=location,
            next_step="Check host, port and that the server runs.",
        ) from None
