"""A CSV file without a header: the texts of its first line are a person's, and no command shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.long import sampled

pytestmark = pytest.mark.slow

SECRET = "SECRET-Anna"
ROWS = f"30,99,{SECRET}\n31,98,Bert\n30,97,Carla\n44,96,Dora\n"


def written(folder: Path, content: str, name: str = "bare.csv") -> str:
    (folder / name).write_text(content, encoding="utf-8")
    return name


@pytest.mark.parametrize(
    "content",
    sampled(
        [
            ROWS,
            f"{SECRET},2020-01-31\nBert,2019-02-01\n",
            f"{SECRET},31.1.2020\nBert,1.12.2019\n",
            f"{SECRET},090-1234-5678\nBert,080-8765-4321\n",
            f"{SECRET},Oslo\nBert,Bergen\nCarla,Oslo\n",
            f"{SECRET},anna@example.org\nBert,bert@example.org\n",
            f"{SECRET},true\nBert,false\n",
            f"{SECRET},30歳\nBert,9歳\n",
            f"{SECRET},2020-01-31T10:00:00Z\nBert,2020-02-01T11:30:00Z\n",
            f"{SECRET},1.5\nBert,\n",
            f"{SECRET};30\nBert;44\n",
            f"{SECRET},30\n",
        ],
        2,
    ),
)
def test_a_first_line_that_looks_like_data_is_said_to_and_not_shown(shop: Program, folder: Path, content: str) -> None:
    file = written(folder, content)
    for command in (
        ("source", "add", "bare", file),
        ("measure", file, "--quasi-identifiers", "age"),
        ("measure", file, "--quasi-identifiers", "age", "--json"),
    ):
        done = shop(*command)
        assert done.status == 3
        assert "looks like data, not like names of columns" in " ".join(done.err.split())
        assert "--header" in done.err
        assert "Anna" not in done.err + done.out


def test_a_source_whose_file_loses_its_header_shows_nothing_of_it(shop: Program, folder: Path) -> None:
    file = written(folder, "age,code,name\n" + ROWS)
    assert shop("source", "add", "bare", file).status == 0
    assert shop("dataset", "add", "bare", "--source", "bare", "--table", "bare").status == 0
    written(folder, ROWS)
    for command in (
        ("source", "show", "bare"),
        ("source", "show", "bare", "--json"),
        ("source", "check", "bare", "--json"),
        ("dataset", "show", "bare"),
        ("measure", "bare", "--quasi-identifiers", "age"),
        ("hierarchy", "suggest", "bare.age"),
    ):
        done = shop(*command)
        assert done.status != 0, command
        assert "Anna" not in done.err + done.out, command


@pytest.mark.parametrize("where", ["--quasi-identifiers nme", "--quasi-identifiers Ber --where age=1"])
def test_names_that_nothing_vouches_for_are_not_listed(shop: Program, folder: Path, where: str) -> None:
    file = written(folder, f"{SECRET},Bern\nBert,Oslo\nCarla,Rome\n")
    done = shop("measure", file, *where.split())
    assert done.status == 2
    assert "Anna" not in done.err + done.out
    assert "'Bern'" not in done.err + done.out
    assert "--header" in done.err


def test_names_that_nothing_vouches_for_are_said_to_when_added(shop: Program, folder: Path) -> None:
    unclear = shop("source", "add", "texts", written(folder, "name,town\nAnna,Bern\nBert,Oslo\n"))
    assert unclear.status == 0
    assert "--header" in unclear.out + unclear.err
    clear = shop("source", "add", "ages", written(folder, "name,age\nAnna,30\nBert,31\n", "ages.csv"))
    assert "--header" not in clear.out + clear.err
    listed = shop("measure", "ages.csv", "--quasi-identifiers", "tow")
    assert "'name'" in listed.err


def test_a_column_called_2013_is_read_where_the_first_line_is_said_to_hold_names(shop: Program, folder: Path) -> None:
    file = written(folder, "region,2013,2014\nnorth,5,6\nsouth,7,8\n")
    assert shop("source", "add", "years", file).status == 3
    assert shop("source", "add", "years", file, "--header").status == 0
    shown = shop("source", "show", "years", "--json").document
    assert [each["name"] for each in shown["tables"][0]["columns"]] == ["region", "2013", "2014"]
    assert (shown["source"]["header"], shown["source"]["encoding"]) == (True, "auto")
    assert "--header" in shop("source", "show", "years").out
    measured = shop("measure", file, "--quasi-identifiers", "region", "--header")
    assert measured.status == 0
    assert "'2013'" in shop("measure", file, "--quasi-identifiers", "age", "--header").err


def test_a_column_of_texts_called_by_a_year_is_a_name(shop: Program, folder: Path) -> None:
    file = written(folder, "region,2013\nnorth,high\nsouth,low\n")
    assert shop("source", "add", "years", file).status == 0


def test_the_encoding_is_said_when_added_and_shown(shop: Program, folder: Path) -> None:
    (folder / "fr.csv").write_bytes("prénom,âge\nAndré,30\nHélène,41\nJérôme,52\n".encode("latin-1"))
    assert "cp1252" in shop("source", "add", "fr", "fr.csv").out
    assert "cp1252" in shop("source", "show", "fr").out
    assert shop("source", "show", "fr", "--json").document["source"]["read_in"] == ["cp1252"]
    (folder / "es.csv").write_bytes("town,n\nEspaña,1\n".encode("latin-1"))
    asked = shop("source", "add", "es", "es.csv")
    assert asked.status == 3
    assert "--encoding" in asked.err
    assert "Espa" not in asked.err
    assert shop("source", "add", "es", "es.csv", "--encoding", "windows-1252").status == 0
