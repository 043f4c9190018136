"""Keywords of categories, terms of descriptions, and the category of a description by its keywords.

The list that ships with the package is `keywords.yaml` beside this module. A shop edits a copy of it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

from ordermade.errors import did_you_mean, quoted
from ordermade.files.yaml_documents import Document
from ordermade.hierarchies.hierarchy import STAR
from ordermade.requests.problems import FieldPath, RequestProblem, refusal
from ordermade.requests.read import Kind, file_text, read_document

_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['’]s\b")
_BRIEF = 3
"""Words no longer than this are left as they are: gas, tie."""


def terms_of(description: str) -> tuple[str, ...]:
    """The terms in the order they are written in, each as often as it is written."""
    text = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", description).casefold())
    return tuple(singular(word) for word in _WORD.findall(text))


def singular(word: str) -> str:
    """The word without its English plural ending; a singular and its plural become one term.

    The term need not be a word (cookie and cookies are `cooky`): it is only compared. Irregular plurals, such as
    knives, stay terms of their own.
    """
    if len(word) <= _BRIEF or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    word = word.removesuffix("s")
    return word[:-2] + "y" if word.endswith("ie") and len(word) > _BRIEF else word


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


def default_keywords_text() -> str:
    """The text of the list that ships with the package."""
    return (files("ordermade.methods.histories.taxonomies") / SHIPPED).read_text(encoding="utf-8")


def read_keywords(path: Path | None = None) -> Keywords:
    """The list in a file; None: the one that ships with the package.

    Raises:
        RequestError: the file cannot be read or holds no list; `problems` has every mistake with its line.
    """
    if path is None:
        return keywords_of(default_keywords_text(), SHIPPED)
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
        self.problems: list[RequestProblem] = []

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
        self.problems.append(RequestProblem(what, instead, path, line))


Terms = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matcher:
    """Keywords by their terms: the number of the category of each, None for ignored ones; weights of categories."""

    category_of: dict[Terms, int | None]
    weights: tuple[float, ...]
    longest: int

    @classmethod
    def of(cls, listed: Keywords) -> Matcher:
        """The matcher of a list, each keyword of which belongs to one category alone."""
        found: dict[Terms, int | None] = dict.fromkeys(listed.ignored)
        found |= {terms: number for number, each in enumerate(listed.categories) for terms in each.keywords}
        return cls(found, tuple(each.weight for each in listed.categories), max(map(len, found), default=0))

    def category(self, terms: Terms) -> int | None:
        """The number of the category whose keywords weigh most; None where there is no keyword.

        A keyword weighs as many times its category's weight as it has words. Ties go to the category whose keyword
        comes last: in English, what a thing is stands after what it is like.
        """
        weighed: dict[int, tuple[float, int]] = {}
        for end, number, words in self._keywords(terms):
            before, _ = weighed.get(number, (0.0, 0))
            weighed[number] = (before + words * self.weights[number], end)
        return max(weighed, key=lambda number: weighed[number], default=None)

    def _keywords(self, terms: Terms) -> Iterator[tuple[int, int, int]]:
        """The end of each keyword, its category, its words. A longer one takes its words from the shorter ones."""
        taken = [False] * len(terms)
        for words in range(min(self.longest, len(terms)), 0, -1):
            for start in range(len(terms) - words + 1):
                keyword = terms[start : start + words]
                if keyword in self.category_of and not any(taken[start : start + words]):
                    taken[start : start + words] = [True] * words
                    number = self.category_of[keyword]
                    if number is not None:
                        yield start + words, number, words
