"""The coverage of a column by a hierarchy: the figures, and the words for them. The counting is SQL's."""

from __future__ import annotations

from dataclasses import dataclass

from ordermade.errors import quoted
from ordermade.hierarchies.coinciding_labels import note_of
from ordermade.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """A hierarchy checked against a column of a dataset, in counts."""

    hierarchy: str
    """The hierarchy."""
    column: str
    """The column."""
    rows: int
    """The rows of the dataset."""
    values: int
    """The distinct values of the column, NULL not counted."""
    null_rows: int
    """The rows without a value."""
    null_has_path: bool
    """Whether the hierarchy says what NULL becomes."""
    missing_values: int
    """The values that the hierarchy does not place."""
    missing_rows: int
    """The rows with such a value."""
    leaves: int
    """The values that the hierarchy lists."""
    never_used: int
    """Those of them that the column does not have."""
    duplicates: int
    """Listed values that are one value of the column's type."""
    not_nested: tuple[tuple[str, str], ...]
    """Neighbouring levels of which the finer does not refine the coarser."""
    coinciding: tuple[str, ...] = ()
    """Notes on levels that have one label for different values."""

    @property
    def usable(self) -> bool:
        """True if a request may use the hierarchy on the column: nothing is missing or ambiguous."""
        return self.missing_values == 0 and self.duplicates == 0

    def lines(self) -> tuple[str, ...]:
        """The report in sentences, one a line: counts and names of levels only, never a value."""
        lines = [
            (
                f"hierarchy {quoted(self.hierarchy)} on column {quoted(self.column)}: "
                f"{_count(self.values, 'value')} in {_count(self.rows, 'row')}"
            )
        ]
        if self.missing_values:
            lines.append(
                f"missing: {_count(self.missing_values, 'value')} in {_count(self.missing_rows, 'row')} "
                f"{_agrees(self.missing_values, 'is', 'are')} not in the hierarchy"
            )
        if self.duplicates:
            lines.append(
                f"duplicate: {_count(self.duplicates, 'listed value')} "
                f"{_agrees(self.duplicates, 'is', 'are')} the same value of the column as another"
            )
        if self.never_used:
            lines.append(
                f"never used: {_count(self.never_used, 'listed value')} of {self.leaves:,} "
                f"{_agrees(self.never_used, 'does', 'do')} not occur (harmless)"
            )
        if self.null_rows and not self.null_has_path:
            lines.append(f"NULL in {_count(self.null_rows, 'row')}: stays NULL at every level below '*'")
        lines.extend(
            f"level {quoted(fine)} does not refine level {quoted(coarse)}: searches that need nested levels "
            "are refused where both are accepted"
            for fine, coarse in self.not_nested
        )
        lines.extend(self.coinciding)
        lines.append("the hierarchy covers the column" if self.usable else "the hierarchy cannot be used yet")
        return tuple(lines)


def coverage(
    hierarchy: Hierarchy,
    column: str,
    *,
    rows: int,
    values: int,
    null_rows: int,
    missing_values: int = 0,
    missing_rows: int = 0,
    used_leaves: int = 0,
    duplicates: int = 0,
    coinciding: tuple[int, int] | None = None,
) -> CoverageReport:
    """The report from the figures that the source counted.

    `used_leaves` is the number of listed values that occur in the column, the path of NULL included; rules
    list none and have no leaves to be unused.
    """
    leaves: tuple[str | None, ...] = getattr(hierarchy, "leaves", ())
    return CoverageReport(
        hierarchy=hierarchy.name,
        column=column,
        rows=rows,
        values=values,
        null_rows=null_rows,
        null_has_path=None in leaves,
        missing_values=missing_values,
        missing_rows=missing_rows,
        leaves=len(leaves),
        never_used=len(leaves) - used_leaves if leaves else 0,
        duplicates=duplicates,
        not_nested=not_nested(hierarchy),
        coinciding=note_of(hierarchy, coinciding),
    )


def not_nested(hierarchy: Hierarchy) -> tuple[tuple[str, str], ...]:
    """The names of neighbouring levels of which the lower number does not refine the higher."""
    return tuple(
        (hierarchy.levels[level].name, hierarchy.levels[level + 1].name)
        for level in range(hierarchy.top)
        if not hierarchy.order.refines(level, level + 1)
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _agrees(number: int, one: str, several: str) -> str:
    return one if number == 1 else several
