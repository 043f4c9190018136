"""The map of a release: which purchase each released row was made of. It is secret, and only who may judge needs it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, ReleaseFault
from ordermade.purchases.records import Purchases
from ordermade.purchases.units import as_text
from ordermade.release.files import cannot_write, manifest_of, partial, sha256_of, write_statement
from ordermade.release.manifest import read_manifest
from ordermade.sources.door import Purpose

PLACE = "row"
"""The column of a map that says which row of the release it is, from 1."""
NOTED = "map_sha256"
"""What the manifest of a release says of its map."""


def check_map(path: Path, release: Path) -> None:
    """Raises InputError if a map may not be written to `path`: a folder, or a file that is no map of that release."""
    if path.is_dir():
        raise InputError(
            "this is a folder", where=str(path), next_step="Give `history: map:` the name of a file in it."
        )
    if path.exists() and sha256_of(path) != _noted(release):
        raise InputError(
            "there is a file already that is not the map of the release about to be replaced",
            where=str(path),
            next_step="Move it away, or give `history: map:` another name.",
        )


def _noted(release: Path) -> str | None:
    """The hash of the map that the manifest beside a release notes."""
    if not manifest_of(release).exists():
        return None
    try:
        noted = read_manifest(release).get(NOTED)
    except ReleaseFault:
        return None
    return noted if isinstance(noted, str) else None


@contextlib.contextmanager
def map_written(purchases: Purchases, path: Path) -> Iterator[str]:
    """The map, written beside its name, which it gets where nothing goes wrong meanwhile; its SHA-256 in hexadecimal.

    It stays readable by its owner alone. Raises ReleaseFault if it cannot be written.
    """
    with partial(path) as beside:
        write = write_statement(map_statement(purchases), beside, path.suffix.lower())
        purchases.plan.dataset.backend.workspace.rows(Purpose.RELEASE, write)
        yield sha256_of(beside)
        try:
            beside.replace(path)
        except OSError as error:
            raise cannot_write(path, error) from None


def map_statement(purchases: Purchases) -> exp.Select:
    """The statement that gives the customer, the day, the item and the numbers of the purchase of each released row."""
    tree = sql.select("history/map")
    customer, item, measured, place = tree.expressions
    resolved, columns = purchases.resolved, []
    for each in purchases.measures:
        units = sql.with_columns(measured.unalias().copy(), {"purchases.measured": each.name})
        columns.append(sql.named(as_text(each, units), each.column))
    columns.insert(1, sql.named(item, resolved.item.column))
    tree.set("expressions", [sql.named(customer, resolved.customer.column), *columns, sql.named(place, PLACE)])
    return sql.with_columns(tree, {"purchases.item": purchases.good_column})
