"""The faults of views that are no datasets: other rows each time, or rows from beyond the source."""

from __future__ import annotations

import re

from ordermade.errors import SourceFault, quoted

UNREAD = "it is not known what a view is made of"
"""What is said where a connection is lost meanwhile."""
_WITHOUT = "Make a table of what it shows, or a view without it."


def _fault(view: str, what: str, next_step: str) -> SourceFault:
    return SourceFault(f"the view {quoted(view)} {what}", next_step=next_step)


def unstable(view: str, what: str) -> SourceFault:
    """A view that gives other rows from one reading to the next."""
    return _fault(view, f"uses {what}, which differs from one reading to the next", _WITHOUT)


def of_an_order(view: str, what: str) -> SourceFault:
    """A view of what depends on the order in which rows happen to be read."""
    depends = "which depends on the order of rows, and may read differently each time"
    return _fault(view, f"uses {what}, {depends}", _WITHOUT)


def of_fractions(view: str, what: str, exact: str = "DECIMAL") -> SourceFault:
    """A view of a sum of fractions of 4 or 8 bytes, which are rounded with each one that is added."""
    depends = "whose last digits depend on the order of rows, and may differ each time"
    step = f"Sum values CAST to {exact}, and calculate others of such sums, or make a table of what it shows."
    return _fault(view, f"uses {what} of fractions of 4 or 8 bytes, {depends}", step)


def of_forms(view: str, what: str, example: str, instead: str) -> SourceFault:
    """A view of values whose type takes some for equal that differ, and it shows one of them."""
    return _of_equal(view, f"{what} of values that may", example, f"Write {instead} there")


def of_spellings(view: str, what: str, exact: str) -> SourceFault:
    """A view of values that differ and are equal, of which it shows one. `exact`: what makes none of them equal."""
    return of_forms(view, what, "'a' and 'A'", f"{exact} after the column")


def of_numbers(view: str, what: str) -> SourceFault:
    """A view of numbers that differ and are equal, and it shows one of them."""
    step = "Write CAST(… AS TEXT), AS INTEGER or AS REAL around the column there"
    return _of_equal(view, f"{what} of values without a type, which may", "1 and 1.0", step)


def _of_equal(view: str, values: str, example: str, step: str) -> SourceFault:
    shows = f"uses {values} be equal and differ, such as {example}, and shows whichever it reads first"
    return _fault(view, shows, f"{step}, or make a table of what the view shows.")


def of_the_server(view: str) -> SourceFault:
    """A view of what the server notes of itself."""
    step = "Make a table of what it shows, or a view of tables alone."
    return _fault(view, "reads the server's own catalogue, which changes without it", step)


def of_names(view: str, kind: str) -> SourceFault:
    """A view of values that are written as names of the server's catalogue, or in another way each time."""
    step = "Leave the value out of the view, or make a table of what it shows."
    return _fault(view, f"uses a value of the type {kind}, whose text may change without it", step)


def unreadable(view: str) -> SourceFault:
    """A view of which it is not known what it is made of."""
    return SourceFault(
        f"what the view {quoted(view)} is made of cannot be read", next_step="Make a table of what it shows."
    )


def beyond(view: str, what: str) -> SourceFault:
    """A view of what lies outside of its source."""
    step = "Make a table of what it shows, or register the source with --allow-external."
    return _fault(view, f"reads beyond its source, by {what}", step)


def of_no_table(view: str, table: str) -> SourceFault:
    """A view of what is no table of its database: gone, a file, or the database's own catalogue."""
    step = "Make a table of what it shows; a DuckDB file that needs others is registered with --allow-external."
    return _fault(view, f"cannot be read: {quoted(table)} is no table or view of its database", step)


def of_part(part: str, view: str, fault: SourceFault) -> SourceFault:
    """The fault of a part of a view or table, such as its policy, that was looked at as the view of that name."""
    return SourceFault(fault.what.replace(f"the view {quoted(view)}", part, 1), next_step=fault.next_step)


def of_generated(table: str, column: str, fault: SourceFault) -> SourceFault:
    """A table with a generated column of what no view may be made of; `fault`: of a view called as the column."""
    found = of_part(f"the generated column {quoted(column)} of the table {quoted(table)}", column, fault)
    return SourceFault(found.what, next_step="Make a table without it, or store its values.")


_OF_TIME = frozenset(["date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff"])
"""Functions of SQLite that are of the moment where they are given `now`, or no time at all."""
WRITTEN_LIKE_COLUMNS = frozenset(
    ["user", "current_user", "session_user", "current_role", "current_catalog", "current_schema"]
) | {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"}
"""Functions that are written like columns."""


_BLANK = r"(?:\s|/\*.*?\*/|--[^\n]*\n)*"
"""What may stand between the words of SQLite, comments too."""


def sqlite_now_in(text: str) -> str:
    """A function of SQLite that is of the moment, in the text of a view; empty for none.

    Its name may stand in quotes, and `now` anywhere in the view, as a text, in double quotes, or in another query.
    """
    plain = text.lower()
    has_now = re.search(r"\bnow\b", plain) is not None
    for name in sorted(_OF_TIME):
        for match in re.finditer(rf"\b{name}[\"`\]]?{_BLANK}\({_BLANK}", plain, re.DOTALL):
            first = 1 if name == "strftime" else 0
            if has_now or len(_arguments(plain, match.end())) <= first:
                return f"{name}() of now"
    return ""


def _arguments(text: str, at: int) -> list[str]:
    """The arguments of a call whose parenthesis opens before `at`; none where there are none."""
    found, depth, in_text, argument = [], 0, False, ""
    for sign in text[at:]:
        if sign == "'":
            in_text = not in_text
        elif not in_text and sign == "(":
            depth += 1
        elif not in_text and sign == ")":
            if depth == 0:
                break
            depth -= 1
        elif not in_text and depth == 0 and sign == ",":
            found.append(argument)
            argument = ""
            continue
        argument += sign
    return [*found, argument] if argument.strip() else found
