"""The types of the document of `ordermade anonymize`."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from typing_extensions import Doc, TypedDict

from ordermade.cli.documents.types.offer import Offer
from ordermade.cli.documents.types.opening import Opening
from ordermade.cli.documents.types.result import (
    GeneralizationAnswer,
    MicroaggregationAnswer,
    MondrianAnswer,
    ReleaseReport,
)


class ColumnRole(TypedDict):
    """The role of a column."""

    column: str
    """Its name."""
    role: Literal["identifier", "quasi-identifier", "sensitive", "kept"]
    """Its role; an identifier is left out of the release."""
    reason: str
    """The reason for it."""


# `as` is a word of Python's own: the class that has it is made by a call.
_As = TypedDict("_As", {"as": Annotated[str, Doc("The way its texts are read.")]})


class Reading(_As):
    """A column of texts that is read as numbers, dates or others."""

    column: str
    """Its name."""


class Unread(TypedDict):
    """A column of texts that is left as it is."""

    column: str
    """Its name."""
    reason: str
    """The reason why it is not read otherwise."""


class ComparedRelease(TypedDict):
    """A release by another method, by its figures alone."""

    method: Literal["full-domain", "local", "mondrian", "microaggregation"]
    """The method."""
    loss: float | None
    """The Loss, suppressed rows counting as `*`; null where nothing passes."""
    suppressed_rows: int | None
    """The suppressed rows; null where fewer than the least k."""
    reason: str | None
    """The reason why nothing passes."""


class Anonymization(Opening):
    """The keys of every answer of `anonymize` beside those of its method."""

    command: Literal["anonymize"]
    """`anonymize`."""
    release_report: ReleaseReport | None
    """The release; null of a refusal."""
    release: str | None
    """The file of the release; null of a refusal."""
    manifest: str | None
    """The manifest beside it; null of a refusal."""
    folder: str | None
    """The folder with the request and the hierarchies; null of a refusal."""
    roles: list[ColumnRole]
    """The role of each column."""
    readings: list[Reading]
    """The columns that are read as numbers, dates or others."""
    unread: list[Unread]
    """The columns of texts that are left as they are."""
    compared: list[ComparedRelease]
    """With `--compare` and `--method best`: the releases by other methods."""
    offers: list[Offer]
    """Of a refusal: what passes instead."""
    report: NotRequired[str]
    """With `--html`: the page of the report, where one was written."""


class GeneralizationAnonymized(Anonymization, GeneralizationAnswer):
    """A table was anonymised by generalisation."""

    method: Literal["full-domain", "local"]
    """The method."""


class MondrianAnonymized(Anonymization, MondrianAnswer):
    """A table was anonymised by Mondrian."""

    method: Literal["mondrian"]
    """The method."""


class MicroaggregationAnonymized(Anonymization, MicroaggregationAnswer):
    """A table was anonymised by microaggregation."""

    method: Literal["microaggregation"]
    """The method."""
