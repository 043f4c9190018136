"""Shown tables in a browser: silent, inert, scrolled within the page, each figure under its heads, whole on paper."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ordermade.release.shown_page import as_on_page, page_of
from ordermade.tables.shown import ShownTable, cells_of
from ordermade.tables.shown_words import ENGLISH, JAPANESE, Words
from tests.browser.test_report_pages import Opened
from tests.unit.test_shown_tables import SEED, random_table, small_table

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# The script finds the heads that scope="col" and scope="row" give to each figure of the first table.
HEADS = """() => {
  const table = document.querySelector('table'), grid = [];
  [...table.rows].forEach((row, at) => {
    grid[at] = grid[at] || [];
    [...row.cells].forEach(cell => {
      let column = 0;
      while (grid[at][column]) column += 1;
      for (let y = 0; y < cell.rowSpan; y += 1) for (let x = 0; x < cell.colSpan; x += 1) {
        grid[at + y] = grid[at + y] || [];
        grid[at + y][column + x] = cell;
      }
    });
  });
  const first = table.tHead.rows.length;
  return grid.slice(first).flatMap((row, at) => row.flatMap((cell, column) => cell.tagName === 'TD' ? [{
    text: cell.textContent,
    beside: row.filter(each => each.tagName === 'TH').map(each => each.textContent),
    over: grid.slice(0, first).map(each => each[column].textContent),
  }] : []));
}"""


def opened(browser: Browser, folder: Path, table: ShownTable, words: Words, width: int) -> Opened:
    file = folder / "shown.html"
    file.write_text(page_of([table, table], words), encoding="utf-8")
    return Opened(browser.new_page(viewport={"width": width, "height": 800}), file)


@pytest.mark.parametrize("words", [ENGLISH, JAPANESE], ids=["en", "ja"])
@pytest.mark.parametrize("width", [375, 1280])
def test_a_page_of_odd_labels_is_silent_and_as_wide_as_the_screen(
    browser: Browser, tmp_path: Path, words: Words, width: int
) -> None:
    for number in range(4):
        table = random_table("<b>t", words, random.Random(f"{SEED} page {number}"))
        shown = opened(browser, tmp_path, table, words, width)
        assert shown.noise == []
        assert shown.overflow() == 0, (number, SEED)
        assert shown.ask("document.documentElement.lang") == words.language
        assert shown.ask("document.querySelectorAll('script, img, iframe, a').length") == 0


def test_each_figure_stands_under_its_heads(browser: Browser, tmp_path: Path) -> None:
    table = small_table()
    found = opened(browser, tmp_path, table, JAPANESE, 1280).ask(HEADS)
    expected = cells_of(as_on_page(table))
    assert len(found) == len(expected)
    for each in found:
        value = expected["人数", each["beside"][-1], each["over"][-1]]
        assert each["text"] == ("X" if value is None else f"{value:,}")


def test_a_label_of_a_usual_length_is_not_broken(browser: Browser, tmp_path: Path) -> None:
    """The fault: 青森 / 県 on two lines, and Yama / nashi."""
    for width in (375, 1280):
        shown = opened(browser, tmp_path, small_table(), JAPANESE, width)
        lines = shown.ask("[...document.querySelectorAll('tbody th')].map(each => each.getClientRects()[0].height)")
        assert max(lines) < 1.5 * min(lines)
