"""Type checks of the arguments of the library's public functions: messages name types only."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import numbers
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar, cast

from ordermade.errors import InputError, quoted

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")
Kind = TypeVar("Kind", bound=type)

_POLICY = "Policy | Path | str | Mapping[str, Any]"
_REQUEST = "ReadRequest | Path | str | Mapping"
_ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "RequestLike": _REQUEST,
        "PolicyLike": _POLICY,
        "Style": "str",
        "OnInterrupt": "str",
        "Listener": "Callable",
        "Audience": "str",
        "CalledMethod": "str",
        "HierarchyForm": "str",
        "SweptMethod": "str",
        "Frame": "object",
        "Progress": "object",
        "Numbers": "str",
        "ModelTask": "str",
        "Objective": "str",
        "Shape": "str",
        "OutputEncoding": "str",
        "MissingValues": "str",
        "ReadingLike": "Mapping[str, Any] | ReadingOptions",
    }
    | {"Sensitive": "Iterable[str] | Mapping[str, Any]", "ReportableRelease": "Result"}
)
_MEANT: Mapping[str, str] = MappingProxyType(
    {
        "str": "a text",
        "Path": "a path",
        "int": "a whole number",
        "float": "a number",
        "Decimal": "a Decimal",
        "bool": "True or False",
        "datetime": "a datetime",
        "date": "a date",
        "None": "None",
        "Sequence": "a list",
        "Collection": "a list",
        "Iterable": "a list",
        "Mapping": "a mapping",
        "Callable": "a function",
        "ReadRequest": "a request as read",
    }
)
"""The plain words for each word of an annotation; a word that is not listed is a class, by its name."""


def typed(function: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """The function, its arguments checked against its annotations: an InputError names the argument and its type."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def called(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Answer:
        for name, given in signature.bind(*args, **kwargs).arguments.items():
            if name != "self" and signature.parameters[name].kind is not inspect.Parameter.VAR_KEYWORD:
                require_type(name, given, str(signature.parameters[name].annotation), function.__qualname__)
        return function(*args, **kwargs)

    return called


def typed_methods(kind: Kind) -> Kind:
    """The class with every public method `typed`."""
    for name, member in list(vars(kind).items()):
        if inspect.isfunction(member) and not name.startswith("_"):
            setattr(kind, name, typed(member))
    return kind


def require_fields(record: object) -> None:
    """Raises InputError for a field of a dataclass of the library that is not of its annotated type."""
    for each in dataclasses.fields(cast("Any", record)):
        annotation = str(each.type)
        if all(_word(part) in _MEANT for part in _parts(annotation)):
            require_type(each.name, getattr(record, each.name), annotation, type(record).__name__)


def require_type(name: str, given: object, annotation: str, where: str) -> None:
    """Raises InputError unless `given` has the annotated type; the message names its type and never shows a value."""
    parts = _parts(annotation)
    outer = [part for part in parts if _is(given, _word(part))]
    if not outer:
        raise _refused(f"the argument {quoted(name)} is {_type(given)}", parts, where)
    inner = outer[0].partition("[")[2].removesuffix("]")
    if inner and isinstance(given, (Sequence, Collection)) and not isinstance(given, (str, Mapping)):
        for each in given:
            if not any(_is(each, _word(part)) for part in _parts(inner)):
                raise _refused(f"the argument {quoted(name)} holds {_type(each)}", _parts(inner), where)
    elif inner.startswith("str,") and isinstance(given, Mapping):
        for each in given:
            if not isinstance(each, str):
                raise _refused(f"the argument {quoted(name)} has {_type(each)} among its keys", ["str"], where)
    elif dataclasses.is_dataclass(given) and _word(outer[0]) != "ReadRequest":
        require_fields(given)


def _refused(what: str, parts: Sequence[str], where: str) -> InputError:
    meant = [_MEANT.get(_word(part), f"a {_word(part)}") for part in parts]
    listed = " or ".join([", ".join(meant[:-1]), meant[-1]] if len(meant) > 1 else meant)
    return InputError(what, where=where, next_step=f"Give {listed}.")


def _type(given: object) -> str:
    name = type(given).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}" if given is not None else "None"


def _parts(annotation: str) -> list[str]:
    """The alternatives of an annotation, aliases written out."""
    written = [part.strip() for part in _outside_brackets(annotation)]
    return [each.strip() for part in written for each in _outside_brackets(_ALIASES.get(part, part))]


def _outside_brackets(annotation: str) -> list[str]:
    found, depth = [""], 0
    for letter in annotation:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            found.append("")
        else:
            found[-1] += letter
    return found


def _word(part: str) -> str:
    return part.partition("[")[0].strip()


def _is(given: object, word: str) -> bool:
    listed = isinstance(given, Iterable) and not isinstance(given, (str, bytes, bytearray, Mapping))
    match word:
        case "None":
            return given is None
        case "str":
            return isinstance(given, str)
        case "bool":
            return isinstance(given, bool)
        case "int":
            return isinstance(given, numbers.Integral) and not isinstance(given, bool)
        case "float":
            return isinstance(given, numbers.Real) and not isinstance(given, bool)
        case "Path":
            return isinstance(given, os.PathLike)
        case "Mapping":
            return isinstance(given, Mapping)
        case "Sequence":
            return isinstance(given, Sequence) and listed
        case "Collection":
            return isinstance(given, (Sequence, frozenset, set)) and listed
        case "Iterable":
            return listed and not hasattr(given, "columns")
        case "Callable":
            return callable(given)
        case _:
            return any(each.__name__ == word for each in type(given).__mro__)
