"""What a browser saves: the file of a release, and a codebook as CSV."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from fastapi.responses import Response, StreamingResponse

from ordermade.service.running import not_as_delivered

_PART = 65_536
"""The bytes that are sent at a time."""


def file_answer(path: Path, name: str) -> Response:
    """A file to save by a name, which is whole though it is removed or replaced while it is sent.

    Raises ReleaseFault where it is gone.
    """
    try:
        file = path.open("rb")
    except OSError:
        raise not_as_delivered() from None
    as_it_is = quote(name) == name
    named = f'filename="{name}"' if as_it_is else f"filename*=utf-8''{quote(name)}"
    size = os.fstat(file.fileno()).st_size
    headers = {"content-length": str(size), "content-disposition": f"attachment; {named}"}
    return StreamingResponse(_parts(file), media_type="application/octet-stream", headers=headers)


def _parts(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while part := file.read(_PART):
            yield part


def codebook_answer(number: int, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Response:
    """The answer with a codebook, a line a column; `number`: that of its release or request, in its name."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(heads)
    for row in rows:
        table.writerow(["" if one is None else one for one in row])
    headers = {"content-disposition": f'attachment; filename="codebook-{number}.csv"'}
    return Response(written.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)
