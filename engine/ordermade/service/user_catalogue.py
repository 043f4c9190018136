"""The catalogue of a user: the datasets of requests, which columns and levels there are, and what the policy allows.

Names alone are in it. Labels of a hierarchy that lists values may be those of persons: none is but where the policy
says that everybody may know them. A rule (intervals, prefixes) was written by the provider or by the user, and says how
a made-up value looks at each level.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ordermade.catalogue.arguments import typed_methods
from ordermade.catalogue.registered import named_hierarchies
from ordermade.errors import Refused, UnknownName, quoted
from ordermade.hierarchies.column_types import type_in_words
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy
from ordermade.hierarchies.owner import HierarchyOwner
from ordermade.hierarchies.prefixes import PrefixHierarchy
from ordermade.hierarchies.stored import store
from ordermade.phrases import phrase
from ordermade.policies.policy import Policy
from ordermade.policies.read_by_users import policy_for
from ordermade.records.cards import HasSummary
from ordermade.records.listing import Listing
from ordermade.records.printed import NOT_PRINTED
from ordermade.requests.columns import stored_column
from ordermade.service import public_releases
from ordermade.service.authentication import Credential
from ordermade.service.columns_of_hierarchies import named_after, registered_for, registered_names
from ordermade.service.effective_policy import EffectivePolicy, governing
from ordermade.service.lifecycle import Actor
from ordermade.service.open_names import are_open, is_for, open_columns
from ordermade.service.own_hierarchies import HierarchyForm, own_name, read_own, require_groups
from ordermade.service.public_releases import ListedRelease, PublicFile, PublicRelease
from ordermade.state import audit, submissions, user_hierarchies
from ordermade.state import datasets as stored
from ordermade.state.connection import StateConnection
from ordermade.state.database import StateFile
from ordermade.state.publications import Publication
from ordermade.state.user_hierarchies import UserHierarchy

_SHOWN = {"dataset": "name", "columns": "width", "least k": "least_k", "reviews": "reviews"}
_PUBLISHED_SHOWN = {"release": "release", "title": "title", "published": "published_at"}
OWN_SHOWN = {"name": "name", "dataset": "dataset", "column": "column", "kind": "kind", "bytes": "size"}
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
    own: bool = False
    """Whether it is the user's own, and not a registered one."""


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
    """The hierarchies that are of it by their names, that of its own name first; none: see `OfferedDataset.others`.

    Then those of the user's own.
    """
    values: tuple[str, ...] = field(default=(), repr=False)
    """The values that its hierarchy lists, where the policy says that everybody may know them; else none."""


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
            raise UnknownName("dataset", name, next_step=phrase("Ask the provider which there are."))
        return found

    def releases(self, dataset: str) -> tuple[ListedRelease, ...]:
        """The releases of a dataset that are published for every user, the latest first.

        Those by columns that are closed to the acting user are none.

        Raises UnknownName where there is no such dataset, or the acting user may not ask of it; StateFault.
        """
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
            if not _may_ask(connection, dataset, acting):
                raise UnknownName("dataset", dataset, next_step=phrase("Ask the provider which there are."))
            every = public_releases.listed(connection, dataset)
            found = tuple(each for each in every if _may_read(connection, dataset, each.release, acting))
        return Listing(found, "releases", _PUBLISHED_SHOWN)

    def release(self, number: int) -> PublicRelease:
        """A published release: what it is, and how it is cited; nothing of who requested it.

        Raises UnknownName where none of that number is published for the acting user, StateFault.
        """
        return public_releases.public_release(self.state, self._published(number))

    def release_file(self, number: int) -> PublicFile:
        """The file of a published release, as it was delivered. Raises UnknownName, ReleaseFault, StateFault."""
        return public_releases.public_file(self.state, self._published(number).release_id)

    def _published(self, number: int) -> Publication:
        """The publication of a release, where its dataset and columns are open to the acting user.

        Raises UnknownName.
        """
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
            found, dataset = public_releases.find(connection, number)
            if not (_may_ask(connection, dataset, acting) and _may_read(connection, dataset, number, acting)):
                raise public_releases.unknown(number)
        return found

    def hierarchies(self) -> tuple[UserHierarchy, ...]:
        """The hierarchies of the acting user's own that are in use, by name. Raises Refused, StateFault."""
        with self.state.reading() as connection:
            found = user_hierarchies.in_use(connection, self.credential.actor(connection).name)
        return Listing(found, "hierarchies", OWN_SHOWN)

    def add_hierarchy(
        self, dataset: str, column: str, name: str, text: str, form: HierarchyForm = "yaml"
    ) -> UserHierarchy:
        """Uploads a hierarchy for a column, in place of one of the acting user's own with the same name.

        Requests of the user, and of no one else, name it `USER/NAME`. Nothing is compared with the data; values that
        it lists with those of the registered hierarchy, where the policy says that everybody may know these.

        Args:
            dataset: The dataset.
            column: Its column.
            name: The name of the hierarchy, without that of the user.
            text: A rule or a mapping as YAML, or a CSV file with a line for each value.
            form: Of the text, `yaml` or `csv`.

        Returns:
            The hierarchy.

        Raises:
            HierarchyError: It has mistakes, or lists other values than the registered one.
            InputError: The name cannot be used, or there is no such column.
            Refused: The column has no registered hierarchy, or one whose values are not for users; or there are too
                many of the user's own.
            UnknownName: There is no such dataset for the user.
        """
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
        read = read_own(text, form, own_name(acting.name, name))  # takes its time, while nobody waits for the state
        own = read.hierarchy
        with self.state.writing() as connection:
            acting = self.credential.actor(connection)
            is_there = any(each.name == dataset for each in stored.listed(connection))
            offered = _offered(connection, dataset, acting) if is_there else None
            if offered is None:
                raise UnknownName("dataset", dataset, next_step=phrase("Ask the provider which there are."))
            place = stored_column(column, [each.name for each in offered.columns])
            _require_free_to_group(offered, place)
            known = registered_for(connection, place)
            types = stored.columns_of(connection, stored.get(connection, dataset).id) or {}
            is_public = place.casefold() in _folded(offered.policy.labels)
            require_groups(read, place, types[place], known, is_public=is_public)
            levels = range(len(own.order))
            pairs = [(i, j) for i in levels for j in levels if i != j and own.order.refines(i, j)]
            owner = HierarchyOwner(acting.name, dataset, place)
            saved = user_hierarchies.save(connection, own.name, owner, store(own), own.content_hash, pairs, text)
            if saved.outcome != "unchanged":
                why = f"{saved.outcome}, for {place} of {dataset}"
                audit.add_audit_entry(connection, "hierarchy upload", own.name, why, by=acting.name)
            return next(each for each in user_hierarchies.in_use(connection, acting.name) if each.name == own.name)

    def remove_hierarchy(self, name: str) -> UserHierarchy:
        """Takes a hierarchy of the acting user's own, by its whole name, out of use. Raises UnknownName, StateFault."""
        with self.state.writing() as connection:
            acting = self.credential.actor(connection)
            found = user_hierarchies.remove(connection, name, acting.name)
            audit.add_audit_entry(connection, "hierarchy discard", name, by=acting.name)
        return found


def _require_free_to_group(offered: OfferedDataset, column: str) -> None:
    """Raises Refused for a column that is released at a level of registered hierarchies or coarser alone."""
    if next(each for each in offered.columns if each.name == column).finest is not None:
        raise Refused(
            phrase(
                "%(column)s is released at a level of a registered hierarchy or coarser alone", column=quoted(column)
            ),
            next_step=phrase("Name a registered one."),
        )


def _may_ask(connection: StateConnection, name: str, acting: Actor) -> bool:
    is_there = any(each.name == name for each in stored.listed(connection))
    return is_there and is_for(governing(connection, name).rules, acting)


def _may_read(connection: StateConnection, dataset: str, release: int, acting: Actor) -> bool:
    """Whether every column of a published release is open to who acts."""
    columns = public_releases.columns_of(connection, release)
    return are_open(governing(connection, dataset).rules, acting, columns)


def _offered(connection: StateConnection, name: str, acting: Actor) -> OfferedDataset | None:
    """The dataset for who acts; None where its policy names recipients, and not this one, who is no provider."""
    rules = governing(connection, name)
    whole = rules.rules
    if not is_for(whole, acting):
        return None
    policy = policy_for(whole, acting.name)
    own = policy.recipients.get(acting.name)
    dataset = stored.get(connection, name)
    columns = open_columns(connection, name, policy, acting.name)
    hierarchies = registered_names(connection)
    own_ones = [each for each in user_hierarchies.in_use(connection, acting.name) if each.dataset == name]
    by_column = {column: named_after(column, hierarchies) for column in columns}
    used = {each for names in by_column.values() for each in names}
    every = {*used, *(each.name for each in own_ones)}
    read = named_hierarchies(connection, every) if every else {}
    uploaded = {each: [read[one.name] for one in own_ones if one.column == each] for each in columns}
    least_k = max(policy.k or 0, dataset.terms.least_k, (own.k or 0) if own else 0, 2)
    return OfferedDataset(
        name,
        tuple(
            _column(each, kind, policy, [read[name] for name in by_column[each]], uploaded[each])
            for each, kind in columns.items()
        ),
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


def _column(
    name: str, column_type: str, policy: Policy, hierarchies: Sequence[Hierarchy], uploaded: Iterable[Hierarchy]
) -> OfferedColumn:
    finest = next((level for column, level in policy.finest.items() if column.casefold() == name.casefold()), None)
    models = next((found for column, found in policy.models.items() if column.casefold() == name.casefold()), ())
    return OfferedColumn(
        name,
        type_in_words(column_type),
        name.casefold() not in _folded(policy.never.keep) and finest is None,
        name.casefold() not in _folded(policy.never_filtered),
        None if finest is None else str(finest),
        tuple(str(each.model) for each in models),
        (
            *(_hierarchy(each) for each in hierarchies if each.check_type(column_type) is None),
            *(_hierarchy(each, own=True) for each in uploaded if finest is None),
        ),
        _values(hierarchies) if name.casefold() in _folded(policy.labels) else (),
    )


def _values(hierarchies: Iterable[Hierarchy]) -> tuple[str, ...]:
    """The values that the first of these hierarchies lists that lists any."""
    listed = next((each for each in hierarchies if isinstance(each, ExplicitHierarchy)), None)
    return () if listed is None else tuple(each for each in listed.leaves if each is not None)


def _hierarchy(whole: Hierarchy, *, own: bool = False) -> OfferedHierarchy:
    numbers = range(len(whole.levels))
    levels = tuple(
        OfferedLevel(number, level.name, whole.order.direct_generalisations(number, numbers), _example(whole, number))
        for number, level in enumerate(whole.levels)
    )
    return OfferedHierarchy(whole.name, whole.kind, levels, own)


def _example(whole: Hierarchy, level: int) -> str:
    if not 0 < level < whole.top:
        return ""
    if isinstance(whole, IntervalHierarchy):
        return whole.labels_of([_EXAMPLE_KEY], level, level)[0]
    if isinstance(whole, PrefixHierarchy):
        kept = whole.keep[level - 1]
        return whole.labels_of([_EXAMPLE_TEXT[:kept]], level, level)[0]
    return ""


def _folded(names: Iterable[str]) -> frozenset[str]:
    return frozenset(each.casefold() for each in names)
