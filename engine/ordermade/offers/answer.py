"""The answer to a request for offers: the list of them, Mondrian last, and an offer as it was promised.

A promise is on record as the refused request: its hash, its dataset version and its hierarchies determine the list.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from ordermade.errors import InputError, Refused
from ordermade.measuring.counting import Units, units_of
from ordermade.measuring.dataset import version
from ordermade.methods.generalization.answer import searched_as_started
from ordermade.methods.generalization.open_request import Memory, OpenGeneralization, open_request
from ordermade.methods.generalization.result import least_units, refused_at_once
from ordermade.methods.shared.open_request import RunContext, identifying
from ordermade.offers.finding import Finder, Found
from ordermade.offers.offer import VARIANT, Changes, Figures, Offer, Offers, OffersChanged, numbered, offer_of
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.read import ReadRequest, of_generalization
from ordermade.requests.resolve import Resolved
from ordermade.requests.resolving import request_hash
from ordermade.state import mondrian_offers, requests, statements
from ordermade.state.database import StateFile
from ordermade.state.mondrian_offers import MondrianFigures, TriedMondrian
from ordermade.state.records.noted_requests import FinishedRequest

if TYPE_CHECKING:
    from ordermade.requests.mondrian import MondrianRequest

MOST_MEASURED = 5_000
"""The most nodes that one list of offers measures."""
MOST_RECORDS = 200_000
"""The most rows that Mondrian is tried on for an offer: it has to pull and split them all."""
SOON = 200, 20_000
"""The same beneath a refusal, which is not to take long: nodes, rows."""


def found_offers(
    read: ReadRequest[GeneralizationRequest],
    setting: RunContext,
    *,
    under_refusal: bool = False,
    noted: bool = True,
) -> Offers:
    """The offers of a request; `noted`: the state notes that it was refused, and that they are of this version.

    `under_refusal`: a run has noted that, and is to end soon. Raises InputError (malformed), SourceFault, StateFault.
    """
    started, tell = time.perf_counter(), setting.progress
    most_measured, most_records = SOON if under_refusal else (MOST_MEASURED, MOST_RECORDS)
    with open_request(setting.state, setting.limits, read, tell.statement) as question:
        read = of_generalization(question.read, "request offers")
        question.tell_of_parts(tell.step)
        tell.step("dataset version")
        seen = version(question.dataset)
        counted = units_of(question.counts, seen.rows, least_units(question))
        resolved = question.resolved
        hashes = (each.hierarchy.content_hash for each in resolved.qis)
        identity = (request_hash(read.request, resolved.filter_text, resolved.said_by_files), *hashes)
        offers = Offers(
            read.request.title, question.opened.name, "unknown", least_k=question.dataset.least_k, identity=identity
        )
        few = refused_at_once(question, counted)
        reason = few.reason if few else identifying(question, counted)
        if reason:
            return replace(offers, reason=reason)
        memory = Memory(question, seen, counted.persons, setting)
        with memory.kept():
            tell.step("offers")
            finder = Finder(question, counted, memory, setting, most_measured)
            found, passes = finder.all()
    left_out, tried = finder.left_out, None
    if finder.spent:
        left_out.append(
            f"the list ends after {len(finder.measured):,} nodes measured, which table C keeps: "
            "`ordermade request offers` goes on from there"
        )
    elif not passes:
        kept = _Kept(setting.state, memory.known.version_id, _list_hash(identity, question))
        of_mondrian, tried = _of_mondrian(read, resolved, counted, setting, most_records, left_out, kept)
        found += of_mondrian
    offers = replace(
        offers,
        status="passes" if passes else "refused",
        offers=numbered(found, lambda request: ReadRequest(request, read.text, read.path)),
        nodes_measured=len(finder.measured),
        complete=not left_out,
        left_out=tuple(left_out),
        version_id=memory.known.version_id,
    )
    if noted and not under_refusal and not passes:
        _note(question, setting.state, offers, started)
        if tried is not None:
            kept.note(tried)
    return offers


def _list_hash(identity: Sequence[str], question: OpenGeneralization) -> str:
    """The SHA-256 of what determines a list on one dataset version, for one version of the engine."""
    return hashlib.sha256("\n".join((*identity, repr(question.opened.terms))).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Kept:
    """What Mondrian comes to for one list, in the state."""

    state: StateFile
    version_id: int
    list_hash: str

    def noted(self) -> TriedMondrian | None:
        """What was found before; None where this version of the engine did not look yet."""
        with self.state.reading() as connection:
            return mondrian_offers.noted(connection, self.version_id, self.list_hash)

    def note(self, tried: TriedMondrian) -> None:
        """Notes what was found."""
        with self.state.writing() as connection:
            mondrian_offers.note(connection, self.version_id, self.list_hash, tried)


def _of_mondrian(
    read: ReadRequest[GeneralizationRequest],
    resolved: Resolved,
    counted: Units,
    setting: RunContext,
    most_records: int,
    left_out: list[str],
    kept: _Kept,
) -> tuple[list[Found], TriedMondrian | None]:
    """Mondrian, where it passes, and what was tried now; a request that bounds risks cannot be one for it."""
    if resolved.risk is not None:
        return [], None
    if counted.rows > most_records:
        left_out.append(f"Mondrian was not tried on more than {most_records:,} rows (`method: mondrian`)")
        return [], None
    before, new = kept.noted(), None
    if before is None:
        setting.progress.step("offers (Mondrian)")
        before = new = TriedMondrian(_first_that_passes(read, resolved, setting))
    if (figures := before.figures) is None:
        return [], new
    of_variant = (each for each in Changes(resolved).mondrian() if each.changes[VARIANT] == figures.variant)
    return [(change, Figures(figures.k, figures.divisions, figures.losses)) for change in of_variant], new


def _first_that_passes(
    read: ReadRequest[GeneralizationRequest], resolved: Resolved, setting: RunContext
) -> MondrianFigures | None:
    """The first variant of Mondrian that passes: every row is pulled and split."""
    from ordermade.methods.mondrian.sweep import mondrian_swept

    for change in Changes(resolved).mondrian():
        asked = ReadRequest(cast("MondrianRequest", change.request), read.text, read.path)
        try:
            (point,) = mondrian_swept(asked, [change.request.k], setting).points
        except (InputError, Refused):  # columns that cannot be split in this way
            continue
        if point.reason is None and point.measured_k is not None and point.divisions is not None:
            return MondrianFigures(str(change.changes[VARIANT]), point.measured_k, point.divisions, point.losses)
    return None


def _note(question: OpenGeneralization, state: StateFile, offers: Offers, started: float) -> None:
    """Notes the request as refused: its offers are of this dataset version."""
    version_id = offers.version_id
    outcome = FinishedRequest(
        status="refused",
        reason=f"no accepted combination of levels passes; {len(offers.offers):,} alternatives were offered",
        dataset_version_id=version_id,
        nodes_measured=offers.nodes_measured,
        seconds=round(time.perf_counter() - started, 4),
    )
    # In two steps: DuckDB updates no row that new rows of the same transaction refer to.
    with state.writing() as connection:
        number = requests.start(connection, searched_as_started(question, "offers", version_id))
    with state.writing() as connection:
        requests.finish(connection, number, outcome)
        statements.add_audit_entry(connection, "request refused", str(number), outcome.reason)


def promised_offer(read: ReadRequest[GeneralizationRequest], number: int, setting: RunContext) -> Offer:
    """The offer of that number, as it was made for this request, for its data as they are.

    Raises OffersChanged, with the offers of today, where the data or a hierarchy changed since; InputError where no
    offers of the request are on record, or there is none of that number; Refused where nothing may be said.
    """
    found = found_offers(read, setting, noted=False)
    if found.status == "unknown":
        raise Refused(found.reason or "", where=read.where)
    request_hash, *hierarchies = found.identity
    with setting.state.reading() as connection:
        made = requests.listed(connection, request_hash=request_hash)
        last = next((requests.get(connection, each.id) for each in made if each.status == "refused"), None)
    if last is None or last.request.dataset_version_id is None:
        raise InputError(
            "no offers of this request are on record",
            where=read.where,
            next_step="`ordermade request offers` makes them.",
        )
    changed = "the data" if last.request.dataset_version_id != found.version_id else ""
    if [each.hierarchy_hash for each in last.quasi_identifiers] != hierarchies:
        changed = "a hierarchy"
    if not changed:
        return offer_of(found, number)
    now = found_offers(read, setting)
    next_step = "These are the offers now." if now.status == "refused" else "Now the request passes as it is."
    raise OffersChanged(f"{changed} changed since the offers were made", now, where=read.where, next_step=next_step)
