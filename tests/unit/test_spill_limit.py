"""The cap on what the embedded database spills: kept, said where it is reached, refused where it is no figure."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from ordermade.errors import InputError, SourceFault
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect

MADE = "SELECT HASH(i) AS h, HASH(i, 1) AS other FROM RANGE(3000000) AS t(i)"


def made() -> exp.Query:
    tree = sqlglot.parse_one(MADE, dialect="duckdb")
    assert isinstance(tree, exp.Query)
    return tree


def test_what_is_spilled_is_capped_and_the_fault_says_how_to_allow_more() -> None:
    with SpillFolder() as spill, connect(None, spill, Limits("20MB", 1, spill="4MB")) as connection:
        with pytest.raises(SourceFault) as caught:
            Executor(connection, "workspace").store(Purpose.RELEASE, "made", made())
        assert "ORDERMADE_SPILL" in caught.value.next_step
        connection.execute("SELECT 1")  # the connection goes on


def test_nothing_is_spilled_into_a_folder_that_took_the_place_of_the_private_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with SpillFolder() as spill, connect(None, spill, Limits("20MB", 1)) as connection:
        (made_before,) = tmp_path.iterdir()
        made_before.rename(tmp_path / "made before")
        made_before.mkdir()
        with pytest.raises(SourceFault):
            Executor(connection, "workspace").store(Purpose.RELEASE, "made", made())
        assert not list(made_before.iterdir())


def test_the_cap_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDERMADE_SPILL", "3GiB")
    with SpillFolder() as spill, connect(None, spill, Limits()) as connection:
        assert connection.sql("SELECT current_setting('max_temp_directory_size')").fetchall() == [("3.0 GiB",)]
    monkeypatch.delenv("ORDERMADE_SPILL")
    assert Limits().spill is None


@pytest.mark.parametrize("written", ["much", "5 lightyears"])
def test_a_cap_that_is_no_figure_is_refused(written: str) -> None:
    with SpillFolder() as spill, pytest.raises(InputError, match="limit of spilled data"):
        connect(None, spill, Limits("50MB", 1, spill=written))


def test_duckdb_still_takes_no_cap_that_is_given_as_it_opens() -> None:
    """The reason why the cap is set by a statement: remove it where this fails."""
    config: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "20MB", "max_temp_directory_size": "4MB"}
    with SpillFolder() as spill, duckdb.connect(config={**config, "temp_directory": str(spill.path)}) as connection:
        connection.execute(f"CREATE TEMP TABLE made AS {MADE}")


def test_another_process_writes_into_the_private_folder_by_its_name() -> None:
    """The fault: Spark was given a name that its own process alone can follow, and did not start."""
    with SpillFolder() as spill:
        subprocess.run(["touch", str(spill.named / "spilled")], check=True)
        assert [each.name for each in spill.path.iterdir()] == ["spilled"]
        assert not str(spill.named).startswith("/proc/")
