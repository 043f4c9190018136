"""The rules of a policy that a request breaks, every one at once, and whether it is approved without a review: pure.

Columns of a request and of a policy are the same where they differ in case alone: no dataset has a column of a policy
twice in that sense.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ordermade.errors import quoted
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.phrases import phrase
from ordermade.policies.amounts import Period, days_of
from ordermade.policies.filter_borders import off_borders
from ordermade.policies.filter_levels import is_union_of_classes
from ordermade.policies.policy import Policy
from ordermade.policies.scales import SCALES, deviations
from ordermade.policies.uses import Role, Use, filter_tree, filtered_by, uses
from ordermade.privacy.models import ModelPart
from ordermade.requests.model import Request
from ordermade.requests.numbers import plain
from ordermade.requests.problems import FieldPath

RULES = (
    *("k", "ks", "suppression", *(f"scales.{each}" for each in SCALES)),
    *("models", "never.ask", "never.keep", "never.filter", "finest", "filters.released_only", "filters.borders"),
    *("recipients", "recipients.k", "recipients.columns", "recipients.requests", "quota", "refusals", "terms"),
    "search.budget",
)
"""The names of the rules that are decided from a request and who asks."""

_MOMENT = "%Y-%m-%d %H:%M"
_AS_THEY_ARE: tuple[Role, ...] = ("kept", "sensitive")
_NO_HIERARCHIES: Mapping[str, Hierarchy] = {}


def rules_of(policy: Policy, besides: Collection[str] = ()) -> tuple[str, ...]:
    """The names of the rules that a policy has, in their order; `besides`: and of these.

    Scales are left out but for that of suppression limits, which every request has a value on.
    """
    said: Mapping[str, object] = {
        "k": policy.k,
        "ks": policy.ks,
        "suppression": policy.suppression is not None,
        "scales.suppression": policy.scales.suppression,
        "models": policy.models,
        "never.ask": policy.never.ask,
        "never.keep": policy.never.keep,
        "never.filter": policy.never.filter,
        "finest": policy.finest,
        "filters.released_only": policy.filters.released_only,
        "filters.borders": policy.filters.borders,
        "recipients": policy.recipients,
        "terms": policy.terms,
    }
    return tuple(each for each in RULES if said.get(each) or each in besides)


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A rule of a policy that a request breaks: its name (`never.keep`), why, and what to write instead.

    `path`: the field of the request, () for the request as a whole.
    """

    rule: str
    message: str
    next_step: str
    path: FieldPath = ()


@dataclass(frozen=True, slots=True)
class Requester:
    """Who asks, and what they did so far.

    `recipient`: their name; `submitted`: when each of their earlier requests on the dataset was submitted; `accepted`:
    the hashes of the terms that they accepted; `refused`: when the data refused what they asked; `now`: when they ask.
    All times have the same zone, or none.
    """

    recipient: str
    now: datetime
    submitted: tuple[datetime, ...] = ()
    accepted: frozenset[str] = frozenset()
    refused: tuple[datetime, ...] = ()


def broken_rules(
    policy: Policy,
    request: Request,
    standing: Requester | None = None,
    hierarchies: Mapping[str, Hierarchy] = _NO_HIERARCHIES,
    *,
    for_user: bool = False,
) -> tuple[BrokenRule, ...]:
    """Every rule of the policy that a request breaks; none where it keeps them all.

    `standing`: None where nobody submits, so that the rules of recipients, quota and terms do not apply.
    `hierarchies` by name: those that the request names; rules of levels whose hierarchy is not given are not decided.
    What only counts decide is not decided either: `filters.persons` and `filters.apart`. `for_user`: whether a user
    reads the answer, as every one with a `standing` does, so that it tells nothing of the values in a hierarchy.
    """
    return tuple(_Decision(policy, request, standing, hierarchies, for_user=for_user or standing is not None).all())


def over_since(policy: Policy, standing: Requester) -> datetime | None:
    """When fewer of the recipient's refusals by the data count than the policy bears; None where fewer do now."""
    length, most = days_of(policy.refusals.per), policy.refusals.most
    counted = sorted(each for each in standing.refused if each > standing.now - length)
    return counted[len(counted) - most] + length if len(counted) >= most else None


def is_automatic(policy: Policy, request: Request) -> bool:
    """Whether a request is approved without a review: it is within the bounds that the policy sets for that."""
    bounds = policy.automatic
    if bounds is None or request.k < bounds.k or broken_rules(policy, request):
        return False
    if getattr(request, "suppression_limit", 0) > bounds.suppression:
        return False
    return all(_named(each.column, bounds.columns) for each in uses(request))


def broken_by_rules(
    policy: Policy, k: int, columns: Sequence[str], target: str, where: str | None
) -> tuple[BrokenRule, ...]:
    """The rules of the policy that recommendation rules mined from its dataset would break.

    They name values and classes of the columns at any level, and values of the target, and none keeps to a model.
    """
    mined = [Use(each, "split", ("columns",)) for each in columns]
    mined += [Use(target, "kept", ("target",)), *(Use(each, "filter", ("where",)) for each in filtered_by(where))]
    decision = _Decision(policy, None, None, _NO_HIERARCHIES, tuple(mined), where)
    return tuple(decision.of_mining(k))


def breach_of_k(policy: Policy, k: int) -> BrokenRule | None:
    """The rule that a value of k breaks; None where it may be used."""
    if policy.k is not None and k < policy.k:
        least = f"{policy.k:,}"
        return BrokenRule(
            "k",
            phrase("k of %(k)s is below the least, %(least)s", k=format(k, ","), least=least),
            phrase("Write a k of %(least)s or more.", least=least),
            ("k",),
        )
    if policy.ks and k not in policy.ks:
        listed = ", ".join(f"{each:,}" for each in sorted(policy.ks))
        return BrokenRule(
            "ks",
            phrase("k of %(k)s is not one of those that are allowed", k=format(k, ",")),
            phrase("Write one of %(listed)s.", listed=listed),
            ("k",),
        )
    return None


def _named(column: str, columns: Iterable[str]) -> str | None:
    """The name that a list, or the keys of a mapping, have for a column; None if it is not among them."""
    return next((each for each in columns if each.casefold() == column.casefold()), None)


def _listed(columns: Iterable[str]) -> str:
    return ", ".join(map(quoted, columns))


PERIODS: Mapping[Period, str] = {
    "day": phrase("a day"),
    "week": phrase("a week"),
    "month": phrase("a month"),
    "year": phrase("a year"),
}
_INSTEAD: Mapping[str, str] = {
    "keep": phrase("Take it out of keep."),
    "sensitive": phrase("Take it out of sensitive."),
    "where": phrase("Take it out of the filter."),
}


@dataclass(slots=True)
class _Decision:
    """Goes through the rules of a policy, and notes those that are broken.

    `request`: None for rules that are mined, whose uses are given. `for_user`: as `broken_rules`.
    """

    policy: Policy
    request: Any
    standing: Requester | None
    hierarchies: Mapping[str, Hierarchy]
    used: tuple[Use, ...] = ()
    where: str | None = None
    for_user: bool = False
    found: list[BrokenRule] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.request is not None:
            self.used, self.where = uses(self.request), self.request.where

    def note(self, rule: str, path: FieldPath, message: str, next_step: str) -> None:
        self.found.append(BrokenRule(rule, message, next_step, path))

    def all(self) -> list[BrokenRule]:
        """The rules that the request breaks, in the order of the policy."""
        self._k(self.request.k)
        self._suppression()
        self._scales()
        self._models()
        self._never()
        self._finest()
        self._filters()
        if self.standing is not None:
            self._borders()
            self._recipients(self.standing)
            self._quota(self.standing)
            self._refusals(self.standing)
            self._terms(self.standing)
            self._budget()
        return self.found

    def of_mining(self, k: int) -> list[BrokenRule]:
        """The rules that mined rules break."""
        self._k(k)
        self._models()
        self._never()
        for use in self.used:
            if _named(use.column, self.policy.finest) is not None and use.role != "filter":
                what = phrase("rules name classes of %(column)s finer than its finest level", column=quoted(use.column))
                self.note("finest", use.path, what, phrase("Leave the column out."))
        self._finest_filters()
        if self.policy.filters.released_only:
            columns = [each.column for each in self.used if each.role != "filter"]
            for use in self._of("filter"):
                if _named(use.column, columns) is None:
                    self._not_released(use)
        return self.found

    def _of(self, *roles: Role) -> list[Use]:
        return [each for each in self.used if each.role in roles]

    def _k(self, k: int) -> None:
        breach = breach_of_k(self.policy, k)
        if breach is not None:
            self.found.append(breach)

    def _suppression(self) -> None:
        most, limit = self.policy.suppression, getattr(self.request, "suppression_limit", None)
        if most is not None and limit is not None and limit > most:
            what = phrase(
                "a suppression limit of %(limit)s is above the greatest, %(most)s", limit=plain(limit), most=plain(most)
            )
            instead = phrase("Write %(most)s or less.", most=plain(most))
            self.note("suppression", ("suppression_limit",), what, instead)

    def _scales(self) -> None:
        own = self.policy
        for off in deviations(own.scales, self.request, own.suppression, own.ks, own.models):
            self.note(*off)

    def _models(self) -> None:
        for use in self.used:
            name = _named(use.column, self.policy.models)
            if name is None:
                continue
            wanted = self.policy.models[name]
            words = ", ".join(_written(each) for each in wanted)
            if use.role == "filter":
                what = phrase(
                    "a filter on %(column)s would tell its value of every row, whatever its models",
                    column=quoted(use.column),
                )
                self.note("models", use.path, what, _INSTEAD["where"])
            elif use.role == "sensitive":
                given = self.request.sensitive[use.column]
                missing = [each for each in wanted if not any(is_at_least(one, each) for one in given)]
                if missing:
                    lacking = ", ".join(_written(each) for each in missing)
                    what = phrase(
                        "%(column)s is released only under at least %(lacking)s",
                        column=quoted(use.column),
                        lacking=lacking,
                    )
                    self.note(
                        "models",
                        use.path,
                        what,
                        phrase("Write sensitive: {%(column)s: [%(words)s]}.", column=use.column, words=words),
                    )
            elif use.role != "target" or self.request is None:
                what = phrase("%(column)s is released only under models", column=quoted(use.column))
                step = phrase(
                    "Take it out there, and write sensitive: {%(column)s: [%(words)s]}.", column=use.column, words=words
                )
                self.note("models", use.path, what, step)

    def _never(self) -> None:
        never = self.policy.never
        for use in self.used:
            step = _INSTEAD.get(str(use.path[0]), phrase("Take it out."))
            column = quoted(use.column)
            if _named(use.column, never.ask) is not None:
                self.note(
                    "never.ask", use.path, phrase("no request may use the column %(column)s", column=column), step
                )
            if use.role in _AS_THEY_ARE and _named(use.column, never.keep) is not None:
                self.note("never.keep", use.path, phrase("%(column)s is never released as it is", column=column), step)
            if use.role == "filter" and _named(use.column, never.filter) is not None:
                self.note(
                    "never.filter", use.path, phrase("the dataset is never filtered by %(column)s", column=column), step
                )

    def _finest(self) -> None:
        for use in self.used:
            name = _named(use.column, self.policy.finest)
            if name is None or use.role in ("filter", "target"):
                continue
            level = self.policy.finest[name]
            if use.role == "generalised":
                self._finest_accepted(use, level)
            elif use.role in ("within", "tabulated"):
                self._finest_at(use, level)
            elif use.role == "split" and self.request.mondrian.variant == "hierarchy":
                self._finest_split(use, level)
            else:
                what = _coarser_alone(use, level)
                step = phrase(
                    "Generalise it: quasi_identifiers: {%(column)s: {hierarchy: NAME, from: %(level)s}}.",
                    column=use.column,
                    level=level,
                )
                self.note("finest", use.path, what, step)
        self._finest_filters()

    def _finest_accepted(self, use: Use, level: int | str) -> None:
        """A quasi-identifier that names no `from` is cut where the request is run, and has no finer level then."""
        options = self.request.quasi_identifiers[use.column]
        hierarchy, number = self._level_of(options.hierarchy, level, use)
        if hierarchy is None or number is None:
            return
        finest = number
        if "from_level" in options.model_fields_set:
            finest = hierarchy.level_number(options.from_level) or 0
        coarsest = hierarchy.top if options.to_level is None else hierarchy.level_number(options.to_level)
        if coarsest is None:
            return  # there is no such level, for which the request is refused
        accepted = range(finest, max(coarsest, finest) + 1)
        finer = [each for each in accepted if not hierarchy.order.refines(number, each)]
        if coarsest < number or finer:
            path = (*use.path, "to" if coarsest < number else "from")
            what = _coarser_alone(use, level)
            self.note(
                "finest",
                path,
                what,
                _from(level, hierarchy, number, coarsest),
            )

    def _finest_at(self, use: Use, level: int | str) -> None:
        """A column that is released at the one level that the request names, and coarser ones."""
        name, wanted, path = self._named_level(use)
        hierarchy, number = self._level_of(name, level, use)
        given = None if hierarchy is None else hierarchy.level_number(wanted)
        if hierarchy is None or number is None or given is None or hierarchy.order.refines(number, given):
            return
        what = _coarser_alone(use, level)
        self.note("finest", (*path, "level"), what, phrase("Write level: %(level)s.", level=level))

    def _named_level(self, use: Use) -> tuple[str, int | str, FieldPath]:
        """The hierarchy and the level at which a column is released, and the field that names them."""
        if use.role == "within":
            options = self.request.within[use.column]
            return options.hierarchy, options.level, use.path
        options = self.request.tabulated[use.column]
        return options.hierarchy or use.column, options.level, ("dimensions", use.column)

    def _finest_split(self, use: Use, level: int | str) -> None:
        options = self.request.quasi_identifiers[use.column]
        what = _coarser_alone(use, level)
        if options.hierarchy is None:
            self.note(
                "finest",
                use.path,
                what,
                phrase("Write %(column)s: {hierarchy: NAME, from: %(level)s}.", column=use.column, level=level),
            )
            return
        hierarchy, number = self._level_of(options.hierarchy, level, use)
        if hierarchy is None or number is None:
            return
        given = hierarchy.level_number(options.from_level)
        named = "from_level" in options.model_fields_set
        if named and given is not None and not hierarchy.order.refines(number, given):
            self.note("finest", (*use.path, "from"), what, phrase("Write from: %(level)s.", level=level))

    def _level_of(self, name: str, level: int | str, use: Use) -> tuple[Hierarchy | None, int | None]:
        """The hierarchy of that name with the number of the level in it; a hierarchy without it is noted."""
        hierarchy = self.hierarchies.get(name)
        if hierarchy is None:
            return None, None
        number = hierarchy.level_number(level)
        if number is None:
            what = phrase(
                "the hierarchy %(name)s has no level %(level)s, the finest of %(column)s",
                name=quoted(name),
                level=_level(level),
                column=quoted(use.column),
            )
            self.note("finest", (*use.path, "hierarchy"), what, phrase("Name a hierarchy with that level."))
        return hierarchy, number

    def _finest_filters(self) -> None:
        for use in self._of("filter"):
            name = _named(use.column, self.policy.finest)
            if name is None:
                continue
            level = self.policy.finest[name]
            hierarchy = self._hierarchy_of(use.column)
            if hierarchy is None:
                if not self._decided_later(use.column):
                    self.note("finest", use.path, *_not_at_finest(use, level))
                continue
            number = hierarchy.level_number(level)
            if number is None or self._whole_classes(use.column, hierarchy, (number,)):
                continue
            if self._hides(hierarchy):
                what = phrase(
                    "the filter on %(column)s may be finer than its finest level, %(level)s, as its hierarchy "
                    "lists values, which users do not read",
                    column=quoted(use.column),
                    level=_level(level),
                )
                step = phrase(
                    "Take it out; the provider can register intervals or dates of the column, or a column with "
                    "its classes."
                )
            else:
                what = phrase(
                    "the filter on %(column)s is finer than its finest level, %(level)s",
                    column=quoted(use.column),
                    level=_level(level),
                )
                step = phrase("Filter by whole classes of that level: >= and < where one begins.")
            self.note("finest", use.path, what, step)

    def _filters(self) -> None:
        if not self.policy.filters.released_only:
            return
        released = {each.column.casefold(): each for each in self.used if each.role not in ("filter", "target")}
        for use in self._of("filter"):
            own = released.get(use.column.casefold())
            if own is None:
                self._not_released(use)
            elif own.role not in _AS_THEY_ARE and not self._at_released_levels(use.column, own):
                self._finer_than_released(use)

    def _finer_than_released(self, use: Use) -> None:
        what = phrase(
            "the filter on %(column)s is finer than a level at which it may be released", column=quoted(use.column)
        )
        step = phrase("Filter by whole classes of the coarsest level that is accepted (`to`), or take it out.")
        hierarchy = self._hierarchy_of(use.column)
        if hierarchy is not None and self._hides(hierarchy):
            what = phrase(
                "the filter on %(column)s may be finer than a level at which it is released, as its hierarchy "
                "lists values, which users do not read",
                column=quoted(use.column),
            )
            step = phrase(
                "Accept level 0 alone, or take the filter out; the provider can register intervals or dates of "
                "the column, or a column with its classes."
            )
        self.note("filters.released_only", use.path, what, step)

    def _borders(self) -> None:
        tree = filter_tree(self.where)
        if tree is None:
            return
        own = self.policy
        for _, *words in off_borders(tree, own.filters.borders, self.hierarchies, own.finest):
            self.note("filters.borders", ("where",), *words)

    def _not_released(self, use: Use) -> None:
        what = phrase("the filter uses %(column)s, which is not released", column=quoted(use.column))
        step = phrase("Release the column, or take it out of the filter.")
        self.note("filters.released_only", use.path, what, step)

    def _at_released_levels(self, column: str, own: Use) -> bool:
        hierarchy = self._hierarchy_of(column)
        if hierarchy is None:
            return self._decided_later(column)
        if own.role in ("within", "tabulated"):
            given = hierarchy.level_number(self._named_level(own)[1])
            return given is None or self._whole_classes(column, hierarchy, (given,))
        if own.role != "generalised":
            return False
        options = self.request.quasi_identifiers[own.column]
        finest = hierarchy.level_number(options.from_level)
        coarsest = hierarchy.top if options.to_level is None else hierarchy.level_number(options.to_level)
        if finest is None or coarsest is None:
            return True  # there is no such level, for which the request is refused
        return self._whole_classes(column, hierarchy, range(finest, coarsest + 1))

    def _hierarchy_name(self, column: str) -> str | None:
        """The hierarchy by which the request generalises a column."""
        for key in ("quasi_identifiers", "within", "tabulated"):
            fields = getattr(self.request, key, {})
            name = _named(column, fields)
            if name is not None:
                named: str | None = fields[name].hierarchy
                return named or (name if key == "tabulated" else None)
        return None

    def _hierarchy_of(self, column: str) -> Hierarchy | None:
        name = self._hierarchy_name(column)
        return None if name is None else self.hierarchies.get(name)

    def _decided_later(self, column: str) -> bool:
        """Whether the column has a hierarchy that is not given here."""
        name = self._hierarchy_name(column)
        return name is not None and name not in self.hierarchies

    def _hides(self, hierarchy: Hierarchy) -> bool:
        """Whether the answer tells nothing of what the hierarchy has in which class: a list is of persons' values."""
        return self.for_user and isinstance(hierarchy, ExplicitHierarchy)

    def _whole_classes(self, column: str, hierarchy: Hierarchy, levels: Iterable[int]) -> bool:
        if self._hides(hierarchy):
            return not any(levels)
        tree = filter_tree(self.where)
        return tree is None or is_union_of_classes(tree, column, hierarchy, levels)

    def _budget(self) -> None:
        """What a search may take is a scale, too: who chooses it finds after how many nodes something passes."""
        search = getattr(self.request, "search", None)
        if search is not None and search.budget is not None:
            what = phrase("the search of a submitted request has no budget of its own")
            self.note("search.budget", ("search", "budget"), what, phrase("Take budget out."))

    def _recipients(self, standing: Requester) -> None:
        if not self.policy.recipients:
            return
        terms = self.policy.recipients.get(standing.recipient)
        if terms is None:
            what = phrase(
                "the dataset %(dataset)s is not open to %(user)s",
                dataset=quoted(self.policy.dataset),
                user=quoted(standing.recipient),
            )
            self.note("recipients", (), what, phrase("Ask the provider to be named in its policy."))
            return
        if terms.k is not None and self.request.k < terms.k:
            least = f"{terms.k:,}"
            what = phrase(
                "k of %(k)s is below the least of %(user)s, %(least)s",
                k=format(self.request.k, ","),
                user=quoted(standing.recipient),
                least=least,
            )
            self.note("recipients.k", ("k",), what, phrase("Write a k of %(least)s or more.", least=least))
        if terms.columns is not None:
            for use in self.used:
                if _named(use.column, terms.columns) is None:
                    what = phrase(
                        "%(user)s may not use the column %(column)s",
                        user=quoted(standing.recipient),
                        column=quoted(use.column),
                    )
                    instead = phrase("Use %(columns)s alone.", columns=_listed(terms.columns))
                    self.note("recipients.columns", use.path, what, instead)
        if terms.requests is not None:
            self._within_quota("recipients.requests", standing, terms.requests, terms.per)

    def _quota(self, standing: Requester) -> None:
        if self.policy.quota is not None:
            self._within_quota("quota", standing, self.policy.quota.requests, self.policy.quota.per)

    def _refusals(self, standing: Requester) -> None:
        again = over_since(self.policy, standing)
        if again is not None:
            most, per = self.policy.refusals.most, PERIODS[self.policy.refusals.per]
            what = (
                phrase("the data may refuse %(n)s requests %(per)s, and so many were", n=format(most, ","), per=per)
                if most > 1
                else phrase("the data may refuse 1 request %(per)s, and so many were", per=per)
            )
            instead = phrase("Submit it after %(when)s, or ask the provider.", when=again.strftime(_MOMENT))
            self.note("refusals", (), what, instead)

    def _within_quota(self, rule: str, standing: Requester, most: int, per: Period) -> None:
        since = standing.now - days_of(per)
        made = sorted(each for each in standing.submitted if each > since)
        if len(made) < most:
            return
        again = made[len(made) - most] + days_of(per)
        what = (
            phrase("%(n)s requests %(per)s may be submitted, and so many were", n=format(most, ","), per=PERIODS[per])
            if most > 1
            else phrase("1 request %(per)s may be submitted, and so many were", per=PERIODS[per])
        )
        self.note(rule, (), what, phrase("Submit it after %(when)s.", when=again.strftime(_MOMENT)))

    def _terms(self, standing: Requester) -> None:
        wanted = self.policy.terms_hash
        if wanted is not None and wanted not in standing.accepted:
            what = phrase("the terms of the dataset are not accepted by %(user)s", user=quoted(standing.recipient))
            step = phrase("Read them (`ordermade policy show`), and accept them with --accept-terms.")
            self.note("terms", (), what, step)


def _from(level: int | str, hierarchy: Hierarchy, number: int, coarsest: int) -> str:
    """The correction of `from` and, where some level between is not coarser, of `to`: the greatest up to which all are.

    `number`: that of the level that is written.
    """
    if coarsest < number:
        return phrase("Write from: %(level)s, and take to out.", level=level)
    last = number
    while last < coarsest and hierarchy.order.refines(number, last + 1):
        last += 1
    if last == coarsest:
        return phrase("Write from: %(level)s.", level=level)
    return phrase("Write from: %(level)s, to: %(last)s.", level=level, last=hierarchy.levels[last].name)


def _not_at_finest(use: Use, level: int | str) -> tuple[str, str]:
    """What is wrong with a filter on a column that has a finest level and is not generalised, and what to do."""
    what = phrase(
        "the filter on %(column)s may be finer than its finest level, %(level)s",
        column=quoted(use.column),
        level=_level(level),
    )
    return what, phrase("Generalise the column, and filter by whole classes of that level; or take it out.")


def _coarser_alone(use: Use, level: int | str) -> str:
    """What is wrong with a column that a request has at a finer level than its finest."""
    return phrase(
        "%(column)s is released at the level %(level)s or coarser alone", column=quoted(use.column), level=_level(level)
    )


def _level(level: int | str) -> str:
    return quoted(level) if isinstance(level, str) else str(level)


_STRICTER_IF_GREATER = ("l",)
_STRICTER_IF_LESS = ("c", "t", "alpha")


def is_at_least(given: ModelPart, wanted: ModelPart) -> bool:
    """Whether a model is the one that is wanted, and at least as strict as it."""
    if given.model != wanted.model:
        return False
    own, other = given.model_dump(), wanted.model_dump()
    for key, value in other.items():
        if key in _STRICTER_IF_GREATER:
            holds = own[key] >= value
        elif key in _STRICTER_IF_LESS:
            holds = own[key] <= value
        elif key == "missing":
            holds = value in ("value", own[key])
        else:
            holds = own[key] == value
        if not holds:
            return False
    return True


def _written(model: ModelPart) -> str:
    """A model as a request writes it."""
    given = {"model": model.model, **model.model_dump(mode="json", exclude_defaults=True)}
    return "{" + ", ".join(f"{key}: {value}" for key, value in given.items()) + "}"
