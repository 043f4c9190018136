"""A request whose disk is full: `python fills_a_disk.py WHICH FOLDER DISK`, its error and what is left of its release.

`shuffled`: Spark's folder is on the small disk, by a setting; `default`: by TMPDIR; `written`: the release is there.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.parse import quote

from ordermade.errors import OrdermadeError
from ordermade.sources.limits import Limits
from tests.made import new_engine
from tests.spark.started import location_of


def main(full: str, folder: Path, disk: Path) -> None:
    """Runs the request, which fails, and looks at what is left."""
    engine = new_engine(folder / "engine", use_cache=False, limits=Limits("256MB", 1))
    context = f"&spark.local.dir={quote(str(disk))}" if full == "shuffled" else ""
    engine.sources.add("s", location_of(folder / "t.parquet") + context)
    engine.datasets.add("d", "s", table="t", least_k=2)
    (folder / "age.yaml").write_text("intervals:\n  levels:\n    - {width: 5}\n    - {width: 20}\n", encoding="utf-8")
    engine.hierarchies.add("age", folder / "age.yaml")
    out = (disk if full == "written" else folder / "out") / "out.parquet"
    request = {
        "dataset": "d",
        "k": 5,
        "quasi_identifiers": {"age": {"hierarchy": "age"}},
        "keep": ["note"],
        "allow_identifying": ["note"],
        "release": {"to": {"path": str(out)}},
    }
    said: dict[str, object] = {"kind": None, "message": None}
    try:
        engine.run(request)
    except OrdermadeError as error:
        said = {"kind": type(error).__name__, "message": str(error)}
    left = [each.name for each in out.parent.iterdir()] if out.parent.exists() else []
    print(json.dumps({**said, "left": left}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
