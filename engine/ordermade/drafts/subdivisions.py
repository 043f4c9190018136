"""Subdivisions of countries by ISO 3166-2: names and codes, with what they are part of."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType

import pycountry

from ordermade.drafts.territories import normal

CENSUS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "Northeast": {"New England": "CT ME MA NH RI VT", "Middle Atlantic": "NJ NY PA"},
        "Midwest": {"East North Central": "IL IN MI OH WI", "West North Central": "IA KS MN MO NE ND SD"},
        "South": {
            "South Atlantic": "DE DC FL GA MD NC SC VA WV",
            "East South Central": "AL KY MS TN",
            "West South Central": "AR LA OK TX",
        },
        "West": {"Mountain": "AZ CO ID MT NV NM UT WY", "Pacific": "AK CA HI OR WA"},
        "Island areas": {"Island areas": "AS GU MP PR UM VI"},
    }
)
"""The states of the United States by the divisions and regions of its Census Bureau."""


@cache
def _by_code() -> Mapping[str, tuple[str, str, str | None]]:
    """The country, the name and the parent's code of each subdivision, by its code."""
    return MappingProxyType(
        {each.code: (each.country_code, each.name, each.parent_code) for each in pycountry.subdivisions}
    )


@cache
def _by_name() -> Mapping[str, Mapping[str, str]]:
    """The code of each name, by country."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for code, (country, name, _) in _by_code().items():
        for each in (name, name.partition("[")[0]):
            found[normal(each)].setdefault(country, code)
    return found


@cache
def _states() -> Mapping[str, tuple[str, str]]:
    return MappingProxyType(
        {
            f"US-{state}": (division, region)
            for region, divisions in CENSUS.items()
            for division, states in divisions.items()
            for state in states.split()
        }
    )


def subdivisions(values: Iterable[str]) -> Mapping[str, str]:
    """The code of each value that is a subdivision: a whole code, else a name or a short code within one country."""
    listed = list(values)
    whole = {value: value.strip().upper() for value in listed if value.strip().upper() in _by_code()}
    if len(whole) * 2 > len(listed):
        return whole
    names = {value: found for value in listed if (found := _by_name().get(normal(value)))}
    countries = Counter(country for found in names.values() for country in found)
    best = {}
    if countries:
        country = min(countries, key=lambda each: (-countries[each], each != "US", each))
        best = {value: found[country] for value, found in names.items() if country in found}
    states = {value: code for value in listed if (code := f"US-{value.strip().upper()}") in _states()}
    return states if len(states) > len(best) else best


def parts_of(code: str) -> tuple[str, ...]:
    """The names of what a subdivision is part of, the smallest first: of a state its division and its region."""
    if code in _states():
        return _states()[code]
    _, _, parent = _by_code()[code]
    return (_by_code()[parent][1].partition(" [")[0],) if parent is not None and parent in _by_code() else ()


def country_of(code: str) -> str:
    """The code of the country of a subdivision."""
    return _by_code()[code][0]
