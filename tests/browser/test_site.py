"""The site of the documentation in a browser: what is copied runs, files have their names, and nothing is said."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checks import site
from checks.pages import DOCS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    assert site.main([str(folder)]) == 0
    return folder


def test_what_is_copied_of_a_console_runs_in_a_shell(browser: Browser, built: Path) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto((built / "start" / "file.html").as_uri())
    buttons = page.locator("button[data-clipboard-target]")
    buttons.first.wait_for(state="attached")
    copied = []
    for place in range(buttons.count()):
        buttons.nth(place).click(force=True)
        copied.append(page.evaluate("navigator.clipboard.readText()"))
    context.close()
    assert "head -3 visits.anonymized.csv\nsh visits.anonymized.request/run.sh" in copied
    assert [each for each in copied if re.search(r"^[$>] ", each, re.MULTILINE)] == []
    assert said == []


def test_every_file_of_a_page_has_its_name(browser: Browser, built: Path) -> None:
    files = {
        page.relative_to(DOCS): re.findall(r"<!-- file: (\S+) -->", page.read_text(encoding="utf-8"))
        for page in DOCS.rglob("*.md")
    }
    page = browser.new_page()
    for place, names in files.items():
        if names:
            page.goto((built / place.with_suffix(".html")).as_uri())
            assert page.locator("span.filename").all_inner_texts() == [f"Save as {each}" for each in names], place
    page.close()
