"""A request held against its data, nothing released: its dataset version, its hierarchies, its identifying columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ordermade.answering.identifying import identifying
from ordermade.answering.question import OpenRequest, require_unchanged
from ordermade.errors import Refused
from ordermade.least_k import too_few
from ordermade.measuring.dataset import Dataset, version
from ordermade.measuring.entity import units_of
from ordermade.requests.resolving import ResolvedRequest

LOOKED_AT = ("dataset version", "coverage of the hierarchies", "identifying columns")
"""The parts of the data that a request is checked against."""


@dataclass(frozen=True, slots=True)
class Examined:
    """A request that fits its dataset and its data, with the version of these.

    `persons`: their number, None where a row is a person; `hash_sum`: the sum of one hash a row.
    """

    resolved: ResolvedRequest
    rows: int
    persons: int | None
    hash_sum: int


def examined(
    question: OpenRequest[ResolvedRequest], covered: Callable[[], object], dataset: Dataset | None = None
) -> Examined:
    """Check an open request against its data; `covered` holds its hierarchies against their columns.

    `dataset`: the one as registered, where the question has another. Raises Refused where no release could be,
    HierarchyError, InputError, SourceFault.
    """
    versioned = question.dataset if dataset is None else dataset
    seen = version(versioned)
    k = question.read.request.k
    counted = units_of(versioned, seen.rows, k)
    refusal = too_few(k, counted.number, counted.called) or identifying(question, counted)
    if refusal:
        raise Refused(refusal, where=question.read.where)
    covered()
    require_unchanged(question)
    return Examined(question.resolved, seen.rows, counted.persons, seen.hash_sum)
