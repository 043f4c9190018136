"""What Mondrian comes to for refused requests, in the state: a list of offers need not split every row anew."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade import __version__
from ordermade.state.statements import rows, run

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Losses = Mapping[str, float | int | Mapping[str, float | None] | None]


@dataclass(frozen=True, slots=True)
class MondrianFigures:
    """The first variant of Mondrian that passes: k and number of its classes, and its losses by name."""

    variant: str
    k: int
    divisions: int
    losses: Losses


@dataclass(frozen=True, slots=True)
class TriedMondrian:
    """What was found: `figures`, None where no variant passes."""

    figures: MondrianFigures | None


def noted(connection: DuckDBPyConnection, version_id: int, list_hash: str) -> TriedMondrian | None:
    """What this version of the engine found for the list of that hash; None where it did not look yet."""
    found = rows(
        connection,
        "state/mondrian_offer",
        dataset_version_id=version_id,
        list_hash=list_hash,
        engine_version=__version__,
    )
    if not found:
        return None
    variant, k, divisions, losses = found[0]
    return TriedMondrian(None if variant is None else MondrianFigures(variant, k, divisions, json.loads(losses)))


def note(connection: DuckDBPyConnection, version_id: int, list_hash: str, tried: TriedMondrian) -> None:
    """Note what was found for the list of that hash."""
    figures = tried.figures
    run(
        connection,
        "state/mondrian_offer_insert",
        dataset_version_id=version_id,
        list_hash=list_hash,
        engine_version=__version__,
        variant=None if figures is None else figures.variant,
        k=None if figures is None else figures.k,
        divisions=None if figures is None else figures.divisions,
        losses=None if figures is None else json.dumps(dict(figures.losses)),
    )
