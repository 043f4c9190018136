"""Certificates of requests: written after a proved search, and verified against the dataset of today."""

from __future__ import annotations

import contextlib
import math
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any

from ordermade.certificates.claims import ClaimedColumn, ClaimedFigures, ClaimedTerms, Node, proved, score
from ordermade.certificates.document import (
    Certificate,
    CertifiedColumn,
    CertifiedVersion,
    certificate_content,
    read_certificate,
)
from ordermade.certificates.recount import Recount, level_costs
from ordermade.certificates.verification import VerifiedCertificate, answer_of, evidence_of, verified
from ordermade.certificates.writing import Reason, Uncovered, covering
from ordermade.counting.counts import Sensitive, Units, units_of
from ordermade.counting.dataset import Version as SeenVersion
from ordermade.counting.dataset import version
from ordermade.counting.encoding import EncodedColumn
from ordermade.errors import InputError, RequestError, Unproved
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.metrics import METRICS, OfCosts
from ordermade.methods.generalization.measurement import (
    Measurement,
    best_node,
    grounded,
    measurement,
    memory_of,
    sensitive_attributes,
)
from ordermade.methods.generalization.method import GENERALIZATION
from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.generalization.result import refused_at_once
from ordermade.methods.generalization.search_problem import SearchSpec, search_of, search_spec
from ordermade.methods.shared.open_request import RunContext, identifying, require_unchanged
from ordermade.methods.shared.result import Result
from ordermade.privacy.requirement import required_models, risk_of
from ordermade.records.cards import HasSummary
from ordermade.release.entitled import certified_column, certified_version
from ordermade.release.files import check_target, manifest_of
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.read import ReadRequest, as_json, exact_json, of_generalization, read_request, said_by
from ordermade.requests.resolving import request_hash
from ordermade.search import Outcome
from ordermade.sources.backend import row_count
from ordermade.state import certificates
from ordermade.state.new_files import require_new, write_new_file
from ordermade.version import VERSION

CERTIFY = "request run --certify"
_WHAT = "certificate"
DECIMAL = Fraction(1, 10**10)
FLOAT_ROUNDS = 1e-14
"""Relative size of what floats may round in an entropy."""
LARGEST_COPIED = 1 << 28
MAX_KNOWN = 20_000
"""Measured nodes that are tried as evidence: others would only make it shorter."""


@dataclass(frozen=True, slots=True, repr=False)
class WrittenCertificate(HasSummary):
    """A certificate that was written."""

    path: Path
    """Its file."""
    sha256: str
    """The hash of its content."""
    evidence: int
    """The number of nodes that it has as evidence."""


def require_certifiable(read: ReadRequest[GeneralizationRequest], context: RunContext, path: Path) -> None:
    """Raises InputError, before anything is counted, where a request can have no certificate or the file is there."""
    release = read.request.release.path
    if release is not None and path.absolute() in (release.absolute(), manifest_of(release).absolute()):
        raise InputError("the release gets this name", where=str(path), next_step="Name another file.")
    require_new_certificate(path)
    if read.request.is_local:
        raise RequestError(
            "a certificate is of one node, and the request recodes locally",
            where=read.where,
            next_step="Write `recoding: full-domain`, or leave --certify out.",
        )
    with GENERALIZATION.opened(read, context, context.progress.statement) as open_request:
        algorithm = search_of(search_spec(open_request.resolved, 1))
    if not algorithm.certifies:
        raise RequestError(
            f"the search {algorithm.name} proves no optimum, so there is nothing to certify",
            where=f"{read.where}: search.algorithm",
            next_step="Leave `algorithm` out, or leave --certify out.",
        )


def certify(
    read: ReadRequest[GeneralizationRequest], context: RunContext, result: Result, path: Path
) -> WrittenCertificate:
    """Writes why nothing better than the result passes into a new file of the provider's alone.

    The search runs again on what is known by now, so that it counts nothing anew. Raises Unproved for an answer whose
    optimum was not proved, or that is not today's.
    """
    search = getattr(result, "search", None)
    if search is not None and not search.certified:
        raise Unproved(
            "no certificate: the search ended before the optimum was proved",
            where=read.where,
            next_step="Run the request without a budget, and let the search end.",
        )
    with GENERALIZATION.opened(read, context, context.progress.statement) as open_request:
        seen = version(open_request.dataset)
        counted = units_of(open_request.counts, seen.rows, open_request.read.request.k)
        refusal = refused_at_once(open_request, counted)
        reason = identifying(open_request, counted) if refusal is None else "too few are left"
        if reason is not None:
            raise Unproved(f"no certificate: no node was searched, {reason}", where=read.where)
        memory = memory_of(open_request, seen, counted.persons, context)
        goal = search_spec(open_request.resolved, counted.number)
        with memory.kept():
            found = measurement(open_request, goal, counted, memory.known, memory.cache, roll_up=context.roll_up)
            outcome = best_node(goal, search_of(goal), found)
            memory.learn(found.oracle.measured)
        certificate = _certificate(open_request, goal, found, outcome, seen, counted)
        require_unchanged(open_request)
        _require_of(result, certificate, read.where)
    text = certificate.text()
    write_new_file(path, text, _WHAT)
    with context.state.writing() as connection:
        certificates.note(connection, path, text, result.request)
    return WrittenCertificate(path, certificate.sha256, len(certificate.evidence))


def verify(
    path: Path, context: RunContext, request: ReadRequest[GeneralizationRequest] | None = None
) -> VerifiedCertificate:
    """Verifies a certificate against the dataset, by plain counts of its nodes: no count of before is repeated.

    `request`: the one that it is supposed to be of. Raises Unproved where it does not hold, InputError where the file
    is none, SourceFault.
    """
    where, certificate = str(path), read_certificate(path)
    context = replace(context, limits=replace(context.limits, twins=lambda: None))
    if request is not None and _hash(request, context) != certificate.request_sha256:
        step = "Certify this request, or verify the certificate with its own."
        raise Unproved("the certificate is of another request", where=where, next_step=step)
    with _of_certificate(certificate, context, where) as open_request:
        _require_same(certificate, open_request, version(open_request.dataset), where)
        terms, recount = recounted(open_request)
        found = verified(certificate, terms, lambda node: recount.figures(terms, node), where)
        require_unchanged(open_request)
    return found


@contextlib.contextmanager
def _of_certificate(certificate: Certificate, context: RunContext, where: str) -> Iterator[OpenGeneralization]:
    """The request in a certificate, open. Raises Unproved where it is none, or none of what is registered today."""
    with contextlib.ExitStack() as opened:
        try:
            read = of_generalization(read_request(certificate.request), "certificate verify")
            open_request = opened.enter_context(GENERALIZATION.opened(read, context, context.progress.statement))
        except InputError as error:
            what = f"the certificate does not hold: its request does not fit what is registered today: {error.message}"
            raise Unproved(what, where=where) from None
        yield open_request


def copy_for_user(path: Path, to: Path) -> WrittenCertificate:
    """Writes the copy of a provider's certificate that a data user may have. Raises Unproved, InputError."""
    if "tables_certificate" in certificate_content(path, LARGEST_COPIED):
        step = "Give users the release, and the intervals rounded outwards: `intervals: {user: FILE.csv}`."
        raise InputError(
            "witnesses of tables are the provider's: no copy is for users", where=str(path), next_step=step
        )
    copied = user_copy(path)
    require_new_certificate(to)
    write_new_file(to, copied.text(), _WHAT)
    return WrittenCertificate(to, copied.sha256, len(copied.evidence))


def user_copy(path: Path) -> Certificate:
    """What a data user may have of a provider's certificate. Raises Unproved, InputError."""
    certificate = read_certificate(path)
    if certificate.audience != "provider":
        step = "Copy the provider's certificate."
        raise InputError("this is a copy for a data user", where=str(path), next_step=step)
    return certificate.for_user(_without_folder(certificate.request))


def _without_folder(text: str) -> str:
    """A request with the name alone of the file that it is released to, which its SHA-256 leaves out; no comments.

    Raises Unproved where it is none.
    """
    try:
        content = said_by(read_request(text).request)
    except InputError as error:
        raise Unproved(f"the certificate does not hold: its request cannot be read: {error.message}") from None
    placed = content["release"]
    if isinstance(placed.get("to"), str):
        content["release"] = {**placed, "to": PurePath(placed["to"]).name}
    return exact_json(content)


def recounted(open_request: OpenGeneralization) -> tuple[ClaimedTerms, Recount]:
    """The terms of an open request, and the counts of its nodes; table C is not read."""
    dataset = open_request.dataset
    counted = units_of(dataset, row_count(dataset.backend, dataset.relation), open_request.read.request.k)
    recount = _read(open_request, grounded(open_request), sensitive_attributes(open_request))
    return terms_of(open_request, counted, recount), recount


def _read(
    open_request: OpenGeneralization, attributes: tuple[EncodedColumn, ...], sensitive: tuple[Sensitive, ...]
) -> Recount:
    recount = Recount(open_request.dataset, attributes, sensitive)
    recount.read()
    return recount


def terms_of(open_request: OpenGeneralization, counted: Units, recount: Recount) -> ClaimedTerms:
    """The terms of an open request, from the request alone: no requirement and no objective of a search is used."""
    resolved, request = open_request.resolved, open_request.resolved.request
    models = [model for each in required_models(resolved.sensitive).values() for model in each]
    risk = risk_of(resolved.risk)
    limit = math.floor(resolved.limit * counted.number)
    persons = counted.persons is not None
    name = request.search.objective
    weights = [Fraction(resolved.weights.get(each.column, 1)) for each in resolved.qis]
    total = sum(weights, Fraction()) if METRICS[name].share else Fraction(1)
    columns = []
    for each, attribute, weight in zip(resolved.qis, recount.attributes, weights, strict=True):
        own, costs = weight / total, level_costs(recount, attribute, name)
        weighted = None if costs is None else tuple(own * cost for cost in costs)
        counts = frozenset((*attribute.levels, attribute.hierarchy.top))
        columns.append(ClaimedColumn(each.accepted, counts, each.hierarchy.order.finer, own, weighted))
    return ClaimedTerms(
        k=request.k if risk is None else max(request.k, risk.least_size),
        limit=limit,
        units=counted.number,
        persons=persons,
        inherited=all(model.name == "distinct_l" for model in models) or not (limit or persons),
        classes_a_unit=None if risk is None else risk.most_classes_a_unit,
        objective=name,
        columns=tuple(columns),
        margin=_margin(name, columns, recount),
    )


def _margin(objective: str, columns: Sequence[ClaimedColumn], recount: Recount) -> Fraction:
    """The part of a score that may be rounding: the search has each column's Loss and entropy with ten decimals.

    Entropies besides are sums of logarithms, each of which a float rounds.
    """
    formula = METRICS[objective].formula
    if not isinstance(formula, OfCosts):
        return Fraction()
    every = (recount.rows_by_class(each, each.levels[0]) for each in recount.attributes if each.levels)
    rows = sum(next(every, {}).values())
    rounded = FLOAT_ROUNDS * rows * math.log2(max(rows, 1)) if formula.of_logarithms else 0.0
    return sum((each.weight for each in columns), Fraction()) * (2 * DECIMAL + Fraction(rounded))


def _certificate(
    open_request: OpenGeneralization,
    goal: SearchSpec,
    found: Measurement,
    outcome: Outcome,
    seen: SeenVersion,
    counted: Units,
) -> Certificate:
    recount = _read(open_request, found.attributes, found.sensitive)
    terms = terms_of(open_request, counted, recount)
    figures = None if outcome.best is None else recount.figures(terms, outcome.best)
    best = None if outcome.best is None or figures is None else score(terms, outcome.best, figures)
    try:
        reasons = covering(terms, best, _known(goal, found), lambda node: recount.figures(terms, node))
    except Uncovered as error:
        what = f"no certificate: by its own counts the node {'/'.join(map(str, error.node))} is better"
        raise Unproved(
            what, where=open_request.read.where, next_step="This is a fault of the engine: report it."
        ) from None
    return Certificate.model_validate(
        {
            "for": "provider",
            "ordermade": VERSION,
            "dataset": open_request.opened.name,
            "version": _version(seen),
            "request_sha256": _hash_of(open_request),
            "request": open_request.read.text or as_json(open_request.read.request),
            "objective": terms.objective,
            "columns": _columns(open_request),
            "answer": None if outcome.best is None or figures is None else answer_of(outcome.best, terms, figures),
            "salt": secrets.token_hex(16),
            "evidence": tuple(_evidence(each, terms, best, recount) for each in reasons),
        }
    )


def _evidence(reason: Reason, terms: ClaimedTerms, best: Fraction | None, recount: Recount) -> Any:
    figures = recount.figures(terms, reason.node)
    if reason.why not in [why for why, _ in proved(terms, best, reason.node, figures)]:
        raise Unproved(
            f"no certificate: the node {'/'.join(map(str, reason.node))} counts otherwise than the search had it",
            next_step="This is a fault of the engine: report it.",
        )
    return evidence_of(reason.node, reason.why, figures)


def _known(goal: SearchSpec, found: Measurement) -> dict[Node, ClaimedFigures]:
    """The figures of nodes that were measured, now or before, as far as their levels can be counted again."""
    bases = [each.base for each in found.attributes]
    every = {**found.evidence.observed, **found.oracle.measured}
    usable = (
        (node, each)
        for node, each in every.items()
        if goal.requirement.decides(each)
        and all(level >= base or level == top for level, base, top in zip(node, bases, goal.lattice.top, strict=True))
    )
    known = {node: _figures(each, goal.requirement) for node, each in list(usable)[:MAX_KNOWN]}
    if not goal.requirement.persons and not goal.requirement.models:
        top = goal.lattice.top
        for i, attribute in enumerate(found.attributes):  # what grounding counted, of one column alone
            for level, sizes in attribute.marginal.items():
                below = sum(size * n for size, n in sizes if size < goal.k)
                known[(*top[:i], level, *top[i + 1 :])] = ClaimedFigures(
                    tuple((size, False, n) for size, n in sizes), below, below
                )
    return known


def _figures(observation: Observation, requirement: Requirement) -> ClaimedFigures:
    failing = dict(observation.failing or ()) if requirement.models else {}
    sizes: list[tuple[int, bool, int]] = []
    for size, classes in observation.sizes:
        fails = failing.get(size, 0)
        sizes += [(size, fail, n) for fail, n in ((False, classes - fails), (True, fails)) if n]
    below = sum(size * classes for size, classes in observation.sizes if size < requirement.k)
    if observation.determines_below(requirement.k):
        below = observation.below(requirement.k)
    return ClaimedFigures(tuple(sizes), below, requirement.suppressed(observation))


def _require_of(result: Result, certificate: Certificate, where: str) -> None:
    """Raises Unproved where a certificate is not of the result that the request had."""
    answer, levels = certificate.answer, getattr(result, "levels", {})
    given = [levels.get(each.column) for each in certificate.columns]
    same = answer is not None and result.released and given == list(answer.node)
    if not same and (answer is not None or result.released):
        raise Unproved(
            "no certificate: the dataset changed after the answer", where=where, next_step="Run the request again."
        )


def _require_same(certificate: Certificate, open_request: OpenGeneralization, seen: SeenVersion, where: str) -> None:
    """Raises Unproved where request, hierarchies or dataset version are not those of the certificate, by name."""
    whole = _version(seen)
    is_for_user, columns = certificate.audience == "user", _columns(open_request)
    now = CertifiedVersion.model_validate(certified_version(whole) if is_for_user else whole)
    if is_for_user:
        columns = [CertifiedColumn.model_validate(certified_column(each.model_dump())) for each in columns]
    faults = (
        (_hash_of(open_request) != certificate.request_sha256, "the request in it is another than the one it names"),
        (open_request.opened.name != certificate.dataset, "it is of another dataset"),
        (tuple(columns) != certificate.columns, "a hierarchy was changed since, or is another"),
        (now != certificate.version, "it is of another version of the dataset"),
        (open_request.resolved.request.search.objective != certificate.objective, "it is of another objective"),
    )
    for differs, what in faults:
        if differs:
            raise Unproved(f"the certificate does not hold: {what}", where=where, next_step="Certify the request anew.")


def _columns(open_request: OpenGeneralization) -> list[CertifiedColumn]:
    return [
        CertifiedColumn(
            column=each.column,
            hierarchy=each.hierarchy.name,
            sha256=each.hierarchy.content_hash,
            levels=tuple(level.content_hash for level in each.hierarchy.levels),
            accepted=each.accepted,
        )
        for each in open_request.resolved.qis
    ]


def _version(seen: SeenVersion) -> dict[str, Any]:
    return {
        "rows": seen.rows,
        "columns_hash": seen.columns_hash,
        "hash_sum": str(seen.hash_sum),
        "vouched_by": seen.vouched_by,
    }


def _hash(read: ReadRequest[GeneralizationRequest], context: RunContext) -> str:
    with GENERALIZATION.opened(read, context) as open_request:
        return _hash_of(open_request)


def _hash_of(open_request: OpenGeneralization) -> str:
    resolved = open_request.resolved
    return request_hash(open_request.read.request, resolved.filter_text, resolved.said_by_files)


def require_new_certificate(path: Path) -> None:
    """Raises InputError where no new file of that name can be, StateFault where none can be written."""
    check_target(path, "--certify")
    require_new(path, _WHAT)
