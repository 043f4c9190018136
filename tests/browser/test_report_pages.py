"""Reports in a browser: silent, self-contained, readable on a narrow screen, in the dark and on paper, and inert."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ordermade.reports.file import Report
from ordermade.reports.page import page
from tests.reports_made import METHODS, bare, hostile, made

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MAX_PAGES = 8
AUDIENCES = ("provider", "user")
LANGUAGES = ("en", "ja")


class Opened:
    """A page in the browser, with whatever it said, asked for or opened."""

    def __init__(self, shown: Page, file: Path) -> None:
        self.page = shown
        self.noise: list[str] = []
        self.failed: list[str | None] = []
        shown.on("requestfailed", lambda asked: self.failed.append(asked.failure))
        shown.on("console", lambda message: self.noise.append(f"console: {message.text}"))
        shown.on("pageerror", lambda error: self.noise.append(f"error: {error}"))
        shown.on("dialog", lambda dialog: (self.noise.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        shown.on("popup", lambda _: self.noise.append("popup"))
        shown.on("download", lambda _: self.noise.append("download"))
        own = file.as_uri()
        shown.on("request", lambda asked: asked.url == own or self.noise.append(f"request: {asked.url}"))
        shown.goto(own)

    def ask(self, script: str) -> Any:
        return self.page.evaluate(script)

    def overflow(self) -> int:
        return int(self.ask("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def opened(browser: Browser, folder: Path, report: Report, language: str, **options: Any) -> Opened:
    file = folder / "report.html"
    file.write_text(page(report, language), encoding="utf-8")
    return Opened(browser.new_page(**options), file)


NARROW = {"viewport": {"width": 320, "height": 640}}

# The script finds texts that are less than `least` in contrast to what is painted behind them.
CONTRASTS = """(least) => {
  const rgb = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const e of document.querySelectorAll("body *")) {
    if (e.closest("svg") || !e.checkVisibility()) continue;
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < least) found.push(`${e.tagName} ${e.className} ${contrast.toFixed(2)}`);
  }
  return found;
}"""

# Squares of the matrix: their texts against the paint of the square over the paper.
SQUARES = """() => {
  const rgb = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = c => c.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const paper = rgb(getComputedStyle(document.body).backgroundColor);
  return Math.min(...[...document.querySelectorAll("rect.cell")].map(cell => {
    const paint = rgb(getComputedStyle(cell).fill), alpha = Number(cell.getAttribute("fill-opacity"));
    const square = paint.map((v, i) => v * alpha + paper[i] * (1 - alpha));
    const [a, b] = [light(square), light(rgb(getComputedStyle(cell.nextElementSibling).fill))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  }));
}"""


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("method", METHODS)
def test_report_is_silent_and_fits_320_pixels(
    browser: Browser, tmp_path: Path, method: str, language: str, audience: Any
) -> None:
    shown = opened(browser, tmp_path, made(method, audience), language, **NARROW)

    assert shown.overflow() == 0
    assert shown.ask("document.documentElement.lang") == language
    assert shown.ask("document.querySelectorAll('script, link, img, iframe, object, embed').length") == 0
    dangling = (
        "[...document.querySelectorAll('a')].filter(a => !document.getElementById(a.hash.slice(1)) "
        "|| a.getAttribute('href')[0] !== '#').length"
    )
    assert shown.ask(dangling) == 0
    assert shown.ask("[...document.querySelectorAll('svg.chart')].every(c => c.querySelector('title').textContent)")
    identities = "(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id); "
    assert shown.ask(identities + "return ids.length - new Set(ids).size; })()") == 0
    assert shown.noise == []
    shown.page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_in_light_and_dark(browser: Browser, tmp_path: Path, scheme: Any) -> None:
    shown = opened(browser, tmp_path, made(), "en", color_scheme=scheme)

    papers = {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 25, 29)"}
    assert shown.ask("getComputedStyle(document.body).backgroundColor") == papers[scheme]
    assert shown.page.evaluate(CONTRASTS, 4.5) == []
    assert shown.ask(SQUARES) >= 3
    shown.page.close()


def test_print_shows_what_details_fold_away(browser: Browser, tmp_path: Path) -> None:
    shown = opened(browser, tmp_path, made(), "en", color_scheme="dark")
    hidden = "[...document.querySelectorAll('details:not(.twice) table')].filter(t => !t.checkVisibility({contentVisibilityAuto: true}) || !t.getClientRects().length).length"  # noqa: E501

    assert shown.ask(hidden) > 0
    shown.page.emulate_media(media="print", color_scheme="dark")

    shown.page.wait_for_function(f"{hidden} === 0")  # the next frame lays out what folds open
    assert shown.ask("getComputedStyle(document.querySelector('nav')).position") == "static"
    assert shown.ask("getComputedStyle(document.querySelector('h1')).color") == "rgb(29, 35, 41)"  # ink on paper
    shown.page.close()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("method", METHODS)
def test_report_prints_on_few_pages(browser: Browser, tmp_path: Path, method: str, language: str) -> None:
    """The fault: 15 pages for 7 columns."""
    shown = opened(browser, tmp_path, made(method), language)
    printed = shown.page.pdf(format="A4", prefer_css_page_size=True)

    assert 1 <= len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) <= MAX_PAGES
    assert shown.noise == []
    shown.page.close()


@pytest.mark.parametrize("width", [375, 1_280])
def test_contents_stay_in_view(browser: Browser, tmp_path: Path, width: int) -> None:
    shown = opened(browser, tmp_path, made(), "ja", viewport={"width": width, "height": 800})
    shown.ask("window.scrollTo(0, document.querySelector('#distributions').getBoundingClientRect().top)")

    top, bottom = shown.ask(
        "(() => { const r = document.querySelector('nav').getBoundingClientRect(); return [r.top, r.bottom]; })()"
    )
    assert 0 <= top < bottom <= 800
    link = "document.querySelector('nav a[href=\"#loss\"]')"
    assert shown.ask(
        f"(() => {{ const r = {link}.getBoundingClientRect(); return r.bottom <= 800 && r.height > 0; }})()"
    )
    shown.ask(f"{link}.click()")
    heading = shown.ask("document.querySelector('#loss').getBoundingClientRect().top")
    below = shown.ask("document.querySelector('nav').getBoundingClientRect().bottom") if width < 1_060 else 0
    assert below - 1 <= heading < 800  # the bar does not cover what it leads to
    shown.page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_that_goes_on_has_a_shadow_at_that_edge(browser: Browser, tmp_path: Path, scheme: Any) -> None:
    """The fault: columns that nobody looks for, as nothing shows that a table goes on."""
    shown = opened(browser, tmp_path, made(), "ja", viewport={"width": 375, "height": 800}, color_scheme=scheme)
    shown.ask("document.querySelector('#codebook').scrollIntoView()")
    table = shown.page.locator("#codebook ~ .scroll").first

    assert table.evaluate("e => e.scrollWidth > e.clientWidth")
    assert table.evaluate("e => getComputedStyle(e).backgroundAttachment") == "local, local, scroll, scroll"
    table.evaluate("e => { for (const each of e.querySelectorAll('*')) each.style.color = 'transparent'; }")
    goes_on = table.screenshot()
    table.evaluate("e => { e.style.background = 'none'; }")
    assert table.screenshot() != goes_on  # the shadow is painted
    shown.page.close()


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_labels_are_inert_and_break_no_layout(
    browser: Browser, tmp_path: Path, language: str, audience: Any
) -> None:
    plain = opened(browser, tmp_path, made("generalization", audience), language)
    elements = "[...new Set([...document.querySelectorAll('*')].map(e => e.tagName))].sort().join()"
    expected = set(plain.ask(elements).split(","))
    plain.page.close()

    shown = opened(browser, tmp_path, hostile(audience), language, **NARROW)

    assert set(shown.ask(elements).split(",")) <= expected
    handlers = "[...document.querySelectorAll('*')].flatMap(e => [...e.attributes]).filter(a => /^on/i.test(a.name))"
    assert shown.ask(f"{handlers}.length") == 0
    assert shown.ask("document.querySelectorAll('[href]:not([href^=\"#\"]), [src]').length") == 0
    assert shown.overflow() == 0
    text = shown.ask("document.documentElement.textContent")
    assert "{{ 7*7 }}" in text
    assert "49" not in shown.ask("document.querySelector('#codebook').parentElement.textContent")
    assert not {"\u202e", "\u202d", "\u200b", "\ufeff", "\x07", "\x1b", "\x00"} & set(text)
    assert "x" * 200 not in text
    assert shown.noise == []
    shown.page.close()


def test_report_without_what_may_be_missing(browser: Browser, tmp_path: Path) -> None:
    shown = opened(browser, tmp_path, bare(), "en", **NARROW)

    assert shown.overflow() == 0
    assert "None" not in shown.ask("document.body.textContent")
    assert shown.noise == []
    shown.page.close()


def test_policy_of_the_page_stops_a_script(browser: Browser, tmp_path: Path) -> None:
    """The fault: were a value put in as it is, nothing would run all the same."""
    file = tmp_path / "report.html"
    injected = "<script>document.title = 'run'</script><img src=http://127.0.0.1:9/x></main>"
    text = page(made(), "en").replace("</main>", injected)
    file.write_text(text, encoding="utf-8")
    shown = Opened(browser.new_page(), file)

    assert shown.page.title() != "run"
    assert shown.failed == ["csp"]
    shown.page.close()
