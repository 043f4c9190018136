"""The modules of the package that one request runs: `python checks/modules_run.py` prints their number for each method.

A module counts when one of its functions is called while the request is answered, in whatever thread; importing a
module does not count. The modules of a method are listed with `--list`. Exit status 1 where a request runs more than
`MOST` of them.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from ordermade import Engine
from ordermade.state.database import initialise

PACKAGE = Path(sys.modules["ordermade"].__file__ or "").parent
MOST = 84
ROWS, CUSTOMERS = 480, 60
METHODS: Mapping[str, Mapping[str, Any]] = {
    "generalization": {"quasi_identifiers": {"age": {"hierarchy": "age"}, "place": {"hierarchy": "place"}}},
    "microaggregation": {"attributes": {"age": {}, "price": {}}},
    "mondrian": {"quasi_identifiers": {"age": {}, "place": {"hierarchy": "place"}}},
    "history": {"history": {"customer": "customer", "when": "day", "item": "item", "numbers": ["price"]}},
}


def provider(folder: Path) -> Engine:
    """A state with one CSV file of purchases, and hierarchies of two of its columns."""
    lines = ["id,customer,age,place,day,item,price"]
    for i in range(ROWS):
        age, place, day = i * 7919 % 61, i * 104729 % 12, 1 + i * 31 % 28
        lines.append(f"{i},c{i % CUSTOMERS},{age},p{place},2024-01-{day:02},i{i * 17 % 9},{i * 13 % 50}")
    (folder / "purchases.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "age.csv").write_text("".join(f"{i};a{i // 5};b{i // 20};*\n" for i in range(61)), encoding="utf-8")
    (folder / "place.csv").write_text("".join(f"p{i};q{i // 4};*\n" for i in range(12)), encoding="utf-8")
    initialise(folder / "state.duckdb")
    engine = Engine(folder / "state.duckdb")
    engine.sources.add("shop", str(folder / "purchases.csv"))
    engine.datasets.add("purchases", "shop", table="purchases")
    for name in ("age", "place"):
        engine.hierarchies.add(name, folder / f"{name}.csv")
    return engine


def modules_run(engine: Engine, request: Mapping[str, Any]) -> list[str]:
    """The modules of the package with a function that ran while the request was answered, as paths below it."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        # Neither the body of a module nor that of a class, which importing it calls.
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            files.add(frame.f_code.co_filename)

    threading.settrace(note)
    sys.settrace(note)
    try:
        result = engine.run(dict(request))
    finally:
        sys.settrace(None)
        threading.settrace(None)
    if not result.released:
        raise SystemExit(f"{request['method']}: {result.reason}")
    paths = {Path(each) for each in files if not each.startswith("<")}
    return sorted(str(each.relative_to(PACKAGE)) for each in paths if each.is_relative_to(PACKAGE))


def main() -> int:
    """Prints a line for each method; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the modules too")
    options = parser.parse_args()
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        engine = provider(Path(folder))
        for method, part in METHODS.items():
            to = str(Path(folder) / f"{method}.parquet")
            request = {"dataset": "purchases", "method": method, "k": 5, "release": {"to": to}, **part}
            found = modules_run(engine, request)
            counts[method] = len(found)
            print(f"{method}: {len(found)} modules")
            if options.list:
                print("".join(f"  {each}\n" for each in found), end="")
    return int(max(counts.values()) > MOST)


if __name__ == "__main__":
    sys.exit(main())
