"""A result as it is shown, whatever its method: the figures of its release, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordermade.methods.shared.result import Result

_MOST_LOSSES = 4

LEVEL_HEADINGS = ("quasi-identifier", "level", "level name")


def facts(result: Result) -> Iterator[tuple[str, Any]]:
    """The figures that every released request has; of another one the reason."""
    yield "reason", result.reason
    yield "k", result.k
    yield "classes", result.divisions
    yield "rows", result.rows
    persons = "" if result.suppressed_persons is None else f" of {result.suppressed_persons:,} persons"
    yield "suppressed", f"{result.suppressed_rows:,} rows{persons}" if result.suppressed_rows else None
    yield "loss", _losses(result)


def last_facts(result: Result) -> Iterator[tuple[str, Any]]:
    """The place of the release, the measured models and risks, and the warnings."""
    release = result.release
    yield "release", None if release is None else f"{release.path} ({release.rows:,} rows)"
    yield "warning", result.warnings[0] if result.warnings else None
    yield "more warnings", len(result.warnings) - 1 if len(result.warnings) > 1 else None
    yield from privacy_facts(result)


def _losses(result: Result) -> str | None:
    single = [(name, value) for name, value in result.loss.items() if isinstance(value, float | int)]
    listed = ", ".join(f"{name} {value:.6g}" for name, value in single[:_MOST_LOSSES])
    more = len(single) - _MOST_LOSSES
    return (f"{listed} and {more} more" if more > 0 else listed) or None


def level_rows(levels: Mapping[str, int], names: Mapping[str, str]) -> list[tuple[str, int, str]]:
    """Column, level number and level name of each quasi-identifier."""
    return [(column, level, names[column]) for column, level in levels.items()]


def privacy_facts(result: Result) -> Iterable[tuple[str, Any]]:
    """The measured figures of each model and risk of the release."""
    for each in result.privacy:
        unmeasured = "holds where it was counted; the release alone does not show it"
        named = each.figure if each.column is None else f"{each.column}: {each.figure}"
        yield named, unmeasured if each.value is None else each.value
