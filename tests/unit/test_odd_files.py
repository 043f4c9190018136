"""Files as they really are: read right, or the cells that were not are named to the person who opened the file."""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas
import pytest

from ordermade import Engine, InputError, anonymize
from ordermade.cli.main import app
from ordermade.cli.options import lines_named
from ordermade.cli.reading import reading_said
from ordermade.drafts.odd_words import ShellWords, odd_in_words
from tests.made import new_engine
from tests.odd_files import FILES, OddFile

OF_THE_SOURCE = ("--skip", "--skip-lines", "--header")


def given(found: OddFile, option: str) -> list[str]:
    """The values of an option."""
    return [found.options[place + 1] for place, each in enumerate(found.options) if each == option]


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_right_or_its_odd_cells_are_named(name: str, tmp_path: Path) -> None:
    found = FILES[name]
    path = tmp_path / f"table{found.suffix}"
    path.write_bytes(found.content())
    engine = new_engine(tmp_path)
    lines = next(iter(given(found, "--skip-lines")), None)
    skip = int(next(iter(given(found, "--skip")), "0"))
    header = "--header" in found.options
    source = engine.sources.add("f", str(path), header=header, skip=skip, skip_lines=lines_named(lines))
    reading = reading_said(*(given(found, each) for each in ("--missing", "--date-format", "--decimal", "--at-bounds")))

    ((table, read),) = engine.sources.readings("f", None, reading).items()
    engine.datasets.add("d", "f", table=table, reading=reading, least_k=2)
    shown = engine.datasets.show("d")
    words = ShellWords()
    said = [*odd_in_words(read.odd, read.line_called, words), *map(words.unread, read.unread)]
    said += [f"no name: {each}" for each in source.unnamed]

    assert {each.name: each.type.replace(" ", "") for each in shown.columns} == found.types
    assert [each for each in found.said if not any(each in line for line in said)] == [], said
    assert bool(said) == bool(found.said), said
    assert shown.rows == 60 + len(found.after) + (found.second is not None) - len(lines_named(lines))


def test_there_are_forty_kinds() -> None:
    assert len(FILES) >= 40


ODD = "zqxweiß"
"""A text in two cells of a file: seen on the screen of its opener, and nowhere else."""


@pytest.mark.slow
def test_odd_cells_are_shown_to_the_opener_and_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = [f"{'fm'[row % 2]},{20 + row % 9},{'ABC'[row % 3]},{row % 3}" for row in range(60)]
    lines[7] = lines[41] = f"f,{ODD},A,1"
    (tmp_path / "t.csv").write_text("\n".join(["sex,age,town,children", *lines, ""]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORDERMADE_LOG", "json")

    def called(*words: str) -> str:
        app(list(words), standalone_mode=False)
        return capfd.readouterr().err

    options = ("--k", "5", "--accept-roles", "--quasi-identifiers", "sex,town", "--html", "report.html", "--json")
    assert f"2 of 60 cells of 'age' are no numbers ('{ODD}' in lines 9, 43)" in called("anonymize", "t.csv", *options)
    called("init")
    assert ODD in called("source", "add", "s", "t.csv")
    assert ODD in called("dataset", "add", "d", "--source", "s", "--table", "t")
    data = ("t.csv", "age.yaml", "cache.duckdb")  # a drafted hierarchy lists values, and the cache holds counts of them
    kept = [each for each in tmp_path.rglob("*") if each.is_file() and each.name not in data and each.suffix != ".kept"]
    assert len(kept) > 3
    assert {path.name for path in kept if ODD.encode() in path.read_bytes()} == set()


@pytest.mark.slow
def test_odd_cells_of_a_dataset_are_shown_to_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = [f"{'fm'[row % 2]},{20 + row % 9},{row % 3}" for row in range(60)]
    lines[7] = f"f,{ODD},1"
    (tmp_path / "t.csv").write_text("\n".join(["sex,age,children", *lines, ""]))
    monkeypatch.chdir(tmp_path)
    for words in (
        "init",
        "source add s t.csv",
        "dataset add d --source s --table t --least-k 5",
        "anonymize s.t --k 5 --accept-roles --to out.csv",
    ):
        capfd.readouterr()
        app(["--state", "state.sqlite", *words.split()], standalone_mode=False)
    assert ODD not in "".join(capfd.readouterr())


@pytest.mark.slow
def test_odd_cells_are_no_answer_to_a_token(tmp_path: Path) -> None:
    lines = [f"{'fm'[row % 2]},{20 + row % 9}" for row in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["sex,age", *lines, f"f,{ODD}", ""]))
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "t.csv"), header=True)
    engine.users.add("pia", ["provider"])
    by_token = Engine(engine.state, token=engine.users.token("pia").secret)
    assert [len(each.sources.readings("s")["t"].odd) for each in (engine, by_token)] == [1, 0]


def test_a_program_is_warned_in_its_own_words() -> None:
    ages = [str(20 + row % 9) for row in range(60)]
    frame = pandas.DataFrame({"age": [*ages, "k. Angabe"], "day": ["1/2/2024"] * 61, "sex": ["f"] * 61})
    with pytest.warns(UserWarning, match="age|day") as found:
        release = anonymize(frame, k=2, quasi_identifiers=["age", "day", "sex"])
    said = [str(each.message) for each in found]
    assert any("1 of 61 cells of 'age' is no number" in each for each in said), said
    assert any("`reading={'missing': {'age': ['k. Angabe']}}` reads them so" in each for each in said)
    assert any("reading={'date_format': {'day': 'dmy'}} says which" in each for each in said)
    assert release.frame()["age"].dtype == frame["age"].dtype
    reading = {"missing": {"age": ["k. Angabe"]}, "date_format": "dmy"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mended = anonymize(frame, k=2, quasi_identifiers=["age", "day", "sex"], reading=reading)
    assert mended.result.released
    with pytest.raises(InputError, match="missing"):
        anonymize(frame, k=2, reading={"mising": ["x"]})
