"""`docs/reference/python.md` has every public name with its signature, its docstring and the errors that it raises."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import ordermade
from checks.python_reference import NOUNS, PARTS, class_at, page
from ordermade import Engine
from ordermade.catalogue.collections import Collections

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "python.md"
RAISES_NOTHING = {"Engine.close"}


@pytest.fixture(scope="module")
def text() -> str:
    return page()


def test_the_page_is_as_it_was_generated(text: str) -> None:
    assert PAGE.read_text(encoding="utf-8") == text, "python checks/python_reference.py > docs/reference/python.md"


def test_every_public_name_is_on_the_page_with_its_words(text: str) -> None:
    parts = text.split("\n### ")
    for name in set(ordermade.__all__) - {"__version__"}:
        found = [each for each in parts if each.startswith(f"`{name}`\n")]
        assert len(found) == 1, name
        first = (inspect.getdoc(getattr(ordermade, name)) or "").split(".")[0].split()
        assert first, name
        assert " ".join(first[:3]) in " ".join(found[0].split()), name


def test_no_name_of_a_part_has_gone() -> None:
    assert {name for listed in PARTS.values() for name in listed.split()} <= set(ordermade.__all__)


def test_every_noun_of_an_engine_is_on_the_page() -> None:
    members = {**vars(Collections), **vars(Engine)}
    properties = {name for name, member in members.items() if isinstance(member, property)}
    assert properties == {*NOUNS, "state_file", "cache"}


def test_every_method_says_what_it_raises() -> None:
    for kind in (Engine, *map(class_at, NOUNS.values())):
        for name, member in vars(kind).items():
            if inspect.isfunction(member) and not name.startswith("_"):
                said = (inspect.getdoc(member) or "").lower().split()
                assert bool({"raises", "raises:"} & set(said)) != (member.__qualname__ in RAISES_NOTHING), (
                    member.__qualname__
                )
