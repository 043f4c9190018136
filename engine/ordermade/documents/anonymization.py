"""The documents of `ordermade anonymize`: an answer, with the proposal that it was made by; one for each method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

from ordermade.drafts.text_column import Unread
from ordermade.records.printed import printed
from ordermade.release.files import manifest_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ordermade.anonymization.anonymized import Anonymized, ComparedRelease
    from ordermade.drafts.roles import ProposedRole
    from ordermade.methods.generalization.result import GeneralizationResult
    from ordermade.methods.microaggregation.result import MicroaggregationResult
    from ordermade.methods.mondrian.result import MondrianResult
    from ordermade.methods.shared.result import ReleaseReport, Result
    from ordermade.offers.offer import Offer


@dataclass(frozen=True, slots=True)
class ReadAs:
    """A column of texts that is read as numbers, dates or others."""

    column: str
    """Its name."""
    kind: str = field(metadata=printed("as"))
    """The way its texts are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anonymization:
    """A table was anonymised."""

    result: Result = field(metadata=printed(spread=True))
    """The answer."""
    method: str
    """The method."""
    release_report: ReleaseReport | None
    """The release; null of a refusal, and with `--dry-run`."""
    release: Path | None
    """The file of the release; null likewise."""
    manifest: Path | None
    """The manifest beside it; null likewise."""
    folder: Path | None
    """The folder with the request and the hierarchies; null likewise."""
    roles: Sequence[ProposedRole]
    """The role of each column."""
    entity: str | None
    """The column that identifies persons, whom k counts; null where k counts rows."""
    readings: Sequence[ReadAs]
    """The columns that are read as numbers, dates or others."""
    unread: Sequence[Unread]
    """The columns of texts that are left as they are."""
    compared: Sequence[ComparedRelease]
    """With `--compare` and `--method best`: the releases by other methods."""
    offers: Sequence[Offer]
    """Of a refusal: what passes instead."""
    dry_run: bool = False
    """Whether the release was made and measured, and not kept (`--dry-run`)."""
    report: Path | None = field(default=None, metadata=printed(optional=True))
    """With `--html`: the page of the report, where one was written."""

    @classmethod
    def of(cls, answer: Anonymized, report: Path | None) -> Anonymization:
        """The answer to a call; `report`: the page that was written."""
        proposal, outputs, released = answer.proposal, answer.outputs, answer.result.released and not answer.is_dry
        return cls(
            result=answer.result,
            method=answer.method,
            release_report=answer.result.release if released else None,
            release=outputs.release if released else None,
            manifest=manifest_of(outputs.release) if released else None,
            folder=outputs.folder if released else None,
            roles=proposal.plan.roles,
            entity=proposal.wanted.entity,
            readings=tuple(ReadAs(each.column, each.reason) for each in proposal.readings),
            unread=tuple(Unread(each.column, each.reason) for each in proposal.unread),
            compared=answer.compared,
            offers=() if answer.offers is None else answer.offers.offers,
            dry_run=answer.is_dry,
            report=report,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizationAnonymized(Anonymization):
    """A table was anonymised by generalisation."""

    result: GeneralizationResult = field(metadata=printed(spread=True))
    """The answer."""
    method: Annotated[str, Literal["full-domain", "local"]]
    """The method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MondrianAnonymized(Anonymization):
    """A table was anonymised by Mondrian."""

    result: MondrianResult = field(metadata=printed(spread=True))
    """The answer."""
    method: Annotated[str, Literal["mondrian"]]
    """The method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroaggregationAnonymized(Anonymization):
    """A table was anonymised by microaggregation."""

    result: MicroaggregationResult = field(metadata=printed(spread=True))
    """The answer."""
    method: Annotated[str, Literal["microaggregation"]]
    """The method."""
