"""The sentences of a report on tables with totals: what was released, what protects it, and how to cite it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ordermade.reports import sentences, wording
from ordermade.reports.figures import DescribedRelease
from ordermade.reports.language import Language
from ordermade.reports.table_figures import TablesFigures, counts_units
from ordermade.requests.table import figure_of


def plain_summary(report: TablesFigures, language: str) -> str:
    """The summary as plain text, a sentence a line, beneath the title and for whom the report is."""
    say = Language.of(language, markup=False)
    title = say.value(report.title or report.dataset)
    heading = say.text("%(title)s, release %(n)s", title=title, n=say.number(report.release))
    return "\n".join([heading, sentences.audience(report, say)[0], "", *summary(report, say), *marks(report, say)])


def summary(report: TablesFigures, say: Language) -> list[str]:
    """The release in a few sentences: request, cells, protection."""
    return [requested(report, say), *cells(report, say), *protection(report, say)]


def requested(report: TablesFigures, say: Language) -> str:
    """The dataset, the k and the unit."""
    figures = {"dataset": say.value(report.dataset), "k": say.number(report.asked.k)}
    if report.asked.unit == "persons":
        return say.text(
            "The request is for tables with totals of dataset %(dataset)s with k = %(k)s: no cell of fewer than %(k)s "
            "persons is published.",
            **figures,
        )
    return say.text(
        "The request is for tables with totals of dataset %(dataset)s with k = %(k)s: no cell of fewer than %(k)s rows "
        "is published.",
        **figures,
    )


def cells(report: TablesFigures, say: Language) -> Iterator[str]:
    """The cells as the file shows them, and, for the provider, those that are suppressed for themselves or beside."""
    share = say.percent(report.marked / report.cells) if report.cells else ""
    number, marked = say.number(report.cells), say.number(report.marked)
    if not report.marked:
        yield say.text("The tables have %(cells)s cells; all are published.", cells=number)
    elif report.asked.zeros == "hidden":
        yield say.text(
            "The tables have %(cells)s cells; %(marked)s of them (%(share)s) are suppressed or empty, which look "
            "alike.",
            cells=number,
            marked=marked,
            share=share,
        )
    else:
        yield say.text(
            "The tables have %(cells)s cells; %(marked)s of them (%(share)s) are suppressed.",
            cells=number,
            marked=marked,
            share=share,
        )
    found = report.protected
    if found is None or not found.primary + found.secondary:
        return
    yield say.text(
        "Of %(cells)s cells that are not empty, each counted once, %(primary)s are suppressed by the rules and "
        "%(secondary)s beside them.",
        cells=say.number(found.cells),
        primary=say.number(found.primary),
        secondary=say.number(found.secondary),
    )


def protection(report: TablesFigures, say: Language) -> Iterator[str]:
    """What is known of a suppressed cell by all that is shown."""
    if not report.marked:
        return
    of_persons = report.asked.unit == "persons"
    if any(counts_units(figure_of(each).kind, of_persons=of_persons) for each in report.asked.figures):
        yield say.text(
            "By all that is shown, adding and subtracting, a suppressed count may be values that are %(k)s or more "
            "apart.",
            k=say.number(report.asked.k),
        )
    width = None if report.protected is None else report.protected.least_width
    if width is not None:
        yield say.text("The least width of an interval that its witness proves is %(width)s.", width=say.number(width))


def marks(report: TablesFigures, say: Language) -> list[str]:
    """What the marks in the tables mean."""
    found = []
    mark = say.value(report.asked.mark)
    if report.marked and report.asked.zeros == "hidden":
        found.append(
            say.text(
                "%(mark)s stands for a cell that is suppressed for itself, one that would give another away, or an "
                "empty one; they look alike.",
                mark=mark,
            )
        )
    elif report.marked:
        found.append(
            say.text(
                "%(mark)s stands for a cell that is suppressed for itself, or one that would give another away; they "
                "look alike.",
                mark=mark,
            )
        )
    if any(figure_of(each).kind == "mean" for each in report.asked.figures):
        found.append(say.text("An empty cell has no mean."))
    if report.asked.rounding is not None:
        found.append(
            say.text(
                "Counts and sums are rounded to multiples of %(base)s, which protects nothing by itself.",
                base=say.number(report.asked.rounding),
            )
        )
    return found


def rules(report: TablesFigures, say: Language) -> list[str]:
    """The rules by which a cell is suppressed for itself."""
    asked = report.asked
    k = say.number(asked.k)
    if asked.unit == "persons":
        found = [say.text("fewer than %(n)s persons", n=k)]
    else:
        found = [say.text("fewer than %(n)s rows", n=k)]
    if asked.p_percent is not None:
        found.append(
            say.text(
                "the second largest contributor knows the largest to within %(p)s %% (p %% rule)",
                p=say.number(asked.p_percent, 2),
            )
        )
    if asked.dominance is not None:
        largest, percent = asked.dominance
        found.append(
            say.plural(
                "the %(n)s largest contributor has more than %(share)s %% of the sum (dominance)",
                "the %(n)s largest contributors have more than %(share)s %% of the sum (dominance)",
                largest,
                share=say.number(percent, 2),
            )
        )
    return found


def figures(report: TablesFigures, say: Language) -> str:
    """The figures of a cell."""
    shown = []
    for text in report.asked.figures:
        figure = figure_of(text)
        if figure.kind == "count" and report.asked.unit == "persons":
            shown.append(say.text("count of persons"))
        else:
            shown.append(say.text(wording.FIGURES[figure.kind], column=say.value(figure.column or "")))
    return say.parted(shown)


def checks(report: TablesFigures, say: Language) -> list[str]:
    """The checks that were made before the release, and for this report."""
    found = []
    if report.marked:
        found.append(
            say.text(
                "Every suppressed cell has a witness, two tables of whole numbers that agree with all that is shown; "
                "all were verified before anything was written."
            )
        )
    found.append(say.text("The file was read back and compared cell by cell before it got its name."))
    found.append(
        say.text("For this report its SHA-256 was compared with the one on record, and its tables were read again.")
    )
    return found


def cited(report: DescribedRelease, say: Language) -> str:
    """The release as a plain citation."""
    written = say.text(
        "%(title)s. Tables of dataset %(dataset)s, release %(release)s (cells of fewer than %(k)s suppressed), "
        "%(date)s. Made with ordermade %(version)s.",
        title=say.value(report.title or report.dataset),
        dataset=say.value(report.dataset),
        release=say.number(report.release),
        k=say.number(report.floor),
        date=say.day(report.released_at),
        version=say.value(report.engine_version),
    )
    return sentences.with_hash(written, report, say)


def bibtex(report: DescribedRelease, say: Language) -> str:
    """The same as an entry of BibTeX, plain text."""
    say = replace(say, markup=False)
    note = say.text(
        "Tables of dataset %(dataset)s, release %(release)s, cells of fewer than %(k)s suppressed",
        dataset=sentences.tex(report.dataset),
        release=report.release,
        k=report.floor,
    )
    return sentences.bibtex_entry(report, note, say)
