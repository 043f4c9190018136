"""Pictures of the docs: the command that makes each stands in the line above it, as a comment.

`<!-- picture: python -m bench.how_it_works -->` is run again and gives the same bytes, into the folder that it is given
as an argument. `<!-- picture, takes minutes: python -m bench.pictures -->` is not run, but its module has to be there.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from checks.links import ELSEWHERE
from checks.pages import REPOSITORY, Page

PICTURE = re.compile(r"(?:<!--\s*(?P<mark>picture[^>]*?)\s*-->\s*)?!\[[^\]]*\]\((?P<target>[^)\s]+)\)")
COMMAND = re.compile(r"^picture(?P<slow>, takes minutes)?: (?P<command>.+)$")


def picture_findings(page: Page) -> Iterator[tuple[int, str]]:
    """Pictures without their command, commands that are not there, and quick ones that make another picture."""
    for number, match in page.found(PICTURE):
        if not ELSEWHERE.match(match["target"]):
            picture = (page.path.parent / match["target"]).resolve()
            yield from ((number, finding) for finding in made_findings(picture, match["mark"] or ""))


def made_findings(picture: Path, mark: str) -> Iterator[str]:
    """The findings of one picture and the comment above it."""
    made = COMMAND.match(mark)
    if made is None:
        yield f"the command that makes {picture.name} does not stand above it: <!-- picture: python -m … -->"
        return
    words = shlex.split(made["command"])
    named = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
    module = REPOSITORY / (named.replace(".", "/") + ".py")
    if not named or not (module.is_file() or (module.with_suffix("") / "__main__.py").is_file()):
        yield f"`{made['command']}` names no module of the repository"
    elif not made["slow"]:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, *words[1:], folder]
            done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
            again = Path(folder) / picture.name
            if done.returncode or not again.is_file():
                yield f"`{made['command']} FOLDER` does not make {picture.name}: {done.stderr.strip()[-200:]}"
            elif again.read_bytes() != picture.read_bytes():
                yield f"`{made['command']} {picture.parent.relative_to(REPOSITORY)}` makes another {picture.name} now"
