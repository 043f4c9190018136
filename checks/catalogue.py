"""The catalogues of reports and of the portal: `python checks/catalogue.py` checks them, `--update` writes them anew.

Texts come from the templates and modules of `reports/` and `portal/`, and from the registry of metrics. A translation
that is missing, marked as fuzzy, no longer used, or without the placeholders of its text, is a finding, as is a text
with a name of the code; exit status 1 where there is one. `--update` adds new texts, untranslated, drops unused ones,
and marks nothing as fuzzy.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from ordermade.loss.metrics import METRICS
from ordermade.privacy.models import MODELS
from ordermade.reports.language import LANGUAGES, REPORT, TextCatalogue
from ordermade.requests.methods import REQUESTS

METHODS = [("**.py", "python"), ("templates/**.j2", "jinja2.ext:babel_extract")]
OPTIONS = {"templates/**.j2": {"silent": "false", "trim_blocks": "true"}}
KEYWORDS = {"N_": None, "phrase": None, "_": None, "text": None, "plural": (1, 2), "ngettext": (1, 2)}
_HEADER = ('"POT-', '"PO-', '"Gen', '"Project-', '"Report-', '"Last-', '"Language-Team')
"""Lines of the header that say nothing of the texts."""
_PLACEHOLDER = re.compile(r"%\((\w+)\)s|%%")

_ERRORS = ("InputError", "RequestError", "HierarchyError", "FilterError", "Refused", "PolicyBroken", "UnknownName")
_OF_PROVIDERS = frozenset(
    {
        *("hierarchies/code_lists.py", "hierarchies/from_python.py", "hierarchies/read_sheet.py"),
        *("policies/enforcement.py", "policies/policy.py", "privacy/requirement.py"),
        *("requests/dataset_query.py", "requests/earlier_filters.py", "requests/query_rows.py"),
        *("requests/query_tables.py", "requests/resolve_rules.py"),
        *("service/checked.py", "service/mail_address.py", "service/passwords.py", "service/permissions.py"),
        *("service/publishing.py", "service/rewritten_filters.py", "service/user_engine.py", "service/users.py"),
    }
)
"""Modules whose messages no page has: of the command line, of Python, and of the provider."""


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
        modules=("errors.py", "hierarchies", "phrases.py", "policies", "privacy", "requests", "service", "state"),
    ),
)
_OF_CODE = re.compile(r"\b[A-Z][a-z]+[A-Z][a-z]+|\b[a-z]+_[a-z_]+\b(?!\)s)")
"""Names in camel case or with an underscore, which no reader of a report knows; placeholders are none."""

_WRITTEN = frozenset(
    {*_OF_CODE.findall(json.dumps([each.model_json_schema() for each in REQUESTS.values()])), *MODELS, "LibreOffice"}
)
"""Those of them that a request file has, and a program that is called so."""


def extracted(room: Room) -> Catalog:
    """The texts of the templates and modules of a room, in the order of the files, and those of elsewhere."""
    found = Catalog(project="ordermade", charset="utf-8")
    for file, _, message, _, _ in extract_from_dir(
        room.folder, method_map=METHODS, options_map=OPTIONS, keywords=KEYWORDS, strip_comment_tags=True
    ):
        found.add(message, locations=[(file.replace("\\", "/"), 0)])
    for name in room.modules:
        for module in _modules(room.folder.parent / name):
            for text in _templates(module):
                found.add(text, locations=[(module.relative_to(room.folder.parent).as_posix(), 0)])
    for text in room.others:
        found.add(text, locations=[("loss/metrics.py", 0)])
    return found


def _templates(module: Path) -> Iterator[str]:
    """The templates of the phrases of a module, whose figures may be texts with substitutions."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("phrase", "wording"):
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def unsaid(room: Room) -> Iterator[str]:
    """The messages of errors in modules of a room that no page says in its language: written in place, as no phrase."""
    for name in room.modules:
        for module in _modules(room.folder.parent / name):
            place = module.relative_to(room.folder.parent).as_posix()
            if place in _OF_PROVIDERS or place.startswith("state/"):
                continue
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and any(_is_written(each) for each in _messages(node)):
                    yield f"no phrase: {place}:{node.lineno}"


def _messages(call: ast.Call) -> Iterator[ast.expr]:
    """The mistake and the correction in a call that makes an error, or notes a problem of a request."""
    made = getattr(call.func, "id", "") or getattr(call.func, "attr", "")
    if made in _ERRORS:
        yield from call.args[: made != "UnknownName"]
        yield from (each.value for each in call.keywords if each.arg == "next_step")
    if made in ("RequestProblem", "mistake", "BrokenRule", "note"):
        yield from call.args[1 if made == "BrokenRule" else 0 :]
        yield from (each.value for each in call.keywords if each.arg in ("what", "instead"))


def _is_written(found: ast.expr) -> bool:
    """Whether an expression is a text of several words in place."""
    if isinstance(found, ast.IfExp):
        return _is_written(found.body) or _is_written(found.orelse)
    if isinstance(found, ast.JoinedStr):
        return any(_is_written(each) for each in found.values)
    return isinstance(found, ast.Constant) and isinstance(found.value, str) and " " in found.value.strip()


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
        if set(_OF_CODE.findall(_first(message))) - _WRITTEN:
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
        mistakes += [f"{room.noun}: {each}" for each in unsaid(room)]
    print("\n".join(mistakes) or "the catalogues are complete")
    return int(bool(mistakes))


if __name__ == "__main__":
    sys.exit(main())
