"""What a page shows of a request's text: its facts, and how two texts differ."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml

from ordermade.errors import RequestError
from ordermade.requests.read import read_request

if TYPE_CHECKING:
    from ordermade.service.user_catalogue import OfferedDataset


@dataclass(frozen=True, slots=True)
class RequestColumn:
    """A column of a request: what becomes of it (`generalised`, `kept`, `sensitive` or `other`), and how far."""

    name: str
    use: str
    hierarchy: str = ""
    finest: str = ""
    coarsest: str = ""


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """The facts of a request; `text` alone where this engine cannot read it any more."""

    text: str
    title: str = ""
    method: str = ""
    recoding: str = ""
    k: int | None = None
    suppression: str = ""
    where: str = ""
    shape: str = ""
    columns: tuple[RequestColumn, ...] = ()

    @property
    def commented(self) -> tuple[str, ...]:
        """What of it has a place for comments of its own where it is shown, as comments name it."""
        limit = ("suppression",) if self.suppression else ()
        return () if self.k is None else ("k", *limit, "filter", *(f"column:{each.name}" for each in self.columns))

    @classmethod
    def of(cls, text: str, dataset: OfferedDataset | None = None) -> RequestFacts:
        """The facts of a text; levels by name as far as the hierarchies of `dataset` have one."""
        try:
            asked = read_request(text).request
        except RequestError:
            return cls(text)
        limit = getattr(asked, "suppression_limit", None)
        return cls(
            text,
            asked.title,
            asked.method,
            getattr(asked, "recoding", "") or "",
            asked.k,
            "" if limit is None else f"{float(limit) * 100:g} %",
            asked.where or "",
            asked.release.shape,
            tuple(_columns(asked, _level_names(dataset))),
        )


@dataclass(frozen=True, slots=True)
class DifferingLine:
    """A line of a request: in both (` `), in the earlier alone (`-`), or in the later (`+`)."""

    sign: str
    text: str


def difference(before: str, after: str) -> tuple[DifferingLine, ...]:
    """The lines of two texts, with what differs marked; empty where they are the same."""
    if before == after:
        return ()
    lines = difflib.ndiff(_in_lines(before), _in_lines(after))
    return tuple(DifferingLine(each[0], each[2:]) for each in lines if each[0] in " -+")


def _in_lines(text: str) -> list[str]:
    """The lines of a request, each field on one of its own however it was written."""
    with suppress(yaml.YAMLError):
        text = yaml.safe_dump(yaml.safe_load(text), allow_unicode=True, sort_keys=False)
    return text.splitlines()


def _level(named: int | str | None) -> str:
    return "" if named is None else str(named)


def _level_names(dataset: OfferedDataset | None) -> dict[tuple[str, str], str]:
    columns = () if dataset is None else dataset.columns
    found = [each for column in columns for each in column.hierarchies]
    return {(each.name, str(level.number)): level.name for each in found for level in each.levels}


def _columns(asked: object, names: dict[tuple[str, str], str]) -> Iterator[RequestColumn]:
    for name, each in getattr(asked, "quasi_identifiers", {}).items():
        hierarchy = getattr(each, "hierarchy", None) or ""
        finest, coarsest = (_level(getattr(each, key, None)) for key in ("from_level", "to_level"))
        finest, coarsest = (names.get((hierarchy, level), level) for level in (finest, coarsest))
        yield RequestColumn(name, "generalised", hierarchy, finest, coarsest)
    for name in getattr(asked, "attributes", {}):
        yield RequestColumn(name, "other")
    for name, _ in getattr(asked, "places", ()):
        yield RequestColumn(name, "other")
    for name in getattr(asked, "sensitive", {}):
        yield RequestColumn(name, "sensitive")
    for name in getattr(asked, "keep", ()):
        yield RequestColumn(name, "kept")
