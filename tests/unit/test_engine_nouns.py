"""The nouns of an engine are alike: each has a list that shows itself, and gives one of it by name or number."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordermade import Engine, InputError, UnknownName
from ordermade.records.listing import Listing
from tests.conformance.prepared import WHERE, prepare
from tests.made import Row

NAMED = ("sources", "datasets", "hierarchies")
NUMBERED = ("requests", "releases", "observations")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("nouns")
    ages = ("value", "pair"), [(str(age), f"p{age // 2}") for age in range(8)]
    sexes = ("value", "top"), [("f", "*"), ("m", "*")]
    rows: list[Row] = [(place % 8, "mf"[place % 3 == 0]) for place in range(80)]
    prepare(folder, {"age": "INTEGER", "sex": "VARCHAR"}, rows, {"age": ages, "sex": sexes}, writable=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(WHERE, str(folder))
        made = Engine(folder / "state" / "state.sqlite")
        made.run(
            {
                "title": "Members by age",
                "dataset": "d",
                "k": 5,
                "quasi_identifiers": {name: {"hierarchy": name} for name in ("age", "sex")},
                "release": {"to": str(folder / "out.csv")},
            }
        )
    return made


@pytest.mark.slow
@pytest.mark.parametrize("noun", [*NAMED, *NUMBERED])
def test_a_noun_has_a_list_that_is_a_tuple_and_shows_itself(engine: Engine, noun: str) -> None:
    found = getattr(engine, noun).list()
    assert isinstance(found, Listing)
    assert len(found) >= 1
    assert repr(found).split("\n")[0] == f"{len(found)} {noun}"
    assert len(repr(found).split("\n")) == 2 + len(found)
    assert "<thead>" in found._repr_html_()


@pytest.mark.parametrize("noun", NAMED)
def test_a_name_gives_one_of_them(engine: Engine, noun: str) -> None:
    listed = getattr(engine, noun).list()[-1]
    assert getattr(engine, noun).get(listed.name).name == listed.name
    with pytest.raises(UnknownName):
        getattr(engine, noun).get("nothing")


@pytest.mark.parametrize("noun", NUMBERED)
def test_a_number_gives_one_of_them(engine: Engine, noun: str) -> None:
    first = getattr(engine, noun).list()[0]
    assert getattr(engine, noun).get(first.id) == first
    with pytest.raises(UnknownName):
        getattr(engine, noun).get(1_000_000)
    with pytest.raises(InputError, match="number"):
        getattr(engine, noun).get("1")


@pytest.mark.parametrize("noun", [*NAMED, *NUMBERED])
def test_the_repr_of_a_noun_names_its_state_alone(engine: Engine, noun: str) -> None:
    text = repr(getattr(engine, noun))
    assert text.endswith(f"(state=StateFile(path={engine.state!r}))")


def test_an_engine_on_a_file_goes_on_after_its_block(engine: Engine) -> None:
    with Engine(engine.state) as opened:
        assert opened.datasets.list() == engine.datasets.list()
    opened.close()
    assert opened.datasets.get("d").name == "d"


def test_an_engine_in_memory_ends_with_its_block() -> None:
    with Engine.in_memory() as opened:
        assert opened.datasets.list() == ()
        state = Path(str(opened.state))
        assert state.exists()
    assert not state.parent.exists()
    opened.close()
    with pytest.raises(InputError, match="closed"):
        opened.datasets.list()


def test_the_repr_of_an_engine_is_a_line(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "s.sqlite", ask_password=lambda _: "secret")
    assert repr(engine) == f"Engine(state={tmp_path / 's.sqlite'!r}, use_cache=True, wait_seconds=30.0)"
