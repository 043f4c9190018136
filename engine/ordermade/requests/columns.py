"""The column of a table that a name in a request means."""

from __future__ import annotations

from collections.abc import Collection

from ordermade.errors import InputError, UnknownName, quoted
from ordermade.phrases import phrase

IN_QUOTES = phrase("Double quotes are for columns; a text goes in single quotes.")
"""What to do where a filter names a column that is not there in double quotes."""


def stored_column(name: str, stored: Collection[str]) -> str:
    """The stored name that `name` means: the same text, else the only one that differs in case alone.

    Raises:
        UnknownName: no column is called so; the message names the nearest one.
        InputError: several columns differ from `name` in case alone.
    """
    if name in stored:
        return name
    folded = [column for column in stored if column.casefold() == name.casefold()]
    if not folded:
        raise UnknownName("column", name, stored)
    if len(folded) > 1:
        listed = ", ".join(quoted(column) for column in folded)
        raise InputError(
            phrase("%(name)s may be any of the columns %(listed)s", name=quoted(name), listed=listed),
            next_step=phrase("Write the name with the same capitals as the column."),
        )
    return folded[0]
