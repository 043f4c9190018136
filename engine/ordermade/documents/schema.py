"""The JSON Schema of everything that commands print with `--json`: `python -m ordermade.documents.schema`.

It is made from the records that commands print, when it is printed and when the site is built: their fields, the
strings beneath them, and the properties that are printed too.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import itertools
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from typing_extensions import Doc, TypedDict, is_typeddict

from ordermade.documents.commands import DOCUMENTS
from ordermade.documents.error import Failed
from ordermade.records.printed import FORMAT, keys

DRAFT = "https://json-schema.org/draft/2020-12/schema"
ID = "urn:ordermade:output:1"


class _Closed(GenerateJsonSchema):
    """Objects without further keys, in the order in which they are declared; each key with its description."""

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:  # noqa: ARG002
        return value

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False

    def typed_dict_schema(self, schema: Any) -> JsonSchemaValue:
        found = super().typed_dict_schema(schema)
        kind = schema["cls"]
        words = _in_annotations(kind) or dict(_in_source(kind))
        found["properties"] = {name: {**each, "description": words[name]} for name, each in found["properties"].items()}
        found["description"] = inspect.getdoc(kind) or ""
        found["additionalProperties"] = False
        return found


def output_schema() -> dict[str, Any]:
    """The schema (draft 2020-12): one of the documents of the commands, or that of a failure."""
    types = document_types()
    failed = document_type(Failed, Failed.__name__, "")
    every: Any = Union[tuple(each for kinds in types.values() for each in kinds) + (failed,)]  # noqa: UP007, RUF005
    adapter: TypeAdapter[Any] = TypeAdapter(every)
    parts: dict[str, Any] = adapter.json_schema(schema_generator=_Closed)["$defs"]
    if doubled := sorted(name for name in parts if "__" in name):
        raise ValueError(f"two records have one name: {', '.join(doubled)}")
    of_commands = {
        command.replace(" ", "-"): {
            "title": command,
            "description": f"The documents of `{command}`.",
            "oneOf": [_reference(kind.__name__) for kind in each],
        }
        for command, each in types.items()
        if len(each) > 1
    }
    alone = [each[0].__name__ if len(each) == 1 else command.replace(" ", "-") for command, each in types.items()]
    return {
        "$schema": DRAFT,
        "$id": ID,
        "title": f"Output of ordermade, {FORMAT}",
        "description": "The one document that a command prints with --json: of its outcome, or of its failure.",
        "oneOf": [_reference(name) for name in (*alone, Failed.__name__)],
        "$defs": of_commands | dict(sorted(parts.items())),
    }


@functools.cache
def document_types() -> Mapping[str, tuple[Any, ...]]:
    """The types of the documents of each command.

    A type is named as its record, and where others print the record, whole or within another one, as the command, too.
    """
    uses = Counter(kind for each in DOCUMENTS.values() for kind in each)
    uses.update({each for kind in [*uses] for each in _within(kind)})

    def name(command: str, kind: type, kinds: Sequence[type]) -> str:
        if uses[kind] == 1:
            return kind.__name__
        by_command = "".join(word.capitalize() for word in command.split())
        return by_command if len(kinds) == 1 else by_command + kind.__name__

    return {
        command: tuple(document_type(kind, name(command, kind, kinds), command) for kind in kinds)
        for command, kinds in DOCUMENTS.items()
    }


def document_type(record: type, name: str, command: str) -> Any:
    """The type of the document of a record that a command prints; no command: of a failure, whichever failed."""
    typed: Any = Annotated[Literal[command], Doc(f"`{command}`.")] if command else Annotated[str, Doc(_TYPED)]
    opening = {
        "format": Annotated[Literal["ordermade-output/1"], Doc("The version of the document.")],
        "command": typed,
    }
    return _typed_dict(record, name, opening | _key_types(record))


_TYPED = "The command, noun and verb as they were typed; empty where they are not known."


@functools.cache
def record_type(record: type) -> Any:
    """The type of a record within a document."""
    return _typed_dict(record, record.__name__, _key_types(record))


_new_typed_dict: Any = TypedDict
"""`TypedDict` as a function of names that are known when it runs."""


def _typed_dict(record: type, name: str, key_types: dict[str, Any]) -> Any:
    found: Any = _new_typed_dict(name, key_types)
    found.__doc__ = (inspect.getdoc(record) or "").partition("\n\n")[0]
    found.__module__ = record.__module__
    return found


def _key_types(record: type) -> dict[str, Any]:
    """The type of each key of a record, with its description."""
    words = descriptions(record)
    found: dict[str, Any] = {}
    for key in keys(record):
        hint = _hint(record, key.attribute)
        if key.spread:
            found |= _spread(hint)
        else:
            printed: Any = _in_json(_without_none(hint) if key.optional else hint)
            described: Any = Annotated[printed, Doc(words[key.attribute])]
            found[key.name] = NotRequired[described] if key.optional else described
    return found


def _spread(hint: Any) -> dict[str, Any]:
    """The keys of a record that stand in another; they may be missing where there need not be one."""
    kind = _without_none(hint)
    found = _key_types(kind)
    if kind is hint:
        return found
    return {name: each if get_origin(each) is NotRequired else NotRequired[each] for name, each in found.items()}


def _within(record: type) -> frozenset[Any]:
    """The records within a record, at any depth."""
    found: set[Any] = set()
    left: list[Any] = [_hint(record, key.attribute) for key in keys(record)]
    while left:
        hint = left.pop()
        if is_dataclass(hint) and hint not in found:
            found.add(hint)
            left += [_hint(hint, key.attribute) for key in keys(hint)]  # type: ignore[arg-type]
        left += get_args(hint)
    return frozenset(found)


def _without_none(hint: Any) -> Any:
    """A type without its alternative None."""
    kinds = tuple(each for each in get_args(hint) if each is not NoneType)
    return Union[kinds] if get_origin(hint) in (Union, UnionType) else hint  # noqa: UP007 (of a tuple)


def _hint(record: type, attribute: str) -> Any:
    """The type of a field or a printed property, as its module has it."""
    for base in record.__mro__:
        names = _Names(base.__module__)
        if attribute in inspect.get_annotations(base):
            alone = type(attribute, (), {"__annotations__": {attribute: base.__annotations__[attribute]}})
            return get_type_hints(alone, None, names, include_extras=True)[attribute]
        if isinstance(found := vars(base).get(attribute), property) and found.fget is not None:
            return get_type_hints(found.fget, None, names, include_extras=True)["return"]
    raise LookupError(attribute)


class _Names(dict[str, Any]):
    """The names that annotations of a module may have; those imported for type checkers alone when they are met."""

    def __init__(self, module: str) -> None:
        super().__init__(vars(sys.modules[module]))
        self._module = module

    def __missing__(self, name: str) -> Any:
        for block in _tree(self._module).body:
            if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING":
                for each in block.body:
                    if isinstance(each, ast.ImportFrom) and each.module is not None:
                        found = [alias.name for alias in each.names if name == (alias.asname or alias.name)]
                        if found:
                            return _imported(each.module, found[0])
        raise KeyError(name)


def _imported(module: str, name: str) -> Any:
    parent = importlib.import_module(module)
    return getattr(parent, name) if hasattr(parent, name) else importlib.import_module(f"{module}.{name}")


def _in_json(hint: Any) -> Any:
    """The type that `json_of` makes of a value of a type."""
    arguments, origin = get_args(hint), get_origin(hint)
    if origin is Literal:
        return hint
    if origin is Annotated:  # what a mapping or a text has in it
        return _in_json(arguments[1])
    if origin in (Union, UnionType):
        alternatives = tuple(_in_json(each) for each in arguments)
        return Union[alternatives]  # noqa: UP007 (of a tuple)
    if origin is not None and issubclass(origin, Mapping):
        return dict[str, _in_json(arguments[1])]  # type: ignore[misc]
    if origin is tuple and ... not in arguments:
        return tuple[*(_in_json(each) for each in arguments)]  # type: ignore[misc]
    if origin is not None:
        return list[_in_json(arguments[0])]  # type: ignore[misc]
    if is_dataclass(hint):
        return record_type(hint)  # type: ignore[arg-type]
    return hint if hint in _IN_JSON or is_typeddict(hint) else str


_IN_JSON = frozenset({NoneType, bool, int, float, str, datetime, Any})
"""The types that JSON has, times among them; a value of any other is a text."""


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def schema_text() -> str:
    """The schema as the file has it."""
    return json.dumps(output_schema(), ensure_ascii=False, indent=2) + "\n"


def descriptions(record: type) -> dict[str, str]:
    """The description of each field of a record and of each printed property, its own or that of a class above it."""
    found: dict[str, str] = {}
    for base in reversed(record.__mro__[:-1]):
        found |= dict(_in_source(base))
        for name, each in vars(base).items():
            if isinstance(each, property) and each.__doc__:
                found[name] = inspect.cleandoc(each.__doc__).partition("\n\n")[0]
    return found


def _in_annotations(kind: Any) -> dict[str, str]:
    """The descriptions of the keys of a type that `document_type` or `record_type` made."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        name: note.documentation
        for name, hint in hints.items()
        for note in getattr(get_args(hint)[0] if get_origin(hint) is NotRequired else hint, "__metadata__", ())
        if isinstance(note, Doc)
    }


def _in_source(kind: Any) -> Iterator[tuple[str, str]]:
    """The strings beneath the keys in the source of the class."""
    body = _classes(kind.__module__).get(kind.__name__, [])
    for field, words in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(words, ast.Expr):
            yield field.target.id, inspect.cleandoc(ast.literal_eval(words.value))


@functools.cache
def _classes(module: str) -> dict[str, list[ast.stmt]]:
    return {each.name: each.body for each in _tree(module).body if isinstance(each, ast.ClassDef)}


@functools.cache
def _tree(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[module]))


if __name__ == "__main__":
    sys.stdout.write(schema_text())
