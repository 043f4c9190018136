"""What a request is answered with: the state, the cache, what the database may use, who is told how far it is."""

from __future__ import annotations

from dataclasses import dataclass, field

from ordermade.answering.progress import Progress, Silent
from ordermade.sources.workspace import Limits
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile


@dataclass(frozen=True, slots=True)
class Setting:
    """The state, the cache beside it (None where it is not to be used), the limits of memory and threads, progress.

    What methods are told that is no part of the request, each read by those that it means something to: without
    `roll_up` the source is asked for every k-check instead of one frequency set, with identical figures; with
    `distributions` it is told how values are distributed before and after; `again`: a release of the same request that
    still stands is made anew.
    """

    state: StateFile
    cache: Cache | None
    limits: Limits
    progress: Progress = field(default_factory=Silent)
    roll_up: bool = True
    distributions: bool = False
    again: bool = False
