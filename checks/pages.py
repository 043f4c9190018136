"""The Markdown pages of the repository, parted into prose and fenced blocks, for every check of the docs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
REFERENCE = DOCS / "reference"
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<language>[\w-]*)\s*$")
MARK = re.compile(r"^\s*<!--\s*(?P<text>.+?)\s*-->\s*$")
HEADING = re.compile(r"^#{1,6}\s+(?P<title>.+?)\s*#*$")
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)(?:\s+\"[^\"]*\")?\)")
_LINKED = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"[`*]|</?[a-zA-Z][^>]*>")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line of its fence, and the HTML comment just above it."""

    language: str
    text: str
    line: int
    mark: str

    @property
    def action(self) -> str:
        """The part of the mark before its colon: `run`, `file`, `output`, `shown`, or nothing."""
        return self.mark.partition(":")[0].strip()

    @property
    def detail(self) -> str:
        """The part of the mark after its colon."""
        return self.mark.partition(":")[2].strip()

    def commands(self) -> list[str]:
        """The input after the prompts of a console block, continued lines joined."""
        found: list[str] = []
        continued = False
        for line in self.text.splitlines():
            if continued:
                found[-1] += "\n" + line.removeprefix("> ")
            elif line.startswith("$ "):
                found.append(line.removeprefix("$ "))
            else:
                continue
            continued = line.endswith("\\")
        return found


@dataclass(frozen=True)
class Page:
    """A Markdown file: its blocks, and its prose by line number."""

    path: Path
    blocks: tuple[Block, ...]
    prose: tuple[tuple[int, str], ...]

    @property
    def name(self) -> str:
        """The path from the repository's root, or the whole path of a file elsewhere."""
        inside = self.path.is_relative_to(REPOSITORY)
        return self.path.relative_to(REPOSITORY).as_posix() if inside else str(self.path)

    def found(self, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
        """The matches of a pattern in the prose, over the ends of lines, each with the line that it ends in."""
        starts, text = [0], "\n".join(line for _, line in self.prose)
        for _, line in self.prose:
            starts.append(starts[-1] + len(line) + 1)
        for match in pattern.finditer(text):
            yield self.prose[bisect_right(starts, match.end() - 1) - 1][0], match

    def anchors(self) -> set[str]:
        """The fragments that links can name, made from the headings as forges make them."""
        matches = (HEADING.match(line) for _, line in self.prose)
        return {slug(match["title"]) for match in matches if match}


def slug(title: str, separator: str = "-") -> str:
    """The fragment of a heading, as forges make it; the site makes the same ones."""
    plain = _MARKUP.sub("", _LINKED.sub(r"\1", title))
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", separator)


def read_page(path: Path) -> Page:
    """Part a Markdown file into blocks and prose."""
    blocks: list[Block] = []
    prose: list[tuple[int, str]] = []
    lines = iter(enumerate(path.read_text(encoding="utf-8").splitlines(), start=1))
    mark = ""
    for number, line in lines:
        if fence := FENCE.match(line):
            text: list[str] = []
            for _, inner in lines:
                if inner.strip() == fence["ticks"]:
                    break
                text.append(inner.removeprefix(fence["indent"]))
            blocks.append(Block(fence["language"], "\n".join(text) + "\n", number, mark))
            mark = ""
            continue
        prose.append((number, line))
        if line.strip():
            found = MARK.match(line)
            mark = found["text"] if found else ""
    return Page(path, tuple(blocks), tuple(prose))


@cache
def known_page(path: Path) -> Page:
    """`read_page`, once for each path of a run."""
    return read_page(path)


def pages() -> list[Page]:
    """README.md, CONTRIBUTING.md and every page of docs/."""
    named = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md"]
    return [known_page(path) for path in (*named, *sorted(DOCS.rglob("*.md"))) if path.is_file()]


def reading_pages() -> Iterator[Page]:
    """The pages that people read from top to bottom: README.md and docs/ without the reference."""
    for page in pages():
        if page.path.name == "README.md" or (DOCS in page.path.parents and REFERENCE not in page.path.parents):
            yield page
