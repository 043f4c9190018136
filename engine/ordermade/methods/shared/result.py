"""The result of a request, whatever its method: figures, release, or the reason of the refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordermade.errors import Refused, ReleaseMismatch
from ordermade.release.files import read_frame
from ordermade.state.releases import PrivacyFigure

if TYPE_CHECKING:
    import pandas

    from ordermade.release.settle import Settled

Losses = Mapping[str, float | int | Mapping[str, float | None] | None]
"""Information loss by metric; a metric may be split by attribute."""


@dataclass(frozen=True, slots=True)
class ReleaseReport:
    """Where the release is (`path` of a file or name of a table), the hash of the file, and its rows.

    `suppressed_rows` of the dataset were suppressed; `star_rows`: those of them that stay as `*`. Where the dataset
    has an entity column, `persons` are released, and `suppressed_persons` have a row that is not; else both are None.
    """

    path: str
    sha256: str | None
    rows: int
    star_rows: int = 0
    suppressed_rows: int = 0
    persons: int | None = None
    suppressed_persons: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The answer to one request; `status` is `released` or `refused`. Each method adds fields of its own.

    Released: `k` and `divisions` are of the released rows, suppressed rows apart (`suppressed_rows`; and the
    `suppressed_persons` with such a row, where the dataset has an entity column). `privacy`: the release's measure
    of each model and risk. Refused: `reason` says why in words; loss and release are empty. `rows` of the dataset are
    None where fewer than k of them (or of its persons) remain, however many.
    """

    request: int
    status: str
    rows: int | None
    k: int | None = None
    divisions: int | None = None
    suppressed_rows: int = 0
    suppressed_persons: int | None = None
    privacy: tuple[PrivacyFigure, ...] = ()
    loss: Losses = field(default_factory=dict)
    release: ReleaseReport | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def released(self) -> bool:
        """True if there is a release."""
        return self.status == "released"

    def as_dict(self) -> dict[str, Any]:
        """The one object that `request run --json` prints."""
        return plain(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The released file as a data frame. Raises Refused where there is none (a refusal, a table of the source)."""
        if self.release is None:
            raise Refused(self.reason or "nothing was released", next_step=self._after_refusal())
        if self.release.sha256 is None:
            raise Refused(
                f"the release is the table {self.release.path} of the source", next_step="Read it from there."
            )
        return read_frame(Path(self.release.path))

    def _after_refusal(self) -> str:
        """The next step where nothing was released."""
        return "Ask for a smaller k."


def plain(record: Any) -> dict[str, Any]:
    """The record as a plain object, records within it too."""

    def as_plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: as_plain(each) for name, each in value.items()}
        if isinstance(value, tuple):
            return [as_plain(each) for each in value]
        return plain(value) if is_dataclass(value) else value

    return {name: as_plain(getattr(record, name)) for name in record.__dataclass_fields__}


def mismatch(what: str) -> ReleaseMismatch:
    """The error where what is to be released is not what was decided, found before it is written."""
    return ReleaseMismatch(
        f"what is to be released {what}; it was not released",
        next_step="Nothing was written, and what was known of this dataset is forgotten: run the request again.",
    )


def require_all(settled: Settled, rows: int) -> None:
    """Raises ReleaseMismatch unless every row of the dataset is about to be released."""
    if settled.rows != rows or settled.suppressed_rows:
        raise mismatch(f"has {settled.rows} rows of {rows}")
