"""Public calls are checked by type checkers from a user's side, and each of them stands where they look."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from checks.user_types import CALLS, mypy_findings, pyright, pyright_findings
from ordermade import AnonymizedTable, Engine, Picture, Sweep
from tests.unit.test_docstring_examples import WITHOUT_EXAMPLE

WRONG = """
from typing import assert_type
import pandas as pd
from ordermade import anonymize
assert_type(anonymize(pd.DataFrame(), 5).frame(), int)
"""


def test_every_call_that_a_user_begins_with_is_checked() -> None:
    tree = ast.parse((CALLS / "user_calls.py").read_text(encoding="utf-8"))
    functions = [each.func for each in ast.walk(tree) if isinstance(each, ast.Call)]
    called = {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in functions}
    wanted = {"anonymize", "sweep", "measure", "initialise", "Engine"}
    for kind in (AnonymizedTable, Engine, Picture, Sweep):
        for name, member in vars(kind).items():
            is_call = inspect.isfunction(member) or isinstance(member, classmethod)
            if is_call and not name.startswith("_") and name not in WITHOUT_EXAMPLE:
                wanted.add(name)
    assert wanted <= called


@pytest.mark.thorough
def test_a_call_that_returns_something_else_is_found(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    (found,) = mypy_findings(tmp_path)
    assert "Expression is of type" in found
    program = pyright()
    if program is not None:
        assert any("assert_type" in each for each in pyright_findings(program, tmp_path))
