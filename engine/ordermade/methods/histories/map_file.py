"""The map of a release: the original purchase of each released row. It is secret; only judging needs it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlglot import exp

from ordermade import sql
from ordermade.errors import ReleaseFault
from ordermade.methods.histories.records import Purchases
from ordermade.methods.histories.units import as_text
from ordermade.private_files import sha256_of
from ordermade.release.files import (
    StagedFile,
    check_target,
    manifest_of,
    read_manifest,
    refuse_standing,
    write_statement,
)
from ordermade.requests.resolve_history import MAP_ROW
from ordermade.sources.executor import Purpose
from ordermade.state.releases import ReleaseDetails
from ordermade.state.runs import Run

OF = "release"
NOTED = "map_sha256"
"""The keys of the note beside a map: the file of its release, and the map's own hash.

The manifest of the release has neither: the hash of a map would confirm a correct guess of whose rows they are.
"""


def check_map(path: Path, release: Path, *, replaces: bool, any_file: bool) -> None:
    """Raises InputError if a map may not be written to `path`: no regular file, or a name that is taken.

    With `replaces` it may take the place of a map of the file `release`; with `any_file` of any file.
    """
    check_target(path, "history: map:")
    if not any_file and not (replaces and _noted(path).get(OF) == str(release)):
        refuse_standing(path, "Move it away, or give `history: map:` another name.")


def is_map_of(path: Path, release: ReleaseDetails) -> bool:
    """Whether the map of a release stands at `path`, as the note beside it says."""
    note = _noted(path)
    try:
        return (note.get(OF), note.get(NOTED)) == (release.release.path, sha256_of(path))
    except OSError:  # there is none, or none that can be read
        return False


def _noted(path: Path) -> Mapping[str, Any]:
    """The content of the note beside a map; empty if there is none."""
    try:
        return read_manifest(path)
    except ReleaseFault:
        return {}


def map_staged(purchases: Purchases, run: Run, path: Path, release: Path) -> tuple[StagedFile, StagedFile]:
    """The note of the map and the map, written and about to get their names; both are their owner's alone for good.

    Raises ReleaseFault if they cannot be written.
    """
    written = StagedFile.made(run, path)
    write = write_statement(map_statement(purchases), written.path, path.suffix.lower())
    purchases.plan.dataset.backend.workspace.rows(Purpose.RELEASE, write)
    written.finish()
    note = {OF: str(release), NOTED: written.sha256()}
    return StagedFile.with_text(run, manifest_of(path), json.dumps(note, indent=2) + "\n"), written


def map_statement(purchases: Purchases) -> exp.Select:
    """The statement that gives the customer, the day, the item and the numbers of the purchase of each released row."""
    tree = sql.select("history/map")
    customer, item, measured, place = tree.expressions
    resolved, columns = purchases.resolved, []
    for each in purchases.measures:
        units = sql.with_columns(measured.unalias().copy(), {"purchases.measured": each.name})
        columns.append(sql.named(as_text(each, units), each.column))
    columns.insert(1, sql.named(item, resolved.item.column))
    tree.set("expressions", [sql.named(customer, resolved.customer.column), *columns, sql.named(place, MAP_ROW)])
    return sql.with_columns(tree, {"purchases.item": purchases.good_column})
