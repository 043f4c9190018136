"""The pictures of the portal in the docs: `python -m checks.portal_pictures FOLDER` draws them by the browser of tests.

The members and users are those of `ordermade serve --demo`; days are those of the drawing.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from tests.browser.browser import started
from tests.browser.portal_people import Person, made_office, people, served

WIDTH = 1_060
ROWS = 20_000
COLOURS = 48


def drawn(folder: Path) -> Iterator[Path]:
    """The pictures, drawn into a folder: catalogue, builder, offer, review, release."""
    with (
        tempfile.TemporaryDirectory() as place,
        started() as browser,
        served(made_office(Path(place), reviews=1, rows=ROWS), "--no-worker") as address,
        people(browser, address) as crowd,
    ):
        hana, rei = crowd.person("hana", "en"), crowd.person("rei", "en")
        hana.log_in("/catalogue/members")
        yield picture(hana, folder / "portal-catalogue.png", 1_060)
        hana.link("Ask for data").click()
        hana.labelled("Title").first.fill("Plans by age and region")
        hana.labelled("Reason, for the reviewers").first.fill("a talk on who subscribes")
        for column, level in (("age", "10 years"), ("prefecture", "region"), ("plan", "original value")):
            hana.choose(column, level)
        hana.labelled("Reason, for the reviewers").first.blur()
        hana.page.locator("[data-forecast]:not(:empty)").wait_for()
        hana.page.get_by_role("group", name="Columns").evaluate("e => e.scrollIntoView()")
        yield picture(hana, folder / "portal-builder.png", 940)
        hana.go("/requests")
        hana.page.get_by_role("row").filter(has_text="your turn").get_by_role("link").first.click()
        hana.link("See what it gives up, and accept or decline it").click()
        yield picture(hana, folder / "portal-offer.png", 860)
        rei.log_in("/reviews")
        rei.page.get_by_role("link", name="Age and plan").click()
        yield picture(rei, folder / "portal-review.png", 860)
        hana.go("/requests")
        hana.page.get_by_role("row").filter(has_text="delivered").get_by_role("link").first.click()
        hana.link("To the release").click()
        yield picture(hana, folder / "portal-release.png", 820)


def picture(user: Person, file: Path, height: int) -> Path:
    """The upper part of the page that a user is at, in few colours."""
    user.page.set_viewport_size({"width": WIDTH, "height": height})
    user.page.wait_for_load_state("networkidle")
    shown = Image.open(io.BytesIO(user.page.screenshot(caret="initial"))).convert("RGB")
    shown.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
    return file


if __name__ == "__main__":
    for each in drawn(Path(sys.argv[1])):
        print(each.name, each.stat().st_size)
