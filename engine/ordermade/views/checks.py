"""The output of `ordermade request check`, by method."""

from __future__ import annotations

from ordermade.documents.request import (
    DATA_PARTS,
    DataLookedAt,
    Sound,
    SoundGeneralization,
    SoundHistory,
    SoundMicroaggregation,
    SoundMondrian,
    SoundTables,
)
from ordermade.methods.shared.open_request import CheckedData
from ordermade.requests.resolve_generalization import Resolved
from ordermade.requests.resolve_history import ResolvedHistory
from ordermade.requests.resolve_microaggregation import ResolvedMicroaggregation
from ordermade.requests.resolve_mondrian import ResolvedMondrian
from ordermade.requests.resolve_table import ResolvedTables
from ordermade.requests.resolving import ResolvedRequest
from ordermade.views import histories, microaggregation, mondrian, tables
from ordermade.views import request as generalization


def checked(file: str, resolved: ResolvedRequest, found: CheckedData | None) -> tuple[str, Sound]:
    """The result of a check without mistakes, in a line and as its record; `found`: what was checked of its data."""
    data = None if found is None else DataLookedAt.of(found)
    match resolved:
        case Resolved():
            return generalization.sound(file, resolved), SoundGeneralization.of(file, resolved, data)
        case ResolvedMicroaggregation():
            return microaggregation.sound(file, resolved), SoundMicroaggregation.of(file, resolved, data)
        case ResolvedMondrian():
            return mondrian.sound(file, resolved), SoundMondrian.of(file, resolved, data)
        case ResolvedHistory():
            return histories.sound(file, resolved), SoundHistory.of(file, resolved, data)
        case ResolvedTables():
            return tables.sound(file, resolved), SoundTables.of(file, resolved, data)
        case _:
            raise TypeError(f"there is no output for a {type(resolved).__name__}")


def looked_at(found: CheckedData | None) -> str:
    """The parts of its data that a request was checked against, in a line; None: none."""
    listed = ", ".join(DATA_PARTS)
    if found is None:
        return f"Not checked: {listed}. Run it with --data."
    persons = "" if found.persons is None else f" of {found.persons:,} persons"
    return f"Checked: {listed}; {found.rows:,} rows{persons}."
