"""The answer to a request for generalisation, readable top to bottom: from its file to its measured release.

Its record comes first: measured nodes go into table C even where the search stops.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ordermade.counting.counts import units_of
from ordermade.counting.dataset import Version
from ordermade.counting.oracle import Oracle
from ordermade.lattice.lattice import Node
from ordermade.methods.generalization.local_recoding import chosen_rounds, recoded
from ordermade.methods.generalization.lost_detail import RANKED_BY, LostDetail, lost_detail
from ordermade.methods.generalization.measurement import Measurement, best_node, measurement
from ordermade.methods.generalization.open_request import OpenGeneralization, searched_as_started
from ordermade.methods.generalization.publish import chosen_node, decided_release, release
from ordermade.methods.generalization.requested_levels import requested_levels
from ordermade.methods.generalization.result import (
    AFTER_STOP,
    Gap,
    GeneralizationResult,
    LocalReport,
    Refusal,
    SearchReport,
    SelectedNode,
    StartReport,
    advice,
    nothing_yet,
    refused_at_once,
    why_refused,
)
from ordermade.methods.generalization.search_problem import SearchSpec, nodes_proven, remembered, search_of, search_spec
from ordermade.methods.generalization.shown import coarser_than, shown_release
from ordermade.methods.shared.existing_release import ReturnedResult, earlier_release
from ordermade.methods.shared.open_request import RunContext, identifying, require_unchanged
from ordermade.methods.shared.published import Published
from ordermade.methods.shared.recorder import Recorder, current_cache
from ordermade.methods.shared.release_record import level_noted
from ordermade.methods.shared.released_columns import ReleasedForms
from ordermade.privacy.requirement import least_units, models_hash_of
from ordermade.requests.model import LARGEST_K
from ordermade.search import Outcome
from ordermade.search.problem import Measure, WithinBudget
from ordermade.state import observations
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile

if TYPE_CHECKING:
    from ordermade.methods.generalization.attempts import Recoded
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.requests import RequestRecord
    from ordermade.state.versions import DatasetVersion


LARGEST_NOTED = 2**63 - 1
"""The most nodes of a lattice that the state notes."""


class SearchRecorder(Recorder[OpenGeneralization]):
    """The recorder of a request whose nodes are searched: it keeps what was measured in table C."""

    def __init__(
        self,
        state: StateFile,
        cache: Cache | None,
        open_request: OpenGeneralization,
        version: Version | None,
        started: float,
        algorithm: str,
        persons: int | None = None,
    ) -> None:
        """Notes the request and its dataset version in the state, and reads what table C knows of that version.

        `persons` of the dataset, where it has an entity column. `version`: None where fewer than k of them remain.
        """
        self._algorithm = algorithm
        self.oracle: Oracle | None = None
        self.outcome: Outcome | None = None
        self.nodes_proven: int | None = 0
        self.gap: Gap | None = None
        self.rounds: Recoded | None = None
        self._released_at: Node | None = None
        super().__init__(state, cache, open_request, version, started, persons)

    def refused(self, refusal: Refusal) -> GeneralizationResult:
        """Closes the record of a refused request. Raises SourceChanged if files of the source changed meanwhile."""
        reason = refusal.message(self._question)
        self._close_refused(reason)
        search = self._report()
        return GeneralizationResult(
            status="refused",
            rows=self.rows,
            search=search,
            next=self.after_breach or advice(self._question.resolved.request, search.stopped, few=self.rows is None),
            **self.requested,
            reason=reason,
            column=refusal.column,
            nearest=refusal.nearest_by_column(self._question),
        )

    def released(
        self, chosen: SelectedNode, published: Published, lost: LostDetail | None = None
    ) -> GeneralizationResult:
        """Closes the record of a released request, of which columns may have `lost` most of their detail."""
        node = self._released_at = chosen.node if chosen.local is None else None
        self._close_released(published)
        return GeneralizationResult(
            **self.requested,
            **self.reported(published),
            rows=self.rows,
            search=self._report(),
            levels={} if node is None else dict(zip(self._question.columns, node, strict=True)),
            level_names={} if node is None else self._question.level_names(node),
            local=self._local(chosen),
            suppressed_rows=published.record.suppressed_rows,
            suppressed_persons=published.record.suppressed_persons,
            loss=chosen.losses,
            lost=lost,
        )

    def stopped(self, chosen: SelectedNode) -> GeneralizationResult:
        """Closes the record of a request that was interrupted: the best node so far, of which nothing was written."""
        reason = "interrupted before the optimum was proved: the best node so far passes, and was not released"
        require_unchanged(self._question)
        self._close("failed", reason)
        requirement = chosen.requirement
        released = requirement.released(chosen.observation)
        forms = ReleasedForms(
            columns=[
                level_noted(each.column, each.hierarchy, level)
                for each, level in zip(self._question.resolved.qis, chosen.node, strict=True)
            ],
            hierarchies={each.column: each.hierarchy for each in self._question.resolved.qis},
            shares=dict(zip(self._question.columns, chosen.shares, strict=True)),
            extremes=chosen.extremes,
        )
        return GeneralizationResult(
            **self.requested,
            status="stopped",
            rows=self.rows,
            next=AFTER_STOP,
            forms=forms,
            search=self._report(),
            reason=reason,
            levels=dict(zip(self._question.columns, chosen.node, strict=True)),
            level_names=self._question.level_names(chosen.node),
            k=requirement.released_k(chosen.observation),
            divisions=released.classes,
            suppressed_rows=0 if requirement.persons else released.suppressed,
            suppressed_persons=released.suppressed if requirement.persons else None,
            loss=chosen.losses,
        )

    def _local(self, chosen: SelectedNode) -> LocalReport | None:
        if chosen.local is None or self.rounds is None:
            return None
        local = chosen.local
        return LocalReport(
            self.rounds.start, tuple(local.rounds), self.rounds.full_domain_loss, local.narrowed, local.held
        )

    def _recall(self, connection: StateConnection, version: DatasetVersion) -> None:
        self.known = remembered(connection, version, self._question.resolved)

    def _started(self) -> RequestRecord:
        return searched_as_started(self._question, self._algorithm, self.version_id)

    def _keep_measured(self, connection: StateConnection, version_id: int) -> None:
        measured = self._question.for_table_c(self.oracle.measured) if self.oracle else []
        models = models_hash_of(self._question.resolved)
        observations.record(connection, version_id, self.request_id, measured, models)

    def _finished(self, status: str, reason: str | None) -> RequestRecord:
        report = self._report()
        return replace(
            super()._finished(status, reason),
            nodes_in_lattice=report.nodes_in_lattice if report.nodes_in_lattice <= LARGEST_NOTED else None,
            nodes_measured=report.nodes_measured,
            divisions_measured=report.divisions_measured,
        )

    def _chosen(self) -> Mapping[str, tuple[int, str]]:
        node = self._released_at
        if node is None:
            return {}
        names = self._question.level_names(node)
        return {column: (level, names[column]) for column, level in zip(self._question.columns, node, strict=True)}

    def _report(self) -> SearchReport:
        costs = self.costs()
        return SearchReport(
            algorithm=self._algorithm,
            nodes_in_lattice=self._question.resolved.lattice.size,
            nodes_proven=self.nodes_proven,
            nodes_measured=len(self.oracle.measured) if self.oracle else 0,
            divisions_measured=self.oracle.divisions_measured if self.oracle else 0,
            certified=self.outcome is None or self.outcome.certified,
            score_proved=self.outcome is None or self.outcome.certified or self.outcome.score_proved,
            stopped=None if self.outcome is None else self.outcome.stopped,
            gap=self.gap,
            start=self._start(),
            source_queries=costs.source_queries,
            version_queries=costs.version_queries,
            coverage_queries=costs.coverage_queries,
            release_queries=costs.release_queries,
            seconds=costs.seconds,
        )

    def _start(self) -> StartReport | None:
        start = self.outcome.start if self.outcome else None
        if start is None:
            return None
        return StartReport(
            dict(zip(self._question.columns, start.node, strict=True)),
            self._question.level_names(start.node),
            start.predicted,
            start.alpha,
            start.beta,
            start.r,
            start.sampled,
            start.sampled_divisions,
        )


def answer_generalization(
    open_request: OpenGeneralization, context: RunContext, started: float
) -> GeneralizationResult | ReturnedResult:
    """The most detailed acceptable release that passes, or the reason why there is none.

    Raises InputError (malformed), SourceFault, StateFault, ReleaseFault; then nothing is left half written.
    """
    tell = context.progress
    open_request.tell_of_parts(tell.step)
    tell.step("dataset version")
    seen, earlier = earlier_release(open_request, context)
    if earlier is not None:
        return earlier
    counted = units_of(open_request.counts, seen.rows, least_units(open_request.resolved))
    few = refused_at_once(open_request, counted)
    # The search of too few rows must not depend on how many they are.
    goal = search_spec(open_request.resolved, LARGEST_K if few else counted.number)
    algorithm, kept = search_of(goal), None if few else seen
    recorder = SearchRecorder(
        context.state, context.cache, open_request, kept, started, algorithm.name, counted.persons
    )
    own = [each.hierarchy for each in open_request.resolved.qis]
    with recorder.closed_on_failure():
        refused = recorder.foreseen(context, seen, requested_levels(open_request.resolved), own)
        if refused:
            return recorder.refused(Refusal(refused))
        if few:
            return recorder.refused(few)
        tell.step("identifying columns")
        found_out = identifying(open_request, counted)
        if found_out:
            return recorder.refused(Refusal(found_out))
        tell.step("coverage of the hierarchies")
        cache, roll_up = current_cache(context.cache, recorder.current_versions), context.roll_up
        found = measurement(
            open_request, goal, counted, recorder.known, cache, roll_up=roll_up, progress=tell.nodes_left
        )
        recorder.oracle, recorder.nodes_proven = found.oracle, nodes_proven(goal, found.evidence)
        tell.step(f"search ({algorithm.name})")
        limited = _limits(goal, found, context, started)
        outcome = recorder.outcome = best_node(goal, algorithm, found, limited)
        recorder.gap = Gap.of(outcome, found.minimised)
        if open_request.resolved.request.is_local:
            tell.step("local recoding")
            recorder.rounds = rounds = recoded(open_request, goal, found, outcome.best, tell.nodes_left)
            if rounds.refusal:
                return recorder.refused(Refusal(rounds.refusal))
            chosen = chosen_rounds(open_request, goal, rounds, found, recorder.request_id, seen)
        elif outcome.best is None:
            if outcome.stopped:
                return recorder.refused(nothing_yet(outcome, recorder.gap))
            tell.step("nearest node that passes")  # by its distance: no figure of the request's own search
            nearest = _limits(goal, found, context, started, tells=False)
            return recorder.refused(why_refused(open_request, goal, found, nearest))
        else:
            chosen = chosen_node(goal, outcome, found, recorder.request_id, seen)
        if outcome.stopped == "interrupted" and context.on_interrupt != "release":
            return recorder.stopped(chosen)
        tell.step("release")
        plan, settled = decided_release(open_request, found.attributes, chosen)
        shown = shown_release(open_request, plan, settled)
        refused = recorder.judged(context, shown, own, coarser_than(open_request, plan, counted.rows))
        if refused:
            safe = recorder.safe_offer
            offered = (None, None, None) if safe is None else (safe.node, safe.k, safe.suppressed)
            return recorder.refused(Refusal(refused, None, *offered))
        published = release(open_request, plan, settled, chosen, context.limits)
        tell.step("record")
        lost = None
        if chosen.local is None:
            loss = chosen.losses.get(RANKED_BY)
            lost = lost_detail(open_request.resolved, goal, found, chosen.shares, loss, counted.number)
        return recorder.released(chosen, published, lost)


def _limits(
    goal: SearchSpec, found: Measurement, context: RunContext, started: float, *, tells: bool = True
) -> Callable[[Measure], Measure]:
    """Wraps the answers to a search: they end with its budget, or with an interruption that is to be answered.

    `tells`: whether its best score and bound are shown as progress.
    """

    def limited(measure: Measure) -> Measure:
        return WithinBudget(
            measure,
            goal.budget,
            clock=lambda: time.perf_counter() - started,
            measured=lambda: len(found.oracle.measured),
            answers_interrupts=context.on_interrupt != "raise",
            listener=context.progress.so_far if tells else None,
            notice=context.notice if tells else None,
        )

    return limited
