"""The report of a release as one page of HTML: it loads nothing, runs nothing, and works in a browser or on paper.

Templates are in `templates/`, their texts in the catalogue of `language`. Every value of the data is escaped and shown
inert; a reader's browser is bidden, too, to load and run nothing (Content-Security-Policy).
"""

from __future__ import annotations

from dataclasses import replace

from jinja2 import Environment
from markupsafe import Markup

from ordermade.files.templates import templates_of
from ordermade.hierarchies.hierarchy import STAR, unnamed
from ordermade.loss.shares import given_up
from ordermade.records.inert import LONGEST, fitted
from ordermade.reports import charts, sentences, wording
from ordermade.reports.figures import Bar, Caution, CodebookColumn, Count, Loss, ReportedDistribution, ReportFigures
from ordermade.reports.language import Language
from ordermade.reports.masthead import NO_MASTHEAD, Masthead


def environment() -> Environment:
    """The templates of reports."""
    return templates_of("ordermade.reports")


def page(report: ReportFigures, language: str = "en", masthead: Masthead = NO_MASTHEAD) -> str:
    """The report as one HTML document in a language (`en`, `ja`). Raises UnknownName for any other."""
    if masthead.title:
        report = replace(report, title=masthead.title)
    say = Language.of(language)
    style = environment().loader.get_source(environment(), "style.css")[0]  # type: ignore[union-attr]
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            say=say,
            _=say.text,
            ngettext=say.plural,
            value=say.value,
            words=_Words(report, say),
            charts=_Charts(report, say),
            style=Markup(style),
            masthead=masthead,
            heading=report.title or report.dataset,
            title=_title(report, Language.of(language, markup=False)),
        )
    )


def _title(report: ReportFigures, say: Language) -> str:
    """The title of the document, plain text."""
    number = say.text("release %(n)s", n=say.number(report.release))
    return f"{fitted(report.title or report.dataset, LONGEST)} · {number}"


class _Words:
    """The sentences and words of this report, for the templates."""

    def __init__(self, report: ReportFigures, say: Language) -> None:
        self._report, self._say = report, say
        self.audience = sentences.audience(report, say)
        self.summary = sentences.summary(report, say)
        self.headline = sentences.headline(report)
        self.first_loss = first_loss(report)
        self.with_bars = frozenset(each.column for each in report.distributions)
        self._counts = {each.name: each for each in report.columns if each.role == "count"}
        self.risks = sentences.risks(report, say)
        self.certificate = sentences.certificate(report, say)
        cautions = [*report.cautions, *(Caution(code) for code in wording.ALWAYS)]
        self.cautions = [wording.caution(each, say) for each in cautions]
        self.cited = sentences.cited(report, say)
        self.bibtex = sentences.bibtex(report, say)
        self.standing = wording.standing(report.standing, say)
        self.file = sentences.file_name(report)
        self.original = "" if report.original is None else wording.named(wording.ORIGINALS, report.original, say)
        self.method = wording.named(wording.METHODS, report.method, say)
        explained = wording.METHODS_EXPLAINED.get(report.method)
        self.method_explained = "" if explained is None else say.text(explained)

    def column(self, column: CodebookColumn) -> str:
        """The name of a column; of the counts of a statistical table in the words of the language."""
        if column.role != "count":
            return self._say.value(column.name)
        return self._say.text("persons") if self._report.counts == "persons" else self._say.text("count")

    def column_named(self, name: str) -> str:
        """The same of the column of that name."""
        found = self._counts.get(name)
        return self._say.value(name) if found is None else self.column(found)

    def named(self, table: str, code: str) -> str:
        """The words of a table of `wording` for a code."""
        return wording.named(getattr(wording, table), code, self._say)

    def metric(self, name: str) -> tuple[str, str]:
        """The name and the definition of a metric."""
        return wording.metric(name, self._say)

    def model(self, name: str) -> tuple[str, str]:
        """The name of a model and its figure."""
        return wording.model(name, self._say)

    def level(self, column: CodebookColumn) -> str:
        """The released level of a column."""
        if column.level_name == "mixed":
            return self._say.text("several levels")
        if column.level_name is None:
            return "" if column.level is None else self._say.number(column.level)
        name = self.level_name(column.level_name)
        own = unnamed(column.level_name) is None
        if column.level is None or not own or column.level_name in (str(column.level), STAR):
            return name
        return self._say.text("%(name)s (level %(n)s)", name=name, n=self._say.number(column.level))

    def level_name(self, name: str) -> str:
        """The name of a level."""
        return wording.level_name(name, self._say)

    def bounds(self, bar: Bar, found: ReportedDistribution) -> str:
        """The label of a bar: a released one, the bounds of its numbers, or all others together."""
        if bar.label:
            return self._say.value(bar.label)
        if found.kind == "labels":
            return self._say.text("all others")
        return charts.interval(bar.low, bar.high, found.unit, self._say)


def first_loss(report: ReportFigures) -> Loss | None:
    """The loss that stands first: by the objective of the request, else the one that speaks for a release."""
    known = {each.metric: each for each in report.losses}
    found = given_up({each.metric: each.share for each in report.losses})
    return known.get(report.asked.objective or "") or known.get("" if found is None else found[0])


class _Charts:
    """The charts of this report, for the templates; each has a key of its own in the page."""

    def __init__(self, report: ReportFigures, say: Language) -> None:
        self._report, self._say = report, say

    def sizes(self) -> Markup:
        """The histogram of class sizes."""
        return charts.sizes_histogram(self._report.sizes, self._say)

    def distribution(self, found: ReportedDistribution, place: int) -> Markup:
        """The histogram of a column of numbers."""
        report = self._report
        return charts.distribution_chart(found, f"distribution-{place}", report.counts, report.floor, self._say)

    def matrix(self, *, after: bool) -> Markup:
        """The matrix of associations."""
        key = "associations-after" if after else "associations-before"
        return charts.association_matrix(self._report.associations, key, after=after, say=self._say)

    def bar(self, before: float | None, after: float | None) -> Markup:
        """A bar for a row of a table."""
        return charts.bar(before, after)

    def shares(self, found: ReportedDistribution, bar: Bar) -> Markup:
        """The bar of a label, as long as its share of the longest one of the column."""
        most = max(
            (each.number or 0 for one in found.bars for each in (one.before, one.after) if each is not None), default=0
        )
        return charts.bar(_part(bar.before, most), _part(bar.after, most))


def _part(count: Count | None, most: int) -> float | None:
    return None if count is None else (count.number or 0) / max(most, 1)
