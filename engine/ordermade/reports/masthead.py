"""The head of a report: the office that releases, whom to ask, and the title, as a provider words them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Masthead:
    """Texts at the head of a report; an empty one is left out, and the title of the request stands."""

    office: str = ""
    contact: str = ""
    title: str = ""


NO_MASTHEAD = Masthead()
