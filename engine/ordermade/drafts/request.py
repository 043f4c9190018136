"""The text of a request file, drafted: every part of it in its place, with comments that say what to edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from ordermade.requests.model import COUNT, MissingValues
from ordermade.requests.written import written

DraftedMethod: TypeAlias = Literal["full-domain", "local", "mondrian", "microaggregation"]
"""The methods of drafted requests: `full-domain` and `local` are generalisation, the second with sealed classes."""

_FOLD_AT = 100
_LONGEST_KEY = 1000


@dataclass(frozen=True, slots=True)
class RequestDraft:
    """The contents of a request file to draft.

    `hierarchies`: the quasi-identifiers, in order, each with the name of its hierarchy; None where it has none (a
    number that is microaggregated). `missing`: what becomes of their missing values. `sensitive`: the models by column.
    `to`: the file or the table of the release; `count`: the head of the counts of a table; `csv`: the options of a CSV
    file. `generalised`: the columns that are not released as they are.
    """

    dataset: str
    k: int
    hierarchies: Mapping[str, str | None]
    to: str | Mapping[str, str]
    title: str = ""
    head: Sequence[str] = ()
    method: DraftedMethod = "full-domain"
    suppression_limit: Decimal = Decimal(0)
    objective: str = "loss"
    where: str | None = None
    sensitive: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    identifiers: Sequence[str] = ()
    keep: Sequence[str] = ()
    allow_identifying: Sequence[str] = ()
    shape: Literal["rows", "table"] = "rows"
    count: str = COUNT
    csv: Mapping[str, str] = field(default_factory=dict)
    seconds: int | None = None
    missing: MissingValues = "category"
    generalised: frozenset[str] = frozenset()


def drafted_request(draft: RequestDraft) -> str:
    """The YAML text of a request file."""
    return "\n".join(_lines(draft)) + "\n"


def _lines(draft: RequestDraft) -> Iterator[str]:
    generalised = draft.method in ("full-domain", "local")
    for line in draft.head:
        yield f"# {line}".rstrip()
    if draft.title:
        yield f"title: {written(draft.title)}"
    yield f"dataset: {written(draft.dataset)}"
    if draft.where is not None:
        yield f"where: {written(draft.where)}"
    if not generalised:
        yield f"method: {draft.method}"
    yield f"k: {draft.k}"
    if generalised:
        yield f"suppression_limit: {draft.suppression_limit.normalize():f}   # of the rows, at most"
    if draft.method == "local":
        yield "recoding: local   # rare rows are coarser than the others"
    yield from _quasi_identifiers(draft)
    if draft.sensitive:
        yield "sensitive:   # released as they are; each class keeps to the models"
        for column, models in draft.sensitive.items():
            yield _entry(column, f"[{', '.join(map(written, models))}]")
    yield from _list("identifiers", draft.identifiers, "never released")
    yield from _list("keep", draft.keep, "released as they are")
    yield from _list("allow_identifying", draft.allow_identifying, "about as many values as rows")
    if generalised:
        yield from _search(draft)
    elif draft.method == "mondrian":
        yield "mondrian: {variant: hierarchy}"
    release: dict[str, Any] = {"to": draft.to}
    if draft.shape != "rows":
        release["shape"] = draft.shape
    if draft.count != COUNT:
        release["count"] = draft.count
    if draft.csv:
        release["csv"] = draft.csv
    yield f"release: {written(release)}"


def _quasi_identifiers(draft: RequestDraft) -> Iterator[str]:
    if draft.method == "microaggregation":
        yield "attributes:   # values of near records are replaced by one value of their group"
    else:
        yield "quasi_identifiers:   # `from: 1` and `to: 2` in the braces bound the levels of a column"
    for column, hierarchy in draft.hierarchies.items():
        options: dict[str, str | int] = {} if hierarchy is None else {"hierarchy": hierarchy}
        if hierarchy is not None and column in draft.generalised and draft.method != "microaggregation":
            options["from"] = 1
        if draft.missing != "category":
            options["missing"] = draft.missing
        yield _entry(column, written(options))


def _entry(column: str, value: str) -> str:
    """The line of a column in a mapping; two lines where its name is longer than a key of YAML on one may be."""
    key = written(column)
    return f"  {key}: {value}" if len(key) <= _LONGEST_KEY else f"  ? {key}\n  : {value}"


def _search(draft: RequestDraft) -> Iterator[str]:
    search: dict[str, Any] = {"objective": draft.objective}
    if draft.seconds is not None:
        search["budget"] = {"seconds": draft.seconds}
    yield f"search: {written(search)}"


def _list(key: str, columns: Sequence[str], note: str) -> Iterator[str]:
    """A list of columns: on one line where it is short."""
    if not columns:
        return
    line = f"{key}: {written(list(columns))}"
    if len(line) <= _FOLD_AT:
        yield f"{line}   # {note}"
        return
    yield f"{key}:   # {note}"
    yield from (f"  - {written(column)}" for column in columns)
