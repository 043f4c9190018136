"""The JSON Schema of the request file, and the tables of its reference page."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema

from ordermade.methods.microaggregation.algorithm.methods import METHODS
from ordermade.privacy.models import MODELS
from ordermade.requests.methods import DEFAULT_METHOD, IMPLYING_TABLE, REQUESTS
from ordermade.requests.mistakes import in_flow_style
from ordermade.requests.model import Request

DRAFT = "https://json-schema.org/draft/2020-12/schema"


class AsDeclared(GenerateJsonSchema):
    """Keeps keys in the order in which the models and their examples declare them."""

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:  # noqa: ARG002
        """The keys as they are."""
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
        [(kind, "validation") for kind in REQUESTS.values()], by_alias=True, schema_generator=AsDeclared
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
    named: dict[str, Any]
    found: dict[str, Any] = {"$ref": f"#/$defs/{first.__name__}"}
    for method, kind in others:
        named = {"properties": {"method": {"const": method}}, "required": ["method"]}
        if method == "table":  # implied by the keys of a table
            keys = [{"required": [key]} for key in IMPLYING_TABLE]
            named = {"anyOf": [named, {"not": {"required": ["method"]}, "anyOf": keys}]}
        found = {"if": named, "then": {"$ref": f"#/$defs/{kind.__name__}"}, "else": found}
    return found


_HEADINGS = {
    "InlineDataset": "`dataset`, described inline",
    "Release": "`release`",
    "CsvOptions": "`release.csv`",
    "SourceTable": "`release.to`, a table of the source",
    "SourcePath": "`release.to`, a folder that Spark writes",
    "GeneralizationRequest": "With `method: generalization`",
    "QuasiIdentifier": "One entry of `quasi_identifiers`",
    "LocalRecoding": "`recoding`, a kind with options",
    **{each.part.__name__: f"One model of `sensitive`: `{each.name}`" for each in MODELS.values()},
    "Risks": "`risk`",
    "Search": "`search`",
    "SearchBudget": "`search.budget`",
    "MondrianRequest": "With `method: mondrian`",
    "SplitOptions": "One entry of `quasi_identifiers` of a request for Mondrian",
    "Mondrian": "`mondrian`",
    "HistoryRequest": "With `method: history`",
    "History": "`history`",
    "NumberOptions": "One entry of `history.numbers`",
    "ItemOptions": "`history.items`",
    "TableRequest": "With `method: table`",
    "LinkedTable": "One entry of `tables`",
    "Tabulated": "One entry of `dimensions`",
    "Dominance": "`dominance`",
    "IntervalFiles": "`intervals`",
    "MicroaggregationRequest": "With `method: microaggregation`",
    "AttributeOptions": "One entry of `attributes`",
    "Microaggregation": "`microaggregation`",
    "Budget": "`microaggregation.budget`",
    "Within": "One entry of `within`",
}


def request_reference() -> str:
    """The Markdown of every part of the request file: keys, values, defaults and examples."""
    schema = json_schema()
    parts = schema["$defs"]
    shared = _of_every_request(schema)
    own = {name: part | {"properties": _own(name, part)} for name, part in parts.items()}
    sections = [section_of(heading, own[name]) for name, heading in _HEADINGS.items()]
    methods = f"### The algorithms of `microaggregation`\n\n{methods_reference()}"
    return "\n".join([section_of("Every request", shared), *sections, methods])


def methods_reference() -> str:
    """The Markdown table of the methods of making groups, from their registry."""
    rows = [
        f"| `{each.name}` | {each.takes} | {', '.join(f'`{option}`' for option in each.options) or 'nothing more'} "
        f"| {each.words} | {each.source} |"
        for each in METHODS.values()
    ]
    head = "| `algorithm` | takes | reads | method | source |"
    return "\n".join([head, "|---|---|---|---|---|", *rows, ""])


def _of_every_request(schema: dict[str, Any]) -> dict[str, Any]:
    """The fields of requests of every method, the method among them."""
    first: dict[str, Any] = schema["$defs"][next(iter(REQUESTS.values())).__name__]
    fields = {name: first["properties"][name] for name in Request.model_fields}
    description = "The fields of every request, whatever its method."
    return first | {"description": description, "properties": fields | schema["properties"]}


def _own(name: str, part: dict[str, Any]) -> dict[str, Any]:
    """The keys of a part; for a kind of request only those that others do not have."""
    kinds = {kind.__name__ for kind in REQUESTS.values()}
    return {
        key: field for key, field in part["properties"].items() if name not in kinds or key not in Request.model_fields
    }


def section_of(heading: str, part: dict[str, Any]) -> str:
    """The Markdown of one part of a file: its heading, and a table of its keys."""
    required = part.get("required", [])
    rows = [_row(name, field, name in required) for name, field in part["properties"].items()]
    head = f"### {heading}\n\n{part['description']}\n\n| key | takes | left out | meaning | for example |"
    return "\n".join([head, "|---|---|---|---|---|", *rows, ""])


def _row(name: str, field: dict[str, Any], required: bool) -> str:
    default = "must be given" if required else _default(field)
    cells = (
        f"`{name}`",
        _takes(field),
        default,
        field["description"],
        f"`{in_flow_style(field['examples'][0])}`",
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default(field: dict[str, Any]) -> str:
    default = field.get("default")
    if default in (None, "", [], {}):
        return "nothing"
    return f"`{in_flow_style(default)}`"


def _takes(field: dict[str, Any]) -> str:
    """The kinds of value that a field takes, in words."""
    if "enum" in field:
        return ", ".join(f"`{choice}`" for choice in field["enum"])
    choices = field.get("anyOf") or field.get("oneOf")
    if choices:
        return " or ".join(_takes(each) for each in choices if each.get("type") != "null")
    if "$ref" in field:
        return "mapping"
    if field.get("items", {}).get("type") == "integer":
        return "list of whole numbers"
    if field.get("items", {}).get("type") == "array":
        return "list of lists of texts"
    if field["type"] == "boolean":
        return "`true` or `false`"
    if "const" in field:
        return f"`{field['const']}`"
    words = {
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "array": "list of texts",
        "object": "mapping",
    }
    return words[field["type"]]
