"""The JSON Schema of the request file, so that editors complete and check it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema

from ordermade.requests.by_method import DEFAULT_METHOD, REQUESTS
from ordermade.requests.model import Request

DRAFT = "https://json-schema.org/draft/2020-12/schema"


class _AsDeclared(GenerateJsonSchema):
    """Keeps keys in the order in which the models and their examples declare them."""

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:  # noqa: ARG002
        return value

    def encode_default(self, dft: Any) -> Any:
        """An exact number is a number to editors, not the text that keeps it exact."""
        if isinstance(dft, Decimal):
            return int(dft) if dft == int(dft) else float(dft)
        return super().encode_default(dft)


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a request file, with the keys as they are written (`from`, `to`).

    The allowed keys depend on `method`: each kind of request is one of the `$defs`, by its class's name.
    """
    _, parts = models_json_schema(
        [(kind, "validation") for kind in REQUESTS.values()], by_alias=True, schema_generator=_AsDeclared
    )
    return {
        "$schema": DRAFT,
        "title": "Request of ordermade",
        "description": "A data user's request: the wanted release, and the limits that the user accepts.",
        "type": "object",
        "properties": {"method": _method()},
        **_by_method(list(REQUESTS.items())),
        **parts,
    }


def _method() -> dict[str, Any]:
    """The key that selects the kind of request."""
    field = Request.model_fields["method"]
    return {
        "type": "string",
        "enum": list(REQUESTS),
        "default": DEFAULT_METHOD,
        "description": field.description,
        "examples": field.examples,
    }


def _by_method(kinds: list[tuple[str, type[Request]]]) -> dict[str, Any]:
    """The schema of the first kind, unless `method` names another."""
    (_, first), *others = kinds
    found: dict[str, Any] = {"$ref": f"#/$defs/{first.__name__}"}
    for method, kind in others:
        named = {"properties": {"method": {"const": method}}, "required": ["method"]}
        found = {"if": named, "then": {"$ref": f"#/$defs/{kind.__name__}"}, "else": found}
    return found
