"""A codebook as a CSV file that a browser saves."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from fastapi.responses import Response


def codebook_answer(number: int, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Response:
    """The answer with a codebook, a line a column; `number`: that of its release or request, in its name."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(heads)
    for row in rows:
        table.writerow(["" if one is None else one for one in row])
    headers = {"content-disposition": f'attachment; filename="codebook-{number}.csv"'}
    return Response(written.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)
