"""Requests in a browser: built, submitted, looked at, accepted, revised and withdrawn by their user."""

from __future__ import annotations

import re

from fastapi.responses import Response

from ordermade.errors import InputError, PolicyBroken, Refused, RequestError, UnknownName
from ordermade.phrases import TwoPhrases, phrase
from ordermade.portal.comment_pages import CommentsShown
from ordermade.portal.concessions import compared
from ordermade.portal.request_facts import RequestFacts, difference
from ordermade.portal.request_form import CHOSEN, choices, filter_example, limits, request_text
from ordermade.portal.routing import Pages
from ordermade.portal.visits import Visit, Visiting
from ordermade.portal.words import message_of
from ordermade.requests.read import document_text
from ordermade.service.shown import ShownRequest
from ordermade.service.user_catalogue import OfferedDataset
from ordermade.state.submissions import SubmissionDetails

pages = Pages()

LONGEST_TEXT = 200_000
"""The most characters of a request's text, and the most bytes of its file."""

ENDINGS = ("yaml", "yml")
"""The endings of request files."""
_PLACE = re.compile(r"\Arequest(:\d+)?: ")


@pages.page("/requests", "submissions.submit")
def requests(visit: Visiting) -> Response:
    """The requests of the user, the latest first, with whose turn it is."""
    name = visit.user.actor.name
    own = [each for each in visit.engine.submissions.list() if each.submitted_by == name]
    return visit.page("requests.html.j2", requests=own)


@pages.page("/requests/new", "submissions.submit")
def builder(visit: Visiting, dataset: str = "") -> Response:
    """The request builder."""
    return _builder(visit, dataset)


@pages.action("/requests/new", "submissions.submit")
def submit(visit: Visiting) -> Response:
    """Submits what the builder says."""
    name = visit.entry("dataset", 200)
    try:
        text = request_text(visit, visit.engine.catalogue.get(name))
        return _submitted(visit, text)
    except (InputError, PolicyBroken) as fault:
        return _builder(visit, name, fault)


@pages.action("/requests/forecast", "submissions.forecast")
def forecast(visit: Visiting) -> Response:
    """What is forecast of the request that the builder says, as a part of its page: its mistakes where it has some.

    Nothing while no column is chosen.
    """
    if not any(visit.form[each] != [""] for each in visit.form if each.startswith(CHOSEN)):
        return visit.answered(Response(status_code=204))
    try:
        dataset = visit.engine.catalogue.get(visit.entry("dataset", 200))
        found = visit.engine.submissions.forecast(request_text(visit, dataset))
    except (InputError, PolicyBroken) as fault:
        return visit.page("forecast.html.j2", found=None, problems=_problems(fault, is_built=True))
    except Refused:  # after as many as the policy allows
        return visit.page("forecast.html.j2", found=None, problems=())
    return visit.page("forecast.html.j2", found=found)


@pages.action("/requests/text", "submissions.submit", file="file")
def submit_text(visit: Visiting) -> Response:
    """Submits a request file, or its text."""
    text = ""
    try:
        text = _sent_text(visit)
        return _submitted(visit, text)
    except (InputError, PolicyBroken) as fault:
        return _builder(visit, visit.entry("dataset", 200), fault, text)


@pages.page("/requests/{number}", "submissions.get")
def request(visit: Visiting, number: int) -> Response:
    """One request: where it stands, whose turn it is, and what may be done."""
    noun = visit.engine.submissions
    details = noun.get(number)
    return visit.page(
        "request.html.j2",
        details=details,
        facts=RequestFacts.of(details.in_force.request, offered_of(visit, details)),
        moves=noun.allowed(number),
        history=noun.history(number),
        refusal=_refusal(noun.history(number), details),
        progress=noun.progress(number),
        comments=CommentsShown.on(visit, "requests", details),
    )


@pages.page("/requests/{number}/offer", "submissions.get")
def offer(visit: Visiting, number: int) -> Response:
    """What the provider offers, beside the request."""
    noun = visit.engine.submissions
    details = noun.get(number)
    if details.proposed is None:
        return visit.see_other(f"/requests/{number}")
    asked, offered, dataset = details.in_force, details.proposed, offered_of(visit, details)
    return visit.page(
        "offer.html.j2",
        details=details,
        moves=noun.allowed(number),
        sides=[(each, RequestFacts.of(each.request, dataset)) for each in (asked, offered)],
        comparison=compared(asked.request, offered.request, dataset),
        lines=difference(asked.request, offered.request),
    )


@pages.action("/requests/{number}/accept", "submissions.accept")
def accept(visit: Visiting, number: int) -> Response:
    """Accepts the offer that the page showed."""
    visit.engine.submissions.accept(number, visit.entry("why", 500) or None, shown=_shown(visit))
    return visit.see_other(f"/requests/{number}")


@pages.action("/requests/{number}/withdraw", "submissions.withdraw")
def withdraw(visit: Visiting, number: int) -> Response:
    """Ends the request."""
    visit.engine.submissions.withdraw(number, visit.entry("why", 500) or None, shown=_shown(visit))
    return visit.see_other(f"/requests/{number}")


@pages.page("/requests/{number}/revise", "submissions.revise")
def revision(visit: Visiting, number: int) -> Response:
    """The text of the request, to be written anew."""
    return _revision(visit, visit.engine.submissions.get(number))


@pages.action("/requests/{number}/revise", "submissions.revise", file="file")
def revise(visit: Visiting, number: int) -> Response:
    """Puts another text in the place of the request's."""
    noun, shown, text = visit.engine.submissions, _shown(visit), None
    try:
        text, why = _sent_text(visit), visit.entry("why", 500) or None
        noun.revise(number, text, why, accept_terms=bool(visit.entry("terms", 3)), shown=shown)
    except (InputError, PolicyBroken) as fault:
        return _revision(visit, noun.get(number), fault, text)
    return visit.see_other(f"/requests/{number}")


def offered_of(visit: Visit, details: SubmissionDetails) -> OfferedDataset | None:
    """The dataset of a request; None where it was removed, or is no longer for this user."""
    try:
        return visit.engine.catalogue.get(details.submission.dataset_name)
    except UnknownName:
        return None


def _submitted(visit: Visit, text: str) -> Response:
    why, terms = visit.entry("why", 500) or None, bool(visit.entry("terms", 3))
    found = visit.engine.submissions.submit(text, why, accept_terms=terms)
    return visit.see_other(f"/requests/{found.id}")


def _sent_text(visit: Visit) -> str:
    """The text of the request in a form: of the file where one was chosen, else of the text area. Raises InputError."""
    file = visit.upload("file", ENDINGS)
    if file is None:
        return no_path(visit.entry("text", LONGEST_TEXT))
    if len(file.content) > LONGEST_TEXT:
        raise InputError(
            phrase("the file is larger than %(most)s bytes", most=format(LONGEST_TEXT, ",")),
            where="file",
            next_step=phrase("Write a shorter one."),
        )
    return no_path(document_text(file.content, "the request file"))


def no_path(text: str) -> str:
    """A text for the service, which takes one of a single line for the path of a file."""
    return text if "\n" in text else f"{text}\n"


def _readable(text: str | None) -> str | None:
    """A text as the page shows it to be mended; None where it holds what no text area does."""
    is_shown = text is not None and all(each.isprintable() or each in "\r\n\t" for each in text)
    return text if is_shown else None


def _builder(visit: Visit, name: str, fault: InputError | PolicyBroken | None = None, text: str = "") -> Response:
    """The builder with what was chosen before, and what is to be mended."""
    offered = visit.engine.catalogue.list()
    if not name:
        return visit.page("choose.html.j2", datasets=offered)
    dataset = visit.engine.catalogue.get(name)
    return visit.page(
        "builder.html.j2",
        422 if fault is not None else 200,
        dataset=dataset,
        choices={each.name: choices(each, dataset) for each in dataset.columns},
        limits=limits(dataset),
        example=filter_example(dataset),
        chosen={name: given[0] for name, given in visit.form.items()},
        problems=_problems(fault, is_built=not text),
        text=_readable(text) or "",
    )


def _revision(
    visit: Visit, details: SubmissionDetails, fault: InputError | PolicyBroken | None = None, text: str | None = None
) -> Response:
    return visit.page(
        "revise.html.j2",
        422 if fault is not None else 200,
        details=details,
        text=details.in_force.request if (sent := _readable(text)) is None else sent,
        problems=_problems(fault),
        dataset=offered_of(visit, details),
    )


def _problems(fault: InputError | PolicyBroken | None, *, is_built: bool = False) -> tuple[str, ...]:
    """The mistakes of a request; `is_built`: by a form, which has no lines."""
    if fault is None:
        return ()
    listed = fault.problems if isinstance(fault, RequestError | PolicyBroken) else ()
    return tuple(_without_line(each) if is_built else each for each in listed) or (message_of(fault),)


def _without_line(problem: str) -> str:
    text = _PLACE.sub("", problem)
    if not isinstance(problem, TwoPhrases):
        return text
    return TwoPhrases(text, problem.what, problem.instead, problem.field)


def _shown(visit: Visit) -> ShownRequest:
    """The request as the page of the form showed it."""
    return ShownRequest(visit.number("revision"), visit.entry("status", 40))


def _refusal(history: tuple[object, ...], details: SubmissionDetails) -> str:
    """The reason of the refusal in force; empty where it is not refused."""
    if details.submission.status != "refused":
        return ""
    reasons = [getattr(each, "detail", None) for each in history if getattr(each, "action", "") == "request refuse"]
    return (reasons[-1] or "") if reasons else ""
