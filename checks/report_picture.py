"""The picture of a report in the docs: `python -m checks.report_picture FOLDER` draws it by the browser of the tests.

The persons are made up; day and time are those of the drawing, so no two pictures are alike.
"""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.browser.browser import started

NAME = "report.png"
WIDTH, HEIGHT = 1_120, 760
COLOURS = 64


def made(folder: Path) -> Path:
    """The picture of the report on a release of made-up members, drawn into a folder."""
    with tempfile.TemporaryDirectory() as place:
        for call in (
            "demo --rows 20000 --folder made-up",
            (
                "anonymize made-up/members.duckdb --table members --k 5 --accept-roles --html report.html "
                "--title 'Members by sex, age and prefecture'"
            ),
        ):
            command = [sys.executable, "-m", "ordermade", *shlex.split(call)]
            subprocess.run(command, cwd=place, check=True, capture_output=True)
        with started() as browser:
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.goto((Path(place) / "report.html").as_uri())
            drawn = Image.open(io.BytesIO(page.screenshot()))
    picture = folder / NAME
    drawn.convert("P", palette=Image.Palette.ADAPTIVE, colors=COLOURS).save(picture, optimize=True)
    return picture


if __name__ == "__main__":
    made(Path(sys.argv[1]))
