"""What reaches a user of a release does not tell apart how few rows were suppressed: solved for by all that could be.

A *world* is a dataset that gives the same released table. Whatever is stated in all worlds alike tells nothing of that
in which they differ; so a count follows from what is stated exactly where the worlds that state it have that count.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ordermade import Engine
from ordermade.files.private import sha256_of
from ordermade.release import entitled
from ordermade.release.files import manifest_of, read_manifest
from ordermade.reports.sentences import plain_summary
from ordermade.service.running import _copied
from ordermade.sources.limits import Limits
from tests.conftest import DEFAULT_SEED
from tests.long import rounds
from tests.made import new_engine

RELEASES = 500
PROVIDERS = {"SQL of the provider": ["SELECT 1"], "to come": 1}


@dataclass(frozen=True)
class World:
    """A release: sizes of the released classes and of the suppressed ones; rows besides each person's first."""

    released: tuple[int, ...]
    suppressed: tuple[int, ...]
    further: tuple[int, int] = (0, 0)

    def rows(self) -> int:
        return sum(self.released) + self.further[0]

    def rows_suppressed(self) -> int:
        return sum(self.suppressed) + (self.further[1] if self.suppressed else 0)


@dataclass(frozen=True)
class Case:
    """The request of a release, and its worlds."""

    k: int
    limit: str
    recoding: str
    shape: str
    persons: bool
    pseudonym: str | None
    worlds: tuple[World, ...]

    def manifest(self, world: World) -> dict[str, Any]:
        """The provider's manifest, its losses by their definitions."""
        n, s = sum(world.released), sum(world.suppressed)
        squares, of_all = sum(c * c for c in world.released), n + s
        classes, gone = len(world.released), world.rows_suppressed()
        everything = world.rows() + gone
        prec, loss = Fraction(1, 3), Fraction(1, 4)
        over_rows = loss + (1 - loss) * Fraction(gone, everything)
        losses = {
            "prec": float(prec if self.recoding == "full-domain" else prec + (1 - prec) * Fraction(gone, everything)),
            "prec_suppressed_as_1": float(prec + (1 - prec) * Fraction(s, of_all)),
            "height": 2,
            "classes": classes,
            "dm": squares + of_all * s,
            "dm_star": squares + sum(c * c for c in world.suppressed),
            "c_avg": n / classes / self.k,
            "aecs": of_all / (classes + bool(s)),
            "entropy": 2.0 * everything,
            "loss": float(over_rows),
        }
        return {
            **PROVIDERS,
            "engine_version": "1",
            "request": {"k": self.k, "release": {"to": "/srv/office/deliveries/1-1/ages.csv"}},
            "dataset_version": {"rows": everything, "columns_hash": "c"},
            "dataset": "members",
            "method": "generalization",
            "quasi_identifiers": [
                {"column": "age", "hierarchy": "age", "level": 1, "level_name": "5 years", "level_hash": "h"}
            ],
            "suppression_limit": self.limit,
            "recoding": self.recoding,
            "narrowed": {"share": 0.5},
            "pseudonym": self.pseudonym,
            "shape": self.shape,
            "counts": "persons" if self.persons else "rows",
            "k": min(world.released),
            "classes": classes,
            "rows": world.rows() if self.shape == "rows" else classes,
            "persons": n if self.persons else None,
            "suppressed_rows": gone,
            "suppressed_persons": s if self.persons else None,
            "star_rows": 0,
            "risk": {"prosecutor": 1 / min(world.released), "marketer": classes / n},
            "sensitive": [
                {"column": "ill", "models": [
                    {"model": "0.4-close", "name": "t_closeness", "parameters": {"t": "0.4"}, "figure": "distance",
                     "worst": 1 / everything},
                    {"model": "2-diverse", "name": "distinct_l", "parameters": {"l": "2"}, "figure": "values",
                     "worst": 2.0},
                ]}
            ],
            "loss": losses,
            "sql": ["SELECT age_years FROM members"],
        }  # fmt: skip


def partitions(total: int, most: int) -> Iterator[tuple[int, ...]]:
    """The ways to part suppressed units into classes below k."""
    if total == 0:
        yield ()
    for first in range(min(total, most), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


def case(draw: random.Random) -> Case:
    k = draw.randrange(2, 8)
    released = tuple(draw.randrange(k, 3 * k) for _ in range(draw.randrange(1, 5)))
    persons = draw.random() < 0.4
    limit = draw.choice(["0", "0.3", "0.45"])
    totals = range(k) if draw.random() < 0.7 else [draw.randrange(k, 2 * k)]
    suppressed = [each for total in totals for each in itertools.islice(partitions(total, k - 1), 4)]
    if limit == "0":
        suppressed = [()]
    shape = draw.choice(["rows", "rows", "table"])
    pseudonym = "person" if persons and shape == "rows" and draw.random() < 0.5 else None
    # The table has as many rows in every world; without a pseudonym they are of more persons, or of fewer.
    rows = 2 * k
    moved = [0]
    if persons and pseudonym is None and shape == "rows" and min(released) > k:
        moved = [0, 1]
    worlds = tuple(
        World((*(size for size in released[:-1]), released[-1] - fewer), each, (rows + fewer, more))
        for each in suppressed
        for fewer in moved
        for more in ((0, 1) if persons and shape == "table" else (0,))
        if released[-1] - fewer >= k
    )
    if not persons:
        worlds = tuple(World(each.released, each.suppressed) for each in worlds)
    return Case(k, limit, draw.choice(["full-domain", "sealed", "local"]), shape, persons, pseudonym, worlds)


COUNTS: Mapping[str, Callable[[Case, World], int]] = {
    "suppressed rows": lambda _, world: world.rows_suppressed(),
    "suppressed units": lambda _, world: sum(world.suppressed),
    "rows of persons beyond their first": lambda of, world: 0 if of.pseudonym else world.further[0] - 2 * of.k,
    "suppressed rows of persons beyond their first": lambda _, world: world.rows_suppressed() - sum(world.suppressed),
    "the greatest suppressed class": lambda _, world: max(world.suppressed, default=0),
    "suppressed classes": lambda _, world: len(world.suppressed),
}


def follows(of: Case, said: Callable[[Case, World], object]) -> Iterator[str]:
    """The counts of 1 to k - 1 that what is said determines in some world."""
    by_words: dict[str, list[World]] = {}
    for world in of.worlds:
        by_words.setdefault(json.dumps(said(of, world), sort_keys=True), []).append(world)
    for name, count in COUNTS.items():
        known = {count(of, world) for world in of.worlds}
        for alike in by_words.values():
            found = {count(of, world) for world in alike}
            if len(found) == 1 and len(known) > 1 and found <= set(range(1, of.k)):
                yield name


def of_user(of: Case, world: World) -> object:
    return entitled.manifest(of.manifest(world))


@pytest.mark.parametrize("part", range(4))
def test_no_count_below_k_follows_from_the_manifest_of_a_user(part: int) -> None:
    draw = random.Random(DEFAULT_SEED + part)
    for _ in range(RELEASES // 4):
        made = case(draw)
        assert not list(follows(made, of_user)), made


@pytest.mark.parametrize(
    "name",
    ["suppressed_rows", "dataset_version", "loss.dm", "loss.aecs", "loss.prec_suppressed_as_1", "loss.loss"],
)
def test_one_figure_of_the_provider_is_enough_to_find_the_count(name: str) -> None:
    def with_one(of: Case, world: World) -> object:
        content: Any = of.manifest(world)
        for key in name.split("."):
            content = content[key]
        return [of_user(of, world), content]

    draw, found = random.Random(DEFAULT_SEED), 0
    for _ in range(100):
        found += bool(list(follows(case(draw), with_one)))
    assert found > 20


def test_a_user_gets_no_sql_no_other_level_and_nothing_that_is_not_named() -> None:
    made = case(random.Random(1))
    content = made.manifest(made.worlds[0])
    found = entitled.manifest(content)
    assert not {*PROVIDERS, "sql", "dataset_version", "narrowed", "row_level_security"} & found.keys()
    assert found["request"]["release"]["to"] == "ages.csv"
    assert "level_hash" not in found["quasi_identifiers"][0]
    assert "srv" not in json.dumps(found)
    for name in content:
        print(f"{name:20} {'handed over' if name in found else 'withheld'}")


K_OF = range(2, 7)
TOWNS = [f"t{number}" for number in range(12)]


@dataclass(frozen=True)
class Asked:
    """A request, with its dataset for each number of rare rows."""

    request: Mapping[str, Any]
    entity: str | None
    common: pd.DataFrame
    rare: pd.DataFrame

    def frame(self, few: int) -> pd.DataFrame:
        return pd.concat([self.common, self.rare.head(few)], ignore_index=True)


def asked(draw: random.Random) -> Asked:
    k = draw.choice(K_OF)
    rows: list[tuple[Any, ...]] = []
    for town in range(draw.randrange(3, 5)):
        for _ in range(draw.randrange(k, k + 5)):
            who = len(rows)
            repeated = draw.random() < 0.2
            rows += [(f"p{who}", 20 + 5 * town, TOWNS[town], f"ill{who % 3}")] * (1 + repeated)
    rare = [(f"r{number}", 60 + draw.randrange(20), TOWNS[6 + number % 4], "ill0") for number in range(k - 1)]
    columns = ["who", "age", "town", "ill"]
    quasi = draw.choice([["town"], ["age", "town"]])
    request: dict[str, Any] = {
        "method": "generalization", "k": k, "suppression_limit": 0.45,
        "quasi_identifiers": {column: {"hierarchy": column} for column in quasi},
    }  # fmt: skip
    entity = "who" if draw.random() < 0.4 else None
    kind = draw.choice(["plain", "table", "star", "models", "sealed", "local"])
    if kind == "table":
        request["release"] = {"shape": "table"}
    elif kind == "star":
        request["suppressed"] = "star"
    elif kind == "models":
        request["sensitive"] = {"ill": [{"model": "t_closeness", "t": 0.9, "distance": "equal"}]}
    elif kind in ("sealed", "local"):
        request["recoding"] = "local" if kind == "sealed" else {"kind": "local", "seal": False}
    if entity is not None and kind == "plain" and draw.random() < 0.5:
        request["release"] = {"pseudonym": "person"}
    return Asked(request, entity, pd.DataFrame(rows, columns=columns), pd.DataFrame(rare, columns=columns))


OF_EACH_RUN = ("released_at", "sha256", "request_id", "release", "request", "title", "file")


def every_way_out(engine: Engine, of: Asked, few: int, to: Path) -> tuple[str, str, str] | None:
    """The released table, all that reaches its user, and what the provider has; None where nothing is released."""
    request = {**of.request, "release": {**of.request.get("release", {}), "to": str(to)}}
    result = engine.run(request, data=of.frame(few), entity=of.entity)
    if not result.released or result.release is None:
        return None
    copy = to.with_name(f"copy-{to.name}")
    _copied(to, copy, sha256_of(to))
    number = result.release.number
    assert number is not None
    report = engine.releases.report(number, "user")
    found = report.as_dict()
    for name in OF_EACH_RUN:
        found.pop(name, None)
    given = read_manifest(copy)
    table = pd.read_csv(copy, dtype=str).drop(columns="person", errors="ignore")
    of_table = table.sort_values(list(table.columns)).to_csv(index=False)
    handed = {name: each for name, each in given.items() if name not in OF_EACH_RUN}
    sentences = [plain_summary(report, language).split("\n", 1)[1] for language in ("en", "ja")]
    said = json.loads(json.dumps([handed, found, sentences]), parse_float=_without_noise)
    return of_table, json.dumps(said, sort_keys=True), manifest_of(to).read_text("utf-8")


def _without_noise(written: str) -> float:
    """A figure without the last digits, which the order makes in which threads add the same rows up."""
    return float(f"{float(written):.12g}")


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("part", range(2))
def test_every_way_out_says_the_same_however_few_rows_were_suppressed(part: int, tmp_path: Path) -> None:
    draw = random.Random(DEFAULT_SEED + part)
    engine = new_engine(tmp_path, use_cache=False, limits=Limits(threads=1))
    engine.hierarchies.add("age", "intervals:\n  levels: [{width: 5}, {width: 40}]\n")
    engine.hierarchies.add("town", {town: [f"r{number % 2}", "*"] for number, town in enumerate(TOWNS)})
    requests = released = compared = 0
    while released < rounds(14, RELEASES) // 2:
        of = asked(draw)
        k = of.request["k"]
        worlds: Sequence[int] = sorted({0, draw.randrange(1, k), k - 1})
        by_table: dict[str, list[tuple[int, str, str]]] = {}
        for few in worlds:
            found = every_way_out(engine, of, few, tmp_path / f"{requests}-{few}.csv")
            if found is not None:
                by_table.setdefault(found[0], []).append((few, *found[1:]))
        requests += 1
        for alike in by_table.values():
            released += len(alike)
            compared += len(alike) if len(alike) > 1 else 0
            assert len({said for _, said, _ in alike}) == 1, (of.request, of.entity, [few for few, _, _ in alike])
            assert len({provider for _, _, provider in alike}) == len(alike)
    print(f"{released} releases of {requests} requests, {compared} with one that suppressed other rows: 0 told apart")
    assert compared > released * 0.8
