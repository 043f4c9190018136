"""The result of a generalisation request: levels, search, nearest passing node, report of the release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ordermade.methods.generalization.open_request import Question
from ordermade.methods.shared.release_record import MIXED, OfMethod, level_in_manifest, level_noted
from ordermade.methods.shared.result import Result, plain
from ordermade.privacy.requirement import risk_of
from ordermade.release.plan import Plan
from ordermade.requests.numbers import plain as plain_number
from ordermade.state.releases import ReleaseColumn

if TYPE_CHECKING:
    from ordermade.methods.generalization.publish import Chosen


@dataclass(frozen=True, slots=True)
class StartReport:
    """Where a search by prediction started: the node, and the power law k = `alpha` x^`beta` + 1 that led there.

    `predicted`: the divisions x* at which the law meets k. It, `alpha`, `beta` and `r` (of the fit) are None where no
    law could be fitted; the search then started at a coarsest node. `sampled` nodes with `sampled_divisions` were
    measured for the fit alone.
    """

    levels: Mapping[str, int]
    level_names: Mapping[str, str]
    predicted: float | None
    alpha: float | None
    beta: float | None
    r: float | None
    sampled: int
    sampled_divisions: int


@dataclass(frozen=True, slots=True)
class SearchReport:
    """The cost of a search.

    `nodes_measured` and `divisions_measured` count what was measured now, not what table C knew; `nodes_proven` the
    accepted nodes that table C had decided for this k before anything was counted. `certified`: whether the answer is
    proved to be the best (or the refusal to be right). `start`: where a search by prediction started, and why.
    `source_queries` are the frequency-set, k-check and witness statements that ran in the source; `version_queries`,
    `coverage_queries` (the marginals of each quasi-identifier) and `release_queries` the others. `seconds` are those of
    the whole request.
    """

    algorithm: str
    nodes_in_lattice: int
    nodes_proven: int
    nodes_measured: int
    divisions_measured: int
    certified: bool
    start: StartReport | None
    source_queries: int
    version_queries: int
    coverage_queries: int
    release_queries: int
    seconds: float


@dataclass(frozen=True, slots=True)
class LocalReport:
    """The rounds of a release of mixed levels.

    `rounds` in their order, each with `levels` and `level_names` by column and the `classes` and `rows` that it
    released; `start` says which node came first. `full_domain_loss`: the Loss, suppressed rows counting as `*`, of the
    best node of the same request by itself; None where none passes. It stands beside the release's own `loss`.
    """

    start: str
    rounds: tuple[Mapping[str, Any], ...]
    full_domain_loss: float | None


@dataclass(frozen=True, slots=True)
class Nearest:
    """The passing node nearest to the accepted levels, by column, its k, and its suppressed rows (or persons).

    A count below the least k of the dataset is None.
    """

    levels: Mapping[str, int]
    level_names: Mapping[str, str]
    k: int | None
    withheld: int | None = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizationResult(Result):
    """The answer to one request for generalisation.

    `local`: the rounds of local recoding, whose rows are at several levels; `levels` is empty then. Refused: `column`
    names the quasi-identifier that breaks it (None where no single one does), `nearest` the nearest node that passes.
    """

    search: SearchReport
    levels: Mapping[str, int] = field(default_factory=dict)
    level_names: Mapping[str, str] = field(default_factory=dict)
    local: LocalReport | None = None
    column: str | None = None
    nearest: Nearest | None = None

    def as_dict(self) -> dict[str, Any]:
        """The one object that `request run --json` prints."""
        fields = plain(self)
        return {name: fields[name] for name in _REPORTED}

    def _after_refusal(self) -> str:
        return "See `nearest` for what would pass." if self.nearest else "Ask for a smaller k, or for fewer columns."


_REPORTED = (
    "request",
    "status",
    "levels",
    "level_names",
    "local",
    "k",
    "divisions",
    "rows",
    "suppressed_rows",
    "suppressed_persons",
    "privacy",
    "search",
    "loss",
    "release",
    "reason",
    "column",
    "nearest",
    "warnings",
)
"""The keys of the object in the order in which they are printed."""


def of_method(question: Question, plan: Plan, chosen: Chosen) -> OfMethod:
    """Return the record of the release of a chosen node, or of rounds, for the state and the manifest."""
    request, risk = question.resolved.request, risk_of(question.resolved.request.risk)
    record = OfMethod(
        request_id=chosen.request_id,
        version=chosen.version,
        losses=chosen.losses,
        columns=tuple(_columns(plan, chosen)),
        manifest={
            "quasi_identifiers": list(_levels(plan, chosen)),
            "suppression_limit": plain_number(request.suppression_limit),
            "withheld": "star" if plan.stars else "drop" if plan.local or request.suppression_limit else None,
            "recoding": "local" if plan.local else "full-domain",
            "rounds": [dict(each) for each in chosen.local.rounds] if chosen.local else [],
        },
    )
    return record if risk is None else replace(record, sampling_fraction=risk.sampling_fraction)


def _columns(plan: Plan, chosen: Chosen) -> Iterator[ReleaseColumn]:
    for each, level in zip(plan.attributes, chosen.node, strict=True):
        if plan.local:
            yield ReleaseColumn(each.column, "quasi-identifier", None, MIXED)
        else:
            yield level_noted(each.column, each.hierarchy, level)


def _levels(plan: Plan, chosen: Chosen) -> Iterator[Mapping[str, Any]]:
    for each, level in zip(plan.attributes, chosen.node, strict=True):
        if plan.local:
            yield {
                "column": each.column,
                "hierarchy": each.hierarchy.name,
                "level_name": MIXED,
                "hierarchy_hash": each.hierarchy.content_hash,
            }
        else:
            yield level_in_manifest(each.column, each.hierarchy, level)
