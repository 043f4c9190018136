"""The answer to a request for offers: the list that was kept for it, or one made now, and an offer as it was promised.

A promise is on record as the refused request: its dataset version and the hash of its list.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ordermade.counting.counts import Units, units_of
from ordermade.counting.dataset import Version, version
from ordermade.errors import InputError, Refused
from ordermade.methods.generalization.open_request import OpenGeneralization, searched_as_started
from ordermade.methods.shared.judged import BesideAnswer
from ordermade.methods.shared.open_request import RunContext, identifying, opened_request, require_unchanged
from ordermade.methods.shared.recorder import noted_version
from ordermade.offers.offer import Found, Offer, OfferFigures, Offers, OffersChanged, numbered, offer_of
from ordermade.offers.stored_offers import found_before, kept
from ordermade.privacy.least_k import too_few
from ordermade.privacy.requirement import least_units, models_hash_of
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.model import Request
from ordermade.requests.read import ReadRequest, of_generalization, of_table
from ordermade.requests.resolve_generalization import resolve
from ordermade.requests.resolving import request_hash
from ordermade.state import audit, offer_lists, requests
from ordermade.state.records.requests import RequestRecord

if TYPE_CHECKING:
    from ordermade.methods.generalization.measurement import Memory
    from ordermade.offers.listing import MadeList
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.requests import RequestRecord

MAX_MEASURED = 5_000
"""The most nodes that one list of offers measures."""
MAX_RECORDS = 200_000
"""The most rows that Mondrian is tried on for an offer: it has to pull and split them all."""
QUICK_LIMITS = 200, 20_000
"""The same beneath a refusal, which is not to take long: nodes, rows."""


def found_offers(
    read: ReadRequest[GeneralizationRequest],
    context: RunContext,
    *,
    under_refusal: bool = False,
    noted: bool = True,
) -> Offers:
    """The offers of a request; `noted`: the state notes that it was refused, and that they are of this version.

    `under_refusal`: a run has noted that, and is to end soon. Raises InputError (malformed), SourceFault, StateFault.
    """
    started, tell = time.perf_counter(), context.progress
    most_nodes, most_rows = QUICK_LIMITS if under_refusal else (MAX_MEASURED, MAX_RECORDS)
    # Not by the method, which imports its search: a list that was kept is answered without one.
    with opened_request(OpenGeneralization, resolve, read, context, tell.statement) as open_request:
        read = of_generalization(open_request.read, "request offers")
        open_request.tell_of_parts(tell.step)
        tell.step("dataset version")
        seen = version(open_request.dataset)
        resolved, least = open_request.resolved, least_units(open_request.resolved)
        counted = units_of(open_request.counts, seen.rows, least)
        hashes = (each.hierarchy.content_hash for each in resolved.qis)
        identity = (request_hash(read.request, resolved.filter_text, resolved.said_by_files), *hashes)
        offers = Offers(
            read.request.title,
            open_request.opened.name,
            "unknown",
            least_k=open_request.dataset.least_k,
            identity=identity,
        )
        reason = too_few(least, counted.number, counted.called) or identifying(open_request, counted)
        if reason:
            return replace(offers, reason=reason)
        listed = _Listed(open_request, context, offers, started, noted=noted and not under_refusal)
        found = listed.recalled(seen, counted)
        if isinstance(found, Offers):
            of_today = [(each.read.request, each.figures) for each in found.offers]
            return _with_judgement(found, _judged(open_request, context, of_today))
        from ordermade.offers.listing import decided_by_nodes, with_mondrian

        made = decided_by_nodes(open_request, counted, found, context, most_nodes)
        judged = _judged(open_request, context, [(change.request, figures) for change, figures in made.found])
    made = with_mondrian(made, open_request, counted, context, most_rows)
    return _with_judgement(listed.ended(made, found.known.version_id), judged)


def _judged(
    open_request: OpenGeneralization, context: RunContext, offered: Sequence[tuple[Request, OfferFigures]]
) -> list[BesideAnswer | None]:
    """The judgement on each offer beside what the recipients have; None of those whose classes are of no one level."""
    resolved = open_request.resolved
    of_nodes = {
        place: tuple(figures.levels.get(each.column, each.hierarchy.top) for each in resolved.qis)
        for place, (_, figures) in enumerate(offered)
        if figures.levels
    }
    found: list[BesideAnswer | None] = [None] * len(offered)
    if not of_nodes or resolved.with_values or resolved.sensitive or resolved.risk or resolved.entity is not None:
        return found
    from ordermade.counting.joint_cells import PartedColumn
    from ordermade.methods.shared.beside import judged_nodes

    columns = [
        PartedColumn(each.column, each.hierarchy, tuple(sorted(set(levels))), each.missing_as_star)
        for each, levels in zip(resolved.qis, zip(*of_nodes.values(), strict=True), strict=True)
    ]
    nodes = [(node, offered[place][0].k) for place, node in of_nodes.items()]
    for place, answer in zip(of_nodes, judged_nodes(open_request, context, columns, nodes), strict=True):
        found[place] = answer
    return found


def _with_judgement(offers: Offers, judged: Sequence[BesideAnswer | None]) -> Offers:
    """The offers, each with its judgement; those after the ones that were judged have none."""
    answers = [*judged, *(None,) * (len(offers.offers) - len(judged))][: len(offers.offers)]
    return replace(
        offers, offers=tuple(replace(each, beside=of) for each, of in zip(offers.offers, answers, strict=True))
    )


@dataclass(frozen=True, slots=True)
class _Listed:
    """The list of one open request, kept in the state or made; `noted`: the state notes that the request was refused.

    `offers`: as they are before anything is known of them. `started`: when the request did.
    """

    open_request: OpenGeneralization
    context: RunContext
    offers: Offers
    started: float
    noted: bool

    def recalled(self, seen: Version, counted: Units) -> Offers | Memory:
        """The list that was kept; where none was, the state's knowledge of the dataset version.

        Raises SourceChanged, StateFault.
        """
        require_unchanged(self.open_request)
        with self.context.state.writing() as connection:
            noted = noted_version(connection, self.open_request, seen, counted.persons)
            kept_list = offer_lists.noted(connection, noted.id, self._hash)
            found = None if kept_list is None else found_before(kept_list, self.open_request.resolved)
            if kept_list is None or found is None:
                from ordermade.methods.generalization.measurement import Memory

                return Memory(self.open_request, noted, self.context, connection)
            left_out = kept_list.left_out
            offers = replace(self._offers(found, noted.id), left_out=left_out, complete=not left_out)
            if self.noted:
                offer_lists.note_offered(connection, self._note(connection, offers), noted.id, self._hash)
        return offers

    def ended(self, made: MadeList, version_id: int) -> Offers:
        """The list as it was made now; kept where no budget ended it."""
        offers = replace(
            self._offers(made.found, version_id),
            status="passes" if made.passes else "refused",
            nodes_measured=made.measured,
            complete=not made.left_out,
            left_out=made.left_out,
        )
        if self.noted and not made.passes:
            with self.context.state.writing() as connection:
                number = self._note(connection, offers)
                if not made.spent:
                    offer_lists.note(connection, number, version_id, self._hash, kept(made.found, made.left_out))
        return offers

    @property
    def _hash(self) -> str:
        """The SHA-256 of what determines a list on one dataset version, for one version of the engine.

        Beside the identity of the request: the models with the contents of their hierarchies, the kind of target, which
        not every method writes, and the terms of the dataset.
        """
        resolved = self.open_request.resolved
        target = type(resolved.request.release.to).__name__
        parts = (*self.offers.identity, models_hash_of(resolved), target, repr(self.open_request.opened.terms))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def _offers(self, found: Sequence[Found], version_id: int) -> Offers:
        read = self.open_request.read
        numbered_offers = numbered(found, lambda request: ReadRequest(request, read.text, read.path))
        return replace(
            self.offers, status="refused", offers=numbered_offers, version_id=version_id, list_hash=self._hash
        )

    def _note(self, connection: StateConnection, offers: Offers) -> int:
        """Notes the request as refused: its offers are of this dataset version."""
        refused = replace(
            searched_as_started(self.open_request, "offers", offers.version_id),
            status="refused",
            reason=f"no accepted combination of levels passes; {len(offers.offers):,} alternatives were offered",
            nodes_measured=offers.nodes_measured,
            seconds=round(time.perf_counter() - self.started, 4),
        )
        number = requests.start(connection, refused).id
        audit.add_audit_entry(connection, "request refused", str(number), refused.reason)
        return number


def offers_of(
    read: ReadRequest[Request], context: RunContext, *, under_refusal: bool = False, noted: bool = True
) -> Offers:
    """The offers of a request for generalisation or for tables, as `found_offers`. Raises RequestError for another."""
    if read.request.method == "table":
        from ordermade.offers.table_offers import found_table_offers

        return found_table_offers(of_table(read, "request offers"), context, under_refusal=under_refusal, noted=noted)
    return found_offers(of_generalization(read, "request offers"), context, under_refusal=under_refusal, noted=noted)


def promised_offer(read: ReadRequest[Request], number: int, context: RunContext) -> Offer:
    """The offer of that number, as it was made for this request, for its data as they are.

    Raises OffersChanged, with the offers of today, where the data, a hierarchy or the terms changed since; InputError
    where no offers of the request are on record, or there is none of that number; Refused where nothing may be said.
    """
    found = offers_of(read, context, noted=False)
    if found.status == "unknown":
        raise Refused(found.reason or "", where=read.where)
    with context.state.reading() as connection:
        made = requests.listed(connection, request_hash=found.identity[0])
        last = next((each for each in made if each.status == "refused"), None)
        listed = None if last is None else offer_lists.offered_to(connection, last.id)
    if last is None or last.dataset_version_id is None:
        raise InputError(
            "no offers of this request are on record",
            where=read.where,
            next_step="`ordermade request offers` makes them.",
        )
    changed = _changed(last, listed, found)
    if changed is None:
        return offer_of(found, number)
    now = offers_of(read, context)
    next_step = "These are the offers now." if now.status == "refused" else "Now the request passes as it is."
    raise OffersChanged(f"{changed} changed since the offers were made", now, where=read.where, next_step=next_step)


def _changed(last: RequestRecord, listed: str | None, now: Offers) -> str | None:
    """What changed since a refused request was offered its list, in words; None where nothing did.

    `listed`: the hash of that list, None where it was not kept.
    """
    if (*(each.hierarchy_hash for each in last.quasi_identifiers),) != now.identity[1:]:
        return "a hierarchy"
    if last.dataset_version_id != now.version_id:
        return "the data"
    if listed not in (None, now.list_hash):
        return "a hierarchy of a model, the terms of the dataset or the kind of release"
    return None
