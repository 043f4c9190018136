"""The content of a hierarchy file in YAML: the models it is checked against."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from ordermade.errors import HierarchyError, did_you_mean, quoted
from ordermade.hierarchies.yaml_text import PlainYaml

KINDS = ("intervals", "date", "prefix", "mapping", "ordered")
MOST_DIGITS = 18


def _decimal(value: object) -> object:
    # Decimal's own parser takes more than a person writes: exponents, underscores, full-width digits.
    if isinstance(value, str) and len(value) <= MOST_DIGITS + 2:
        unsigned = value.removeprefix("-").removeprefix("+")
        whole, _, part = unsigned.partition(".")
        if unsigned.isascii() and whole.isdigit() and (part.isdigit() or "." not in unsigned):
            return Decimal(value)
    raise ValueError(f"write a plain number of at most {MOST_DIGITS} digits, such as 10 or 2.5")


def _whole(value: object) -> object:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= MOST_DIGITS:
        return int(value)
    raise ValueError("write a whole number, such as 3")


Number = Annotated[Decimal, BeforeValidator(_decimal)]
Count = Annotated[int, BeforeValidator(_whole)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class IntervalLevel(_Strict):
    """One level: intervals of `width`, from `origin` or else the origin of the file."""

    width: Number
    origin: Number | None = None
    name: str | None = None


class Intervals(_Strict):
    """Numeric intervals."""

    origin: Number = Decimal(0)
    levels: list[IntervalLevel]


class DatePart(_Strict):
    """A date part with a name of its own; a bare text is the part alone."""

    part: str
    name: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        return {"part": value} if isinstance(value, str) else value


class Prefix(_Strict):
    """The numbers of characters kept, the mask for the rest, the length to pad to, names of the levels."""

    keep: list[Count]
    mask: str = "*"
    length: Count | None = None
    names: list[str | None] | None = None


class Range(_Strict):
    """One level of an ordered list: the values that start a new range, and a label for each range."""

    cuts: list[str] = Field(default_factory=list)
    labels: list[str] | None = None
    name: str | None = None


class Ordered(_Strict):
    """An ordered list of values, cut into ranges."""

    values: list[str]
    levels: list[Range] = Field(default_factory=list)


class Rules(_Strict):
    """A whole file: exactly one kind; `levels` names the levels of a mapping."""

    intervals: Intervals | None = None
    date: list[DatePart] | None = None
    prefix: Prefix | None = None
    mapping: dict[str | None, list[str]] | None = None
    ordered: Ordered | None = None
    levels: list[str | None] | None = None


def rules(document: PlainYaml, where: str) -> Rules:
    """The checked content. Raises HierarchyError naming the line, what is wrong there and the nearest key."""
    content = document.content
    one_of = f"one of: {', '.join(KINDS)}."
    if not isinstance(content, dict):
        raise HierarchyError("it is not a mapping", where=where, next_step=f"Start with {one_of}")
    try:
        checked = Rules.model_validate(content)
    except ValidationError as fault:
        problem = fault.errors(include_url=False, include_input=False)[0]
        raise _error(problem, document, where) from fault
    given = [kind for kind in KINDS if getattr(checked, kind) is not None]
    if len(given) != 1:
        count = " and ".join(given) or "none"
        raise HierarchyError(
            f"it needs exactly one kind of hierarchy, and has {count}",
            where=where,
            next_step=f"Give {one_of}",
        )
    if checked.levels is not None and checked.mapping is None:
        raise HierarchyError(
            "'levels' beside the rule names the levels of a mapping only",
            where=f"{where}:{document.lines[('levels',)]}",
            next_step="Name the levels within the rule.",
        )
    return checked


def _error(problem: Mapping[str, Any], document: PlainYaml, where: str) -> HierarchyError:
    path = tuple(problem["loc"])
    line = next((document.lines[path[:end]] for end in range(len(path), -1, -1) if path[:end] in document.lines), 1)
    field = ".".join(str(step) for step in path)
    next_step = "See the guide to hierarchies for the keys of each kind."
    match problem["type"]:
        case "extra_forbidden":
            within = f" in {field.rpartition('.')[0]}" if path[1:] else ""
            what = f"there is no key {quoted(str(path[-1]))}{within}"
            next_step = did_you_mean(str(path[-1]), _known_keys(path[:-1]))
        case "missing":
            what = f"{field} is missing"
            next_step = f"Add it: {path[-1]}: …"
        case "value_error":
            what = f"{field} cannot be read"
            reason = str(problem["ctx"]["error"])
            next_step = f"{reason[:1].upper()}{reason[1:]}."
        case _:
            reason = str(problem["msg"])
            what = f"{field}: {reason[:1].lower()}{reason[1:]}"
    return HierarchyError(what, where=f"{where}:{line}", next_step=next_step)


def _known_keys(path: tuple[str | int, ...]) -> tuple[str, ...]:
    models: dict[tuple[str, ...], type[BaseModel]] = {
        (): Rules,
        ("intervals",): Intervals,
        ("intervals", "levels"): IntervalLevel,
        ("date",): DatePart,
        ("prefix",): Prefix,
        ("ordered",): Ordered,
        ("ordered", "levels"): Range,
    }
    names = tuple(step for step in path if isinstance(step, str))
    model = models.get(names)
    return tuple(model.model_fields) if model else ()
