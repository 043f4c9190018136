"""An open request for Mondrian: its plan, and its quasi-identifiers to pull."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.measuring.counting import Sensitive
from ordermade.measuring.dataset import Dataset
from ordermade.measuring.grounding import Attribute
from ordermade.methods.mondrian.columns import Wanted
from ordermade.methods.shared.open_request import OpenRequest, opened_request
from ordermade.privacy.models import Model, required_models
from ordermade.release.plan import Plan
from ordermade.requests.mondrian import MondrianRequest
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve_mondrian import ResolvedMondrian, resolve_mondrian
from ordermade.sources.door import Listener
from ordermade.sources.workspace import Limits
from ordermade.state.database import StateFile

Grounding = Callable[[Dataset, int, str, Hierarchy, int], Attribute]
"""`ground`, which counts, or `outline`, which only names: both make a column countable from a level up."""
GroundingSensitive = Callable[[Dataset, int, str, Sequence[Model]], Sensitive]
"""`ground_sensitive`, which counts, or `outline_sensitive`, which only names."""


@dataclass(frozen=True, slots=True)
class Question(OpenRequest[ResolvedMondrian]):
    """A request for Mondrian that fits its dataset, with the dataset's source open."""

    @property
    def request(self) -> MondrianRequest:
        """The request that was resolved."""
        return self.resolved.request

    def wanted(self, grounding: Grounding) -> tuple[Wanted, ...]:
        """The quasi-identifiers in order; those with a hierarchy are made countable from level 0 up."""
        found = []
        for position, each in enumerate(self.resolved.qis, start=1):
            hierarchy = each.hierarchy
            grounded = None if hierarchy is None else grounding(self.dataset, position, each.column, hierarchy, 0)
            found.append(Wanted(each.column, each.column_type, each.kind, grounded, each.finest))
        return tuple(found)

    def plan(self, grounding: GroundingSensitive) -> Plan:
        """The released columns: the quasi-identifiers, the sensitive attributes as they are, the kept columns."""
        resolved = self.resolved
        models = required_models(resolved.sensitive).items()
        return Plan(
            dataset=self.dataset,
            attributes=(),
            node=(),
            kept=resolved.keep,
            shape=self.request.release.shape,
            sensitive=tuple(
                grounding(self.dataset, position, column, model)
                for position, (column, model) in enumerate(models, start=len(resolved.qis) + 1)
            ),
            entity=resolved.entity,
            pseudonym=self.request.release.pseudonym,
            k=self.request.k,
            aggregated=tuple(each.column for each in resolved.qis),
        )


@contextlib.contextmanager
def open_request(
    state: StateFile, limits: Limits, read: ReadRequest[MondrianRequest], listener: Listener | None = None
) -> Iterator[Question]:
    """The request with its dataset open. Raises RequestError with every mistake, UnknownName, SourceFault."""
    with opened_request(state, limits, read, resolve_mondrian, listener) as held:
        yield Question(held.read, held.resolved, held.opened, held.dataset, held.run, held.standing)
