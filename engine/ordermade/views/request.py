"""The output of `ordermade request`: a check, an explanation, an answer, a request on record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, SupportsFloat

from ordermade.records.cells import cell, counted, literal
from ordermade.views.screen import from_here

if TYPE_CHECKING:
    from ordermade.methods.generalization.result import (
        Gap,
        GeneralizationResult,
        LocalReport,
        SearchReport,
        StartReport,
    )
    from ordermade.methods.shared.explain import Step
    from ordermade.privacy.requirement import Risk
    from ordermade.requests.generalization import GeneralizationRequest
    from ordermade.requests.resolve_generalization import Resolved
    from ordermade.state.records.requests import RequestRecord


REQUEST_HEADINGS = ("quasi-identifier", "hierarchy", "from", "to", "released at", "level name")
_LABELS: Mapping[str, tuple[str, str | None]] = MappingProxyType(
    {
        "microaggregation": ("algorithm", None),
        "mondrian": ("variant", "split by"),
        "history": ("matched by", "clustered by"),
        "table": ("proved by", None),
    }
)
"""Labels for the algorithm and the objective of a request on record, by its method; generalisation searches."""
MAX_ROUNDS = 12
"""Rounds of local recoding shown on the screen."""


def sound(file: str, resolved: Resolved) -> str:
    """A check without mistakes, and the size of the search."""
    columns = ", ".join(f"{each.column} ({counted(len(each.accepted), 'level')})" for each in resolved.qis)
    return "; ".join(
        [f"{file} is sound: {counted(resolved.lattice.size, 'node')} over {columns}", *_beyond_k(resolved)]
    )


def _beyond_k(resolved: Resolved) -> Iterable[str]:
    """The requirements beyond k, in words."""
    if resolved.entity is not None:
        yield f"k counts persons, identified by {resolved.entity}"
    if resolved.limit:
        units = "rows" if resolved.entity is None else "persons"
        yield f"{_percent(resolved.limit)} of the {units} may be suppressed"
    for each in resolved.sensitive:
        yield f"{each.column} satisfies {', '.join(part.model for part in each.models)}"
    if resolved.risk is not None:
        yield "risks are bounded"
    if resolved.request.is_local:
        yield "sealed local recoding" if resolved.request.is_sealed else "local recoding"


def script(steps: Sequence[Step]) -> str:
    """The steps as one SQL script; a comment above each states its purpose, where it runs and what it lacks."""
    return "\n".join(
        f"-- {number} of {len(steps)}: {_one_line(step.title)} (runs in: {step.runs_in})\n"
        f"{_lacking(step)}{step.sql.rstrip(';')};\n"
        for number, step in enumerate(steps, start=1)
    )


def _lacking(step: Step) -> str:
    """A comment about what a run fills in, without which the statement does not run; empty where there is nothing."""
    if not step.not_listed:
        return ""
    names = _one_line(", ".join(step.not_listed))
    return f"-- does not run as printed: a run lists values of the data (or too many to print) as {names}\n"


def round_rows(local: LocalReport) -> list[tuple[str, str, str]]:
    """Rows, classes and levels of the first rounds of local recoding, and the rows that all the others released."""
    shown = local.rounds if len(local.rounds) <= MAX_ROUNDS else local.rounds[: MAX_ROUNDS - 1]
    rows = [
        (
            f"{each.rows:,}",
            f"{each.classes:,}",
            ", ".join(f"{column}: {name}" for column, name in each.level_names.items()),
        )
        for each in shown
    ]
    others = local.rounds[len(shown) :]
    if others:
        released, classes = sum(each.rows for each in others), sum(each.classes for each in others)
        rows.append((f"{released:,}", f"{classes:,}", f"{len(others):,} more (all with --json)"))
    return rows


def beyond_k(request: GeneralizationRequest) -> str:
    """The requirements of a request beyond k, to follow its k; empty if there are none."""
    parts = []
    if request.suppression_limit:
        parts.append(f"{_percent(request.suppression_limit)} suppressed at most")
    if request.sensitive:
        parts.append(f"models of {', '.join(request.sensitive)}")
    if request.risk is not None:
        parts.append("risks bounded")
    return "".join(f", {part}" for part in parts)


def answer_facts(
    result: GeneralizationResult, request: GeneralizationRequest, risk: Risk | None
) -> Iterable[tuple[str, Any]]:
    """The figures of a released request; `risk`: what bounds the risks."""
    search = result.search
    yield "k by the highest risk", risk.least_size if risk and risk.least_size > request.k else None
    if result.local is not None:
        if request.is_sealed and result.local.start != "sealed":
            yield "nodes", "1, for all rows: no partition was found that passes and loses less"
        elif request.is_sealed:
            yield "nodes", f"{len(result.local.rounds):,}, of classes that do not overlap"
        else:
            yield "rounds", f"{len(result.local.rounds):,}, the rows of each at levels of its own"
            yield "labels mislead", _narrowed(result.local)
            yield "narrowed labels", _held(result.local)
        yield "full domain", _full_domain(result)
    yield "objective", request.search.objective
    optimum = "optimum" if result.local is None else "optimum of the full domain"
    yield "search", f"{search.algorithm}, {search.proved_in_words(optimum)}"
    yield "started at", None if search.start is None else started(search.start)
    yield "stopped", None if search.stopped is None else _STOPPED[search.stopped]
    decided = "" if search.nodes_proven is None else f" ({search.nodes_proven:,} decided by table C beforehand)"
    yield "nodes accepted", f"{search.nodes_in_lattice:,}{decided}"
    yield "nodes measured", search.nodes_measured
    yield "source queries", search.source_queries
    yield "seconds", round(search.seconds, 2)


_STOPPED: Mapping[str, str] = MappingProxyType(
    {
        "seconds": "the budget of seconds was spent",
        "questions": "the budget of questions was spent",
        "interrupted": "interrupted",
        "memory": "more was left to look at than fits in memory",
    }
)


def stop_in_words(search: SearchReport) -> str:
    """What a search that stopped has proved, and why it stopped."""
    return f"{search.proved_in_words('optimum')}: {_STOPPED[search.stopped or 'interrupted']}"


def gap_in_words(gap: Gap) -> str:
    """How far from the optimum the answer may be, and what else may keep more where that is far."""
    if gap.gap is None:
        return "not known"
    words = f"{gap.gap:.4g} by {gap.objective}: it scores {gap.score:.4g}, and nothing less than {gap.bound:.4g}"
    return f"{words}; {WIDE_GAP}" if gap.wide else words


WIDE_GAP = "that is wide: `method: mondrian` or `recoding: local` may keep more"


def _narrowed(local: LocalReport) -> str | None:
    """How far readers can narrow the labels of classes that overlap."""
    if local.narrowed is None:
        return None
    judged, classes = local.narrowed.judged, local.narrowed.classes
    of = "" if judged == classes else f", by {judged:,} of the {classes:,} classes"
    share = local.narrowed.share
    return f"{100 * share:.1f} % of the generalised rows can be narrowed below them{of}; `recoding: local` is sealed"


def _held(local: LocalReport) -> str | None:
    """The rows that k and the models were verified for, where the request holds them for narrowed labels."""
    if local.held is None:
        return None
    classes, given_up = local.held.classes, local.held.given_up
    besides = f"; {given_up:,} of them, of too many cases, by their labels" if given_up else ""
    return f"k and every model verified for the rows left in each of the {classes:,} classes{besides}"


def _full_domain(result: GeneralizationResult) -> str:
    """The loss of the same request without local recoding."""
    loss = None if result.local is None else result.local.full_domain_loss
    return "would be refused" if loss is None else f"loss {loss:.6g}, suppressed rows counting as *"


def _percent(share: SupportsFloat) -> str:
    """A share in percent: `2 %`."""
    return f"{float(share) * 100:.6g} %"


def started(start: StartReport) -> str:
    """The start of a search by prediction, with its reason."""
    levels = ", ".join(f"{column}: {name}" for column, name in start.level_names.items())
    if start.predicted is None or start.alpha is None or start.beta is None:
        return f"{levels}: no power law could be fitted, so a coarsest node"
    r = "" if start.r is None else f" (R {start.r:.3f})"
    sampled = f"; {start.sampled:,} nodes measured for the fit" if start.sampled else ""
    law = f"{cell(start.alpha)} x^{start.beta:.3f} + 1{r}"
    return f"{levels}: nearest to {cell(start.predicted)} classes (divisions x), where {law} meets k{sampled}"


_RECODINGS = {
    "sealed": "local, sealed",
    "local": "local, not sealed",
    "held": "local, not sealed, verified for narrowed labels",
}
"""By the name in the state; that of one node for all rows is not shown."""


SHOWN = frozenset(("dataset", "method", "where", "k", "persons by", "suppression limit", "risk", "release", "finished"))
"""The facts of a request on record that every reader wants, beside its models; the others are for who asks."""


def record_facts(request: RequestRecord) -> Iterable[tuple[str, Any]]:
    """A request on record, without the steps that it did not reach."""
    yield "dataset", request.dataset_name
    yield "where", request.filter
    yield "k", request.k
    yield "persons by", request.entity_column
    yield "suppression limit", request.suppression_limit if request.suppression_limit != "0" else None
    yield "suppressed rows", request.suppressed
    for each in request.sensitive:
        yield f"sensitive {each.column}", each.models
    yield "risk", request.risk
    yield "recoding", _RECODINGS.get(request.recoding or "")
    yield "weights", request.weights
    labels = _LABELS.get(request.method or "")
    if labels is not None:
        algorithm, objective = labels
        yield "method", request.method
        yield algorithm, request.algorithm
        if objective is not None:
            yield objective, request.objective
        yield "options", request.options
    else:
        yield "search", f"{request.algorithm}, objective {request.objective}"
    target = f"table {request.target_table}" if request.target_path is None else from_here(request.target_path)
    yield "release", f"{request.shape} to {target}"
    yield "identifiers", request.identifiers or None
    yield "kept", request.keep or None
    yield "missing values as *", [each.column for each in request.quasi_identifiers if each.missing] or None
    yield "started", request.started_at
    yield "finished", request.finished_at
    if request.nodes_measured is not None:
        of_all = "" if request.nodes_in_lattice is None else f" (accepted are {request.nodes_in_lattice:,})"
        yield "nodes measured", f"{request.nodes_measured:,}{of_all}"
    yield "source queries", request.source_queries
    yield "seconds", None if request.seconds is None else round(request.seconds, 2)


def request_rows(request: RequestRecord) -> list[tuple[Any, ...]]:
    """The quasi-identifiers of a request on record: the accepted and the released levels."""
    return [
        (
            each.column,
            each.hierarchy,
            each.from_level,
            each.to_level,
            each.chosen_level,
            each.chosen_level_name,
        )
        for each in request.quasi_identifiers
    ]


def _one_line(title: str) -> str:
    return literal(title).replace("\n", "\\n")
