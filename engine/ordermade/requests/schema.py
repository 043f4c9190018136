"""The JSON Schema of the request file, so that editors complete and check it."""

from __future__ import annotations

from typing import Any

from ordermade.requests.model import Request

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a request file, with the keys as they are written (`from`, `to`)."""
    schema = Request.model_json_schema(by_alias=True, mode="validation")
    return {"$schema": DRAFT, **schema, "title": "Request of ordermade"}
