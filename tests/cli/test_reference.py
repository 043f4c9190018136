"""The page of the command line is what the program says."""

from __future__ import annotations

from pathlib import Path

from ordermade.cli.reference import cli_reference

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "cli.md"


def test_the_reference_page_is_what_the_program_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == cli_reference(), (
        "write it anew: python -m ordermade.cli.reference > docs/reference/cli.md"
    )
