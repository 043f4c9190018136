"""The context of a request: the state, the cache, the limits of the database, the listener to progress."""

from __future__ import annotations

from dataclasses import dataclass, field

from ordermade.answering.progress import Progress, Silent
from ordermade.sources.workspace import Limits
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile


@dataclass(frozen=True, slots=True)
class Setting:
    """The state, the cache beside it (None where it is not to be used), the limits of memory and threads, progress.

    Options that are no part of the request, ignored by methods that do not use them: without
    `roll_up` every k-check runs in the source instead of on one frequency set, with identical figures; with
    `distributions` the result has the distributions of values before and after; `again`: a release of the same request
    that still stands is made anew.
    """

    state: StateFile
    cache: Cache | None
    limits: Limits
    progress: Progress = field(default_factory=Silent)
    roll_up: bool = True
    distributions: bool = False
    again: bool = False
