"""What the verifier finds wrong with the proofs of a pattern."""

from __future__ import annotations

from ordermade.tables.suppression import Pattern, Protection
from ordermade.tables.verification import faults


def faults_of(protection: Protection, pattern: Pattern) -> list[str]:
    """The faults in words, but of cells that the pattern names as unprotected; [] where each is proved."""
    table = protection.table
    found = faults(
        table.relations,
        table.values.tolist(),
        [*pattern.suppressed, *table.hidden],
        protection.lower.tolist(),
        [0 if cell in table.hidden else int(each) for cell, each in enumerate(protection.widths)],
        pattern.witnesses,
        sole=None if protection.sole is None else protection.sole.tolist(),
        families={cell: each.witnesses for cell, each in pattern.families.items()},
    )
    return [each.what for each in found if each.cell not in pattern.unprotected]
