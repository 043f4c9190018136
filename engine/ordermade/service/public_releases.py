"""The releases in the catalogue as every user reads them: nothing of who requested them, and no request by number.

The title is the provider's, the name of the file the engine's. Of the request there is what says what the release is
of: its k, its row filter, its columns with their levels. A hierarchy that a user uploaded has no name here: that begins
with the user's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.catalogue.verified_releases import TABLES
from ordermade.errors import UnknownName
from ordermade.phrases import phrase
from ordermade.records.cards import HasSummary
from ordermade.records.printed import NOT_PRINTED
from ordermade.release.entitled import Entitled
from ordermade.release.files import ending_of
from ordermade.reports.citing import cited_of
from ordermade.reports.figures import CitedColumn, CitedRelease, Count
from ordermade.reports.released import recorded
from ordermade.service.running import as_delivered
from ordermade.state import hierarchies, publications, releases, requests

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.database import StateFile
    from ordermade.state.publications import Publication

ROWS, CLASSES, CELLS = "rows", "classes", "cells"
"""What the rows of the file are: of the dataset, generalised; classes with their counts; cells of tables."""


@dataclass(frozen=True, slots=True, repr=False)
class ListedRelease(HasSummary):
    """A release in the catalogue, as a list has it."""

    release: int
    """Its number."""
    dataset: str
    """Its dataset."""
    title: str
    """Its title, which the provider wrote."""
    published_at: datetime
    """When it was published."""


@dataclass(frozen=True, slots=True, repr=False)
class PublicRelease(HasSummary):
    """A release in the catalogue, with what it is."""

    release: int
    """Its number."""
    dataset: str
    """Its dataset."""
    title: str
    """Its title, which the provider wrote."""
    published_at: datetime
    """When it was published."""
    shape: str
    """What the rows of its file are: `rows`, `classes` or `cells`."""
    k: int
    """Its k."""
    suppression_limit: Fraction
    """The share of the dataset that was to be suppressed at most."""
    suppressed: Count
    """The suppressed rows; "fewer than k" where they are few, or none."""
    rows: int
    """The rows of its file."""
    classes: int
    """Its equivalence classes, or cells."""
    filter: str | None
    """The row filter of its request."""
    columns: tuple[CitedColumn, ...]
    """Its columns with their levels."""
    cited: CitedRelease = field(metadata=NOT_PRINTED)
    """The same, as it is cited."""

    @property
    def is_of_tables(self) -> bool:
        """Whether it has tables with totals."""
        return self.shape == CELLS


@dataclass(frozen=True, slots=True)
class PublicFile:
    """The file of a release in the catalogue, and the name that it is saved by, which says nothing of its request."""

    path: Path
    """Where it is."""
    name: str
    """The name that it is saved by."""


def listed(connection: StateConnection, dataset: str) -> tuple[ListedRelease, ...]:
    """The releases of a dataset in the catalogue, the latest first."""
    found = publications.in_catalogue(connection, dataset=dataset)
    return tuple(ListedRelease(each.release_id, dataset, each.title, each.published_at) for each in found)


def columns_of(connection: StateConnection, number: int) -> tuple[str, ...]:
    """The columns of its dataset that a release has or is filtered by."""
    release = releases.get(connection, number)
    where = requests.get(connection, release.request_id).filter
    own = tuple(each.column for each in release.columns if each.role != "count")
    if where is None:
        return own
    # sqlglot is slow to import, and most releases have no filter.
    from ordermade.requests.filter_tree import columns_of_filter
    from ordermade.requests.row_filter import parse_alone

    return (*own, *columns_of_filter(parse_alone(where)))


def find(connection: StateConnection, number: int) -> tuple[Publication, str]:
    """The publication of a release in the catalogue, and its dataset. Raises UnknownName where it has none."""
    found = publications.in_catalogue(connection, release=number)
    if not found:
        raise unknown(number)
    release = releases.get(connection, number)
    return found[0], requests.get(connection, release.request_id).dataset_name


def unknown(number: int) -> UnknownName:
    """The error of a release that the catalogue does not have, whether there is one of that number or not."""
    next_step = phrase("The catalogue shows which there are.")
    return UnknownName("release", str(number), next_step=next_step)


def public_release(state: StateFile, found: Publication) -> PublicRelease:
    """A release in the catalogue. Raises Refused where its file was taken away meanwhile, StateFault."""
    record = recorded(state, found.release_id)
    release, request = record.release, record.request
    with state.reading() as connection:
        own = _of_users(connection, [each.name for each in record.hierarchies.values()])
    cited = cited_of(record, "user")
    columns = tuple(replace(each, hierarchy=None) if each.hierarchy in own else each for each in cited.columns)
    name = _name(release.id, Path(release.name))
    cited = replace(cited, title=found.title, file=name, request=0, columns=columns)
    entitled = Entitled.of_record(release, request, release.columns)
    is_of_tables = request.method == TABLES
    return PublicRelease(
        release=release.id,
        dataset=request.dataset_name,
        title=found.title,
        published_at=found.published_at,
        shape=CELLS if is_of_tables else CLASSES if request.shape == "table" else ROWS,
        k=request.k if is_of_tables else cited.k,
        suppression_limit=entitled.limit,
        suppressed=Count.none_or(entitled.suppressed, request.k),
        rows=release.rows,
        classes=release.divisions,
        filter=request.filter,
        columns=columns,
        cited=cited,
    )


def public_file(state: StateFile, number: int) -> PublicFile:
    """The file of a release in the catalogue, as it was delivered. Raises UnknownName, ReleaseFault."""
    with state.reading() as connection:
        release = releases.get(connection, number)
    path = as_delivered(release)
    return PublicFile(path, _name(number, path))


def _name(number: int, path: Path) -> str:
    return f"release-{number}{ending_of(path)}"


def _of_users(connection: StateConnection, names: list[str]) -> frozenset[str]:
    """Those of these hierarchies that users uploaded."""
    return frozenset(hierarchies.named(connection, frozenset(names)).owners) if names else frozenset()
