"""The values that requests may choose on scales: a list each, so that none is tried step by step. Pure.

Whether a request passes changes at one value of a scale: at the least class size, at the share of rows in small
classes, at the distance of some class. A user who may choose any value finds that figure by trying; a list bounds what
a user learns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field

from ordermade.phrases import phrase
from ordermade.policies.amounts import Share
from ordermade.requests.model import Part
from ordermade.requests.numbers import Alpha, Distance, Effective, Multiple, Risk, SamplingFraction, plain
from ordermade.requests.problems import FieldPath

_ONE_OR_MORE = Field(min_length=1)


def _decimals(*written: str) -> tuple[Decimal, ...]:
    return tuple(map(Decimal, written))


class Scales(Part):
    """The only values that requests may have on each scale but k, which has `ks`."""

    suppression: Annotated[tuple[Share, ...], _ONE_OR_MORE] = Field(
        default=_decimals("0", "0.01", "0.02", "0.05"),
        description="Suppression limits, up to the greatest, `suppression`, which is allowed as well.",
        examples=[["0 %", "1 %"]],
    )
    risks: Annotated[tuple[Risk, ...], _ONE_OR_MORE] = Field(
        default=_decimals("0.01", "0.02", "0.05", "0.1", "0.2"),
        description="The `highest` and the `average` of a risk. With `ks`, the class size that a highest risk asks for "
        "is one of these, too, or no greater than k.",
        examples=[[0.05, 0.1]],
    )
    sampling: Annotated[tuple[SamplingFraction, ...], _ONE_OR_MORE] = Field(
        default=_decimals("1"),
        description="The `sampling_fraction` of a risk: a fact of the dataset, which no user chooses.",
        examples=[[0.1]],
    )
    t: Annotated[tuple[Distance, ...], _ONE_OR_MORE] = Field(
        default=_decimals("0.1", "0.15", "0.2", "0.25", "0.3", "0.4", "0.5"),
        description="The t of `t_closeness`; those of `models` are allowed as well.",
        examples=[[0.2, 0.3]],
    )
    c: Annotated[tuple[Multiple, ...], _ONE_OR_MORE] = Field(
        default=_decimals("1", "2", "3", "4", "5"),
        description="The c of `recursive_cl`; those of `models` are allowed as well.",
        examples=[[2, 3]],
    )
    alpha: Annotated[tuple[Alpha, ...], _ONE_OR_MORE] = Field(
        default=_decimals("0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"),
        description="The alpha of `alpha_k`; those of `models` are allowed as well.",
        examples=[[0.5]],
    )
    l: Annotated[tuple[Effective, ...], _ONE_OR_MORE] = Field(  # noqa: E741
        default=_decimals("2", "3", "4", "5", "10"),
        description="The l of `distinct_l`, `entropy_l` and `recursive_cl`; those of `models` are allowed as well.",
        examples=[[2, 3]],
    )


SCALES: tuple[str, ...] = tuple(Scales.model_fields)
"""The scales by name."""
_OF_MODELS: Mapping[str, str] = {
    "t": phrase("a t"),
    "c": phrase("a c"),
    "alpha": phrase("an alpha"),
    "l": phrase("an l"),
}
_OF_RISKS: Mapping[str, str] = {"highest": phrase("a highest risk"), "average": phrase("an average risk")}

Deviation = tuple[str, FieldPath, str, str]
"""What a request has off a scale: the rule, the field, what is wrong, what to write instead."""


def suppression_limits(scales: Scales, greatest: Decimal | None) -> tuple[Decimal, ...]:
    """The suppression limits that requests may have, in order. `greatest`: the policy's own; None where it has none."""
    if greatest is None:
        return _ordered(scales.suppression)
    return _ordered([each for each in (*scales.suppression, greatest) if each <= greatest])


def deviations(
    scales: Scales, request: Any, greatest: Decimal | None, ks: Sequence[int], models: Mapping[str, Sequence[Any]]
) -> Iterator[Deviation]:
    """Everything that a request has off the scales. `greatest`, `ks` and `models` are the policy's beside them.

    A suppression limit above the greatest is left to the rule of that.
    """
    limit = getattr(request, "suppression_limit", None)
    if limit is not None and (greatest is None or limit <= greatest):
        yield from _off(
            "suppression",
            ("suppression_limit",),
            phrase("a suppression_limit"),
            limit,
            suppression_limits(scales, greatest),
        )
    risk = getattr(request, "risk", None)
    if risk is not None:
        yield from _risks(scales, risk, request.k, ks)
    for column, given in getattr(request, "sensitive", {}).items():
        for place, model in enumerate(given):
            for key, called in _OF_MODELS.items():
                value = getattr(model, key, None)
                if value is not None:
                    allowed = (*getattr(scales, key), *_of_policy(models, key))
                    yield from _off(key, ("sensitive", column, place, key), called, value, allowed)


def allowed_in_words(
    scales: Scales, request: Any, greatest: Decimal | None, models: Mapping[str, Sequence[Any]]
) -> Iterator[str]:
    """What a request may have on each scale that it uses: `t may be 0.1, 0.2`."""
    if hasattr(request, "suppression_limit"):
        yield f"suppression_limit may be {_listed(suppression_limits(scales, greatest))}"
    if getattr(request, "risk", None) is not None:
        yield f"a risk may be {_listed(scales.risks)}"
    given = [model for each in getattr(request, "sensitive", {}).values() for model in each]
    for key in _OF_MODELS:
        if any(getattr(model, key, None) is not None for model in given):
            yield f"{key} may be {_listed((*getattr(scales, key), *_of_policy(models, key)))}"


def _risks(scales: Scales, risk: Any, k: int, ks: Sequence[int]) -> Iterator[Deviation]:
    sampled = risk.sampling_fraction
    yield from _off("sampling", ("risk", "sampling_fraction"), phrase("a sampling_fraction"), sampled, scales.sampling)
    for key, called in _OF_RISKS.items():
        value = getattr(risk, key)
        if value is not None:
            yield from _off("risks", ("risk", key), called, value, scales.risks)
    if risk.highest is None or not ks:
        return
    size = math.ceil(Fraction(sampled) / Fraction(risk.highest))
    if size > k and size not in ks:
        what = phrase(
            "a highest risk of %(highest)s asks for classes of %(size)s, a k that is not allowed",
            highest=plain(risk.highest),
            size=format(size, ","),
        )
        yield "ks", ("risk", "highest"), what, phrase("Ask for classes of %(listed)s.", listed=_listed(ks))


def _of_policy(models: Mapping[str, Sequence[Any]], key: str) -> Iterator[Decimal]:
    for each in models.values():
        for model in each:
            value = getattr(model, key, None)
            if value is not None:
                yield Decimal(value)


def _off(name: str, path: FieldPath, called: str, value: Any, allowed: Iterable[Decimal]) -> Iterator[Deviation]:
    if value not in allowed:
        what = phrase(
            "%(called)s of %(value)s is not one of those that are allowed",
            called=called,
            value=plain(Decimal(value)),
        )
        yield f"scales.{name}", path, what, phrase("Write one of %(listed)s.", listed=_listed(allowed))


def _ordered(values: Iterable[Decimal]) -> tuple[Decimal, ...]:
    return tuple(sorted(set(values)))


def _listed(values: Iterable[int | Decimal]) -> str:
    return ", ".join(f"{each:,}" if isinstance(each, int) else plain(each) for each in sorted(set(values)))
