"""Work done in several threads: compiled code runs without Python's lock, so that each takes a core."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

Task = TypeVar("Task")
Done = TypeVar("Done")


def cores() -> int:
    """The number of cores of this process, which in a container may be fewer than the machine has."""
    if sys.platform == "linux":
        found = len(os.sched_getaffinity(0))
    else:
        found = os.cpu_count() or 1
    return found


@dataclass(frozen=True, slots=True, eq=False)
class WorkerPool:
    """So many threads. `stop` is set once what they do is no longer wanted: whatever takes long looks at it."""

    threads: int
    stop: threading.Event = field(default_factory=threading.Event)

    def each(self, work: Callable[[Task], Done], tasks: Sequence[Task]) -> Iterator[Done]:
        """The result of the work for each task, in the order of the tasks, not of their ends.

        Where it ends early (a Ctrl-C, an error), what has not begun never does, and no thread is left running.
        """
        workers = min(self.threads, len(tasks))
        if workers <= 1:
            yield from map(work, tasks)
            return
        pool = ThreadPoolExecutor(workers)
        try:
            yield from pool.map(work, tasks)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            self.stop.set()
            raise
        finally:
            pool.shutdown()

    def shares(self, sizes: Sequence[int], seconds: float) -> list[float]:
        """The seconds of each task, in proportion to its size, so that all are done in the seconds that there are.

        Tasks are taken in their order by the first thread that is free.
        """
        loads = [0] * max(self.threads, 1)
        for size in sizes:
            loads[loads.index(min(loads))] += size
        return [seconds * size / max(loads) for size in sizes]
