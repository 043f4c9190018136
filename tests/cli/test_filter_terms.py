"""Datasets that take no row filter, or filters by some of their columns: every command keeps to it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ordermade import Engine
from tests.cli.conftest import Program, done_in
from tests.made import new_engine, write_table

pytestmark = pytest.mark.slow

METHODS = {
    "generalization": "quasi_identifiers: {sex: {hierarchy: sex}}",
    "microaggregation": "method: microaggregation\nattributes: {age: }\n"
    "microaggregation: {algorithm: mdav, improve: false}",
    "mondrian": "method: mondrian\nquasi_identifiers: {age: }",
    "history": "method: history\nhistory: {customer: phone, when: day, item: plan}",
}
COMMANDS = (("request", "check"), ("request", "run"), ("request", "explain"), ("sweep",))
BY_PHONE = "the dataset '{}' is not filtered by 'phone'; filter by 'sex', 'age' alone"
BY_ANY = "the dataset '{}' takes no row filter by 'age'; leave the filter out"


SOME = ["--where-columns", "SEX, age"]


@pytest.fixture(scope="module")
def registered(registered: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop with two datasets more: `some` is filtered by sex and age alone, `none` takes no filter."""
    folder = tmp_path_factory.mktemp("closed") / "shop"
    shutil.copytree(registered, folder)
    query = "SELECT *, DATE '2020-01-01' + CAST(age AS INTEGER) AS day FROM members"
    (folder / "bought.sql").write_text(query, encoding="utf-8")
    of_source = ["--source", "shop", "--query", "bought.sql"]
    done_in(folder, ["dataset", "add", "some", *of_source, *SOME], ["dataset", "add", "none", *of_source, "--no-where"])
    return folder


def request(folder: Path, dataset: str, method: str, where: str) -> Path:
    path = folder / f"{dataset}.yaml"
    head = f'dataset: {dataset}\nk: 5\nwhere: "{where}"'
    path.write_text(f"{head}\n{METHODS[method]}\nrelease: {{to: out/{dataset}.csv}}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("method", METHODS)
def test_every_command_names_the_column_and_those_allowed(method: str, shop: Program, folder: Path) -> None:
    by_phone = request(folder, "some", method, "age >= 20 AND phone LIKE '1%'")
    by_any = request(folder, "none", method, "age >= 20")
    for command in COMMANDS:
        for asked, told in ((by_phone, BY_PHONE.format("some")), (by_any, BY_ANY.format("none"))):
            ended = shop(*command, asked, *(("--k", "5") if command == ("sweep",) else ()))
            assert (ended.status, f"where: {told}" in ended.err) == (2, True), (command, ended.err)
    assert shop("request", "list", "--json").document["requests"] == []


def test_filters_by_the_columns_allowed_are_answered(shop: Program, folder: Path) -> None:
    assert shop("request", "run", request(folder, "some", "generalization", "Age >= 22 AND sex = 'f'")).status == 0
    assert shop("request", "check", request(folder, "some", "mondrian", "sex = 'f'")).status == 0


def test_a_prediction_keeps_to_it_whether_columns_are_known_or_not(shop: Program, folder: Path) -> None:
    for _ in range(2):
        for dataset, where, told in (("some", "phone = '1'", "'phone'"), ("none", "age >= 20", "takes no row filter")):
            asked = request(folder, dataset, "generalization", where)
            ended = shop("request", "predict", asked)
            assert (ended.status, told in ended.err) == (2, True), ended.err
            text = "\n".join(line for line in asked.read_text("utf-8").splitlines() if "where" not in line)
            (folder / "whole.yaml").write_text(text, encoding="utf-8")
            assert shop("request", "run", "whole.yaml").status == 0
            (folder / "out" / f"{dataset}.csv").unlink()


def test_it_is_shown_and_on_record(shop: Program) -> None:
    for dataset, told, columns in (
        ("members", "any column", None),
        ("some", "sex, age", ["sex", "age"]),
        ("none", "no column", []),
    ):
        assert f"filters by {told}" in " ".join(shop("dataset", "show", dataset).out.split())
        assert shop("dataset", "show", dataset, "--json").document["dataset"]["where_columns"] == columns
    listed = shop("dataset", "list", "--json").document["datasets"]
    assert {each["name"]: each["where_columns"] for each in listed} == {
        "members": None,
        "none": [],
        "some": ["sex", "age"],
    }


def test_what_filters_may_be_by_is_said_as_the_dataset_is_added(shop: Program) -> None:
    of_source = ("dataset", "add", "x", "--source", "shop", "--table", "members")
    assert "requests filter by sex, age alone" in shop(*of_source, *SOME).out
    shop("dataset", "remove", "x")
    assert "requests have no row filter" in shop(*of_source, "--no-where").out


def test_columns_are_checked_as_the_dataset_is_added(shop: Program) -> None:
    of_source = ("dataset", "add", "x", "--source", "shop", "--table", "members")
    unknown = shop(*of_source, "--where-columns", "sexx")
    assert (unknown.status, "--where-columns: there is no column 'sexx'. Did you mean 'sex'?" in unknown.err) == (
        2,
        True,
    )
    both = shop(*of_source, "--where-columns", "sex", "--no-where")
    assert (both.status, "Give --where-columns or --no-where, not both" in both.err) == (2, True)


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the visits, filtered by age alone. Not changed."""
    folder = tmp_path_factory.mktemp("visited")
    visits(folder, ["age"])
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ("measure", "v.visits", "--quasi-identifiers", "age"),
        ("microaggregation", "compare", "v.visits", "--attributes", "age", "--k", "5"),
        ("rules", "suggest", "visits", "--target", "item", "--columns", "item2", "--k", "5"),
        ("taxonomy", "check", "t.csv", "v.visits", "--item", "item"),
    ],
)
def test_a_filter_of_other_commands_keeps_to_it_too(
    command: tuple[str, ...], visited: Path, ordermade: Program, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(visited, folder, dirs_exist_ok=True)
    (folder / "t.csv").write_text("item,kind\na,one\nb,two\n", encoding="utf-8")
    monkeypatch.setenv("ORDERMADE_STATE", str(folder / "state" / "state.sqlite"))
    ended = ordermade(*command, "--where", "person > 1 AND age > 1")
    assert (ended.status, "is not filtered by 'person'" in ended.err) == (2, True), ended.err
    assert "is not filtered" not in ordermade(*command, "--where", "age > 1").err


def test_two_datasets_on_a_table_allow_what_both_do(folder: Path) -> None:
    engine = visits(folder, ["age", "person"])
    engine.datasets.add("again", "v", query="SELECT * FROM visits", where_columns=["age"], least_k=12)
    with pytest.raises(ValueError, match="is not filtered by 'person'"):
        engine.measure("v.visits", ["age"], where="person > 1")
    assert engine.measure("v.visits", ["age"], where="age > 1").least_k == 12


def visits(folder: Path, where_columns: list[str]) -> Engine:
    """An engine with 80 visits whose dataset may be filtered by some columns."""
    engine = new_engine(folder)
    rows = [(person, 20 + visit, "ab"[visit % 2], "xy"[person % 2]) for person in range(1, 9) for visit in range(10)]
    columns = {"person": "INTEGER", "age": "INTEGER", "item": "VARCHAR", "item2": "VARCHAR"}
    write_table(folder / "v.duckdb", columns, rows, "visits")
    engine.sources.add("v", str(folder / "v.duckdb"))
    engine.datasets.add("visits", "v", table="visits", where_columns=where_columns)
    return engine
