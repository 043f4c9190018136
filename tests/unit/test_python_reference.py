"""`docs/reference/python.md` has every public name with its signature, its docstring and the errors that it raises."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ordermade
from checks.python_reference import NOUNS, PARTS, class_at, page
from ordermade import Engine
from ordermade.catalogue.nouns import Nouns

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "python.md"
RAISES_NOTHING = {"Engine.close"}


@pytest.fixture(scope="module")
def text() -> str:
    return page()


def test_the_page_is_as_it_was_generated(text: str) -> None:
    assert PAGE.read_text(encoding="utf-8") == text, "python checks/python_reference.py > docs/reference/python.md"


@pytest.mark.parametrize("name", [each for each in ordermade.__all__ if each != "__version__"])
def test_every_public_name_is_on_the_page_with_its_words(text: str, name: str) -> None:
    (part,) = (each for each in text.split("\n### ") if each.startswith(f"`{name}`\n"))
    first = (inspect.getdoc(getattr(ordermade, name)) or "").split(".")[0].split()
    assert first
    assert " ".join(first[:3]) in " ".join(part.split())


def test_no_name_of_a_part_has_gone() -> None:
    assert {name for listed in PARTS.values() for name in listed.split()} <= set(ordermade.__all__)


def test_every_noun_of_an_engine_is_on_the_page() -> None:
    members = {**vars(Nouns), **vars(Engine)}
    properties = {name for name, member in members.items() if isinstance(member, property)}
    assert properties == {*NOUNS, "state_file", "cache"}


def methods() -> Iterator[Any]:
    for name, member in vars(Engine).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            yield pytest.param(member, id=f"Engine.{name}")
    for noun, place in NOUNS.items():
        for name, member in vars(class_at(place)).items():
            if inspect.isfunction(member) and not name.startswith("_"):
                yield pytest.param(member, id=f"{noun}.{name}")


@pytest.mark.parametrize("method", [*methods()])
def test_every_method_says_what_it_raises(method: Any) -> None:
    said = (inspect.getdoc(method) or "").lower().split()
    assert ("raises" in said) != (method.__qualname__ in RAISES_NOTHING)
