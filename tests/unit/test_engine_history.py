"""Requests for purchase histories through the whole engine: releases against plain Python, their map, their files."""

from __future__ import annotations

import csv
import datetime as dt
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

from ordermade import Engine
from ordermade.errors import InputError, ReleaseFault, SourceChanged
from ordermade.files.private import sha256_of
from ordermade.methods.histories import answer
from ordermade.methods.shared import published
from ordermade.sources.limits import Limits
from tests.histories_by_hand import Cells, Purchase, alike, histories, losses, of_the_paper, utility
from tests.long import sampled
from tests.made import new_engine, write_hierarchy, write_table
from tests.state_by_hand import every_row

pytestmark = pytest.mark.slow

K = 3
COLUMNS = {"who": "VARCHAR", "day": "DATE", "item": "VARCHAR", "price": "DECIMAL(9,2)", "quantity": "INTEGER"}
HISTORY = {"customer": "who", "when": "day", "item": "item", "numbers": ["price", "quantity"]}
CATEGORIES = {item: "food" if item < "f" else "ware" for item in "abcdefgh"}
RANK = {"match": "rank", "cluster": "rank"}


def purchases() -> list[Purchase]:
    """Of 23 customers with habits of their own: ties, duplicates, returned goods, and one who has most."""
    draw = random.Random(18)
    rows: list[Purchase] = []
    for customer in range(23):
        often = 40 if customer == 7 else draw.randrange(2, 12)
        first, likes = draw.randrange(300), draw.choices("abcdefgh", k=3)
        for _ in range(often):
            day = dt.date(2011, 1, 1) + dt.timedelta(days=first + draw.randrange(60))
            price, quantity = Decimal(draw.choice([95, 100, 250, 999])) / 100, draw.choice([-1, 1, 1, 2, 12])
            rows.append((f"Zqx{customer}", day, draw.choice(likes), price.quantize(Decimal("0.01")), quantity))
    return rows + rows[:15]


PURCHASES = purchases()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The purchases in a database that releases may be written to, their categories in a file."""
    folder = tmp_path_factory.mktemp("history")
    write_table(folder / "s.duckdb", COLUMNS, PURCHASES, "purchases")
    write_hierarchy(folder / "categories.csv", ["item", "category"], list(CATEGORIES.items()))
    return folder


@pytest.fixture(scope="module")
def engine(folder: Path) -> Engine:
    """An engine on them."""
    engine = new_engine(folder, limits=Limits(threads=1))
    engine.sources.add("s", str(folder / "s.duckdb"), writable=True)
    engine.datasets.add("d", "s", table="purchases", least_k=2)
    return engine


def asked(to: Path | Mapping[str, str], history: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A request for the purchases."""
    release = {"to": str(to) if isinstance(to, Path) else dict(to)}
    content = {
        "dataset": "d",
        "method": "history",
        "k": K,
        "history": HISTORY | dict(history or {}),
        "release": release,
    }
    return content | more


def released(path: Path) -> list[tuple[int, Cells]]:
    """The rows of a released file, in order, each after its pseudonym."""
    frame = pandas.read_csv(path, dtype=str, keep_default_na=False)
    assert list(frame.columns) == ["day", "item", "price", "quantity", "customer"]
    return [(int(row[-1]), tuple(row[:-1])) for row in frame.itertuples(index=False)]


def mapped(path: Path) -> list[Purchase]:
    """The purchase of each released row, out of a map."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["row"]) for row in rows] == list(range(1, len(rows) + 1))
    return [
        (row["who"], dt.date.fromisoformat(row["day"]), row["item"], Decimal(row["price"]), int(row["quantity"]))
        for row in rows
    ]


WAYS: dict[str, Mapping[str, Any]] = {
    "the paper's": RANK,
    "in time": {"match": "date", "cluster": "rank"},
    "in time, of similar ones": {"match": "date", "cluster": "similar", "window": 6, "delete_costly": True},
    "of similar ones": {"match": "rank", "cluster": "similar"},
    "least loss": {"match": "optimal", "cluster": "rank", "delete_costly": False},
    "the default": {},
    "categories": {"items": {"taxonomy": "categories.csv"}},
}
MORE = {"of similar ones"}
"""What is asked of in another way too."""


@pytest.mark.parametrize(
    "way", sampled([pytest.param(each, marks=pytest.mark.whole) if each in MORE else each for each in WAYS], 2)
)
def test_k_customers_share_every_history_which_tells_the_truth_and_loses_what_is_told(
    engine: Engine, folder: Path, tmp_path: Path, way: str
) -> None:
    history = dict(WAYS[way])
    if way == "categories":
        history["items"] = {"taxonomy": str(folder / "categories.csv")}
    result = engine.run(asked(tmp_path / "out.csv", history | {"map": str(tmp_path / "map.csv")}))
    rows, truth = released(tmp_path / "out.csv"), mapped(tmp_path / "map.csv")
    shared = alike(rows)
    pairs = {(pseudonym, purchase[0]) for (pseudonym, _), purchase in zip(rows, truth, strict=True)}

    assert min(shared.values()) == result.k == K
    assert len(shared) == result.divisions == result.history.clusters == 7
    assert len({pseudonym for pseudonym, _ in pairs}) == len(pairs) == 21
    assert len({who for _, who in pairs}) == result.release.persons == 21
    assert Counter(truth) <= Counter(PURCHASES)
    assert rows == in_their_order(rows)
    if way in ("the paper's", "in time"):
        assert Counter(cells for _, cells in rows) == of_the_paper(PURCHASES, K, history["match"])

    goods = {name: {item for item in CATEGORIES if CATEGORIES[item] == name} for name in ("food", "ware")}
    told = list(zip(truth, (cells for _, cells in rows), strict=True))
    lost = losses(PURCHASES, told, goods if way == "categories" else None)
    expected = {
        "utility": utility(lost),
        "deleted_share": 1 - len(rows) / len(PURCHASES),
        "safety": 1 / K,
        "total": utility(lost) + 1 / K,
        "utility_by_column": pytest.approx(dict(zip(["day", "item", "price", "quantity"], lost, strict=True))),
    }
    if way == "categories":
        expected["utility_as_categories"] = utility(losses(PURCHASES, told, goods, as_categories=True))
    assert result.loss == {
        name: pytest.approx(each) if isinstance(each, float) else each for name, each in expected.items()
    }
    assert any("*" in cells for _, cells in rows) == result.history.delete_costly
    assert [each.deleted for each in result.history.columns] == [
        sum(cells[place] == "*" for _, cells in rows) for place in range(4)
    ]
    assert (result.suppressed_rows, result.release.rows) == (len(PURCHASES) - len(rows), len(rows))
    (negative,) = result.warnings
    assert "rows have a 'quantity' below 0" in negative
    assert '"quantity" >= 0' in negative


def in_their_order(rows: Sequence[tuple[int, Cells]]) -> list[tuple[int, Cells]]:
    """The rows in the order that their pseudonyms and texts give them: cluster by cluster, then by texts."""
    of = histories(rows)
    first = {each: min(other for other in of if of[other] == of[each]) for each in of}
    keyed = [
        (first[pseudonym], cells, time, pseudonym)
        for pseudonym in of
        for cells, n in of[pseudonym].items()
        for time in range(n)
    ]
    return [(pseudonym, cells) for *_, cells, _, pseudonym in sorted(keyed)]


def test_only_random_numbers_tell_two_releases_apart(engine: Engine, folder: Path, tmp_path: Path) -> None:
    """From every source, in any order of its rows, with one thread or two; the numbers are drawn anew."""
    shuffled = random.Random(5).sample(PURCHASES, len(PURCHASES))
    with (tmp_path / "purchases.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([tuple(COLUMNS), *shuffled])
    engine.sources.add("files", str(tmp_path / "purchases.csv"), allow_inline=True)
    query = "SELECT * REPLACE (CAST(price AS DECIMAL(9,2)) AS price) FROM purchases"
    engine.datasets.add("shuffled", "files", query=query, least_k=2)
    runs = []
    for place, (dataset, threads) in enumerate([("d", 1), ("shuffled", 2)]):
        more = {"map": str(tmp_path / f"map{place}.csv")}
        request = asked(tmp_path / f"{place}.csv", more, dataset=dataset)
        result = replace(engine, limits=Limits(threads=threads)).run(request)
        rows = released(tmp_path / f"{place}.csv")
        truth = mapped(tmp_path / f"map{place}.csv")
        numbers = {purchase[0]: pseudonym for (pseudonym, _), purchase in zip(rows, truth, strict=True)}
        runs.append((alike(rows), result.loss, numbers))
    (one, lost, numbers), (other, lost_again, drawn) = runs
    assert (one, lost) == (other, lost_again)
    assert numbers.keys() == drawn.keys()
    assert numbers != drawn


def test_a_map_is_its_owner_s_and_replaces_only_the_map_of_the_release(engine: Engine, tmp_path: Path) -> None:
    """Nothing of it is in what goes out: who has the hash of a map can try out whose rows they are."""
    out, secret = tmp_path / "out.csv", tmp_path / "private" / "map.csv"
    request = asked(out, RANK | {"map": str(secret)})
    engine.run(request)
    first = secret.read_bytes()
    assert engine.run(request).released
    assert secret.read_bytes() == first
    assert engine.run(request, again=True).released
    assert secret.read_bytes() != first
    assert [each.stat().st_mode & 0o777 for each in secret.parent.iterdir()] == [0o600, 0o600]
    assert sha256_of(secret) not in (tmp_path / "out.csv.manifest.json").read_text("utf-8")

    def refused(changed: Mapping[str, Any]) -> None:
        before = {each: each.read_bytes() for each in tmp_path.rglob("*.csv")}
        with pytest.raises(InputError, match="a file of this name already"):
            engine.run(changed)
        assert {each: each.read_bytes() for each in tmp_path.rglob("*.csv")} == before

    refused(request | {"release": {"to": str(tmp_path / "other.csv")}})
    secret.write_bytes(first + b"\n")
    refused(request)
    secret.unlink()
    refused(request)
    assert engine.run(request, again=True).released
    assert engine.run(request | {"release": {"to": str(tmp_path / "other.csv"), "replace": True}}).released


def test_what_goes_wrong_on_the_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk, somebody who stops it, a source that changes."""
    engine, out = new_engine(tmp_path, limits=Limits(threads=1)), tmp_path / "out"
    source = tmp_path / "purchases.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([tuple(COLUMNS), *PURCHASES])
    engine.sources.add("s", str(source))
    engine.datasets.add("d", "s", table="purchases", least_k=2)
    request = asked(out / "out.csv", RANK | {"map": str(out / "map.csv")}, dataset="d")
    settled = answer.settle_histories

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    def full(*_: Any) -> None:
        raise ReleaseFault("no space is left")

    def changed(*given: Any) -> Any:
        source.write_text("who,day,item,price,quantity\n", encoding="utf-8")
        return settled(*given)

    cases = [
        (published, "carry_out", full, ReleaseFault),
        (published, "carry_out", stopped, KeyboardInterrupt),
        (answer, "settle_histories", changed, SourceChanged),
    ]
    for place, name, instead, expected in cases:
        with monkeypatch.context() as patch:
            patch.setattr(place, name, instead)
            with pytest.raises(expected):
                engine.run(request)
        assert not [*out.iterdir()]
    assert [each.status for each in engine.requests.list()] == ["failed"] * len(cases)


def test_a_table_of_the_source_takes_histories_and_a_changed_row_is_found(engine: Engine, folder: Path) -> None:
    result = engine.run(asked({"table": "alike"}, RANK))
    (release,) = (each for each in engine.releases.list() if each.request_id == result.request)
    assert engine.releases.verify(release.id).intact
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        columns = "day, item, price, quantity"
        found = connection.execute(f"SELECT {columns}, COUNT(*) FROM alike GROUP BY ALL").fetchall()
        # One history differs from those of the others of its cluster.
        connection.execute("UPDATE alike SET item = 'h' WHERE rowid = (SELECT MIN(rowid) FROM alike WHERE item <> 'h')")
    assert {row[:-1]: row[-1] for row in found} == of_the_paper(PURCHASES, K, "rank")
    assert not engine.releases.verify(release.id).intact


def test_nothing_but_the_release_and_its_map_tells_of_a_customer(engine: Engine, tmp_path: Path) -> None:
    request = asked(tmp_path / "out.parquet", {"map": str(tmp_path / "map.parquet")})
    result = engine.run(request)
    manifest = json.loads((tmp_path / "out.parquet.manifest.json").read_text("utf-8"))
    assert (manifest["method"], manifest["counts"], manifest["pseudonym"]) == ("history", "persons", "customer")
    assert (manifest["k"], manifest["classes"], manifest["persons"]) == (K, 7, 21)
    # Of few deleted purchases exact utilities would tell the values.
    assert manifest["loss"] == {name: result.loss[name] for name in ("deleted_share", "safety")}
    assert "utility" not in json.dumps(manifest)
    assert manifest["history"]["match"] == "optimal"
    assert manifest["suppressed_rows"] == len(PURCHASES) - manifest["rows"]
    (release,) = (each for each in engine.releases.list() if each.request_id == result.request)
    assert engine.releases.verify(release.id).intact
    assert result.to_pandas().columns.tolist() == ["day", "item", "price", "quantity", "customer"]

    told = [str(result.as_dict()), json.dumps(manifest), *(each.sql or "" for each in engine.explain(request))]
    with engine.state_file.reading() as state:
        told += every_row(state)
    assert not [text for text in told if "Zqx" in text or "9.99" in text]
    assert "Zqx" not in (tmp_path / "out.parquet").read_bytes().decode("latin-1")
