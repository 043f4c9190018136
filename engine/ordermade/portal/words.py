"""The words of the portal for what the library names by codes: states, moves, roles, and whose turn it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ordermade.reports.language import N_, Language, TextCatalogue

PORTAL = TextCatalogue(Path(__file__).with_name("locale"), "portal")
"""The texts of the portal by language."""

LANGUAGE_NAMES: Mapping[str, str] = MappingProxyType({"en": "English", "ja": "日本語"})
"""The name of each language in itself."""

ROLES: Mapping[str, str] = MappingProxyType(
    {"data-user": N_("data user"), "provider": N_("provider"), "reviewer": N_("reviewer")}
)

PROBLEMS: Mapping[int, tuple[str, str]] = MappingProxyType(
    {
        400: (N_("This cannot be read"), N_("The address or the form is not one of the portal's own.")),
        401: (N_("Please log in"), N_("This page is for users who are logged in.")),
        403: (
            N_("This is not for you"),
            N_("Your roles do not allow it, or the page was open for too long: go back, load it again, and retry."),
        ),
        404: (N_("There is no such page"), N_("It does not exist, or it is somebody else's.")),
        405: (N_("There is no such page"), N_("It does not exist, or it is somebody else's.")),
        409: (
            N_("This is not possible now"),
            N_("Somebody did something else meanwhile, or its state does not allow it."),
        ),
        413: (N_("This is too large"), N_("A form has at most one megabyte.")),
        422: (N_("Please mend this first"), N_("Something in the form is not as it has to be.")),
        429: (N_("Too many tries"), N_("Wait a quarter of an hour, and try again.")),
        500: (N_("Something went wrong"), N_("Nothing was changed that is not said. Try again, or ask the provider.")),
        503: (N_("The service is busy"), N_("Try again in a moment.")),
    }
)
"""The heading and the sentence of each status of an error page."""


@dataclass(frozen=True, slots=True)
class PortalWords:
    """The words of codes in a language, for the templates."""

    say: Language

    def role(self, code: str) -> str:
        """A role."""
        return self.say.text(ROLES[code])

    def language(self, code: str) -> str:
        """The name of a language in itself."""
        return LANGUAGE_NAMES[code]
