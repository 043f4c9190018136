"""What may be chosen of tables with totals, as requests and the code that carries them out spell it."""

from __future__ import annotations

from typing import Literal, TypeAlias

Layout: TypeAlias = Literal["long", "crossed"]
"""A row a cell, or cross-tabulated."""
Costs: TypeAlias = Literal["inner", "equal", "units"]
"""Which cells are suppressed beside the small ones: small ones before totals, any, or few units."""
Zeros: TypeAlias = Literal["shown", "hidden"]
"""Empty cells are 0, or have the mark of suppressed ones."""
