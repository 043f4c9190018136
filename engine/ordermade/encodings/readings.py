"""Candidate encodings of some bytes: their reading in each, and its likelihood in any language.

`charset-normalizer` proposes encodings, beside those that tables are most often written in. Each reading is weighed by
the letters of languages; readings of the same text are one. A reading not 1,000 times likelier than the next is open.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ordermade.encodings.letters import Language, languages

FAMILIAR = (
    "cp932", "cp1252", "euc_jp", "cp1250", "iso8859-2", "cp1251", "koi8-r", "iso8859-1", "iso8859-15", "cp1253",
    "iso8859-7", "cp1254", "cp1257", "iso8859-5", "cp866", "mac-roman", "mac-cyrillic", "cp852", "cp850", "cp437",
    "cp1255", "cp1256", "cp874", "euc_jis_2004", "gb18030", "big5", "cp949",
)  # fmt: skip
"""The encodings that are always considered; of those that read the same the first is named."""
_RARE = frozenset({"cp866", "mac-roman", "mac-cyrillic", "cp852", "cp850", "cp437", "euc_jis_2004"})

_CLEARLY = math.log(1000)
_RARELY = math.log(1 / 50)
_PROPOSED = math.log(1 / 1000)
_ASCII = math.log(1 / 30)
_CAPITAL_INSIDE = math.log(1 / 1000)
_MIXED_SCRIPTS = math.log(1 / 10_000)
_MOST_STRANGE = 0.15
"""The share of characters beyond ASCII that a language may not write for a reading to be one in it."""
_PROPOSED_CHAOS = 0.1


@dataclass(frozen=True, slots=True)
class Reading:
    """A text that encodings read from the same bytes, the one that is named first, and how likely it is (a log)."""

    encodings: tuple[str, ...]
    text: str
    likelihood: float
    strange: float

    @property
    def encoding(self) -> str:
        """The encoding that it is named by."""
        return self.encodings[0]


def readings(sample: bytes) -> tuple[Reading, ...]:
    """Every way to read the bytes, the likeliest first."""
    texts: dict[str, list[str]] = {}
    for encoding in dict.fromkeys((*FAMILIAR, *_proposed(sample))):
        text = _text(sample, encoding)
        if text is not None:
            texts.setdefault(text, []).append(encoding)
    return tuple(sorted((_weighed(text, found) for text, found in texts.items()), key=lambda each: -each.likelihood))


def likeliest(found: Sequence[Reading]) -> Reading | None:
    """The reading that is clearly likelier than every other, and of a language; None where there is none."""
    if not found or found[0].strange > _MOST_STRANGE:
        return None
    clear = len(found) == 1 or found[0].likelihood - found[1].likelihood >= _CLEARLY
    return found[0] if clear else None


def near(found: Sequence[Reading], most: int = 4) -> tuple[str, ...]:
    """The encodings to choose from where no reading is clearly the likeliest."""
    return tuple(each.encoding for each in found[:most])


def _proposed(sample: bytes) -> Iterable[str]:
    """The encodings that charset-normalizer finds little disorder in."""
    import codecs

    from charset_normalizer import from_bytes

    for match in from_bytes(sample):
        if match.chaos <= _PROPOSED_CHAOS:
            yield codecs.lookup(match.encoding).name


def _text(sample: bytes, encoding: str) -> str | None:
    """Decode by an encoding; None where it does not decode them, or gives a text that no table has."""
    try:
        text = sample.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None
    return None if any(_is_no_text(each) for each in set(text)) else text


def _is_no_text(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cn", "Cs") and character not in "\t\n\r\x0b\x0c\x1a"


def _weighed(text: str, encodings: list[str]) -> Reading:
    counted = Counter(each for each in text if not each.isascii())
    beyond = max(1, counted.total())
    capitals, mixed = _oddities(text)
    likelihood, strange = max(_in(language, counted) for language in languages())
    weight = (len(text) - counted.total()) * _ASCII + capitals * _CAPITAL_INSIDE + mixed * _MIXED_SCRIPTS
    strangeness = 1.0 if _half_width_alone(counted) else (strange + capitals + mixed) / beyond
    return Reading(tuple(encodings), text, weight + _custom(encodings[0]) + likelihood, strangeness)


def _half_width_alone(counted: Counter[str]) -> bool:
    """True if all characters beyond ASCII are half-width kana: almost any byte reads as one in CP932."""
    return bool(counted) and all("\uff61" <= each <= "\uff9f" for each in counted)


def _custom(encoding: str) -> float:
    """The rarity of an encoding among tables (a log)."""
    if encoding not in FAMILIAR:
        return _PROPOSED
    return _RARELY if encoding in _RARE else 0.0


def _in(language: Language, counted: Counter[str]) -> tuple[float, int]:
    """The likelihood of characters in a language (a log), and how many of them it does not write."""
    strange = sum(count for each, count in counted.items() if not language.writes(each))
    return sum(count * language.log_chance(each) for each, count in counted.items()), strange


def _oddities(text: str) -> tuple[int, int]:
    """Count capitals that follow a small letter, and meetings of letters of two scripts that no word mixes."""
    capitals = mixed = 0
    for before, after in pairwise(text):
        if before.isascii() and after.isascii():
            continue
        capitals += before.islower() and after.isupper()
        first, second = _script(before), _script(after)
        mixed += bool(first and second and first != second and not {first, second} <= _JAPANESE_SCRIPTS)
    return capitals, mixed


_JAPANESE_SCRIPTS = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "FULLWIDTH"})


def _script(character: str) -> str:
    """The first word of the name of a letter, which is its script; empty for what is no letter."""
    return unicodedata.name(character, "").split(" ", 1)[0] if character.isalpha() else ""
