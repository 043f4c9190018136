"""The rounds of local recoding as a manifest or the JSON of a request lists them: the levels of each, in order."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordermade.errors import InputError, quoted
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.privacy.released_labels import ReleasedColumn
from ordermade.requests.columns import stored_column

NEXT = "Give the manifest of the release, or what `ordermade request run --again --json` printed."


MAX_BYTES = 2**28
"""Of a file of rounds."""


@dataclass(frozen=True, slots=True)
class KnownRounds:
    """The rounds in order: the level of each column, by name; `source`: where they were read, for messages."""

    levels: tuple[Mapping[str, int | str], ...]
    source: str


def rounds_in(path: Path) -> KnownRounds:
    """The rounds in a file. Raises InputError where it cannot be read or lists none."""
    where = str(path)
    if path.exists() and not path.is_file():
        raise InputError("this is no regular file", where=where, next_step=NEXT)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError("the file is too large to be a list of rounds", where=where, next_step=NEXT)
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        what = f"the file cannot be read ({error.strerror or type(error).__name__})"
        raise InputError(what, where=where, next_step=NEXT) from None
    except (ValueError, RecursionError):
        raise InputError("the file is not JSON", where=where, next_step=NEXT) from None
    return known_rounds(listed_rounds(content), where)


def listed_rounds(content: Any) -> Sequence[Any]:
    """The list of rounds in a manifest, in the JSON of a request's answer, or by itself; empty where there is none."""
    if isinstance(content, Mapping):
        local = content.get("local")
        content = local.get("rounds") if isinstance(local, Mapping) else content.get("rounds")
    return content if isinstance(content, list | tuple) else ()


def known_rounds(listed: Sequence[Any], source: str) -> KnownRounds:
    """The rounds of such a list. Raises InputError where there are none, or one of them has no levels."""
    if not listed:
        raise InputError("no rounds are listed", where=source, next_step=NEXT)
    found = []
    for number, each in enumerate(listed, start=1):
        levels = each.get("levels") if isinstance(each, Mapping) else None
        if not isinstance(levels, Mapping) or not all(isinstance(level, int | str) for level in levels.values()):
            raise InputError(f"round {number} has no `levels` by column", where=source, next_step=NEXT)
        found.append({str(column): level for column, level in levels.items()})
    return KnownRounds(tuple(found), source)


def nodes_of(
    rounds: KnownRounds, columns: Sequence[ReleasedColumn], hierarchies: Mapping[str, Hierarchy]
) -> tuple[tuple[int | None, ...], ...]:
    """The level of each column in each round; None for a column without a hierarchy.

    Raises InputError for a level that its hierarchy does not have, a column that is missing, and one too many.
    """
    names = [each.name for each in columns]
    found = []
    for number, levels in enumerate(rounds.levels, start=1):
        stored = {stored_column(name, names) if _is_known(name, names) else name: at for name, at in levels.items()}
        further = [name for name in stored if name not in names]
        if further:
            raise InputError(
                f"round {number} has a level of {quoted(further[0])}, which is not among the columns judged",
                where=rounds.source,
                next_step="Give its hierarchy with --hierarchy, or name it among --columns.",
            )
        node: list[int | None] = []
        for name in names:
            hierarchy = hierarchies.get(name)
            level = None if hierarchy is None or name not in stored else hierarchy.level_number(stored[name])
            if hierarchy is not None and level is None:
                raise InputError(
                    f"round {number} has no level of {quoted(name)} that its hierarchy has",
                    where=rounds.source,
                    next_step="Give the rounds of this release, and the hierarchies that it was made with.",
                )
            node.append(level)
        found.append(tuple(node))
    return tuple(found)


def _is_known(name: str, names: Sequence[str]) -> bool:
    return any(name.casefold() == each.casefold() for each in names)
