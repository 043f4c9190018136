"""Two releases into a table of a Hive catalogue: `python into_hive.py FOLDER`, the tables as one line of JSON.

In a process of its own: the catalogue is chosen when Spark starts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.parse import quote

from ordermade.sources.limits import Limits
from tests.made import new_engine
from tests.spark.started import location_of


def main(folder: Path) -> None:
    """Releases, releases again in its place, and reads the table."""
    store = quote(f"jdbc:derby:;databaseName={folder / 'metastore'};create=true")
    settings = [
        "spark.sql.catalogImplementation=hive",
        f"spark.sql.warehouse.dir={folder / 'warehouse'}",
        f"spark.hadoop.javax.jdo.option.ConnectionURL={store}",
    ]
    engine = new_engine(folder, use_cache=False, limits=Limits("256MB", 1))
    engine.sources.add("s", "&".join([location_of(folder / "t.parquet"), *settings]), writable=True)
    engine.datasets.add("d", "s", table="t", least_k=2)
    (folder / "age.yaml").write_text("intervals:\n  levels:\n    - {width: 5}\n    - {width: 20}\n", encoding="utf-8")
    engine.hierarchies.add("age", folder / "age.yaml")
    for replaces in (False, True):
        request = {
            "dataset": "d",
            "k": 5,
            "quasi_identifiers": {"age": {"hierarchy": "age"}},
            "keep": ["day", "at", "price"],
            "release": {"to": {"table": "default.released"}, "replace": replaces},
        }
        result = engine.run(request, again=True)
        assert result.released, result
    from pyspark.sql import SparkSession

    session = SparkSession.builder.getOrCreate()
    names = [each.name for each in session.catalog.listTables("default")]
    found = session.table("default.released")
    print(json.dumps({"released": result.released, "tables": names, "rows": found.count(), "types": found.dtypes}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
