"""A whole negotiation by the command line, on the demo and on PostgreSQL, as the page of the docs has it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote_plus

import pytest

from checks.negotiation import Played, page, played
from ordermade.catalogue.audit import Audit
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from tests.services.servers import Schema

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "negotiation.md"

pytestmark = pytest.mark.slow


def as_it_ends(turns: list[Played]) -> None:
    for each in turns:
        assert each.status == each.turn.status, (each.turn.typed, each.printed)
    history = next(each.printed for each in turns if each.turn.typed.startswith("request history"))
    steps = [line.split()[3] for line in history.splitlines() if line.startswith("2026")]
    assert steps == [
        *(
            "submit",
            "predict",
            "propose",
            "accept",
            "review",
            "review",
            "approve",
            "claim",
            "run",
            "deliver",
            "withdraw",
        )
    ]


def test_a_negotiation_on_the_demo_is_the_page_of_the_docs(tmp_path: Path) -> None:
    turns = list(played(tmp_path / "demo"))
    as_it_ends(turns)
    assert "it fails" in next(each.printed for each in turns if "--accept-terms" in each.turn.typed)
    state = StateFile(tmp_path / "demo" / ".ordermade" / "state.sqlite", SHELL)
    assert Audit(state).verify().intact
    assert page(turns) == PAGE.read_text(encoding="utf-8"), "make it anew: python -m checks.negotiation"


def test_a_negotiation_on_postgresql_ends_alike(postgres_schema: Schema, tmp_path: Path) -> None:
    place = f"{postgres_schema.server.url}?options={quote_plus(f'-csearch_path={postgres_schema.name}')}"
    as_it_ends(list(played(tmp_path / "demo", on=place)))
