"""`state verify` finds every page of a well-filled state whose content is not what was written."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.long import rounds

pytestmark = [pytest.mark.slow, pytest.mark.long]

REPOSITORY = Path(__file__).parents[2]
SEED = 1


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder, every = tmp_path_factory.mktemp("damaged"), rounds(80, 1)
    command = [sys.executable, "-m", "tests.faults.damage", str(folder), str(SEED), str(every)]
    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    return [json.loads(line) for line in ended.stdout.splitlines()]


def of_kind(outcomes: Sequence[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    found = [each for each in outcomes if each["kind"] == kind]
    assert found
    return found


def test_a_whole_state_of_many_blocks_is_sound(outcomes: list[dict[str, Any]]) -> None:
    (whole,) = of_kind(outcomes, "none")
    assert (whole["said"], whole["of"] > 100) == ("", True)


@pytest.mark.parametrize("kind", ["flipped", "zeroed", "cut"])
def test_no_damaged_state_is_called_sound(outcomes: list[dict[str, Any]], kind: str) -> None:
    assert [each for each in of_kind(outcomes, kind) if not each["said"] and not each["whole"]] == []
