"""The catalogue: the datasets that a user may ask of, and the columns and levels of each."""

from __future__ import annotations

from fastapi.responses import Response

from ordermade.portal.routing import Pages
from ordermade.portal.visits import Visiting

pages = Pages()


@pages.page("/catalogue", "catalogue.list")
def datasets(visit: Visiting) -> Response:
    """Every dataset of the user."""
    catalogue = visit.engine.catalogue
    found = catalogue.list()
    published = {each.name: len(catalogue.releases(each.name)) for each in found}
    return visit.page("catalogue.html.j2", datasets=found, published=published)


@pages.page("/catalogue/{name:path}", "catalogue.get")
def dataset(visit: Visiting, name: str) -> Response:
    """One dataset: its published releases, its policy, its columns with their hierarchies as trees."""
    catalogue = visit.engine.catalogue
    return visit.page("dataset.html.j2", dataset=catalogue.get(name), releases=catalogue.releases(name))
