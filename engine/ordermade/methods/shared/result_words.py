"""A result as it is shown, whatever its method: the figures of its release, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ordermade.display.cells import cell

if TYPE_CHECKING:
    from ordermade.methods.shared.result import Result

_MOST_LOSSES = 3

LEVEL_HEADINGS = ("quasi-identifier", "level", "level name")


def facts(result: Result) -> Iterator[tuple[str, Any]]:
    """The figures that every released request has; of another one the reason."""
    yield "reason", result.reason
    yield "k", result.k
    yield "rows", _rows(result)
    yield "loss", _losses(result)


def last_facts(result: Result) -> Iterator[tuple[str, Any]]:
    """The place of the release, its measured models and risks, and the warnings."""
    release = result.release
    yield "release", None if release is None else f"{release.path} ({release.rows:,} rows)"
    models = [(each.column, figure) for each, figure in zip(result.privacy, privacy_facts(result), strict=True)]
    yield from (figure for column, figure in models if column is not None)
    risks = [figure for column, figure in models if column is None]
    yield "risks", ", ".join(f"{name.removesuffix(' risk')} {cell(value)}" for name, value in risks) or None
    yield from (("warning", each) for each in result.warnings)


def cost(queries: int, seconds: float, *besides: str) -> str:
    """The statements that ran in the source and the seconds, in words."""
    return ", ".join([f"{queries:,} source {'query' if queries == 1 else 'queries'}", *besides, f"{seconds:.2f} s"])


def _rows(result: Result) -> str | None:
    if result.rows is None:
        return None
    words = f"{result.rows:,}" if result.divisions is None else f"{result.rows:,}, {result.divisions:,} classes"
    if not result.suppressed_rows:
        return words
    persons = "" if result.suppressed_persons is None else f" of {result.suppressed_persons:,} persons"
    return f"{words}, {result.suppressed_rows:,} rows{persons} suppressed"


def _losses(result: Result) -> str | None:
    """The metric `loss` first, where there is one, then the others in their order."""
    single = {name: value for name, value in result.loss.items() if isinstance(value, float | int)}
    names = sorted(single, key=lambda name: name != "loss")
    listed = [f"{name} {cell(single[name])}" for name in names[:_MOST_LOSSES]]
    more = len(names) - _MOST_LOSSES
    return ", ".join([*listed, *([f"{more} more"] if more > 0 else [])]) or None


def level_rows(levels: Mapping[str, int], names: Mapping[str, str]) -> list[tuple[str, int, str]]:
    """Column, level number and level name of each quasi-identifier."""
    return [(column, level, names[column]) for column, level in levels.items()]


def privacy_facts(result: Result) -> Iterable[tuple[str, Any]]:
    """The measured figures of each model and risk of the release."""
    for each in result.privacy:
        unmeasured = "holds where it was counted; the release alone does not show it"
        named = each.figure if each.column is None else f"{each.column}: {each.figure}"
        yield named, unmeasured if each.value is None else each.value
