"""The catalogue of a user: the datasets of requests, which columns and levels there are, and what the policy allows.

Names alone are in it. Labels of a hierarchy that lists values may be those of persons: none is. A rule (intervals,
prefixes) was written by the provider, and says how a made-up value looks at each level.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ordermade.catalogue.arguments import typed_methods
from ordermade.catalogue.registered import named_hierarchies
from ordermade.errors import UnknownName
from ordermade.hierarchies.column_types import type_in_words
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy
from ordermade.hierarchies.prefixes import PrefixHierarchy
from ordermade.policies.policy import Policy
from ordermade.policies.read_by_users import policy_for
from ordermade.records.cards import HasSummary
from ordermade.records.listing import Listing
from ordermade.records.printed import NOT_PRINTED
from ordermade.service.authentication import Credential
from ordermade.service.effective_policy import EffectivePolicy, governing
from ordermade.service.lifecycle import Actor
from ordermade.state import datasets as stored
from ordermade.state import hierarchies as stored_hierarchies
from ordermade.state import submissions
from ordermade.state.connection import StateConnection
from ordermade.state.database import StateFile

_SHOWN = {"dataset": "name", "columns": "width", "least k": "least_k", "reviews": "reviews"}
_SEPARATORS = (" ", "_", "-", ".", "（", "(")
"""What may stand between the name of a column and the rest of the name of a hierarchy that is of it."""
_EXAMPLE_KEY, _EXAMPLE_TEXT = 2, "1234567890"


@dataclass(frozen=True, slots=True)
class OfferedLevel:
    """A level of a hierarchy."""

    number: int
    """Its number: 0 is the value as it is, the last one `*`."""
    name: str
    """Its name."""
    coarser: tuple[int, ...]
    """The numbers of the levels directly above it: one where levels nest."""
    example: str = ""
    """How a made-up value looks at it; empty where the hierarchy lists its labels, or it is level 0 or `*`."""


@dataclass(frozen=True, slots=True)
class OfferedHierarchy:
    """A hierarchy by which a column may be generalised."""

    name: str
    """Its name."""
    kind: str
    """`explicit`, `interval`, `date` or `prefix`."""
    levels: tuple[OfferedLevel, ...]
    """Its levels, the finest first."""


@dataclass(frozen=True, slots=True)
class OfferedColumn:
    """A column that a request may use."""

    name: str
    """Its name."""
    kind: str
    """What it holds, in words."""
    kept: bool
    """Whether it may be released as it is: kept, or sensitive under the models of the policy."""
    filtered: bool
    """Whether a row filter may use it."""
    finest: str | None
    """The finest level at which it may be released; null: any."""
    models: tuple[str, ...]
    """The models under which alone its values are released."""
    hierarchies: tuple[OfferedHierarchy, ...]
    """The hierarchies that are of it by their names, that of its own name first; none: see `OfferedDataset.others`."""


@dataclass(frozen=True, slots=True, repr=False)
class OfferedDataset(HasSummary):
    """A dataset that a user may ask of."""

    name: str
    """Its name."""
    columns: tuple[OfferedColumn, ...]
    """The columns that a request of the user may use."""
    others: tuple[str, ...]
    """The names of the hierarchies that are of no column by their names."""
    least_k: int
    """The least k."""
    ks: tuple[int, ...]
    """The only values of k; empty: any from the least up."""
    reviews: int
    """The independent approvals that a request needs."""
    terms: str | None = field(metadata=NOT_PRINTED)
    """The terms that are to be accepted first; null: none."""
    accepted: bool
    """Whether the user accepted them."""
    policy: Policy = field(metadata=NOT_PRINTED)
    """The policy as the user may read it; without one, a policy that says nothing."""

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.columns)


@typed_methods
@dataclass(frozen=True, slots=True)
class UserCatalogue:
    """What users may ask of."""

    state: StateFile
    credential: Credential = field(repr=False)

    def list(self) -> tuple[OfferedDataset, ...]:
        """The datasets that the acting user may ask of, by name. Raises Refused, StateFault."""
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
            names = sorted(each.name for each in stored.listed(connection))
            found = (_offered(connection, each, acting) for each in names)
            return Listing(tuple(each for each in found if each is not None), "datasets", _SHOWN)

    def get(self, name: str) -> OfferedDataset:
        """One dataset. Raises UnknownName where there is none, or the acting user may not ask of it; StateFault."""
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
            is_there = any(each.name == name for each in stored.listed(connection))
            found = _offered(connection, name, acting) if is_there else None
        if found is None:
            raise UnknownName("dataset", name, next_step="Ask the provider which there are.")
        return found


def _offered(connection: StateConnection, name: str, acting: Actor) -> OfferedDataset | None:
    """The dataset for who acts; None where its policy names recipients, and not this one, who is no provider."""
    rules = governing(connection, name)
    whole = rules.rules
    if whole.recipients and acting.name not in whole.recipients and not acting.roles - {"data-user"}:
        return None
    policy = policy_for(whole, acting.name)
    own = policy.recipients.get(acting.name)
    dataset = stored.get(connection, name)
    columns = _columns_of(connection, name, policy, None if own is None else own.columns)
    hierarchies = {each.name for each in stored_hierarchies.listed(connection)}
    by_column = {column: _named_after(column, hierarchies) for column in columns}
    used = {each for names in by_column.values() for each in names}
    read = named_hierarchies(connection, used) if used else {}
    least_k = max(policy.k or 0, dataset.terms.least_k, (own.k or 0) if own else 0, 2)
    return OfferedDataset(
        name,
        tuple(_column(each, kind, policy, [read[name] for name in by_column[each]]) for each, kind in columns.items()),
        tuple(sorted(hierarchies - used)),
        least_k,
        tuple(each for each in sorted(policy.ks) if each >= least_k),
        rules.reviews,
        policy.terms,
        _has_accepted(connection, rules, acting),
        policy,
    )


def _has_accepted(connection: StateConnection, rules: EffectivePolicy, acting: Actor) -> bool:
    return rules.terms_hash in submissions.accepted_by(connection, rules.dataset, acting.name)


def _columns_of(
    connection: StateConnection, name: str, policy: Policy, only: Iterable[str] | None
) -> Mapping[str, str]:
    """The types of the columns that a request may use, by name, in the order of the dataset."""
    found = stored.columns_of(connection, stored.get(connection, name).id) or {}
    never = _folded(policy.never.ask)
    allowed = None if only is None else _folded(only)
    return {
        column: kind
        for column, kind in found.items()
        if column.casefold() not in never and (allowed is None or column.casefold() in allowed)
    }


def _column(name: str, column_type: str, policy: Policy, hierarchies: Iterable[Hierarchy]) -> OfferedColumn:
    finest = next((level for column, level in policy.finest.items() if column.casefold() == name.casefold()), None)
    models = next((found for column, found in policy.models.items() if column.casefold() == name.casefold()), ())
    return OfferedColumn(
        name,
        type_in_words(column_type),
        name.casefold() not in _folded(policy.never.keep) and finest is None,
        name.casefold() not in _folded(policy.never_filtered),
        None if finest is None else str(finest),
        tuple(str(each.model) for each in models),
        tuple(_hierarchy(each) for each in hierarchies if each.check_type(column_type) is None),
    )


def _hierarchy(whole: Hierarchy) -> OfferedHierarchy:
    numbers = range(len(whole.levels))
    levels = tuple(
        OfferedLevel(number, level.name, whole.order.direct_generalisations(number, numbers), _example(whole, number))
        for number, level in enumerate(whole.levels)
    )
    return OfferedHierarchy(whole.name, whole.kind, levels)


def _example(whole: Hierarchy, level: int) -> str:
    if not 0 < level < whole.top:
        return ""
    if isinstance(whole, IntervalHierarchy):
        return whole.labels_of([_EXAMPLE_KEY], level, level)[0]
    if isinstance(whole, PrefixHierarchy):
        kept = whole.keep[level - 1]
        return whole.labels_of([_EXAMPLE_TEXT[:kept]], level, level)[0]
    return ""


def _named_after(column: str, hierarchies: Iterable[str]) -> tuple[str, ...]:
    """The hierarchies of a column by their names: that of its own name, then those whose names begin with it."""
    own = column.casefold()
    begin = tuple(own + each for each in _SEPARATORS)
    return tuple(
        sorted(
            (each for each in hierarchies if each.casefold() == own or each.casefold().startswith(begin)),
            key=lambda each: (each.casefold() != own, each),
        )
    )


def _folded(names: Iterable[str]) -> frozenset[str]:
    return frozenset(each.casefold() for each in names)
