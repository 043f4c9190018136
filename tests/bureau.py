"""A small office with users in pools of their own, whose requests are delivered on real data of 81 persons."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from ordermade import Engine
from ordermade.service.submissions import Submissions
from ordermade.service.user_catalogue import UserCatalogue
from tests.made import new_engine, write_hierarchy

POOLS = [["ann"], ["bob"]]
POLICY: dict[str, Any] = {"dataset": "people", "k": 3, "pools": POOLS, "never": {"ask": ["name"]}}
VALUES = {"sex": ("f", "m"), "age": ("10", "11", "20", "21")}
TITLE = "People by sex and age"
ROLES = {"ann": "data-user", "bob": "data-user", "eve": "data-user", "rei": "reviewer"}


@dataclass
class Bureau:
    """An engine with a dataset of 81 persons, and users in pools of their own."""

    engine: Engine
    folder: Path
    tokens: dict[str, str]

    def of(self, name: str) -> Submissions:
        return replace(self.engine, token=self.tokens[name]).submissions

    def catalogue(self, name: str) -> UserCatalogue:
        return replace(self.engine, token=self.tokens[name]).catalogue

    def approved(self, name: str, request: dict[str, Any]) -> int:
        number = self.of(name).submit(request, f"for {name}").id
        self.of("rei").review(number, "approve")
        return number

    def delivered(self, name: str, request: dict[str, Any]) -> int:
        """The number of the delivered release."""
        number = self.approved(name, request)
        assert self.engine.submissions.run(number).submission.status == "run"
        return self.engine.submissions.deliver(number).release

    def submission_of(self, release: int) -> int:
        return next(each.id for each in self.engine.submissions.list() if each.release_id == release)

    def entries(self) -> list[tuple[str, tuple[str, ...], int | None]]:
        return [(each.status, each.recipients, each.release) for each in reversed(self.engine.ledger.list())]

    def change(self, statement: str) -> None:
        with duckdb.connect(str(self.folder / "people.duckdb")) as connection:
            connection.execute(statement)


def asked(hierarchy: str = "age", **levels: int) -> dict[str, Any]:
    columns = {
        name: {"hierarchy": hierarchy if name == "age" else name, "from": level, "to": level}
        for name, level in levels.items()
    }
    title = "What Ann Ito needs"
    return {"title": title, "dataset": "people", "k": 3, "quasi_identifiers": columns, "release": {"to": "ito.csv"}}


BY_TENS, SHIFTED = asked(age=1), asked("shifted", age=1)
"""Releases that pass each, and beside each other tell how many are 11: two."""


def bureau_in(folder: Path) -> Bureau:
    """A bureau in an empty folder."""
    database = folder / "people.duckdb"
    ages = ["10"] * 30 + ["11"] * 2 + ["20"] * 25 + ["21"] * 24
    rows = [(f"p{n}", "fm"[n % 2], age) for n, age in enumerate(ages)]
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE people (name VARCHAR, sex VARCHAR, age VARCHAR)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
    engine = new_engine(folder)
    engine.sources.add("s", str(database))
    engine.hierarchies.add("sex", write_hierarchy(folder / "sex.csv", ["value", "*"], [("f", "*"), ("m", "*")]))
    tens = [(each, f"{each[0]}.", "*") for each in VALUES["age"]]
    engine.hierarchies.add("age", write_hierarchy(folder / "age.csv", ["value", "ten", "*"], tens))
    apart = [(each, "ten" if each == "10" else "more", "*") for each in VALUES["age"]]
    engine.hierarchies.add("shifted", write_hierarchy(folder / "shifted.csv", ["value", "part", "*"], apart))
    engine.datasets.add("people", "s", table="people", least_k=3)
    engine.policies.set(POLICY)
    tokens = {}
    for name, role in ROLES.items():
        engine.users.add(name, [role])
        tokens[name] = engine.users.token(name).secret
    return Bureau(engine, folder, tokens)
