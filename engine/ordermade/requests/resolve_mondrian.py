"""Resolves a request for Mondrian against the dataset's columns and the registered hierarchies: nothing is run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from ordermade.errors import quoted
from ordermade.hierarchies.column_types import (
    MAX_DIGITS,
    has_no_text,
    is_date,
    is_number,
    measured_as,
    type_in_words,
)
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.phrases import phrase
from ordermade.privacy.least_k import NO_TERMS, DatasetTerms
from ordermade.privacy.models import MODELS
from ordermade.requests.mondrian import Labels, MondrianRequest, SplitChoice, SplitOptions, Variant
from ordermade.requests.problems import FieldPath
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve_rules import ResolvedRules, resolve_rules
from ordermade.requests.resolving import (
    FileField,
    ResolvedRequest,
    ResolvedSensitive,
    Resolving,
    refuse_release,
    sensitive_attributes,
)
from ordermade.requests.rules import read_rules

Kind: TypeAlias = Literal["nested", "ordered", "tree", "unordered"]
"""The way the values of an attribute are split.

`nested`: into the children of a class in the hierarchy. `ordered`: numbers and dates, cut in two. `tree`: values of a
hierarchy, cut in two in the order of its leaves. `unordered`: parted into two sets.
"""
CUT: frozenset[Kind] = frozenset({"ordered", "tree"})
"""The kinds that are cut at a median."""


@dataclass(frozen=True, slots=True)
class ResolvedSplit:
    """One quasi-identifier: the column as stored, its SQL type, its hierarchy (None: it has none), how it is split.

    `finest`: the finest level accepted, by number; 0 of every kind but `nested`.
    """

    column: str
    column_type: str
    hierarchy: Hierarchy | None
    finest: int
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ResolvedMondrian(ResolvedRequest):
    """A request for Mondrian that fits its dataset: quasi-identifiers in the order of the request.

    `target`: the column whose information gain chooses the splits, as stored. `rules`: None where the request names no
    file.
    """

    request: MondrianRequest
    qis: tuple[ResolvedSplit, ...]
    sensitive: tuple[ResolvedSensitive, ...] = ()
    target: str | None = None
    rules: ResolvedRules | None = None

    @property
    def variant(self) -> Variant:
        """Whether groups are cut at medians or split along hierarchies."""
        return self.request.mondrian.variant

    @property
    def strict(self) -> bool:
        """Whether values equal to a median stay together."""
        return self.request.mondrian.strict

    @property
    def split(self) -> SplitChoice:
        """The criterion that chooses the attribute to split a group on."""
        return self.request.mondrian.split

    @property
    def labels(self) -> Labels:
        """The released form of numbers and dates that are cut."""
        return self.request.mondrian.labels

    @property
    def as_they_are(self) -> tuple[tuple[str, FieldPath], ...]:
        """Kept and sensitive columns, and those that are split along their hierarchy down to level 0.

        Intervals and sets are texts, also where they have one value.
        """
        return (
            *((each, ("keep",)) for each in self.keep),
            *((each.column, ("sensitive", each.column)) for each in self.sensitive),
            *(
                (each.column, ("quasi_identifiers", each.column))
                for each in self.qis
                if each.kind == "nested" and each.finest == 0
            ),
        )

    @property
    def with_values(self) -> tuple[str, ...]:
        """The kept and sensitive columns, and those of texts, whose every value stands in the set of its class."""
        sets = (each.column for each in self.qis if each.kind in ("tree", "unordered"))
        return (*(column for column, path in self.as_they_are if path[0] in ("keep", "sensitive")), *sets)

    @property
    def rules_hash(self) -> str | None:
        """The SHA-256, in hex, of the content of the rules; None without rules."""
        return None if self.rules is None else hashlib.sha256(self.rules.canonical.encode()).hexdigest()

    @property
    def said_by_files(self) -> Mapping[FileField, str]:
        """The hash of the content of the rules, which counts instead of their file."""
        return {} if self.rules_hash is None else {("mondrian", "rules"): self.rules_hash}

    @property
    def in_words(self) -> str:
        """The options that are read, defaults included: `strict true, labels interval, 5 rules of sha256 e3b0…`."""
        kinds = {each.kind for each in self.qis}
        words = [f"strict {str(self.strict).lower()}"] if kinds & CUT else []
        words += [f"labels {self.labels}"] if "ordered" in kinds else []
        words += [f"target {self.target}"] if self.target is not None else []
        words += [f"{len(self.rules.rules):,} rules of sha256 {self.rules_hash}"] if self.rules is not None else []
        return ", ".join(words)


def kind_of_split(variant: Variant, column_type: str, *, hierarchy: bool) -> Kind:
    """The way the values of a column of this SQL type are split, with a hierarchy or without."""
    if hierarchy and variant == "hierarchy":
        return "nested"
    if is_number(column_type) or is_date(column_type):
        return "ordered"
    return "tree" if hierarchy else "unordered"


def resolve_mondrian(
    read: ReadRequest[MondrianRequest],
    columns: Mapping[str, str],
    hierarchies: Mapping[str, Hierarchy],
    entity: str | None = None,
    terms: DatasetTerms = NO_TERMS,
) -> ResolvedMondrian:
    """The request over `columns` (name as stored: SQL type as DuckDB names it) and registered `hierarchies`.

    `entity`: the column of the dataset that identifies a person, as stored. The rules file is read where the
    request is sound by itself.

    Raises:
        RequestError: every mistake found in the request, or in the rules, each with its field and line, in `problems`.
    """
    resolving = _Resolving(read, columns, hierarchies, entity, terms)
    resolved = resolving.sound(resolving.all())
    return replace(resolved, rules=_rules(read, resolved.qis))


def _rules(read: ReadRequest[MondrianRequest], qis: tuple[ResolvedSplit, ...]) -> ResolvedRules | None:
    """The rules that the request names, None if it names none. Raises RequestError with every mistake in them."""
    named = read.request.mondrian.rules
    if named is None:
        return None
    folder = Path() if read.path is None else read.path.parent
    rules = read_rules(folder / named)
    return resolve_rules(rules, [(each.column, each.column_type, each.hierarchy) for each in qis])


@dataclass(slots=True)
class _Resolving(Resolving[MondrianRequest]):
    """Resolves one request field by field."""

    def all(self) -> ResolvedMondrian:
        """The request as far as it can be resolved; `problems` has every mistake."""
        request = self.read.request
        qis = [self.quasi_identifier(name, options) for name, options in request.quasi_identifiers.items()]
        found = tuple(each for each in qis if each is not None)
        identifiers = self.identifiers()
        sensitive = sensitive_attributes(self)
        self.refuse_undecided()
        keep = self.listed("keep", request.keep)
        refuse_release(self, (*(each.column for each in found), *(each.column for each in sensitive), *keep))
        if len(found) == len(qis):
            self.refuse_idle({each.kind for each in found})
        target = self.target()
        tree, text = self.filter()
        return ResolvedMondrian(
            request=request,
            identifiers=identifiers,
            keep=keep,
            filter=tree,
            filter_text=text,
            entity=self.entity,
            qis=found,
            sensitive=sensitive,
            target=target,
        )

    def quasi_identifier(self, name: str, options: SplitOptions) -> ResolvedSplit | None:
        path: FieldPath = ("quasi_identifiers", name)
        column = self.column(name, path)
        hierarchy = None if options.hierarchy is None else self.hierarchy(options.hierarchy, (*path, "hierarchy"))
        if column is None or (hierarchy is None and options.hierarchy is not None):
            return None
        if hierarchy is not None and not self.fits(hierarchy, hierarchy.name, column, (*path, "hierarchy")):
            return None
        column_type = self.type_of(column)
        kind = kind_of_split(self.read.request.mondrian.variant, column_type, hierarchy=hierarchy is not None)
        finest = self.finest(options, hierarchy, kind, path)
        if finest is None or not self.splits(column, hierarchy, kind, path):
            return None
        if hierarchy is not None and kind == "nested":
            self.tells_apart(hierarchy, range(finest, hierarchy.top + 1), (*path, "hierarchy"))
        return ResolvedSplit(column, column_type, hierarchy, finest, kind)

    def finest(self, options: SplitOptions, hierarchy: Hierarchy | None, kind: Kind, path: FieldPath) -> int | None:
        """The finest level accepted, by number; None, and a problem, if there is no such level."""
        if "from_level" not in options.model_fields_set:
            return 0
        at = (*path, "from")
        if hierarchy is None:
            self.note(
                at,
                phrase("a column without a hierarchy has no levels"),
                phrase("write hierarchy: NAME, or take from out"),
            )
            return None
        if kind != "nested":
            what = phrase("groups are cut at medians, and not split along levels")
            self.note(at, what, phrase("write mondrian: {variant: hierarchy}, or take from out"))
            return None
        return self.level(options.from_level, hierarchy, at)

    def splits(self, column: str, hierarchy: Hierarchy | None, kind: Kind, path: FieldPath) -> bool:
        """Whether groups can be split by the values of a column; a problem if not."""
        match kind:
            case "nested" | "tree":
                return hierarchy is not None and self.nests(hierarchy, kind, (*path, "hierarchy"))
            case "ordered":
                return self.measurable(column, path)
            case "unordered":
                return self.comparable(column, path)

    def nests(self, hierarchy: Hierarchy, kind: Kind, path: FieldPath) -> bool:
        """Whether the classes of a hierarchy have children, each in one class alone; a problem if not."""
        if not self.is_chain(
            hierarchy,
            hierarchy.name,
            path,
            so=phrase("its classes have no children"),
            instead=phrase("take hierarchy out"),
        ):
            return False
        if kind == "nested" and hierarchy.top == 0:
            what = phrase(
                "the hierarchy %(name)s has no level below `*`, so there is nothing to split into",
                name=quoted(hierarchy.name),
            )
            self.note(path, what, phrase("name a hierarchy with more levels, or leave out the column"))
            return False
        return True

    def measurable(self, column: str, path: FieldPath) -> bool:
        """Whether a column's numbers can be cut exactly; a problem if not. Dates can."""
        column_type = self.type_of(column)
        if is_date(column_type) or measured_as(column_type) is not None:
            return True
        of = {"column": quoted(column), "kind": type_in_words(column_type)}
        what = phrase("the column %(column)s is a %(kind)s, which has more digits than can be cut exactly", **of)
        instead = phrase(
            "cast it in a dataset query, to BIGINT, DECIMAL(%(maxdigits)s, 2) or DOUBLE, or split it along a hierarchy",
            maxdigits=MAX_DIGITS,
        )
        self.note(path, what, phrase("%(instead)s (variant: hierarchy)", instead=instead))
        return False

    def comparable(self, column: str, path: FieldPath) -> bool:
        """Whether a column's values can be released as sets of texts; a problem if not."""
        column_type = self.type_of(column)
        of = {"column": quoted(column), "kind": type_in_words(column_type)}
        if has_no_text(column_type):
            self.note(
                path,
                phrase("the column %(column)s is a %(kind)s, whose values have no one text", **of),
                phrase("cast it to a text in a dataset query"),
            )
            return False
        if "TIME ZONE" in column_type.upper():
            what = phrase(
                "the column %(column)s is a %(kind)s, whose date depends on the time zone of who reads it", **of
            )
            self.note(path, what, phrase("cast it to a date in a dataset query"))
            return False
        return True

    def target(self) -> str | None:
        """The column whose values the classes are to separate, as stored; it may be kept or sensitive too."""
        name, path = self.read.request.mondrian.target, ("mondrian", "target")
        column = None if name is None else self.stored(name, path)
        if column is None:
            return None
        role = self.uses.get(column, ("",))[0]
        if role == "quasi_identifiers":
            what = phrase(
                "the column %(column)s is a quasi-identifier, so its values are split and not separated",
                column=quoted(column),
            )
            self.note(path, what, phrase("take it out of quasi_identifiers, or name another target"))
        if role == "identifiers" or column == self.entity:
            what = phrase("the column %(column)s identifies, so it is never looked at", column=quoted(column))
            self.note(path, what, phrase("name another target"))
        return column

    def refuse_undecided(self) -> None:
        """Notes models that cannot be decided while groups are split."""
        for column, models in self.read.request.sensitive.items():
            for position, part in enumerate(models):
                if not MODELS[part.model].kernel:
                    what = phrase("the model %(model)s cannot be decided while groups are split", model=part.model)
                    self.note(
                        ("sensitive", column, position), what, phrase("take it out, or write method: generalization")
                    )
                elif not part.counts_missing:
                    what = phrase("groups are split with NULL as a value")
                    step = phrase("write missing: value, or method: generalization")
                    self.note(("sensitive", column, position, "missing"), what, step)

    def refuse_idle(self, kinds: set[Kind]) -> None:
        """Notes options that apply to no attribute, because none is split in their way."""
        request = self.read.request
        mondrian, given = request.mondrian, request.mondrian.model_fields_set
        models = [MODELS[part.model] for models in request.sensitive.values() for part in models]
        if "strict" in given and not kinds & CUT:
            what = phrase("no attribute is cut at a median, so there are no values equal to it")
            self.note(("mondrian", "strict"), what, phrase("take strict out"))
        elif not mondrian.strict and request.release.shape == "table":
            what = phrase(
                "equal values are dealt out to both halves, so the cells of a statistical table would overlap"
            )
            self.note(("mondrian", "strict"), what, phrase("write shape: rows, or take strict: false out"))
        elif not mondrian.strict and self.entity and not all(each.monotone_of_persons for each in models):
            # Two groups may have the same labels and the same persons: these count once, their values do not.
            what = phrase(
                "equal values are dealt out to both halves, so classes that pass models of persons may fail together"
            )
            self.note(("mondrian", "strict"), what, phrase("take strict: false out, or require distinct_l alone"))
        if "labels" in given and not kinds & (CUT if mondrian.labels == "set" else {"ordered"}):
            what = phrase(
                "no number or date is cut, so there is nothing to release as its %(labels)s", labels=mondrian.labels
            )
            self.note(("mondrian", "labels"), what, phrase("take labels out"))
