"""The state has nothing of the memory that the process has freed."""

from __future__ import annotations

import ctypes
from contextlib import ExitStack
from pathlib import Path

import _duckdb
import pytest

from ordermade import initialise
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile, spare_database

MARKER = b"Zqxname7"
"""As long as a word of memory, so that each freed block begins with it."""
SIZES = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 12288, 16384, 20480, 32768, 65536, 131072, 262144)


@pytest.fixture
def freed() -> ctypes.CDLL:
    """DuckDB's own allocator."""
    allocator = ctypes.CDLL(_duckdb.__file__)
    if not hasattr(allocator, "duckdb_je_malloc"):
        pytest.skip("this build of DuckDB has no allocator of its own")
    allocator.duckdb_je_malloc.restype = ctypes.c_void_p
    allocator.duckdb_je_malloc.argtypes = [ctypes.c_size_t]
    allocator.duckdb_je_free.argtypes = [ctypes.c_void_p]
    return allocator


def fill(allocator: ctypes.CDLL) -> None:
    """Write the marker all over memory of every size, and free it."""
    for size in SIZES:
        blocks = [allocator.duckdb_je_malloc(size) for _ in range(max(8, 300_000 // size))]
        for block in blocks:
            ctypes.memmove(block, MARKER * (size // len(MARKER)), size)
        for block in blocks:
            allocator.duckdb_je_free(block)


@pytest.mark.slow
def test_a_state_has_nothing_of_freed_memory(tmp_path: Path, freed: ctypes.CDLL) -> None:
    file = tmp_path / "made.duckdb"
    with spare_database("state", own_blocks=True) as database:
        database.execute("ATTACH ? AS made", [str(file)])
        for place in range(6):
            table = f"made.t{place}"
            # An index of texts, a column with few values, one of flags without any: each leaves a rest of its own.
            database.execute(
                f"CREATE TABLE {table} (key VARCHAR PRIMARY KEY, text VARCHAR, flag BOOLEAN, size DOUBLE[])"
            )
            for start in (0, 5000, 10_000):
                fill(freed)
                database.execute(
                    f"INSERT INTO {table} SELECT MD5(range::VARCHAR), 'abc' || range % 7, NULL, [range, 0.5] "
                    f"FROM range({start}, {start} + 40 + {place} * 400)"
                )
                fill(freed)
                database.execute("CHECKPOINT made")
        database.execute("DETACH made")
    assert MARKER[1:7] not in file.read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="no list of the memory that a process has mapped")
def test_one_map_of_the_memory_is_kept_at_most(tmp_path: Path) -> None:
    files = [StateFile(tmp_path / f"{place}.duckdb", SHELL) for place in range(4)]
    for each in files:
        initialise(each.path)
    with files[0].writing():
        pass
    before = mapped()
    with ExitStack() as stack:
        for each in files:
            stack.enter_context(each.writing())

    assert sum(mapped()) - sum(before) < max(before) / 2


def mapped() -> list[int]:
    """The bytes of each piece of memory that this process has mapped."""
    ends = [line.split()[0].split("-") for line in Path("/proc/self/maps").read_text().splitlines()]
    return [int(end, 16) - int(first, 16) for first, end in ends]
