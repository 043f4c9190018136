"""The limits of the embedded database, of which everybody knows before there is one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ordermade.progress.waiting import Wait

if TYPE_CHECKING:
    from ordermade.sources.frame_columns import FrameTables

AskPassword = Callable[[str], str]
DEFAULT_MEMORY = "1GB"


class Twins(Protocol):
    """The Parquet twins of CSV files, kept for later processes by the location of a source and a key of its content."""

    def twin(self, location: str, key: str, to: Path) -> str | None:
        """The note of the twin of this key, copied into the file `to`; None where none can be used."""

    def keep_twin(self, location: str, key: str, note: str, twin: Path) -> bool:
        """Keeps a twin with a note instead of the location's earlier one; whether it is kept now."""

    def forget_twin(self, location: str) -> None:
        """Drops the twin of a location."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of the embedded database: memory as DuckDB reads it (`1GB`), and threads (None: every core).

    `spill`: the most that is written to the folder of what does not fit in memory, None: nearly all of the free disk.
    `wait`: how long to wait for a source that another process has open; an `Engine` puts its own here.
    `max_rows`: a request whose dataset has more rows, by a server's estimate, is refused before anything is counted.
    `ask_password`: gives the password of a server, whose URL it takes, where the server wants one and none is known.
    `twins`: gives the twins of registered CSV files, None where none are kept; an `Engine` puts its cache here.
    `frames`: the frames that a request is about, where a program gave some with it.
    `for_user`: what is opened is for the user of a token, so that a dataset without a policy has the one that says
    nothing.
    `writes`: the folders that a release is made in, the one place beside `SpillFolder` that statements may write to.
    """

    memory: str = field(default_factory=lambda: os.environ.get("ORDERMADE_MEMORY", DEFAULT_MEMORY))
    threads: int | None = None
    wait: Wait = field(default_factory=Wait)
    ask_password: AskPassword | None = None
    max_rows: int | None = None
    twins: Callable[[], Twins | None] = field(default=lambda: None, repr=False, compare=False)
    frames: FrameTables | None = field(default=None, repr=False, compare=False)
    spill: str | None = field(default_factory=lambda: os.environ.get("ORDERMADE_SPILL"))
    writes: tuple[Path, ...] = ()
    for_user: bool = False
