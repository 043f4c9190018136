"""What pydantic finds wrong with a request, told in words: what is wrong and what to write instead."""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ordermade.errors import did_you_mean, quoted
from ordermade.requests.model import InlineDataset, QuasiIdentifier, Release, Request, Search, SourceTable
from ordermade.requests.problems import FieldPath, Problem

_TAGGED: tuple[FieldPath, ...] = (("dataset",), ("release", "to"))
"""Fields that are a text or a mapping: pydantic puts the tag of the alternative after them in its paths."""

_PARTS: Mapping[str, type[BaseModel]] = types.MappingProxyType(
    {
        "": Request,
        "dataset": InlineDataset,
        "quasi_identifiers.*": QuasiIdentifier,
        "search": Search,
        "release": Release,
        "release.to": SourceTable,
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
    }
)


def problems_of(error: ValidationError, lines: Mapping[FieldPath, int]) -> list[Problem]:
    """One problem a mistake, with the line of the field, or of the part that lacks it."""
    return [_problem(details, lines) for details in error.errors(include_url=False)]


def _problem(details: ErrorDetails, lines: Mapping[FieldPath, int]) -> Problem:
    path = _without_tags(details["loc"])
    what, instead = _words(details, path)
    line = next((lines[path[:end]] for end in range(len(path), -1, -1) if path[:end] in lines), 0)
    return Problem(what, instead, path, line)


def _without_tags(loc: tuple[int | str, ...]) -> FieldPath:
    path = tuple(part for part in loc if part != "[key]")
    for field in _TAGGED:
        if path[: len(field)] == field and len(path) > len(field):
            path = (*field, *path[len(field) + 1 :])
    return path


def _words(details: ErrorDetails, path: FieldPath) -> tuple[str, str]:
    """What is wrong, and what to write instead."""
    kind, value = details["type"], details["input"]
    field = path[-1] if path else ""
    if kind == "missing":
        return "is missing", f"write for example {field}: {_example(path)}"
    if kind == "extra_forbidden":
        fields = _fields(path[:-1])
        return f"there is no field {quoted(str(field))} here", did_you_mean(str(field), fields)
    if kind == "literal_error":
        choices = [str(choice) for choice in _choices(path)]
        hint = did_you_mean(value, choices) if isinstance(value, str) else ""
        near = hint if hint.startswith("Did") else ""
        return (
            f"{described(value)} is not one of the choices",
            f"{near} write one of {', '.join(choices)}".strip(),
        )
    if kind == "too_short":
        return "is empty", "name at least one column, such as age: {hierarchy: age}"
    if kind == "too_long":
        return "has more than 60 columns", "ask for fewer quasi-identifiers"
    if kind == "string_too_short":
        return "is empty", "write a name or take the field out"
    if kind in _KINDS:
        return f"expected {_KINDS[kind]}, not {described(value)}", _of_the_right_kind(kind, value, path)
    what, _, instead = details["msg"].partition("; ")
    return (what, instead) if instead else (what, f"write for example {_example(path)}")


def _of_the_right_kind(kind: str, value: Any, path: FieldPath) -> str:
    """The same value as it should be written, where that can be told; else an example."""
    if kind == "int_type" and isinstance(value, str) and value.strip().isdecimal() and value.isascii():
        return f"write {value.strip().lstrip('0') or '0'} without quotes"
    if kind == "int_type" and isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"write {int(value)}"
    if kind == "string_type" and isinstance(value, (bool, int, float)) and abs(value) < 1e15:
        return f"write it in quotes: '{_yaml(value)}'"
    if kind == "level_type":
        return "write for example 1 or decade"
    if kind == "tuple_type" and isinstance(value, str):
        return f"write [{value}]" if len(value) <= 80 else "write it between [ and ]"
    if path[:1] == ("quasi_identifiers",) and len(path) > 1:
        name = value if isinstance(value, str) and 0 < len(value) <= 80 else path[1]
        return f"write {{hierarchy: {name}}}" if len(path) == 2 else f"write for example {_example(path)}"
    return f"write for example {_example(path)}"


def described(value: Any) -> str:
    """A short description of a value of the request file: its kind and, for a scalar, how it is written."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if isinstance(value, (bool, int, float)):
        written = _yaml(value)
        return written if len(written) <= 30 else "a very large number"
    return "a list" if isinstance(value, (list, tuple)) else "a mapping"


def _yaml(value: bool | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _part(path: FieldPath) -> type[BaseModel] | None:
    """The model of the mapping at `path`."""
    if path[:1] == ("quasi_identifiers",) and len(path) == 2:
        return _PARTS["quasi_identifiers.*"]
    return _PARTS.get(".".join(str(part) for part in path))


def _fields(path: FieldPath) -> dict[str, Any]:
    """The declared fields, by their keys in the file, of the mapping at `path`."""
    part = _part(path)
    if part is None:
        return {}
    return {field.alias or name: field for name, field in part.model_fields.items()}


def _example(path: FieldPath) -> str:
    field = _fields(path[:-1]).get(str(path[-1])) if path else None
    if field is None or not field.examples:
        return "name"
    return in_flow_style(field.examples[0])


def _choices(path: FieldPath) -> tuple[str, ...]:
    """The literal values that a field takes."""
    annotation = _fields(path[:-1])[str(path[-1])].annotation
    found = get_args(annotation)
    return next((get_args(each) for each in found if get_args(each)), found)


def in_flow_style(example: Any) -> str:
    """A value as it is written in YAML's flow style."""
    if isinstance(example, Mapping):
        return "{" + ", ".join(f"{key}: {in_flow_style(value)}" for key, value in example.items()) + "}"
    if isinstance(example, list):
        return "[" + ", ".join(in_flow_style(item) for item in example) + "]"
    return example if isinstance(example, str) else json.dumps(example)
