"""What a request gives back: the levels, the figures, the release, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordermade.errors import Refused
from ordermade.release.frame import read_frame
from ordermade.state.release_records import PrivacyFigure

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class StartReport:
    """Where a search by prediction started: the node, and the power law k = `alpha` x^`beta` + 1 that led there.

    `predicted`: the divisions x* at which the law meets k. It, `alpha`, `beta` and `r` (of the fit) are None where no
    law could be fitted; the search then started at a coarsest node. `sampled` nodes with `sampled_divisions` were
    measured for the fit alone.
    """

    levels: Mapping[str, int]
    level_names: Mapping[str, str]
    predicted: float | None
    alpha: float | None
    beta: float | None
    r: float | None
    sampled: int
    sampled_divisions: int


@dataclass(frozen=True, slots=True)
class SearchReport:
    """What a search cost.

    `nodes_measured` and `divisions_measured` count what was measured now, not what table C knew; `nodes_proven` the
    accepted nodes that table C had decided for this k before anything was counted. `certified`: whether the answer is
    proved to be the best (or the refusal to be right). `start`: where a search by prediction started, and why.
    `source_queries` are the frequency-set, k-check and witness statements that ran in the source; `version_queries`,
    `coverage_queries` (the marginals of each quasi-identifier) and `release_queries` the others. `seconds` are those of
    the whole request.
    """

    algorithm: str
    nodes_in_lattice: int
    nodes_proven: int
    nodes_measured: int
    divisions_measured: int
    certified: bool
    start: StartReport | None
    source_queries: int
    version_queries: int
    coverage_queries: int
    release_queries: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ReleaseReport:
    """Where the release is (`path` of a file or name of a table), the hash of the file, and its rows.

    `suppressed_rows` of the dataset were withheld; `star_rows`: those of them that stay as `*`. Where the dataset
    tells persons apart, `persons` are released, and `suppressed_persons` have a row that is not; else both are None.
    """

    path: str
    sha256: str | None
    rows: int
    star_rows: int = 0
    suppressed_rows: int = 0
    persons: int | None = None
    suppressed_persons: int | None = None


@dataclass(frozen=True, slots=True)
class LocalReport:
    """How a release of mixed levels came about.

    `rounds` in their order, each with `levels` and `level_names` by column and the `classes` and `rows` that it
    released; `start` says which node came first. `full_domain_loss`: the Loss, withheld rows counting as `*`, of the
    best node of the same request by itself; None where none passes. It stands beside the release's own `loss`.
    """

    start: str
    rounds: tuple[Mapping[str, Any], ...]
    full_domain_loss: float | None


@dataclass(frozen=True, slots=True)
class Nearest:
    """The node that passes nearest to what was accepted, by column, its k, and the rows (or persons) it withholds."""

    levels: Mapping[str, int]
    level_names: Mapping[str, str]
    k: int
    withheld: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to one request; `status` is `released` or `refused`.

    Released: `k` and `divisions` are of what was released, withheld rows apart (`suppressed_rows`; and the
    `suppressed_persons` with such a row, where the dataset tells persons apart). `privacy`: what the release measures
    of each model and risk. `local`: the rounds of local recoding, whose rows are at several levels; `levels` is empty
    then. Refused: `reason` says why in words, `column` names the quasi-identifier that breaks it
    (None where no single one does) and `nearest` the nearest node that passes; levels, loss and release are empty.
    """

    request: int
    status: str
    rows: int
    search: SearchReport
    levels: Mapping[str, int] = field(default_factory=dict)
    level_names: Mapping[str, str] = field(default_factory=dict)
    local: LocalReport | None = None
    k: int | None = None
    divisions: int | None = None
    suppressed_rows: int = 0
    suppressed_persons: int | None = None
    privacy: tuple[PrivacyFigure, ...] = ()
    loss: Mapping[str, float | int | None] = field(default_factory=dict)
    release: ReleaseReport | None = None
    reason: str | None = None
    column: str | None = None
    nearest: Nearest | None = None
    warnings: tuple[str, ...] = ()

    @property
    def released(self) -> bool:
        """Whether there is a release."""
        return self.status == "released"

    def as_dict(self) -> dict[str, Any]:
        """The one object that `request run --json` prints."""
        return {
            "request": self.request,
            "status": self.status,
            "levels": dict(self.levels),
            "level_names": dict(self.level_names),
            "local": None if self.local is None else _fields(self.local),
            "k": self.k,
            "divisions": self.divisions,
            "rows": self.rows,
            "suppressed_rows": self.suppressed_rows,
            "suppressed_persons": self.suppressed_persons,
            "privacy": [_fields(each) for each in self.privacy],
            "search": _fields(self.search),
            "loss": dict(self.loss),
            "release": None if self.release is None else _fields(self.release),
            "reason": self.reason,
            "column": self.column,
            "nearest": None if self.nearest is None else _fields(self.nearest),
            "warnings": list(self.warnings),
        }

    def to_pandas(self) -> pandas.DataFrame:
        """The released file as a data frame. Raises Refused where there is none (a refusal, a table of the source)."""
        if self.release is None:
            raise Refused(self.reason or "nothing was released", next_step="See `nearest` for what would pass.")
        if self.release.sha256 is None:
            raise Refused(
                f"the release is the table {self.release.path} of the source", next_step="Read it from there."
            )
        return read_frame(Path(self.release.path))


def _fields(record: Any) -> dict[str, Any]:
    """The record as a plain object, records within it too."""

    def as_plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return dict(value)
        return _fields(value) if is_dataclass(value) else value

    return {name: as_plain(getattr(record, name)) for name in record.__dataclass_fields__}
