"""The JSON Schema of everything that commands print with `--json`: `python -m ordermade.cli.documents.schema`.

It is made from the types of the documents, and shipped beside this module. Commands that print a document import
neither this module nor pydantic's schemas.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Union, get_type_hints

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from typing_extensions import Doc

from ordermade.cli.documents.commands import DOCUMENTS
from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.documents.types.error import Failed

DRAFT = "https://json-schema.org/draft/2020-12/schema"
ID = "urn:ordermade:output:1"
SHIPPED = Path(__file__).with_name("output.schema.json")
"""The schema in the package, which `ordermade schema` prints."""


class _Closed(GenerateJsonSchema):
    """Objects without further keys, in the order in which they are declared; each key with its description."""

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:  # noqa: ARG002
        return value

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False

    def typed_dict_schema(self, schema: Any) -> JsonSchemaValue:
        found = super().typed_dict_schema(schema)
        kind = schema["cls"]
        words = descriptions(kind)
        properties = found["properties"]
        names = sorted(properties, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
        found["properties"] = {name: {**properties[name], "description": words[name]} for name in names}
        if "required" in found:
            found["required"] = [name for name in names if name in found["required"]]
        found["description"] = inspect.getdoc(kind) or ""
        found["additionalProperties"] = False
        return found

    def dataclass_schema(self, schema: Any) -> JsonSchemaValue:
        found = super().dataclass_schema(schema)
        for name, each in found["properties"].items():
            each["description"] = f"{name.replace('_', ' ').capitalize()}."
        found["required"] = list(found["properties"])
        found["description"] = inspect.getdoc(schema["cls"]) or ""
        found["additionalProperties"] = False
        return found


_FIRST = ("format", "command")


def output_schema() -> dict[str, Any]:
    """The schema (draft 2020-12): one of the documents of the commands, or that of a failure."""
    kinds = tuple(dict.fromkeys((Failed, *(kind for each in DOCUMENTS.values() for kind in each))))
    every: Any = Union[kinds]  # noqa: UP007 (of a tuple)
    adapter: TypeAdapter[Any] = TypeAdapter(every)
    parts: dict[str, Any] = adapter.json_schema(schema_generator=_Closed)["$defs"]
    of_commands = {
        command.replace(" ", "-"): {
            "title": command,
            "description": f"The documents of `{command}`.",
            "oneOf": [_reference(kind.__name__) for kind in each],
        }
        for command, each in DOCUMENTS.items()
        if len(each) > 1
    }
    alone = [each[0].__name__ if len(each) == 1 else command.replace(" ", "-") for command, each in DOCUMENTS.items()]
    return {
        "$schema": DRAFT,
        "$id": ID,
        "title": f"Output of ordermade, {FORMAT}",
        "description": "The one document that a command prints with --json: of its outcome, or of its failure.",
        "oneOf": [_reference(name) for name in (*alone, Failed.__name__)],
        "$defs": of_commands | dict(sorted(parts.items())),
    }


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def schema_text() -> str:
    """The schema as the file has it."""
    return json.dumps(output_schema(), ensure_ascii=False, indent=2) + "\n"


def descriptions(kind: Any) -> dict[str, str]:
    """The description of each key of a document, its own or one of the documents that it extends."""
    found: dict[str, str] = {}
    for base in getattr(kind, "__orig_bases__", ()):
        if hasattr(base, "__total__"):
            found |= descriptions(base)
    return found | _in_annotations(kind) | dict(_in_source(kind))


def _in_annotations(kind: Any) -> dict[str, str]:
    hints = get_type_hints(kind, include_extras=True)
    return {
        name: note.documentation
        for name, hint in hints.items()
        for note in getattr(hint, "__metadata__", ())
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
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {each.name: each.body for each in tree.body if isinstance(each, ast.ClassDef)}


if __name__ == "__main__":
    sys.stdout.write(schema_text())
