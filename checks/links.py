"""Links of the pages, and every other mention of a page of docs/ in the repository.

* A relative link leads to a file, and to a heading of it where it names one.
* A path such as `docs/reference/cli.md` in code, tests, SQL, benchmarks or CONTRIBUTING.md is there.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from checks.pages import LINK, REPOSITORY, Page, known_page

ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
MENTION = re.compile(r"(?<![\w/])docs/[\w./-]*\w\.(?:md|svg|ipynb|json)\b")
KINDS = {".md", ".py", ".sql", ".toml", ".yml", ".yaml", ".java"}


def link_findings(page: Page) -> Iterator[tuple[int, str]]:
    """Relative links that lead nowhere."""
    for number, match in page.found(LINK):
        target = match["target"]
        if ELSEWHERE.match(target):
            continue
        name, _, fragment = target.partition("#")
        path = (page.path.parent / name).resolve() if name else page.path
        if not path.exists():
            yield number, f"the link {target} leads to no file"
        elif fragment and path.suffix == ".md" and fragment not in known_page(path).anchors():
            yield number, f"the link {target} leads to no heading"


def mention_findings(repository: Path = REPOSITORY) -> Iterator[tuple[Path, str]]:
    """Mentions of pages and pictures of docs/ that are not there, in the text files that git tracks."""
    for path in tracked(repository):
        if path.suffix not in KINDS or not path.is_file():
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
            for match in MENTION.finditer(line.replace("../docs/", " docs/")):
                if not (repository / match[0]).exists():
                    yield path, f"line {number} names {match[0]}, which is not there"


def tracked(repository: Path) -> list[Path]:
    """The files that git tracks; none where there is no git."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=repository, capture_output=True, check=False)
    return [repository / name for name in done.stdout.decode().split("\0") if name] if done.returncode == 0 else []
