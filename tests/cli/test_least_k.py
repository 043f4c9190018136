"""Nothing below the least k comes out: one message whether no row remains or k - 1, whatever is asked."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.errors import InputError
from tests.cli.conftest import Outcome, Program, done_in, write_request
from tests.made import new_engine, write_table

pytestmark = pytest.mark.slow

FEW = "fewer than 20 rows remain, so nothing can be released"
METHODS = {
    "generalization": "quasi_identifiers: {sex: {hierarchy: sex}, age: {hierarchy: age}}",
    "microaggregation": "method: microaggregation\nattributes: {age: }\n"
    "microaggregation: {algorithm: mdav, improve: false}",
    "mondrian": "method: mondrian\nquasi_identifiers: {age: }",
    "history": "method: history\nhistory: {customer: phone, when: day, item: plan}",
}
ALL_METHODS = [
    pytest.param(each, marks=[] if each in ("generalization", "history") else [pytest.mark.thorough])
    for each in METHODS
]
"""Of rows and of customers one is always tried."""
FILTERS = ("age < 20", "age = 20 AND sex = 'f' AND city = 'Oslo'", "age < 22", "age < 24")
"""Which leave 0, 1, 8 and 16 of the members."""


def ask(folder: Path, method: str, where: str, k: int = 20, name: str = "few") -> Path:
    """A request with a filter, by a method."""
    path = folder / f"{name}.yaml"
    dataset = "bought" if method == "history" else "members"
    head = f'dataset: {dataset}\nk: {k}\nwhere: "{where}"'
    path.write_text(f"{head}\n{METHODS[method]}\nrelease: {{to: out/{name}.csv}}\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def registered(registered: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop with the least k that is meant where none is named; members are purchases too, on a day by their age."""
    folder = tmp_path_factory.mktemp("least") / "shop"
    shutil.copytree(registered, folder)
    query = "SELECT *, DATE '2020-01-01' + CAST(age AS INTEGER) AS day FROM members"
    (folder / "bought.sql").write_text(query, encoding="utf-8")
    done_in(
        folder,
        ["dataset", "remove", "members"],
        ["dataset", "add", "members", "--source", "shop", "--table", "members"],
        ["dataset", "add", "bought", "--source", "shop", "--query", "bought.sql"],
    )
    return folder


def timeless(document: Any) -> Any:
    """A document without times, and without the texts of the request that differ."""
    if isinstance(document, dict):
        left_out = ("seconds", "started_at", "finished_at", "last_seen_at", "id", "request", "filter", "request_hash")
        return {key: timeless(each) for key, each in document.items() if key not in left_out}
    return [timeless(each) for each in document] if isinstance(document, list) else document


def one(outcomes: Sequence[Outcome]) -> Outcome:
    """The one outcome that several are, times apart."""
    found = {(each.status, each.err) for each in outcomes}
    assert len(found) == 1, found
    return outcomes[0]


@pytest.mark.parametrize("method", ALL_METHODS)
def test_the_answer_is_the_same_whether_none_remain_or_k_less_one(method: str, shop: Program, folder: Path) -> None:
    few = FEW.replace("rows", "customers") if method == "history" else FEW
    answers = [shop("request", "run", ask(folder, method, where), "--json") for where in FILTERS]
    assert [each.status for each in answers] == [1] * len(FILTERS)
    documents = [timeless(each.document) for each in answers]
    assert documents == [documents[0]] * len(FILTERS)
    assert (documents[0]["status"], documents[0]["reason"], documents[0]["rows"]) == ("refused", few, None)
    history = [shop("request", "show", number, "--json").document for number in range(1, 5)]
    assert [timeless(each) for each in history] == [timeless(history[0])] * len(FILTERS)
    assert history[0]["dataset_version_id"] is None
    said = {
        re.sub(r"request( show)? \d+", "request", shop("request", "run", ask(folder, method, where)).err)
        for where in FILTERS
    }
    assert len(said) == 1
    assert f"\n  {few}\n" in said.pop()
    kept = {each["kind"] for each in shop("cache", "list", "--json").document["entries"]}
    assert kept <= {"twin"}  # of the whole source


@pytest.mark.parametrize("method", ALL_METHODS)
def test_a_sweep_says_no_more(method: str, shop: Program, folder: Path) -> None:
    swept = [shop("sweep", ask(folder, method, where), "--k", "20,25", "--json") for where in FILTERS]
    assert [each.status for each in swept] == [1] * len(FILTERS)
    documents = [timeless(each.document) for each in swept]
    assert documents == [documents[0]] * len(FILTERS)
    assert (documents[0]["rows"], documents[0]["persons"]) == (None, None)
    assert [each["reason"].split(" remain")[0].split(" ", 3)[2] for each in documents[0]["points"]] == ["20", "25"]


def test_a_prediction_knows_no_more(shop: Program, folder: Path) -> None:
    told = []
    for where in FILTERS:
        request = ask(folder, "generalization", where)
        shop("request", "run", request)
        predicted = shop("request", "predict", request, "--json")
        assert predicted.status == 0
        told.append(timeless(predicted.document))
    assert told == [told[0]] * len(FILTERS)
    assert told[0]["basis"] is None


def test_a_prediction_for_a_larger_k_shows_no_count(shop: Program, folder: Path) -> None:
    assert shop("request", "run", ask(folder, "generalization", "age < 24", k=5)).status == 0
    told = shop("request", "predict", ask(folder, "generalization", "age < 24"), "--json").document
    assert (told["verdict"], told["basis"], told["nodes"], told["too_little"]) == ("fails", None, [], FEW)


def test_a_prediction_shows_no_k_below_the_least_k(shop: Program, folder: Path) -> None:
    assert shop("request", "run", "request.yaml").status == 0
    told = shop("request", "predict", "request.yaml", "--json").document
    for node in (*told["nodes"], told["finest"]):
        assert node["k"] is None or node["k"] >= 5
        assert node["low"] == 0 or node["low"] >= 5
        assert node["high"] >= 5


@pytest.mark.parametrize("json_too", [(), ("--json",)])
def test_a_refusal_has_no_count_below_the_least_k(json_too: tuple[str, ...], shop: Program, folder: Path) -> None:
    write_request(folder / "fine.yaml", k=20, end=0)
    refused = shop("request", "run", "fine.yaml", *json_too)
    assert refused.status == 1
    told = refused.document["reason"] if json_too else refused.err
    assert "the coarsest has a k of fewer than 5" in told


def test_classes_of_groups_that_are_too_small_are_not_counted(shop: Program, folder: Path) -> None:
    within = f"{METHODS['microaggregation']}\nwithin: {{city: {{hierarchy: city, level: 0}}}}"
    (folder / "in.yaml").write_text(f"dataset: members\nk: 40\n{within}\nrelease: {{to: out/in.csv}}\n", "utf-8")
    refused = shop("request", "run", "in.yaml", "--json")
    assert (
        "fewer than 5 of the fewer than 5 classes of city have fewer than 40 rows (144 in all)"
        in (refused.document["reason"])
    )


def test_a_k_below_the_least_k_is_refused_wherever_it_is_asked(shop: Program, folder: Path) -> None:
    for method in METHODS:
        told = (
            f"k: k of 4 is less than 5, the least k of the dataset '{'bought' if method == 'history' else 'members'}'"
        )
        request = ask(folder, method, "age >= 20", k=4)
        for command in (("request", "check"), ("request", "run"), ("request", "explain"), ("sweep", "--k", "5")):
            ended = shop(*command[:2], request, *command[2:]) if command[0] == "request" else shop(*command, request)
            assert (ended.status, told in ended.err) == (2, True), (command, ended.err)
    told = "k: k of 4 is less than 5, the least k of the dataset 'members'"
    assert told in shop("request", "predict", ask(folder, "generalization", "age >= 20", k=4)).err
    few = shop("sweep", "request.yaml", "--k", "4..6", "--json").document["points"]
    assert [(each["k"], each["reason"] is None) for each in few] == [(4, False), (5, True), (6, True)]
    swept = shop("sweep", "request.yaml", "--k", "4")
    assert (swept.status, swept.err) == (
        2,
        "Error: --k: k of 4 is less than 5, the least k of the dataset 'members'. Write a k of 5 or more.\n",
    )


def test_a_provider_may_lower_or_raise_it(shop: Program, folder: Path) -> None:
    added = shop("dataset", "add", "low", "--source", "shop", "--table", "members", "--least-k", "2")
    assert "the least k is 2" in added.out
    assert "least k 5" in " ".join(shop("dataset", "show", "members").out.split())
    assert shop("dataset", "show", "low", "--json").document["dataset"]["least_k"] == 2
    assert {each["name"]: each["least_k"] for each in shop("dataset", "list", "--json").document["datasets"]} == {
        "bought": 5,
        "low": 2,
        "members": 5,
    }
    text = (folder / "request.yaml").read_text("utf-8").replace("dataset: members", "dataset: low")
    (folder / "low.yaml").write_text(text.replace("k: 5", "k: 2"), "utf-8")
    assert shop("request", "run", "low.yaml").status == 0
    bad = shop("dataset", "add", "one", "--source", "shop", "--table", "members", "--least-k", "1")
    assert (bad.status, "--least-k: the least k is a whole number of at least 2" in bad.err) == (2, True)


def test_measuring_a_registered_table_shows_no_count_below_the_least_k(shop: Program, folder: Path) -> None:
    table = ("shop.members", "--quasi-identifiers", "sex,age,city", "--sensitive", "plan")
    found = shop("measure", *table, "--json").document
    assert (found["k"], found["classes_of_one"], found["risks"]["prosecutor"]["highest"]) == (None, None, None)
    assert [each["size"] for each in found["class_sizes"]] == [None]
    assert [each for each in found["below"] if each["k"] < 5] == [
        {"k": k, "classes": None, "units": None, "share": None} for k in (2, 3)
    ]
    shown = " ".join(shop("measure", *table).out.split())
    assert "k fewer than 5" in shown
    assert "highest more than 0.2" in shown
    whole = shop("measure", "shop.members", "--quasi-identifiers", "sex", "--json").document
    assert (whole["k"], whole["rows"], whole["class_sizes"]) == (72, 144, [{"size": 72, "classes": None}])
    drawn = shop("measure", *table, "--plot", "k.svg")
    assert (drawn.status, (folder / "k.svg").exists()) == (1, False)


def test_measuring_with_a_filter_has_the_one_message(shop: Program, folder: Path) -> None:
    filters = ("age < 20", FILTERS[1], "age = 20")
    asked = [shop("measure", "shop.members", "--quasi-identifiers", "sex", "--where", each) for each in filters]
    few = "shop.members: fewer than 5 rows remain, so nothing can be released"
    assert (one(asked).status, few in asked[0].err) == (1, True)
    compared = [
        shop("microaggregation", "compare", "shop.members", "--attributes", "age", "--k", "20", "--where", each)
        for each in FILTERS
    ]
    assert (one(compared).status, FEW in compared[0].err) == (1, True)


def test_a_file_by_its_path_is_measured_as_it_is(shop: Program, folder: Path) -> None:
    found = shop("measure", "members.csv", "--quasi-identifiers", "sex,age,city", "--where", "age = 20", "--json")
    assert (found.document["k"], found.document["rows"]) == (1, 4)


def test_of_persons_no_row_of_too_few_is_counted(folder: Path) -> None:
    engine = visits(folder)
    asked = {"dataset": "visits", "k": 5, "method": "mondrian", "quasi_identifiers": {"age": None}}
    answers = [
        engine.run({**asked, "where": where, "release": {"replace": True, "to": str(folder / "out.csv")}})
        for where in ("person < 0", "person = 1", "person <= 4", "person is null or person = 1")
    ]
    assert {(each.status, each.rows, each.reason) for each in answers} == {
        ("refused", None, "fewer than 5 persons remain, so nothing can be released")
    }
    with pytest.raises(InputError, match=r"fewer than 5 rows have no person"):
        engine.run({**asked, "release": {"replace": True, "to": str(folder / "out.csv")}})


def visits(folder: Path) -> Engine:
    """An engine with ten visits of each of eight persons, and one of nobody."""
    engine = new_engine(folder)
    rows = [(person, 20 + visit) for person in range(1, 9) for visit in range(10)]
    write_table(folder / "v.duckdb", {"person": "INTEGER", "age": "INTEGER"}, [*rows, (None, 20)], "visits")
    engine.sources.add("v", str(folder / "v.duckdb"))
    engine.datasets.add("visits", "v", table="visits", entity="person")
    return engine


def test_a_filter_of_one_persons_rows_is_not_measured_either(folder: Path) -> None:
    engine = visits(folder)
    for where in ("person = 1", "person < 0"):
        with pytest.raises(Exception, match="fewer than 5 persons remain"):
            engine.measure("v.visits", ["age"], where=where)


def test_what_is_missing_is_not_counted_below_the_least_k(folder: Path) -> None:
    engine = new_engine(folder)
    rows = [(None if place < 3 else place,) for place in range(40)]
    write_table(folder / "n.duckdb", {"age": "INTEGER"}, rows, "people")
    engine.sources.add("n", str(folder / "n.duckdb"))
    engine.datasets.add("people", "n", table="people")
    asked = {"dataset": "people", "k": 5, "release": {"replace": True, "to": str(folder / "out.csv")}}
    with pytest.raises(InputError, match=r"fewer than 5 rows have no number"):
        engine.run({**asked, "method": "microaggregation", "attributes": {"age": None}})


def test_rules_that_mean_nobody_are_told_as_those_that_mean_few(shop: Program, folder: Path) -> None:
    request = (
        "dataset: members\nk: 20\nmethod: mondrian\nquasi_identifiers: {age: }\n"
        "mondrian: {split: tf-idf, rules: rules.yaml}\nrelease: {to: out/r.csv}\n"
    )
    (folder / "r.yaml").write_text(request, "utf-8")
    (folder / "rules.yaml").write_text(
        "rules:\n- {item: A, when: {age: 20}}\n- {item: B, when: {age: 90}}\n", encoding="utf-8"
    )
    none, few = shop("rules", "check", "r.yaml", "--json").document["rules"][::-1]
    assert {**none, "item": ""} == {**few, "item": ""}
    assert (none["about"], none["fewer_than_k"], none["reasons"]) == (None, True, [])
