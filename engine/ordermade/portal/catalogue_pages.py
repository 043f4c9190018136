"""The catalogue: the datasets that a user may ask of, and the columns and levels of each."""

from __future__ import annotations

from fastapi.responses import Response

from ordermade.portal.routing import Pages
from ordermade.portal.visits import Visiting

pages = Pages()


@pages.page("/catalogue", "catalogue.list")
def datasets(visit: Visiting) -> Response:
    """Every dataset of the user."""
    return visit.page("catalogue.html.j2", datasets=visit.engine.catalogue.list())


@pages.page("/catalogue/{name:path}", "catalogue.get")
def dataset(visit: Visiting, name: str) -> Response:
    """One dataset: its columns, its hierarchies as trees, its policy."""
    return visit.page("dataset.html.j2", dataset=visit.engine.catalogue.get(name))
