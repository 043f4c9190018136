"""The words of the docs: how many there are, and how sentences begin. `python -m checks.words` prints a line a page.

README.md and docs/ without the reference have 16,000 words at most. Tables count; fenced blocks, HTML comments and the
targets of links do not.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from checks.pages import MARK, Page, reading_pages

MAX_WORDS = 16_000
MAX_WORDS_OF_THE_START = 4_800
"""README.md, the start page and docs/start/."""
MAX_LINES_OF_THE_README = 149

_TARGET = re.compile(r"\]\([^)]*\)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"`[^`]*`")
_WORD = re.compile(r"\w")
_FREE_RELATIVE = re.compile(
    r"^(?:What|Whatever|Whoever|Whomever|Whichever|Which|Whose|Who|How many|How much|Of which|Of what|With what|"
    r"By what|From what)\b"
)
WORDS_TO_AVOID = re.compile(
    r"\b(told|reckon\w*|held|the asked|what is asked|is asked for|are asked for)\b", re.IGNORECASE
)


def words(page: Page) -> int:
    """The number of words of a page's prose."""
    text = _COMMENT.sub("", "\n".join(line for _, line in page.prose))
    plain = re.sub(r"[|#>*_\[\]!-]", " ", _TARGET.sub(" ", text).replace("—", " "))
    return sum(1 for each in plain.split() if _WORD.search(each))


def word_findings(page: Page) -> Iterator[tuple[int, str]]:
    """Sentences that begin with a free relative, and words that the project does not use."""
    for number, sentence in sentences(page):
        plain = sentence.lstrip("*_[(\"'")
        if _FREE_RELATIVE.match(plain) and not sentence.rstrip("*_)\"'").endswith("?"):
            yield number, f"a sentence begins with a free relative: {sentence[:60]}"
        for match in WORDS_TO_AVOID.finditer(_CODE.sub("", sentence)):
            yield number, f"say it without `{match[1]}`: {sentence[:60]}"


def sentences(page: Page) -> Iterator[tuple[int, str]]:
    """The sentences of a page's paragraphs and lists, each with the line that its paragraph begins at.

    Headings and tables are left out.
    """
    for number, paragraph in _paragraphs(page):
        for sentence in re.split(r"(?<=[.!?])\s+(?=[\"'(*_\[]*[A-Z`])", paragraph):
            yield number, sentence.strip()


def _paragraphs(page: Page) -> Iterator[tuple[int, str]]:
    began, previous = 0, 0
    lines: list[str] = []
    for number, line in page.prose:
        text = line.strip()
        item = re.match(r"^(?:[*-]|\d+\.)\s+", text)
        whole = not text or text.startswith(("#", "|")) or MARK.match(line)
        if lines and (whole or item or number != previous + 1):
            yield began, " ".join(lines)
            lines = []
        if not whole:
            began = began if lines else number
            lines.append(text[item.end() :] if item else text)
        previous = number
    if lines:
        yield began, " ".join(lines)


def total_findings(counted: Sequence[tuple[Page, int]]) -> Iterator[str]:
    """More words than there may be."""
    total = sum(count for _, count in counted)
    if total > MAX_WORDS:
        yield f"{total:,} words outside the reference, at most {MAX_WORDS:,}: `python -m checks.words` lists the pages"
    for page, _ in counted:
        lines = len(page.path.read_text(encoding="utf-8").splitlines())
        if page.path.name == "README.md" and lines > MAX_LINES_OF_THE_README:
            yield f"README.md has {lines} lines, at most {MAX_LINES_OF_THE_README}"
    start = sum(count for page, count in counted if is_start(page))
    if start > MAX_WORDS_OF_THE_START:
        yield f"{start:,} words in README.md and the start pages, at most {MAX_WORDS_OF_THE_START:,}"


def is_start(page: Page) -> bool:
    """Whether a page is README.md, the start page, or in docs/start/."""
    return page.path.name in {"README.md", "index.md"} or page.path.parent.name == "start"


def counted_pages() -> list[tuple[Page, int]]:
    """Every page outside the reference with its words."""
    return [(page, words(page)) for page in reading_pages()]


def main() -> int:
    """Print the words of each page; 1 if there are too many."""
    counted = counted_pages()
    for page, count in counted:
        print(f"{count:>7,}  {page.name}")
    print(f"{sum(count for page, count in counted if is_start(page)):>7,}  of which README.md and the start pages")
    print(f"{sum(count for _, count in counted):>7,}  in all, of {MAX_WORDS:,}")
    findings = list(total_findings(counted))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
