"""The wishes of a call to anonymise: k, the roles of columns, the method and its limits. Pure."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from ordermade.drafts.reading_options import NO_OPTIONS, ReadingOptions
from ordermade.errors import InputError, UnknownName, quoted
from ordermade.requests.columns import stored_column
from ordermade.requests.model import COUNT, LARGEST_K, SMALLEST_K, MissingValues, OutputEncoding, Shape

if TYPE_CHECKING:
    from ordermade.drafts.roles import Role

CSV_ENDINGS = (".csv", ".csv.gz")
Method: TypeAlias = Literal["full-domain", "local", "mondrian", "microaggregation", "best"]
"""`full-domain`: one level a column; `local`: sealed local recoding; `mondrian`: along the hierarchies; `best`: that of
these three that loses least."""
METHODS: tuple[Method, ...] = get_args(Method)
_ALSO: Mapping[str, Method] = types.MappingProxyType({"generalization": "full-domain"})
"""Other names of methods: that of request files."""

MISSING_VALUES: tuple[MissingValues, ...] = get_args(MissingValues)

DEFAULT_LIMIT = Decimal("0.02")
"""The share of the rows that may be suppressed where nobody says otherwise."""
DEFAULT_OBJECTIVE: Final = "loss"
Model: TypeAlias = Mapping[str, Any]
"""A model of a sensitive column, as a request writes it."""
DEFAULT_MODELS: tuple[Model, ...] = (types.MappingProxyType({"model": "distinct_l", "l": 2}),)
"""The models of a sensitive column where none is named: no class has one value alone, which everybody would know."""


@dataclass(frozen=True, slots=True)
class AnonymizeOptions:
    """A call to anonymise a table.

    `roles`: those of the columns that have one; the others' are proposed. `models`: those of sensitive columns;
    `DEFAULT_MODELS` for the others. `hierarchies`: files by column, of quasi-identifiers; the others' are drafted.
    `suppression_limit`: the share of the rows that may be left out, for `full-domain` and `local`. `where`: a row
    filter. `entity`: the column that identifies persons, whom k then counts. `allow_identifying`: kept and sensitive
    columns that may be released although they have about as many values as rows. `title`: that of the request. `shape`:
    a row a row of the table, or a table of classes with their counts. `output_encoding`: that of a released CSV file.
    `reading`: how texts are to be read. `missing_values`: whether those of quasi-identifiers are a category of their
    own, or `*` at every level. `unnamed`: of the identifiers, those that are left out as the call names them
    nowhere. `language`: that of the head of counts in a table of classes.
    """

    k: int
    roles: Mapping[str, Role] = field(default_factory=dict)
    models: Mapping[str, Sequence[Model]] = field(default_factory=dict)
    hierarchies: Mapping[str, Path] = field(default_factory=dict)
    method: Method = "full-domain"
    suppression_limit: Decimal = DEFAULT_LIMIT
    objective: str = DEFAULT_OBJECTIVE
    where: str | None = None
    entity: str | None = None
    allow_identifying: Sequence[str] = ()
    compare: bool = False
    title: str = ""
    shape: Shape = "rows"
    output_encoding: OutputEncoding = "utf-8"
    reading: ReadingOptions = NO_OPTIONS
    missing_values: MissingValues = "category"
    unnamed: frozenset[str] = frozenset()
    language: str = "en"

    def __post_init__(self) -> None:
        """Raises InputError for a k that protects nobody, an unknown method, a limit that is no share.

        So it does for missing values that are `*` in another method than `full-domain`, or compared with one.
        """
        if isinstance(self.k, bool) or not SMALLEST_K <= self.k <= LARGEST_K:
            raise InputError(
                f"k is a whole number from {SMALLEST_K} to {LARGEST_K:,}", where="--k", next_step="Write one such as 5."
            )
        if self.method not in METHODS:
            raise UnknownName("method", str(self.method), METHODS, where="--method")
        if self.output_encoding not in get_args(OutputEncoding):
            raise UnknownName(
                "encoding", str(self.output_encoding), get_args(OutputEncoding), where="--output-encoding"
            )
        if not self.suppression_limit.is_finite() or not 0 <= self.suppression_limit <= 1:
            raise InputError(
                "the share of the rows that may be suppressed is from 0 to 1",
                where="--suppression-limit",
                next_step="Write 0.02 for 2 %.",
            )
        if self.missing_values not in MISSING_VALUES:
            raise UnknownName("treatment", str(self.missing_values), MISSING_VALUES, where="--missing-values")
        if self.missing_values != "category" and (self.method != "full-domain" or self.compare):
            raise InputError(
                "missing values are released as * by the method full-domain alone",
                where="--missing-values",
                next_step="Take it out, or give the method full-domain and no comparison.",
            )

    @property
    def count_head(self) -> str:
        """The head of the counts in a table of classes: in Japanese 件数, or 人数 where k counts persons."""
        if self.shape == "rows" or self.language != "ja":
            return COUNT
        return "件数" if self.entity is None else "人数"

    def csv_options(self, to: object) -> dict[str, str]:
        """The options of a release to `to` in a request: those of a CSV file, none of any other release."""
        is_csv = isinstance(to, str) and to.rstrip().lower().endswith(CSV_ENDINGS)
        return {"encoding": self.output_encoding} if is_csv and self.output_encoding != "utf-8" else {}

    def require_encoding_of(self, to: object) -> None:
        """Raises InputError for an encoding of a release that is no CSV file."""
        if self.output_encoding != "utf-8" and not self.csv_options(to):
            raise InputError(
                "the encoding of the release is that of a CSV file, and it is none",
                where="--output-encoding",
                next_step="Name a .csv or .csv.gz file with --to, or leave the encoding out.",
            )

    def of_persons(self, entity: str) -> AnonymizeOptions:
        """The same with k counting the persons of a column, where no wish speaks against it."""
        if self.entity is not None or self.roles.get(entity, "identifier") != "identifier":
            return self
        return replace(self, entity=entity, roles={**self.roles, entity: "identifier"})

    def of_table(self, columns: Sequence[str]) -> AnonymizeOptions:
        """The same with every column by its stored name.

        Raises InputError (UnknownName) for a column that is not there, that is named twice, or that has a hierarchy, a
        model or leave to identify without the role that goes with it.
        """
        roles: dict[str, Role] = {}
        for name, role in self.roles.items():
            column = _stored(name, columns, OPTION_OF[role])
            if column in roles:
                raise _two_roles(column, OPTION_OF[roles[column]], OPTION_OF[role])
            roles[column] = role
        models = {_stored(name, columns, "--sensitive"): each for name, each in self.models.items()}
        hierarchies: dict[str, Path] = {}
        for name, file in self.hierarchies.items():
            column = _stored(name, columns, "--hierarchy")
            if roles.get(column, "quasi-identifier") != "quasi-identifier":
                raise _two_roles(column, OPTION_OF[roles[column]], "--hierarchy")
            hierarchies[column] = file
        entity = None if self.entity is None else _stored(self.entity, columns, "--entity")
        if entity is not None and roles.setdefault(entity, "identifier") != "identifier":
            raise _two_roles(entity, OPTION_OF[roles[entity]], "--entity")
        allowed = tuple(_stored(each, columns, "--allow-identifying") for each in self.allow_identifying)
        return replace(
            self, roles=roles, models=models, hierarchies=hierarchies, entity=entity, allow_identifying=allowed
        )


OPTION_OF: Mapping[str, str] = types.MappingProxyType(
    {
        "identifier": "--identifiers",
        "quasi-identifier": "--quasi-identifiers",
        "sensitive": "--sensitive",
        "kept": "--keep",
    }
)
"""The option that gives columns a role."""


def roles_given(listed: Iterable[tuple[Role, Sequence[str]]]) -> dict[str, Role]:
    """The roles by column, of lists of columns. Raises InputError for a column that is listed twice."""
    roles: dict[str, Role] = {}
    for role, names in listed:
        for name in names:
            if name in roles:
                raise _two_roles(name, OPTION_OF[roles[name]], OPTION_OF[role])
            roles[name] = role
    return roles


def method_named(name: str) -> Method:
    """The method of that name. Raises UnknownName."""
    found = _ALSO.get(name, name)
    if found not in METHODS:
        raise UnknownName("method", name, METHODS, where="--method")
    return found


def unless_persons(method: str, option: str) -> str:
    """The end of a sentence about a k that counts rows: what counts persons instead."""
    return "; microaggregation groups rows alone" if method == "microaggregation" else f": {option} counts persons"


def _stored(name: str, columns: Sequence[str], option: str) -> str:
    try:
        return stored_column(name, columns)
    except UnknownName:
        raise UnknownName("column", name, columns, where=option) from None
    except InputError as error:
        raise InputError(error.what, where=option, next_step=error.next_step) from None


def without_role(column: str) -> InputError:
    """The error of a column with a hierarchy that is no quasi-identifier: no hierarchy makes it one."""
    return InputError(
        f"{quoted(column)} has a hierarchy and is no quasi-identifier, so it would not be released by it",
        where="--hierarchy",
        next_step="Name it among --quasi-identifiers too, or take its hierarchy out.",
    )


def _two_roles(column: str, one: str, other: str) -> InputError:
    also = "twice" if one == other else f"in {one} too"
    return InputError(
        f"{quoted(column)} is named {also}", where=other, next_step="A column has one role: take it out of one list."
    )
