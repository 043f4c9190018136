"""Resolves a request against the dataset's columns and the registered hierarchies: pure, nothing is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ordermade.errors import quoted
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.missing_values import level_not_apart
from ordermade.lattice.lattice import Axis, Lattice, Node, NodeKey
from ordermade.phrases import phrase
from ordermade.privacy.least_k import NO_TERMS, DatasetTerms
from ordermade.requests.generalization import GeneralizationRequest, QuasiIdentifier, Risks
from ordermade.requests.problems import FieldPath
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolving import (
    ResolvedRequest,
    ResolvedSensitive,
    Resolving,
    refuse_contradictions,
    sensitive_attributes,
    weights_of,
)


@dataclass(frozen=True, slots=True)
class ResolvedQI:
    """One quasi-identifier: the column as stored, its SQL type, its hierarchy, the level numbers accepted.

    Where the columns of the dataset are not known, the column is as written and its type empty. `missing_as_star`:
    whether missing values are released as `*` at every level.
    """

    column: str
    column_type: str
    hierarchy: Hierarchy
    accepted: tuple[int, ...]
    missing_as_star: bool = False

    @property
    def base(self) -> int:
        """The finest level accepted, by number."""
        return min(self.accepted)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Resolved(ResolvedRequest):
    """A request for generalisation that fits its dataset: levels as numbers.

    `limit` is the share of the rows (or persons) that may be suppressed. `weights` has every quasi-identifier, or is
    empty where none was given. `risk` is None where it is not bounded.
    """

    request: GeneralizationRequest
    lattice: Lattice
    qis: tuple[ResolvedQI, ...]
    limit: Fraction = Fraction(0)
    sensitive: tuple[ResolvedSensitive, ...] = ()
    weights: Mapping[str, Fraction] = field(default_factory=dict)
    risk: Risks | None = None

    def key(self, node: Node) -> NodeKey:
        """Return the key of `node` in table C."""
        return frozenset(
            (qi.column, qi.hierarchy.levels[level].content_hash)
            for qi, level in zip(self.qis, node, strict=True)
            if level != qi.hierarchy.top
        )

    @property
    def as_they_are(self) -> tuple[tuple[str, FieldPath], ...]:
        """Kept and sensitive columns, and the quasi-identifiers that may be released at level 0."""
        return (
            *((each, ("keep",)) for each in self.keep),
            *((each.column, ("sensitive", each.column)) for each in self.sensitive),
            *((each.column, ("quasi_identifiers", each.column)) for each in self.qis if each.accepted[0] == 0),
        )


def resolve(
    read: ReadRequest[GeneralizationRequest],
    columns: Mapping[str, str] | None,
    hierarchies: Mapping[str, Hierarchy],
    entity: str | None = None,
    terms: DatasetTerms = NO_TERMS,
) -> Resolved:
    """The request over `columns` (name as stored: SQL type as DuckDB names it) and registered `hierarchies`.

    `entity`: the column of the dataset that identifies a person, as stored. Where the columns are not known
    (None), names are taken as written, and neither they nor their types are checked; the row filter is not read.

    Raises:
        RequestError: every mistake found, each with its field and line, in `problems`.
    """
    resolving = _Resolving(read, columns, hierarchies, entity, terms)
    return resolving.sound(resolving.all())


@dataclass(slots=True)
class _Resolving(Resolving[GeneralizationRequest]):
    """Resolves one request field by field."""

    def all(self) -> Resolved:
        """The request as far as it can be resolved; `problems` has every mistake."""
        request = self.read.request
        qis = [self.quasi_identifier(name, options) for name, options in request.quasi_identifiers.items()]
        found = tuple(qi for qi in qis if qi)
        identifiers = self.identifiers()
        sensitive = sensitive_attributes(self)
        keep = self.listed("keep", request.keep)
        refuse_contradictions(self, (*(qi.column for qi in found), *(each.column for each in sensitive), *keep))
        tree, text = self.filter()
        axes = tuple(Axis(qi.column, qi.hierarchy.order, qi.accepted) for qi in found)
        return Resolved(
            request=request,
            lattice=Lattice(axes),
            qis=found,
            identifiers=identifiers,
            keep=keep,
            filter=tree,
            filter_text=text,
            limit=Fraction(request.suppression_limit),
            sensitive=sensitive,
            weights=weights_of(self, self.named_qis()),
            entity=self.entity,
            risk=request.risk,
        )

    def named_qis(self) -> tuple[str, ...]:
        """The quasi-identifiers as stored, including those whose hierarchy is wrong."""
        return tuple(column for column, path in self.uses.items() if path[0] == "quasi_identifiers")

    def quasi_identifier(self, name: str, options: QuasiIdentifier) -> ResolvedQI | None:
        path: FieldPath = ("quasi_identifiers", name)
        column = self.column(name, path)
        hierarchy = self.hierarchy(options.hierarchy, (*path, "hierarchy"))
        if hierarchy is None:
            return None
        accepted = self.accepted(options, hierarchy, path)
        if column is None:
            return None
        if not self.fits(hierarchy, options.hierarchy, column, (*path, "hierarchy")):
            return None
        if not accepted:
            return None
        if self.read.request.needs_distinct_labels:
            self.tells_apart(hierarchy, accepted, (*path, "hierarchy"))
        as_star = options.missing == "suppressed" and accepted[0] < hierarchy.top  # at the top, all values are
        if as_star:
            self.missing_apart(hierarchy, accepted[0], (*path, "missing"))
        return ResolvedQI(column, self.type_of(column), hierarchy, accepted, as_star)

    def missing_apart(self, hierarchy: Hierarchy, finest: int, path: FieldPath) -> None:
        """Notes a problem where `*` below the top would be more than the missing values of a column."""
        if self.read.request.is_local:
            what = phrase(
                "local recoding has rows at several levels, and `*` of a coarser one would match missing values"
            )
            self.note(path, what, phrase("write missing: category, or recoding: full-domain"))
        found = level_not_apart(hierarchy, finest)
        if found is not None:
            what = phrase(
                "level %(name)s of the hierarchy %(name2)s has `*` for values, or values together with missing ones",
                name=quoted(hierarchy.levels[found].name),
                name2=quoted(hierarchy.name),
            )
            self.note(
                path, what, phrase("write missing: category, or give a hierarchy that keeps missing values apart")
            )

    def accepted(self, options: QuasiIdentifier, hierarchy: Hierarchy, path: FieldPath) -> tuple[int, ...]:
        """The numbers of the levels from `from` to `to`; none if one of them is wrong."""
        finest = self.level(options.from_level, hierarchy, (*path, "from"))
        to_level = hierarchy.top if options.to_level is None else options.to_level
        coarsest = self.level(to_level, hierarchy, (*path, "to"))
        if finest is None or coarsest is None:
            return ()
        if finest > coarsest:
            what = phrase(
                "from, level %(finest)s, is coarser than to, level %(coarsest)s", finest=finest, coarsest=coarsest
            )
            self.note(
                (*path, "from"),
                what,
                phrase("write from: %(coarsest)s, to: %(finest)s", coarsest=coarsest, finest=finest),
            )
            return ()
        return tuple(range(finest, coarsest + 1))
