"""The oracle of a search: answers from table C where it can, measures where it must, and keeps count."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from ordermade.errors import SourceChanged
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.lattice.lattice import Node, NodeKey
from ordermade.lattice.observation import Observation, Withheld
from ordermade.lattice.requirement import Requirement


class Measurer(Protocol):
    """Counts nodes in SQL."""

    def measure(self, nodes: Sequence[Node]) -> Mapping[Node, Observation]:
        """The observation of each node."""
        ...

    def withheld(self, nodes: Sequence[Node], requirement: Requirement) -> Mapping[Node, Withheld]:
        """The suppressed rows of each node under the requirement."""
        ...


def node_key(columns: Sequence[str], hierarchies: Sequence[Hierarchy], node: Node) -> NodeKey:
    """Return the key of `node` in table C."""
    return frozenset(
        (column, hierarchy.levels[level].content_hash)
        for column, hierarchy, level in zip(columns, hierarchies, node, strict=True)
        if level != hierarchy.top
    )


class Oracle:
    """Answers batches of nodes. `measured` holds what was counted now, for table C to keep.

    `known` is table C; it answers as far as it decides the requirement (see Requirement.decides). `units`: the
    rows of the dataset, or its persons where these are counted. With `needs_withheld` the observation of a node that
    passes comes with the figures of its suppressed rows, which table C does not keep.
    """

    def __init__(
        self,
        key: Callable[[Node], NodeKey],
        known: Mapping[NodeKey, Observation],
        measurer: Measurer,
        units: int,
        requirement: Requirement,
        listener: Callable[[int], None] | None = None,
        *,
        needs_withheld: bool = False,
    ) -> None:
        self._key = key
        self._known = known
        self._measurer = measurer
        self._units = units
        self._requirement = requirement
        self._listener = listener
        self._needs_withheld = needs_withheld and requirement.most_withheld > 0
        self._withheld: dict[Node, Withheld] = {}
        self.measured: dict[Node, Observation] = {}

    def __call__(self, batch: Sequence[Node]) -> list[Observation]:
        """The observation of each node of the batch, in order. Raises SourceChanged where rows came or went."""
        answers = {node: known for node in batch if (known := self._already(node)) is not None}
        unknown = [node for node in batch if node not in answers]
        if unknown:
            fresh = self._measurer.measure(unknown)
            if any(observation.rows != self._units for observation in fresh.values()):
                raise SourceChanged(
                    "the dataset changed while it was being counted", next_step="Run the request again."
                )
            self.measured.update(fresh)
            answers.update(fresh)
        if self._listener:
            self._listener(getattr(batch, "left", len(batch)))
        if self._needs_withheld:
            answers = self._with_withheld(answers)
        return [answers[node] for node in batch]

    @property
    def divisions_measured(self) -> int:
        """The classes of every node counted now, summed: the PAK paper's unit of work."""
        return sum(each.divisions for each in self.measured.values())

    def _already(self, node: Node) -> Observation | None:
        if node in self.measured:
            return self.measured[node]
        key = self._key(node)
        if not key and not self._requirement.models:
            return Observation.from_histogram([(self._units, 1)])
        known = self._known.get(key)
        return known if known is not None and self._requirement.decides(known) else None

    def with_withheld(self, node: Node, observation: Observation) -> Observation:
        """The observation of a node that passes, with the figures of its suppressed rows."""
        return self._with_withheld({node: observation})[node]

    def _with_withheld(self, answers: Mapping[Node, Observation]) -> dict[Node, Observation]:
        """The answers, those of nodes that pass with the figures of their suppressed rows."""
        passing = [node for node, each in answers.items() if self._requirement.passes(each)]
        unknown = []
        for node in passing:
            if node in self._withheld:
                continue
            if self._requirement.withheld_sizes(answers[node]):
                unknown.append(node)
            else:
                self._withheld[node] = Withheld(0, (0,) * len(node), (0.0,) * len(node))
        if unknown:
            self._withheld.update(self._measurer.withheld(unknown, self._requirement))
        return {
            node: replace(each, withheld=self._withheld[node]) if node in self._withheld else each
            for node, each in answers.items()
        }
