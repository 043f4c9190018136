"""Sources: where the data of datasets are."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from ordermade.display.cards import Carded


@dataclass(frozen=True, slots=True, repr=False)
class Source(Carded):
    """A registered source; `location` keeps its ${ENV} references, `removed_at` is None while in use.

    Of CSV files: `header` says that their first line holds names, whatever it looks like. `allow_inline`: requests may
    describe datasets of it themselves. Where the source was opened, `read_in` has the encodings that its files were
    read in, and `names_shown` says whether the lines below the first show that it holds names; neither is kept.
    """

    id: int
    name: str
    kind: str
    location: str
    writable: bool
    encoding: str | None
    added_at: datetime
    removed_at: datetime | None
    header: bool = False
    allow_inline: bool = False
    read_in: tuple[str, ...] = field(default=(), compare=False)
    names_shown: bool | None = field(default=None, compare=False)
