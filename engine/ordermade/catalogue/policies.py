"""Policies by dataset: checked against the columns and hierarchies there are, put in force, compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ordermade.catalogue.arguments import typed_methods
from ordermade.catalogue.datasets import Datasets
from ordermade.catalogue.hierarchies import Hierarchies
from ordermade.errors import InputError, UnknownName, did_you_mean, quoted
from ordermade.policies.difference import PolicyChange, changes
from ordermade.policies.policy import Policy, ReadPolicy, read_policy, stored_policy
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.records.listing import Listing
from ordermade.records.printed import NOT_PRINTED, printed_as
from ordermade.requests.columns import stored_column
from ordermade.requests.generalization import distances_of
from ordermade.requests.problems import RequestProblem
from ordermade.sources.limits import Limits
from ordermade.state import audit
from ordermade.state import datasets as stored_datasets
from ordermade.state import policies as stored
from ordermade.state.database import StateFile

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

PolicyLike: TypeAlias = "Policy | Path | str | Mapping[str, Any]"
"""A policy in any accepted form: a file (a path, or its name as a text of one line), a YAML text, a mapping."""


@dataclass(frozen=True, slots=True, repr=False)
class StoredPolicy(HasSummary):
    """A version of the policy of a dataset."""

    id: int
    """Its number."""
    version: int
    """Its version, from 1."""
    hash: str
    """The SHA-256 of its canonical JSON."""
    set_at: datetime
    """The time it was set."""
    policy: Policy = field(metadata=NOT_PRINTED)
    """The policy itself."""

    @property
    @printed_as("dataset")
    def dataset(self) -> str:
        """The dataset it is for."""
        return self.policy.dataset

    @property
    @printed_as("terms_hash")
    def terms_hash(self) -> str | None:
        """The SHA-256 of its terms; null: none."""
        return self.policy.terms_hash

    @property
    @printed_as("content")
    def content(self) -> str:
        """The policy as canonical JSON, without what is left out."""
        return self.policy.canonical

    @classmethod
    def of(cls, record: stored.PolicyRecord) -> StoredPolicy:
        """The policy of a record of the state."""
        return cls(record.id, record.version, record.policy_hash, record.set_at, stored_policy(record.policy))

    def _card(self) -> Card:
        facts = (("version", self.version), ("set", self.set_at), ("hash", self.hash))
        return Card.of(f"Policy of {self.policy.dataset}", facts)


@dataclass(frozen=True, slots=True, repr=False)
class CheckedPolicy(HasSummary):
    """A policy file without a mistake."""

    policy: Policy = field(metadata=NOT_PRINTED)
    """The policy, its columns as they are stored."""
    notes: tuple[str, ...] = ()
    """The checks that could not be made, in words."""

    @property
    @printed_as("dataset")
    def dataset(self) -> str:
        """The dataset it is for."""
        return self.policy.dataset

    @property
    @printed_as("content")
    def content(self) -> str:
        """The policy as canonical JSON, without what is left out, its columns as they are stored."""
        return self.policy.canonical

    def _card(self) -> Card:
        return Card.of(f"Policy of {self.policy.dataset}: no mistakes", tuple(("note", each) for each in self.notes))


@dataclass(frozen=True, slots=True, repr=False)
class PolicyDifference(HasSummary):
    """Two policies of a dataset, compared."""

    dataset: str
    """The dataset."""
    before: int | None
    """The version of the first; null: no policy."""
    after: int | None
    """The version of the second; null: a file."""
    changes: tuple[PolicyChange, ...]
    """The fields that differ, in the order of the file."""

    def of(self, direction: str) -> tuple[PolicyChange, ...]:
        """The changes in one direction: `stricter`, `looser` or `other`."""
        return tuple(each for each in self.changes if each.direction == direction)

    def _card(self) -> Card:
        rows = [(each.direction, each.field, each.before, each.after) for each in self.changes]
        title = f"Policy of {self.dataset}: {len(rows):,} changes"
        return Card.of(title, (), Grid(("gets", "field", "before", "after"), rows))


SHOWN = {"dataset": "dataset_name", "version": "version", "set": "set_at", "hash": "policy_hash"}
"""The columns of the list, in Python and on the screen."""


@typed_methods
@dataclass(frozen=True, slots=True)
class Policies:
    """The policies of a state: of each dataset every version, the last one in force."""

    state: StateFile
    limits: Limits = field(repr=False)

    def list(self) -> tuple[stored.PolicyRecord, ...]:
        """The policy in force of each dataset that has one, by dataset. Raises StateFault."""
        with self.state.reading() as connection:
            return Listing(stored.in_force(connection), "policies", SHOWN)

    def get(self, dataset: str) -> StoredPolicy | None:
        """The policy in force of a dataset; None where it has none. Raises StateFault."""
        with self.state.reading() as connection:
            found = stored.versions(connection, dataset)
        return StoredPolicy.of(found[0]) if found else None

    def show(self, dataset: str, version: int | None = None) -> StoredPolicy:
        """A version of the policy of a dataset, by default the one in force.

        Raises UnknownName for a dataset without a policy, InputError for a version that is none, StateFault.
        """
        with self.state.reading() as connection:
            return _found(connection, dataset, version)

    def check(self, policy: PolicyLike) -> CheckedPolicy:
        """Checks a policy, against the columns of its dataset and the registered hierarchies where there are any.

        Raises RequestError with every mistake at once, SourceFault, StateFault.
        """
        read = _read(policy)
        with self.state.reading() as connection:
            known = {each.name for each in stored_datasets.listed(connection)}
        name = read.policy.dataset
        if name in known:
            return CheckedPolicy(self._resolved(read))
        return CheckedPolicy(read.policy, (f"the dataset {quoted(name)} is not registered: no name was looked up",))

    def set(self, policy: PolicyLike) -> StoredPolicy:
        """Puts a policy in force, as the next version of its dataset's; the one in force already stays as it is.

        Raises RequestError with every mistake at once, UnknownName for the dataset, SourceFault, StateFault.
        """
        read = _read(policy)
        resolved = self._resolved(read)
        with self.state.writing() as connection:
            earlier = stored.versions(connection, resolved.dataset)
            if earlier and earlier[0].policy_hash == resolved.hash:
                return StoredPolicy.of(earlier[0])
            record = stored.put(connection, resolved.dataset, resolved.canonical, resolved.hash)
            detail = f"version {record.version}, {record.policy_hash}"
            audit.add_audit_entry(connection, "policy set", resolved.dataset, detail)
        return StoredPolicy.of(record)

    def diff(
        self, dataset: str, policy: PolicyLike | None = None, *, versions: Sequence[int] | None = None
    ) -> PolicyDifference:
        """What gets stricter and what looser: from the policy in force to another, or between two versions (0: none).

        Without either, from the version before the one in force to it. Raises RequestError with every mistake,
        UnknownName, InputError, SourceFault, StateFault.
        """
        if policy is not None:
            read = _read(policy)
            if read.policy.dataset != dataset:
                what = f"this is a policy of the dataset {quoted(read.policy.dataset)}, not of {quoted(dataset)}"
                raise InputError(what, where=read.where, next_step="Name the dataset of the file.")
            resolved, now = self._resolved(read), self.get(dataset)
            before = None if now is None else now.policy
            return PolicyDifference(dataset, None if now is None else now.version, None, changes(before, resolved))
        with self.state.reading() as connection:
            last = _found(connection, dataset, None).version
            if versions is not None and len(versions) != 2:
                step = "Give two, the earlier first."
                raise InputError(f"{len(versions)} versions are given", where="Policies.diff: versions", next_step=step)
            first, then = (last - 1, last) if versions is None else versions
            old = None if first == 0 else _found(connection, dataset, first)
            new = _found(connection, dataset, then)
        return PolicyDifference(dataset, first or None, then, changes(None if old is None else old.policy, new.policy))

    def _resolved(self, read: ReadPolicy) -> Policy:
        """The policy with its columns as stored. Raises RequestError for names that are not there."""
        policy, problems = read.policy, list[RequestProblem]()
        with Datasets(self.state, self.limits).open(policy.dataset) as opened:
            names = [each.name for each in opened.columns]
        renamed: dict[str, str] = {}
        for name, path in policy.columns:
            try:
                renamed[name] = stored_column(name, names)
            except InputError as error:
                problems.append(RequestProblem(error.what, error.next_step, path, read.line(path)))
                continue
            alike = [each for each in names if each.casefold() == name.casefold()]
            if len(alike) > 1:
                what = f"the columns {', '.join(map(quoted, alike))} differ in case alone, and a policy names both"
                problems.append(RequestProblem(what, "rename one in a dataset query", path, read.line(path)))
        problems += [*_named_twice(read, renamed), *self._of_hierarchies(read)]
        if problems:
            raise read.refusal(problems)
        return _with_columns(policy, renamed)

    def _of_hierarchies(self, read: ReadPolicy) -> Sequence[RequestProblem]:
        """The levels and hierarchies that the policy names and that are not registered."""
        policy, problems = read.policy, []
        if not policy.finest and not policy.models:
            return []
        hierarchies = Hierarchies(self.state, self.limits)
        known = [each.name for each in hierarchies.list()]
        for name in sorted(distances_of(policy.models)):
            if name not in known:
                error = UnknownName("hierarchy", name, known, next_step="Register it with `hierarchy add`.")
                problems.append(RequestProblem.of(error, ("models",), read.line(("models",))))
        every = [hierarchies.get(name) for name in known] if policy.finest else []
        for column, level in policy.finest.items():
            if not any(each.level_number(level) is not None for each in every):
                path = ("finest", column)
                shown = quoted(level) if isinstance(level, str) else str(level)
                levels = [one.name for each in every for one in each.levels]
                step = did_you_mean(level, levels) if isinstance(level, str) else ""
                instead = step or "name a level as `ordermade hierarchy show` lists it"
                problems.append(
                    RequestProblem(f"no registered hierarchy has a level {shown}", instead, path, read.line(path))
                )
        return problems


def _read(policy: PolicyLike) -> ReadPolicy:
    if isinstance(policy, Policy):
        return ReadPolicy(policy)
    if isinstance(policy, str) and "\n" not in policy and policy.lower().endswith((".yaml", ".yml")):
        return read_policy(Path(policy))
    return read_policy(policy)


def _found(connection: StateConnection, dataset: str, version: int | None) -> StoredPolicy:
    found = stored.versions(connection, dataset)
    if not found:
        known = {each.dataset_name for each in stored.in_force(connection)}
        step = "Set one with `ordermade policy set FILE`."
        raise UnknownName("policy of the dataset", dataset, known, next_step=step)
    wanted = found[0] if version is None else next((each for each in found if each.version == version), None)
    if wanted is None:
        what = f"the policy of {quoted(dataset)} has no version {version}"
        raise InputError(what, where="--version", next_step=f"It has versions 1 to {found[0].version}.")
    return StoredPolicy.of(wanted)


def _named_twice(read: ReadPolicy, renamed: Mapping[str, str]) -> Iterator[RequestProblem]:
    """The rules of a column that has such rules under another spelling of its name: one of the two would be lost."""
    for key in ("models", "finest"):
        found: dict[str, str] = {}
        for name in getattr(read.policy, key):
            column = renamed.get(name)
            if column is not None and found.setdefault(column, name) != name:
                what = f"{quoted(found[column])} and {quoted(name)} are the same column, {quoted(column)}"
                yield RequestProblem(what, "name it once", (key, name), read.line((key, name)))


def _with_columns(policy: Policy, renamed: Mapping[str, str]) -> Policy:
    """The policy with every column by its stored name, once."""

    def stored_names(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(renamed[each] for each in names))

    def keyed(fields: Mapping[str, Any]) -> dict[str, Any]:
        return {renamed[name]: each for name, each in fields.items()}

    never, automatic = policy.never, policy.automatic
    lists = {key: stored_names(getattr(never, key)) for key in ("ask", "keep", "filter")}
    recipients = {
        name: each if each.columns is None else each.model_copy(update={"columns": stored_names(each.columns)})
        for name, each in policy.recipients.items()
    }
    bounds = None if automatic is None else automatic.model_copy(update={"columns": stored_names(automatic.columns)})
    content: dict[str, Any] = {
        "never": never.model_copy(update=lists),
        "models": keyed(policy.models),
        "finest": keyed(policy.finest),
        "recipients": recipients,
        "automatic": bounds,
    }
    return policy.model_copy(update=content)
