"""The map of a release: which purchase each released row was made of. It is secret, and only who may judge needs it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, ReleaseFault
from ordermade.purchases.records import Purchases
from ordermade.purchases.units import as_text
from ordermade.release.files import manifest_of, partial, publish, sha256_of, write_statement
from ordermade.release.manifest import read_manifest
from ordermade.requests.resolved_history import MAP_ROW
from ordermade.sources.door import Purpose

OF = "release"
NOTED = "map_sha256"
REPLACED = "replaced_map_sha256"
"""What the note beside a map says: the file of its release, its own hash, that of the map about to be replaced by it.

The manifest of the release says none of it: with the hash of a map, whoever guesses whose rows they are can tell.
"""


def check_map(path: Path, release: Path) -> None:
    """Raises InputError if a map may not be written to `path`: a folder, or a file that is no map of that release."""
    if path.is_dir():
        raise InputError(
            "this is a folder", where=str(path), next_step="Give `history: map:` the name of a file in it."
        )
    noted = _noted(path)
    is_another_s = manifest_of(path).exists() and noted.get(OF) != str(release.absolute())
    if is_another_s or (path.exists() and sha256_of(path) not in (noted.get(NOTED), noted.get(REPLACED))):
        raise InputError(
            "there is a file already, of this name or its note's, that is not the map of the release about to be "
            "replaced",
            where=str(path),
            next_step="Move both away, or give `history: map:` another name.",
        )


def _noted(path: Path) -> Mapping[str, Any]:
    """What the note beside a map says; nothing if there is none."""
    try:
        return read_manifest(path)
    except ReleaseFault:
        return {}


@contextlib.contextmanager
def map_written(purchases: Purchases, path: Path, release: Path) -> Iterator[None]:
    """Writes the map beside its name, which it gets, with its note, where nothing goes wrong meanwhile.

    Both stay readable by their owner alone. Raises ReleaseFault if they cannot be written.
    """
    with partial(path) as beside:
        write = write_statement(map_statement(purchases), beside, path.suffix.lower())
        purchases.plan.dataset.backend.workspace.rows(Purpose.RELEASE, write)
        replaced = sha256_of(path) if path.exists() else None
        note = {OF: str(release.absolute()), NOTED: sha256_of(beside), REPLACED: replaced}
        yield
        publish(beside, path, json.dumps(note, indent=2) + "\n", private=True)


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
