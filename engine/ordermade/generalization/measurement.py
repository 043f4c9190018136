"""The measured side of one request: its version, its attributes, its oracle, and what was counted on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ordermade.errors import SourceChanged
from ordermade.generalization.foreknowledge import Known, foreknowledge, marginals_of
from ordermade.generalization.full_domain import Goal
from ordermade.generalization.question import Question
from ordermade.lattice.requirement import Requirement
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.oracle import Oracle
from ordermade.measuring.roll_up import InSource, RolledUp
from ordermade.measuring.stored_set import frequency_set
from ordermade.prediction.evidence import Evidence
from ordermade.search.settings import PakSettings
from ordermade.sources.door import Purpose
from ordermade.state.cache import Cache

SOURCE_QUERIES = (Purpose.FREQUENCY_SET, Purpose.K_CHECK, Purpose.WITNESS)


@dataclass(frozen=True, slots=True)
class Measurement:
    """The attributes of a request, countable, what is known of its lattice, and the oracle that answers its search."""

    attributes: tuple[Attribute, ...]
    evidence: Evidence
    oracle: Oracle


def measurement(
    question: Question,
    known: Known,
    cache: Cache | None,
    *,
    roll_up: bool,
    progress: Callable[[int], None] | None = None,
) -> Measurement:
    """Grounds the request's attributes (the coverage check) and sets up its oracle; no frequency set is counted yet.

    With `roll_up` nodes are counted from one frequency set, which is brought in when the first unknown node is asked
    for; without it every node is a query to the source. The marginals that grounding counts are kept in the cache.
    """
    cached = cache.find(known.version_id, question.wanted_columns()) if cache and roll_up else None
    attributes = question.grounded(cached)
    dataset, lattice = question.dataset, question.resolved.lattice
    measurer = (
        RolledUp(
            dataset,
            attributes,
            lattice,
            lambda: frequency_set(dataset, attributes, cache, cached, known.version_id, known.rows),
        )
        if roll_up
        else InSource(dataset, attributes, lattice)
    )
    marginals = marginals_of(attributes)
    if cache and not dataset.backend.changed():  # what was counted may be of another content than the version's
        cache.store_marginals(known.version_id, marginals)
    evidence = foreknowledge(known, question.resolved, marginals)
    requirement = Requirement(question.read.request.k)
    oracle = Oracle(question.key, known.observations, measurer, known.rows, requirement, progress)
    return Measurement(attributes, evidence, oracle)


def goal_of(question: Question) -> Goal:
    """What the request's search looks for."""
    request = question.read.request
    asked = request.search
    settings = PakSettings(asked.then_certify, asked.overshoot, asked.sample)
    return Goal(question.resolved.lattice, Requirement(request.k), asked.objective, asked.algorithm, settings)


def require_unchanged(question: Question) -> None:
    """Raises SourceChanged if the files of the source were written to since they were opened."""
    if question.opened.backend.changed():
        raise SourceChanged(
            "the files of the source changed while the request ran",
            where=question.opened.source.name,
            next_step="Run the request again when they are at rest.",
        )
