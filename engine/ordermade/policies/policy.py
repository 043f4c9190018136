"""The policy file of a dataset, read with the line of every field: a `Policy`, or all mistakes at once.

A policy is stored as canonical JSON, numbers exact as they were written, and known by the hash of that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, Field, StrictBool, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from ordermade.policies.amounts import Count, Length, Period, Reviews, Share, length_of
from ordermade.policies.scales import Scales
from ordermade.privacy.models import MODELS
from ordermade.requests.generalization import Models
from ordermade.requests.mistakes import mistakes_in, words_of
from ordermade.requests.model import K, LevelReference, Name, Part
from ordermade.requests.problems import FieldPath, RequestProblem, field_name, line_of, refusal
from ordermade.requests.read import Kind, LocatedDocument, exact_json, file_text, read_document

POLICY = Kind(
    "policy", "write at least dataset, and what requests on it must keep", "write dataset: NAME, k: 10 and so on"
)
TEXT = "policy"
"""The file name in messages about a policy that was not read from a file."""

TERMS_ENDINGS = (".txt", ".md")
"""The endings by which `terms` names a file."""

Columns: TypeAlias = tuple[Name, ...]


class Never(Part):
    """Columns that no request may use in one way or another."""

    ask: Columns = Field(
        default=(),
        description="Columns that no request may use at all: neither released, nor grouped by, nor filtered on.",
        examples=[["name"]],
    )
    keep: Columns = Field(
        default=(),
        description="Columns that no request may release as they are: neither kept nor sensitive.",
        examples=[["income"]],
    )
    filter: Columns = Field(default=(), description="Columns that no row filter may use.", examples=[["age"]])


class Filters(Part):
    """The row filters of requests."""

    persons: Count | None = Field(
        default=None,
        description="The fewest persons (rows, without an entity column) that a filter lets pass, and the fewest that "
        "it leaves out. Left out: the least k for submitted requests, any number for the provider's own.",
        examples=[20],
    )
    apart: Count | None = Field(
        default=None,
        description="The fewest persons (rows, without an entity column) in which the rows of a request may differ "
        "from those of any release of the dataset so far, to either side; the same rows may be released again. They "
        "are compared as they are now, not as they were before the data or the opt-outs changed. Left out: any number.",
        examples=[20],
    )
    confirmed: tuple[Name, ...] = Field(
        default=(),
        description="The row filters of releases by earlier versions that no rows can be compared with any more, as "
        "the message has them: the provider looked at these releases, and `apart` passes over them. Left out: none.",
        examples=[['MONTH("joined") = 4']],
    )
    values: Count | None = Field(
        default=None,
        description="The fewest persons (rows, without an entity column) who have a value that a filter compares for "
        "equality, begins with or asks for as missing or true. Left out: the least k.",
        examples=[20],
    )
    borders: Mapping[Name, Name] = Field(
        default={},
        description="The registered hierarchy of a column, of intervals or dates, at the borders of whose classes "
        "users part it by <, >= and so on, no finer than `finest`. Left out: that of the column's own name; without "
        "one they do not part it.",
        examples=[{"income": "income bands"}],
    )
    released_only: StrictBool = Field(
        default=False,
        description="`true`: a filter uses only columns that the request releases, and keeps together what any level "
        "that it accepts of them keeps together; those of users use a column whose hierarchy lists the values only "
        "where level 0 alone is accepted. `false`: any column.",
        examples=[True],
    )


class Recipient(Part):
    """The terms of one recipient, beside those of everybody."""

    k: K | None = Field(default=None, description="The least k of their requests.", examples=[10])
    columns: Columns | None = Field(
        default=None,
        description="The only columns that their requests may use. Left out: all that others may use.",
        examples=[["age", "sex"]],
    )
    requests: Count | None = Field(
        default=None, description="The most requests that they may submit in a period.", examples=[5]
    )
    per: Period = Field(default="month", description="The period.", examples=["month"])


class Quota(Part):
    """The most requests of a recipient in a period."""

    requests: Count = Field(description="The most requests that a recipient may submit in a period.", examples=[20])
    per: Period = Field(default="month", description="The period.", examples=["month"])


class Refusals(Part):
    """The most refusals that only the data decide, of each recipient in a period."""

    most: Count = Field(
        default=10,
        description="The most revisions of a recipient's requests that the data refuse, or send back to review, or "
        "that a forecast proves to fail. After that the recipient submits and revises no more, and nothing is approved "
        "without a review.",
        examples=[5],
    )
    per: Period = Field(default="month", description="The period.", examples=["month"])


class Forecasts(Part):
    """The most forecasts that each recipient has while choosing, in a period."""

    most: Count = Field(
        default=500,
        description="The most different requests that a recipient has a forecast of before submitting one; the same "
        "request again counts once. After that requests are submitted without.",
        examples=[100],
    )
    per: Period = Field(default="day", description="The period.", examples=["day"])


class Automatic(Part):
    """The bounds within which a request is approved without a review."""

    k: K = Field(description="The least k of such a request.", examples=[20])
    suppression: Share = Field(
        default=Decimal(0), description="The greatest suppression limit of such a request.", examples=["0 %"]
    )
    columns: Columns = Field(description="The only columns that such a request uses.", examples=[["age", "sex"]])


class Retention(Part):
    """The times after which records go."""

    cache: Length | None = Field(
        default=None, description="Of frequency sets, after they were last used.", examples=["30 days"]
    )
    releases: Length | None = Field(default=None, description="Of releases.", examples=["365 days"])
    requests: Length | None = Field(default=None, description="Of requests.", examples=["5 years"])


class Beside(Part):
    """What becomes of a release that its readers could join with earlier ones."""

    breach: Literal["refuse", "review"] = Field(
        default="refuse",
        description="Where they could work out something about fewer than k persons: `refuse`, or `review`, which "
        "leaves it to a reviewer.",
        examples=["review"],
    )
    undecided: Literal["review", "refuse"] = Field(
        default="review",
        description="Where neither that nor its opposite is proved. Nothing that needs a review is released by an "
        "automatic approval.",
        examples=["refuse"],
    )
    bits: Count | None = Field(
        default=None,
        description="The most bits that answers may tell the recipients of a pool about the data, beyond the figures "
        "that were released: an answer that these figures do not decide tells up to 2.3 bits. After that a reviewer "
        "decides such requests. Left out: any number.",
        examples=[100],
    )


class Policy(Part):
    """The rules that requests on one dataset keep. Of these and the options of `dataset add` the stricter one holds."""

    dataset: Name = Field(description="Name of the registered dataset.", examples=["members"])
    k: K | None = Field(
        default=None,
        description="The least k of requests; no smaller count is shown. Left out: that of the dataset.",
        examples=[5],
    )
    ks: tuple[K, ...] = Field(
        default=(),
        description="The only values of k that requests may have, so that no size is found out by trying one after "
        "the other. Left out: any from the least up.",
        examples=[[5, 10, 20, 50]],
    )
    suppression: Share | None = Field(
        default=None, description="The greatest suppression limit of requests. Left out: any.", examples=["2 %"]
    )
    scales: Scales = Field(
        default_factory=Scales,
        description="The only values of every other number on a scale that decides whether a request passes. Left out: "
        "a list for each.",
        examples=[{"suppression": ["0 %", "1 %"], "t": [0.2, 0.3]}],
    )
    models: Mapping[Name, Models] = Field(
        default={},
        description="Columns of which values are released only under models, written as in a request: at least these.",
        examples=[{"plan": [{"model": "distinct_l", "l": 2}]}],
    )
    never: Never = Field(
        default_factory=Never, description="Columns that no request may use.", examples=[{"ask": ["name"]}]
    )
    finest: Mapping[Name, LevelReference] = Field(
        default={},
        description="The finest level, by name or number, at which a column may be released. A request that names no "
        "`from` begins there. Filters keep its classes together; users do not filter the column where its hierarchy "
        "lists the values.",
        examples=[{"age": "5 years"}],
    )
    labels: Columns = Field(
        default=(),
        description="Columns whose registered hierarchies list values that everybody may know, and none that is a "
        "person's: prefectures, for one. Users read these values, and upload hierarchies that group them. Left out: "
        "none.",
        examples=[["prefecture"]],
    )
    filters: Filters = Field(
        default_factory=Filters, description="The bounds on row filters.", examples=[{"persons": 20}]
    )
    recipients: Mapping[Name, Recipient] = Field(
        default={},
        description="The users who may submit requests, by name, each with terms of their own. Left out: every user.",
        examples=[{"hokkaido": {"k": 10, "requests": 5, "per": "month"}}],
    )
    quota: Quota | None = Field(
        default=None,
        description="The most requests of each recipient in a period.",
        examples=[{"requests": 20, "per": "month"}],
    )
    refusals: Refusals = Field(
        default_factory=Refusals,
        description="The most refusals that only the data decide, of each recipient in a period: each tells something.",
        examples=[{"most": 5, "per": "month"}],
    )
    forecasts: Forecasts = Field(
        default_factory=Forecasts,
        description="The most forecasts that each recipient has while choosing, in a period, of different requests.",
        examples=[{"most": 100, "per": "day"}],
    )
    terms: Name | None = Field(
        default=None,
        description="The terms that a recipient accepts first: their text, or a file that ends in .txt or .md, looked "
        "up from the folder of the policy file.",
        examples=["terms.txt"],
    )
    reviews: Reviews = Field(
        default=1, description="The number of independent reviews that approve a request, 0 to 10.", examples=[2]
    )
    automatic: Automatic | None = Field(
        default=None,
        description="The bounds within which a request is approved without a review. Left out: none is.",
        examples=[{"k": 20, "columns": ["age", "sex"]}],
    )
    pools: tuple[tuple[Name, ...], ...] | None = Field(
        default=None,
        description="Recipients who may join what they have: each release is judged beside all that its pool has. "
        "Who is in no pool stands alone; releases that the provider runs are for anyone, who is in every pool. Left "
        "out: all recipients may.",
        examples=[[["hokkaido", "tohoku"], ["kyushu"]]],
    )
    beside: Beside = Field(
        default_factory=Beside,
        description="The outcome of the judgement of a release beside those that its readers have.",
        examples=[{"undecided": "refuse"}],
    )
    retention: Retention = Field(
        default_factory=Retention,
        description="The times after which records go. Left out: they stay.",
        examples=[{"cache": "30 days"}],
    )
    expiry: Length | None = Field(
        default=None,
        description="The time after which a submitted request that was not delivered expires. Left out: never.",
        examples=["90 days"],
    )

    @model_validator(mode="after")
    def _within_its_floor(self) -> Policy:
        below = [each for each in self.ks if self.k is not None and each < self.k]
        if below:
            raise PydanticCustomError(
                "below_floor",
                "ks has {below}, below the least k of {k}; take it out",
                {"below": below[0], "k": self.k},
            )
        if self.automatic is not None and self.k is not None and self.automatic.k < self.k:
            raise PydanticCustomError(
                "automatic_floor",
                "automatic has a k of {below}, below the least k of {k}; write {k} or more",
                {"below": self.automatic.k, "k": self.k},
            )
        return self

    @property
    def canonical(self) -> str:
        """The one text of the policy, as JSON without what is left out; numbers are exact."""
        return exact_json(self.model_dump(mode="python", by_alias=True, exclude_defaults=True), canonical=True)

    @property
    def hash(self) -> str:
        """The SHA-256 of the canonical text, in hex."""
        return hashlib.sha256(self.canonical.encode()).hexdigest()

    @property
    def terms_hash(self) -> str | None:
        """The SHA-256 of the terms, in hex, by which they are accepted; None where there are none."""
        return None if self.terms is None else hashlib.sha256(self.terms.encode()).hexdigest()

    @property
    def columns(self) -> tuple[tuple[str, FieldPath], ...]:
        """Every column that the policy names, with the field that names it."""
        never = [(key, getattr(self.never, key)) for key in ("ask", "keep", "filter")]
        lists: list[tuple[FieldPath, Iterable[str]]] = [(("never", key), names) for key, names in never]
        for name, recipient in self.recipients.items():
            lists.append((("recipients", name, "columns"), recipient.columns or ()))
        lists.append((("labels",), self.labels))
        lists.append((("automatic", "columns"), () if self.automatic is None else self.automatic.columns))
        found: list[tuple[str, FieldPath]] = [
            (each, (*path, place)) for path, names in lists for place, each in enumerate(names)
        ]
        found += [(each, ("models", each)) for each in self.models]
        found += [(each, ("filters", "borders", each)) for each in self.filters.borders]
        return (*found, *((each, ("finest", each)) for each in self.finest))

    @property
    def never_filtered(self) -> tuple[str, ...]:
        """The columns that no row filter may use."""
        return tuple(dict.fromkeys((*self.never.ask, *self.never.filter, *self.models)))

    def expires_after(self) -> timedelta | None:
        """The time after which a submitted request that was not delivered expires; None: never."""
        return None if self.expiry is None else length_of(self.expiry)

    def kept_for(self, what: Literal["cache", "releases", "requests"]) -> timedelta | None:
        """The time after which such records go; None: they stay."""
        text: str | None = getattr(self.retention, what)
        return None if text is None else length_of(text)

    def with_least_k(self, least_k: int) -> Policy:
        """The same with the stricter of its least k and another one."""
        return self.model_copy(update={"k": max(self.k or 0, least_k)})


def stored_policy(text: str) -> Policy:
    """The policy of a canonical text."""
    return Policy.model_validate(json.loads(text, parse_float=Decimal))


@dataclass(frozen=True, slots=True)
class ReadPolicy(LocatedDocument):
    """A policy as read: the model, the text it came from, the file, and each field's line."""

    UNNAMED = TEXT
    KIND = POLICY.name
    policy: Policy
    text: str = ""
    path: Path | None = None
    lines: Mapping[str, int] = field(default_factory=dict)


def read_policy(source: Path | str | Mapping[str, Any]) -> ReadPolicy:
    """The policy in a file (a `Path`), a YAML text (a `str`) or a mapping.

    Raises:
        RequestError: the file cannot be read or holds no policy; `problems` has every mistake with its line.
    """
    if isinstance(source, Mapping):
        return ReadPolicy(_validated(source, {}, TEXT, Path()))
    text = file_text(source, "policy") if isinstance(source, Path) else source.removeprefix("\ufeff")
    path = source if isinstance(source, Path) else None
    where = str(path) if path else TEXT
    document = read_document(text, where, POLICY)
    lines = {field_name(at): line for at, line in document.lines.items()}
    folder = Path() if path is None else path.parent
    return ReadPolicy(_validated(document.content, lines, where, folder), text, path, lines)


def _validated(content: Mapping[str, Any], lines: Mapping[str, int], where: str, folder: Path) -> Policy:
    try:
        policy = Policy.model_validate(content)
    except ValidationError as error:
        # The values pydantic would chain to the error are left out: the problems are complete.
        raise refusal(_problems(error, lines), where, POLICY.name) from None
    terms = policy.terms
    if terms is None or "\n" in terms or not terms.lower().endswith(TERMS_ENDINGS):
        return policy
    text = file_text(folder / terms, "terms")
    if not text.strip():
        problem = RequestProblem("the file is empty", "write the terms into it", ("terms",), line_of(("terms",), lines))
        raise refusal([problem], where, POLICY.name)
    return policy.model_copy(update={"terms": text})


_MODEL = 3
"""The position of the tag of a privacy model in pydantic's paths: models, column, position, tag."""
_PARTS: Mapping[str, type[BaseModel]] = {
    "scales": Scales,
    "never": Never,
    "filters": Filters,
    "quota": Quota,
    "refusals": Refusals,
    "forecasts": Forecasts,
    "automatic": Automatic,
    "beside": Beside,
    "retention": Retention,
}


def _problems(error: ValidationError, lines: Mapping[str, int]) -> list[RequestProblem]:
    """One problem a mistake."""
    found = []
    for details in mistakes_in(error):
        path: FieldPath = tuple(part for part in details["loc"] if part != "[key]")
        part = _part_of(path)
        if path[:1] == ("models",) and len(path) > _MODEL:
            path = (*path[:_MODEL], *path[_MODEL + 1 :])
        what, instead = words_of(details, path, part)
        found.append(RequestProblem(what, instead, path, line_of(path, lines)))
    return found


def _part_of(path: FieldPath) -> type[BaseModel] | None:
    """The model of the mapping that has the field at a path, the tag of a privacy model in it."""
    if path[:1] == ("models",) and len(path) > _MODEL:
        named = MODELS.get(str(path[_MODEL]))
        return None if named is None else named.part
    if path[:1] == ("recipients",) and len(path) > 2:
        return Recipient
    if len(path) > 1:
        return _PARTS.get(str(path[0]))
    return Policy
