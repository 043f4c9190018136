"""Tables of the state: each one a frozen dataclass, whose fields are its columns, in their order.

The statements on one table are made here, and here alone: names come from the fields of the dataclass, values are
bound. Each row that is written is sealed, and within the bounds of whoever acts. Joins and aggregates are sections
of `sql/state.sql`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields
from functools import cache, cached_property
from itertools import chain, groupby, islice
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from ordermade.files.resources import statement
from ordermade.state.connection import Seals, bindable
from ordermade.state.sealing import in_stretches, note_written, seal_of_all, sealed_rows

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from ordermade.state.connection import StateConnection
    from ordermade.state.documents import JsonFields
    from ordermade.state.statements import Row

Record = TypeVar("Record", bound="DataclassInstance")

NOT_STORED: Mapping[str, bool] = MappingProxyType({"stored": False})
"""The metadata of a field of a dataclass that no column of its table has."""


@dataclass(frozen=True, slots=True)
class Among:
    """A condition on a column: that it is one of these values."""

    values: Collection[object]


@dataclass(frozen=True, slots=True)
class Since:
    """A condition on a column: that it is this value or a greater one."""

    value: object


@dataclass(frozen=True, slots=True)
class Present:
    """A condition on a column: that it is not NULL."""


PRESENT = Present()


@dataclass(frozen=True)
class Table(Generic[Record]):
    """The table `name` of the state, whose rows are `row`; `key`: the columns of its primary key.

    `document`: of the fields that have no column, in the last column. `sealed`: whether a hash of each row is kept (not
    of what the seals rest on). `together`: where all rows of an owner, the first column of the key, are written at once
    and stay, the rest of the key in the order in which they have one hash. `once`: the columns in which a row differs
    from a later one that got its number, where rows are erased.

    Conditions (`where`) are values by column, all of which hold: None is NULL; else `Among`, `Since`, `PRESENT`, or the
    value itself.
    """

    name: str
    row: type[Record]
    key: tuple[str, ...] = ("id",)
    sealed: bool = True
    together: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    document: JsonFields | None = None

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns, in their order."""
        stored = tuple(each.name for each in fields(self.row) if each.metadata.get("stored", True))
        if self.document is None:
            return stored
        return (*(each for each in stored if each in self.document.in_columns), self.document.column)

    @cached_property
    def _always_said(self) -> tuple[str, ...]:
        """The fields without a column that a row has whatever its document says."""
        of_document = () if self.document is None else self.document.of(self.row)
        return tuple(each.name for each in of_document if each.default is MISSING and each.default_factory is MISSING)

    def made(self, row: Row) -> Record:
        """The record of a row, its columns in their order. Raises StateNewer, StateDamaged for its document."""
        if self.document is None:
            return self.row(*row)
        *values, text = row
        said = dict.fromkeys(self._always_said) | self.document.values(text)
        return self.row(**dict(zip(self.columns, values, strict=False)), **said)

    def values_of(self, record: Record) -> dict[str, object]:
        """The values of a record by column, its document as text."""
        if self.document is None:
            return {name: getattr(record, name) for name in self.columns}
        values = {name: getattr(record, name) for name in self.columns[:-1]}
        return values | {self.document.column: self.document.text(self.document.fields(record))}

    def select(
        self, connection: StateConnection, /, *, order_by: Sequence[str] = (), most: int | None = None, **where: Any
    ) -> list[Record]:
        """The rows that meet the conditions, `most` of them at most, in the order of columns; `-column`: falling."""
        found = self.read(connection, self.columns, order_by=order_by, most=most, **where)
        return [self.made(each) for each in found]

    def find(self, connection: StateConnection, /, **where: Any) -> Record | None:
        """The row that meets the conditions; None where there is none."""
        return next(iter(self.select(connection, most=1, **where)), None)

    def read(
        self,
        connection: StateConnection,
        columns: Sequence[str],
        /,
        *,
        order_by: Sequence[str] = (),
        most: int | None = None,
        **where: Any,
    ) -> list[Row]:
        """These columns of the rows that meet the conditions, as `select` has them."""
        bounds = connection.bounds
        if bounds is not None:
            bounds.require_readable(self.name, columns, where)
        text = _selecting(self, tuple(columns), _shape(where), tuple(order_by), most is not None)
        found = connection.execute(text, _bound(where) | {"most": most}).fetchall()
        return found if bounds is None else bounds.kept(self.name, columns, found)

    def count(self, connection: StateConnection) -> int:
        """The number of rows."""
        ((number,),) = connection.execute(count_of(self.name))
        return int(number)

    def insert(self, connection: StateConnection, /, **values: object) -> Record:
        """Adds a row; the row as it is stored, with its number where that is not among the values."""
        text = _inserting(self, tuple(values))
        (written,) = self._written(connection, text, {name: bindable(value) for name, value in values.items()})
        return self.made(written)

    def add(self, connection: StateConnection, /, record: Record) -> Record:
        """Adds a row that has its number; the row as it is stored."""
        return self.insert(connection, **self.values_of(record))

    def insert_all(self, connection: StateConnection, /, rows: Iterable[Mapping[str, object]]) -> list[Record]:
        """Adds rows of the same columns, whose numbers the state gives; the rows as they are stored, in the same order.

        By one statement: numbers that are no whole ones of 64 bits are added by `insert`, one by one.
        """
        found = list(rows)
        if not found:
            return []
        text = _inserting_all(self, tuple(found[0]), "refused")
        written = self._written(connection, text, {"rows": _as_json([*each.values()] for each in found)})
        return [self.made(each) for each in written]

    def add_all(
        self,
        connection: StateConnection,
        /,
        records: Iterable[Record],
        *,
        of_known_key: Literal["refused", "ignored", "replaced"] = "refused",
    ) -> None:
        """Adds rows that have their keys, as `insert_all` does.

        `of_known_key`: what becomes of a row whose key is there; `replaced`: the one that is there.
        """
        values_of = attrgetter(*self.columns)
        text = _inserting_all(self, self.columns, of_known_key)
        if rows := [values_of(each) for each in records]:
            self._written(connection, text, {"rows": _as_json(rows)})

    def update(self, connection: StateConnection, where: Mapping[str, object], /, **values: object) -> list[Record]:
        """Changes the rows that meet the conditions; those rows as they are then."""
        new = {f"new_{name}": bindable(value) for name, value in values.items()}
        written = self._written(connection, _updating(self, _shape(where), tuple(values)), _bound(where) | new)
        return [self.made(each) for each in written]

    def delete(self, connection: StateConnection, /, **where: object) -> None:
        """Takes away the rows that meet the conditions."""
        self._written(connection, _deleting(self, _shape(where)), _bound(where), erased=True)

    def delete_all(self, connection: StateConnection, /, keys: Iterable[Sequence[object]]) -> None:
        """Takes away the rows of these keys by one statement."""
        if found := list(keys):
            self._written(connection, _deleting_keys(self), {"keys": _as_json(found)}, erased=True)

    def run(self, connection: StateConnection, name: str, /, *, erased: bool = False, **values: object) -> list[Record]:
        """Runs the statement `name`, which writes rows of this table, or erases them; those rows.

        A list among the values is JSON.
        """
        bound = {key: bindable(value) for key, value in values.items()}
        return [self.made(each) for each in self._written(connection, statement(name), bound, erased=erased)]

    def fill(self, connection: StateConnection, rows: Iterable[Row], owner: int) -> None:
        """Adds the rows of one owner, all of their columns as SQLite stores them, in the order of `together`."""
        text = inserting(self.name, self.columns)

        def written() -> Iterator[list[Row]]:
            for stretch in in_stretches(rows):
                connection.executemany(text, stretch)
                yield stretch

        SEALS.add_all(connection, [Seal(self.name, owner, TOGETHER, seal_of_all(written()))])

    def sealable(self, connection: StateConnection, apart: Collection[int] = ()) -> Iterator[tuple[int, str, int]]:
        """The key of each seal (owner and rest), and the seal, as the rows are stored.

        `apart`: the owners each of whose rows has a seal in a table that seals them together, as it had before it did.
        """
        text = _selecting(self, self.columns, (), (self.key[0], *self.together) if self.together else (), limited=False)
        found = connection.execute(text)
        if not self.together:
            return sealed_rows(self.key, self.columns, found)
        by_owner = groupby(found, key=itemgetter(self.columns.index(self.key[0])))
        return chain.from_iterable(
            sealed_rows(self.key, self.columns, rows)
            if owner in apart
            else [(owner, TOGETHER, seal_of_all(in_stretches(rows)))]
            for owner, rows in by_owner
        )

    def _written(
        self, connection: StateConnection, text: str, values: Mapping[str, Any], *, erased: bool = False
    ) -> list[Row]:
        """Runs a statement that writes rows, seals them, and gives them."""
        written = connection.execute(_giving(self, text), values).fetchall()
        note_written(connection, self, written, erased=erased)
        return written


def _as_json(values: Iterable[object]) -> str:
    return json.dumps(list(values), ensure_ascii=False, separators=(",", ":"), default=bindable)


def _shape(where: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """The conditions without their values: the text of each by its column."""
    return tuple((name, _condition(value)) for name, value in where.items())


def _condition(value: object) -> str:
    if isinstance(value, Among):
        return "IN (SELECT value FROM json_each({}))"
    if isinstance(value, Since):
        return ">= {}"
    if isinstance(value, Present):
        return "IS NOT NULL"
    return "IS NULL" if value is None else "= {}"


def _bound(where: Mapping[str, object]) -> dict[str, Any]:
    values = {}
    for name, value in where.items():
        if isinstance(value, Among):
            values[name] = _as_json(value.values)
        elif not isinstance(value, Present):
            values[name] = bindable(value.value if isinstance(value, Since) else value)
    return values


def quoted(name: str) -> str:
    """A name of a table or a column as a statement writes it."""
    return '"' + name.replace('"', '""') + '"'


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(quoted, names))


def _of_table(table: Table[Any], names: Iterable[str]) -> None:
    """Raises ValueError for a name that is no column."""
    if unknown := set(names) - set(table.columns):
        raise ValueError(f"{table.name} has no column {', '.join(sorted(unknown))}")


def _where(table: Table[Any], shape: Sequence[tuple[str, str]]) -> str:
    _of_table(table, (name for name, _ in shape))
    conditions = [f"{quoted(name)} {condition.format(f'${name}')}" for name, condition in shape]
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


@cache
def _selecting(
    table: Table[Any],
    columns: tuple[str, ...],
    shape: tuple[tuple[str, str], ...],
    order_by: tuple[str, ...],
    limited: bool,
) -> str:
    _of_table(table, (*columns, *(each.removeprefix("-") for each in order_by)))
    order = ", ".join(f"{quoted(each.removeprefix('-'))}{' DESC' * each.startswith('-')}" for each in order_by)
    return (
        f"SELECT {_listed(columns)} FROM {quoted(table.name)}{_where(table, shape)}"
        f"{f' ORDER BY {order}' if order else ''}{' LIMIT $most' if limited else ''}"
    )


@cache
def _giving(table: Table[Any], text: str) -> str:
    """The statement that gives the rows that it writes, too."""
    return f"{text}\nRETURNING {_listed(table.columns)}"


@cache
def _inserting(table: Table[Any], columns: tuple[str, ...]) -> str:
    _of_table(table, columns)
    values = ", ".join(f"${each}" for each in columns)
    return f"INSERT INTO {quoted(table.name)} ({_listed(columns)}) VALUES ({values})"


@cache
def _inserting_all(table: Table[Any], columns: tuple[str, ...], of_known_key: str) -> str:
    """`of_known_key`: what becomes of a row whose key is there: refused, ignored or replaced."""
    _of_table(table, columns)
    values = ", ".join(f"JSON_EXTRACT(value, '$[{place}]')" for place in range(len(columns)))
    text = f"INSERT INTO {quoted(table.name)} ({_listed(columns)}) SELECT {values} FROM json_each($rows)"
    if of_known_key == "ignored":
        text += " WHERE TRUE ON CONFLICT DO NOTHING"
    elif of_known_key == "replaced":
        text += " WHERE TRUE" + _replacing(table, columns)
    return text


def _replacing(table: Table[Any], columns: Sequence[str]) -> str:
    new = ", ".join(f"{quoted(each)} = EXCLUDED.{quoted(each)}" for each in columns if each not in table.key)
    return f" ON CONFLICT ({_listed(table.key)}) DO UPDATE SET {new}"


@cache
def _updating(table: Table[Any], shape: tuple[tuple[str, str], ...], columns: tuple[str, ...]) -> str:
    _of_table(table, columns)
    new = ", ".join(f"{quoted(each)} = $new_{each}" for each in columns)
    return f"UPDATE {quoted(table.name)} SET {new}{_where(table, shape)}"


@cache
def _deleting(table: Table[Any], shape: tuple[tuple[str, str], ...]) -> str:
    return f"DELETE FROM {quoted(table.name)}{_where(table, shape)}"


@cache
def _deleting_keys(table: Table[Any]) -> str:
    key = ", ".join(f"JSON_EXTRACT(value, '$[{place}]')" for place in range(len(table.key)))
    return f"DELETE FROM {quoted(table.name)} WHERE ({_listed(table.key)}) IN (SELECT {key} FROM json_each($keys))"


def all_of(table: str) -> str:
    """The statement that gives every row of a table, whichever it is."""
    return f"SELECT * FROM {quoted(table)}"


def count_of(table: str) -> str:
    """The statement that counts the rows of a table, whichever it is."""
    return f"SELECT COUNT(*) FROM {quoted(table)}"


def emptying(table: str) -> str:
    """The statement that takes away every row of a table, whichever it is."""
    return f"DELETE FROM {quoted(table)}"


def dropping(kind: str, name: str) -> str:
    """The statement that takes away a table or a view."""
    return f"DROP {'VIEW' if kind == 'view' else 'TABLE'} {quoted(name)}"


def inserting(table: str, columns: Sequence[str]) -> str:
    """The statement that inserts a row of these columns into a table, whichever it is, its values in their order."""
    return f"INSERT INTO {quoted(table)} ({_listed(columns)}) VALUES ({', '.join('?' for _ in columns)})"


@dataclass(frozen=True, slots=True)
class Seal:
    """The seal of a row of a table, known by its key: `owner`, the first column where it is a number, and the rest.

    `part` is `TOGETHER` in the one seal of all rows of an owner.
    """

    table_name: str
    owner: int
    part: str
    seal: int


TOGETHER = ""
"""The rest of the key of rows that are sealed together."""

SEALS = Table("seals", Seal, key=("table_name", "owner", "part"), sealed=False)


@contextmanager
def sealing(connection: StateConnection, by: str | None = None, visit: str | None = None) -> Iterator[None]:
    """Seals what is written `by` somebody (None: at the shell) until the end of the block, inside one transaction.

    `visit`: the id of the visit of the portal that it is of.
    """
    seals = connection.seals = Seals(by, visit)
    try:
        yield
        _note(connection, seals)
    finally:
        connection.seals = None


def _note(connection: StateConnection, seals: Seals) -> None:
    of_rows = (Seal(*key, seal) for key, seal in seals.found.items() if seal is not None)
    SEALS.add_all(connection, of_rows, of_known_key="replaced")
    SEALS.delete_all(connection, [key for key, seal in seals.found.items() if seal is None])


def seal_stored(connection: StateConnection, table: Table[Any]) -> None:
    """Seals the rows of a table as they are stored, inside a transaction."""
    found = table.sealable(connection)
    text = inserting(SEALS.name, SEALS.columns) + _replacing(SEALS, SEALS.columns)
    while stretch := list(islice(found, _AT_ONCE)):
        connection.executemany(text, [(table.name, *each) for each in stretch])


_AT_ONCE = 100_000
"""Rows that are sealed at once, so that the memory does not grow with the table."""
