"""The meanings that the names of columns have, in the languages of tables.

The words ship with the package, `column_words.toml` beside this module, which says what a word may look like.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Kind = Literal[
    "direct", "key", "name", "free text", "sensitive", "quasi-identifier", "person", "thing", "about", "measure"
]  # fmt: skip
"""The kind of a meaning: what it makes of a column, as `column_words.toml` explains."""

SHIPPED = "column_words.toml"
ENGLISH = "en"
ANYWHERE = frozenset({"ja"})
"""The languages without blanks between words: a word of theirs may stand anywhere in a name."""

HEAD_FIRST = frozenset({"fr", "es", "it", "pt", "pl"})
"""The languages in which the first noun of a name says what it is, as in `code postal`; of others it is the last."""

_LETTERS = str.maketrans({"ß": "ss", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ı": "i"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def folded(text: str) -> str:
    """The text in small letters without accents; letters of other scripts than the Latin as they are."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_LETTERS)
    return "".join(map(_without_accent, plain))


def _without_accent(letter: str) -> str:
    first = unicodedata.normalize("NFD", letter)[0]
    return first if first.isascii() else letter


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+|[0-9]+|[^\W\d_a-z]+", folded(text))


@dataclass(frozen=True, slots=True)
class Meaning:
    """A meaning of column names; `place`: its place in the list, the first counts among those of a kind.

    `says` follows `its name says`. `strength`: how sure others know a person by such a column.
    """

    says: str
    kind: Kind
    place: int
    strength: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A word of a meaning in a name, from its `first` word there to its `last`, and its language.

    `is_sure`: the word is no ordinary one of another language.
    """

    meaning: Meaning
    language: str
    first: int = 0
    last: int = 0
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class ColumnName:
    """The name of a column as its words, and what they mean. Articles and prepositions are no words.

    `is_head_first`: a preposition parts its words, as in `age at diagnosis`.
    """

    words: tuple[str, ...]
    is_head_first: bool
    hits: tuple[Hit, ...]

    @classmethod
    @cache
    def of(cls, name: str) -> ColumnName:
        """The words of a name such as `marital-status`, `nativeCountry`, `LIMIT_BAL`, `PAY_AMT1` or `prénom`."""
        plain = unicodedata.normalize("NFKC", name)
        plain = "".join(_without_accent(each) for each in unicodedata.normalize("NFC", plain))
        parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", plain)
        parted = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", parted)
        every = _words(parted)
        words = tuple(each for each in every if each not in _linking()) or tuple(every)
        return cls(words, any(each in _prepositions() for each in every[1:-1]), tuple(_hits(words)))

    def first(self, kind: Kind) -> Hit | None:
        """The first meaning of a kind, by its last word in the name; None where it has none."""
        found = [each for each in self.hits if each.meaning.kind == kind]
        return min(found, key=lambda each: (each.meaning.place, -each.last), default=None)

    def means(self, *says: str) -> bool:
        """Whether it has one of these meanings."""
        return any(each.meaning.says in says for each in self.hits)

    def is_head(self, one: Hit, other: Hit) -> bool:
        """Whether the first of two meanings says what the column is, and the second of what: `diagnosis age`."""
        first = self.is_head_first or not HEAD_FIRST.isdisjoint((one.language, other.language))
        return one.last < other.last if first else one.last > other.last


def column_names(names: Sequence[str]) -> Mapping[str, ColumnName]:
    """The names of the columns of one table: words that other languages have, too, count where others speak theirs."""
    found = {each: ColumnName.of(each) for each in names}
    spoken = {name: _languages(each) for name, each in found.items()}
    return {name: _among(each, [spoken[other] for other in names if other != name]) for name, each in found.items()}


def _languages(name: ColumnName) -> frozenset[str]:
    """The languages that a name is surely of: a word that is English, too, says nothing."""
    english = {each.last for each in name.hits if each.language == ENGLISH}
    return frozenset(each.language for each in name.hits if each.is_sure and each.last not in english)


def _among(name: ColumnName, others: Sequence[frozenset[str]]) -> ColumnName:
    hits = tuple(each for each in name.hits if each.is_sure or any(each.language in other for other in others))
    return name if len(hits) == len(name.hits) else replace(name, hits=hits)


@cache
def flags() -> frozenset[str]:
    """Values, folded, that say whether somebody has something, and not what it is."""
    return _set_of("flags")


def _set_of(entry: Literal["flags", "linking", "prepositions"]) -> frozenset[str]:
    return frozenset(folded(each.strip()) for each in _shipped()[entry].split(","))


@cache
def _linking() -> frozenset[str]:
    return _set_of("linking")


@cache
def _prepositions() -> frozenset[str]:
    return _set_of("prepositions")


@cache
def _shipped() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath(SHIPPED).read_text(encoding="utf-8"))


@cache
def meaning(says: str) -> Meaning:
    """The meaning that says this; raises StopIteration where there is none."""
    return next(each for each, _ in _listed() if each.says == says)


@cache
def _listed() -> tuple[tuple[Meaning, Mapping[str, str]], ...]:
    """The meanings in order, with the words of each by language."""
    found = []
    for place, entry in enumerate(_shipped()["meaning"]):
        words = {key: value for key, value in entry.items() if len(key) == len(ENGLISH)}
        found.append((Meaning(entry["says"], entry["kind"], place, entry.get("strength", 0)), words))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The words of all meanings: whole ones by their text, and the patterns of those that stand for a part."""

    whole: Mapping[str, tuple[Hit, ...]]
    parts: tuple[tuple[re.Pattern[str], Hit], ...]


@cache
def _vocabulary() -> _Vocabulary:
    whole: dict[str, list[Hit]] = {}
    parts: list[tuple[re.Pattern[str], Hit]] = []
    for each, by_language in _listed():
        for language, listed in by_language.items():
            for word in filter(None, (" ".join(word.split()) for word in listed.split(","))):
                hit = Hit(each, language, is_sure=not word.endswith("?"))
                for spelling in _spellings(word.rstrip("?"), language):
                    if language in ANYWHERE or "*" in spelling:
                        parts.append((re.compile(spelling.replace("*", ".*")), hit))
                    else:
                        whole.setdefault(spelling, []).append(hit)
    return _Vocabulary({word: tuple(hits) for word, hits in whole.items()}, tuple(parts))


def _spellings(word: str, language: str) -> set[str]:
    if language in ANYWHERE:
        return {f"*{folded(word)}*"}
    if "*" in word:
        return {folded(word), folded(word.translate(_UMLAUTS))}
    return {
        " ".join(each for each in _words(spelling) if each not in _linking())
        for spelling in (word, word.translate(_UMLAUTS))
    }


def _hits(words: Sequence[str]) -> Iterator[Hit]:
    """The words of meanings in a name; one that is a part of a longer one is none: `estado` in `estado civil`."""
    found = list(_every_hit(words))
    spans = {(each.first, each.last) for each in found}
    for hit in found:
        here = (hit.first, hit.last)
        if not any(first <= hit.first and hit.last <= last and (first, last) != here for first, last in spans):
            yield hit


def _every_hit(words: Sequence[str]) -> Iterator[Hit]:
    known = _vocabulary()
    for last in range(len(words)):
        for first in range(last + 1):
            for hit in known.whole.get(" ".join(words[first : last + 1]), ()):
                yield replace(hit, first=first, last=last)
        for pattern, hit in known.parts:
            if pattern.fullmatch(words[last]):
                yield replace(hit, first=last, last=last)
