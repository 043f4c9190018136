"""Resolve a request for purchase histories against the dataset's columns; only a taxonomy file is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from ordermade.errors import HierarchyError, did_you_mean, quoted
from ordermade.hierarchies.column_types import (
    MAX_DIGITS,
    decimals_of,
    has_no_text,
    is_date,
    is_number,
    is_text,
    is_whole,
    measured_as,
    type_in_words,
)
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.read import read_hierarchy
from ordermade.phrases import phrase
from ordermade.privacy.least_k import NO_TERMS, DatasetTerms
from ordermade.requests.history import Cluster, HistoryRequest, ItemOptions, Match, NumberOptions
from ordermade.requests.model import SourceTable
from ordermade.requests.problems import FieldPath
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolving import FileField, ResolvedRequest, Resolving, refuse_pseudonym

DEFAULT_PSEUDONYM = "customer"
"""The column of random numbers, one a customer, where the request gives it no name."""
MAP_ROW = "row"
"""The column of a map with the number of the released row, from 1."""


@dataclass(frozen=True, slots=True)
class ResolvedColumn:
    """One column of a history: its name as stored, and its SQL type as DuckDB names it."""

    column: str
    column_type: str


@dataclass(frozen=True, slots=True)
class ResolvedNumber(ResolvedColumn):
    """A column of numbers, each a whole number of units.

    `unit`: 1 for whole numbers, for DECIMALs the requested unit or else their last digit, for floating-point numbers
    the requested unit; None without one, and the values decide.
    """

    unit: Decimal | None


@dataclass(frozen=True, slots=True)
class ResolvedTaxonomy:
    """The categories that are released instead of items: the file as the request names it, its hierarchy, the level."""

    file: str
    hierarchy: ExplicitHierarchy
    level: int

    @property
    def level_name(self) -> str:
        """The name of the level."""
        return self.hierarchy.levels[self.level].name

    @property
    def content_hash(self) -> str:
        """The SHA-256, in hex, of the content of the file."""
        return self.hierarchy.content_hash

    @property
    def level_hash(self) -> str:
        """The SHA-256, in hex, of the category of each item: files with the same categories have the same hash."""
        return self.hierarchy.levels[self.level].content_hash


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ResolvedHistory(ResolvedRequest):
    """A request for histories that fits its dataset: columns as stored, `numbers` in the order of the request.

    `sort`: numbers that a customer's purchases are sorted by, greatest first; empty where there are no numbers.
    `entity` is the customer column, also where the dataset was registered without one.
    """

    request: HistoryRequest
    customer: ResolvedColumn
    when: ResolvedColumn
    item: ResolvedColumn
    numbers: tuple[ResolvedNumber, ...]
    sort: tuple[str, ...]
    taxonomy: ResolvedTaxonomy | None = None

    @property
    def with_values(self) -> tuple[str, ...]:
        """The column of items, where these are released and no categories of theirs: every one stands in a set."""
        return () if self.taxonomy is not None else (self.item.column,)

    @property
    def values_among_rows(self) -> bool:
        """Customers are fewer than the items of a shop; an item for about every purchase says who bought it."""
        return True

    @property
    def match(self) -> Match:
        """The way in which purchases of a cluster's customers are matched."""
        return self.request.history.match

    @property
    def cluster(self) -> Cluster:
        """The way in which customers are clustered."""
        return self.request.history.cluster

    @property
    def window(self) -> int | None:
        """The number of next customers among which similar ones are searched; None: 60 or more, by k and number."""
        return self.request.history.window

    @property
    def delete_costly(self) -> bool:
        """Whether a value whose deletion loses less than keeping it is deleted, for all customers of the cluster."""
        requested = self.request.history.delete_costly
        return self.match == "optimal" if requested is None else requested

    @property
    def map(self) -> Path | None:
        """The absolute path of the map from released rows to original ones; None: none is written."""
        return self.request.history.map_path

    @property
    def pseudonym(self) -> str:
        """The name of the column of random numbers, one a customer."""
        requested = self.request.release.pseudonym
        return DEFAULT_PSEUDONYM if requested is None else requested

    @property
    def columns(self) -> tuple[ResolvedColumn, ...]:
        """The released columns of a purchase: when, item and the numbers."""
        return (self.when, self.item, *self.numbers)

    @property
    def said_by_files(self) -> Mapping[FileField, str]:
        """The hash of the category of each item, which counts instead of the file and the level."""
        return {} if self.taxonomy is None else {("history", "items"): self.taxonomy.level_hash}

    @property
    def in_words(self) -> str:
        """The options beside match and cluster: `window 60, delete_costly true, sort Price then Quantity`."""
        words = [] if self.window is None else [f"window {self.window:,}"]
        words.append(f"delete_costly {str(self.delete_costly).lower()}")
        words += [f"sort {' then '.join(self.sort)}"] if self.sort else []
        if self.taxonomy is not None:
            words.append(
                f"items at level {self.taxonomy.level_name} of a taxonomy of sha256 {self.taxonomy.content_hash}"
            )
        return ", ".join(words)


def resolve_history(
    read: ReadRequest[HistoryRequest],
    columns: Mapping[str, str],
    hierarchies: Mapping[str, Hierarchy],
    entity: str | None = None,
    terms: DatasetTerms = NO_TERMS,
) -> ResolvedHistory:
    """The request over `columns` (name as stored: SQL type as DuckDB names it).

    `hierarchies` are registered ones; none is used, a taxonomy is a file. `entity`: the column of the dataset that
    identifies a person, as stored.

    Raises:
        RequestError: every mistake found, each with its field and line, in `problems`.
    """
    resolving = _Resolving(read, columns, hierarchies, entity, terms)
    return resolving.sound(resolving.all())


@dataclass(slots=True)
class _Resolving(Resolving[HistoryRequest]):
    """Resolves one request field by field."""

    def all(self) -> ResolvedHistory | None:
        """The request, None if a column of it is a mistake; `problems` has every mistake."""
        request = self.read.request
        history = request.history
        customer = self.customer(history.customer)
        when, item = self.when(history.when), self.item(history.item)
        numbers = tuple(self.number(place, *each) for place, each in enumerate(history.number_options))
        found = tuple(each for each in numbers if each is not None)
        sort = self.sort([each.column for each in found])
        taxonomy = None if history.items is None else self.taxonomy(history.items)
        self.window()
        self.released([each.column for each in (when, item, *found) if each is not None])
        identifiers = self.identifiers()
        tree, text = self.filter()
        if customer is None or when is None or item is None:
            return None
        return ResolvedHistory(
            request=request,
            identifiers=identifiers,
            keep=(),
            filter=tree,
            filter_text=text,
            entity=customer.column,
            customer=customer,
            when=when,
            item=item,
            numbers=found,
            sort=sort,
            taxonomy=taxonomy,
        )

    def customer(self, name: str) -> ResolvedColumn | None:
        """The column that identifies the customer: the dataset's entity column if it has one."""
        path: FieldPath = ("history", "customer")
        column = self.stored(name, path)
        if column is None:
            return None
        if self.entity is not None and column != self.entity:
            what = phrase(
                "the dataset identifies persons by %(entity)s, and not by %(column)s",
                entity=quoted(self.entity),
                column=quoted(column),
            )
            self.note(
                path,
                what,
                phrase("write customer: %(entity)s, or use a dataset with another entity column", entity=self.entity),
            )
        self.entity = column
        self.textual(column, path)
        return ResolvedColumn(column, self.type_of(column))

    def textual(self, column: str, path: FieldPath) -> bool:
        """Whether the values of a column have one text each; a problem if not."""
        column_type = self.type_of(column)
        if not has_no_text(column_type):
            return True
        what = phrase(
            "the column %(column)s is a %(kind)s, whose values have no one text",
            column=quoted(column),
            kind=type_in_words(column_type),
        )
        self.note(path, what, phrase("cast it to a text in a dataset query"))
        return False

    def when(self, name: str) -> ResolvedColumn | None:
        """The column of dates."""
        path: FieldPath = ("history", "when")
        column = self.column(name, path)
        if column is None:
            return None
        column_type = self.type_of(column)
        of = {"column": quoted(column), "kind": type_in_words(column_type)}
        if "TIME ZONE" in column_type.upper():
            what = phrase(
                "the column %(column)s is a %(kind)s, whose day depends on the time zone of who reads it", **of
            )
            self.note(path, what, phrase("cast it to a date in a dataset query"))
        elif not is_date(column_type):
            self.note(
                path,
                phrase("the column %(column)s is a %(kind)s, and no date", **of),
                phrase("cast it to a date in a dataset query, or name another column"),
            )
        return ResolvedColumn(column, column_type)

    def item(self, name: str) -> ResolvedColumn | None:
        """The column of the item bought."""
        path: FieldPath = ("history", "item")
        column = self.column(name, path)
        if column is None:
            return None
        column_type = self.type_of(column)
        if not (is_text(column_type) or is_whole(column_type)) and self.textual(column, path):
            what = phrase(
                "the column %(column)s is a %(kind)s, and neither text nor whole number",
                column=quoted(column),
                kind=type_in_words(column_type),
            )
            self.note(path, what, phrase("cast it to a text in a dataset query, or name another column"))
        return ResolvedColumn(column, column_type)

    def number(self, place: int, name: str, options: NumberOptions) -> ResolvedNumber | None:
        """A column of numbers with its unit as far as it is known."""
        listed = isinstance(self.read.request.history.numbers, tuple)
        path: FieldPath = ("history", "numbers", place if listed else name)
        column = self.column(name, path)
        if column is None:
            return None
        column_type = self.type_of(column)
        unit: Decimal | None = options.unit
        if measured_as(column_type) is None:
            self.note(path, *_no_number(column, column_type))
        elif is_whole(column_type):
            if unit is not None:
                what = phrase("the column %(column)s has whole numbers, whose unit is 1", column=quoted(column))
                self.note((*path, "unit"), what, phrase("take unit out"))
            unit = Decimal(1)
        elif measured_as(column_type) == "whole" and unit is None:
            unit = Decimal(1).scaleb(-decimals_of(column_type))
        return ResolvedNumber(column, column_type, unit)

    def sort(self, numbers: list[str]) -> tuple[str, ...]:
        """The numbers that purchases are sorted by; all of them where none are named."""
        found: list[str] = []
        for place, name in enumerate(self.read.request.history.sort):
            path: FieldPath = ("history", "sort", place)
            column = self.stored(name, path)
            if column is None:
                continue
            if column not in numbers:
                hint = did_you_mean(name, numbers) if numbers else phrase("name it in numbers too, or take sort out")
                self.note(path, phrase("the column %(column)s is none of the numbers", column=quoted(column)), hint)
            elif column in found:
                self.note(
                    path,
                    phrase("the column %(column)s is named twice", column=quoted(column)),
                    phrase("name it in one place"),
                )
            found.append(column)
        return tuple(found) or tuple(numbers)

    def taxonomy(self, options: ItemOptions) -> ResolvedTaxonomy | None:
        """The taxonomy in the file that the request names; a problem if there is no such file or level."""
        path: FieldPath = ("history", "items", "taxonomy")
        folder = Path() if self.read.path is None else self.read.path.parent
        try:
            hierarchy = read_hierarchy(folder / options.taxonomy, options.taxonomy).hierarchy
        except HierarchyError as error:
            self.note(path, f"{error.where}: {error.what}", error.next_step)
            return None
        if not isinstance(hierarchy, ExplicitHierarchy):
            self.note(
                path,
                phrase("a taxonomy lists the category of each item, and this has a rule"),
                phrase("list the items"),
            )
            return None
        at = ("history", "items", "level")
        level = self.level(options.level, hierarchy, at)
        if level is None:
            return None
        if level in (0, hierarchy.top):
            what = (
                phrase("level 0 is the items themselves")
                if level == 0
                else phrase("level %(level)s is `*`, one class of all items", level=level)
            )
            between = [f"{number}" for number in range(1, hierarchy.top)]
            self.note(
                at,
                what,
                (
                    phrase("write level: %(between)s", between=between[0])
                    if between
                    else phrase("give each item a category in the file")
                ),
            )
            return None
        return ResolvedTaxonomy(options.taxonomy, hierarchy, level)

    def window(self) -> None:
        """Notes a window too small to find a cluster's customers in."""
        request = self.read.request
        window = request.history.window
        if window is not None and window < request.k - 1:
            what = phrase(
                "a cluster has %(k)s customers beside the first, and the window only %(window)s",
                k=format(request.k - 1, ","),
                window=format(window, ","),
            )
            self.note(
                ("history", "window"), what, phrase("write window: %(k)s, or more, or take it out", k=request.k - 1)
            )

    def released(self, columns: list[str]) -> None:
        """Notes fields that contradict a release of histories. `columns` are released, as stored."""
        request = self.read.request
        target, truth = request.release.to, request.history.map
        if request.keep:
            what = phrase("a column that is kept as it is would distinguish the customers of a cluster")
            self.note(("keep",), what, phrase("take keep out, or name the columns in history"))
        if request.release.shape == "table":
            what = phrase("a release of histories has one row a purchase, and no statistical table")
            self.note(("release", "shape"), what, phrase("write shape: rows"))
        refuse_pseudonym(self, request.release.pseudonym or DEFAULT_PSEUDONYM, columns)
        if truth is not None and isinstance(target, SourceTable):
            what = phrase(
                "a map names the rows of a release by their place, and those of a table of the source have none"
            )
            self.note(("history", "map"), what, phrase("release to a file, or take map out"))
        elif truth is not None and _same_file(request.history.map_path, request.release.path):
            what = phrase("the map is secret, and this is where the release is written")
            self.note(("history", "map"), what, phrase("write another path, such as private/map.csv"))
        taken = [each for each in (self.entity, *columns) if each is not None and each.lower() == MAP_ROW]
        if truth is not None and taken:
            what = phrase(
                "a map has the rows of the release in a column %(maprow)s, and the purchases have one too",
                maprow=quoted(MAP_ROW),
            )
            self.note(("history", "map"), what, phrase("rename that column in a dataset query, or take map out"))


def _same_file(one: Path | None, other: Path | None) -> bool:
    return one is not None and other is not None and one.resolve() == other.resolve()


def _no_number(column: str, column_type: str) -> tuple[str, str]:
    """The problem of a column that is not one of exact numbers, and its correction."""
    of = {"column": quoted(column), "kind": type_in_words(column_type)}
    if is_number(column_type):
        return phrase("the column %(column)s is a %(kind)s, which has more digits than can be counted exactly", **of), (
            phrase("cast it in a dataset query, to BIGINT, DECIMAL(%(maxdigits)s, 2) or DOUBLE", maxdigits=MAX_DIGITS)
        )
    return phrase("the column %(column)s is a %(kind)s, and no number", **of), phrase(
        "cast it to a number in a dataset query, or name another column"
    )
