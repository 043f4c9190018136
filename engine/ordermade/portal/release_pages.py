"""A delivered release in a browser: the file, its report, its codebook, and how to cite it."""

from __future__ import annotations

from pathlib import PurePath

from fastapi.responses import HTMLResponse, Response

from ordermade.errors import Refused
from ordermade.phrases import phrase
from ordermade.portal.request_facts import RequestFacts
from ordermade.portal.request_pages import offered_of
from ordermade.portal.routing import Pages
from ordermade.portal.saved_files import codebook_answer, file_answer
from ordermade.portal.visits import Visit, Visiting
from ordermade.reports import sentences, table_sentences
from ordermade.reports.file import Report, ReportOfTables, page_of
from ordermade.reports.language import Language
from ordermade.state.records.submissions import Submission

pages = Pages()

REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
"""A report has its style within it, and nothing that runs: it is shown as a page of no origin."""


@pages.page("/requests/{number}/release", "submissions.delivered_file")
def release(visit: Visiting, number: int) -> Response:
    """The release of a request, for its user."""
    at = _delivered(visit, number)
    noun, say = visit.engine.submissions, Language.of(visit.language)
    details = noun.get(number)
    asked = RequestFacts.of(details.in_force.request, offered_of(visit, details))
    report = visit.engine.releases.cited(at.release_id or 0, "user")
    is_of_tables = isinstance(report, ReportOfTables)
    words = table_sentences if is_of_tables else sentences
    return visit.page(
        "release.html.j2",
        at=at,
        file=PurePath(noun.where(number) or "").name,
        report=report,
        is_of_tables=is_of_tables,
        asked=asked,
        finest={each.name: each.finest or "value" for each in asked.columns if each.use == "generalised"},
        k=report.asked.k if isinstance(report, ReportOfTables) else report.k,
        citation=words.cited(report, say),
        bibtex=words.bibtex(report, say),
        has_certificate=noun.certificate(number) is not None,
    )


@pages.page("/requests/{number}/release/file", "submissions.delivered_file")
def download(visit: Visiting, number: int) -> Response:
    """The file itself, as it was delivered."""
    path = visit.engine.submissions.delivered_file(number)
    return visit.answered(file_answer(path, path.name))


@pages.page("/requests/{number}/release/report", "submissions.delivered_file")
def report(visit: Visiting, number: int) -> Response:
    """The report of the release, as a page of its own."""
    found = page_of(_report(visit, _delivered(visit, number)), visit.language)
    return visit.answered(HTMLResponse(found, headers={"content-security-policy": REPORT_POLICY}))


@pages.page("/requests/{number}/release/codebook.csv", "submissions.delivered_file")
def codebook(visit: Visiting, number: int) -> Response:
    """The columns of the release with their roles, hierarchies and levels, as CSV."""
    found = _report(visit, _delivered(visit, number))
    if not isinstance(found, Report):
        raise Refused(phrase("tables with totals have no codebook"), next_step=phrase("Their report explains them."))
    heads = ("column", "role", "kind", "hierarchy", "level", "level name", "distinct")
    rows = [
        (each.name, each.role, each.kind, each.hierarchy, each.level, each.level_name, each.distinct)
        for each in found.columns
    ]
    return visit.answered(codebook_answer(number, heads, rows))


@pages.page("/requests/{number}/release/certificate.json", "submissions.certificate")
def certificate(visit: Visiting, number: int) -> Response:
    """The certificate that no more detailed release passes, as its user may have it."""
    found = visit.engine.submissions.certificate(number)
    if found is None:
        raise Refused(phrase("the release has no certificate"), next_step=phrase("Its report says what is proved."))
    headers = {"content-disposition": f'attachment; filename="certificate-{number}.json"'}
    return visit.answered(Response(found, media_type="application/json", headers=headers))


def _delivered(visit: Visit, number: int) -> Submission:
    """The request, once it is delivered. Raises UnknownName, Refused."""
    at = visit.engine.submissions.get(number).submission
    if at.status != "delivered" or at.release_id is None:
        raise Refused(
            phrase("it was not delivered, or its release was withdrawn"), next_step=phrase("Look at the request.")
        )
    if at.submitted_by != visit.user.actor.name and not visit.user.actor.is_provider:
        raise Refused(phrase("a release is for the user who asked for it"), next_step=phrase("Look at the request."))
    return at


def _report(visit: Visit, at: Submission) -> Report | ReportOfTables:
    return visit.engine.releases.report(at.release_id or 0, "user")
