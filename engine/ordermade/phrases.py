"""Messages that pages say in their own language: the English is written once, and translated by its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any


class Phrase(str):
    """A message in English that knows the `template` and the `figures` that it is made of.

    It is a text as any other; a page looks its template up in a catalogue. A figure may be a phrase, too.
    """

    template: str
    figures: Mapping[str, object]

    def __new__(cls, template: str, figures: Mapping[str, object]) -> Phrase:
        """The message of a template with `%(name)s` for each figure."""
        made = super().__new__(cls, template % figures)
        made.template, made.figures = template, figures
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy is made of, in another process too."""
        return Phrase, (self.template, dict(self.figures))


class TwoPhrases(str):
    """A message whose mistake, `what`, and correction, `instead`, a page says one after the other.

    `field` and `line`: where it is in what was sent; empty, and 0, where that is not known, or the text says it.
    """

    what: str
    instead: str
    field: str
    line: int

    def __new__(cls, text: str, what: str, instead: str, field: str = "", line: int = 0) -> TwoPhrases:
        """The message as a screen has it, with its parts."""
        made = super().__new__(cls, text)
        made.what, made.instead, made.field, made.line = what, instead, field, line
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy is made of, in another process too."""
        return TwoPhrases, (str(self), self.what, self.instead, self.field, self.line)


def phrase(template: str, /, **figures: object) -> Phrase:
    """The message of a template; `checks/catalogue.py` looks that every one written here has its translations."""
    return Phrase(template, figures)


def wording(text: str, /) -> str:
    """The wording of a message whose figures are known elsewhere; `checks/catalogue.py` looks for it, too."""
    return text


def joined(*sentences: str) -> str:
    """Sentences one after the other, those that are empty left out."""
    return chained(wording("%(first)s %(next)s"), [each for each in sentences if each])


def any_of(names: Sequence[str]) -> str:
    """Names, or phrases, with `or` between them."""
    return chained(wording("%(first)s or %(next)s"), names)


def all_of(names: Sequence[str]) -> str:
    """Names, or phrases, with `and` between them."""
    return chained(wording("%(first)s and %(next)s"), names)


def chained(between: str, parts: Sequence[str]) -> str:
    """Parts as a template of the `first` ones and the `next` has them; empty where there is none."""
    return reduce(lambda first, each: Phrase(between, {"first": first, "next": each}), parts) if parts else ""
