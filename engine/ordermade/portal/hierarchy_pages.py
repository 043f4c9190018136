"""Hierarchies of a user's own in a browser: looked at, uploaded, removed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from fastapi.responses import Response

from ordermade.errors import InputError, Refused
from ordermade.hierarchies.read_csv import text_of
from ordermade.phrases import phrase
from ordermade.portal.routing import Pages
from ordermade.portal.visits import Visit, Visiting
from ordermade.portal.words import message_of
from ordermade.service.own_hierarchies import LARGEST_HIERARCHY, WHERE

pages = Pages()

ENDINGS = ("csv", "yaml", "yml")
"""The endings of files of hierarchies."""

EXAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "interval": "intervals:\n  levels:\n  - {width: 5}\n  - {width: 10}\n  - {bounds: [20, 60]}\n",
        "date": "date: [month, year]\n",
        "prefix": "prefix:\n  keep: [3, 1]\n",
        "explicit": "mapping:\n  nurse: [medicine, working]\n  pupil: [school, not working]\n",
    }
)
"""A file of each kind of hierarchy, from the finest level to the coarsest below `*`."""


@pages.page("/hierarchies", "catalogue.hierarchies")
def hierarchies(visit: Visiting, dataset: str = "") -> Response:
    """The hierarchies of the user's own, and the form to upload one for a dataset."""
    return _page(visit, dataset)


@pages.action("/hierarchies", "catalogue.add_hierarchy", file="file")
def upload(visit: Visiting) -> Response:
    """Uploads a hierarchy for a column."""
    dataset = visit.entry("dataset", 200)
    try:
        file = visit.upload("file", ENDINGS)
        if file is None:
            raise InputError(phrase("no file was chosen"), where="file", next_step=phrase("Choose one."))
        if len(file.content) > LARGEST_HIERARCHY:
            raise InputError(
                phrase("the file is larger than %(most)s bytes", most=format(LARGEST_HIERARCHY, ",")),
                where="file",
                next_step=phrase("Write a shorter one."),
            )
        visit.engine.catalogue.add_hierarchy(
            dataset,
            visit.entry("column", 300),
            visit.entry("name", 200),
            text_of(file.content, WHERE),
            "csv" if file.ending == "csv" else "yaml",
        )
    except (InputError, Refused) as fault:
        return _page(visit, dataset, message_of(fault))
    return visit.see_other("/hierarchies")


@pages.action("/hierarchies/remove", "catalogue.remove_hierarchy")
def remove(visit: Visiting) -> Response:
    """Takes a hierarchy of the user's own out of use."""
    visit.engine.catalogue.remove_hierarchy(visit.entry("name", 200))
    return visit.see_other("/hierarchies")


def _page(visit: Visit, name: str, problem: str = "") -> Response:
    noun = visit.engine.catalogue
    return visit.page(
        "hierarchies.html.j2",
        422 if problem else 200,
        own=noun.hierarchies(),
        datasets=noun.list(),
        dataset=noun.get(name) if name else None,
        chosen={field: given[0] for field, given in visit.form.items()},
        problems=(problem,) if problem else (),
        examples=EXAMPLES,
        endings=",".join(f".{each}" for each in ENDINGS),
    )
