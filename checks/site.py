"""The site: hooks of `mkdocs.yml`, which build it from the pages as they stand in the repository.

`python -m checks.site [FOLDER]` builds it strictly, into site/ or into the folder, and prints its warnings alone.

Pages link to files outside docs/ as a forge shows them: CONTRIBUTING.md, CHANGELOG.md, bench/README.md become pages of
the site, statements in sql/ files of it, and links lead there. Marks of examples are taken out; that of a file becomes
the title of its block.
"""

from __future__ import annotations

import json
import logging
import os
import posixpath
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from checks.links import ELSEWHERE
from checks.pages import DOCS, FENCE, LINK, MARK, REPOSITORY, slug

PROJECT = {
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "bench/README.md": "project/benchmarks.md",
}
"""Pages of the repository outside docs/, each with its place in the site."""
SEARCH_BOOST = {"start/": 2.0, "tasks/": 2.0, "reference/": 0.5, "project/": 0.25}
"""The weight of the pages of a folder in the search; 1 elsewhere. The reference has the words of every question."""
_DOCS = DOCS.name + "/"


def on_files(files: Any, config: Any) -> Any:
    """Add the pages and statements of the repository that pages link to."""
    from mkdocs.structure.files import File

    for source, place in PROJECT.items():
        if (path := REPOSITORY / source).is_file():
            files.append(File.generated(config, place, content=path.read_text(encoding="utf-8")))
    for place, schema in schemas():
        files.append(File.generated(config, place, content=json.dumps(schema, ensure_ascii=False, indent=2) + "\n"))
    for path in sorted((REPOSITORY / "sql").rglob("*.sql")):
        place = path.relative_to(REPOSITORY).as_posix()
        files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def schemas() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The JSON Schemas that the site has beside its reference, made as the commands print them."""
    from ordermade.documents.schema import output_schema
    from ordermade.requests.schema import json_schema

    yield "reference/output.schema.json", output_schema()
    yield "reference/request.schema.json", json_schema()


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The text of a page as the site has it: links to their places in the site, no marks; its weight in the search."""
    place = page.file.src_uri
    for folder, boost in SEARCH_BOOST.items():
        if place.startswith(folder):
            page.meta.setdefault("search", {})["boost"] = boost
    sources = {each: source for source, each in PROJECT.items()}
    return in_site(markdown, sources.get(place, _DOCS + place), place)


def in_site(markdown: str, source: str, place: str) -> str:
    """A page that stands at `source` in the repository, with the links that it needs at `place` in the site."""
    return _outside_fences(markdown, lambda text: LINK.sub(lambda match: _link(match, source, place), text))


def _link(match: re.Match[str], source: str, place: str) -> str:
    target = match["target"]
    name, hash_, fragment = target.partition("#")
    if not name or ELSEWHERE.match(target):
        return match[0]
    meant = posixpath.normpath(posixpath.join(posixpath.dirname(source), name))
    there = "index.md" if meant == "README.md" else PROJECT.get(meant, meant.removeprefix(_DOCS))
    moved = posixpath.relpath(there, posixpath.dirname(place) or ".")
    start = match.start("target") - match.start()
    return match[0][:start] + moved + hash_ + fragment + match[0][start + len(target) :]


def _outside_fences(markdown: str, change: Callable[[str], str]) -> str:
    """The text with `change` made to what is outside fenced blocks, and without marks."""
    done: list[str] = []
    prose: list[str] = []
    fence = title = ""
    for line in markdown.split("\n"):
        if fence:
            done.append(line)
            fence = "" if line.strip() == fence else fence
        elif found := FENCE.match(line):
            opening = f'{line.rstrip()} title="Save as {title}"' if title else line
            done += [change("\n".join(prose)), opening] if prose else [opening]
            prose, fence, title = [], found["ticks"], ""
        elif mark := MARK.match(line):
            action, _, detail = mark["text"].partition(":")
            title = detail.strip() if action.strip() == "file" else ""
        else:
            prose.append(line)
    return "\n".join([*done, change("\n".join(prose))] if prose else done)


def slugify(title: str, separator: str) -> str:
    """The fragment of a heading, as the pages' links name it."""
    return slug(title, separator)


def main(arguments: Sequence[str]) -> int:
    """Build the site; 1 if anything is wrong with it."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort

    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")  # an advertisement of its successor
    logging.basicConfig(level=logging.WARNING, format="site: %(message)s")
    logging.getLogger("mkdocs").setLevel(logging.WARNING)
    folder = {"site_dir": arguments[0]} if arguments else {}
    try:
        build(load_config(str(REPOSITORY / "mkdocs.yml"), **folder))
    except Abort as error:
        print(f"site: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
