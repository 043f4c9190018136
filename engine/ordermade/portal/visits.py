"""A visit: who looks at a page, in which language, and the answer that it becomes."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any
from urllib.parse import urlencode, urlsplit

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from ordermade.engine import Engine
from ordermade.errors import InputError, Refused
from ordermade.files.templates import templates_of
from ordermade.phrases import phrase
from ordermade.portal.forms import SentForm, UploadedFile, form_of
from ordermade.portal.login_limit import LoginLimit
from ordermade.portal.options import PortalOptions
from ordermade.portal.words import PORTAL, PortalWords
from ordermade.progress.waiting import Silent
from ordermade.reports.language import LANGUAGES, Language
from ordermade.service.permissions import permits
from ordermade.service.sessions import BrowserSessions, UsedSession
from ordermade.service.user_engine import of_visit
from ordermade.state.database import SharedConnection, shared_connection

_LOCALE_COOKIE = "ordermade_language"
_LOGIN_COOKIE = "ordermade_login"


class NotLoggedIn(Exception):
    """A visit of a page for users has no session."""


class Forbidden(Exception):
    """The user may not, or a form was not one of the portal's own."""


@dataclass(frozen=True, slots=True)
class Portal:
    """What every visit shares: the options, the sessions and the bound on tries to log in."""

    options: PortalOptions
    sessions: BrowserSessions
    limit: LoginLimit = field(default_factory=LoginLimit)

    @property
    def cookie(self) -> str:
        """The name of the session's cookie: one that by TLS alone may be set, where there is TLS."""
        return "__Host-ordermade" if self.options.is_secure else "ordermade"


@dataclass(slots=True)
class Visit:
    """One visit of a page. `secret`: the id of its session; `begun`: whether the visit began it.

    `connection`: to the state, which the calls of its page share; None: each opens one of its own.
    """

    request: Request
    portal: Portal
    form: Mapping[str, Sequence[str]] = field(default_factory=dict)
    files: Mapping[str, Sequence[UploadedFile]] = field(default_factory=dict)
    session: UsedSession | None = None
    secret: str = ""
    begun: bool = False
    connection: SharedConnection | None = None
    _engine: Engine | None = None

    @property
    def id(self) -> str:
        """The id of the visit, which the log and the audit have."""
        found: str = self.request.state.visit
        return found

    @property
    def language(self) -> str:
        """The language of the page: the one that was chosen, else that of the browser."""
        chosen = self.request.cookies.get(_LOCALE_COOKIE, "")
        return chosen if chosen in LANGUAGES else _preferred(self.request.headers.get("accept-language", ""))

    @property
    def user(self) -> UsedSession:
        """The session. Raises NotLoggedIn."""
        if self.session is None:
            raise NotLoggedIn
        return self.session

    @property
    def engine(self) -> Engine:
        """An engine that acts for the user of the session, and for nobody else. Raises NotLoggedIn."""
        if self.session is None:
            raise NotLoggedIn
        if self._engine is None:
            options = self.portal.options
            engine = Engine(
                state=options.state,
                wait_seconds=options.wait_seconds,
                progress=Silent(),
                token=self.secret,
                _shared=self.connection,
            )
            self._engine = of_visit(engine, self.id)
        return self._engine

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Until the end of the block the calls of the page share one connection to the state."""
        with shared_connection() as self.connection:
            yield

    def recall(self) -> None:
        """Looks up the session of the browser, its user and roles with it, as they are now."""
        secret = self.request.cookies.get(self.portal.cookie, "")
        self.session = self.sessions.use(secret) if secret else None
        self.secret = secret if self.session is not None else ""

    def enter(self) -> None:
        """Looks up the session; one begins where a trusted proxy names another user. Raises Forbidden."""
        self.recall()
        header = self.portal.options.user_header
        if header is None:
            return
        named = self.request.headers.get(header, "")
        if self.session is not None and self.session.actor.name == named:
            return
        try:
            self.secret = self.sessions.enter(named)
        except Refused:
            raise Forbidden from None
        self.session, self.begun = self.sessions.use(self.secret), True

    @property
    def sessions(self) -> BrowserSessions:
        """The sessions of the portal, as they begin and end in this visit."""
        return self.portal.sessions.of_visit(self.id, self.connection)

    @property
    def address(self) -> str:
        """The address that the visit comes from, as far as it is known."""
        peer = self.request.client.host if self.request.client else None
        if self.portal.options.is_trusted(peer):
            forwarded = self.request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
            if forwarded:
                return forwarded[:100]
        return peer or "socket"

    @property
    def csrf(self) -> str:
        """The token of the forms of this session."""
        return _mac(self.secret, "form")

    def entry(self, name: str, most: int = 2_000) -> str:
        """A field of the form, without spaces around it; empty where it is not there. Raises InputError."""
        given = self.form.get(name, ("",))
        found = given[0].strip()
        if (
            len(given) != 1
            or len(found) > most
            or any(not each.isprintable() and each not in "\r\n\t" for each in found)
        ):
            raise InputError(
                phrase("a field of the form is not as the page has it"), where=name, next_step=phrase("Load it again.")
            )
        return found

    def number(self, name: str) -> int:
        """A whole number of the form. Raises InputError."""
        found = self.entry(name, 18)
        if not found.isascii() or not found.isdecimal():
            raise InputError(
                phrase("a field of the form is no number"), where=name, next_step=phrase("Load the page again.")
            )
        return int(found)

    def upload(self, name: str, endings: Sequence[str]) -> UploadedFile | None:
        """The file of a field; None where none was chosen. Raises InputError for several, and another ending."""
        given = self.files.get(name, ())
        if len(given) > 1:
            raise InputError(phrase("one file is sent at a time"), where=name, next_step=phrase("Choose one."))
        if any(self.form.get(name, ())):
            raise InputError(
                phrase("a file is sent as one, not as a text"), where=name, next_step=phrase("Load the page again.")
            )
        if not given:
            return None
        if given[0].ending not in endings:
            listed = ", ".join(f".{each}" for each in endings)
            raise InputError(
                phrase("the name of the file does not end in %(listed)s", listed=listed),
                where=name,
                next_step=phrase("Choose another."),
            )
        return given[0]

    def page(self, template: str, status: int = 200, **figures: Any) -> Response:
        """The page of a template."""
        say = Language.of(self.language, catalogue=PORTAL)
        shown = (
            templates_of("ordermade.portal")
            .get_template(template)
            .render(
                say=say,
                _=say.text,
                ngettext=say.plural,
                value=say.value,
                words=PortalWords(say, self.session.actor.name if self.session else ""),
                names_of=lambda found: [say.value(each.name) for each in found],
                visit=self,
                path=self.request.scope["path"],
                here=self.request.scope["path"] if self.request.method == "GET" else "/",
                languages=LANGUAGES,
                may=self._may,
                **figures,
            )
        )
        return self.answered(HTMLResponse(shown, status_code=status))

    def see_other(self, path: str) -> Response:
        """The answer to a form: another page."""
        return self.answered(RedirectResponse(path, status_code=303))

    def answered(self, response: Response) -> Response:
        """The answer, with the cookie of a session that the visit began."""
        if self.begun:
            self._set(response, self.portal.cookie, self.secret)
        return response

    def log_in(self, response: Response, secret: str) -> Response:
        """The answer, with the cookie of a session that begins with it."""
        self._set(response, self.portal.cookie, secret)
        response.delete_cookie(_LOGIN_COOKIE, path="/login")
        return response

    def log_out(self, response: Response) -> Response:
        """The answer, which takes the cookie away."""
        self.begun = False
        self._set(response, self.portal.cookie, "", 0)
        return response

    def speak(self, response: Response, language: str) -> Response:
        """The answer, after which pages are in another language."""
        self._set(response, _LOCALE_COOKIE, language, 31_536_000)
        return response

    def login_page(self, status: int = 200, problem: str = "", name: str = "", then: str = "/") -> Response:
        """The form to log in, with a token of its own."""
        own = secrets.token_urlsafe(16)
        response = self.page(
            "login.html.j2", status, problem=problem, name=name, then=local_path(then), token=_mac(own, "login")
        )
        response.set_cookie(
            _LOGIN_COOKIE, own, path="/login", httponly=True, secure=self.portal.options.is_secure, samesite="strict"
        )
        return response

    def is_own_form(self) -> bool:
        """Whether a form was sent from a page of the portal to this user, or to whoever logs in."""
        if self.request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return False
        origin = self.request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != self.request.headers.get("host"):
            return False
        own = self.request.cookies.get(_LOGIN_COOKIE, "") if self.request.scope["path"] == "/login" else self.secret
        expected = _mac(own, "login" if self.request.scope["path"] == "/login" else "form")
        given = (self.form.get("token") or ("",))[0]
        return bool(own) and hmac.compare_digest(given.encode(), expected.encode())

    def _may(self, call: str) -> bool:
        """Whether a link to what makes this call of the library is shown."""
        return self.session is not None and permits(call, self.session.actor)

    def _set(self, response: Response, name: str, text: str, seconds: int | None = None) -> None:
        response.set_cookie(
            name, text, max_age=seconds, path="/", httponly=True, secure=self.portal.options.is_secure, samesite="lax"
        )


async def visitor(request: Request, sent: Annotated[SentForm, Depends(form_of)]) -> Visit:
    """The visit of a request, before it has a session."""
    return Visit(request, request.app.state.portal, sent.fields, sent.files)


Visiting = Annotated[Visit, Depends(visitor)]
"""The parameter of a page."""


def local_path(text: str) -> str:
    """A path of the portal itself; `/` in the place of any other address."""
    is_local = text.startswith("/") and not text.startswith(("//", "/\\")) and text.isprintable() and "\\" not in text
    return text if is_local else "/"


def login_path(then: str) -> str:
    """The page to log in, which goes on to another."""
    return "/login" if local_path(then) == "/" else f"/login?{urlencode({'then': then})}"


def _preferred(accepted: str) -> str:
    for each in accepted.split(","):
        code = each.partition(";")[0].strip().lower().partition("-")[0]
        if code in LANGUAGES:
            return code
    return "en"


def _mac(secret: str, purpose: str) -> str:
    return hmac.new(secret.encode(), f"ordermade {purpose}".encode(), hashlib.sha256).hexdigest()
