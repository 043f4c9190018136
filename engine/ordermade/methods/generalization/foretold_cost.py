"""The statements that a run of a request will send to its source, as far as state and cache show them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from ordermade.catalogue.open_dataset import equalities
from ordermade.catalogue.registered import DatasetRegistration
from ordermade.methods.generalization.predicted import Cost
from ordermade.methods.generalization.search_problem import counted_columns, wanted_columns
from ordermade.requests.resolve_generalization import Resolved
from ordermade.state.cache import Cache
from ordermade.state.versions import DatasetVersion


@dataclass(frozen=True, slots=True)
class CostForecast:
    """What the cost of a request follows from: `parts`, those that its dataset was seen with, 0 where none were.

    `is_evaluated`: a query vouches for content whose every column was evaluated before.
    """

    registered: DatasetRegistration
    resolved: Resolved
    version: DatasetVersion | None = None
    is_evaluated: bool = False
    parts: int = 0

    def of_changed(self) -> Cost:
        """The most that a run sends where nothing that is known holds for the data."""
        of_columns = 0 if self._in_parts else len(self.resolved.qis)
        return Cost(
            version_queries=self._version_queries(is_evaluated=False, is_known=False),
            coverage_queries=of_columns + self._beside_columns,
            source_queries=max(1, self.parts),
            nodes_open=self.resolved.lattice.size,
            identifying_queries=self._identifying,
            release_queries=1,
            by_part=self._in_parts,
        )

    def of_few(self) -> Cost:
        """The cost of finding too few rows or persons: the version, and the persons where they are counted."""
        nothing = replace(self.of_known(None, 0, answered=True), identifying_queries=0, release_queries=0)
        return replace(nothing, coverage_queries=self._guards + self._persons)

    def of_known(self, cache: Cache | None, nodes_open: int, *, answered: bool) -> Cost:
        """The most that a run sends where the data are as last seen. `answered`: table C has the figures it needs."""
        if self.version is None:
            return self.of_changed()
        stored = cache is not None and cache.find(self.version.id, wanted_columns(self.resolved)) is not None
        is_spared = (answered or stored) and not (self._in_parts and self._sensitive)
        counted: Collection[object] = frozenset() if cache is None else cache.counted(self.version.id)
        new = sum(each not in counted for each in counted_columns(self.resolved))
        return replace(
            self.of_changed(),
            version_queries=self._version_queries(is_evaluated=self.is_evaluated, is_known=True),
            coverage_queries=(0 if self._in_parts else new) + self._beside_columns,
            source_queries=0 if is_spared and not (self._in_parts and new) else max(1, self.parts),
            nodes_open=nodes_open,
            if_changed=self.of_changed().statements,
        )

    @property
    def _in_parts(self) -> bool:
        return self.registered.division is not None

    @property
    def _sensitive(self) -> int:
        return len(self.resolved.sensitive)

    @property
    def _persons(self) -> int:
        """The statement that numbers the persons: of parts, they are in the merged counts."""
        return int(self.resolved.entity is not None and not self._in_parts)

    @property
    def _beside_columns(self) -> int:
        return self._guards + self._persons + (0 if self._in_parts else self._sensitive)

    @property
    def _identifying(self) -> int:
        return int(any(each not in self.resolved.allow_identifying for each in self.resolved.with_values))

    def _version_queries(self, *, is_evaluated: bool, is_known: bool) -> int:
        """Those of the version, of what vouches for it, and of every column without the row filter."""
        vouched, division = self.registered.version_query is not None, self.registered.division
        filtered, files = self.resolved.filter is not None, max(1, self.parts)
        if division is not None and division.fingerprint:  # a file that is known is not read
            return files if filtered and not is_known else 0
        hashing = files if division is not None and division.column is None else 1
        return hashing + vouched + ((filtered or vouched) and not is_evaluated)

    @property
    def _guards(self) -> int:
        """The statements by which a policy refuses a row filter."""
        policy, condition = self.registered.terms.policy, self.resolved.filter
        if policy is None:
            return 0
        apart = 0 if policy.filters.apart is None else len(set(self.registered.released))
        if condition is None:
            return apart
        return apart + int(policy.filters.persons is not None) + sum(1 for _ in equalities(condition))
