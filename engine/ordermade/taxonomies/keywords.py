"""The list of keywords: categories of goods, each with the words and phrases that its goods are described by.

The list that ships with the package is `keywords.yaml` beside this module. A shop edits a copy of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

from ordermade.errors import did_you_mean, quoted
from ordermade.hierarchies.hierarchy import STAR
from ordermade.requests.document import Document, Kind, read_document
from ordermade.requests.file_text import file_text
from ordermade.requests.problems import FieldPath, Problem, refusal
from ordermade.taxonomies.terms import terms_of

KEYWORDS = Kind(
    "keyword list",
    "write categories: and under it kitchen: {keywords: [mug, cake tin]}, one category a line",
    "write categories: and under it kitchen: {keywords: [mug, cake tin]}, one category a line",
)
SHIPPED = "keywords.yaml"
OTHER = "other"
"""The category of goods without a category, unless the list names another."""

_FIELDS = ("categories", "ignore", "other")
_PARTS = ("keywords", "department", "weight")


@dataclass(frozen=True, slots=True)
class Category:
    """A category: its name, the terms of each of its keywords, its department if it has one.

    `weight`: how much one word of a keyword counts.
    """

    name: str
    keywords: tuple[tuple[str, ...], ...]
    department: str | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Keywords:
    """A list of keywords: its categories in the order of the file, and the category of all other goods.

    `ignored`: the terms of phrases that count for nothing and take their words.
    """

    categories: tuple[Category, ...]
    ignored: tuple[tuple[str, ...], ...] = ()
    other: str = OTHER

    @property
    def departments(self) -> bool:
        """Whether categories have departments: all of them, or none."""
        return self.categories[0].department is not None


def shipped_text() -> str:
    """The text of the list that ships with the package."""
    return (files("ordermade.taxonomies") / SHIPPED).read_text(encoding="utf-8")


def read_keywords(path: Path | None = None) -> Keywords:
    """The list in a file; None: the one that ships with the package.

    Raises:
        RequestError: the file cannot be read or holds no list; `problems` has every mistake with its line.
    """
    if path is None:
        return keywords_of(shipped_text(), SHIPPED)
    return keywords_of(file_text(path, "keyword"), str(path))


def keywords_of(text: str, where: str) -> Keywords:
    """Read a list from a text; `where`: its name in messages."""
    document = read_document(text, where, KEYWORDS)
    reading = _Reading(document)
    found = reading.keywords()
    if reading.problems:
        raise refusal(reading.problems, where, KEYWORDS.name)
    return found


class _Reading:
    """Parse a document into a list and collect every mistake."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._category_of: dict[tuple[str, ...], str] = {}
        self.problems: list[Problem] = []

    def keywords(self) -> Keywords:
        content: Mapping[str, Any] = self._document.content
        self._only(content, _FIELDS, ())
        other = content.get("other", OTHER)
        if not self._is_name(other, ("other",)):
            other = OTHER
        listed = content.get("categories")
        if not isinstance(listed, dict) or not listed:
            self._note("lists no categories", "write kitchen: {keywords: [mug, cake tin]}", ("categories",))
            return Keywords((), other=other)
        categories = tuple(self._category(name, each, ("categories", name)) for name, each in listed.items())
        self._departments_alike(categories)
        if other in listed:
            what = f"{quoted(other)} is where goods of no category are put"
            self._note(what, "name it otherwise, or write other: with another name", ("categories", other))
        ignored = tuple(self._keywords("ignore", content["ignore"], ("ignore",))) if "ignore" in content else ()
        return Keywords(categories, ignored, other)

    def _category(self, name: str, content: Any, path: FieldPath) -> Category:
        self._is_name(name, path)
        if not isinstance(content, dict):
            self._note("is not a category", "write {keywords: [mug, cake tin]} after its name", path)
            return Category(name, ())
        self._only(content, _PARTS, path)
        department = content.get("department")
        if department is not None and not self._is_name(department, (*path, "department")):
            department = None
        keywords = tuple(self._keywords(name, content.get("keywords"), (*path, "keywords")))
        return Category(name, keywords, department, self._weight(content.get("weight", 1), (*path, "weight")))

    def _keywords(self, name: str, listed: Any, path: FieldPath) -> Iterator[tuple[str, ...]]:
        if not isinstance(listed, list) or not listed:
            self._note("lists no keywords", "write a list such as [mug, cake tin]", path)
            return
        for place, keyword in enumerate(listed):
            at = (*path, place)
            terms = terms_of(keyword) if isinstance(keyword, str) else ()
            if not terms:
                self._note("is not a word or phrase", "write it in quotes if it is a number, or take it out", at)
            elif terms in self._category_of:
                of = self._category_of[terms]
                also = "twice" if of == name else f"in {quoted(of)} too"
                self._note(f"{quoted(keyword)} is listed {also}", "keep it once; a plural is the same keyword", at)
            else:
                self._category_of[terms] = name
                yield terms

    def _weight(self, weight: Any, path: FieldPath) -> float:
        sound = isinstance(weight, int | Decimal) and not isinstance(weight, bool) and math.isfinite(weight)
        if sound and 0 < weight <= 1000:
            return float(weight)
        self._note("a weight is a number above 0 and at most 1000", "write for example 2", path)
        return 1.0

    def _departments_alike(self, categories: tuple[Category, ...]) -> None:
        without = [each.name for each in categories if each.department is None]
        if 0 < len(without) < len(categories):
            what = f"has no department, as have {len(categories) - len(without)} of {len(categories)} categories"
            self._note(what, "write one for every category, or for none", ("categories", without[0]))

    def _is_name(self, name: Any, path: FieldPath) -> bool:
        if isinstance(name, str) and name.strip() and name != STAR and "\0" not in name:
            return True
        self._note("is not a name", f"write a text that is not empty and not {STAR!r}", path)
        return False

    def _only(self, part: Mapping[str, Any], known: tuple[str, ...], path: FieldPath) -> None:
        for key in part:
            if key not in known:
                self._note("there is no such key", did_you_mean(key, known) or "take it out", (*path, key))

    def _note(self, what: str, instead: str, path: FieldPath) -> None:
        lines = self._document.lines
        line = next(lines[path[:end]] for end in range(len(path), -1, -1) if path[:end] in lines)
        self.problems.append(Problem(what, instead, path, line))
