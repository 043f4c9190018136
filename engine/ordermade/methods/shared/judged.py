"""The judgement on what a request would release, and the end of a request that is judged alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ordermade.records.cards import Card, HasSummary

BesideAnswer: TypeAlias = Literal["safe", "breach", "undecided"]
"""Whether nothing follows about fewer than k persons, something does, or neither is proved."""

ForeseenBeside: TypeAlias = Literal["follows", "breach", "fails", "undecided", "open"]
"""What released figures alone decide: the answer follows from them, or is a breach, fails or is undecided; or not."""

FORESEEN_IN_WORDS: Mapping[ForeseenBeside, str] = {
    "follows": "safe: the answer follows from a release that its recipients have",
    "breach": "a breach, whatever the data are: it shows cells that tables hide",
    "fails": "refused, whatever the data are: a release shows too many rows in classes below k",
    "undecided": "undecided, whatever the data are: its classes are of no one level",
    "open": "to be judged on the data",
}
"""Each in words."""

AFTER_BREACH = (
    "Request coarser levels, or those of an earlier release: `ordermade ledger check` judges a request first."
)
"""The next step where a release is refused for what its readers have already."""


@dataclass(frozen=True, slots=True, repr=False)
class RequestBeside(HasSummary):
    """The judgement on what a request would release, beside what its recipients have."""

    answer: BesideAnswer | None
    """`safe`, `breach` or `undecided`; null where the request would release nothing anyway."""
    recipients: tuple[str, ...]
    """Who would get it."""
    releases: tuple[int, ...] = ()
    """The releases that the answer takes."""
    reasons: tuple[str, ...] = ()
    """The reasons, in words: of a breach levels whose classes it takes."""
    changed: bool = False
    """Whether the data have changed since one of these releases, so that no review is spared."""
    levels: tuple[str, ...] = ()
    """The columns of the request with the levels that it would release, those at `*` left out."""
    safe_levels: tuple[str, ...] = ()
    """Of a breach: coarser levels at which the release would be safe; none where none were found."""
    safe_without: tuple[Mapping[str, str], ...] = ()
    """Of a breach by tables of changed data: cells without which they would be safe, as `suppress` of a request."""
    safe_later: bool = False
    """Of a breach by changed data: whether the release is safe once k persons or more have changed in each class."""
    entries: tuple[int, ...] = ()
    """The entries of the ledger that the answer takes: of those releases, and of what was made elsewhere."""
    refused: str | None = None
    """Why the request would release nothing, whatever was released before."""

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The judgement as a card has it."""
        facts = [
            ("answer", self.answer or "nothing would be released"),
            ("for", ", ".join(self.recipients)),
            ("levels", ", ".join(self.levels)),
            ("safe instead", ", ".join(self.safe_levels)),
            ("safe without", "; ".join(", ".join(each.values()) for each in self.safe_without)),
            ("safe later", "once k or more have changed in each class" if self.safe_later else ""),
            ("beside releases", ", ".join(map(str, self.releases))),
            ("beside entries", ", ".join(map(str, self.entries)) if len(self.entries) > len(self.releases) else ""),
            ("because", "; ".join(self.reasons) or self.refused or ""),
            ("data changed since", "yes" if self.changed else ""),
        ]
        return tuple((name, value) for name, value in facts if value)

    def _card(self) -> Card:
        return Card.of("Beside earlier releases", self.facts)


class JudgedOnly(Exception):
    """A request ended once it was judged beside earlier releases, as was wanted: `beside` is the judgement."""

    def __init__(self, beside: RequestBeside) -> None:
        super().__init__("judged beside earlier releases, and not released")
        self.beside = beside
