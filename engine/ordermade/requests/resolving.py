"""Resolution of a request: its columns, its contradictions, every mistake with its field and line, and its identity."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar, cast

from ordermade.errors import FilterError, InputError, UnknownName, did_you_mean, quoted
from ordermade.hierarchies.coinciding_labels import INSTEAD, in_words, listed_coinciding
from ordermade.hierarchies.column_types import holds_span, type_in_words
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.phrases import phrase, wording
from ordermade.privacy.least_k import NO_TERMS, DatasetTerms
from ordermade.records.cards import HasSummary
from ordermade.requests.columns import stored_column
from ordermade.requests.filter_tree import columns_of_filter
from ordermade.requests.generalization import WEIGHABLE, GeneralizationRequest, Model
from ordermade.requests.model import COUNT, LARGEST_K, Request
from ordermade.requests.problems import FieldPath, RequestProblem
from ordermade.requests.read import AnyRequest, ReadRequest

if TYPE_CHECKING:
    from sqlglot import exp

    from ordermade.requests.history import HistoryRequest
    from ordermade.requests.mondrian import MondrianRequest


FileField: TypeAlias = tuple[str, str]
"""The part of a request and the key in it that name a file."""

_LEVELS_LISTED = 12
A_CLASS = phrase("class")
"""What one row of a statistical table stands for."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ResolvedRequest(HasSummary):
    """A request that fits its dataset, with the parts of every method: columns as stored, the filter as tree and text.

    `identifiers` are never released; the dataset's `entity` column, which identifies persons, is one of them.
    """

    request: Request
    identifiers: tuple[str, ...]
    keep: tuple[str, ...]
    filter: exp.Expression | None
    filter_text: str | None
    entity: str | None = None

    @property
    def as_they_are(self) -> tuple[tuple[str, FieldPath], ...]:
        """The columns that may be released with values as they are, each with the field that names it."""
        return tuple((each, ("keep",)) for each in self.keep)

    @property
    def with_values(self) -> tuple[str, ...]:
        """The columns whose every value is released: kept and sensitive ones."""
        return tuple(column for column, path in self.as_they_are if path[0] in ("keep", "sensitive"))

    @property
    def values_among_rows(self) -> bool:
        """Whether these values are compared with the number of rows, also where persons are counted."""
        return False

    @property
    def allow_identifying(self) -> tuple[str, ...]:
        """Those of them that may be released although their values may identify persons, as stored."""
        allowed = {name.casefold() for name in self.request.allow_identifying}
        return tuple(column for column in self.with_values if column.casefold() in allowed)

    @property
    def said_by_files(self) -> Mapping[FileField, str]:
        """The SHA-256, in hex, of the content of each file that the request names, by the field that names it."""
        return {}


Fitting = TypeVar("Fitting", bound=ResolvedRequest)
"""A request of one method, resolved."""


@dataclass(slots=True)
class Resolving(Generic[AnyRequest]):
    """Looks up the names of one request and notes every mistake on the way.

    `columns` of the dataset, name as stored: SQL type, None where they are not known; `entity`: the column that
    identifies persons, None where the dataset has none; `terms`: the provider's limits for the dataset.
    """

    read: ReadRequest[AnyRequest]
    columns: Mapping[str, str] | None
    hierarchies: Mapping[str, Hierarchy]
    entity: str | None = None
    terms: DatasetTerms = NO_TERMS
    problems: list[RequestProblem] = field(default_factory=list)
    uses: dict[str, FieldPath] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Notes a k that the terms of the dataset do not allow."""
        breach = self.terms.of_k(self.read.request.k, self.dataset)
        if breach is not None:
            self.note(("k",), breach.what, breach.instead)

    @property
    def dataset(self) -> str:
        """The name of the dataset, or of the source of one that the request describes."""
        reference = self.read.request.dataset
        return reference if isinstance(reference, str) else f"{reference.source} (inline)"

    def sound(self, resolved: Fitting | None) -> Fitting:
        """The request as resolved. Raises RequestError with every mistake noted, in `problems`."""
        if resolved is None or self.problems:
            raise self.read.refusal(self.problems)
        return resolved

    def tells_apart(self, hierarchy: Hierarchy, levels: Sequence[int], path: FieldPath) -> bool:
        """Whether a label names the same values at each of these levels, which are mixed; a problem if not.

        Of a hierarchy that lists its values; of others it is known once the values of the data are.
        """
        found = listed_coinciding(hierarchy, levels)
        if found is not None:
            what = phrase(
                "%(inwords)s, and a release of mixed levels cannot tell them apart", inwords=in_words(hierarchy, found)
            )
            self.note(path, what, INSTEAD)
        return found is None

    def note(self, path: FieldPath, what: str, instead: str) -> None:
        """Notes a mistake: what is wrong at the field, and what to write instead."""
        self.problems.append(RequestProblem(what, instead, path, self.read.line(path)))

    def note_error(self, path: FieldPath, error: InputError) -> None:
        """Notes an error of the engine as a mistake of the field."""
        self.note(path, error.what, error.next_step)

    def stored(self, name: str, path: FieldPath) -> str | None:
        """The name of a column as stored, whatever its use; a problem if there is none."""
        try:
            return name if self.columns is None else stored_column(name, self.columns)
        except InputError as error:
            self.note_error(path, error)
            return None

    def column(self, name: str, path: FieldPath) -> str | None:
        """The stored name; a problem if there is none, if it is named twice, or if it is the entity column."""
        stored = self.stored(name, path)
        if stored is None:
            return None
        if stored == self.entity and path[0] != "identifiers":
            what = phrase("the column %(stored)s identifies persons, so it is never released", stored=quoted(stored))
            self.note(path, what, phrase("take it out"))
            return None
        if stored in self.uses:
            first = self.uses[stored]
            same = first[0] == path[0]
            what = phrase("the column %(column)s is named twice", column=quoted(stored))
            if not same:
                what = phrase(
                    "the column %(column)s is named as one of %(field)s too", column=quoted(stored), field=first[0]
                )
            self.note(path, what, phrase("name it in one place"))
            return None
        self.uses[stored] = path
        return stored

    def listed(self, key: str, names: Sequence[str]) -> tuple[str, ...]:
        """The stored names of a list of columns, without the mistaken ones."""
        found = [self.column(name, (key, position)) for position, name in enumerate(names)]
        return tuple(name for name in found if name is not None)

    def type_of(self, column: str) -> str:
        """The SQL type of a stored column, empty where it is not known."""
        return "" if self.columns is None else self.columns[column]

    def hierarchy(self, name: str, path: FieldPath) -> Hierarchy | None:
        """The registered hierarchy of that name; a problem if there is none."""
        found = self.hierarchies.get(name)
        if found is None:
            step = phrase("Register it with `hierarchy add`; `hierarchy suggest` drafts one.")
            self.note_error(path, UnknownName("hierarchy", name, self.hierarchies, next_step=step))
        return found

    def fits(self, hierarchy: Hierarchy, name: str, column: str, path: FieldPath) -> bool:
        """Whether a hierarchy, by the name the request has for it, fits the type of a column; a problem if not."""
        column_type = self.type_of(column)
        unfit = hierarchy.check_type(column_type) if column_type else None
        if unfit:
            what = phrase("the hierarchy %(name)s does not fit the column: %(unfit)s", name=quoted(name), unfit=unfit)
            self.note(path, what, phrase("name a hierarchy that fits the column's type"))
        return not unfit

    def is_chain(self, hierarchy: Hierarchy, name: str, path: FieldPath, *, so: str, instead: str) -> bool:
        """Whether the levels of a hierarchy nest; a problem if not: `so`, what follows, and `instead`, what to do."""
        nests = hierarchy.order.is_chain()
        if not nests:
            what = phrase("the levels of the hierarchy %(name)s do not nest, so %(so)s", name=quoted(name), so=so)
            self.note(path, what, phrase("name a hierarchy whose levels nest, or %(instead)s", instead=instead))
        return nests

    def level(self, level: int | str, hierarchy: Hierarchy, path: FieldPath) -> int | None:
        """The number of a level of a hierarchy, given by number or name; a problem if there is none."""
        number = hierarchy.level_number(level)
        if number is None:
            shown = quoted(level) if isinstance(level, str) else str(level)
            self.note(
                path,
                phrase("there is no level %(shown)s", shown=shown),
                phrase("%(name)s has %(levelsof)s", name=quoted(hierarchy.name), levelsof=levels_of(hierarchy)),
            )
        return number

    def identifiers(self) -> tuple[str, ...]:
        """The columns that are never released, the entity column among them."""
        found = self.listed("identifiers", self.read.request.identifiers)
        return found if self.entity is None or self.entity in found else (*found, self.entity)

    def refuse_table(self, *fields: str, row: str = A_CLASS) -> None:
        """Notes columns that have no place in a statistical table of one row a class (or another `row`) and its count.

        `fields` map the columns of the table. For another shape there is nothing to note.
        """
        request = self.read.request
        if request.release.shape != "table":
            return
        if request.keep:
            what = phrase("a statistical table has one row a %(row)s, so no column is kept as it is", row=row)
            self.note(("keep",), what, phrase("take keep out, or write shape: rows"))
        for column, path in self.uses.items():
            if path[0] in fields and column.casefold() == request.release.count.casefold():
                what = phrase("a statistical table has a column `%(count)s` of its own", count=request.release.count)
                self.note(
                    path, what, phrase("rename the column in a dataset query, or name the other by release: {count: …}")
                )

    def filter(self) -> tuple[exp.Expression | None, str | None]:
        """The row filter as it is sent, and as canonical text."""
        if self.read.request.where is None:
            return None, None
        # sqlglot is slow to import, and most requests have no filter.
        from ordermade.requests import filter_parser, row_filter

        # Where the columns are not known, those of the terms are.
        columns = self.terms.where_columns if self.columns is None else tuple(self.columns)
        if not columns:
            breach = None if columns is None else self.terms.of_filter((), self.dataset)
            if breach is not None:
                self.note(("where",), breach.what, breach.instead)
            return None, None
        try:
            tree = row_filter.parse_filter(self.read.request.where, columns, self.dataset)
            breach = self.terms.of_filter(columns_of_filter(tree), self.dataset)
            if breach is not None:  # nothing is said of the types of columns that are closed
                self.note(("where",), breach.what, breach.instead)
                return None, None
            return (
                (None, None)
                if self.columns is None
                else (filter_parser.compiled(tree, self.columns), filter_parser.canonical(tree))
            )
        except FilterError as error:
            self.note_error(("where",), error)
            return None, None


def levels_of(hierarchy: Hierarchy) -> str:
    """The levels that exist, for messages: `levels 0 value, 1 decade, 2 *`, shortened past a dozen."""
    levels = [f"{number} {level.name}" for number, level in enumerate(hierarchy.levels)]
    if len(levels) > _LEVELS_LISTED:
        levels = [*levels[: _LEVELS_LISTED - 1], "…", levels[-1]]
    return f"levels {', '.join(levels)}"


_HASHED_AS: Mapping[str, str] = MappingProxyType({"suppressed": "withheld"})
"""Keys that were renamed, with the names they had: the hash of a request stays the one that the state knows."""
_NAMES_HASHED_AS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"algorithm": {"guided": "pak"}, "objective": {"classes": "divisions"}}
)
"""The same of names in `search`."""
_NO_FILES: Mapping[FileField, str] = MappingProxyType({})


def request_hash(
    request: Request, filter_text: str | None = None, said_by_files: Mapping[FileField, str] = _NO_FILES
) -> str:
    """The sha256, in hex, of the content of a request.

    Not part of it: the title, where the release and the map of its rows are written, the order of `identifiers` and of
    an attribute's models, and fields left at their defaults (so that a field added later changes no hash). The order of
    the quasi-identifiers, of microaggregated attributes and of the columns that groups are within is: it breaks ties;
    that of the sensitive attributes and of a history's numbers is: they are released so. `filter_text` is the canonical
    text of the row filter (`ResolvedRequest.filter_text`); without it the filter counts as it is written.
    `said_by_files` has the hashes of the contents of files (`ResolvedRequest.said_by_files`), which count instead of
    their names; without them the names do.
    """
    content = request.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    content.pop("title", None)
    if "recoding" in content:
        content["recoding"] = cast("GeneralizationRequest", request).recoding_name
    for key, earlier in _HASHED_AS.items():
        if key in content:
            content[earlier] = content.pop(key)
    for key, names in _NAMES_HASHED_AS.items():
        if content.get("search", {}).get(key) in names:
            content["search"][key] = names[content["search"][key]]
    content["release"] = {"shape": request.release.shape}
    if request.release.pseudonym is not None:
        content["release"]["pseudonym"] = request.release.pseudonym
    if request.release.pseudonyms is not None:
        content["release"]["pseudonyms"] = request.release.pseudonyms
    if request.release.count != COUNT:
        content["release"]["count"] = request.release.count
    csv = {} if request.release.csv is None else request.release.csv.model_dump(mode="json", exclude_defaults=True)
    if csv:
        content["release"]["csv"] = csv
    for key in ("quasi_identifiers", "attributes", "within"):
        if key in content:
            content[key] = list(content[key].items())
    if "sensitive" in content:
        content["sensitive"] = [
            [column, sorted(models, key=json.dumps)] for column, models in content["sensitive"].items()
        ]
    content["identifiers"] = sorted(request.identifiers)
    if request.where is not None:
        content["where"] = filter_text if filter_text is not None else request.where.strip()
    if request.method == "history":
        content["history"]["numbers"] = [
            [name, options.model_dump(mode="json", exclude_defaults=True)]
            for name, options in cast("HistoryRequest", request).history.number_options
        ]
    for (part, key), content_hash in said_by_files.items():
        content[part][key] = content_hash
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


WithModels: TypeAlias = "GeneralizationRequest | MondrianRequest"
"""A request that may have models of sensitive attributes."""


@dataclass(frozen=True, slots=True)
class ResolvedSensitive:
    """One sensitive attribute: the column as stored, its SQL type, its models, and the hierarchies that they name.

    Where the columns of the dataset are not known, the column is as written and its type empty.
    """

    column: str
    column_type: str
    models: tuple[Model, ...]
    hierarchies: Mapping[str, Hierarchy]


NO_DISTANCE = phrase("it measures no distance")


def sensitive_attributes(resolving: Resolving[WithModels]) -> tuple[ResolvedSensitive, ...]:
    """The sensitive attributes, in the order of the request; mistakes in the others are noted."""
    requested = resolving.read.request.sensitive
    found = (_attribute(resolving, name, models) for name, models in requested.items())
    return tuple(each for each in found if each is not None)


def _attribute(resolving: Resolving[WithModels], name: str, models: tuple[Model, ...]) -> ResolvedSensitive | None:
    path: FieldPath = ("sensitive", name)
    column = resolving.column(name, path)
    _refuse_twice(resolving, path, models)
    hierarchies = {}
    for position, model in enumerate(models):
        if (named := model.named_hierarchy) is not None:
            hierarchy = _hierarchy(resolving, named, column, (*path, position, "hierarchy"))
            if hierarchy is not None:
                hierarchies[named] = hierarchy
    if column is None:
        return None
    column_type = resolving.type_of(column)
    if holds_span(column_type):
        what = phrase(
            "the column %(column)s is a %(kind)s, and equal ones have several texts",
            column=quoted(column),
            kind=type_in_words(column_type),
        )
        resolving.note(path, what, phrase("cast it to a text in a dataset query, or name a column of numbers"))
        return None
    return ResolvedSensitive(column, column_type, models, hierarchies)


def _refuse_twice(resolving: Resolving[WithModels], path: FieldPath, models: tuple[Model, ...]) -> None:
    """Notes each repeated model; t-closeness with another distance is another model."""
    first: dict[tuple[str | None, ...], int] = {}
    for position, model in enumerate(models):
        key = (model.model, *model.variant)
        if key in first:
            called = f"{model.model} with distance {model.variant[0]}" if model.variant else model.model
            resolving.note(
                (*path, position),
                phrase("the model %(called)s is named twice", called=called),
                phrase("keep the stricter of the two"),
            )
        first.setdefault(key, position)


def _hierarchy(resolving: Resolving[WithModels], name: str, column: str | None, path: FieldPath) -> Hierarchy | None:
    found = resolving.hierarchy(name, path)
    if found is None or not resolving.is_chain(
        found, name, path, so=NO_DISTANCE, instead=phrase("write distance: equal")
    ):
        return None
    return found if column is None or resolving.fits(found, name, column, path) else None


def refuse_contradictions(resolving: Resolving[GeneralizationRequest], released: Sequence[str]) -> None:
    """Notes every contradiction. `released`: the columns that are released, as stored."""
    _limit(resolving)
    _risk(resolving)
    _local(resolving)
    refuse_release(resolving, released)


def refuse_release(resolving: Resolving[WithModels], released: Sequence[str]) -> None:
    """Notes every field that contradicts the shape of the release, or its columns `released`, as stored."""
    _table(resolving)
    _pseudonym(resolving, released)


def weights_of(resolving: Resolving[GeneralizationRequest], columns: Sequence[str]) -> Mapping[str, Fraction]:
    """The weight of every quasi-identifier (`columns`, as stored), 1 where none is given; empty without weights.

    Mistakes in the weights are noted.
    """
    search = resolving.read.request.search
    if not search.weights:
        return {}
    if search.objective not in WEIGHABLE:
        what = phrase(
            "the objective %(objective)s is no sum over the quasi-identifiers, so weights would change nothing",
            objective=search.objective,
        )
        resolving.note(
            ("search", "weights"),
            what,
            phrase("take weights out, or name one of the objectives %(weighable)s", weighable=", ".join(WEIGHABLE)),
        )
    weights = dict.fromkeys(columns, Fraction(1))
    given: set[str] = set()
    for name, weight in search.weights.items():
        path = ("search", "weights", name)
        try:
            column = stored_column(name, columns)
        except InputError:
            resolving.note(
                path, phrase("%(name)s is no quasi-identifier", name=quoted(name)), did_you_mean(name, columns)
            )
            continue
        if column in given:
            resolving.note(
                path,
                phrase("the column %(column)s is named twice", column=quoted(column)),
                phrase("name it in one place"),
            )
        given.add(column)
        weights[column] = Fraction(weight)
    if columns and not any(weights.values()):
        resolving.note(
            ("search", "weights"),
            phrase("every weight is 0, so no release is better"),
            phrase("give some column a weight"),
        )
    return weights


def _limit(resolving: Resolving[GeneralizationRequest]) -> None:
    request = resolving.read.request
    given = {"suppressed", "suppression_limit"} & request.model_fields_set
    if given == {"suppressed"} and not request.is_local:
        what = phrase("nothing is suppressed without a suppression_limit")
        resolving.note(("suppressed",), what, phrase("write suppression_limit: 0.05, or take suppressed out"))


def _risk(resolving: Resolving[GeneralizationRequest]) -> None:
    risk = resolving.read.request.risk
    if risk is None or risk.highest is None:
        return
    if math.ceil(Fraction(risk.sampling_fraction) / Fraction(risk.highest)) > LARGEST_K:
        what = phrase("every class would have to be of more than %(largestk)s rows", largestk=format(LARGEST_K, ","))
        resolving.note(("risk", "highest"), what, phrase("write a greater risk, such as 0.05"))


def _local(resolving: Resolving[GeneralizationRequest]) -> None:
    request = resolving.read.request
    if request.is_local and not request.is_sealed and request.release.shape == "table":
        what = phrase(
            "local recoding that is not sealed mixes levels, so the cells of a statistical table would overlap"
        )
        resolving.note(("recoding",), what, phrase("write recoding: local, or shape: rows"))
    for column, models in request.sensitive.items() if request.is_local else ():
        for position, part in enumerate(models):
            if not part.counts_missing:
                what = phrase("local recoding has NULL as a value")
                step = phrase("write missing: value, or recoding: full-domain")
                resolving.note(("sensitive", column, position, "missing"), what, step)


def _table(resolving: Resolving[WithModels]) -> None:
    """A statistical table has one row a class, with its count and nothing else."""
    request = resolving.read.request
    resolving.refuse_table("quasi_identifiers")
    if request.release.shape != "table":
        return
    instead = wording("write shape: rows, or take %(field)s out")
    if request.sensitive:
        what = phrase("a statistical table has one row a class, so no sensitive attribute is released in it")
        resolving.note(("sensitive",), what, phrase(instead, field="sensitive"))
    if request.release.pseudonym is not None:
        what = phrase("a statistical table has one row a class, so no person has a row in it")
        resolving.note(("release", "pseudonym"), what, phrase(instead, field="pseudonym"))


def _pseudonym(resolving: Resolving[WithModels], released: Sequence[str]) -> None:
    release = resolving.read.request.release
    pseudonym = release.pseudonym
    if pseudonym is None:
        if release.pseudonyms is not None:
            what = phrase("no column of the release has pseudonyms")
            resolving.note(("release", "pseudonyms"), what, phrase("write pseudonym: person, or take pseudonyms out"))
        return
    if resolving.entity is None:
        what = phrase("the dataset has no entity column, so nobody has a pseudonym")
        instead = phrase("register it with `dataset add --entity COLUMN`, or take pseudonym out")
        resolving.note(("release", "pseudonym"), what, instead)
    refuse_pseudonym(resolving, pseudonym, released)


def refuse_pseudonym(resolving: Resolving[Request], pseudonym: str, released: Sequence[str]) -> None:
    """Notes a column of pseudonyms with the name of one of the columns `released`, as stored."""
    path = ("release", "pseudonym")
    if resolving.read.request.release.pseudonyms == "numbers" and resolving.read.request.release.is_workbook:
        what = phrase("a workbook holds numbers of 15 digits, and pseudonyms have up to 19")
        resolving.note(("release", "pseudonyms"), what, phrase("write pseudonyms: letters"))
    if pseudonym.casefold() in {column.casefold() for column in released}:
        what = phrase("a column %(pseudonym)s is released already", pseudonym=quoted(pseudonym))
        resolving.note(path, what, phrase("give the pseudonym another name"))
