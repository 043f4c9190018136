"""Products and decompositions of small matrices: numpy splits them among threads that only wait for each other."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator

import numpy as np  # noqa: F401  # its BLAS is loaded before it is looked for
from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_limit = contextlib.ExitStack()


@functools.cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Matrices in one thread, of the whole process: until the last of the blocks that overlap has ended."""
    global _inside  # the number of threads is the process's too
    with _lock:
        if not _inside:
            _limit.enter_context(_blas().limit(limits=1))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limit.close()
