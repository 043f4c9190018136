"""The entrance: the first page, logging in and out, the language."""

from __future__ import annotations

from fastapi.responses import RedirectResponse, Response

from ordermade.errors import Refused
from ordermade.portal.routing import OPEN, Pages
from ordermade.portal.visits import Visiting, local_path
from ordermade.portal.words import PortalWords
from ordermade.reports.language import LANGUAGES, Language
from ordermade.service.permissions import permits

pages = Pages()


@pages.page("/", "submissions.acting")
def first(visit: Visiting) -> Response:
    """The page that a user begins at."""
    noun, reader = visit.engine.submissions, visit.user.actor
    words = PortalWords(Language.of("en"), reader.name)
    votes = sum(not each.voted for each in noun.to_review()) if permits("submissions.to_review", reader) else 0
    turns, mail = sum(map(words.is_yours, noun.list())), visit.sessions.mail_of(visit.user)
    return visit.page("home.html.j2", turns=turns, votes=votes, mail=mail, options=visit.portal.options)


@pages.page("/login", OPEN)
def login(visit: Visiting, then: str = "/") -> Response:
    """The form to log in; where a proxy does, the first page."""
    if visit.session is not None or visit.portal.options.user_header is not None:
        return visit.see_other(local_path(then))
    return visit.login_page(then=then)


LOGINS_AT_ONCE = 1
"""The passwords that are verified at once: each takes 64 MiB, and all of a core for a sixth of a second."""


@pages.action("/login", OPEN, at_once=LOGINS_AT_ONCE)
def log_in(visit: Visiting) -> Response:
    """Begins a session for a name and its password."""
    name, then = visit.entry("name", 200), local_path(visit.entry("then"))
    limit, address = visit.portal.limit, visit.address
    if visit.portal.options.user_header is not None:
        return visit.see_other("/")
    if limit.is_over(name, address):
        return visit.login_page(429, "too-many", name, then)
    password = (visit.form.get("password") or ("",))[0]
    try:
        secret = visit.sessions.log_in(name, password)
    except Refused:
        limit.failed(name, address)
        return visit.login_page(403, "wrong", name, then)
    limit.succeeded(name, address)
    if visit.secret:
        visit.sessions.log_out(visit.secret)
    return visit.log_in(RedirectResponse(then, status_code=303), secret)


@pages.action("/logout", "submissions.acting")
def log_out(visit: Visiting) -> Response:
    """Ends the session."""
    visit.sessions.log_out(visit.secret)
    return visit.log_out(RedirectResponse("/login", status_code=303))


@pages.page("/language/{code}", OPEN)
def speak(visit: Visiting, code: str, then: str = "/") -> Response:
    """Changes the language of the pages."""
    answer = visit.see_other(local_path(then))
    return visit.speak(answer, code) if code in LANGUAGES else answer
