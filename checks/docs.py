"""`make check`: README.md, CONTRIBUTING.md and docs/ agree with the program.

* Links lead to a file and a heading, and no text of the repository names a page that is gone (`checks.links`).
* Commands, options, YAML and Python of fenced blocks are valid; each block is run or says why not (`checks.blocks`).
* `<!-- run -->` runs a block, in one empty folder a page, in order; it ends with 0, or its last command with 1 under
  `<!-- run: exit 1 -->`. `<!-- file: NAME -->` writes a block to that folder first. `<!-- output -->` compares a block
  with what the run printed (`checks.runs`). A command without a shell is forked off a loaded program (`checks.loaded`).
* Pictures have the command that makes them (`checks.pictures`).
* Words are few and sentences begin with their subject (`checks.words`).
* The reference leaves nothing out (`checks.completeness`).
* Notebooks are stored without outputs, and run from top to bottom in an empty folder.
* The page of the Python library, and the published JSON Schema of requests, are as the program makes them.

Prints one line a finding; exit status 1 if there are any. `--write-outputs` rewrites the output blocks instead,
`--shown` lists the blocks that are only shown, and names of files limit all of it to these pages.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from checks import notebooks, python_reference
from checks.blocks import block_findings, shown_blocks
from checks.completeness import omissions
from checks.links import link_findings, mention_findings
from checks.loaded import LoadedProgram
from checks.pages import REFERENCE, REPOSITORY, Page, pages, read_page, reading_pages
from checks.pictures import picture_findings
from checks.runs import Shared, environment, run_findings, write_outputs
from checks.words import counted_pages, total_findings, word_findings


def standing_findings(page: Page, reading: set[Path]) -> list[tuple[int, str]]:
    """The findings of a page as it stands; `reading` are the pages whose words are looked at."""
    words = word_findings(page) if page.path in reading else ()
    return [*link_findings(page), *block_findings(page), *picture_findings(page), *words]


def whole_findings() -> Iterator[tuple[str, str]]:
    """The findings of the docs as a whole."""
    for path, finding in mention_findings():
        yield path.relative_to(REPOSITORY).as_posix(), finding
    benchmarks = read_page(REPOSITORY / "bench" / "README.md")
    for line, finding in (*link_findings(benchmarks), *picture_findings(benchmarks)):
        yield f"{benchmarks.name}:{line}", finding
    yield from omissions()
    for finding in total_findings(counted_pages()):
        yield "docs", finding
    for name, text in made_pages():
        if (REFERENCE / name).read_text(encoding="utf-8") != text:
            yield f"docs/reference/{name}", "the program makes another one now: python -m checks.docs --write-made"
    for path in notebooks.notebooks():
        for finding in notebooks.findings(path):
            yield path.relative_to(REPOSITORY).as_posix(), finding


def made_pages() -> Iterator[tuple[str, str]]:
    """The files of the reference that the program makes whole, with their text; tests compare the others."""
    yield "python.md", python_reference.page()


def chosen_pages(names: Sequence[str]) -> list[Page]:
    """The pages of these names, or all of them."""
    wanted = {Path(name).resolve() for name in names}
    return [page for page in pages() if not wanted or page.path in wanted]


def longest(chosen: Sequence[Page]) -> list[Page]:
    """The pages, those with most to run first: one that began last would leave the other cores idle."""
    return sorted(chosen, key=lambda page: -sum(block.action == "run" for block in page.blocks))


@contextmanager
def shared_by_pages() -> Iterator[Shared]:
    """What pages share, while the block lasts."""
    with tempfile.TemporaryDirectory() as made, LoadedProgram(environment()) as program:
        yield Shared(Path(made), program)


def check(chosen: Sequence[Page], *, whole: bool) -> int:
    """Print the findings of the pages, and of the docs as a whole; 1 if there are any."""
    reading = {page.path for page in reading_pages()}
    standing = [standing_findings(page, reading) for page in chosen]
    # Each page is run in a folder of its own, and one more than there are cores, as some wait for a demo of others.
    with shared_by_pages() as shared, ThreadPoolExecutor((os.cpu_count() or 1) + 1) as pool:
        runs = {page.path: pool.submit(lambda page: list(run_findings(page, shared)), page) for page in longest(chosen)}
        others = list(whole_findings()) if whole else []
        running = [runs[page.path].result() for page in chosen]
    count = len(others)
    for place, finding in others:
        print(f"{place}: {finding}")
    for page, first, second in zip(chosen, standing, running, strict=True):
        for line, finding in sorted([*first, *second]):
            print(f"{page.name}:{line}: {finding}")
        count += len(first) + len(second)
    shown = sum(1 for page in chosen for _ in shown_blocks(page))
    words = sum(number for _, number in counted_pages())
    print(
        f"docs: {len(chosen)} pages, {words:,} words outside the reference, {shown} blocks only shown, {count} findings"
    )
    return 1 if count else 0


def write(chosen: Sequence[Page]) -> int:
    """Rewrite the output blocks of the pages that have any."""
    with shared_by_pages() as shared:
        for page in chosen:
            if any(block.action == "output" for block in page.blocks) and write_outputs(page, shared):
                print(f"{page.name}: rewritten")
    return 0


def main(arguments: Sequence[str]) -> int:
    """Check the pages, or do what an option says instead."""
    options = {each for each in arguments if each.startswith("--")}
    names = [each for each in arguments if not each.startswith("--")]
    if unknown := options - {"--write-outputs", "--write-made", "--shown"}:
        print(f"no such option: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    chosen = chosen_pages(names)
    if "--shown" in options:
        for page in chosen:
            for line, reason in shown_blocks(page):
                print(f"{page.name}:{line}: {reason}")
        return 0
    if "--write-made" in options:
        for name, text in made_pages():
            (REFERENCE / name).write_text(text, encoding="utf-8")
        return 0
    return write(chosen) if "--write-outputs" in options else check(chosen, whole=not names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
