"""The oracle of a search: answers from table C where it can, measures where it must, and keeps count."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from ordermade.errors import SourceChanged
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.lattice.node import Node, NodeKey
from ordermade.lattice.observation import Observation


class Measurer(Protocol):
    """Counts nodes in SQL."""

    def measure(self, nodes: Sequence[Node]) -> Mapping[Node, Observation]:
        """The observation of each node."""
        ...


def node_key(columns: Sequence[str], hierarchies: Sequence[Hierarchy], node: Node) -> NodeKey:
    """What `node` is known by in table C."""
    return frozenset(
        (column, hierarchy.levels[level].content_hash)
        for column, hierarchy, level in zip(columns, hierarchies, node, strict=True)
        if level != hierarchy.top
    )


class Oracle:
    """Answers batches of nodes. `measured` holds what was counted now, for table C to keep."""

    def __init__(
        self,
        key: Callable[[Node], NodeKey],
        known: Mapping[NodeKey, Observation],
        measurer: Measurer,
        rows: int,
        listener: Callable[[int], None] | None = None,
    ) -> None:
        self._key = key
        self._known = known
        self._measurer = measurer
        self._rows = rows
        self._listener = listener
        self.measured: dict[Node, Observation] = {}

    def __call__(self, batch: Sequence[Node]) -> list[Observation]:
        """The observation of each node of the batch, in order. Raises SourceChanged where rows came or went."""
        answers = {node: known for node in batch if (known := self._already(node)) is not None}
        asked = [node for node in batch if node not in answers]
        if asked:
            fresh = self._measurer.measure(asked)
            if any(observation.rows != self._rows for observation in fresh.values()):
                raise SourceChanged(
                    "the dataset changed while it was being counted", next_step="Run the request again."
                )
            self.measured.update(fresh)
            answers.update(fresh)
        if self._listener:
            self._listener(getattr(batch, "left", len(batch)))
        return [answers[node] for node in batch]

    @property
    def divisions_measured(self) -> int:
        """The divisions of every node counted now, summed: the PAK paper's unit of work."""
        return sum(each.divisions for each in self.measured.values())

    def _already(self, node: Node) -> Observation | None:
        key = self._key(node)
        if not key:
            return Observation.from_histogram([(self._rows, 1)])
        return self.measured.get(node) or self._known.get(key)
