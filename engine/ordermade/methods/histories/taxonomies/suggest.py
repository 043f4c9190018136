"""Draft a taxonomy of items from their descriptions: by keywords, else by similar terms.

A description without keywords gets its category by naive Bayes on terms (Maron 1961; multinomial, smoothed), learned
from the descriptions with keywords. The source only counts descriptions. Nothing is released or stored.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ordermade.catalogue.any_table import AnyTable, require_filter_read
from ordermade.errors import InputError
from ordermade.methods.histories.taxonomies.items import Item, described_items, with_share
from ordermade.methods.histories.taxonomies.keywords import Keywords, Matcher, Terms, read_keywords, terms_of
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.sources.limits import Limits
from ordermade.state.database import StateFile

LEAST_DESCRIPTIONS = 3
"""Terms of fewer descriptions are not learned from."""

SMOOTHING = 1.0
"""The count added to each term of every category (Laplace)."""

DIGITS = 12
"""The decimals to which probabilities are rounded before comparison, so that the order of additions decides no tie."""


@dataclass(frozen=True, slots=True, eq=False)
class TermLikeness:
    """The learned naive Bayes model.

    `place_of`: the row of each term in `likelihoods`. `likelihoods`: natural logarithms, of shape (terms, categories).
    `priors`: natural logarithms, of shape (categories,).
    """

    place_of: dict[str, int]
    likelihoods: npt.NDArray[np.float64]
    priors: npt.NDArray[np.float64]

    @classmethod
    def learned(cls, described: Sequence[tuple[Terms, int]], categories: int) -> TermLikeness:
        """The model learned from descriptions, each with the number of its category, from 0 below `categories`."""
        in_descriptions = Counter(term for terms, _ in described for term in set(terms))
        known = sorted(term for term, n in in_descriptions.items() if n >= LEAST_DESCRIPTIONS)
        place_of = {term: place for place, term in enumerate(known)}
        counts = np.zeros((len(known), categories))
        sizes = np.zeros(categories)
        for terms, number in described:
            sizes[number] += 1
            for term in set(terms) & place_of.keys():
                counts[place_of[term], number] += 1
        likelihoods = np.log(counts + SMOOTHING) - np.log(counts.sum(axis=0) + SMOOTHING * max(len(known), 1))
        with np.errstate(divide="ignore"):  # a category without descriptions is never likely
            priors = np.log(sizes) - np.log(max(sizes.sum(), 1))
        return cls(place_of, likelihoods, priors)

    def category(self, terms: Terms, least: float) -> int | None:
        """The number of the likeliest category; None if its probability is below `least`, or no term is known.

        Ties go to the first category.
        """
        places = sorted({self.place_of[term] for term in terms if term in self.place_of})
        if not places:
            return None
        logarithms = self.priors + self.likelihoods[places].sum(axis=0)
        probabilities = np.exp(logarithms - logarithms.max())
        probabilities = np.round(probabilities / probabilities.sum(), DIGITS)
        number = int(probabilities.argmax())
        return number if probabilities[number] >= least else None


LEAST_ITEMS = 5
"""Terms of fewer items are not shown: they may describe one customer's own order."""

LEAST_LETTERS = 3
"""Shorter terms (`of`, sizes of sets) are not shown: they do not describe an item."""


@dataclass(frozen=True, slots=True)
class TaxonomyOptions:
    """The options of a draft: the columns of items and of their descriptions, and the keywords.

    `keywords`: the file of the list, None for the one in the package. `likeness`: the least probability of the
    likeliest category, for an item without keywords. `terms`: the most terms shown of items without a category.
    """

    item: str
    description: str
    keywords: Path | None = None
    likeness: float = 0.8
    terms: int = 30


@dataclass(frozen=True, slots=True)
class CategoryCounts:
    """The number of items in a category, by keywords and by likeness, and of their records."""

    name: str
    department: str | None
    by_keyword: int
    by_likeness: int
    records: int

    @property
    def items(self) -> int:
        """All its items."""
        return self.by_keyword + self.by_likeness


@dataclass(frozen=True, slots=True)
class LeftTerm:
    """A term of the items without a category."""

    term: str
    """The term."""
    items: int
    """The items without a category that have it."""
    of: int
    """The items that have it."""
    records: int
    """The records of the items without a category."""


@dataclass(frozen=True, slots=True, repr=False)
class SuggestedTaxonomy(HasSummary):
    """A draft of a taxonomy.

    `lines`: each item with its category and, if there are departments, its department. `categories`: those of the list
    of keywords, in its order. `left_items`, `left_records`: the number of items in the category `other`, and of their
    records. `left`: terms of these items that may be keywords. `described`: the number of items with a description.
    `without_item`: the number of records that name no item.
    """

    table: str
    filter: str | None
    item: str
    description: str
    items: int
    records: int
    described: int
    without_item: int
    categories: tuple[CategoryCounts, ...]
    other: str
    left_items: int
    left_records: int
    left: tuple[LeftTerm, ...]
    lines: tuple[tuple[str, ...], ...]

    def _card(self) -> Card:
        title = f"SuggestedTaxonomy: {self.items:,} items in {len(self.categories):,} categories"
        categories = Grid(suggested_headings(self), suggested_rows(self))
        return Card.of(title, suggested_facts(self), categories)

    @property
    def departments(self) -> bool:
        """Whether categories have departments."""
        return self.categories[0].department is not None


def suggested(
    table: AnyTable, state: StateFile, limits: Limits, wanted: TaxonomyOptions, *, where: str | None = None
) -> SuggestedTaxonomy:
    """The taxonomy drafted from a table.

    Raises InputError (UnknownName, RequestError for the list of keywords, FilterError), SourceFault, StateFault.
    """
    _check(wanted)
    listed = read_keywords(wanted.keywords)
    with table.dataset(state, limits, where) as (dataset, text):
        require_filter_read(dataset, text)
        found = described_items(dataset, wanted.item, wanted.description)
        name = dataset.name
    if not found.items:
        raise InputError(
            "there are no items to sort: no row names one", where=name, next_step="Look at --item and at --where."
        )
    terms = [terms_of(each.description) for each in found.items]
    placed = _placed(terms, listed, wanted.likeness)
    left = [number for number, (category, _) in enumerate(placed) if category is None]
    return SuggestedTaxonomy(
        table=name,
        filter=text,
        item=wanted.item,
        description=wanted.description,
        items=len(found.items),
        records=found.records,
        described=sum(bool(each.description) for each in found.items),
        without_item=found.without,
        categories=tuple(_counts(found.items, placed, listed)),
        other=listed.other,
        left_items=len(left),
        left_records=sum(found.items[number].records for number in left),
        left=tuple(_left_terms(found.items, terms, left)[: wanted.terms]),
        lines=tuple(_lines(found.items, placed, listed)),
    )


Placed = tuple[int | None, bool]
"""The number of an item's category, None for `other`; and whether a keyword decided it."""


def _placed(terms: Sequence[Terms], listed: Keywords, least: float) -> list[Placed]:
    matcher = Matcher.of(listed)
    matched = [matcher.category(each) for each in terms]
    learned = [(each, number) for each, number in zip(terms, matched, strict=True) if number is not None]
    likeness = TermLikeness.learned(learned, len(listed.categories))
    return [
        (likeness.category(each, least) if least < 1 else None, False) if number is None else (number, True)
        for each, number in zip(terms, matched, strict=True)
    ]


def _counts(items: Sequence[Item], placed: Sequence[Placed], listed: Keywords) -> Iterator[CategoryCounts]:
    counted = Counter(placed)
    records: Counter[int | None] = Counter()
    for item, (number, _) in zip(items, placed, strict=True):
        records[number] += item.records
    for number, each in enumerate(listed.categories):
        by_keyword, by_likeness = counted[number, True], counted[number, False]
        yield CategoryCounts(each.name, each.department, by_keyword, by_likeness, records[number])


def _left_terms(items: Sequence[Item], terms: Sequence[Terms], left: Sequence[int]) -> list[LeftTerm]:
    """The terms of items left in `other`, the most frequent there and rarest elsewhere first."""
    of = Counter(term for each in terms for term in set(each))
    found: Counter[str] = Counter()
    records: Counter[str] = Counter()
    for number in left:
        for term in set(terms[number]):
            found[term] += 1
            records[term] += items[number].records
    shown = [
        LeftTerm(term, n, of[term], records[term])
        for term, n in found.items()
        if n >= LEAST_ITEMS and len(term) >= LEAST_LETTERS and not term.isdigit()
    ]
    return sorted(shown, key=lambda each: (-each.items * each.items / each.of, -each.records, each.term))


def _lines(items: Sequence[Item], placed: Sequence[Placed], listed: Keywords) -> Iterator[tuple[str, ...]]:
    for item, (number, _) in zip(items, placed, strict=True):
        category = listed.other if number is None else listed.categories[number].name
        if not listed.departments:
            yield item.name, category
            continue
        department = listed.other if number is None else listed.categories[number].department
        yield item.name, category, department or listed.other


def _check(wanted: TaxonomyOptions) -> None:
    """Raises InputError for an option out of range."""
    if not 0 < wanted.likeness <= 1:
        raise InputError(
            "likeness is a probability, above 0 and at most 1", where="--likeness", next_step="For example 0.8."
        )
    if wanted.terms < 0:
        raise InputError("the number of terms is negative", where="--terms", next_step="For example 30.")


def csv_text(drafted: SuggestedTaxonomy) -> str:
    """The draft as CSV with a header: item, category and, if the keywords have departments, department."""
    names = ("item", "category", "department") if drafted.departments else ("item", "category")
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(drafted.lines)
    return file.getvalue()


TERM_HEADINGS = ("term", "items", "of", "records")


TERMS_TITLE = "Terms of items that got no category: which of them are keywords?"


def suggested_facts(found: SuggestedTaxonomy) -> Iterator[tuple[str, Any]]:
    """The facts of a draft by their names: its table and filter, and how many items got a category."""
    by_keyword = sum(each.by_keyword for each in found.categories)
    by_likeness = sum(each.by_likeness for each in found.categories)
    yield "table", found.table
    yield "where", found.filter
    yield "items", f"{found.items:,} in {found.records:,} records"
    if found.described < found.items:
        yield "items without a description", found.items - found.described
    if found.without_item:
        yield "records without an item", found.without_item
    yield "by keywords", with_share(by_keyword, found.items)
    yield "by likeness", with_share(by_likeness, found.items)
    yield (
        "left",
        f"{with_share(found.left_items, found.items)}, {with_share(found.left_records, found.records)} of the records",
    )


def suggested_headings(found: SuggestedTaxonomy) -> tuple[str, ...]:
    """The names of the columns of `suggested_rows`."""
    return (
        *(("department",) if found.departments else ()),
        "category",
        "items",
        "by keyword",
        "by likeness",
        "records",
    )


def suggested_rows(found: SuggestedTaxonomy) -> list[tuple[Any, ...]]:
    """One row for each category with an item, and one for `other`."""
    rows: list[tuple[Any, ...]] = [
        (each.department, each.name, each.items, each.by_keyword, each.by_likeness, each.records)
        for each in found.categories
        if each.items
    ]
    rows.append((found.other, found.other, found.left_items, None, None, found.left_records))
    return rows if found.departments else [row[1:] for row in rows]


def term_rows(found: SuggestedTaxonomy) -> list[tuple[Any, ...]]:
    """One row for each term of the items without a category, with the columns `TERM_HEADINGS`."""
    return [(each.term, each.items, each.of, each.records) for each in found.left]
