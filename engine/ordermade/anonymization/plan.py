"""The plan of a release, from the profiles of the columns: their roles, the hierarchies, the request. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.anonymization.options import DEFAULT_MODELS, OPTION_OF, AnonymizeOptions, without_role
from ordermade.drafts.request import DraftedMethod, RequestDraft
from ordermade.drafts.roles import MAX_QUASI_IDENTIFIERS as MAX_QUASI_IDENTIFIERS_PROPOSED
from ordermade.errors import InputError, Refused, quoted
from ordermade.requests.generalization import MAX_QUASI_IDENTIFIERS, MAX_SENSITIVE

if TYPE_CHECKING:
    from ordermade.drafts.hierarchies import DraftedHierarchy, Undrafted
    from ordermade.drafts.profile import ColumnProfile
    from ordermade.drafts.roles import ProposedRole, Role
    from ordermade.drafts.text_column import Unread


def of_shape(roles: Sequence[ProposedRole], wanted: AnonymizeOptions) -> tuple[ProposedRole, ...]:
    """The roles that the shape of the release allows: a table of classes leaves out what is released row by row.

    Raises InputError for such a column that was named.
    """
    if wanted.shape == "rows":
        return tuple(roles)
    found: list[ProposedRole] = []
    for each in roles:
        if each.role not in ("sensitive", "kept"):
            found.append(each)
        elif each.column in wanted.roles:
            raise InputError(
                f"a table of classes has their counts and no {quoted(each.column)}",
                where=OPTION_OF[each.role],
                next_step="Generalise it with --quasi-identifiers, or leave it out with --identifiers.",
            )
        else:
            found.append(dataclasses.replace(each, role="identifier", reason=_NOT_COUNTED))
    return tuple(found)


_NOT_COUNTED = "left out: a table has classes and their counts"
IDENTIFYING = 0.5
"""A column with more different values for a row, or person, than this is not released as it is: most have their own."""


def protected(
    roles: Sequence[ProposedRole], profiles: Sequence[ColumnProfile], wanted: AnonymizeOptions
) -> tuple[ProposedRole, ...]:
    """The roles with no column released as it is whose values identify their rows.

    Where that was proposed, numbers and dates are generalised instead, as far as a request should have
    quasi-identifiers, and others left out. Raises Refused where it was named.
    """
    by_name = {each.name: each for each in profiles}
    persons = None if wanted.entity is None else by_name[wanted.entity].distinct
    found: list[ProposedRole] = []
    room = MAX_QUASI_IDENTIFIERS_PROPOSED - sum(each.role == "quasi-identifier" for each in roles)
    for each in roles:
        profile = by_name[each.column]
        units = profile.rows if persons is None else persons
        identifies = profile.distinct > IDENTIFYING * units and each.column not in wanted.allow_identifying
        if each.role not in ("sensitive", "kept") or not identifies:
            found.append(each)
        elif each.column in wanted.roles:
            raise Refused(
                f"more than half as many values as {'rows' if persons is None else 'persons'} are in "
                f"{quoted(each.column)}, and such a value identifies its person",
                where=OPTION_OF[each.role],
                next_step="Generalise it with --quasi-identifiers, leave it out with --identifiers, or release it all "
                "the same with --allow-identifying.",
            )
        elif room > 0 and profile.quantiles:
            room -= 1
            found.append(dataclasses.replace(each, role="quasi-identifier", reason=_GENERALISED))
        else:
            found.append(dataclasses.replace(each, role="identifier", reason=_LEFT_OUT))
    return tuple(found)


_GENERALISED = "generalised: most rows have a value of their own"
_LEFT_OUT = "left out: most rows have a value of their own"


@dataclass(frozen=True, slots=True)
class HierarchyFile:
    """The hierarchy of a quasi-identifier: the content of its file, with its ending, and its origin in words."""

    column: str
    content: bytes
    ending: str
    reason: str


@dataclass(frozen=True, slots=True)
class AnonymizationPlan:
    """The roles of all columns, in the order of the table, and a hierarchy for each quasi-identifier, in that order."""

    roles: tuple[ProposedRole, ...]
    hierarchies: tuple[HierarchyFile, ...]

    def of(self, role: Role) -> tuple[str, ...]:
        """The columns of a role, in order."""
        return tuple(each.column for each in self.roles if each.role == role)


def planned(
    roles: Sequence[ProposedRole],
    drafts: Mapping[str, DraftedHierarchy | Undrafted | None],
    given: Mapping[str, HierarchyFile],
    wanted: AnonymizeOptions,
) -> AnonymizationPlan:
    """The plan of these roles. `drafts`: of the quasi-identifiers that have no hierarchy among the `given`.

    A draft of None is one that can be made and is not needed: the plan has no hierarchy of it.

    A proposed quasi-identifier without a hierarchy is left out of the release. Raises InputError for one that was
    named, for a column with a given hierarchy and another role, where no quasi-identifier is left, and where there are
    more than a request may have.
    """
    for each in roles:
        if each.role != "quasi-identifier" and each.column in given:
            raise without_role(each.column)
    kept: list[ProposedRole] = []
    files: list[HierarchyFile] = []
    for each in roles:
        if each.role != "quasi-identifier":
            kept.append(each)
        elif each.column in given:
            kept.append(each)
            files.append(given[each.column])
        else:
            draft = drafts[each.column]
            text = getattr(draft, "text", None)
            if draft is None:
                kept.append(each)
            elif text is not None:
                kept.append(each)
                files.append(HierarchyFile(each.column, text.encode(), ".yaml", draft.reason))
            else:
                kept.append(_left_out(each, draft.reason, wanted))
    plan = AnonymizationPlan(tuple(kept), tuple(files))
    _check(plan, wanted)
    return plan


def with_causes(plan: AnonymizationPlan, unread: Sequence[Unread], wanted: AnonymizeOptions) -> AnonymizationPlan:
    """The plan that says of a column which was left out as a text why it is read as nothing else."""
    causes = {each.column: each.reason.partition(": left as text")[0] for each in unread}
    roles = (
        dataclasses.replace(each, reason=f"left out: {causes[each.column]}")
        if _is_by_values(each, wanted, causes)
        else each
        for each in plan.roles
    )
    return dataclasses.replace(plan, roles=tuple(roles))


def _is_by_values(role: ProposedRole, wanted: AnonymizeOptions, causes: Mapping[str, str]) -> bool:
    """Whether a column with such a cause was left out for its values, neither by a wish nor for its name."""
    by_values = role.role == "identifier" and not role.reason.startswith(("its ", "a key", "names", "free texts"))
    return by_values and role.column in causes and role.column not in wanted.roles


def _left_out(role: ProposedRole, reason: str, wanted: AnonymizeOptions) -> ProposedRole:
    if role.column in wanted.roles:
        raise InputError(
            f"no hierarchy can be drafted for {quoted(role.column)}: {reason}",
            where="--quasi-identifiers",
            next_step="Give one of yours with --hierarchy COLUMN=FILE, or the column another role.",
        )
    return dataclasses.replace(role, role="identifier", reason=f"no hierarchy: {reason}")


def _check(plan: AnonymizationPlan, wanted: AnonymizeOptions) -> None:
    quasi, sensitive = len(plan.of("quasi-identifier")), len(plan.of("sensitive"))
    if not quasi:
        raise InputError(
            "there is no quasi-identifier, so nothing would be protected",
            where="--quasi-identifiers",
            next_step="Name the columns by which others could recognise a person, such as age,sex,city.",
        )
    for count, most, option in (
        (quasi, MAX_QUASI_IDENTIFIERS, "--quasi-identifiers"),
        (sensitive, MAX_SENSITIVE, "--sensitive"),
    ):
        if count > most:
            raise InputError(
                f"{count:,} columns are {_PLURAL[option]}, and a request has {most} at most",
                where=option,
                next_step="Name those that matter, and give the others another role with --keep or --identifiers.",
            )
    strangers = [each for each in wanted.models if each not in plan.of("sensitive")]
    if strangers:
        raise InputError(
            f"{quoted(strangers[0])} has a model and is not sensitive", where="--sensitive", next_step="Name it once."
        )
    if wanted.method == "microaggregation" and sensitive:
        raise InputError(
            "microaggregation keeps to no model of sensitive columns",
            where="--method",
            next_step="Give the sensitive columns another role with --keep or --identifiers, or name another method.",
        )


_PLURAL: Mapping[str, str] = {"--quasi-identifiers": "quasi-identifiers", "--sensitive": "sensitive"}


def request_draft(
    plan: AnonymizationPlan,
    wanted: AnonymizeOptions,
    *,
    dataset: str,
    hierarchies: Mapping[str, str],
    numbers: Iterable[str],
    to: str | Mapping[str, str],
    method: DraftedMethod,
    head: Sequence[str] = (),
    censored: Iterable[str] = (),
) -> RequestDraft:
    """The request of a plan for a dataset of that name; `hierarchies`: the names of the hierarchies by column.

    `numbers`: the quasi-identifiers that are numbers, which microaggregation takes as they are. `censored`: columns of
    which some values are bounds, none of which is to be released as if it were known.
    """
    numeric = set(numbers) if method == "microaggregation" else set()
    columns = plan.of("quasi-identifier")
    return RequestDraft(
        dataset=dataset,
        k=wanted.k,
        hierarchies={each: None if each in numeric else hierarchies[each] for each in columns},
        to=to,
        method=method,
        suppression_limit=wanted.suppression_limit,
        objective=wanted.objective,
        where=wanted.where,
        sensitive={each: wanted.models.get(each, DEFAULT_MODELS) for each in plan.of("sensitive")},
        identifiers=plan.of("identifier"),
        keep=plan.of("kept"),
        allow_identifying=wanted.allow_identifying,
        head=head,
        title=wanted.title,
        shape=wanted.shape,
        count=wanted.count_head,
        csv=wanted.csv_options(to),
        missing=wanted.missing_values,
        generalised=frozenset(censored),
    )
