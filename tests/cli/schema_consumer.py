"""A reader of JSON documents that knows their schema and nothing else: each leaf as a line with its description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
Leaf = tuple[str, Any, str]
"""A path, a value, and the description nearest above it."""


class Consumer:
    """Reads documents by a schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def leaves(self, document: Any) -> list[Leaf]:
        """Each leaf of the document. Raises LookupError for a part that the schema does not describe."""
        return list(self._read(document, self._schema, "", ""))

    def _read(self, value: Any, schema: Schema, path: str, words: str) -> Iterator[Leaf]:
        schema = self._chosen(value, schema, path)
        words = schema.get("description", words)
        if isinstance(value, dict) and value:
            for key, each in value.items():
                inner = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
                if not isinstance(inner, Mapping):
                    raise LookupError(f"{path}.{key} is not in the schema")
                yield from self._read(each, inner, f"{path}.{key}", inner.get("description", words))
        elif isinstance(value, list) and value:
            places = schema.get("prefixItems", [])
            for place, each in enumerate(value):
                inner = places[place] if place < len(places) else schema.get("items")
                if not isinstance(inner, Mapping):
                    raise LookupError(f"{path}[{place}] is not in the schema")
                yield from self._read(each, inner, f"{path}[{place}]", words)
        else:
            yield path.removeprefix("."), value, words

    def _chosen(self, value: Any, schema: Schema, path: str) -> Schema:
        """The schema without references and alternatives; its own words stay."""
        if "$ref" in schema:
            inner: Any = self._schema
            for part in schema["$ref"].removeprefix("#/").split("/"):
                inner = inner[part]
            own = {"description": schema["description"]} if "description" in schema else {}
            return self._chosen(value, {**inner, **own}, path)
        alternatives = schema.get("oneOf") or schema.get("anyOf")
        if not alternatives:
            if not self._fits(value, schema):
                raise LookupError(f"{path} is not as the schema says")
            return schema
        found = [each for each in alternatives if self._fits(value, each)]
        if not found:
            raise LookupError(f"{path} is none of the alternatives")
        own = {"description": schema["description"]} if "description" in schema and "$id" not in schema else {}
        return {**self._chosen(value, found[0], path), **own}

    def _fits(self, value: Any, schema: Schema) -> bool:
        """Whether the value is one of this schema, as far as it takes to tell alternatives apart."""
        if "$ref" in schema:
            inner: Any = self._schema
            for part in schema["$ref"].removeprefix("#/").split("/"):
                inner = inner[part]
            return self._fits(value, inner)
        alternatives = schema.get("oneOf") or schema.get("anyOf")
        if alternatives:
            return any(self._fits(value, each) for each in alternatives)
        if "const" in schema and value != schema["const"]:
            return False
        if "enum" in schema and value not in schema["enum"]:
            return False
        if not _is(schema.get("type"), value):
            return False
        if not isinstance(value, dict):
            return True
        properties = schema.get("properties", {})
        known = schema.get("additionalProperties") is not False or set(value) <= set(properties)
        return (
            known
            and set(schema.get("required", ())) <= set(value)
            and all(self._fits(each, properties[key]) for key, each in value.items() if key in properties)
        )


def _is(kind: str | None, value: Any) -> bool:
    match kind:
        case None:
            return True
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            return whole and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "array":
            return isinstance(value, list)
        case _:
            return isinstance(value, dict)


def lines(schema: Schema, document: Any) -> list[str]:
    """The document as lines `path = value  (description)`."""
    return [f"{path} = {value}  ({words})" for path, value, words in Consumer(schema).leaves(document)]


def raw_leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each leaf of a document, whatever a schema says."""
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from raw_leaves(each, f"{path}.{key}")
    elif isinstance(value, list) and value:
        for place, each in enumerate(value):
            yield from raw_leaves(each, f"{path}[{place}]")
    else:
        yield path.removeprefix("."), value
