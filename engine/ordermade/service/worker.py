"""The worker: runs what is approved and delivers what is released, one request after the other.

Several may work on one state: a run is under a lease, which its publishing steps look at, and a delivery is one
transaction. What was refused or failed, and stands as before, is tried again after a pause.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ordermade.errors import OrdermadeError
from ordermade.state import submissions
from ordermade.state.database import StateFile
from ordermade.state.leases import has_process
from ordermade.state.runs import alive
from ordermade.state.statements import utc_now
from ordermade.state.table import Among

if TYPE_CHECKING:
    from ordermade.service.submissions import Submissions
    from ordermade.state.records.submissions import Submission

FIRST_PAUSE, LONGEST_PAUSE = 5.0, 3600.0
"""Seconds before what failed is tried again: twice as long each time."""
_LOG = logging.getLogger("ordermade.worker")
_LOG.addHandler(logging.NullHandler())  # shown where the log is on alone


@dataclass(slots=True)
class Worker:
    """A worker by the requests of a state, as the provider has them. `delivers`: whether it delivers, too."""

    noun: Submissions = field(repr=False)
    delivers: bool = True
    clock: Callable[[], float] = time.monotonic
    _failures: dict[tuple[int, str], int] = field(default_factory=dict)
    _paused_until: dict[tuple[int, str], float] = field(default_factory=dict)

    @property
    def state(self) -> StateFile:
        """The state."""
        return self.noun.state

    def work(self, goes_on: Callable[[], bool], pause: Callable[[], object]) -> None:
        """Takes steps for as long as `goes_on` says so; `pause` waits where there is none. Raises StateFault."""
        while goes_on():
            if not self.step():
                pause()

    def step(self) -> bool:
        """Runs or delivers one request, if one waits for it; whether one did."""
        found = next(iter(self.waiting()), None)
        if found is None:
            return False
        key = (found.id, found.status)
        try:
            if found.status == "approved":
                self.noun.run(found.id, certifies=True)
            else:
                self.noun.deliver(found.id)
        except OrdermadeError as fault:
            self._put_off(key, type(fault).__name__)
        except Exception as fault:  # noqa: BLE001 (its words may have rows: the class alone is noted)
            self._put_off(key, type(fault).__name__)
        else:
            self._failures.pop(key, None)
        return True

    def waiting(self) -> list[Submission]:
        """The requests to be run or delivered now, the one that waits longest first."""
        states = ("approved", "run") if self.delivers else ("approved",)
        with self.state.reading() as connection:
            found = submissions.SUBMISSIONS.select(connection, order_by=("moved_at", "id"), status=Among(states))
        living = alive(self.state.path) if found else frozenset()
        return [each for each in found if self._is_due(each) and not has_process(each, living, utc_now())]

    def _is_due(self, each: Submission) -> bool:
        return self._paused_until.get((each.id, each.status), 0.0) <= self.clock()

    def _put_off(self, key: tuple[int, str], error: str) -> None:
        """Leaves a request for a while: it may stand as before, or another process may have it."""
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        pause = min(FIRST_PAUSE * 2 ** min(failures - 1, 20), LONGEST_PAUSE)
        self._paused_until[key] = self.clock() + pause
        _LOG.warning("job failed", extra={"event": "job failed", "request": key[0], "error": error})
