"""What a request is answered with: the state, the cache, what the database may use, and who is told how far it is."""

from __future__ import annotations

from dataclasses import dataclass, field

from ordermade.answering.progress import Progress, Silent
from ordermade.sources.workspace import Limits
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile


@dataclass(frozen=True, slots=True)
class Setting:
    """The state, the cache beside it (None where it is not to be used), the limits of memory and threads, progress."""

    state: StateFile
    cache: Cache | None
    limits: Limits
    progress: Progress = field(default_factory=Silent)
