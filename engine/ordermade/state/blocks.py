"""The blocks of a DuckDB file held against the checksums they were written with.

DuckDB checks a block when it reads it, and reads only what a statement needs: neither the index of a key nor the header
that is not in turn. Every header and block begins with the checksum of the rest of it, computed here once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HEADER_BYTES = 4096
_HEADERS = 3
"""The main header, and the two of the database that take turns."""

_CHECKSUM_BYTES = 8
_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_SEED = np.uint64(5381)
_BLOCKS_AT_ONCE = 256


def unlike_their_checksums(path: Path, block_bytes: int) -> int:
    """The number of headers and blocks of the file that are not what was written; a last block that is cut is one.

    0 where the main header, which DuckDB has accepted, is of another checksum: then the version of DuckDB is a newer
    one, and nothing is known. Closing the file releases this process's lock on it: call this last. Raises OSError.
    """
    with path.open("rb") as file:
        headers = file.read(_HEADERS * _HEADER_BYTES)
        found = _unlike(headers, _HEADER_BYTES)
        if not found.size or found[0]:
            return 0
        return int(found.sum()) + sum(_counted(each, block_bytes) for each in _stretches(file, block_bytes))


def _stretches(file: IO[bytes], block_bytes: int) -> Iterator[bytes]:
    while stretch := file.read(_BLOCKS_AT_ONCE * block_bytes):
        yield stretch


def _counted(stretch: bytes, block_bytes: int) -> int:
    return int(_unlike(stretch, block_bytes).sum()) + (len(stretch) % block_bytes > 0)


def _unlike(stretch: bytes, size: int) -> NDArray[np.bool_]:
    """For each whole piece of the stretch, whether its checksum is not that of its content."""
    whole = len(stretch) // size * size
    words = np.frombuffer(stretch[:whole], dtype="<u8").reshape(-1, size // _CHECKSUM_BYTES)
    computed = np.bitwise_xor.reduce(words[:, 1:] * _MULTIPLIER, axis=1) ^ _SEED
    return np.asarray(computed != words[:, 0])
