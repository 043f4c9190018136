"""Offers of coarser tables: each gives exactly its figures when it is run, and nothing is counted for them again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine, Offer, OffersChanged
from ordermade.errors import InputError
from ordermade.methods.tables.result import TablesResult
from ordermade.requests.table import TableRequest
from tests.conformance.prepared import copied
from tests.made import write_table
from tests.unit.test_predict_tables import COLUMNS, ROWS, asked, prepared_cities

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared_cities(tmp_path_factory.mktemp("prepared"))


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.chdir(tmp_path)
    return copied(prepared, tmp_path, monkeypatch)


REFUSED: dict[str, Any] = asked("city", "job", k=12, suppression_limit=0.2)


def run(engine: Engine, request: Any) -> TablesResult:
    found = engine.run(request, again=True)
    assert isinstance(found, TablesResult)
    return found


def table_of(offer: Offer) -> TableRequest:
    request = offer.read.request
    assert isinstance(request, TableRequest)
    return request


def test_more_suppressed_cells_than_allowed_are_refused_with_their_share(engine: Engine) -> None:
    result = run(engine, REFUSED)
    assert not result.released
    assert "of the cells would be suppressed" in str(result.reason)
    assert "at most 20 % may be" in str(result.reason)
    assert not list(Path.cwd().glob("t.csv"))
    assert run(engine, {**REFUSED, "suppression_limit": 1}).released


def test_tables_of_which_nothing_would_be_left_are_refused(engine: Engine) -> None:
    result = run(engine, {**REFUSED, "k": 900, "suppression_limit": 1})
    assert not result.released
    assert "nothing would be left of the tables" in str(result.reason)


def test_each_offer_gives_what_it_promises(engine: Engine) -> None:
    run(engine, REFUSED)
    found = engine.offers(REFUSED)
    assert found.status == "refused"
    assert found.offers
    published = [each.figures.divisions for each in found.offers]
    assert published == sorted(published, reverse=True)
    for each in found.offers:
        result = run(engine, each.read)
        assert result.released, result.reason
        assert each.difference(result) is None
        assert result.tables is not None
        assert result.tables.suppressed <= 0.2 * result.tables.cells


def test_no_offer_is_coarser_than_another(engine: Engine) -> None:
    offered = [table_of(each) for each in engine.offers(REFUSED).offers]
    levels = [
        tuple(
            99 if name not in each.tabulated else int(each.tabulated[name].level)
            for name in ("city", "job")
        )
        for each in offered
    ]  # fmt: skip
    assert len(set(levels)) == len(levels)
    assert not any(
        mine != its and all(a <= b for a, b in zip(mine, its, strict=True)) for mine in levels for its in levels
    )


def test_the_source_is_not_counted_again(engine: Engine) -> None:
    run(engine, REFUSED)
    first = run(engine, {**REFUSED, "suppression_limit": 0.19})
    assert first.cost.source_queries == 0
    assert engine.offers(REFUSED).offers


def test_an_offer_is_taken_by_its_number_and_data_that_changed_make_it_anew(engine: Engine, tmp_path: Path) -> None:
    offers = engine.offers(REFUSED)
    assert engine.offered(REFUSED, 1).gives_up == offers.offers[0].gives_up
    with pytest.raises(InputError, match="no offer 99"):
        engine.offered(REFUSED, 99)
    write_table(tmp_path / "s.duckdb", COLUMNS, [*ROWS, ("c1", 30, "j1", 12)])
    with pytest.raises(OffersChanged, match="the data changed"):
        engine.offered(REFUSED, 1)


def test_an_offer_that_nobody_made_is_none(engine: Engine) -> None:
    with pytest.raises(InputError, match="no offers of this request"):
        engine.offered(REFUSED, 1)


def test_tables_that_pass_need_no_offer(engine: Engine) -> None:
    found = engine.offers(asked("city", "age"))
    assert (found.status, found.offers) == ("passes", ())


def test_tables_that_cannot_be_protected_are_offered_coarser_or_not_at_all(engine: Engine) -> None:
    impossible = asked("age", "job", k=300, dimensions={"age": {"level": 1}}, publish=[{"age": "young"}, {}])
    assert not run(engine, impossible).released
    for each in engine.offers(impossible).offers:
        assert run(engine, each.read).released


def test_subtotals_that_are_no_longer_coarser_go_with_the_levels_below_them(engine: Engine) -> None:
    request = {**REFUSED, "totals": ["city.group", "city", "job"]}
    offers = engine.offers(request).offers
    assert offers
    for each in offers:
        changed = table_of(each)
        coarser = changed.dimensions.get("city")
        if "city" not in changed.tabulated or (coarser is not None and coarser.level):
            assert "city.group" not in (changed.totals or ())
        assert run(engine, each.read).released


def test_the_state_notes_the_refusal_and_a_forecast_knows_the_limit(engine: Engine) -> None:
    engine.offers(REFUSED)
    (noted,) = engine.requests.list()
    assert noted.status == "refused"
    run(engine, REFUSED)
    found = engine.predict(REFUSED)
    assert (found.verdict, found.chance) == ("fails", 0.0)
