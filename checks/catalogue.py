"""The catalogues of reports and of the portal: `python checks/catalogue.py` checks them, `--update` writes them anew.

Texts come from the templates and modules of `reports/` and `portal/`, and from the registry of metrics. A translation
that is missing, marked as fuzzy, no longer used, or without the placeholders of its text, is a finding, as is a text
with a name of the code; exit status 1 where there is one. `--update` adds new texts, untranslated, drops unused ones,
and marks nothing as fuzzy.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract, extract_from_dir
from babel.messages.pofile import read_po, write_po

from ordermade.loss.metrics import METRICS
from ordermade.reports.language import LANGUAGES, REPORT, TextCatalogue

METHODS = [("**.py", "python"), ("templates/**.j2", "jinja2.ext:babel_extract")]
OPTIONS = {"templates/**.j2": {"silent": "false", "trim_blocks": "true"}}
KEYWORDS = {"N_": None, "phrase": None, "_": None, "text": None, "plural": (1, 2), "ngettext": (1, 2)}
_HEADER = ('"POT-', '"PO-', '"Gen', '"Project-', '"Report-', '"Last-', '"Language-Team')
"""Lines of the header that say nothing of the texts."""
_PLACEHOLDER = re.compile(r"%\((\w+)\)s|%%")


@dataclass(frozen=True)
class Room:
    """A room with texts: their catalogue, what they are of, and texts from elsewhere, or from modules elsewhere."""

    catalogue: TextCatalogue
    noun: str
    others: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder of the room."""
        return self.catalogue.folder.parent


ROOMS = (
    Room(REPORT, "report", tuple(text for each in METRICS.values() for text in each.words)),
    Room(
        TextCatalogue(REPORT.folder.parents[1] / "portal" / "locale", "portal"),
        "portal",
        modules=("errors.py", "policies", "requests", "service", "state/user_hierarchies.py"),
    ),
)
_OF_CODE = re.compile(r"\b[A-Z][a-z]+[A-Z][a-z]+|\b[a-z]+_[a-z_]+\b(?!\)s)")
"""Names in camel case or with an underscore, which no reader of a report knows; placeholders are none."""


def extracted(room: Room) -> Catalog:
    """The texts of the templates and modules of a room, in the order of the files, and those of elsewhere."""
    found = Catalog(project="ordermade", charset="utf-8")
    for file, _, message, _, _ in extract_from_dir(
        room.folder, method_map=METHODS, options_map=OPTIONS, keywords=KEYWORDS, strip_comment_tags=True
    ):
        found.add(message, locations=[(file.replace("\\", "/"), 0)])
    for name in room.modules:
        for module in _modules(room.folder.parent / name):
            with module.open("rb") as opened:
                for _, message, _, _ in extract("python", opened, keywords={"phrase": None}):
                    found.add(message, locations=[(module.relative_to(room.folder.parent).as_posix(), 0)])
    for text in room.others:
        found.add(text, locations=[("loss/metrics.py", 0)])
    return found


def _modules(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def read(room: Room, language: str) -> Catalog:
    """The catalogue of a room in a language as it stands; an empty one where there is none."""
    if not room.catalogue.file(language).exists():
        return Catalog(locale=language)
    with room.catalogue.file(language).open("rb") as file:
        return read_po(file, locale=language)


def findings(room: Room, language: str) -> Iterator[str]:
    """The mistakes in the catalogue of a room in a language."""
    texts, found = extracted(room), read(room, language)
    known = {message.id: message for message in found if message.id}
    for message in texts:
        if not message.id:
            continue
        if _OF_CODE.search(_first(message)):
            yield f"has a name of the code: {_first(message)!r}"
        translated = known.get(message.id)
        if translated is None:
            yield f"not in the catalogue: {_first(message)!r}"
        else:
            yield from _mistakes(translated)
    for identity in known:
        if identity not in {message.id for message in texts}:
            yield f"no longer used: {identity if isinstance(identity, str) else identity[0]!r}"
    yield from (f"no longer used: {_first(message)!r}" for message in found.obsolete.values())


def _mistakes(message: Message) -> Iterator[str]:
    given = message.string if isinstance(message.string, list | tuple) else (message.string,)
    texts = message.id if isinstance(message.id, list | tuple) else (message.id,)
    wanted = {name for text in texts for name in _PLACEHOLDER.findall(text)}
    if message.fuzzy:
        yield f"fuzzy: {_first(message)!r}"
    for text in given:
        if not text:
            yield f"not translated: {_first(message)!r}"
        elif set(_PLACEHOLDER.findall(text)) != wanted:
            yield f"placeholders differ: {_first(message)!r}"


def _first(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def update(room: Room, language: str) -> None:
    """Writes the catalogue of a room anew: its translations, and the new texts without one."""
    found = read(room, language)
    known = {message.id: message.string for message in found if message.id}
    fresh = Catalog(
        locale=language,
        project="ordermade",
        charset="utf-8",
        fuzzy=False,
        header_comment=f"# Texts of the {room.noun} in this language; checks/catalogue.py keeps it complete.",
    )
    for message in extracted(room):
        if message.id:
            fresh.add(message.id, known.get(message.id, ""), locations=message.locations)
    written = io.BytesIO()
    write_po(written, fresh, width=110, sort_by_file=False, include_lineno=False, omit_header=False)
    kept = [line for line in written.getvalue().decode().splitlines() if not line.startswith(_HEADER)]
    room.catalogue.file(language).write_text("\n".join(kept).rstrip() + "\n", encoding="utf-8")


def main() -> int:
    """Check or update every catalogue; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the catalogues anew")
    updating = parser.parse_args().update
    mistakes = []
    for room in ROOMS:
        for language in LANGUAGES:
            if language == "en":
                continue
            if updating:
                update(room, language)
            mistakes += [f"{room.noun}, {language}: {each}" for each in findings(room, language)]
    print("\n".join(mistakes) or "the catalogues are complete")
    return int(bool(mistakes))


if __name__ == "__main__":
    sys.exit(main())
