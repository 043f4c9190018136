"""Hierarchies by name: added, listed, shown, checked against a column, drafted, removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ordermade.catalogue.arguments import typed_methods
from ordermade.catalogue.code_lists import changes_said, read_from_source, registered_list
from ordermade.catalogue.datasets import Datasets
from ordermade.catalogue.open_dataset import OpenDataset
from ordermade.counting.coinciding_labels import coinciding_levels
from ordermade.counting.coverage import figures, with_labels
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import encode_column, rows_of, store_keys
from ordermade.counting.profile import column_profiles
from ordermade.drafts.hierarchies import LEAST_ROWS, drafted_hierarchy
from ordermade.errors import HierarchyError, quoted
from ordermade.hierarchies.code_lists import CodeList, ListChanges, changes_between
from ordermade.hierarchies.coinciding_labels import listed_coinciding, note_of
from ordermade.hierarchies.coverage import coverage
from ordermade.hierarchies.explicit import ExplicitHierarchy
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
    from ordermade.hierarchies.read import ReadHierarchy
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
    """Notes on how the file or the table was read."""
    code_list: CodeList | None = None
    """The table that it comes from; null for one from a file or a program."""
    changes: ListChanges | None = None
    """The changes of the code list since it was taken, of `refresh`; else null."""

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
    notes: tuple[str, ...] = ()
    """Whether its code list changed since it was taken, or cannot be read."""

    @property
    @printed_as("usable")
    def usable(self) -> bool:
        """Whether a request may use the hierarchy on the column; if not, the exit status is 2."""
        return self.report.usable


SHOWN = {
    "name": "name",
    "kind": "kind",
    "levels": "levels",
    "values listed": "leaves",
    "code list": "code_list",
    "added": "added_at",
}
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
        return self._saved("hierarchy add", name, read)

    def add_code_list(
        self,
        name: str,
        source: str,
        table: str,
        *,
        code: str,
        parent: str | None = None,
        levels: Sequence[str] = (),
        label: str | None = None,
        valid_on: date | None = None,
        valid_from: str | None = None,
        valid_to: str | None = None,
        valid_before: str | None = None,
        inner_codes: bool = False,
    ) -> AddedHierarchy:
        """Registers a hierarchy from a table of codes in a source, in place of one of the same name.

        The hierarchy knows its table: `check` and requests say when that changed, and `refresh` takes it again.

        Args:
            name: Its name.
            source: The name of the source.
            table: The table or view, `TABLE` or `SCHEMA.TABLE`.
            code: The column of the codes, which are the values of the data.
            parent: The column of the code above each; NULL, empty or the code itself for a root.
            levels: Instead, a column of labels for each level, from finest to coarsest.
            label: The column of names, which are the labels above the values. A name that stands for different codes
                keeps the code beside it.
            valid_on: The day whose codes are taken.
            valid_from: The column of the first day; NULL: ever since. Without any of the three columns, `valid_from`
                and `valid_to`.
            valid_to: The column of the last day; NULL: still valid.
            valid_before: Instead, the column of the day after the last.
            inner_codes: Whether codes above others are values of the data, too.

        Returns:
            The hierarchy, with notes on how it was read.

        Raises:
            CodeListError: Codes are missing, repeated, in a cycle, or below one that is not there; `reason` names them.
            UnknownName: There is no such source, table or column.
            SourceFault: The source cannot be read.

        Example:
            >>> import sqlite3
            >>> with sqlite3.connect("codes.sqlite") as codes:
            ...     _ = codes.execute("CREATE TABLE town (code TEXT, parent TEXT)")
            ...     _ = codes.executemany("INSERT INTO town VALUES (?, ?)", [("Uji", "Kyoto"), ("Kyoto", None)])
            >>> _ = engine.sources.add("codes", "codes.sqlite")
            >>> engine.hierarchies.add_code_list("town", "codes", "town", code="code", parent="parent").outcome
            'added'
        """
        given = CodeList(
            source=source,
            table=table,
            code=code,
            parent=parent,
            levels=tuple(levels),
            label=label,
            valid_on=None if valid_on is None else date(valid_on.year, valid_on.month, valid_on.day),
            valid_from=valid_from,
            valid_to=valid_to,
            valid_before=valid_before,
            inner_codes=inner_codes,
        )
        settled, read = read_from_source(self.state, self.limits, name, given)
        return self._saved("hierarchy add", name, read, settled)

    def refresh(self, name: str) -> AddedHierarchy:
        """Takes the code list of a hierarchy as it is now; earlier measurements keep the old one.

        Returns:
            The hierarchy, `replaced` or `unchanged`, with the changes of the list.

        Raises:
            UnknownName: There is no such hierarchy, or its source, table or column is gone.
            HierarchyError: It comes from no code list, or the list is no hierarchy any more.
            SourceFault: The source cannot be read.
        """
        before = self.get(name)
        with self.state.reading() as connection:
            text = stored.code_lists(connection, [name]).get(name)
        if text is None or not isinstance(before, ExplicitHierarchy):
            raise HierarchyError(
                "it comes from no code list",
                where=f"hierarchy {quoted(name)}",
                next_step="`ordermade hierarchy add` takes a changed file again.",
            )
        known = registered_list(name, text)
        _, read = read_from_source(self.state, self.limits, name, known)
        saved = self._saved("hierarchy refresh", name, read, known)
        return replace(saved, changes=changes_between(before, cast("ExplicitHierarchy", read.hierarchy)))

    def _saved(self, command: str, name: str, read: ReadHierarchy, code_list: CodeList | None = None) -> AddedHierarchy:
        order = read.hierarchy.order
        levels = range(len(order))
        pairs = [(i, j) for i in levels for j in levels if i != j and order.refines(i, j)]
        text = None if code_list is None else code_list.text()
        with self.state.writing() as connection:
            saved = stored.save(connection, name, store(read.hierarchy), read.hierarchy.content_hash, pairs, text)
            if saved.outcome != "unchanged":
                audit.add_audit_entry(connection, command, name, saved.outcome)
        coinciding = listed_coinciding(read.hierarchy, range(read.hierarchy.top + 1))
        notes = (*read.notes, *note_of(read.hierarchy, coinciding))
        return AddedHierarchy(read.hierarchy, saved.outcome, notes, code_list)

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
        UnknownName, HierarchyError, SourceFault, StateFault. A code list is looked at again: `notes` say what changed.
        """
        hierarchy = self.get(name)
        with Datasets(self.state, self.limits).open(dataset) as found:
            unfiltered, stored_name = _column(found, column)
            unfit = hierarchy.check_type(unfiltered.type_of(stored_name))
            if unfit:
                raise HierarchyError(unfit, where=f"column {quoted(stored_name)}, hierarchy {quoted(name)}")
            checked = _checked(unfiltered, stored_name, hierarchy, show_values=show_values)
            said = changes_said(self.state, self.limits, [name], found.source.name, found.backend)
            return replace(checked, notes=tuple(said))

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
