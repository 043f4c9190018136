"""Messages that pages say in their own language: the English is written once, and translated by its text."""

from __future__ import annotations

from collections.abc import Mapping
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
    """A message whose mistake, `what`, and correction, `instead`, a page says one after the other."""

    what: str
    instead: str

    def __new__(cls, text: str, what: str, instead: str) -> TwoPhrases:
        """The message as a screen has it, with its parts."""
        made = super().__new__(cls, text)
        made.what, made.instead = what, instead
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy is made of, in another process too."""
        return TwoPhrases, (str(self), self.what, self.instead)


def phrase(template: str, /, **figures: object) -> Phrase:
    """The message of a template; `checks/catalogue.py` looks that every one written here has its translations."""
    return Phrase(template, figures)
