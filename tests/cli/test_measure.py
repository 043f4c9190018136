"""`ordermade measure`: for people, as JSON, as a picture; every bad input; nothing of a person, nothing registered."""

from __future__ import annotations

import importlib.util
import stat
from pathlib import Path

import duckdb
import pytest

from tests.cli.conftest import Program, write_members


@pytest.fixture
def members(ordermade: Program, folder: Path) -> Program:
    """The program in a folder with members.csv and no state."""
    write_members(folder / "members.csv")
    return ordermade


@pytest.mark.slow
def test_a_file_is_measured_without_a_state(members: Program, folder: Path) -> None:
    done = members("measure", "members.csv", "--quasi-identifiers", "sex,age", "--sensitive", "city,plan")
    assert done.status == 0, done.err
    shown = [" ".join(line.split()) for line in done.out.splitlines()]
    for line in (
        "rows 144",
        "quasi-identifiers sex (2), age (36)",
        "k 2",
        "classes 72",
        "classes of one 0 (0.00 %)",
        "class sizes 2",
        "3 72 144 100.00 %",
        "risk prosecutor marketer",
        "average 0.5 0.5",
        "share of rows above 0.2 1 -",
        "worst class city plan",
        "distinct l 2 1",
    ):
        assert line in shown
    assert not any(line.startswith("t, ordered") for line in shown)  # no column has an order
    assert [path.name for path in folder.iterdir()] == ["members.csv"]


@pytest.mark.slow
def test_the_json_document_has_every_figure(members: Program) -> None:
    asked = ("measure", "members.csv", "--quasi-identifiers", "sex, city", "--sensitive", "plan,age")
    document = members(*asked, "--sampling-fraction", "0.25", "--json").document
    assert list(document) == [
        "format", "command",
        "table", "where", "unit", "least_k", "rows", "persons", "entity", "quasi_identifiers", "k", "classes",
        "classes_of_one", "average_class", "largest_class", "class_sizes", "below", "risks", "sensitive",
    ]  # fmt: skip
    assert (document["unit"], document["rows"], document["persons"]) == ("rows", 144, None)
    assert (document["k"], document["classes"], document["class_sizes"]) == (18, 8, [{"size": 18, "classes": 8}])
    assert document["below"][4] == {"k": 20, "classes": 8, "units": 144, "share": 1.0}
    risks = document["risks"]
    assert risks["sampling_fraction"] == 0.25
    assert risks["prosecutor"]["highest"] == pytest.approx(1 / 18)
    assert risks["journalist"]["share_above"] == {"0.05": 0.0, "0.2": 0.0}
    assert risks["prosecutor"]["share_above"] == {"0.05": 1.0, "0.2": 0.0}
    assert risks["marketer"] == pytest.approx(0.25 * 8 / 144)
    plan, age = document["sensitive"]
    assert list(plan) == [
        "column", "type", "values", "nulls", "distinct_l", "entropy_l", "recursive_cl", "t_equal", "t_ordered",
        "alpha", "beta_basic", "beta_enhanced", "delta",
    ]  # fmt: skip
    assert (plan["distinct_l"], plan["alpha"], plan["t_ordered"]) == (2, 0.5, None)
    assert plan["recursive_cl"] == [{"l": 2, "c_above": 1.0}]
    assert (age["type"], age["distinct_l"]) == ("BIGINT", 18)
    assert age["t_ordered"] is not None


@pytest.mark.slow
def test_a_sample_has_the_journalists_risks_beside(members: Program) -> None:
    asked = ("measure", "members.csv", "--quasi-identifiers", "sex,city", "--sampling-fraction", "0.5")
    shown = [" ".join(line.split()) for line in members(*asked).out.splitlines()]
    assert "Risk of being recognised (rows, a sample of 0.5 of the population):" in shown
    assert "risk prosecutor journalist marketer" in shown
    assert "highest 0.05556 0.02778 -" in shown


@pytest.mark.slow
def test_persons_are_counted_where_asked(members: Program, folder: Path) -> None:
    lines = (folder / "members.csv").read_text(encoding="utf-8").splitlines()
    (folder / "twice.csv").write_text("\n".join([*lines, *lines[1:]]) + "\n", encoding="utf-8")
    asked = ("measure", "twice.csv", "--quasi-identifiers", "sex,age")
    assert members(*asked, "--json").document["k"] == 4
    document = members(*asked, "--entity", "phone", "--json").document
    assert (document["k"], document["unit"], document["rows"], document["persons"]) == (2, "persons", 288, 144)
    assert "144 (identified by phone)" in members(*asked, "--entity", "phone").out


@pytest.mark.slow
def test_a_registered_table_and_the_tables_of_a_database(shop: Program, folder: Path) -> None:
    document = shop("measure", "shop.members", "--quasi-identifiers", "SEX", "--where", "age < 30", "--json").document
    assert (document["table"], document["where"], document["k"]) == ("shop.members", '"age" < 30', 20)
    with duckdb.connect(str(folder / "two.duckdb")) as connection:
        connection.execute("CREATE TABLE one AS SELECT 1 AS a; CREATE TABLE two AS SELECT 2 AS a")
    refused = shop("measure", "two.duckdb", "--quasi-identifiers", "a")
    assert refused.status == 2
    assert "there are 2 tables in it. Say which with --table. Known: 'one', 'two'." in refused.err
    assert shop("measure", "two.duckdb", "--table", "two", "--quasi-identifiers", "a", "--json").document["rows"] == 1


@pytest.mark.slow
def test_what_nobody_expects_of_a_column_is_noted(members: Program, folder: Path) -> None:
    (folder / "nulls.csv").write_text("a,b,c\n1,,x\n2,,x\n", encoding="utf-8")
    done = members("measure", "nulls.csv", "--quasi-identifiers", "a", "--sensitive", "b,c")
    assert done.status == 0
    assert "Every row is NULL in b: measured as one value like others." in done.err
    assert "Every row has the same value in c" in done.err


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        ("members.csv", 2, "Missing option '--quasi-identifiers'"),
        ("away.csv --quasi-identifiers sex", 2, "away.csv: there is neither a file or folder nor a registered source"),
        ("shop.members --quasi-identifiers sex", 2, "SOURCE.TABLE"),
        ("postgresql://u:secret@host/db --quasi-identifiers sex", 2, "must not hold a password"),
        (
            "members.csv --quasi-identifiers sxe",
            2,
            "--quasi-identifiers: there is no column 'sxe'. Did you mean 'sex'?",
        ),
        ("members.csv --quasi-identifiers sex,,age", 2, "--quasi-identifiers: a name is empty"),
        ("members.csv --quasi-identifiers=", 2, "--quasi-identifiers: a name is empty"),
        ('members.csv --quasi-identifiers "sex', 2, "a double quote is not closed"),
        ("members.csv --quasi-identifiers sex,Sex", 2, "'sex' is named twice"),
        ("members.csv --quasi-identifiers sex --sensitive sex", 2, "'sex' is named in --quasi-identifiers too"),
        ("members.csv --quasi-identifiers sex --entity nme", 2, "--entity: there is no column 'nme'"),
        ("members.csv --quasi-identifiers sex --where age>", 2, "--where: "),
        ("members.csv --quasi-identifiers sex --where age>99", 2, "--where: no row passes the filter"),
        ("members.csv --quasi-identifiers sex --table other", 2, "there is no table 'other'"),
        ("members.csv --quasi-identifiers sex --encoding latin-9", 2, "unknown encoding"),
        ("members.csv --quasi-identifiers sex --sampling-fraction 0", 2, "a number above 0 and at most 1"),
        ("members.csv --quasi-identifiers sex --sampling-fraction 1.01", 2, "a number above 0 and at most 1"),
        ("members.csv --quasi-identifiers sex --sampling-fraction -0.1", 2, "a number above 0 and at most 1"),
        ("members.csv --quasi-identifiers sex --sampling-fraction nan", 2, "a number above 0 and at most 1"),
        ("members.csv --quasi-identifiers sex --sampling-fraction half", 2, "a number above 0 and at most 1"),
        ("members.csv --quasi-identifiers sex --sampling-fraction 1e-999999999", 2, "a number above 0 and at most 1"),
        ("members.csv --quasi-identifiers sex --plot sizes.pdf", 2, "a plot is a .png or a .svg file"),
        ("members.csv --quasi-identifiers sex --plot away/sizes.png", 2, "away: there is no such folder"),
        ("members.csv --quasi-identifiers sex --plot members.csv", 2, "a plot is a .png or a .svg file"),
    ],
)
def test_bad_input(members: Program, folder: Path, options: str, status: int, words: str) -> None:
    done = members("measure", *options.split())
    assert done.status == status
    assert words in " ".join(done.err.replace("│", " ").split())
    assert done.out == ""
    assert [path.name for path in folder.iterdir()] == ["members.csv"]


@pytest.mark.slow
def test_names_with_commas_and_options_given_twice(members: Program, folder: Path) -> None:
    (folder / "odd.csv").write_text('"last, first",b\nx,1\ny,1\n', encoding="utf-8")
    asked = ("measure", "odd.csv", "--json", "--quasi-identifiers")
    assert members(*asked, '"last, first",b').document["classes"] == 2
    assert members(*asked, "b", "--quasi-identifiers", '"last, first"').document["classes"] == 2
    refused = members(*asked, "last, first")
    assert refused.status == 2
    assert "A name that has a comma is written in double quotes" in refused.err


@pytest.mark.slow
def test_the_plot_is_new_private_and_the_same_to_the_byte(members: Program, folder: Path) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        pytest.skip("needs matplotlib")
    asked = ("measure", "members.csv", "--quasi-identifiers", "sex,age,city", "--plot")
    done = members(*asked, "one.svg")
    assert done.status == 0, done.err
    assert "Drew the class sizes in one.svg." in done.out
    assert stat.S_IMODE((folder / "one.svg").stat().st_mode) == 0o600
    assert members(*asked, "two.svg", "--json").document["k"] == 1
    assert (folder / "one.svg").read_bytes() == (folder / "two.svg").read_bytes()
    assert members(*asked, "one.png").status == 0
    assert (folder / "one.png").read_bytes().startswith(b"\x89PNG")
    before = (folder / "one.png").read_bytes()
    refused = members(*asked, "one.png")
    assert refused.status == 2
    assert "the plot never replaces a file" in refused.err
    assert (folder / "one.png").read_bytes() == before


def test_without_matplotlib_the_plot_says_what_to_install(members: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    refused = members("measure", "members.csv", "--quasi-identifiers", "sex", "--plot", "sizes.png")
    assert refused.status == 2
    assert "pip install 'ordermade[plot]'" in refused.err
