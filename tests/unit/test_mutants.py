"""The list of `make mutants`: each fault can still be put in, and names tests that are there."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.mutants.__main__ import failed_test
from tests.mutants.mutant import Mutant, Stale, mutants

REPOSITORY = Path(__file__).resolve().parents[2]
MUTANTS = mutants()


@cache
def text_of(file: str) -> str:
    return (REPOSITORY / file).read_text(encoding="utf-8")


@cache
def functions_of(file: str) -> frozenset[str]:
    return frozenset(each.name for each in ast.walk(ast.parse(text_of(file))) if isinstance(each, ast.FunctionDef))


def stale(mutant: Mutant) -> str:
    try:
        mutant.applied(text_of(mutant.file))
    except Stale as found:
        return str(found)
    return ""


def test_each_text_that_a_mutant_changes_stands_exactly_once() -> None:
    assert [found for each in MUTANTS if (found := stale(each))] == []


def test_each_mutant_names_tests_that_are_there() -> None:
    named = [test.partition("[")[0].partition("::") for each in MUTANTS for test in each.tests]

    assert [(file, name) for file, _, name in named if name not in functions_of(file)] == []


def test_each_mutant_has_a_name_of_its_own_and_changes_something() -> None:
    assert len({each.fault for each in MUTANTS}) == len(MUTANTS)
    assert [each.fault for each in MUTANTS if each.old == each.new] == []


def test_a_text_that_is_gone_or_stands_twice_names_the_mutant() -> None:
    mutant = Mutant("x is one", "engine/x.py", "x = 1", "x = 2", ("tests/x.py",))

    assert mutant.applied("x = 1\ny = 1") == "x = 2\ny = 1"
    for text in ("x = 3", "x = 1\nx = 1"):
        with pytest.raises(Stale, match=r"x is one: engine/x\.py has the text"):
            mutant.applied(text)


def test_the_test_that_found_a_mutant_is_named() -> None:
    assert failed_test("F\nFAILED tests/unit/test_a.py::test_b[1] - assert 1\n1 failed") == (
        " (tests/unit/test_a.py::test_b[1])"
    )
    assert failed_test("1 failed") == ""
