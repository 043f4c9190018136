"""Hierarchies by name: added, listed, shown, checked against a column, drafted, removed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordermade.catalogue.arguments import typed_methods
from ordermade.catalogue.datasets import Datasets
from ordermade.catalogue.open_dataset import OpenDataset
from ordermade.counting.coinciding_labels import coinciding_levels
from ordermade.counting.coverage import figures, with_labels
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import encode_column, rows_of, store_keys
from ordermade.counting.profile import column_profiles
from ordermade.drafts.hierarchies import LEAST_ROWS, drafted_hierarchy
from ordermade.errors import HierarchyError, quoted
from ordermade.hierarchies.coinciding_labels import listed_coinciding, note_of
from ordermade.hierarchies.coverage import coverage
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.stored import restore, store
from ordermade.records.cards import HasSummary
from ordermade.records.listing import Listing
from ordermade.records.printed import NOT_PRINTED, printed_as
from ordermade.requests.columns import stored_column
from ordermade.sources.limits import Limits
from ordermade.state import audit
from ordermade.state import hierarchies as stored
from ordermade.state.database import StateFile

if TYPE_CHECKING:
    from pandas import DataFrame
    from polars import LazyFrame
    from pyarrow import Table

    from ordermade.drafts.hierarchies import DraftedHierarchy, Undrafted
    from ordermade.hierarchies.coverage import CoverageReport
    from ordermade.hierarchies.read_csv import Style
    from ordermade.state.hierarchies import HierarchyRecord


@dataclass(frozen=True, slots=True, repr=False)
class AddedHierarchy(HasSummary):
    """A hierarchy was registered."""

    hierarchy: Hierarchy = field(metadata=NOT_PRINTED)
    """The hierarchy."""
    outcome: str
    """`added`, `replaced` (the one of that name) or `unchanged`."""
    notes: tuple[str, ...]
    """Notes on how the file was read."""

    @property
    @printed_as("name")
    def name(self) -> str:
        """Its name."""
        return self.hierarchy.name

    @property
    @printed_as("kind")
    def kind(self) -> str:
        """`explicit`, `interval`, `date` or `prefix`."""
        return self.hierarchy.kind

    @property
    @printed_as("levels")
    def levels(self) -> tuple[str, ...]:
        """The names of its levels, from finest to coarsest."""
        return tuple(each.name for each in self.hierarchy.levels)

    @property
    @printed_as("content_hash")
    def content_hash(self) -> str:
        """The hash of its content."""
        return self.hierarchy.content_hash


@dataclass(frozen=True, slots=True, repr=False)
class CheckedHierarchy(HasSummary):
    """A hierarchy checked against a column of a dataset."""

    report: CoverageReport
    """The figures of the check."""
    missing: tuple[tuple[str | None, int], ...] = ()
    """With `--show-values`: values that are missing, with their rows. They are values of the data."""

    @property
    @printed_as("usable")
    def usable(self) -> bool:
        """Whether a request may use the hierarchy on the column; if not, the exit status is 2."""
        return self.report.usable


SHOWN = {"name": "name", "kind": "kind", "levels": "levels", "values listed": "leaves", "added": "added_at"}
"""The columns of the list, in Python and on the screen."""


@typed_methods
@dataclass(frozen=True, slots=True)
class Hierarchies:
    """The registered hierarchies of a state."""

    state: StateFile
    limits: Limits = field(repr=False)

    def add(
        self,
        name: str,
        path: Path | str | Mapping[Any, Any] | DataFrame | LazyFrame | Table,
        style: Style = "auto",
        *,
        sheet: str | None = None,
    ) -> AddedHierarchy:
        """Registers a hierarchy, in place of one of the same name.

        Args:
            name: Its name.
            path: The path of its file; the text of a YAML file; a mapping, of values to a label or to a list of labels,
                coarser and coarser, or the content of a YAML file; or a frame, whose first column has the values and
                the others their labels.
            style: Of a CSV file.
            sheet: Of a workbook that has several, the one.

        Returns:
            The hierarchy, with notes on how it was read.

        Raises:
            HierarchyError: It has mistakes.

        Example:
            >>> engine.hierarchies.add("town", {"Kyoto": "Kansai", "Otsu": "Kansai", "Uji": "Kansai"}).hierarchy.top
            1
        """
        from ordermade.catalogue.python_hierarchies import read_given

        read = read_given(path, name, style, sheet)
        order = read.hierarchy.order
        levels = range(len(order))
        pairs = [(i, j) for i in levels for j in levels if i != j and order.refines(i, j)]
        with self.state.writing() as connection:
            saved = stored.save(connection, name, store(read.hierarchy), read.hierarchy.content_hash, pairs)
            if saved.outcome != "unchanged":
                audit.add_audit_entry(connection, "hierarchy add", name, saved.outcome)
        coinciding = listed_coinciding(read.hierarchy, range(read.hierarchy.top + 1))
        return AddedHierarchy(read.hierarchy, saved.outcome, (*read.notes, *note_of(read.hierarchy, coinciding)))

    def list(self) -> tuple[HierarchyRecord, ...]:
        """Every hierarchy in use, by name. Raises StateFault."""
        with self.state.reading() as connection:
            return Listing(stored.listed(connection), "hierarchies", SHOWN)

    def get(self, name: str) -> Hierarchy:
        """The hierarchy of that name. Raises UnknownName, StateFault."""
        with self.state.reading() as connection:
            return restore(name, stored.load(connection, name))

    def remove(self, name: str) -> HierarchyRecord:
        """Takes a hierarchy out of use. Its history stays. Raises UnknownName, StateFault."""
        with self.state.writing() as connection:
            record = stored.remove(connection, name)
            audit.add_audit_entry(connection, "hierarchy remove", name)
        return record

    def check(self, name: str, dataset: str, column: str, *, show_values: bool = False) -> CheckedHierarchy:
        """Checks a hierarchy against a column of a dataset: values missing, duplicate, never used; counts only.

        With `show_values` the missing values themselves are read too (at most 20), for the provider's eyes. Raises
        UnknownName, HierarchyError, SourceFault, StateFault.
        """
        hierarchy = self.get(name)
        with Datasets(self.state, self.limits).open(dataset) as found:
            unfiltered, stored_name = _column(found, column)
            unfit = hierarchy.check_type(unfiltered.type_of(stored_name))
            if unfit:
                raise HierarchyError(unfit, where=f"column {quoted(stored_name)}, hierarchy {quoted(name)}")
            return _checked(unfiltered, stored_name, hierarchy, show_values=show_values)

    def suggest(self, dataset: str, column: str, *, least_rows: int | None = None) -> DraftedHierarchy | Undrafted:
        """A draft of a hierarchy for a column, or the reason why there is none.

        `least_rows`: every label that is no value of its own has so many rows; left out, the least k of the dataset, or
        `LEAST_ROWS`. Raises InputError for a column that there is not, UnknownName, SourceFault, StateFault.
        """
        return self._suggested(dataset, column, least_rows)[0]

    def suggest_all(self, dataset: str, *, least_rows: int | None = None) -> tuple[DraftedHierarchy | Undrafted, ...]:
        """The same for every column of a dataset, in its order. Raises UnknownName, SourceFault, StateFault."""
        return self._suggested(dataset, None, least_rows)

    def _suggested(
        self, dataset: str, column: str | None, least_rows: int | None
    ) -> tuple[DraftedHierarchy | Undrafted, ...]:
        with Datasets(self.state, self.limits).open(dataset) as found:
            names = None if column is None else [stored_column(column, [each.name for each in found.columns])]
            profiles = column_profiles(found.filtered(None), names)
            rows = max(found.terms.least_k or 1, LEAST_ROWS) if least_rows is None else least_rows
        return tuple(drafted_hierarchy(each, least_rows=rows) for each in profiles)


def _column(found: OpenDataset, column: str) -> tuple[Dataset, str]:
    return found.filtered(None), stored_column(column, [each.name for each in found.columns])


def _checked(dataset: Dataset, column: str, hierarchy: Hierarchy, *, show_values: bool) -> CheckedHierarchy:
    attribute = encode_column(dataset, 1, column, hierarchy, 0)
    grounding = store_keys(dataset, attribute)
    workspace = dataset.backend.workspace
    found = figures(workspace, attribute)
    grounded = with_labels(attribute, grounding)
    counts = rows_of(workspace, "coverage/marginal_counts", attribute)
    used = rows_of(workspace, "coverage/never_used", attribute)[0][0]

    report = coverage(
        hierarchy,
        column,
        rows=sum(int(n) for n, _ in counts),
        values=sum(not is_null for _, is_null in counts),
        null_rows=sum(int(n) for n, is_null in counts if is_null),
        missing_values=found.missing_values,
        missing_rows=found.missing_rows,
        used_leaves=int(used),
        duplicates=found.repeated,
        coinciding=coinciding_levels(workspace, grounded, range(hierarchy.top + 1)),
    )
    missing = rows_of(workspace, "coverage/missing_values", attribute) if show_values else []
    return CheckedHierarchy(report, tuple((value, int(n)) for value, n in missing))
