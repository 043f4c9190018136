"""Read a hierarchy from a file: YAML (intervals, dates, prefixes, mappings, lists), a workbook or CSV by its ending.

A leaf written `yes` or `01` stays `yes` or `01`: nothing is turned into a boolean or a number; only `null`,
`~` and nothing at all, unquoted, are None. Dangerous or ambiguous YAML is refused: anchors and
aliases, tags, several documents, repeated keys, deep nesting.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from ordermade.errors import HierarchyError, did_you_mean, quoted
from ordermade.files.workbook_endings import is_workbook
from ordermade.files.yaml_documents import FAST_PARSER, Dialect, Document, YamlWords, document_of
from ordermade.hierarchies.dates import date_hierarchy
from ordermade.hierarchies.explicit import ExplicitHierarchy, ListedLevel, explicit_hierarchy
from ordermade.hierarchies.hierarchy import Hierarchy, check_count
from ordermade.hierarchies.intervals import Interval, interval_hierarchy
from ordermade.hierarchies.prefixes import prefix_hierarchy
from ordermade.hierarchies.read_csv import Style, read_csv, read_text
from ordermade.hierarchies.read_sheet import read_sheet
from ordermade.phrases import all_of, phrase, wording

DEEPEST = 20
NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_WRITE_OUT = wording("Write it out; quote a text that starts with &, * or !.")
_REFERENCE = (wording("anchors and aliases (& and *) are not allowed"), _WRITE_OUT)


def _scalar(text: str) -> str | None:
    return None if text in NULLS else text


DIALECT = Dialect(
    value=_scalar,
    key=_scalar,
    deepest=DEEPEST,
    words=YamlWords(
        syntax=(wording("it is not YAML: %(name)s"), wording("Check indentation, quotes and brackets there.")),
        character=(
            wording("it holds characters that YAML does not allow"),
            wording("Remove the control characters."),
        ),
        escape=(wording("an escape or directive cannot be read"), wording("Write the text out.")),
        half=(wording("a text holds half a character (\\ud800 to \\udfff)"), wording("Write the character itself.")),
        deep=(wording("it is nested more than 20 deep"), _WRITE_OUT),
        second=(wording("there is a second document"), _WRITE_OUT),
        alias=_REFERENCE,
        anchor=_REFERENCE,
        tag=(wording("tags (!) are not allowed"), _WRITE_OUT),
        key=(wording("a key is a list or a mapping"), wording("Use a text as the key.")),
        twice=(wording("%(name)s is listed twice"), wording("It is on line %(line)s too: keep one of them.")),
    ),
    # Files list a value a line, and there may be a million of them.
    parser=FAST_PARSER,
    first_only=True,
)


def plain_yaml(text: str, where: str) -> Document:
    """The one document in `text`. Raises HierarchyError with the line of what is refused."""
    document = document_of(text, DIALECT)
    if document.mistakes:
        first = document.mistakes[0]
        place = f"{where}:{first.line}" if first.line else where
        raise HierarchyError(first.what, where=place, next_step=first.instead)
    return document


KINDS = ("intervals", "date", "prefix", "mapping", "ordered")
MAX_DIGITS = 18


def _decimal(value: object) -> object:
    # Decimal's own parser takes more than a person writes: exponents, underscores, full-width digits.
    if isinstance(value, str) and len(value) <= MAX_DIGITS + 2:
        unsigned = value.removeprefix("-").removeprefix("+")
        whole, _, part = unsigned.partition(".")
        if unsigned.isascii() and whole.isdigit() and (part.isdigit() or "." not in unsigned):
            return Decimal(value)
    raise ValueError(phrase("Write a plain number of at most %(most)s digits, such as 10 or 2.5.", most=MAX_DIGITS))


def _whole(value: object) -> object:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS:
        return int(value)
    raise ValueError(phrase("Write a whole number, such as 3."))


Number = Annotated[Decimal, BeforeValidator(_decimal)]
Count = Annotated[int, BeforeValidator(_whole)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class IntervalLevel(_Strict):
    """One level: intervals of `width`, from `origin` or else the origin of the file, or those between `bounds`.

    `below` and `above`: bottom and top coding of this level, else of the file; a level with bounds has none.
    """

    width: Number | None = None
    origin: Number | None = None
    below: Number | None = None
    above: Number | None = None
    bounds: list[Number] | None = None
    name: str | None = None

    @model_validator(mode="after")
    def _width_or_bounds(self) -> IntervalLevel:
        if (self.width is None) == (self.bounds is None):
            raise ValueError(phrase("A level has a width or bounds: write {width: 10} or {bounds: [18, 40, 65]}."))
        if self.bounds is not None and (self.origin, self.below, self.above) != (None, None, None):
            raise ValueError(phrase("A level with bounds has no origin, below or above: take them out."))
        return self


class Intervals(_Strict):
    """Numeric intervals; with a unit the labels are those of Japanese tables."""

    origin: Number = Decimal(0)
    below: Number | None = None
    above: Number | None = None
    unit: str = ""
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


def rules(document: Document, where: str) -> Rules:
    """The checked content. Raises HierarchyError naming the line, what is wrong there and the nearest key."""
    content = document.content
    listed = ", ".join(KINDS)
    if not isinstance(content, dict):
        raise HierarchyError(
            phrase("it is not a mapping"),
            where=where,
            next_step=phrase("Start with one of: %(listed)s.", listed=listed),
        )
    try:
        checked = Rules.model_validate(content)
    except ValidationError as fault:
        problem = fault.errors(include_url=False, include_input=False)[0]
        raise _error(problem, document, where) from fault
    given = [kind for kind in KINDS if getattr(checked, kind) is not None]
    if len(given) != 1:
        count = all_of(given) or phrase("none")
        raise HierarchyError(
            phrase("it needs exactly one kind of hierarchy, and has %(count)s", count=count),
            where=where,
            next_step=phrase("Give one of: %(listed)s.", listed=listed),
        )
    if checked.levels is not None and checked.mapping is None:
        raise HierarchyError(
            phrase("'levels' beside the rule names the levels of a mapping only"),
            where=f"{where}:{document.lines[('levels',)]}",
            next_step=phrase("Name the levels within the rule."),
        )
    return checked


_A_TEXT = phrase("a text")
_NOUNS: Mapping[str, str] = {
    "list_type": phrase("a list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), phrase("a mapping")),
}


def _error(problem: Mapping[str, Any], document: Document, where: str) -> HierarchyError:
    path = tuple(problem["loc"])
    line = next((document.lines[path[:end]] for end in range(len(path), -1, -1) if path[:end] in document.lines), 1)
    field = ".".join(str(step) for step in path)
    next_step: str = phrase("See the guide to hierarchies for the keys of each kind.")
    match problem["type"]:
        case "extra_forbidden":
            key, within = quoted(str(path[-1])), field.rpartition(".")[0]
            what = phrase("there is no key %(key)s", key=key)
            if within:
                what = phrase("there is no key %(key)s in %(within)s", key=key, within=within)
            next_step = did_you_mean(str(path[-1]), _known_keys(path[:-1]))
        case "missing":
            what = phrase("%(field)s is missing", field=field)
            next_step = phrase("Add it: %(path)s: …", path=path[-1])
        case "value_error":
            what = phrase("%(field)s cannot be read", field=field)
            reason = problem["ctx"]["error"].args[0]
            next_step = reason
        case kind:
            what = phrase("%(field)s has to be %(kind)s", field=field, kind=_NOUNS.get(kind, _A_TEXT))
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


MAX_BYTES = 10 * 2**20
Notes = tuple[str, ...]


def read_yaml(path: Path, name: str) -> tuple[Hierarchy, Notes]:
    """The hierarchy in a YAML file, and notes of what was renumbered or added.

    Raises HierarchyError with file and line.
    """
    return parse_yaml(read_text(path, most_bytes=MAX_BYTES), name, where=str(path))


def parse_yaml(text: str, name: str, *, where: str) -> tuple[Hierarchy, Notes]:
    """The same of a text; `where` is what messages call it."""
    document = plain_yaml(text, where)
    checked = rules(document, where)
    if checked.intervals:
        return _intervals(checked.intervals, name, _at(document, where, "intervals"))
    if checked.date is not None:
        parts, names = [each.part for each in checked.date], [each.name for each in checked.date]
        return date_hierarchy(name, parts, names, where=_at(document, where, "date"))
    if checked.prefix:
        return _prefix(checked.prefix, name, _at(document, where, "prefix"))
    if checked.ordered:
        return _ordered(checked.ordered, name, document, where)
    return _mapping(checked.mapping or {}, checked.levels, name, document, where)


def _at(document: Document, where: str, *path: str | int | None) -> str:
    return f"{where}:{document.lines[path]}"


def _intervals(given: Intervals, name: str, where: str) -> tuple[Hierarchy, Notes]:
    intervals = [_interval(each, given) for each in given.levels]
    return interval_hierarchy(name, intervals, [each.name for each in given.levels], where=where)


def _interval(level: IntervalLevel, given: Intervals) -> Interval:
    """The rule of a level, with the file's origin and codings where it has none of its own."""
    if level.bounds is not None:
        return Interval(None, bounds=tuple(level.bounds), unit=given.unit)
    return Interval(
        level.width,
        given.origin if level.origin is None else level.origin,
        given.below if level.below is None else level.below,
        given.above if level.above is None else level.above,
        unit=given.unit,
    )


def _prefix(given: Prefix, name: str, where: str) -> tuple[Hierarchy, Notes]:
    names = _names(given.names, len(given.keep), where)
    return prefix_hierarchy(name, given.keep, names, mask=given.mask, length=given.length, where=where)


def _names(names: Sequence[str | None] | None, levels: int, where: str) -> Sequence[str | None]:
    if names is None:
        return [None] * levels
    if len(names) != levels:
        raise HierarchyError(
            phrase("there are %(names)s names for %(levels)s levels", names=len(names), levels=levels),
            where=where,
            next_step=phrase("Give one name a level."),
        )
    return names


def _mapping(
    mapping: dict[str | None, list[str]],
    names: Sequence[str | None] | None,
    name: str,
    document: Document,
    where: str,
) -> tuple[ExplicitHierarchy, Notes]:
    levels = len(next(iter(mapping.values()), []))
    check_count(levels, where=where)
    for leaf, labels in mapping.items():
        if len(labels) != levels:
            raise HierarchyError(
                phrase(
                    "the value has %(labels)s labels where the first has %(levels)s", labels=len(labels), levels=levels
                ),
                where=_at(document, where, "mapping", leaf),
                next_step=phrase("Give each value one label a level."),
            )
    names = _names(names, levels, where)
    return explicit_hierarchy(
        name,
        tuple(mapping),
        [ListedLevel(names[i], tuple(labels[i] for labels in mapping.values())) for i in range(levels)],
        where=where,
        lines=[document.lines[("mapping", leaf)] for leaf in mapping],
    )


def _ordered(given: Ordered, name: str, document: Document, where: str) -> tuple[ExplicitHierarchy, Notes]:
    check_count(len(given.levels), where=_at(document, where, "ordered"))
    position = {value: number for number, value in reversed(list(enumerate(given.values)))}
    levels = [
        ListedLevel(
            each.name,
            _labels(each, given.values, position, _at(document, where, "ordered", "levels", number)),
        )
        for number, each in enumerate(given.levels)
    ]
    lines = [document.lines[("ordered", "values", number)] for number in range(len(given.values))]
    return explicit_hierarchy(name, given.values, levels, where=where, lines=lines)


def _labels(level: Range, values: Sequence[str], position: dict[str, int], where: str) -> tuple[str, ...]:
    """The label of each value: of the range that it lies in."""
    for cut in level.cuts:
        if cut not in position:
            raise HierarchyError(
                phrase("the cut %(cut)s is not one of the values", cut=quoted(cut)),
                where=where,
                next_step=did_you_mean(cut, position),
            )
    starts = sorted({0, *(position[cut] for cut in level.cuts)})
    ranges = [(start, end - 1) for start, end in pairwise([*starts, len(values)])]
    labels = level.labels
    if labels is None:
        labels = [values[a] if a == b else f"{values[a]}..{values[b]}" for a, b in ranges]
    if len(labels) != len(ranges):
        raise HierarchyError(
            phrase("there are %(labels)s labels for %(ranges)s ranges", labels=len(labels), ranges=len(ranges)),
            where=where,
            next_step=phrase("Each cut starts a new range: give one label more than there are cuts."),
        )
    if len(set(labels)) < len(labels):
        raise HierarchyError(
            phrase("two ranges have the same label"),
            where=where,
            next_step=phrase("Give each range a label of its own."),
        )
    return tuple(labels[bisect_right(starts, number) - 1] for number in range(len(values)))


@dataclass(frozen=True, slots=True)
class ReadHierarchy:
    """A hierarchy and what a reader of the file should know: levels renumbered, a `*` added or renamed."""

    hierarchy: Hierarchy
    notes: tuple[str, ...] = ()


def read_hierarchy(path: Path, name: str, style: Style = "auto", *, sheet: str | None = None) -> ReadHierarchy:
    """The hierarchy in the file, called `name`.

    The file is YAML where it ends in `.yaml` or `.yml`, a sheet of a workbook where it ends as one does (see
    `read_sheet`), else CSV in this style (see `read_csv`). Raises HierarchyError with file, line and what to do.
    """
    if is_workbook(path):
        return ReadHierarchy(*read_sheet(path, name, style, sheet))
    if sheet is not None:
        step = phrase("Leave it out, or give an .xlsx or .ods file.")
        raise HierarchyError(phrase("only a workbook has sheets"), where="--sheet", next_step=step)
    if path.suffix.casefold() in {".yaml", ".yml"}:
        return ReadHierarchy(*read_yaml(path, name))
    return ReadHierarchy(*read_csv(path, name, style))
