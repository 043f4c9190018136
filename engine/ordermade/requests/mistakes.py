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
        "string_type": "a text",
        "int_type": "a whole number",
        "bool_type": "true or false",
        "model_type": "a mapping",
        "model_attributes_type": "a mapping",
        "mapping_type": "a mapping",
        "dict_type": "a mapping",
        "tuple_type": "a list",
        "level_type": "the number or name of a level",
        "decimal_type": "a number",
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
        ("too_short", "quasi_identifiers"): ("is empty", "name at least one column, such as age: {hierarchy: age}"),
        ("too_long", "quasi_identifiers"): (
            f"has more than {MAX_QUASI_IDENTIFIERS} columns",
            "list fewer quasi-identifiers",
        ),
        ("too_short", "attributes"): ("is empty", "name at least one column, such as income: {}"),
        ("too_long", "attributes"): (f"has more than {MAX_ATTRIBUTES} columns", "list fewer attributes"),
        ("too_long", "within"): (f"has more than {MAX_ATTRIBUTES} columns", "list fewer"),
        ("too_long", "rows"): (f"has more than {MAX_DIMENSIONS} columns", "list fewer"),
        ("too_long", "columns"): (f"has more than {MAX_DIMENSIONS} columns", "list fewer"),
        ("too_long", "tables"): (f"has more than {MAX_TABLES} tables, or one of too many columns", "list fewer"),
        ("too_short", "cells"): ("is empty", "write for example count"),
        ("too_long", "cells"): (f"has more than {MAX_FIGURES} figures", "list fewer"),
        ("too_long", "publish"): (f"has more than {MAX_FIXED:,} cells", "list fewer"),
        ("too_long", "suppress"): (f"has more than {MAX_FIXED:,} cells", "list fewer"),
        ("too_short", "rules"): ("is empty", "write a rule, such as - {item: Magazine, when: {sex: male}}"),
        ("too_long", "rules"): (f"has more than {MAX_RULES:,} rules", "write fewer"),
        ("too_long", "sensitive"): (f"has more than {MAX_SENSITIVE} columns", "list fewer sensitive attributes"),
        ("too_short", "models"): ("is empty", f"write for example [{_A_MODEL}], or keep the column"),
        ("too_long", "models"): (f"has more than {MAX_MODELS} models", "list fewer"),
    }
)

_INSTEAD_OF: Mapping[str, str] = types.MappingProxyType(
    {
        "quasi_identifiers": "name the columns in attributes, or take method out",
        "attributes": "write method: microaggregation, or name the columns in quasi_identifiers",
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
        what, instead = f"is of method {' or '.join(methods)}", elsewhere.get(str(path[0]), _without(methods[0]))
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
    return f"take it out, or {'take method out' if method == DEFAULT_METHOD else f'write method: {method}'}"


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
        return "is missing", f"write for example {field}: {_example(path, part)}"
    if kind == "extra_forbidden":
        return f"there is no field {quoted(str(field))} here", did_you_mean(str(field), _fields(part))
    if kind == "literal_error":
        return no_choice(value, [str(choice) for choice in _choices(str(field), part)])
    if kind == "union_tag_invalid":
        return no_choice(value.get("model"), list(MODELS))
    if kind == "union_tag_not_found":
        return "model is missing", f"write for example {_A_MODEL}"
    if kind in ("too_short", "too_long"):
        return _LENGTHS.get((kind, str(field)), _LENGTHS[kind, "models"])
    if kind == "string_too_short":
        return "is empty", "write a name or take the field out"
    if kind in _KINDS:
        return f"expected {_KINDS[kind]}, not {described(value)}", _of_the_right_kind(kind, value, path, part)
    what, _, instead = details["msg"].partition("; ")
    return (what, instead) if instead else (what, f"write for example {_example(path, part)}")


def no_choice(value: Any, choices: list[str]) -> tuple[str, str]:
    """The mistake of a value that is none of the choices, and its correction."""
    hint = did_you_mean(value, choices) if isinstance(value, str) else ""
    near = hint if hint.startswith("Did") else ""
    return f"{described(value)} is not one of the choices", f"{near} write one of {', '.join(choices)}".strip()


def _of_the_right_kind(kind: str, value: Any, path: FieldPath, part: type[BaseModel] | None) -> str:
    """The same value in the right type, where one can be derived; else an example."""
    if kind == "int_type" and isinstance(value, str) and value.strip().isdecimal() and value.isascii():
        return f"write {value.strip().lstrip('0') or '0'} without quotes"
    if kind == "decimal_type" and isinstance(value, str) and _PLAIN_NUMBER.fullmatch(value.strip()):
        return f"write {value.strip()} without quotes"
    if kind == "int_type" and _is_short_number(value) and value == int(value) and not isinstance(value, bool):
        return f"write {int(value)}"
    if kind == "string_type" and _is_short_number(value):
        return f"write it in quotes: '{_yaml(value)}'"
    if kind == "level_type":
        return "write for example 1 or decade"
    if kind == "tuple_type" and isinstance(value, str):
        return f"write [{value}]" if len(value) <= 80 and path[0] != "sensitive" else "write it between [ and ]"
    if kind == "tuple_type" and isinstance(value, Mapping) and len(path) == 2:
        return f"write it between [ and ], such as [{_A_MODEL}]"
    if kind == "model_type" and path[:2] == _NUMBERS:
        return "write for example {unit: 0.01}"
    if len(path) == 2 and path[0] in _BY_COLUMN:
        named = isinstance(value, str) and 0 < len(value) <= 80
        if path[0] == "quasi_identifiers" or (named and path[0] == "attributes"):
            return f"write {{hierarchy: {value if named else path[1]}}}"
    return f"write for example {_example(path, part)}"


def _is_short_number(value: Any) -> TypeGuard[bool | int | float | Decimal]:
    return isinstance(value, (bool, int, float, Decimal)) and math.isfinite(value) and abs(Decimal(value)) < 10**15


def described(value: Any) -> str:
    """A short description of a value of the request file: its kind and, for a scalar, how it is written."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if isinstance(value, (bool, int, float, Decimal)):
        written = _yaml(value)
        return written if len(written) <= 30 else "a very large number"
    return "a list" if isinstance(value, (list, tuple)) else "a mapping"


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
