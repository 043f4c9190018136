"""The second connection to a server, which writes a release into it: what servers have in common.

A table is made under a private name, filled, measured, and gets its own name last. The connection holds a lock that is
named after the run, so that a process that finds the run abandoned waits until the server has ended what it did.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, NoColumns, ReleaseFault, SourceFault, quoted
from ordermade.sources.backend import CatalogTable, Column
from ordermade.sources.duckdb_file import described
from ordermade.sources.executor import BATCH, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.server import Server
from ordermade.sources.server_names import unread_table
from ordermade.sources.server_text import SOURCE

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table of a release that is made as `made`, becomes `table`, and whose predecessor is called `gone` meanwhile.

    `mark` is its comment; `earlier` that of the release whose place it takes, None where the name is free.
    """

    schema: str
    table: str
    made: str
    gone: str
    mark: str = ""
    earlier: str | None = None

    def named(self, name: str) -> exp.Table:
        """The table of that name in the schema."""
        return sql.table(name, schema=self.schema)


class ServerWriter(Server):
    """A server open for writing a release. Each statement sees what is committed by then, and its own rows.

    Its connection is not made again once it is lost: the lock and, in PostgreSQL, the table went with it.
    """

    commits_every_step: ClassVar[bool]
    """Whether tables of a killed process stay, so that they are noted before they are made."""
    types: ClassVar[Mapping[str, str]]
    """The type of the server for each type of the workspace, where it is another one."""

    def __init__(self, location: str, *, limits: Limits) -> None:
        super().__init__(location, writable=True, limits=limits)
        self._was_read = True

    @abstractmethod
    def hold(self, run: str) -> None:
        """Takes the lock of the run, once nobody else has it. Raises SourceFault."""

    @abstractmethod
    def create(self, new: NewTable, columns: Sequence[exp.ColumnDef]) -> None:
        """Makes the empty table, marked as a release."""

    @abstractmethod
    def fill(self, new: NewTable, cells: Iterator[pa.RecordBatch]) -> None:
        """Takes rows of `cell`s into the table."""

    @abstractmethod
    def cell(self, value: exp.Expr, kind: str) -> exp.Expr:
        """A value of a type of the workspace, as it is sent."""

    @abstractmethod
    def prepare(self, new: NewTable) -> None:
        """Does what can be done before `publish`. Raises InputError where the name may not be taken."""

    @abstractmethod
    def publish(self, new: NewTable) -> bool:
        """Gives the table its name for everybody, all at once; whether nothing of its predecessor is left."""

    @abstractmethod
    def put_away(self, new: NewTable) -> None:
        """Drops what a run left under its private names; the predecessor keeps its name, or has it again."""

    @abstractmethod
    def create_view(self, statement: str) -> None:
        """Runs the statement that makes a view."""

    def is_earlier(self, new: NewTable) -> bool:
        """Whether what is called `gone` by now is the release whose place is taken, and no table put there since."""
        return self.marks(new.schema, new.gone) == [new.earlier]

    def taken(self, new: NewTable) -> InputError:
        """The error where another table has the name by now."""
        return InputError(
            f"another table took the name {quoted(new.table)} while the request ran",
            where=self.where,
            next_step="Choose another name.",
        )

    def make(self, new: NewTable, written: exp.Query) -> CatalogTable:
        """The new table with the rows of a query of the workspace, as the catalogue has it."""
        columns = described(self.workspace, written)
        for each in columns:
            self.require_name(each.name)
        self.create(new, [_defined(each, self._type_of(each), self.dialect) for each in columns])
        tree = sql.with_relations(sql.select("workspace/taken"), {"dataset": written})
        cells = [
            sql.named(self.cell(sql.column(each.name, "arriving"), each.type), f"c{number}")
            for number, each in enumerate(columns)
        ]
        tree.set("expressions", cells)
        self.fill(new, self.workspace.batches(Purpose.RELEASE, tree, BATCH))
        return self._learnt(new)

    def _type_of(self, column: Column) -> str:
        kind = self.types.get(column.type)
        if kind is None and not column.type.startswith("DECIMAL"):
            raise ReleaseFault(
                f"{self.database} has no type for the column {quoted(column.name)}, a {column.type}",
                where=self.where,
                next_step="Leave the column out, cast it in a dataset query, or release to a file.",
            )
        return kind or column.type

    def _learnt(self, new: NewTable) -> CatalogTable:
        """Reads the new table from the catalogue. No other is called like it, in any case."""
        unread = unread_table(new.schema, new.made)
        reference = sql.table(new.made, schema=new.made, catalog=SOURCE)
        try:
            made = self.read_columns(replace(unread, listed=replace(unread.listed, reference=reference)))
        except NoColumns:
            raise ReleaseFault(
                "the table of the release cannot be read back",
                where=self.where,
                next_step="Ask for the right to read new tables (GRANT SELECT), or release to a file.",
            ) from None
        self._keep((new.made, new.made), made)
        return made.listed


class StepwiseWriter(ServerWriter):
    """A server that commits every step by itself: tables are renamed into their places, one step after the other."""

    commits_every_step = True

    @abstractmethod
    def set_aside(self, new: NewTable) -> None:
        """Calls the predecessor `gone`."""

    @abstractmethod
    def put_back(self, new: NewTable) -> None:
        """Undoes `set_aside`: what is called `gone` has its name again."""

    def take_place(self, new: NewTable) -> None:
        """Gives the table the name of the predecessor, unless it has it since `set_aside`."""

    def prepare(self, new: NewTable) -> None:
        """Does nothing: every step would be seen."""

    def publish(self, new: NewTable) -> bool:
        """Renames the predecessor away and the table to its name, then drops the former.

        Raises InputError where another table than the predecessor has the name by now: it keeps it.
        """
        if new.earlier is None:
            self.rename(new, new.made, new.table)
            return True
        self.set_aside(new)
        if not self.is_earlier(new):
            self.put_back(new)
            raise self.taken(new)
        self.take_place(new)
        try:
            self.drop(new, new.gone)
        except SourceFault:  # a session reads it: the next command drops it
            return False
        return True

    def put_away(self, new: NewTable) -> None:
        """Drops the two tables of private names; a predecessor whose name is free has it again."""
        if self.marks(new.schema, new.gone) and not self.marks(new.schema, new.table):
            self.rename(new, new.gone, new.table)
        self.drop(new, new.made)
        self.drop(new, new.gone)

    def drop(self, new: NewTable, name: str) -> None:
        """Drops the table of that name, where there is one."""
        drop = sql.template("release/table/drop")
        drop.set("tables", [new.named(name)])
        self.run_tree(drop)

    def rename(self, new: NewTable, name: str, to: str) -> None:
        """Gives a table another name in its schema."""
        names = {"made": new.named(name), "table": new.named(to)}
        self.executor.plain(Purpose.RELEASE, sql.script_over(f"{self.scripts}/rename_table", self.dialect, names))

    def run_tree(self, statement: exp.Expr) -> None:
        """Runs a statement without an answer."""
        self.executor.plain(Purpose.RELEASE, statement.sql(dialect=self.dialect, identify=True, comments=False))


def _defined(column: Column, kind: str, dialect: str) -> exp.ColumnDef:
    return exp.ColumnDef(this=sql.identifier(column.name), kind=exp.DataType.build(kind, dialect=dialect))
