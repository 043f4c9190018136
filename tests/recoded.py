"""Releases of local recoding in rounds that do not know of one another, so that their labels mislead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

UNSEALED: Mapping[str, Any] = {"recoding": {"kind": "local", "seal": False}}
"""What a request says for it."""


def unsealed_request(dataset: str, k: int, columns: Iterable[str], to: Path | str, **further: Any) -> dict[str, Any]:
    """A request for such a release, each column by the hierarchy of its name."""
    return {
        "title": f"{dataset}, rare ones coarser",
        "dataset": dataset,
        "k": k,
        **UNSEALED,
        "quasi_identifiers": {column: {"hierarchy": column} for column in columns},
        "release": {"to": str(to)},
        **further,
    }
