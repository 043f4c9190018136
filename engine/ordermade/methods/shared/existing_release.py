"""Names that are taken: the release that stands there is returned where the same is requested again, else refused."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ordermade.catalogue.verified_releases import verified_file, verified_table
from ordermade.counting.dataset import Version, version
from ordermade.errors import InputError, OrdermadeError, ReleaseFault, SourceFault
from ordermade.files.private import same_file
from ordermade.ledger.pools import ANYONE
from ordermade.loss.extremes import Extremes
from ordermade.loss.shapes import GeneralizationLoss, HistoryLoss, MicroaggregationLoss, MondrianLoss, NoLoss, TableLoss
from ordermade.loss.shares import LossValues
from ordermade.methods.shared.open_request import OpenRequest, RunContext
from ordermade.methods.shared.released_columns import ReleasedForms
from ordermade.methods.shared.result import ReleaseReport, Result
from ordermade.release.files import check_target, manifest_of, read_manifest, refuse_standing, standing
from ordermade.release.into_source import INSTEAD, refuse_taken
from ordermade.release.measure import labels_in_file
from ordermade.requests.model import SourceTable
from ordermade.requests.resolving import ResolvedRequest, request_hash
from ordermade.sources.files import matching
from ordermade.sources.open import expanded
from ordermade.sources.workspace import Interrupt
from ordermade.state import hierarchies, releases, requests, sources, versions
from ordermade.state.database import StateFile
from ordermade.state.ledger import ledger_of
from ordermade.state.location import cache_path
from ordermade.state.releases import ReleaseColumn, ReleaseRecord

if TYPE_CHECKING:
    from ordermade.catalogue.verified_releases import VerifiedRelease
    from ordermade.state.records.requests import RequestRecord


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReturnedResult(Result):
    """An earlier release of the same request still verifies: nothing was searched or written."""

    loss: Annotated[
        LossValues, GeneralizationLoss | MondrianLoss | MicroaggregationLoss | HistoryLoss | TableLoss | NoLoss
    ] = field(default_factory=dict)
    """The losses of the release, by metric."""
    method: Annotated[str, Literal["generalization", "mondrian", "microaggregation", "history", "table"]] = ""
    """The method of the request."""
    returned: int
    """The number of the release."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """The level of each generalised column, where it has one."""
    level_names: Mapping[str, str] = field(default_factory=dict)
    """The same by name."""

    def _own_facts(self) -> Iterator[tuple[str, Any]]:
        yield "returned", f"release {self.returned}, measured again: nothing was written"


@dataclass(frozen=True, slots=True)
class _Earlier:
    """The release that stands under the name, with the request it came out of."""

    release: ReleaseRecord
    request: RequestRecord
    hierarchies_added: Mapping[str, datetime]
    """The moment that each hierarchy of the state was added, by name."""

    @property
    def number(self) -> int:
        return self.release.id


def refuse_foreign(state: StateFile, path: Path, *, kind: str, replaces: bool) -> None:
    """Raises InputError, before anything is opened, where a file has the name and is no release that stands there.

    One with a manifest beside it is most likely a release: whether it stands there is seen when the state is read for
    the request (`earlier_release`). With `replaces` it may be any file but one that the engine works with. Raises
    StateFault, and InputError where no release of this `kind` can get the name.
    """
    check_target(path, kind=kind)
    found = standing(path)
    if found is None or (not replaces and found == path and os.path.lexists(manifest_of(path))):
        return
    if replaces:
        _refuse_in_use(state, path)
        return
    with state.reading() as connection:
        known = releases.standing(connection, path=str(path))
    if known is None:
        refuse_standing(path, INSTEAD)


def earlier_release(
    open_request: OpenRequest[ResolvedRequest],
    context: RunContext,
    beside: Callable[[ReleaseRecord], bool] = lambda _: True,
) -> tuple[Version, ReturnedResult | None]:
    """The version of the dataset, and the release under the name where the same was requested of that version.

    None where there is no such release; it is measured again first. `beside`: whether the files that the request wants
    beside the release are there. Where there is none, the run notes whether the new release may take the place of what
    has its name. Raises InputError where the name is taken and it may not.
    """
    seen, look = _version_and_look(open_request, context)
    release, earlier = open_request.read.request.release, look.earlier
    why_not = look.why_not
    if earlier is not None and look.is_own and not context.again:
        if earlier.request.dataset_version_id != _version_id(open_request, seen):
            why_not = "the dataset has changed"
        if not why_not and not beside(earlier.release):
            why_not = "the files beside it are not those of the release"
        found = None if why_not else look.measured()
        if found is not None and found.intact:
            return seen, _returned(open_request, earlier, seen)
        why_not = why_not or "it is not what was released"
    is_gone = earlier is not None and release.path is not None and _is_gone(earlier, release.path)
    open_request.run.replaces = release.replace or is_gone or (look.is_own and context.again)
    instead = INSTEAD
    if earlier is not None and look.is_own:
        instead = f"It is release {earlier.number} of the same request, but {why_not}: `--again` makes it anew."
    if release.path is None:
        table = _table_of(open_request)
        marks = open_request.opened.backend.marks(*open_request.opened.backend.capabilities.place_of(table))
        refuse_taken(marks, table, replaces=open_request.run.replaces, instead=instead)
    elif not open_request.run.replaces:
        refuse_standing(release.path, instead)
    return seen, None


@dataclass(frozen=True, slots=True)
class _Look:
    """The release that stands under the name, if one does: whether it is of the same request, and why it is not it.

    `why_not`: empty where nothing but its version and its content may keep it from being returned. `measured` gives it
    measured where it is, or None where it cannot be read.
    """

    earlier: _Earlier | None
    is_own: bool
    why_not: str
    measured: Callable[[], VerifiedRelease | None] = lambda: None


def _version_and_look(open_request: OpenRequest[ResolvedRequest], context: RunContext) -> tuple[Version, _Look]:
    """The version of the dataset, and a look at the release under the name: meanwhile, where another process counts."""
    dataset = open_request.versioned
    is_file = open_request.standing is not None and open_request.read.request.release.path is not None
    if not (is_file and dataset.backend.capabilities.counts_elsewhere):
        return version(dataset), _looked(open_request, context)
    interrupt = Interrupt()
    with ThreadPoolExecutor(1) as meanwhile:
        looking = meanwhile.submit(_looked, open_request, context, interrupt)
        try:
            return version(dataset), looking.result()
        except BaseException:
            interrupt.now()
            raise


def _looked(
    open_request: OpenRequest[ResolvedRequest], context: RunContext, interrupt: Interrupt | None = None
) -> _Look:
    """The look; with an `interrupt` a release that may be returned is measured at once."""
    earlier = _standing(open_request, context.state)
    if earlier is None:
        return _Look(None, False, "")
    is_own = earlier.request.request_hash == _hash_of(open_request)
    why_not = _why_made_anew(open_request, context, earlier)
    measured = partial(_measured_again, open_request, context, earlier)
    if interrupt is not None and is_own and not why_not and not context.again:
        found = measured(interrupt)
        measured = partial(lambda: found)
    return _Look(earlier, is_own, why_not, measured)


def _standing(open_request: OpenRequest[ResolvedRequest], state: StateFile) -> _Earlier | None:
    if open_request.standing is None:
        return None
    with state.reading() as connection:
        release = releases.get(connection, open_request.standing)
        added = {each.name: each.added_at for each in hierarchies.listed(connection)}
        return _Earlier(release, requests.get(connection, release.request_id), added)


def _is_gone(earlier: _Earlier, path: Path) -> bool:
    """True if the file of a release was taken away, and nothing but its own manifest has its name."""
    try:
        return not os.path.lexists(path) and read_manifest(path).get("sha256") == earlier.release.sha256
    except ReleaseFault:  # it has no manifest, or another's
        return False


def _table_of(open_request: OpenRequest[ResolvedRequest]) -> str:
    target = open_request.read.request.release.to
    return target.table if isinstance(target, SourceTable) else ""


def _hash_of(open_request: OpenRequest[ResolvedRequest]) -> str:
    resolved = open_request.resolved
    return request_hash(open_request.read.request, resolved.filter_text, resolved.said_by_files)


def _version_id(open_request: OpenRequest[ResolvedRequest], seen: Version) -> int:
    return versions.version_id(open_request.identity, seen.rows, seen.hash_sum, seen.columns_hash)


def _why_made_anew(open_request: OpenRequest[ResolvedRequest], context: RunContext, earlier: _Earlier) -> str:
    """Return why a standing release of the same request does not answer it, whatever its version; empty if it may."""
    if context.distributions:
        return "the distributions before and after are not kept"
    named, started = open_request.read.request.hierarchy_names, earlier.request.started_at
    if any(at > started for name, at in earlier.hierarchies_added.items() if name in named):
        return "a hierarchy has changed"
    recipients = ledger_of(context.state).recipients_of(earlier.request.run)
    if recipients is not None and ANYONE not in recipients and not set(context.recipients) <= set(recipients):
        return "it was made for other recipients"
    return ""


def _measured_again(
    open_request: OpenRequest[ResolvedRequest],
    context: RunContext,
    earlier: _Earlier,
    interrupt: Interrupt | None = None,
) -> VerifiedRelease | None:
    """The standing release, measured where it is; None where it cannot be read. `interrupt`: as in `measure_file`."""
    release = open_request.read.request.release
    try:
        if release.path is None:
            return verified_table(earlier.release, earlier.request, open_request.opened.backend)
        if release.kind == "file" and release.path.stat().st_mode & 0o777 != release.file_mode:
            return None
        return verified_file(earlier.release, earlier.request, context.limits, interrupt)
    except (ReleaseFault, SourceFault, OSError):  # it is made anew, or its name is refused with what is wrong
        return None


def _forms(open_request: OpenRequest[ResolvedRequest], earlier: _Earlier, seen: Version) -> ReleasedForms:
    """The columns of the release; their labels are read from its file when they are wanted."""
    resolved: Any = open_request.resolved
    named = [each for name in ("qis", "within", "attributes") for each in getattr(resolved, name, ())]
    hierarchies = {each.column: each.hierarchy for each in named if each.hierarchy is not None}
    columns = earlier.release.columns
    tops = [hierarchies[each.column].top for each in columns if each.level is not None and each.column in hierarchies]
    units = earlier.release.persons is None
    return ReleasedForms(
        columns=columns,
        hierarchies=hierarchies,
        labels=partial(_labels, open_request, earlier.release),
        shares=_shares(earlier.release),
        extremes=partial(Extremes, seen.rows if units else None, earlier.request.k, tops=tuple(tops) or None),
    )


def _shares(release: ReleaseRecord) -> dict[str, float | None]:
    """The loss of each column, where the state has it; of releases of before it noted one, that by attribute."""
    parts = ((name.partition("."), value) for name, value in release.losses.items())
    found: dict[str, float | None] = {
        column: value for (metric, _, column), value in parts if metric in ("by_attribute", "utility_by_column")
    }
    return found | {each.column: each.loss_share for each in release.columns if each.loss_share is not None}


def _labels(open_request: OpenRequest[ResolvedRequest], release: ReleaseRecord) -> dict[str, str | None]:
    """One released label of each quasi-identifier, from the file; none of a table, or where it cannot be read.

    It is the one that was shown when the file was written: values as they were are compared as what they are.
    """
    columns = tuple(each for each in release.columns if each.role == "quasi-identifier")
    if release.path is None or not columns:
        return {}
    try:
        return labels_in_file(
            Path(release.path), {each.column: _type_of(open_request, release, each) for each in columns}
        )
    except (OrdermadeError, OSError):
        return {}


def _returned(open_request: OpenRequest[ResolvedRequest], earlier: _Earlier, seen: Version) -> ReturnedResult:
    release, requested = earlier.release, earlier.request
    chosen = [each for each in requested.quasi_identifiers if each.chosen_level is not None]
    return ReturnedResult(
        request=requested.id,
        status="released",
        rows=seen.rows,
        k=release.k,
        divisions=release.divisions,
        suppressed_rows=release.suppressed_rows,
        suppressed_persons=release.suppressed_persons,
        privacy=earlier.release.privacy,
        loss=_losses(earlier.release),
        release=ReleaseReport(
            path=release.name,
            sha256=release.sha256,
            rows=release.rows,
            star_rows=release.star_rows or 0,
            suppressed_rows=release.suppressed_rows,
            persons=release.persons,
            suppressed_persons=release.suppressed_persons,
            number=release.id,
        ),
        title=requested.title,
        dataset=requested.dataset_name,
        method=requested.method or "generalization",
        k_requested=requested.k,
        next=f"ordermade request run {_typed(open_request.read.path)} --again",
        forms=_forms(open_request, earlier, seen),
        returned=release.id,
        levels={each.column: each.chosen_level for each in chosen if each.chosen_level is not None},
        level_names={each.column: each.chosen_level_name or "" for each in chosen},
    )


def _typed(file: Path | None) -> str:
    """The file of the request as it is typed in a shell; an ellipsis where the request is no file."""
    return "…" if file is None else shlex.quote(str(file))


def _losses(release: ReleaseRecord) -> LossValues:
    """The losses as a result has them: those of an attribute under the name of their metric."""
    found: dict[str, float | int | dict[str, float | None] | None] = {}
    for name, value in release.losses.items():
        metric, _, attribute = name.partition(".")
        metric = "classes" if metric == "divisions" else metric  # as earlier releases have it
        if attribute:
            by_attribute = found.setdefault(metric, {})
            if isinstance(by_attribute, dict):
                by_attribute[attribute] = value
        else:
            found[metric] = value
    return dict(found)


def _type_of(open_request: OpenRequest[ResolvedRequest], release: ReleaseRecord, column: ReleaseColumn) -> str:
    """The type that the values of a release's column had before they were written."""
    is_as_it_was = column.level == 0 and release.star_rows is None
    return open_request.dataset.type_of(column.column) if is_as_it_was else "VARCHAR"


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
