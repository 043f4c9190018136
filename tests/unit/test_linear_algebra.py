"""Small matrices are multiplied and decomposed in one thread, and the process gets its threads back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from ordermade.machine.linear_algebra import one_blas_thread


def blas_threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    """What a process has where nobody set OPENBLAS_NUM_THREADS."""
    with threadpool_limits(2, user_api="blas"):
        yield


def test_blocks_that_overlap_leave_the_threads_as_they_were() -> None:
    first, second = one_blas_thread(), one_blas_thread()
    assert blas_threads() == {2}
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert blas_threads() == {1}  # the second goes on
    second.__exit__(None, None, None)
    assert blas_threads() == {2}


def test_threads_come_back_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        _ = 1 / 0
    assert blas_threads() == {2}
