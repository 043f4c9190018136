"""Microaggregation from the command line: checked, run, drawn, shown, compared; nothing of a person anywhere."""

from __future__ import annotations

import importlib.util
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import NOT_LOOKED_AT, Program

REQUEST = """\
title: Ages
dataset: members
method: microaggregation
k: {k}
attributes: {{age: , city: {{hierarchy: city}}}}
within: {{sex: {{hierarchy: sex, level: {level}}}}}
keep: [plan]
microaggregation: {{algorithm: mdav, improve: false, round: integer}}
release: {{to: out/ages.csv}}
"""
ONE = """\
dataset: members
method: microaggregation
k: 5
attributes: {age: }
release: {to: out/ages.csv}
"""


def written(folder: Path, k: int = 5, level: int = 0) -> Path:
    path = folder / "ages.yaml"
    path.write_text(REQUEST.format(k=k, level=level), encoding="utf-8")
    return path


def lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.slow
def test_a_request_is_checked_run_and_shown(shop: Program, folder: Path) -> None:
    asked = written(folder)
    checked = shop("request", "check", asked)
    asks = "groups of 5 rows or more, near in age, city (city); inside each class of sex (level 0, value)"
    assert checked.out == f"{asked} is sound: {asks}; algorithm mdav\n{NOT_LOOKED_AT}\n"
    document = shop("request", "check", asked, "--json").document
    assert document["within"] == [{"column": "sex", "hierarchy": "sex", "level": 0, "level_name": "value"}]
    assert [each["aggregate"] for each in document["attributes"]] == ["mean", "mode"]

    done = shop("request", "run", asked, "--verbose")
    assert done.status == 0, done.err
    shown = lines(done.out)
    assert shown[0] == "Released: request 1, Ages"
    assert any(line.startswith("age mean ") and "37.5000" in line for line in shown)
    for line in (
        "k 5 (you required 5); it counts rows",
        "rows 144 of 144 released",
        "classes of within 2",
        "algorithm mdav",
        "source queries 1",
    ):
        assert line in shown
    assert any(line.startswith("rounding SSE/SST ") for line in shown)
    told = shop("request", "show", "1", "--verbose").out
    for line in ("method microaggregation", "algorithm mdav", "age 1 - mean", "city 1 city mode"):
        assert line in lines(told)
    assert any(line.startswith("sex sex 0 0") for line in lines(told))
    record = shop("request", "show", "1", "--json").document
    assert record["source_queries"] == 1


@pytest.mark.slow
def test_a_refusal_says_what_to_do(shop: Program, folder: Path) -> None:
    refused = shop("request", "run", written(folder, k=100))
    assert refused.status == 1
    assert not refused.out
    assert "2 of the 2 classes of sex have fewer than 100 rows" in refused.err
    assert (
        "Take a coarser level in `within`, ask for a smaller k, or leave the rows of small classes out" in refused.err
    )
    assert "the dataset" in shop("request", "run", written(folder, k=1_000, level=1)).err


def test_what_can_be_known_beforehand_is_told(shop: Program, folder: Path) -> None:
    told = shop("request", "predict", written(folder))
    assert told.status == 2
    assert "it passes wherever the dataset and every class of `within` have 5 rows or more" in told.err
    assert "run it, or compare the loss at several k" in told.err


@pytest.mark.slow
def test_the_plot_is_new_private_and_tells_of_no_person(shop: Program, folder: Path) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        pytest.skip("needs matplotlib")
    (folder / "one.yaml").write_text(ONE, encoding="utf-8")
    done = shop("request", "run", "one.yaml", "--plot", "one.svg")
    assert done.status == 0, done.err
    assert "Drew the numbers before and after in one.svg." in done.out
    assert stat.S_IMODE((folder / "one.svg").stat().st_mode) == 0o600
    (folder / "out" / "ages.csv").unlink()
    again = shop("request", "run", "one.yaml", "--plot", "two.svg", "--again", "--json")
    [told] = again.document["distributions"]
    assert min(told["before"]) >= 5
    assert sum(told["before"]) == sum(told["after"]) == 144
    one, two = ((folder / name).read_text(encoding="utf-8") for name in ("one.svg", "two.svg"))
    assert "Request 1" in one
    assert one.replace("Request 1", "Request 2") == two
    asked = ("microaggregation", "compare", "members.csv", "--attributes", "age", "--k", "2..4")
    assert shop(*asked, "--plot", "loss.png").status == 0
    assert (folder / "loss.png").read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_drawn_is_told_before_anything_runs(shop: Program, folder: Path) -> None:
    other = shop("request", "run", "request.yaml", "--plot", "a.png")
    assert other.status == 2
    assert "`request run --plot` is for requests whose method is microaggregation" in other.err
    (folder / "city.yaml").write_text(ONE.replace("age: ", "city: {hierarchy: city}"), encoding="utf-8")
    assert "none of the attributes is numeric" in shop("request", "run", "city.yaml", "--plot", "a.png").err
    (folder / "there.png").touch()
    assert "never replaces a file" in shop("request", "run", written(folder), "--plot", "there.png").err
    assert shop("request", "list", "--json").document["requests"] == []


def test_the_methods_are_listed(ordermade: Program) -> None:
    listed = ordermade("microaggregation", "methods", "--json").document["methods"]
    assert [each["name"] for each in listed][:3] == ["auto", "optimal", "mdav"]
    assert "vmdav any attributes gamma" in "\n".join(lines(ordermade("microaggregation", "methods").out))


@pytest.mark.slow
def test_methods_are_compared_without_a_state(ordermade: Program, folder: Path) -> None:
    rows = "".join(f"{place * place % 97},{place % 13}\n" for place in range(60))
    (folder / "numbers.csv").write_text("a,b\n" + rows, encoding="utf-8")
    asked = ("microaggregation", "compare", "numbers.csv", "--attributes", "a,B", "--where", "a < 90")
    done = ordermade(*asked, "--k", "2,5", "--algorithms", "mdav,npn")
    assert done.status == 0, done.err
    assert {"attributes a, b", "k mdav npn", "Loss (SSE/SST) in %:"} <= set(lines(done.out))
    document = ordermade(*asked, "--k", "2,5", "--algorithms", "mdav", "--json").document
    assert [(each["algorithm"], each["k"]) for each in document["outcomes"]] == [("mdav", 2), ("mdav", 5)]
    two, five = (each["loss"] for each in document["outcomes"])
    assert 0 < two < five < 1
    assert [path.name for path in folder.iterdir()] == ["numbers.csv"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["--attributes", "name"], "--attributes: the column 'name' is a VARCHAR, which is not compared. Numeric are:"),
        (["--attributes", "age,age"], "'age' is named twice"),
        (["--attributes", "agee"], "Did you mean 'age'?"),
        (["--attributes", "age", "--algorithms", "mdaw"], "Did you mean 'mdav'"),
        (["--attributes", "age,phone", "--algorithms", "optimal"], "takes one attribute, not 2"),
        (["--attributes", "age", "--k", "200"], "k of 200 is greater than the 144 rows"),
        (["--attributes", "age", "--k", "1"], "at least 2"),
        (["--attributes", "age", "--where", "agee > 3"], "--where: "),
    ],
)
def test_what_cannot_be_compared_is_told(shop: Program, asked: list[str], told: str) -> None:
    refused = shop("microaggregation", "compare", "members.csv", *asked)
    assert refused.status == 2
    assert told in refused.err
    assert not refused.out


def test_rows_without_a_number_are_counted(ordermade: Program, folder: Path) -> None:
    (folder / "gaps.csv").write_text("a,b\n1,1\n,2\n3,3\n,4\n", encoding="utf-8")
    refused = ordermade("microaggregation", "compare", "gaps.csv", "--attributes", "b,a")
    assert refused.status == 2
    assert "2 rows have no number: the column 'a' is NULL there. Leave them out with `where: 'a is not null'`" in (
        refused.err.replace('"', "").replace("IS NOT NULL", "is not null")
    )
