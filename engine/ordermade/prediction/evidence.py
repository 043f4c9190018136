"""The evidence about a request's lattice before anything is counted for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation, Sizes
from ordermade.lattice.proofs import Proofs

Marginal: TypeAlias = Mapping[int, Sizes]
"""The class sizes of one attribute alone, by level number; levels that were not counted are left out."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Table C and the column marginals of one dataset version, in terms of one request's lattice.

    `rows` of the dataset. `proofs`: what observations of this very version prove by refinement. `observed`: nodes of
    the lattice (attributes may be at `*`, accepted or not) that were measured on this version. `marginals`: one for
    each attribute, in order; empty where they are not known. `earlier`: nodes measured on an older version of the same
    dataset: never a proof, only a hint.
    """

    lattice: Lattice
    rows: int
    proofs: Proofs
    observed: Mapping[Node, Observation] = field(default_factory=dict)
    marginals: tuple[Marginal, ...] = ()
    earlier: Mapping[Node, Observation] = field(default_factory=dict)

    @classmethod
    def nothing(cls, lattice: Lattice, rows: int, most_withheld: int = 0) -> Evidence:
        """No evidence but the number of rows (or persons), of which some may be suppressed."""
        return cls(lattice, rows, Proofs(lattice, rows, most_withheld=most_withheld))

    @property
    def most_withheld(self) -> int:
        """The rows (or persons) that may be suppressed: all that is known of k is known of the k reached then."""
        return self.proofs.most_withheld

    def within(self, most_withheld: int) -> Evidence:
        """The same under another limit. Figures that the limit so far left unknown stay unknown."""
        if most_withheld == self.most_withheld:
            return self
        proofs = Proofs(self.lattice, self.proofs.rows, self.proofs.every, most_withheld)
        return replace(self, proofs=proofs)

    def widened(self) -> Evidence:
        """The same of the widened lattice (`Lattice.widened`)."""
        wider = self.lattice.widened()
        return replace(
            self, lattice=wider, proofs=Proofs(wider, self.proofs.rows, self.proofs.every, self.proofs.most_withheld)
        )
