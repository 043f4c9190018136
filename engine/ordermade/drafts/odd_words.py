"""Odd cells in words, with what mends them, for the screen or the process of the person who opened the table."""

from __future__ import annotations

import csv
import io
import re
import shlex
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ordermade.records.cells import counted

if TYPE_CHECKING:
    from ordermade.drafts.odd_cells import OddCells, OddLines
    from ordermade.drafts.text_column import Unread

MAX_SHOWN = 3
"""So many odd texts are shown of a column, and so many marked as missing in the option that mends it."""
LONGEST = 30
"""Longer texts are cut."""


class OptionWords(ABC):
    """The options that mend odd cells, as they are given."""

    @abstractmethod
    def missing(self, column: str, texts: Sequence[str]) -> str:
        """Texts of a column mean a missing value; some that are not named yet where there are none."""

    @abstractmethod
    def at_bounds(self, column: str) -> str:
        """Numbers of a column with the sign of a bound are taken for it."""

    @abstractmethod
    def skip_line(self, line: int) -> str:
        """A line of the file is left out."""

    @abstractmethod
    def unread(self, unread: Unread) -> str:
        """A column that is left as text, in words."""


class ShellWords(OptionWords):
    """As options of the command line."""

    def missing(self, column: str, texts: Sequence[str]) -> str:
        """`--missing age=unknown`."""
        return f"`--missing {shlex.quote(f'{_in_option(column)}={_in_list(texts) if texts else chr(8230)}')}`"

    def at_bounds(self, column: str) -> str:
        """`--at-bounds crp`."""
        return f"`--at-bounds {shlex.quote(_in_list([column]))}`"

    def skip_line(self, line: int) -> str:
        """`--skip-lines 7`."""
        return f"`--skip-lines {line}`"

    def unread(self, unread: Unread) -> str:
        """As the reason has it."""
        return f"{unread.column}: {unread.reason}"


class PythonWords(OptionWords):
    """As the argument `reading` of a call."""

    def missing(self, column: str, texts: Sequence[str]) -> str:
        """`reading={"missing": {"age": ["unknown"]}}`."""
        listed = repr(list(texts)) if texts else "[…]"
        return f"`reading={{'missing': {{{column!r}: {listed}}}}}`"

    def at_bounds(self, column: str) -> str:
        """`reading={"at_bounds": ["crp"]}`."""
        return f"`reading={{'at_bounds': [{column!r}]}}`"

    def skip_line(self, line: int) -> str:
        """`reading={"skip_lines": [7]}`."""
        return f"`reading={{'skip_lines': [{line}]}}`"

    def unread(self, unread: Unread) -> str:
        """The reason, with its option as a key of `reading`."""

        def key(found: re.Match[str]) -> str:
            return f"reading={{{found[1].replace('-', '_')!r}: {{{unread.column!r}: {found[2]!r}}}}}"

        return f"{unread.column}: {re.sub(r'--(date-format|decimal) .*=([a-z0-9:]+)', key, unread.reason)}"


def odd_in_words(odd: Iterable[OddLines], line_called: str, options: OptionWords) -> Iterator[str]:
    """Odd cells in words, without a stop at the end of the last sentence.

    A line comes once where it is odd in several columns, or sums up the others.
    """
    listed = list(odd)
    at = Counter(line for each in listed for line in each.lines)
    together: dict[int, list[OddLines]] = defaultdict(list)
    for each in listed:
        for line in each.lines:
            if each.cells is None or at[line] > 1:
                together[line].append(each)
    for line, at_it in sorted(together.items()):
        names = ", ".join(f"'{each.column}'" for each in at_it)
        is_total = any(each.cells is None for each in at_it)
        what = "sums up the others, by a word in" if is_total else "has texts where the others have none, in"
        yield (
            f"{line_called} {line:,} {what} {names}: if it is no record of a person, {options.skip_line(line)} leaves "
            "it out"
        )
    for each in listed:
        if each.cells is not None and not (each.cells.rows == len(each.lines) and all(at[n] > 1 for n in each.lines)):
            yield _of_column(each, each.cells, line_called, options)


def _of_column(odd: OddLines, cells: OddCells, line_called: str, options: OptionWords) -> str:
    shown = ", ".join(repr(_cut(each)) for each in cells.texts[:MAX_SHOWN])
    shown += ", …" if len(cells.texts) > MAX_SHOWN or not cells.lists_all else ""
    where = ""
    if odd.lines:
        plural = "" if cells.rows == 1 else "s"
        more = ", …" if cells.rows > len(odd.lines) else ""
        where = f" in {line_called}{plural} {', '.join(f'{each:,}' for each in odd.lines)}{more}"
    are_none = f"is no {cells.called.removesuffix('s')}" if cells.rows == 1 else f"are no {cells.called}"
    head = f"{cells.rows:,} of {counted(cells.of, 'cell')} of '{odd.column}' {are_none} ({shown}{where})"
    return f"{head}, so it is taken as texts. {_step(odd, cells, line_called, options)}"


def _step(odd: OddLines, cells: OddCells, line_called: str, options: OptionWords) -> str:
    if cells.are_bounds:
        return f"{options.at_bounds(odd.column)} takes them for their bound"
    if len(cells.texts) > MAX_SHOWN:
        return f"If some mean a missing value, name them: {options.missing(odd.column, ())}"
    step = f"If they mean a missing value, {options.missing(odd.column, cells.texts)} reads them so"
    if cells.rows == 1 and odd.lines:
        step += f". If it is no record of a person, {options.skip_line(odd.lines[0])} leaves the {line_called} out"
    return step


def _in_option(column: str) -> str:
    """A column before the `=` of an option."""
    return f'"{column}"' if set(column) & set('=",') else column


def _in_list(texts: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(texts)
    return text.getvalue()


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
