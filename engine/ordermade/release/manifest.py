"""The manifest beside a release: the request, the measured figures, and the SQL that made it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordermade.errors import ReleaseFault
from ordermade.release.files import manifest_of


@dataclass(frozen=True, slots=True)
class Manifest:
    """The fields of a manifest. Counts, levels, names of columns and hashes; the request is the user's own words.

    `k`, `divisions` and `persons` are of the rows released unchanged, in the units that the manifest `counts` (rows or
    persons); `rows` are those of the file; `star_rows` of the dataset were suppressed and stay as `*`. `of_method`: the
    method's own fields, by the names that stand in the manifest. `sensitive`: columns, their models,
    and the figure of each in the worst class. `risk`: prosecutor, journalist, marketer. `formulas`: `keep` or
    `escape`, None where the file is no CSV.
    """

    engine_version: str
    released_at: str
    request: Mapping[str, Any]
    request_id: int
    dataset: str
    dataset_version: Mapping[str, int | str]
    method: str
    of_method: Mapping[str, Any]
    sensitive: Sequence[Mapping[str, Any]]
    kept: Sequence[str]
    pseudonym: str | None
    shape: str
    formulas: str | None
    counts: str
    k: int
    divisions: int
    rows: int
    persons: int | None
    suppressed_rows: int
    suppressed_persons: int | None
    star_rows: int
    risk: Mapping[str, float]
    loss: Mapping[str, Any]
    sha256: str
    sql: Sequence[str]

    def text(self) -> str:
        """The manifest as JSON; the fields of the method stand after its name, before the long list of statements."""
        fields: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            fields |= value if name == "of_method" else {name: value}
        return json.dumps(fields, ensure_ascii=False, indent=2) + "\n"


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest beside a release. Raises ReleaseFault if it is missing or cannot be read."""
    note = manifest_of(path)
    try:
        content = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ReleaseFault(
            "the manifest is missing or damaged", where=str(note), next_step="Run the request again."
        ) from None
    if not isinstance(content, dict):
        raise ReleaseFault("the manifest is damaged", where=str(note), next_step="Run the request again.")
    return content
