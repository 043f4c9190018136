"""An open request for generalisation: resolved against its dataset, whose source is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from ordermade.counting.dataset import Dataset
from ordermade.counting.part_counts import columns_of_counts, counts_of, tell_of_parts
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.methods.shared.open_request import OpenRequest
from ordermade.methods.shared.recorder import as_started, requested_models
from ordermade.requests.numbers import as_fraction, decimal_text
from ordermade.requests.resolve_generalization import Resolved
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.state.observations import Levels
from ordermade.state.records.observations import MeasuredLevel
from ordermade.state.records.request_columns import RequestedAttribute
from ordermade.state.records.requests import RequestRecord


@dataclass(frozen=True, slots=True)
class OpenGeneralization(OpenRequest[Resolved]):
    """A request for generalisation that fits its dataset, with the dataset's source open.

    `counts`: the dataset for whatever counts its quasi-identifiers, sensitive columns and persons: where it is in
    parts, their merged counts.
    """

    counts: Dataset

    ASKS = (Purpose.FREQUENCY_SET, Purpose.K_CHECK, Purpose.WITNESS)

    @classmethod
    def of(cls, found: OpenRequest[Resolved], limits: Limits) -> OpenGeneralization:
        """The request, with the counts of the parts of its dataset."""
        dataset = found.dataset
        counts = dataset if dataset.parts is None else _part_counts(dataset, found.resolved, limits)
        return cls(found.read, found.resolved, found.opened, dataset, found.run, found.standing, counts)

    @property
    def counted_by(self) -> tuple[str, ...]:
        """The hash of the columns that the parts of the dataset are counted by; none where parts are not counted."""
        if self.dataset.parts is None:
            return ()

        return columns_of_counts(self.counts)

    def tell_of_parts(self, told: Callable[[str], None]) -> None:
        """Lets the counting of parts say, in words, what it counts."""
        if self.dataset.parts is not None:
            tell_of_parts(self.counts, told)

    @property
    def columns(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the request."""
        return tuple(each.column for each in self.resolved.qis)

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """The hierarchy of each quasi-identifier."""
        return tuple(each.hierarchy for each in self.resolved.qis)

    def level_names(self, node: Node) -> dict[str, str]:
        """The name of each column's level at `node`."""
        return {
            column: hierarchy.levels[level].name
            for column, hierarchy, level in zip(self.columns, self.hierarchies, node, strict=True)
        }

    def for_table_c(self, measured: Mapping[Node, Observation]) -> list[tuple[Levels, Observation]]:
        """Measured nodes as table C keeps them, with their levels."""
        return [(self._levels(node), observation) for node, observation in measured.items()]

    def _levels(self, node: Node) -> Levels:
        return tuple(
            MeasuredLevel(column, level, hierarchy.levels[level].name, hierarchy.levels[level].content_hash)
            for column, hierarchy, level in zip(self.columns, self.hierarchies, node, strict=True)
            if level != hierarchy.top
        )


def _part_counts(dataset: Dataset, resolved: Resolved, limits: Limits) -> Dataset:
    """The merged counts of the parts of a dataset, by the columns of a request."""
    columns = [*(each.column for each in resolved.qis), *(each.column for each in resolved.sensitive)]
    columns += [] if resolved.entity is None else [resolved.entity]
    return counts_of(dataset, tuple(dict.fromkeys(columns)), limits.twins())


def searched_as_started(open_request: OpenGeneralization, algorithm: str, version_id: int | None) -> RequestRecord:
    """The state's record of the request from its start: the accepted levels, and the requirements beyond k."""
    resolved, request = open_request.resolved, open_request.resolved.request
    started = as_started(
        open_request,
        version_id,
        algorithm=algorithm,
        objective=request.search.objective,
        quasi_identifiers=tuple(
            RequestedAttribute(
                each.column,
                each.hierarchy.name,
                each.hierarchy.content_hash,
                each.accepted[0],
                each.accepted[-1],
                missing="suppressed" if each.missing_as_star else None,
            )
            for each in resolved.qis
        ),
    )
    return replace(
        started,
        suppression_limit=decimal_text(resolved.limit),
        suppressed=request.suppressed if resolved.limit else None,
        recoding=request.recoding_name,
        risk=None if resolved.risk is None else _listed(resolved.risk.model_dump(exclude_none=True)),
        weights=_listed(resolved.weights),
        sensitive=requested_models(resolved.sensitive),
    )


def _listed(numbers: Mapping[str, Fraction | Decimal]) -> str | None:
    """Numbers by name, in words; None where there are none."""
    return ", ".join(f"{name} {decimal_text(as_fraction(number))}" for name, number in numbers.items()) or None
