"""The words of the portal for what the library names by codes: states, moves, roles, and whose turn it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from babel.units import format_unit

from ordermade.errors import OrdermadeError
from ordermade.phrases import Phrase, TwoPhrases
from ordermade.release.entitled import LOOKED_AT
from ordermade.reports import wording
from ordermade.reports.language import N_, Language, TextCatalogue
from ordermade.state.records.submissions import Submission

if TYPE_CHECKING:
    from ordermade.reports.table_figures import TableColumnReported

PORTAL = TextCatalogue(Path(__file__).with_name("locale"), "portal")
"""The texts of the portal by language."""

LANGUAGE_NAMES: Mapping[str, str] = MappingProxyType({"en": "English", "ja": "日本語"})
"""The name of each language in itself."""

ROLES: Mapping[str, str] = MappingProxyType(
    {"data-user": N_("data user"), "provider": N_("provider"), "reviewer": N_("reviewer")}
)

STATES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "submitted": (N_("submitted"), "open"),
        "predicted": (N_("waits for review"), "open"),
        "proposed": (N_("an offer was made"), "open"),
        "revised": (N_("revised, waits for review"), "open"),
        "in_review": (N_("in review"), "open"),
        "approved": (N_("approved"), "good"),
        "refused": (N_("refused"), "bad"),
        "run": (N_("released, being checked"), "good"),
        "delivered": (N_("delivered"), "good"),
        "withdrawn": (N_("withdrawn"), ""),
        "expired": (N_("expired"), ""),
    }
)
"""The words of each state, and the colour that they have."""

MOVES: Mapping[str, str] = MappingProxyType(
    {
        "submit": N_("submitted"),
        "predict": N_("forecast"),
        "propose": N_("offer made"),
        "accept": N_("offer accepted"),
        "revise": N_("revised"),
        "review": N_("vote"),
        "approve": N_("approved"),
        "refuse": N_("refused"),
        "return": N_("back to review"),
        "restore": N_("back to review"),
        "claim": N_("run begun"),
        "interrupt": N_("run interrupted"),
        "run": N_("run"),
        "deliver": N_("delivered"),
        "withdraw": N_("withdrawn"),
        "expire": N_("expired"),
        "comment": N_("comment"),
    }
)

TURNS: Mapping[str, str] = MappingProxyType(
    {
        "you": N_("your turn"),
        "user": N_("the user's turn"),
        "reviewers": N_("the reviewers' turn"),
        "provider": N_("the provider's turn"),
        "nobody": N_("nothing to do"),
    }
)
_TURN_OF: Mapping[str, str] = MappingProxyType(
    {
        "submitted": "reviewers",
        "predicted": "reviewers",
        "revised": "reviewers",
        "in_review": "reviewers",
        "proposed": "user",
        "refused": "user",
        "approved": "provider",
        "run": "provider",
    }
)

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "text": N_("text"),
        "number": N_("number"),
        "date": N_("date"),
        "time": N_("time"),
        "date with a time": N_("date with a time"),
        "date with a time zone": N_("date with a time zone"),
        "truth value": N_("truth value"),
    }
)

HIERARCHIES: Mapping[str, str] = MappingProxyType(
    {
        "explicit": N_("list of categories"),
        "interval": N_("intervals"),
        "date": N_("dates"),
        "prefix": N_("first characters"),
    }
)

USES: Mapping[str, str] = MappingProxyType(
    {
        "generalised": N_("generalised"),
        "kept": N_("as it is"),
        "sensitive": N_("as it is, under models"),
        "other": N_("used"),
    }
)

VOTES: Mapping[str, str] = MappingProxyType({"approve": N_("for it"), "refuse": N_("against it")})

PERIODS: Mapping[str, str] = MappingProxyType(
    {"day": N_("a day"), "week": N_("a week"), "month": N_("a month"), "year": N_("a year")}
)

VERDICTS: Mapping[str, str] = MappingProxyType(
    {
        "it passes": N_("it passes"),
        "it fails": N_("it fails"),
        "it will probably pass": N_("it will probably pass"),
        "it will probably fail": N_("it will probably fail"),
        "too little is known to predict it": N_("too little is known to predict it"),
    }
)

_DETAILS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"(?P<n>\d+) of (?P<needed>\d+) approvals", N_("approvals: %(n)s of %(needed)s")),
        (r"within the bounds of the policy", N_("within the bounds of the policy")),
        (r"its time was over", N_("its time was over")),
        (r"release (?P<release>\d+)", N_("release %(release)s")),
        (r"request \d+, release (?P<release>\d+)", N_("release %(release)s")),
        (r"release (?P<release>\d+)(, k (?P<k>\d+))?, measured again", N_("release %(release)s, measured again")),
        (
            r"superseded by request (?P<request>\d+), release (?P<release>\d+)",
            N_("superseded by request %(request)s, release %(release)s"),
        ),
        (re.escape(LOOKED_AT), N_("the provider looks at it")),
    )
)
"""The sentences that the engine writes into the history, and their texts."""

_CLAUSES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (
            r"beside what was released before, it could tell about fewer than k persons",
            N_("beside what was released before, it could tell about fewer than k persons"),
        ),
        (
            r"fewer than k of (?P<k>[\d,]+) remain in the rows that it asks for",
            N_("fewer than k of %(k)s remain in the rows that it asks for"),
        ),
        (
            r"nothing that it accepts passes by (?P<keys>\w+( (with|and) \w+)*)",
            N_("nothing that it accepts passes by %(keys)s"),
        ),
        (r"k may be the least of the dataset or more", N_("k may be the least of the dataset or more")),
        (r"(?P<keys>k) may be (?P<least>[\d,]+) or more", N_("%(keys)s may be %(least)s or more")),
        (r"(?P<keys>(a )?\w+) may be (?P<listed>[\d.,]+(, [\d.,]+)*)", N_("%(keys)s may be %(listed)s")),
    )
)
"""The clauses of a refusal by the data, as `service.user_refusals` writes them, and their texts."""

_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "suppression_limit": N_("the suppression limit"),
        "sensitive": N_("the models of sensitive columns"),
        "risk": N_("the risk"),
        "a risk": N_("the risk"),
    }
)
"""What a request writes, as a refusal names it."""

_LINE = re.compile(r":([0-9]+)\Z")
"""The line at the end of the place of an error."""

OUTLOOKS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"likely": (N_("likely"), "good"), "open": (N_("open"), "open"), "unlikely": (N_("unlikely"), "bad")}
)
"""The words of a forecast while choosing, and the colour that they have."""

GROUNDS: Mapping[str, str] = MappingProxyType(
    {
        "released": N_("Earlier releases for you and others who may share with you decide it."),
        "estimated": N_("It is estimated from class sizes that were released."),
        "unknown": N_("Too little was released so far to say."),
        "filter": N_("No release has these rows."),
        "method": N_("Nothing is forecast of such a request."),
        "models": N_("More is required than k, which no release shows."),
        "earlier": N_("It cannot be released beside earlier releases."),
    }
)
"""What a forecast goes by, or why it is open."""

ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "request": N_("the whole request"),
        "k": N_("k"),
        "suppression": N_("the suppression limit"),
        "filter": N_("the row filter"),
        "check:policy": N_("the check of the policy"),
        "check:forecast": N_("the forecast"),
        "check:ledger": N_("the judgement beside earlier releases"),
        "check:release": N_("the release that came out"),
    }
)
"""What comments are about, but for columns."""

BESIDE: Mapping[str, str] = MappingProxyType(
    {
        "follows": N_("Its answer follows from a release that its user may have."),
        "breach": N_("It shows cells that tables of its user hide, whatever the data are."),
        "fails": N_("A release of its user shows too many rows in classes below k: it will be refused."),
        "undecided": N_("Its classes are of no one level: nothing is ever proved beside earlier releases."),
        "open": N_("Released figures do not decide it. The ledger judges it when it runs."),
        "": N_("Its user has no release of these data so far. The ledger judges it when it runs."),
    }
)
"""What the ledger decides about a request before anything is counted; "": there is nothing to decide by."""

RULES: Mapping[str, str] = MappingProxyType(
    {
        "k": N_("the least k"),
        "ks": N_("the values of k"),
        "suppression": N_("the greatest suppression limit"),
        "scales.suppression": N_("the values of the suppression limit"),
        "models": N_("columns under models alone"),
        "never.ask": N_("columns never used"),
        "never.keep": N_("columns never released as they are"),
        "never.filter": N_("columns never filtered by"),
        "finest": N_("the finest levels"),
        "filters.released_only": N_("filters of released columns alone"),
        "filters.borders": N_("the borders of filters"),
        "recipients": N_("who may ask"),
        "recipients.k": N_("the least k of this user"),
        "recipients.columns": N_("the columns of this user"),
        "terms": N_("the accepted terms"),
        "search.budget": N_("no budget of its own"),
    }
)
"""The rules of policies that reviewers see decided; a scale has its own name."""

FIGURES: Mapping[str, str] = MappingProxyType(
    {
        "k": "k",
        "detail given up": N_("detail given up"),
        "rows suppressed": N_("rows suppressed"),
        "beside releases": N_("beside earlier releases"),
        "cells published": N_("cells published"),
        "cells suppressed": N_("cells suppressed"),
    }
)
"""The headings of `offers.offer.offer_table`."""

JUDGED: Mapping[object, str] = MappingProxyType(
    {"safe": N_("safe"), "breach": N_("not safe"), "undecided": N_("not proved to be safe")}
)

PROBLEMS: Mapping[int, tuple[str, str]] = MappingProxyType(
    {
        400: (N_("This cannot be read"), N_("The address or the form is not one of the portal's own.")),
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
        503: (
            N_("This is not possible now"),
            N_(
                "The provider's machine cannot do it: the disk may be full, or the data away. Nothing was changed. Try "
                "again in a moment, or ask the provider."
            ),
        ),
    }
)
"""The heading and the sentence of each status of an error page."""


@dataclass(frozen=True, slots=True)
class SaidText:
    """A text of a page. `language`: where it is not that of the page."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class PortalWords:
    """The words of codes in a language, for the templates."""

    say: Language
    reader: str = ""

    def role(self, code: str) -> str:
        """A role."""
        return self.say.text(ROLES[code])

    def language(self, code: str) -> str:
        """The name of a language in itself."""
        return LANGUAGE_NAMES[code]

    def state(self, code: str) -> str:
        """A state."""
        return self.say.text(STATES[code][0])

    def colour(self, code: str) -> str:
        """The colour of a state: `good`, `bad`, `open` or none."""
        return STATES[code][1]

    def move(self, action: str) -> str:
        """A step of the history, by its action in the audit."""
        code = action.removeprefix("request ")
        return self.say.text(MOVES[code]) if code in MOVES else code

    def turn(self, at: Submission) -> str:
        """Whose turn it is."""
        code = _TURN_OF.get(at.status, "nobody")
        return self.say.text(TURNS["you" if code == "user" and at.submitted_by == self.reader else code])

    def is_yours(self, at: Submission) -> bool:
        """Whether it is the turn of who reads."""
        return _TURN_OF.get(at.status) == "user" and at.submitted_by == self.reader

    def kind(self, code: str) -> str:
        """What a column holds."""
        return self.say.text(KINDS[code]) if code in KINDS else code

    def hierarchy(self, code: str) -> str:
        """The kind of a hierarchy."""
        return self.say.text(HIERARCHIES[code])

    def use(self, code: str) -> str:
        """What becomes of a column."""
        return self.say.text(USES[code])

    def period(self, code: str) -> str:
        """A period."""
        return self.say.text(PERIODS[code]) if code in PERIODS else code

    def length(self, text: str) -> str:
        """A length of time, as a policy has it: `90 days`."""
        number, unit = text.split()
        return format_unit(int(number), f"duration-{unit.removesuffix('s')}", locale=self.say.locale)

    def level(self, name: str) -> str:
        """The name of a level."""
        if name == "value":
            return self.say.text("original value")
        return self.say.text("suppressed: *") if name == "*" else wording.level_name(name, self.say)

    def levels_of(self, column: TableColumnReported) -> str:
        """The levels that tables show a column at, with its total."""
        return self.say.parted(
            [*map(self.level, column.levels), *([self.say.text("total")] if column.has_total else [])]
        )

    def bound(self, name: str) -> str:
        """The name of a level in a sentence."""
        return name if name == "*" else self.level(name)

    def plain_level(self, name: str) -> str:
        """The name of a level as plain text, for an option."""
        return PortalWords(replace(self.say, markup=False)).level(name)

    def percent(self, text: str) -> str:
        """A share, written as a decimal, as a percentage."""
        return f"{float(text) * 100:g} %"

    def forecast(self, text: str) -> str:
        """A forecast: its verdict in the language, and what else it says as it is."""
        verdict = next((each for each in VERDICTS if text.startswith(each)), None)
        return text if verdict is None else self.say.text(VERDICTS[verdict]) + text.removeprefix(verdict)

    def outlook(self, code: str) -> str:
        """A forecast while choosing."""
        return self.say.text(OUTLOOKS[code][0])

    def outlook_colour(self, code: str) -> str:
        """The colour of a forecast: `good`, `bad` or `open`."""
        return OUTLOOKS[code][1]

    def ground(self, code: str) -> str:
        """What a forecast goes by."""
        return self.say.text(GROUNDS[code])

    def vote(self, text: str) -> str:
        """A vote of the history, with its reason."""
        cast, parted, why = text.partition(": ")
        if cast not in VOTES:
            return self.say.value(text)
        return self.say.text(VOTES[cast]) + (parted + self.say.value(why) if why else "")

    def detail(self, action: str, text: str) -> str:
        """What a step of the history says: in the language where the engine wrote it, as it is where a person did."""
        match action.removeprefix("request "):
            case "predict":
                return self.forecast(text)
            case "review":
                return self.vote(text)
            case "comment":
                return self.about(text)
            case "refuse":
                return self.refusal(text) or self.say.value(text)
        for pattern, translated in _DETAILS:
            if found := pattern.fullmatch(text):
                return self.say.text(translated, **found.groupdict())
        return self.say.value(text)

    def refusal(self, text: str) -> str:
        """A refusal by the data in the language of the page; empty where its words are a person's."""
        if self.say.code == "en":
            return ""
        clauses = [self._clause(each) for each in text.split("; ")]
        return self.say.joined(clauses) if all(clauses) else ""

    def _clause(self, text: str) -> str:
        for pattern, translated in _CLAUSES:
            if found := pattern.fullmatch(text):
                figures = found.groupdict()
                if keys := figures.get("keys"):
                    named = re.split(r" with | and ", keys)
                    figures["keys"] = self.say.parted(
                        [self.say.text(_KEYS[each]) if each in _KEYS else each for each in named]
                    )
                return self.say.text(translated, **figures)
        return ""

    def moment(self, when: datetime) -> str:
        """A day and its time, in the time zone of the language."""
        return self.say.moment(when)

    def said(self, message: str) -> list[SaidText]:
        """A message of the library: in the language of the page where it knows its text, else as it is, in English."""
        if self.say.code == "en":
            return [SaidText(message)]
        if isinstance(message, TwoPhrases) and isinstance(message.what, Phrase):
            parts = [message.what, message.instead] if message.instead else [message.what]
            return [*self._place(message), *(text for each in parts for text in self.said(each))]
        if isinstance(message, Phrase):
            return [SaidText(self._phrase(message))]
        return [SaidText(message, "en")]

    def _place(self, message: TwoPhrases) -> list[SaidText]:
        """The line and the field that a mistake is in."""
        line = self.say.text("line %(line)s", line=message.line) if message.line else ""
        place = self.say.parted([each for each in (line, message.field) if each])
        return [SaidText(self.say.text("%(place)s: ", place=place))] if place else []

    def _phrase(self, message: Phrase) -> str:
        figures = {
            name: self._phrase(each) if isinstance(each, Phrase) else each for name, each in message.figures.items()
        }
        return self.say.text(message.template, **figures)

    def about(self, code: str) -> str:
        """What a comment is about."""
        if code.startswith("column:"):
            return self.say.text("the column %(name)s", name=code.removeprefix("column:"))
        return self.say.text(ABOUT[code]) if code in ABOUT else code

    def beside(self, code: str | None) -> str:
        """What the ledger decides without counting."""
        return self.say.text(BESIDE[code or ""])

    def rule(self, name: str) -> str:
        """A rule of a policy."""
        return self.say.text(RULES[name]) if name in RULES else name

    def figure(self, heading: str) -> str:
        """A heading of the list of offers."""
        return self.say.text(FIGURES[heading]) if heading in FIGURES else heading

    def told(self, figure: object) -> str:
        """A figure of the list of offers: a number, a judgement, or words as they are."""
        if isinstance(figure, int | float):
            return self.say.number(figure)
        return self.say.text(JUDGED[figure]) if figure in JUDGED else str(figure)

    def when(self, moment: datetime) -> str:
        """A day, in the time zone of the language."""
        return self.say.day(moment)


def message_of(error: OrdermadeError) -> str:
    """The message of an error, for `PortalWords.said`."""
    line = _LINE.search(error.where)
    return TwoPhrases(error.message, error.what, error.next_step, line=int(line[1]) if line else 0)
