"""The releases of the catalogue in a browser: what each is, how to cite it, and its file. Not who requested it."""

from __future__ import annotations

from fastapi.responses import Response

from ordermade.portal.routing import Pages
from ordermade.portal.saved_files import codebook_answer, file_answer
from ordermade.portal.visits import Visiting
from ordermade.reports import sentences, table_sentences
from ordermade.reports.language import Language

pages = Pages()


@pages.page("/releases/{number}", "catalogue.release")
def release(visit: Visiting, number: int) -> Response:
    """A published release."""
    found, say = visit.engine.catalogue.release(number), Language.of(visit.language)
    words = table_sentences if found.is_of_tables else sentences
    return visit.page(
        "public_release.html.j2",
        release=found,
        citation=words.cited(found.cited, say),
        bibtex=words.bibtex(found.cited, say),
        suppressed=say.units(found.suppressed, "rows"),
    )


@pages.page("/releases/{number}/file", "catalogue.release_file")
def download(visit: Visiting, number: int) -> Response:
    """The file itself, as it was delivered, by a name that says nothing of its request."""
    file = visit.engine.catalogue.release_file(number)
    return visit.answered(file_answer(file.path, file.name))


@pages.page("/releases/{number}/codebook.csv", "catalogue.release")
def codebook(visit: Visiting, number: int) -> Response:
    """Its columns with their roles, hierarchies and levels, as CSV."""
    columns = visit.engine.catalogue.release(number).columns
    heads = ("column", "role", "hierarchy", "level", "level name")
    rows = [(each.name, each.role, each.hierarchy, each.level, each.level_name) for each in columns]
    return visit.answered(codebook_answer(number, heads, rows))
