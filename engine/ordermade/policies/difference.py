"""The difference of two policies, field by field: what gets stricter, what looser. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from ordermade.policies.amounts import days_of, length_of
from ordermade.policies.decision import is_at_least
from ordermade.policies.policy import Automatic, Policy, Quota, Recipient
from ordermade.policies.scales import SCALES
from ordermade.privacy.models import ModelPart
from ordermade.requests.mistakes import in_flow_style
from ordermade.requests.numbers import plain

Direction: TypeAlias = Literal["stricter", "looser", "other"]
"""Whether fewer requests keep a rule, more, or some others."""


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """A field of a policy that changed."""

    field: str
    """The field, as in `never.keep`."""
    before: str | None
    """As it was, as the file writes it; null: left out."""
    after: str | None
    """As it is; null: left out."""
    direction: Direction
    """Whether fewer requests keep it, more, or some others."""


def changes(before: Policy | None, after: Policy) -> tuple[PolicyChange, ...]:
    """Every field that differs, in the order of the file. `before`: None where no policy was in force.

    Without a policy, the rules are those of a policy that says nothing: one review is needed.
    """
    old = Policy(dataset=after.dataset) if before is None else before
    return tuple(_changes(old, after))


_Stricter: TypeAlias = Callable[[Any, Any], bool]
"""Whether the second is at least as strict as the first; neither is left out."""


def _more(one: Any, other: Any) -> bool:
    return bool(other >= one)


def _less(one: Any, other: Any) -> bool:
    return bool(other <= one)


def _fewer(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return set(other) <= set(one)


def _others(one: Any, other: Any) -> bool:
    return bool(one == other)


def _shorter(one: str, other: str) -> bool:
    return length_of(other) <= length_of(one)


def _rarer(one: Quota, other: Quota) -> bool:
    """Whether no more requests may be submitted in any time: no more in the same period, or in a longer one."""
    return other.requests <= one.requests and days_of(other.per) >= days_of(one.per)


def _models(one: Sequence[ModelPart], other: Sequence[ModelPart]) -> bool:
    return all(any(is_at_least(new, old) for new in other) for old in one)


def _change(
    field: str, before: Any, after: Any, stricter: _Stricter, *, absent: Direction = "looser"
) -> Iterator[PolicyChange]:
    """The change of a field; `absent`: what it is to leave it out."""
    if before == after:
        return
    added: Direction = "stricter" if absent == "looser" else "looser"
    direction: Direction
    if before is None or after is None:
        direction = added if before is None else absent
    else:
        up, down = stricter(before, after), stricter(after, before)
        direction = "other" if up == down else "stricter" if up else "looser"
    yield PolicyChange(field, _written(before), _written(after), direction)


def _changes(old: Policy, new: Policy) -> Iterator[PolicyChange]:
    yield from _change("k", old.k, new.k, _more)
    yield from _change("ks", old.ks or None, new.ks or None, _fewer)
    yield from _change("suppression", old.suppression, new.suppression, _less)
    for key in SCALES:
        yield from _change(f"scales.{key}", getattr(old.scales, key), getattr(new.scales, key), _fewer)
    yield from _by_name("models", old.models, new.models, _models)
    for key in ("ask", "keep", "filter"):
        one, other = getattr(old.never, key), getattr(new.never, key)
        yield from _change(f"never.{key}", one, other, lambda one, other: set(one) <= set(other))
    yield from _by_name("finest", old.finest, new.finest, _others)
    for key in ("persons", "apart", "values"):
        yield from _change(f"filters.{key}", getattr(old.filters, key), getattr(new.filters, key), _more)
    one, other = old.filters.confirmed, new.filters.confirmed
    yield from _change("filters.confirmed", one, other, lambda one, other: set(one) >= set(other))
    yield from _by_name("filters.borders", old.filters.borders, new.filters.borders, _others, absent="stricter")
    yield from _change("filters.released_only", old.filters.released_only, new.filters.released_only, _more)
    yield from _recipients(old.recipients, new.recipients)
    yield from _change("quota", old.quota, new.quota, _rarer)
    yield from _change("refusals", _refusals(old), _refusals(new), _rarer)
    yield from _change("forecasts", _forecasts(old), _forecasts(new), _rarer)
    yield from _change("terms", old.terms, new.terms, _others)
    yield from _change("reviews", old.reviews, new.reviews, _more)
    yield from _automatic(old.automatic, new.automatic)
    yield from _change("pools", old.pools, new.pools, _others)
    for key in ("breach", "undecided"):
        one, other = getattr(old.beside, key), getattr(new.beside, key)
        yield from _change(f"beside.{key}", one, other, lambda one, other: one == other or other == "refuse")
    yield from _change("beside.bits", old.beside.bits, new.beside.bits, _less)
    for key in ("cache", "releases", "requests"):
        yield from _change(f"retention.{key}", getattr(old.retention, key), getattr(new.retention, key), _shorter)
    yield from _change("expiry", old.expiry, new.expiry, _shorter)


def _by_name(
    field: str, old: Mapping[str, Any], new: Mapping[str, Any], stricter: _Stricter, *, absent: Direction = "looser"
) -> Iterator[PolicyChange]:
    for name in dict.fromkeys((*old, *new)):
        yield from _change(f"{field}.{name}", old.get(name), new.get(name), stricter, absent=absent)


def _recipients(old: Mapping[str, Recipient], new: Mapping[str, Recipient]) -> Iterator[PolicyChange]:
    """Where none is named everybody may ask; where some are, each one more is one more."""
    if bool(old) != bool(new):
        names = (", ".join(old) or None, ", ".join(new) or None)
        yield PolicyChange("recipients", *names, "looser" if old else "stricter")
        return
    for name in dict.fromkeys((*old, *new)):
        one, other, field = old.get(name), new.get(name), f"recipients.{name}"
        if one is None or other is None:
            yield from _change(field, one, other, _others, absent="stricter")
            continue
        yield from _change(f"{field}.k", one.k, other.k, _more)
        yield from _change(f"{field}.columns", one.columns, other.columns, _fewer)
        yield from _change(f"{field}.requests", _quota(one), _quota(other), _rarer)


def _quota(terms: Recipient) -> Quota | None:
    return None if terms.requests is None else Quota(requests=terms.requests, per=terms.per)


def _refusals(policy: Policy) -> Quota:
    return Quota(requests=policy.refusals.most, per=policy.refusals.per)


def _forecasts(policy: Policy) -> Quota:
    return Quota(requests=policy.forecasts.most, per=policy.forecasts.per)


def _automatic(old: Automatic | None, new: Automatic | None) -> Iterator[PolicyChange]:
    """Where there are no bounds nothing is approved without a review."""
    if old is None or new is None:
        yield from _change("automatic", old, new, _others, absent="stricter")
        return
    yield from _change("automatic.k", old.k, new.k, _more)
    yield from _change("automatic.suppression", old.suppression, new.suppression, _less)
    yield from _change("automatic.columns", old.columns, new.columns, _fewer)


def _written(value: Any) -> str | None:
    """A value as the file writes it."""
    return None if value is None else in_flow_style(_plain(value))


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return _plain(value.model_dump(mode="python", exclude_defaults=True))
    match value:
        case Mapping():
            return {key: _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case Decimal():
            return plain(value)
        case _:
            return value
