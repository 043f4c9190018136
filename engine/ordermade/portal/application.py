"""The application of the portal, for a server of ASGI."""

from __future__ import annotations

import logging
from collections.abc import Mapping, MutableMapping
from functools import partial
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from ordermade.errors import InputError, OrdermadeError, Refused, ReleaseFault, SourceFault, StateFault, UnknownName
from ordermade.portal import (
    catalogue_pages,
    comment_pages,
    entrance,
    hierarchy_pages,
    offer_pages,
    public_pages,
    release_pages,
    request_pages,
    review_pages,
)
from ordermade.portal.guard import AsgiApplication, PortalGuard
from ordermade.portal.options import PortalOptions
from ordermade.portal.routing import OPEN, DeclaredPage, Pages, PageThreads
from ordermade.portal.visits import Forbidden, NotLoggedIn, Portal, Visit, Visiting, login_path
from ordermade.portal.words import PROBLEMS, message_of
from ordermade.service.sessions import BrowserSessions
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile

PAGES: tuple[Pages, ...] = (
    entrance.pages,
    catalogue_pages.pages,
    hierarchy_pages.pages,
    request_pages.pages,
    review_pages.pages,
    offer_pages.pages,
    comment_pages.pages,
    public_pages.pages,
    release_pages.pages,
)
"""Every page of the portal."""

_STATIC: Mapping[str, str] = MappingProxyType(
    {"portal.css": "text/css", "portal.js": "text/javascript", "portal.svg": "image/svg+xml"}
)
"""The files that pages load, with their kinds."""
_LOG = logging.getLogger("ordermade.portal")


def application(options: PortalOptions) -> FastAPI:
    """The portal on a state. Raises StateFault where the state cannot be opened."""
    state = StateFile(options.state, SHELL, options.wait_seconds)
    with state.reading():
        pass
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    portal = app.state.portal = Portal(options, BrowserSessions(state))
    threads = PageThreads()
    for each in declared():
        each.add_to(app, threads)
    for kind, answer in _ANSWERS.items():
        app.add_exception_handler(kind, answer)
    app.add_middleware(PortalGuard, options=options, failed=partial(_failed, portal))
    return app


def declared() -> tuple[DeclaredPage, ...]:
    """Every page with its rule, in the order in which they are tried."""
    return tuple(each for pages in (*PAGES, _static()) for each in pages.declared)


def _static() -> Pages:
    pages = Pages()
    for name, kind in _STATIC.items():
        content = (files("ordermade.portal") / "static" / name).read_bytes()
        pages.page(f"/static/{name}", OPEN)(partial(_file, content, kind))
    return pages


def _file(content: bytes, kind: str, visit: Visiting) -> Response:
    return visit.answered(Response(content, media_type=kind, headers={"cache-control": "max-age=3600"}))


def _failed(portal: Portal, scope: MutableMapping[str, Any], status: int) -> AsgiApplication:
    """The error page of a status, in which nothing is said but that, and the id of the visit."""
    return _problem(Visit(Request(dict(scope)), portal), status)


def _problem(visit: Visit, status: int, detail: str = "", problems: tuple[str, ...] = ()) -> Response:
    status = status if status in PROBLEMS else 500 if status >= 500 else 400
    heading, sentence = PROBLEMS[status]
    shown = {"heading": heading, "sentence": sentence, "detail": detail, "problems": problems}
    return visit.page("problem.html.j2", status, code=status, id=visit.id, **shown)


def _visit(request: Request) -> Visit:
    """The visit of an error page, with the session where it is still one."""
    visit = Visit(request, request.app.state.portal)
    visit.recall()
    return visit


def _to_log_in(request: Request, _: Exception) -> Response:
    then = request.scope["path"] if request.method == "GET" else "/"
    return _visit(request).see_other(login_path(then))


def _forbidden(request: Request, _: Exception) -> Response:
    return _problem(_visit(request), 403)


def _malformed(request: Request, _: Exception) -> Response:
    return _problem(_visit(request), 404)


def _of_http(request: Request, error: Exception) -> Response:
    return _problem(_visit(request), error.status_code if isinstance(error, HTTPException) else 500)


def _of_library(request: Request, error: Exception) -> Response:
    """What the library refuses, in its own words where they are a user's; the rest by its class in the log alone."""
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)
    if status >= 500:
        fields = {"event": "failed", "visit": request.state.visit, "error": type(error).__name__}
        _LOG.error("failed", extra=fields)
        visit = _visit(request)
        is_for_provider = visit.session is not None and visit.session.actor.is_provider
        return _problem(visit, status, error.what if is_for_provider and isinstance(error, OrdermadeError) else "")
    if status == 404:
        return _problem(_visit(request), 404)
    problems = tuple(getattr(error, "problems", ()))
    detail = "" if problems or not isinstance(error, OrdermadeError) else message_of(error)
    return _problem(_visit(request), status, detail, problems)


_STATUSES: tuple[tuple[type[OrdermadeError], int], ...] = (
    (UnknownName, 404),
    (InputError, 422),
    (Refused, 409),
    (SourceFault, 503),
    (StateFault, 503),
    (ReleaseFault, 503),
)
"""The status of each kind of error; that of an outage, such as a full disk, has its cause for the provider alone."""

_ANSWERS: dict[type[Exception], Any] = {
    NotLoggedIn: _to_log_in,
    Forbidden: _forbidden,
    RequestValidationError: _malformed,
    HTTPException: _of_http,
    OrdermadeError: _of_library,
}
