"""Why a hierarchy does not cover a column, where most rows show it: blanks, or that it is another column's."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordermade.engine import Engine
from ordermade.errors import HierarchyError
from ordermade.hierarchies.read_csv import read_csv
from tests.made import new_engine

TOWNS = ("Asahi", "Kita", "Midori")
REQUEST = {
    "dataset": "d",
    "k": 5,
    "quasi_identifiers": {"town": {"hierarchy": "town"}, "ward": {"hierarchy": "ward"}},
    "release": {"to": "out.csv"},
}


def engine_with(folder: Path, town: str, keys: dict[str, str]) -> Engine:
    """An engine on 60 rows of a town, as the form writes it, and a ward; `keys`: what each hierarchy lists."""
    rows = [f"{town.format(TOWNS[row % 3])},{'eyes' if row % 2 else 'skin'},{row}" for row in range(60)]
    (folder / "t.csv").write_text("\n".join(["town,ward,number", *rows, ""]))
    engine = new_engine(folder)
    engine.sources.add("s", str(folder / "t.csv"))
    engine.datasets.add("d", "s", table="t")
    for name, values in keys.items():
        (folder / f"{name}.csv").write_text("".join(f"{each};*\n" for each in values.split(",")))
        engine.hierarchies.add(name, folder / f"{name}.csv")
    return engine


def refused(engine: Engine) -> str:
    with pytest.raises(HierarchyError) as raised:
        engine.run(REQUEST)
    return raised.value.message


def test_blanks_alone_are_said(tmp_path: Path) -> None:
    engine = engine_with(tmp_path, "{} ", {"town": ",".join(TOWNS), "ward": "eyes,skin"})
    assert "in 56 rows or more, are not in the hierarchy. They differ from listed values by blanks alone" in refused(
        engine
    )


def test_hierarchies_of_other_columns_are_said(tmp_path: Path) -> None:
    engine = engine_with(tmp_path, "{}", {"town": "eyes,skin", "ward": ",".join(TOWNS)})
    assert "The values are those of the hierarchy 'ward': are the two exchanged?" in refused(engine)


def test_other_causes_are_not_guessed(tmp_path: Path) -> None:
    engine = engine_with(tmp_path, "{}", {"town": "Minami,Nishi", "ward": "eyes,skin"})
    message = refused(engine)
    assert "blanks" not in message
    assert "exchanged" not in message


def test_an_empty_text_is_no_null(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text('"";none;*\n;unknown;*\n"a\nb";some;*\n')
    hierarchy, _ = read_csv(path, "h", "arx")
    assert hierarchy.leaves == ("", None, "a\nb")
