"""Pydantic's validation errors in words: the mistake and its correction."""

from __future__ import annotations

import json
import math
import re
import types
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, TypeGuard, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ordermade.errors import did_you_mean, quoted
from ordermade.phrases import any_of, joined, phrase
from ordermade.privacy.models import MODELS
from ordermade.requests.generalization import (
    MAX_MODELS,
    MAX_QUASI_IDENTIFIERS,
    MAX_SENSITIVE,
    LocalRecoding,
    QuasiIdentifier,
    Risks,
    Search,
)
from ordermade.requests.history import History, HistoryRequest, ItemOptions, NumberOptions
from ordermade.requests.methods import DEFAULT_METHOD, of_other_methods
from ordermade.requests.microaggregation import MAX_ATTRIBUTES, AttributeOptions, Budget, Microaggregation, Within
from ordermade.requests.model import CsvOptions, InlineDataset, Release, Request, SourcePath, SourceTable
from ordermade.requests.mondrian import Mondrian, MondrianRequest, SplitOptions
from ordermade.requests.numbers import MAX_RULES
from ordermade.requests.problems import FieldPath, RequestProblem
from ordermade.requests.table import (
    MAX_DIMENSIONS,
    MAX_FIGURES,
    MAX_FIXED,
    MAX_TABLES,
    Dominance,
    IntervalFiles,
    LinkedTable,
    Tabulated,
)

_NUMBERS: FieldPath = ("history", "numbers")
_TAGGED: tuple[FieldPath, ...] = (("dataset",), ("release", "to"), ("recoding",), _NUMBERS)
"""Fields that are a text or a mapping: pydantic puts the tag of the alternative after them in its paths."""

_MODEL = 3
"""The position of the tag of a privacy model in pydantic's paths: sensitive, column, position, tag."""

_BY_COLUMN = ("quasi_identifiers", "attributes", "within", "dimensions")
"""Fields that map columns, each to a mapping of the same keys."""

_PARTS: Mapping[str, type[BaseModel]] = types.MappingProxyType(
    {
        "dataset": InlineDataset,
        "quasi_identifiers.*": QuasiIdentifier,
        "attributes.*": AttributeOptions,
        "within.*": Within,
        "dimensions.*": Tabulated,
        "tables.*": LinkedTable,
        "dominance": Dominance,
        "intervals": IntervalFiles,
        "microaggregation": Microaggregation,
        "microaggregation.budget": Budget,
        "mondrian": Mondrian,
        "history": History,
        "history.items": ItemOptions,
        "risk": Risks,
        "search": Search,
        "release": Release,
        "release.csv": CsvOptions,
        "release.to": SourceTable,
        "recoding": LocalRecoding,
    }
)
_KINDS: Mapping[str, str] = types.MappingProxyType(
    {
        "string_type": phrase("a text"),
        "int_type": phrase("a whole number"),
        "bool_type": phrase("true or false"),
        "model_type": phrase("a mapping"),
        "model_attributes_type": phrase("a mapping"),
        "mapping_type": phrase("a mapping"),
        "dict_type": phrase("a mapping"),
        "tuple_type": phrase("a list"),
        "level_type": phrase("the number or name of a level"),
        "decimal_type": phrase("a number"),
    }
)


_PLAIN_NUMBER = re.compile(r"[0-9]{1,20}(\.[0-9]{1,20})?")
_A_MODEL = "{model: distinct_l, l: 3}"
_EXAMPLES_WITHIN: Mapping[tuple[FieldPath, int], str] = types.MappingProxyType(
    {
        (("sensitive",), 2): f"[{_A_MODEL}]",
        (("sensitive",), 3): _A_MODEL,
        (("search", "weights"), 3): "2",
        (("attributes",), 2): "{weight: 2}",
        (("within",), 2): "{hierarchy: prefecture, level: 2}",
        (("rules",), 2): "{item: Magazine, when: {sex: male}}",
    }
)
"""Examples for parts without a field of their own, by the field around them and the length of their path."""

_LENGTHS: Mapping[tuple[str, str], tuple[str, str]] = types.MappingProxyType(
    {
        ("too_short", "quasi_identifiers"): (
            phrase("is empty"),
            phrase("name at least one column, such as age: {hierarchy: age}"),
        ),
        ("too_long", "quasi_identifiers"): (
            phrase("has more than %(most)s columns", most=MAX_QUASI_IDENTIFIERS),
            phrase("list fewer quasi-identifiers"),
        ),
        ("too_short", "attributes"): (phrase("is empty"), phrase("name at least one column, such as income: {}")),
        ("too_long", "attributes"): (
            phrase("has more than %(most)s columns", most=MAX_ATTRIBUTES),
            phrase("list fewer attributes"),
        ),
        ("too_long", "within"): (phrase("has more than %(most)s columns", most=MAX_ATTRIBUTES), phrase("list fewer")),
        ("too_long", "rows"): (phrase("has more than %(most)s columns", most=MAX_DIMENSIONS), phrase("list fewer")),
        ("too_long", "columns"): (phrase("has more than %(most)s columns", most=MAX_DIMENSIONS), phrase("list fewer")),
        ("too_long", "tables"): (
            phrase("has more than %(most)s tables, or one of too many columns", most=MAX_TABLES),
            phrase("list fewer"),
        ),
        ("too_short", "cells"): (phrase("is empty"), phrase("write for example count")),
        ("too_long", "cells"): (phrase("has more than %(most)s figures", most=MAX_FIGURES), phrase("list fewer")),
        ("too_long", "publish"): (
            phrase("has more than %(most)s cells", most=format(MAX_FIXED, ",")),
            phrase("list fewer"),
        ),
        ("too_long", "suppress"): (
            phrase("has more than %(most)s cells", most=format(MAX_FIXED, ",")),
            phrase("list fewer"),
        ),
        ("too_short", "rules"): (
            phrase("is empty"),
            phrase("write a rule, such as - {item: Magazine, when: {sex: male}}"),
        ),
        ("too_long", "rules"): (
            phrase("has more than %(most)s rules", most=format(MAX_RULES, ",")),
            phrase("write fewer"),
        ),
        ("too_long", "sensitive"): (
            phrase("has more than %(most)s columns", most=MAX_SENSITIVE),
            phrase("list fewer sensitive attributes"),
        ),
        ("too_short", "models"): (
            phrase("is empty"),
            phrase("write for example %(example)s, or keep the column", example=f"[{_A_MODEL}]"),
        ),
        ("too_long", "models"): (phrase("has more than %(most)s models", most=MAX_MODELS), phrase("list fewer")),
    }
)

_INSTEAD_OF: Mapping[str, str] = types.MappingProxyType(
    {
        "quasi_identifiers": phrase("name the columns in attributes, or take method out"),
        "attributes": phrase("write method: microaggregation, or name the columns in quasi_identifiers"),
    }
)
"""Corrections for a key of another method that names columns, where the columns have a place; none in a history."""


def problems_of(error: ValidationError, lines: Mapping[FieldPath, int], kind: type[Request]) -> list[RequestProblem]:
    """One problem a mistake of a request of that kind, with the line of the field, or of the part that lacks it."""
    return [_problem(details, lines, kind) for details in mistakes_in(error)]


def mistakes_in(error: ValidationError) -> list[ErrorDetails]:
    """The mistakes that pydantic found, without the repeated "too short" of a list whose every item is wrong."""
    found = error.errors(include_url=False)
    return [details for details in found if details["type"] != "too_short" or not details["input"]]


def _problem(details: ErrorDetails, lines: Mapping[FieldPath, int], kind: type[Request]) -> RequestProblem:
    path = _without_tags(details["loc"])
    methods = of_other_methods(str(path[0]), kind) if details["type"] == "extra_forbidden" and len(path) == 1 else ()
    if methods:
        elsewhere = {} if kind is HistoryRequest else _INSTEAD_OF
        what: str = phrase("is of method %(methods)s", methods=any_of(methods))
        instead = elsewhere.get(str(path[0]), _without(methods[0]))
    else:
        what, instead = words_of(details, path, _part_of(details["loc"], kind))
    line = next((lines[path[:end]] for end in range(len(path), -1, -1) if path[:end] in lines), 0)
    return RequestProblem(what, instead, path, line)


def _without_tags(loc: tuple[int | str, ...]) -> FieldPath:
    path = tuple(part for part in loc if part != "[key]")
    for field in _TAGGED:
        if path[: len(field)] == field and len(path) > len(field):
            path = (*field, *path[len(field) + 1 :])
    if path[:1] == ("sensitive",) and len(path) > _MODEL:
        path = (*path[:_MODEL], *path[_MODEL + 1 :])
    return path


def _without(method: str) -> str:
    """The correction for a key of that method."""
    if method == DEFAULT_METHOD:
        return phrase("take it out, or take method out")
    return phrase("take it out, or write method: %(method)s", method=method)


def _part_of(loc: tuple[int | str, ...], kind: type[Request]) -> type[BaseModel] | None:
    """The model of the mapping that has the field at `loc`, in a request of that kind."""
    if loc[:1] == ("sensitive",) and len(loc) > _MODEL:
        named = MODELS.get(str(loc[_MODEL]))
        return None if named is None else named.part
    if loc[:3] == ("release", "to", "path"):  # the tag of the alternative
        return SourcePath
    path = _without_tags(loc)[:-1]
    return _part(path, kind) if path else kind


def words_of(details: ErrorDetails, path: FieldPath, part: type[BaseModel] | None) -> tuple[str, str]:
    """The mistake in the field at `path`, one of those of `part`, and its correction."""
    kind, value = details["type"], details["input"]
    field = path[-1] if path else ""
    if kind == "missing":
        return phrase("is missing"), phrase("write for example %(example)s", example=f"{field}: {_example(path, part)}")
    if kind == "extra_forbidden":
        what = phrase("there is no field %(field)s here", field=quoted(str(field)))
        return what, did_you_mean(str(field), _fields(part))
    if kind == "literal_error":
        return no_choice(value, [str(choice) for choice in _choices(str(field), part)])
    if kind == "union_tag_invalid":
        return no_choice(value.get("model"), list(MODELS))
    if kind == "union_tag_not_found":
        return phrase("model is missing"), phrase("write for example %(example)s", example=_A_MODEL)
    if kind in ("too_short", "too_long"):
        return _LENGTHS.get((kind, str(field)), _LENGTHS[kind, "models"])
    if kind == "string_too_short":
        return phrase("is empty"), phrase("write a name or take the field out")
    if kind in _KINDS:
        what = phrase("expected %(kind)s, not %(value)s", kind=_KINDS[kind], value=described(value))
        return what, _of_the_right_kind(kind, value, path, part)
    own = details.get("ctx", {})
    if "what" in own:
        return own["what"], own["instead"] or _for_example(path, part)
    found, _, correction = details["msg"].partition("; ")
    return found, correction or _for_example(path, part)


def _for_example(path: FieldPath, part: type[BaseModel] | None) -> str:
    return phrase("write for example %(example)s", example=_example(path, part))


def no_choice(value: Any, choices: list[str]) -> tuple[str, str]:
    """The mistake of a value that is none of the choices, and its correction."""
    hint = did_you_mean(value, choices) if isinstance(value, str) else ""
    near = hint if hint.startswith("Did") else ""
    what = phrase("%(value)s is not one of the choices", value=described(value))
    return what, joined(near, phrase("write one of %(listed)s", listed=", ".join(choices)))


def _of_the_right_kind(kind: str, value: Any, path: FieldPath, part: type[BaseModel] | None) -> str:
    """The same value in the right type, where one can be derived; else an example."""
    if kind == "int_type" and isinstance(value, str) and value.strip().isdecimal() and value.isascii():
        return phrase("write %(value)s without quotes", value=value.strip().lstrip("0") or "0")
    if kind == "decimal_type" and isinstance(value, str) and _PLAIN_NUMBER.fullmatch(value.strip()):
        return phrase("write %(value)s without quotes", value=value.strip())
    if kind == "int_type" and _is_short_number(value) and value == int(value) and not isinstance(value, bool):
        return phrase("write %(value)s", value=int(value))
    if kind == "string_type" and _is_short_number(value):
        return phrase("write it in quotes: '%(value)s'", value=_yaml(value))
    if kind == "level_type":
        return phrase("write for example 1 or decade")
    if kind == "tuple_type" and isinstance(value, str):
        is_short = len(value) <= 80 and path[0] != "sensitive"
        return phrase("write %(value)s", value=f"[{value}]") if is_short else phrase("write it between [ and ]")
    if kind == "tuple_type" and isinstance(value, Mapping) and len(path) == 2:
        return phrase("write it between [ and ], such as %(example)s", example=f"[{_A_MODEL}]")
    if kind == "model_type" and path[:2] == _NUMBERS:
        return phrase("write for example %(example)s", example="{unit: 0.01}")
    if len(path) == 2 and path[0] in _BY_COLUMN:
        named = isinstance(value, str) and 0 < len(value) <= 80
        if path[0] == "quasi_identifiers" or (named and path[0] == "attributes"):
            return phrase("write %(value)s", value=f"{{hierarchy: {value if named else path[1]}}}")
    return _for_example(path, part)


def _is_short_number(value: Any) -> TypeGuard[bool | int | float | Decimal]:
    return isinstance(value, (bool, int, float, Decimal)) and math.isfinite(value) and abs(Decimal(value)) < 10**15


def described(value: Any) -> str:
    """A short description of a value of the request file: its kind and, for a scalar, how it is written."""
    if value is None:
        return phrase("nothing")
    if isinstance(value, str):
        return phrase("the text %(value)s", value=quoted(value))
    if isinstance(value, (bool, int, float, Decimal)):
        written = _yaml(value)
        return written if len(written) <= 30 else phrase("a very large number")
    return phrase("a list") if isinstance(value, (list, tuple)) else phrase("a mapping")


def _yaml(value: bool | int | float | Decimal) -> str:
    return str(value if math.isfinite(value) else float(value)).lower()


def _part(path: FieldPath, kind: type[Request]) -> type[BaseModel] | None:
    """The model of the mapping at `path`, in a request of that kind."""
    if kind is MondrianRequest and len(path) == 2 and path[0] == "quasi_identifiers":
        return SplitOptions
    if len(path) == 2 and path[0] in (*_BY_COLUMN, "tables"):
        return _PARTS[f"{path[0]}.*"]
    if path[:2] == _NUMBERS and len(path) > 2:
        return NumberOptions
    return _PARTS.get(".".join(str(part) for part in path))


def _fields(part: type[BaseModel] | None) -> dict[str, Any]:
    """The declared fields of a mapping, by their keys in the file."""
    if part is None:
        return {}
    return {field.alias or name: field for name, field in part.model_fields.items()}


def _example(path: FieldPath, part: type[BaseModel] | None) -> str:
    field = _fields(part).get(str(path[-1])) if path else None
    if field is None or not field.examples:
        return _EXAMPLES_WITHIN.get((path[:-1] if path[:1] == ("search",) else path[:1], len(path)), "name")
    return in_flow_style(field.examples[0])


def _choices(field: str, part: type[BaseModel] | None) -> tuple[str, ...]:
    """The literal values that a field takes."""
    found = get_args(_fields(part)[field].annotation)
    while not all(isinstance(each, str) for each in found):  # the first of what it may be, and within `Annotated`
        found = next(get_args(each) for each in found if get_args(each))
    return found


def in_flow_style(example: Any) -> str:
    """A value as it is written in YAML's flow style."""
    if isinstance(example, Mapping):
        return "{" + ", ".join(f"{key}: {in_flow_style(value)}" for key, value in example.items()) + "}"
    if isinstance(example, list):
        return "[" + ", ".join(in_flow_style(item) for item in example) + "]"
    return example if isinstance(example, str) else json.dumps(example)
