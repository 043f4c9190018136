"""A small provider with purchases, and a request of each method on them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ordermade import Engine
from tests.made import new_state

ROWS, CUSTOMERS = 480, 60
METHODS: Mapping[str, Mapping[str, Any]] = {
    "generalization": {"quasi_identifiers": {"age": {"hierarchy": "age"}, "place": {"hierarchy": "place"}}},
    "microaggregation": {
        "attributes": {"age": {}, "price": {}},
        "microaggregation": {"algorithm": "mdav", "improve": False},
    },
    "mondrian": {"quasi_identifiers": {"age": {}, "place": {"hierarchy": "place"}}},
    "table": {"rows": ["place"], "dimensions": {"place": {"level": 1}}},
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
    engine = Engine(new_state(folder / "state.sqlite"))
    engine.sources.add("shop", str(folder / "purchases.csv"))
    engine.datasets.add("purchases", "shop", table="purchases")
    for name in ("age", "place"):
        engine.hierarchies.add(name, folder / f"{name}.csv")
    return engine
