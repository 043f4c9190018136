"""A table protected and audited by pytauargus, in a Python that has it: a JSON object in, one out.

In: `columns` (a list of codes a dimension), `parents` (by dimension, each code's parent code, "" for the total),
`rule` and `method`. Out: the cells with their codes, count, status and protection levels, the interval of each
suppressed one by its own audit, and the processor's seconds of the protection; or `error`.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def hierarchy_lines(parents: Mapping[str, str], root: str, depth: int = 0) -> Iterator[str]:
    """The lines of a hierarchy file: the codes below the total, each deeper one after one more @."""
    for code in sorted(code for code, parent in parents.items() if parent == root):
        yield "@" * depth + code
        yield from hierarchy_lines(parents, code, depth + 1)


def protected(asked: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """The cells of the table, as the module says."""
    from pytauargus import protect

    names = [f"d{at}" for at in range(len(asked["columns"]))]
    rows = dict(zip(names, asked["columns"], strict=True))
    rows["units"] = [1] * len(asked["columns"][0])
    hierarchies = {}
    for name, parents in zip(names, asked["parents"], strict=True):
        (root,) = [code for code, parent in parents.items() if not parent]
        if any(parent not in ("", root) for parent in parents.values()):
            file = Path(folder) / f"{name}.hrc"
            file.write_text("\n".join(hierarchy_lines(parents, root)) + "\n", encoding="utf-8")
            hierarchies[name] = str(file)
    started = time.process_time()
    found = protect(
        rows,
        names,
        "units",
        safety_rules=asked["rule"],
        suppress=asked["method"],
        hrc=hierarchies or None,
        workdir=folder,
    )
    seconds = time.process_time() - started
    cells = [
        ([each[name] for name in names], round(each["units"]), each["status"], each["lower"], each["upper"])
        for each in found.tables[0].rows
        if each["units"]
    ]
    places = [[each[name] for name in names] for each in found.tables[0].rows]
    started = time.process_time()
    audit = [(places[each["cell"]], each["min"], each["max"]) for each in found.engine.audit(0)]
    return {"cells": cells, "seconds": seconds, "audit": audit, "audit_seconds": time.process_time() - started}


def main() -> None:
    """Reads what is asked from the standard input, and prints the answer on the last line alone."""
    asked = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        try:
            answer = protected(asked, folder)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in it is the answer
            answer = {"error": f"{type(error).__name__}: {error}"}
    sys.stdout.flush()
    print(f"\n{json.dumps(answer)}", flush=True)
    os._exit(0)  # its engine may not end by itself


if __name__ == "__main__":
    main()
