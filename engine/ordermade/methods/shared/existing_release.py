"""Names that are taken: the release that stands there is returned where the same is requested again, else refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ordermade.catalogue.releases import VerifiedRelease, verified_file, verified_table
from ordermade.errors import InputError, ReleaseFault, SourceFault
from ordermade.measuring.dataset import Version
from ordermade.methods.shared.open_request import OpenRequest, Setting
from ordermade.methods.shared.result import Losses, ReleaseReport, Result
from ordermade.private_files import same_file
from ordermade.release.files import read_manifest, refuse_standing, standing
from ordermade.release.into_source import INSTEAD, refuse_taken
from ordermade.requests.model import SourceTable
from ordermade.requests.resolving import ResolvedRequest, request_hash
from ordermade.sources.files import matching
from ordermade.sources.open import expanded
from ordermade.state import hierarchies, releases, requests, sources, versions
from ordermade.state.database import StateFile, cache_path
from ordermade.state.records import RequestDetails
from ordermade.state.releases import ReleaseDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedResult(Result):
    """The release of an earlier request for the same, which still verifies: nothing was searched, nothing written.

    `returned`: the number of the release; `request`: that of the request it came out of. `levels` and `level_names` of
    the generalised columns, where they are at one level each.
    """

    returned: int
    levels: Mapping[str, int] = field(default_factory=dict)
    level_names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Earlier:
    """The release that stands under the name, with the request it came out of."""

    details: ReleaseDetails
    requested: RequestDetails

    @property
    def number(self) -> int:
        return self.details.release.id


def refuse_foreign(state: StateFile, path: Path, *, replaces: bool) -> None:
    """Raises InputError, before anything is opened, where a file has the name and is no release that stands there.

    With `replaces` it may be any file but one that the engine works with. Raises StateFault.
    """
    if standing(path) is None:
        return
    if replaces:
        _refuse_in_use(state, path)
        return
    with state.reading() as connection:
        known = releases.standing(connection, path=str(path))
    if known is None:
        refuse_standing(path, INSTEAD)


def earlier_release(
    question: OpenRequest[ResolvedRequest],
    setting: Setting,
    seen: Version,
    beside: Callable[[ReleaseDetails], bool] = lambda _: True,
) -> ReturnedResult | None:
    """The release that stands under the name, where the same was requested of the same dataset version; else None.

    It is measured again first. `beside`: whether the files that the request wants beside the release are there. Where
    there is none, the run notes whether the new release may take the place of what has its name. Raises InputError
    where the name is taken and it may not.
    """
    release = question.read.request.release
    earlier = _standing(question, setting.state)
    is_own = earlier is not None and earlier.requested.request.request_hash == _hash_of(question)
    why_not = ""
    if earlier is not None and is_own and not setting.again:
        why_not = _why_made_anew(question, setting, seen, earlier)
        if not why_not and not beside(earlier.details):
            why_not = "the files beside it are not those of the release"
        found = None if why_not else _measured_again(question, setting, earlier)
        if found is not None and found.intact:
            return _returned(earlier, seen)
        why_not = why_not or "it is not what was released"
    is_gone = earlier is not None and release.path is not None and _is_gone(earlier, release.path)
    question.run.replaces = release.replace or is_gone or (is_own and setting.again)
    instead = INSTEAD
    if earlier is not None and is_own:
        instead = f"It is release {earlier.number} of the same request, but {why_not}: `--again` makes it anew."
    if release.path is None:
        table = _table_of(question)
        marks = question.opened.backend.marks(*question.opened.backend.capabilities.place_of(table))
        refuse_taken(marks, table, replaces=question.run.replaces, instead=instead)
    elif not question.run.replaces:
        refuse_standing(release.path, instead)
    return None


def _standing(question: OpenRequest[ResolvedRequest], state: StateFile) -> _Earlier | None:
    if question.standing is None:
        return None
    with state.reading() as connection:
        details = releases.get(connection, question.standing)
        return _Earlier(details, requests.get(connection, details.release.request_id))


def _is_gone(earlier: _Earlier, path: Path) -> bool:
    """True if the file of a release was taken away, and nothing but its own manifest has its name."""
    try:
        return not os.path.lexists(path) and read_manifest(path).get("sha256") == earlier.details.release.sha256
    except ReleaseFault:  # it has no manifest, or another's
        return False


def _table_of(question: OpenRequest[ResolvedRequest]) -> str:
    target = question.read.request.release.to
    return target.table if isinstance(target, SourceTable) else ""


def _hash_of(question: OpenRequest[ResolvedRequest]) -> str:
    resolved = question.resolved
    return request_hash(question.read.request, resolved.filter_text, resolved.said_by_files)


def _why_made_anew(question: OpenRequest[ResolvedRequest], setting: Setting, seen: Version, earlier: _Earlier) -> str:
    """Return why a standing release of the same request does not answer it; empty if it does and still verifies."""
    version = versions.version_id(question.identity, seen.rows, seen.hash_sum, seen.columns_hash)
    if earlier.requested.request.dataset_version_id != version:
        return "the dataset has changed"
    if setting.distributions:
        return "the distributions before and after are not kept"
    named = question.read.request.hierarchy_names
    with setting.state.reading() as connection:
        added = [each.added_at for each in hierarchies.listed(connection) if each.name in named]
    if any(each > earlier.requested.request.started_at for each in added):
        return "a hierarchy has changed"
    return ""


def _measured_again(
    question: OpenRequest[ResolvedRequest], setting: Setting, earlier: _Earlier
) -> VerifiedRelease | None:
    """The standing release, measured where it is; None where it cannot be read."""
    release = question.read.request.release
    try:
        if release.path is None:
            return verified_table(earlier.details, earlier.requested, question.opened.backend)
        if release.path.stat().st_mode & 0o777 != release.file_mode:
            return None
        return verified_file(earlier.details, earlier.requested, setting.limits)
    except (ReleaseFault, SourceFault, OSError):  # it is made anew, or its name is refused with what is wrong
        return None


def _returned(earlier: _Earlier, seen: Version) -> ReturnedResult:
    release, requested = earlier.details.release, earlier.requested
    chosen = [each for each in requested.quasi_identifiers if each.chosen_level is not None]
    return ReturnedResult(
        request=requested.request.id,
        status="released",
        rows=seen.rows,
        k=release.k,
        divisions=release.divisions,
        suppressed_rows=release.suppressed_rows,
        suppressed_persons=release.suppressed_persons,
        privacy=earlier.details.privacy,
        loss=_losses(earlier.details),
        release=ReleaseReport(
            path=release.name,
            sha256=release.sha256,
            rows=release.rows,
            star_rows=release.star_rows or 0,
            suppressed_rows=release.suppressed_rows,
            persons=release.persons,
            suppressed_persons=release.suppressed_persons,
        ),
        returned=release.id,
        levels={each.column: each.chosen_level for each in chosen if each.chosen_level is not None},
        level_names={each.column: each.chosen_level_name or "" for each in chosen},
    )


def _losses(details: ReleaseDetails) -> Losses:
    """The losses as a result has them: those of an attribute under the name of their metric."""
    found: dict[str, float | int | dict[str, float | None] | None] = {}
    for name, value in details.losses.items():
        metric, _, attribute = name.partition(".")
        metric = "classes" if metric == "divisions" else metric  # as earlier releases have it
        if attribute:
            by_attribute = found.setdefault(metric, {})
            if isinstance(by_attribute, dict):
                by_attribute[attribute] = value
        else:
            found[metric] = value
    return dict(found)


def _refuse_in_use(state: StateFile, path: Path) -> None:
    """Raises InputError where a file is the state, the cache, or one that a registered source is read from."""
    with state.reading() as connection:
        registered = sources.listed(connection)
    in_use = [state.path, cache_path(state.path)]
    for each in registered:
        try:
            in_use += matching(expanded(each.location))
        except SourceFault:  # its files are not there, so this is none of them
            continue
    if path.exists() and any(_is_same(each, path) for each in in_use):
        raise InputError(
            "this file is the engine's own, or a registered source is read from it",
            where=str(path),
            next_step="Give `release: to:` another name; such a file is never replaced.",
        )


def _is_same(one: Path, other: Path) -> bool:
    try:
        return same_file(one.stat(), other.stat())
    except OSError:  # one of them is not there
        return False
