"""The table that every backend is asked of, hierarchies for it, and its classes counted row by row in Python."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.read import parse_yaml
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Observation
from tests.conformance.backends import Row, Table

COLUMNS = {
    "id": "BIGINT",
    "sex": "VARCHAR",
    "age": "BIGINT",
    "joined": "DATE",
    "code": "VARCHAR",
    "height": "DOUBLE",
    "active": "BOOLEAN",
}


def _row(i: int) -> Row:
    return (
        i,
        None if i % 11 == 0 else ("female", "male")[i % 2],
        None if i % 13 == 0 else 20 + i * i % 30,
        None if i % 17 == 0 else date(2019, 11, 1) + timedelta(days=i * 37 % 200),
        None if i % 19 == 0 else f"0{i % 3}{i % 2}x 東",
        None if i % 7 == 0 else i % 5 + 0.5,
        None if i % 5 == 0 else i % 3 == 0,
    )


PERSONS = Table("persons", COLUMNS, tuple(_row(i) for i in range(1, 61)))

RULES = {
    "sex": "mapping:\n  female: ['*']\n  male: ['*']\n",
    "age": "intervals:\n  levels:\n    - {width: 5}\n    - {width: 10}\n",
    "joined": "date: [month, year]\n",
    "code": "prefix:\n  keep: [3, 2]\n",
}


def hierarchies() -> dict[str, Hierarchy]:
    """One hierarchy of each kind."""
    return {column: parse_yaml(text, column, where=column)[0] for column, text in RULES.items()}


def write_rules(folder: Path) -> dict[str, Path]:
    """The same as files."""
    files = {column: folder / f"{column}.yaml" for column in RULES}
    for column, file in files.items():
        file.write_text(RULES[column], encoding="utf-8")
    return files


def lattice() -> Lattice:
    """Every node of the four hierarchies."""
    return Lattice(tuple(Axis(name, each.order, tuple(range(each.top + 1))) for name, each in hierarchies().items()))


def grounded(asked: Dataset) -> tuple[EncodedColumn, ...]:
    """The four attributes, countable."""
    return tuple(
        encode_counted(asked, position, column, each, 0)
        for position, (column, each) in enumerate(hierarchies().items(), 1)
    )


def _interval(width: int) -> Callable[[Any], Any]:
    return lambda value: f"[{value // width * width}, {value // width * width + width})"


LABELS: dict[str, Sequence[Callable[[Any], Any]]] = {
    "sex": [lambda value: value, lambda _: "*"],
    "age": [lambda value: value, _interval(5), _interval(10), lambda _: "*"],
    "joined": [lambda value: value, lambda value: f"{value:%Y-%m}", lambda value: f"{value:%Y}", lambda _: "*"],
    "code": [lambda value: value, lambda value: value[:3] + "*", lambda value: value[:2] + "*", lambda _: "*"],
}


def label(column: str, value: Any, level: int) -> Any:
    """What a value is released as; NULL stays NULL below `*`."""
    to = LABELS[column]
    return None if value is None and level < len(to) - 1 else to[level](value)


def classes(rows: Sequence[Row], node: Node) -> Counter[Row]:
    """The classes of a node, counted row by row."""
    places = {column: place for place, column in enumerate(COLUMNS)}
    return Counter(
        tuple(label(column, row[places[column]], level) for column, level in zip(RULES, node, strict=True))
        for row in rows
    )


def observed(rows: Sequence[Row], node: Node) -> Observation:
    """The observation of a node, counted row by row."""
    return Observation.from_histogram(Counter(classes(rows, node).values()).items())


def every_node() -> list[Node]:
    """All nodes, finest first."""
    return list(itertools.product(*(range(len(to)) for to in LABELS.values())))
