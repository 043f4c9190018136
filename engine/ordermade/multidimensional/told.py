"""The report of a request for Mondrian: the losses of its release, and the share each quasi-identifier keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ordermade.answering.released import MIXED, OfMethod
from ordermade.answering.result import Losses, plain
from ordermade.lattice.observation import Observation
from ordermade.lattice.requirement import Requirement
from ordermade.loss.losses import average_class_size, average_class_size_in_k, discernibility
from ordermade.measuring.dataset import Version
from ordermade.mondrian.coverage import Coverage
from ordermade.mondrian.partition import Partition
from ordermade.multidimensional.question import Question
from ordermade.multidimensional.result import MondrianReport, SplitAttribute
from ordermade.requests.mondrian import Labels
from ordermade.requests.resolve_mondrian import ResolvedSplit
from ordermade.state.release_records import ReleaseColumn


@dataclass(frozen=True, slots=True, eq=False)
class SplitRecords:
    """The classes of a release: as they were split, their coverage, and as they are released."""

    partition: Partition
    covered: Coverage
    classes: Observation

    def losses(self, question: Question) -> Losses:
        """Information loss by metric, as `loss.metrics` defines them; `loss` also by attribute."""
        classes, requirement = self.classes, Requirement(question.request.k)
        lost = self.covered.loss
        columns = [each.column for each in question.resolved.qis]
        return {
            "loss": self.loss,
            "prec": 1 - self.covered.prec,
            "divisions": classes.divisions,
            "dm": discernibility(classes, requirement),
            "c_avg": float(average_class_size_in_k(classes, requirement)),
            "aecs": float(average_class_size(classes, requirement)),
            "by_attribute": {column: float(each) for column, each in zip(columns, lost, strict=True)},
        }

    @property
    def loss(self) -> float:
        """The mean share of their domains that labels cover, over all records and quasi-identifiers."""
        return float(self.covered.loss.mean())


def report_of(question: Question, split: SplitRecords) -> MondrianReport:
    """The report on how the classes were made, and what they keep."""
    resolved, partition = question.resolved, split.partition
    return MondrianReport(
        variant=resolved.variant,
        split=resolved.split,
        strict=resolved.strict,
        labels=resolved.labels if any(each.kind == "ordered" for each in resolved.qis) else None,
        groups=partition.groups,
        smallest=int(partition.sizes.min()),
        largest=int(partition.sizes.max()),
        made=partition.made,
        tried=partition.tried,
        prec=split.covered.prec,
        attributes=tuple(_attributes(question, split)),
    )


def _attributes(question: Question, split: SplitRecords) -> Iterator[SplitAttribute]:
    covered, partition = split.covered, split.partition
    for place, each in enumerate(question.resolved.qis):
        rows: dict[str, int] = {}
        if each.hierarchy is not None and each.kind == "nested":
            for level, named in enumerate(each.hierarchy.levels):
                rows[named.name] = int(partition.sizes[partition.levels[:, place] == level].sum())
        name = None if each.hierarchy is None else each.hierarchy.name
        yield SplitAttribute(each.column, name, float(covered.loss[place]), int(covered.kept[place]), rows)


def of_method(
    question: Question, report: MondrianReport, losses: Losses, request_id: int, version: Version
) -> OfMethod:
    """The record of the release in the state and the manifest."""
    resolved = question.resolved
    return OfMethod(
        request_id=request_id,
        version=version,
        losses=losses,
        columns=tuple(
            ReleaseColumn(each.column, "quasi-identifier", None, _released_as(each, resolved.labels))
            for each in resolved.qis
        ),
        manifest={
            "quasi_identifiers": list(_columns(question)),
            "mondrian": plain(report),
            "rules_sha256": resolved.rules_hash,
        },
    )


def _released_as(column: ResolvedSplit, labels: Labels) -> str:
    """The kind of label that a class has for a column: a class of a hierarchy, a set of values, or an aggregate."""
    if column.kind == "nested":
        return MIXED
    return labels if column.kind == "ordered" else "set"


def _columns(question: Question) -> Iterator[Mapping[str, Any]]:
    for each in question.resolved.qis:
        hierarchy = each.hierarchy
        yield {
            "column": each.column,
            "split_as": each.kind,
            "hierarchy": None if hierarchy is None else hierarchy.name,
            "hierarchy_hash": None if hierarchy is None else hierarchy.content_hash,
        }
