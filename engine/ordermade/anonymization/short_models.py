"""Models of sensitive columns in their short form, `distinct_l 3`, as a request writes them. Pure."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from ordermade.errors import InputError, UnknownName
from ordermade.privacy.models import MODELS, NO_VALUE

_NUMBER = re.compile(r"[0-9]{1,20}")
_FRACTION = re.compile(r"[0-9]{1,20}\.[0-9]{1,20}")
_WITH_MODEL = re.compile(
    r"(?P<column>[^\s\"][^:]*?|\"(?:[^\"]|\"\")+\")\s*:\s*(?P<model>[a-z_]+(?:\s+[^\s,]+)*)\s*", re.DOTALL
)
_DEFAULTS = {"distance": "equal"}
"""The parameters that a short form may leave out although a request names them."""


def short_model(text: str, *, where: str = "--sensitive") -> dict[str, Any]:
    """The model of a text such as `distinct_l 3`, `distinct_l 3 no value` or `t_closeness 0.2 ordered`.

    Its parameters stand in the order of the reference of request files. Raises InputError (UnknownName).
    """
    name, *given = text.split()
    if name not in MODELS:
        raise UnknownName("model", name, MODELS, where=where)
    known = MODELS[name].part.model_fields
    fields = [each for each in known if each not in ("model", "missing")]
    has_no_value = "missing" in known and given[-2:] == NO_VALUE.split()
    given = given[:-2] if has_no_value else given
    needed = [each for each in fields if known[each].is_required() and each not in _DEFAULTS]
    if not len(needed) <= len(given) <= len(fields):
        raise InputError(
            f"the model {name} takes {_listed(fields, needed)}",
            where=where,
            next_step=f"Write {' '.join([name, *('<' + each + '>' for each in needed)])} with numbers in their places.",
        )
    found: dict[str, Any] = {"model": name}
    found |= {each: _DEFAULTS[each] for each in fields if each in _DEFAULTS}
    found |= dict(zip(fields, map(_value, given), strict=False))
    return found | {"missing": NO_VALUE} if has_no_value else found


def column_and_model(text: str) -> tuple[str, str] | None:
    """The column and the model of `diagnosis: distinct_l 3`; None for a text without a model.

    A name with a colon, or that begins with a double quote, stands in double quotes, doubled within.
    """
    found = _WITH_MODEL.fullmatch(text)
    if found is None:
        return None
    column = found["column"]
    return (column[1:-1].replace('""', '"') if column.startswith('"') else column), found["model"]


def _value(text: str) -> Any:
    if _NUMBER.fullmatch(text):
        return int(text)
    return Decimal(text) if _FRACTION.fullmatch(text) else text


def _listed(fields: list[str], needed: list[str]) -> str:
    return ", ".join(each if each in needed else f"{each} (may be left out)" for each in fields)
