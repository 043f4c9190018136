"""Reading the text of a hierarchy file, whatever it was saved as."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path

from ordermade.encodings.detected import decoded, detected
from ordermade.errors import HierarchyError


def read_text(path: Path, *, most_bytes: int) -> str:
    """The file's text: UTF-8 or UTF-16 by their marks, UTF-8 without one, else in the encoding that reads it best.

    Raises HierarchyError where there is no such file, it cannot be read, is too large, or may be in several
    encodings.
    """
    where = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except FileNotFoundError:
        raise HierarchyError("there is no such file", where=where, next_step="Check the path.") from None
    except (OSError, ValueError) as fault:
        reason = (getattr(fault, "strerror", None) or "not a file name").lower()
        raise HierarchyError(
            f"the file cannot be read: {reason}", where=where, next_step="Give a readable file."
        ) from fault
    if len(data) > most_bytes:
        raise HierarchyError(
            f"the file is larger than {most_bytes // 2**20} MiB",
            where=where,
            next_step="A hierarchy lists each value once; give a rule where the values are too many to list.",
        )
    opened = partial(io.BytesIO, data)
    found = detected(opened)
    if found.encoding is None:
        raise HierarchyError(found.open_question, where=where, next_step="Save it as UTF-8 and read it again.")
    return "".join(decoded(opened, found.encoding)).removeprefix("\ufeff")
