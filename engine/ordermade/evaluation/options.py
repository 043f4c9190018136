"""The options of a judgement, and the roles of the columns by these options or the manifest beside the release."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from ordermade.catalogue.any_table import column_named
from ordermade.errors import InputError, UnknownName, quoted
from ordermade.release.files import manifest_of, read_manifest
from ordermade.requests.history import HistoryRequest
from ordermade.requests.read import read_mapping

BY_ROWS = "rows"
"""The map of a release that has a row for every row of its original, in the same order."""


@dataclass(frozen=True, slots=True)
class JudgementOptions:
    """The options of a judgement.

    `map`: the path of the map, or `BY_ROWS`. Columns that are None are those of the manifest beside the release.
    `units`: by column of numbers. `price` and `quantity`: None means the first and the second of the numbers.
    `taxonomy`: a hierarchy file, where the release names classes of items; `level`: by number or name. `attacks`:
    whether any are run; `attempts`: how many customers each tries to find (None: all released); `seed`: where chance
    starts, which picks these customers and decides between equals.
    """

    map: str
    customer: str | None = None
    when: str | None = None
    item: str | None = None
    numbers: Sequence[str] | None = None
    units: Mapping[str, Decimal] = field(default_factory=dict)
    pseudonym: str | None = None
    price: str | None = None
    quantity: str | None = None
    taxonomy: Path | None = None
    level: int | str | None = None
    attacks: bool = True
    attempts: int | None = None
    seed: int = 1


@dataclass(frozen=True, slots=True)
class ManifestRoles:
    """The roles of columns according to the manifest beside a release."""

    customer: str
    when: str
    item: str
    numbers: tuple[str, ...]
    units: Mapping[str, Decimal]
    pseudonym: str | None
    level: int | str | None


@dataclass(frozen=True, slots=True)
class JudgedRoles:
    """The columns of the original by role, as stored; `units` of the numbers, None where derived from the values."""

    customer: str
    when: str
    item: str
    numbers: tuple[str, ...]
    units: tuple[Decimal | None, ...]

    @property
    def released(self) -> tuple[str, ...]:
        """The columns that the release has too: days, items, numbers."""
        return (self.when, self.item, *self.numbers)


def roles_in_manifest(release: str) -> ManifestRoles | None:
    """The roles in the manifest beside the file `release`; None where there is none, or none of a history.

    Raises ReleaseFault where it is damaged.
    """
    path = Path(release).expanduser()
    if not path.is_file() or not manifest_of(path).is_file():
        return None
    request = _history_of(read_manifest(path).get("request"))
    if request is None:
        return None
    options = request.history
    return ManifestRoles(
        customer=options.customer,
        when=options.when,
        item=options.item,
        numbers=tuple(name for name, _ in options.number_options),
        units={name: each.unit for name, each in options.number_options if each.unit is not None},
        pseudonym=request.release.pseudonym,
        level=None if options.items is None else options.items.level,
    )


def _history_of(request: Any) -> HistoryRequest | None:
    if not isinstance(request, Mapping):
        return None
    try:
        read = read_mapping(_with_numeric_units(request))
    except (InputError, InvalidOperation):  # of another version of the engine: then the options say it
        return None
    return read.request if isinstance(read.request, HistoryRequest) else None


def _with_numeric_units(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """The request of a manifest with its units as numbers: there they are texts, so that they stay exact."""
    history = request.get("history")
    numbers = history.get("numbers") if isinstance(history, Mapping) else None
    if not isinstance(history, Mapping) or not isinstance(numbers, Mapping):
        return request
    read = {
        name: {"unit": Decimal(each["unit"])}
        if isinstance(each, Mapping) and isinstance(each.get("unit"), str)
        else each
        for name, each in numbers.items()
    }
    return {**request, "history": {**history, "numbers": read}}


def roles_of(wanted: JudgementOptions, manifest: ManifestRoles | None, columns: Sequence[str]) -> JudgedRoles:
    """The columns of the original, `columns`, by their roles.

    Raises InputError for a role without a column, or a column with two roles; UnknownName for a column that does not
    exist.
    """
    named = {
        "--customer": wanted.customer or (manifest.customer if manifest else None),
        "--when": wanted.when or (manifest.when if manifest else None),
        "--item": wanted.item or (manifest.item if manifest else None),
    }
    missing = [option for option, name in named.items() if name is None]
    if missing:
        raise InputError(
            "no manifest of a history stands beside the release, so the roles of the columns are unknown",
            where=", ".join(missing),
            next_step="Name the columns: --customer, --when, --item and, where there are any, --numbers.",
        )
    requested = [(option, str(name)) for option, name in named.items()]
    numbers = wanted.numbers if wanted.numbers is not None else (manifest.numbers if manifest else ())
    requested += [("--numbers", name) for name in numbers]
    found: dict[str, str] = {}
    for option, name in requested:
        column = column_named(option, name, columns)
        if column in found:
            also = "twice" if found[column] == option else f"in {found[column]} too"
            raise InputError(
                f"{quoted(column)} is named {also}", where=option, next_step="A column has one role in a judgement."
            )
        found[column] = option
    customer, when, item, *listed = found
    return JudgedRoles(customer, when, item, tuple(listed), _units(wanted, manifest, listed))


def _units(
    wanted: JudgementOptions, manifest: ManifestRoles | None, numbers: Sequence[str]
) -> tuple[Decimal | None, ...]:
    units: dict[str, Decimal] = {}
    for name, unit in (manifest.units if manifest else {}).items():
        with contextlib.suppress(UnknownName):  # a number that is not judged
            units[column_named("--numbers", name, numbers)] = unit
    for name, unit in wanted.units.items():
        units[column_named("--unit", name, numbers)] = unit
    return tuple(units.get(name) for name in numbers)


def pseudonym_of(
    wanted: JudgementOptions, manifest: ManifestRoles | None, roles: JudgedRoles, columns: Sequence[str]
) -> str:
    """The column of pseudonyms among the `columns` of the release. Raises UnknownName, InputError."""
    if wanted.pseudonym is not None:
        return column_named("--pseudonym", wanted.pseudonym, columns)
    known = [manifest.pseudonym if manifest else None, roles.customer, "customer"]
    for name in known:
        if name is not None and name in columns:
            return name
    others = [each for each in columns if each not in roles.released]
    if len(others) == 1:
        return others[0]
    raise InputError(
        "which column of the release has the pseudonyms is not known",
        where="--pseudonym",
        next_step=f"Name one of {', '.join(quoted(each) for each in others)}." if others else "It has no other column.",
    )


def sold_by(wanted: JudgementOptions, numbers: Sequence[str]) -> tuple[int | None, int | None]:
    """The places of price and quantity among the numbers, from 1; None for one that is not there.

    Raises UnknownName for a name that is none of the numbers, InputError where both are one column.
    """
    price = _place("--price", wanted.price, numbers, 1)
    quantity = _place("--quantity", wanted.quantity, numbers, 2)
    if price is not None and price == quantity:
        raise InputError(
            "price and quantity are one column",
            where="--quantity",
            next_step="Name them apart, or add the other to --numbers.",
        )
    return price, quantity


def _place(option: str, name: str | None, numbers: Sequence[str], default: int) -> int | None:
    if name is None:
        return default if len(numbers) > 1 else None
    try:
        return numbers.index(column_named(option, name, numbers)) + 1
    except UnknownName as error:
        raise UnknownName("number", name, numbers, where=option, next_step="Name it in --numbers too.") from error
