"""Resolves a request for microaggregation against the dataset's columns and the registered hierarchies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ordermade.errors import quoted
from ordermade.hierarchies.column_types import MAX_DIGITS, is_number, measured_as, type_in_words
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.methods.microaggregation.algorithm.methods import METHODS
from ordermade.phrases import phrase
from ordermade.privacy.least_k import NO_TERMS, DatasetTerms
from ordermade.requests.microaggregation import AttributeOptions, MicroaggregationRequest, Within
from ordermade.requests.problems import FieldPath
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolving import NO_DISTANCE, ResolvedRequest, Resolving


@dataclass(frozen=True, slots=True)
class ResolvedAttribute:
    """One attribute: the column as stored, its SQL type, and how it counts.

    Numeric without a `hierarchy`: a group is released with its `aggregate` mean or median. Categorical with one: with
    its mode or its least common ancestor (`ancestor`).
    """

    column: str
    column_type: str
    weight: Fraction
    hierarchy: Hierarchy | None
    aggregate: str


@dataclass(frozen=True, slots=True)
class ResolvedWithin:
    """A column that is generalised to one level, by number; groups are made inside its classes."""

    column: str
    column_type: str
    hierarchy: Hierarchy
    level: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ResolvedMicroaggregation(ResolvedRequest):
    """A request for microaggregation that fits its dataset: attributes and `within` in the order of the request."""

    request: MicroaggregationRequest
    attributes: tuple[ResolvedAttribute, ...]
    within: tuple[ResolvedWithin, ...] = ()

    @property
    def as_they_are(self) -> tuple[tuple[str, FieldPath], ...]:
        """Kept columns, and those that groups are within at level 0."""
        return (
            *((each, ("keep",)) for each in self.keep),
            *((each.column, ("within", each.column)) for each in self.within if each.level == 0),
        )


def resolve_microaggregation(
    read: ReadRequest[MicroaggregationRequest],
    columns: Mapping[str, str],
    hierarchies: Mapping[str, Hierarchy],
    entity: str | None = None,
    terms: DatasetTerms = NO_TERMS,
) -> ResolvedMicroaggregation:
    """The request over `columns` (name as stored: SQL type as DuckDB names it) and registered `hierarchies`.

    `entity`: the column of the dataset that identifies a person, as stored; a dataset with one is refused.

    Raises:
        RequestError: every mistake found, each with its field and line, in `problems`.
    """
    resolving = _Resolving(read, columns, hierarchies, entity, terms)
    return resolving.sound(resolving.all())


@dataclass(slots=True)
class _Resolving(Resolving[MicroaggregationRequest]):
    """Resolves one request field by field."""

    def all(self) -> ResolvedMicroaggregation:
        """The request as far as it can be resolved; `problems` has every mistake."""
        request = self.read.request
        attributes = [self.attribute(name, options) for name, options in request.attributes.items()]
        within = [self.generalised(name, options) for name, options in request.within.items()]
        identifiers = self.identifiers()
        keep = self.listed("keep", request.keep)
        self.refuse_algorithm()
        self.refuse_persons()
        self.refuse_table("attributes", "within", row=phrase("group"))
        tree, text = self.filter()
        return ResolvedMicroaggregation(
            request=request,
            identifiers=identifiers,
            keep=keep,
            filter=tree,
            filter_text=text,
            entity=self.entity,
            attributes=tuple(each for each in attributes if each),
            within=tuple(each for each in within if each),
        )

    def attribute(self, name: str, options: AttributeOptions) -> ResolvedAttribute | None:
        path: FieldPath = ("attributes", name)
        column = self.column(name, path)
        if options.hierarchy is None:
            if column is None or not self.measurable(column, path):
                return None
            numeric = self.read.request.microaggregation.aggregate
            return ResolvedAttribute(column, self.type_of(column), Fraction(options.weight), None, numeric)
        hierarchy = self.distance(options.hierarchy, column, (*path, "hierarchy"))
        if column is None or hierarchy is None:
            return None
        return ResolvedAttribute(
            column, self.type_of(column), Fraction(options.weight), hierarchy, options.aggregate or "mode"
        )

    def measurable(self, column: str, path: FieldPath) -> bool:
        """Whether the column's numbers can be worked with exactly; a problem if not."""
        column_type = self.type_of(column)
        of = {"column": quoted(column), "kind": type_in_words(column_type)}
        if not is_number(column_type):
            instead = phrase(
                "cast it to a number in a dataset query, or name a hierarchy (job: {hierarchy: occupation})"
            )
            self.note(
                path,
                phrase("the column %(column)s is a %(kind)s, and only numbers are near each other by themselves", **of),
                instead,
            )
            return False
        if measured_as(column_type) is None:
            instead = phrase(
                "cast it in a dataset query, to BIGINT, DECIMAL(%(maxdigits)s, 2) or DOUBLE, or name a hierarchy",
                maxdigits=MAX_DIGITS,
            )
            self.note(
                path,
                phrase(
                    "the column %(column)s is a %(kind)s, which has more digits than can be microaggregated exactly",
                    **of,
                ),
                instead,
            )
            return False
        return True

    def distance(self, name: str, column: str | None, path: FieldPath) -> Hierarchy | None:
        """The hierarchy that measures the distance of two values; a problem if it measures none."""
        found = self.hierarchy(name, path)
        if found is None or not self.is_chain(
            found, name, path, so=NO_DISTANCE, instead=phrase("leave out the attribute")
        ):
            return None
        if found.top == 0:
            what = phrase("the hierarchy %(name)s has no level below `*`, so all values are as near", name=quoted(name))
            self.note(path, what, phrase("name a hierarchy with more levels, or leave out the attribute"))
            return None
        return found if column is None or self.fits(found, name, column, path) else None

    def generalised(self, name: str, options: Within) -> ResolvedWithin | None:
        path: FieldPath = ("within", name)
        column = self.column(name, path)
        hierarchy = self.hierarchy(options.hierarchy, (*path, "hierarchy"))
        if hierarchy is None:
            return None
        level = self.level(options.level, hierarchy, (*path, "level"))
        if column is None or level is None or not self.fits(hierarchy, options.hierarchy, column, (*path, "hierarchy")):
            return None
        return ResolvedWithin(column, self.type_of(column), hierarchy, level)

    def refuse_algorithm(self) -> None:
        """Notes an algorithm that takes one numeric attribute where there is another or a second one."""
        request = self.read.request
        method = METHODS[request.microaggregation.algorithm]
        if method.takes == "any attributes":
            return
        path = ("microaggregation", "algorithm")
        others = ", ".join(each.name for each in METHODS.values() if each.takes == "any attributes")
        instead = phrase("write one of %(others)s", others=others)
        if len(request.attributes) > 1:
            what = phrase(
                "the algorithm %(name)s takes one attribute, not %(attributes)s",
                name=method.name,
                attributes=len(request.attributes),
            )
            self.note(path, what, instead)
        elif any(each.hierarchy for each in request.attributes.values()):
            what = phrase(
                "the algorithm %(name)s takes a numeric attribute, not one with a hierarchy", name=method.name
            )
            self.note(path, what, instead)

    def refuse_persons(self) -> None:
        """Notes an entity column or a pseudonym: groups are of rows, not of persons with several rows."""
        if self.entity is not None:
            what = phrase(
                "the column %(entity)s identifies persons, so k would count persons, and microaggregation groups rows",
                entity=quoted(self.entity),
            )
            instead = phrase("use a dataset query with one row a person, registered without --entity")
            self.note(("dataset",), what, instead)
        if self.read.request.release.pseudonyms is not None:
            what = phrase("microaggregation groups rows and not persons, so nobody has a pseudonym")
            self.note(("release", "pseudonyms"), what, phrase("take pseudonyms out"))
        if self.read.request.release.pseudonym is not None:
            what = phrase("microaggregation groups rows and not persons, so nobody has a pseudonym")
            self.note(("release", "pseudonym"), what, phrase("take pseudonym out"))
