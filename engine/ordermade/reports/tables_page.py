"""What was found of published tables as one page of HTML, which can be handed in; it loads and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from ordermade.reports.language import N_, Language
from ordermade.reports.masthead import NO_MASTHEAD, Masthead
from ordermade.reports.page import environment
from ordermade.reports.page_files import WHAT, check_page_file
from ordermade.state.new_files import write_new_file
from ordermade.tables.codes import folded
from ordermade.tables.judgement import (
    FEW,
    NARROW,
    RECOVERED,
    SAFE,
    UNFINISHED,
    Finding,
    SuppressedCell,
    TableJudgement,
    columns_of,
    worst_first,
)
from ordermade.version import VERSION

FINDINGS: Mapping[Finding, str] = {
    RECOVERED: N_("recovered exactly"),
    NARROW: N_("narrower than k"),
    FEW: N_("certainly below k"),
    UNFINISHED: N_("not audited"),
    SAFE: N_("as wide as k or wider"),
}
PLACES = 6
"""The most decimal places of a sum."""


def write_tables_page(
    found: TableJudgement, path: Path, language: str = "en", masthead: Masthead = NO_MASTHEAD
) -> None:
    """Write the page into the new file `path`, mode 0600. Raises InputError, StateFault, UnknownName."""
    check_page_file(path)
    write_new_file(path, tables_page(found, language, masthead), WHAT)


def tables_page(found: TableJudgement, language: str = "en", masthead: Masthead = NO_MASTHEAD) -> str:
    """The page in a language (`en`, `ja`). Raises UnknownName for any other."""
    say = Language.of(language)
    style = environment().loader.get_source(environment(), "style.css")[0]  # type: ignore[union-attr]
    columns = columns_of(found)
    return (
        environment()
        .get_template("tables.html.j2")
        .render(
            found=found,
            say=say,
            _=say.text,
            value=say.value,
            style=Markup(style),
            masthead=masthead,
            version=VERSION,
            title=Language.of(language, markup=False).text("Intervals of suppressed cells"),
            figures=list(_figures(found, say)),
            notes=list(_notes(found, say)),
            several=len(found.tables) > 1,
            columns=columns,
            cells=[_cell(each, columns, say) for each in worst_first(found)],
            wrong=list(_wrong(found, say)),
        )
    )


@dataclass(frozen=True, slots=True)
class _Cell:
    """A suppressed cell as it is shown; a code is None in a dimension that its table lacks."""

    table: str
    codes: tuple[str | None, ...]
    alone: str
    least: str
    most: str
    width: str
    finding: str


def _cell(cell: SuppressedCell, columns: Sequence[str], say: Language) -> _Cell:
    codes = {folded(column): code for column, code in cell.codes.items()}
    alone = f"{_number(cell.least_alone, say)} – {_number(cell.most_alone, say)}"
    return _Cell(
        table=cell.table,
        codes=tuple(codes.get(folded(column)) for column in columns),
        alone=alone,
        least=_number(cell.least, say),
        most=_number(cell.most, say),
        width=_number(cell.width, say),
        finding=say.text(FINDINGS[cell.finding]),
    )


def _number(value: float | None, say: Language) -> str:
    return "∞" if value is None else say.number(value, PLACES)


def _figures(found: TableJudgement, say: Language) -> Iterator[tuple[str, str]]:
    yield say.text("suppressed cells"), say.number(len(found.cells))
    yield say.text("recovered exactly"), say.number(found.number(RECOVERED))
    yield say.text("narrower than %(k)s", k=say.number(found.k)), say.number(found.number(NARROW))
    yield say.text("certainly below %(k)s", k=say.number(found.k)), say.number(found.number(FEW))
    if len(found.tables) > 1:
        yield say.text("of these given away by all tables together alone"), say.number(found.by_difference)
    yield say.text("not audited"), say.number(found.number(UNFINISHED))


def _notes(found: TableJudgement, say: Language) -> Iterator[str]:
    if any(each.without_row for each in found.tables):
        yield say.text("Cells without a row count as suppressed.")
    yield say.text(
        "Readers are taken to know that no suppressed cell is below %(least)s.", least=say.number(found.least)
    )
    few = sum(each.few for each in found.tables)
    if few:
        yield say.text("Cells published with a value from 1 to k − 1: %(n)s.", n=say.number(few))
    if found.is_outer:
        yield say.text("The dimensions have too many cells together: intervals may be narrower than they are here.")
    if not found.adds_up:
        yield say.text("Sums that do not add up were left out: intervals hold if the others are right.")


def _wrong(found: TableJudgement, say: Language) -> Iterator[str]:
    for wrong in found.wrong_sums:
        yield say.text(
            "%(codes)s, over %(dimension)s: total %(total)s, published parts %(parts)s, suppressed parts %(hidden)s.",
            codes=_codes(wrong.codes, say),
            dimension=say.value(wrong.dimension),
            total="–" if wrong.total is None else _number(wrong.total, say),
            parts=_number(wrong.parts, say),
            hidden=say.number(wrong.suppressed_parts),
        )
    for conflict in found.conflicts:
        values = Markup(", ").join(
            Markup("{}: {}").format(say.value(name), _number(value, say)) for name, value in conflict.values.items()
        )
        yield say.text(
            "%(codes)s: published with different values (%(values)s).", codes=_codes(conflict.codes, say), values=values
        )


def _codes(codes: Mapping[str, str], say: Language) -> Markup:
    return Markup(", ").join(Markup("{} = {}").format(say.value(name), say.value(code)) for name, code in codes.items())
