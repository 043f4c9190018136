"""The rules file: items, the audience of each, and weights, read with the line of every field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import Field, PlainSerializer, PlainValidator, ValidationError
from pydantic_core import PydanticCustomError

from ordermade.hierarchies.hierarchy import STAR
from ordermade.requests.mistakes import described, mistakes_in, words_of
from ordermade.requests.model import Name, Part
from ordermade.requests.numbers import MAX_RULES, Importance, exact, plain
from ordermade.requests.problems import RequestProblem, field_name, line_of, refusal
from ordermade.requests.read import Kind, LocatedDocument, file_text, read_document

MAX_VALUES = 10_000
"""For one column in one rule."""

RULES = Kind(
    "rules file",
    "write rules: and under it - {item: NAME, when: {COLUMN: VALUE}}, one rule a line",
    "write rules: and under it - {item: NAME, when: {COLUMN: VALUE}}, one rule a line",
)
TEXT = "rules"
"""The file name in messages about rules that were not read from a file."""

Scalar: TypeAlias = bool | Decimal | str
"""One value as it is written. A number is exact; a date is a text, as YAML has none here."""

Wanted: TypeAlias = Scalar | tuple[Scalar | None, ...]
"""The condition of a rule on a column: one value, or several, read by the column's type (None: null)."""


def _one(value: Any) -> Scalar:
    if isinstance(value, (bool, str)):
        if value == "":
            raise PydanticCustomError("empty", "is empty; write a value, or '*' where any will do")
        return value
    if isinstance(value, Decimal) and not value.is_finite():
        raise PydanticCustomError("endless", "is no number; write null for an end that is open")
    if isinstance(value, (int, float, Decimal)):
        return exact(value)
    if value is None:
        raise PydanticCustomError("nothing", "is empty; write '*' where any value will do, or take the column out")
    raise PydanticCustomError(
        "no_value", "expected a value, not {found}; write a value or a list of values", {"found": described(value)}
    )


def _wanted(value: Any) -> Wanted:
    if not isinstance(value, (list, tuple)):
        return _one(value)
    if not value:
        raise PydanticCustomError("no_values", "is an empty list, so it means nobody; write the values that count")
    if len(value) > MAX_VALUES:
        raise PydanticCustomError("many_values", f"has more than {MAX_VALUES:,} values; name classes of a hierarchy")
    if STAR in value:
        raise PydanticCustomError("star", "has '*' beside values; write '*' by itself where any value will do")
    return tuple(None if each is None else _one(each) for each in value)


def _written(wanted: Wanted) -> Any:
    """The JSON form: an exact number is its text, marked as a number."""
    if isinstance(wanted, tuple):
        return [None if each is None else _written(each) for each in wanted]
    return {"number": plain(wanted)} if isinstance(wanted, Decimal) else wanted


class Rule(Part):
    """An item and its audience."""

    item: Name = Field(description="The recommended item.", examples=["Clothes B"])
    weight: Importance = Field(
        default=Decimal(1), description="The weight of the rule among the others, above 0.", examples=[2]
    )
    when: Mapping[
        Name, Annotated[Wanted, PlainValidator(_wanted), PlainSerializer(_written, return_type=Any, when_used="json")]
    ] = Field(
        description="The audience: a condition on each quasi-identifier that matters. Of numbers "
        "and dates a value or [low, high], ends included, null being an open end; of others a value, a class of the "
        "hierarchy, or a list of them. '*' is any.",
        examples=[{"birth": ["1974-01-01", "1979-12-31"], "height": [167, 188]}],
    )


class RulesFile(Part):
    """All of a rules file."""

    rules: Annotated[tuple[Rule, ...], Field(min_length=1, max_length=MAX_RULES)] = Field(
        description="The rules.", examples=[[{"item": "Magazine", "when": {"sex": "male"}}]]
    )


@dataclass(frozen=True, slots=True)
class ReadRules(LocatedDocument):
    """Rules as read: the model, the text they came from, the file, and each field's line."""

    UNNAMED = TEXT
    KIND = RULES.name
    content: RulesFile
    text: str = ""
    path: Path | None = None
    lines: Mapping[str, int] = field(default_factory=dict)


def read_rules(source: Path | str) -> ReadRules:
    """The rules in a file (a `Path`) or in a YAML text (a `str`).

    Raises:
        RequestError: the file cannot be read or holds no rules; `problems` has every mistake with its line.
    """
    text = file_text(source, "rules") if isinstance(source, Path) else source.removeprefix("\ufeff")
    path = source if isinstance(source, Path) else None
    where = str(path) if path else TEXT
    document = read_document(text, where, RULES)
    lines = {field_name(at): line for at, line in document.lines.items()}
    try:
        content = RulesFile.model_validate(document.content)
    except ValidationError as error:
        # The values pydantic would chain to the error are left out: the problems are complete.
        raise refusal(_problems(error, lines), where, RULES.name) from None
    return ReadRules(content, text, path, lines)


def _problems(error: ValidationError, lines: Mapping[str, int]) -> list[RequestProblem]:
    """One problem a mistake."""
    found = []
    for details in mistakes_in(error):
        path = tuple(part for part in details["loc"] if part != "[key]")
        what, instead = words_of(details, path, Rule if len(path) > 1 else RulesFile)
        found.append(RequestProblem(what, instead, path, line_of(path, lines)))
    return found
