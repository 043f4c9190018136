"""The state's record of a release, verified against its figures now: all that the release alone can show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import quoted
from ordermade.files.yaml_documents import json_content
from ordermade.privacy.models import MODELS, Model
from ordermade.release.files import manifest_of, read_manifest
from ordermade.release.measure import MeasuredRelease, ReadingPlan, SensitiveColumn
from ordermade.requests.model import COUNT
from ordermade.state.releases import ReleaseRecord

if TYPE_CHECKING:
    from ordermade.state.records.requests import RequestRecord


@dataclass(frozen=True, slots=True)
class RecordedRelease:
    """The state's record of a release: how it is read, the k of the request, and the figures that it does not show.

    `in_units`: whether the classes of the release are in the units that k counts: not where k counts persons, without
    a column that identifies them.
    """

    release: ReleaseRecord
    reading: ReadingPlan
    requested_k: int
    in_units: bool
    untold: tuple[str, ...]

    def differences(self, found: MeasuredRelease) -> Iterator[str]:
        """Every figure that is not as it was noted."""
        release, now = self.release, found.classes
        if (rows := found.rows + found.star_rows) != release.rows:
            yield f"rows are {rows}, noted were {release.rows}"
        if not now.passes(self.requested_k):
            yield f"k is {now.k}, the request has k = {self.requested_k}"
        if self.in_units and now.k != release.k:
            yield f"k is {now.k}, noted were {release.k}"
        if now.divisions != release.divisions:
            yield f"equivalence classes are {now.divisions}, noted were {release.divisions}"
        if self.reading.starred and found.stars != (stars := _stars(release, self.reading)):
            yield f"suppressed rows as * are {found.stars}, noted were {stars}"
        if self.reading.pseudonym is not None and now.rows != release.persons:
            yield f"persons are {now.rows}, noted were {release.persons}"
        for each in found.failed:
            yield f"{each.words} fails in {each.failing} class(es)"


def noted(release: ReleaseRecord, request: RequestRecord) -> RecordedRelease:
    """Return the state's record of a release, ready to be verified."""
    by_role: dict[str, list[str]] = {}
    for each in release.columns:
        by_role.setdefault(each.role, []).append(each.column)
    pseudonym = next(iter(by_role.get("pseudonym", ())), None)
    counts_persons = release.persons is not None
    in_units = not counts_persons or pseudonym is not None or request.shape == "table"
    sensitive, untold = _models(release) if in_units else ((), _all_models(release))
    reading = ReadingPlan(
        quasi_identifiers=tuple(by_role["quasi-identifier"]),
        shape="rows" if request.shape == "rows" else "table",
        starred=tuple(each.column for each in release.columns) if release.star_rows else (),
        pseudonym=pseudonym,
        sensitive=sensitive,
        by_history=request.method == "history",
        count=_count_head(release, request),
    )
    if not in_units:
        untold = ("k and persons: the release has no column that identifies persons", *untold)
    return RecordedRelease(release, reading, request.k, in_units, untold)


def _count_head(release: ReleaseRecord, request: RequestRecord) -> str:
    """The column of counts, as the request names it; after its text was erased, as the manifest of a file has it."""
    if request.shape == "rows":
        return COUNT
    content = {} if request.request is None else json_content(request.request)
    if request.request is None and release.path is not None and manifest_of(Path(release.path)).is_file():
        content = read_manifest(Path(release.path)).get("request", {})
    return str(content.get("release", {}).get("count", COUNT))


def _stars(release: ReleaseRecord, reading: ReadingPlan) -> int | None:
    """Rows that stay as `*`, or the count of the one row of a statistical table, which may be of persons."""
    if reading.shape == "rows" or release.suppressed_persons is None:
        return release.star_rows
    return release.suppressed_persons


def _all_models(release: ReleaseRecord) -> tuple[str, ...]:
    return tuple(
        f"{each.figure} of column {quoted(each.column)}: it counts persons"
        for each in release.privacy
        if each.column is not None
    )


def _models(release: ReleaseRecord) -> tuple[tuple[SensitiveColumn, ...], tuple[str, ...]]:
    """The models that a release can be checked for again, and in words those that it cannot."""
    models: dict[str, list[Model]] = {}
    untold = []
    for each in release.privacy:
        if each.column is None:
            continue
        definition = MODELS.get(each.model or "")
        if definition is None or definition.needs_dataset:
            lacks = "the release does not have the distribution of the whole dataset"
            why = lacks if definition else "this engine has no such model"
            untold.append(f"{each.figure} of column {quoted(each.column)}: {why}")
        else:
            models.setdefault(each.column, []).append(definition.parse(each.parameters, {}))
    return tuple(SensitiveColumn(column, "VARCHAR", tuple(each)) for column, each in models.items()), tuple(untold)
