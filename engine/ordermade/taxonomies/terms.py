"""The terms of a description: its words in lower case, plurals folded into singulars."""

from __future__ import annotations

import re
import unicodedata

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
