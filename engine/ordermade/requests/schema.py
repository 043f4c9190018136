"""The JSON Schema of the request file, so that editors complete and check it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from ordermade.requests.generalization import GeneralizationRequest

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
    """The JSON Schema (draft 2020-12) of a request file, with the keys as they are written (`from`, `to`)."""
    schema = GeneralizationRequest.model_json_schema(by_alias=True, mode="validation", schema_generator=_AsDeclared)
    return {"$schema": DRAFT, **schema, "title": "Request of ordermade"}
