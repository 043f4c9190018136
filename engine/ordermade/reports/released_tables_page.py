"""The report of released tables with totals as one page of HTML, with the tables themselves if they are small."""

from __future__ import annotations

from dataclasses import replace

from markupsafe import Markup

from ordermade.records.inert import LONGEST, fitted
from ordermade.release.shown_page import sections_of
from ordermade.reports import sentences, table_sentences, wording
from ordermade.reports.figures import Caution
from ordermade.reports.language import Language
from ordermade.reports.masthead import Masthead
from ordermade.reports.page import environment
from ordermade.reports.table_figures import TablesFigures
from ordermade.tables.shown_words import words_in


def page(report: TablesFigures, language: str, masthead: Masthead) -> str:
    """The report as one HTML document in a language (`en`, `ja`). Raises UnknownName for any other."""
    if masthead.title:
        report = replace(report, title=masthead.title)
    say = Language.of(language)
    plain = Language.of(language, markup=False)
    style = environment().loader.get_source(environment(), "style.css")[0]  # type: ignore[union-attr]
    heading = report.title or report.dataset
    cautions = [wording.caution(each, say) for each in (*report.cautions, Caution("membership"))]
    return (
        environment()
        .get_template("released_tables.html.j2")
        .render(
            report=report,
            say=say,
            _=say.text,
            value=say.value,
            named=lambda table, code: wording.named(getattr(wording, table), code, say),
            words=table_sentences,
            audience=sentences.audience(report, say),
            standing=wording.standing(report.standing, say),
            file=sentences.file_name(report),
            level=lambda name: wording.level_name(name, say),
            cautions=cautions,
            tables=sections_of(report.shown, words_in(report.language)) if report.shown else "",
            style=Markup(style),
            masthead=masthead,
            version=report.engine_version,
            heading=heading,
            title=f"{fitted(heading, LONGEST)} · {plain.text('release %(n)s', n=plain.number(report.release))}",
        )
    )
