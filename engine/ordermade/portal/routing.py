"""How pages are declared: each with the call of the library that it makes, or as open to everybody.

There is no other way to add one, so that no page is without a rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial, wraps
from inspect import signature
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, FastAPI
from fastapi.responses import Response

from ordermade.errors import InputError, Refused
from ordermade.phrases import phrase
from ordermade.portal.visits import Forbidden, Visit, Visiting
from ordermade.service.permissions import require_call

_Page = TypeVar("_Page", bound=Callable[..., Response])

OPEN = ""
"""The rule of a page that is open to everybody."""


@dataclass(frozen=True, slots=True)
class PageRule:
    """What a page asks for: that its user may make a call of the library (`OPEN`: anybody), and a form of its own.

    `file`: the one field of the form that takes a file; empty where none does.
    """

    call: str
    is_form: bool
    file: str = ""

    def __call__(self, visit: Visiting) -> None:
        """Raises NotLoggedIn, Forbidden, InputError."""
        if self.is_form and self.call != OPEN:
            _ = visit.user  # to log in first
        if self.is_form and not visit.is_own_form():
            raise Forbidden
        try:
            if self.call != OPEN:
                require_call(self.call, visit.user.actor)
        except Refused:
            raise Forbidden from None
        if any(each != self.file for each in visit.files):
            raise InputError(
                phrase("a file was sent in a field that takes none"), next_step=phrase("Load the page again.")
            )


def _connected(page: Callable[..., Response]) -> Callable[..., Response]:
    """The page, the calls of whose visit share one connection to the state."""
    if "visit" not in signature(page).parameters:
        return page

    @wraps(page)
    def connected(*, visit: Visit, **given: Any) -> Response:
        with visit.connected():
            return page(visit=visit, **given)

    return connected


def _bounded(page: Callable[..., Response], at_once: int | None) -> Callable[..., Any]:
    """The page, of whose visits so many are answered at once; the others wait, and keep no thread from other pages."""
    if at_once is None:
        return page
    limiter = CapacityLimiter(at_once)

    @wraps(page)
    async def bounded(**given: Any) -> Response:
        return await to_thread.run_sync(partial(page, **given), limiter=limiter)

    return bounded


@dataclass(frozen=True, slots=True)
class DeclaredPage:
    """A page with its method, its pattern and its rule; `at_once`: the most visits that it answers at once."""

    method: str
    path: str
    rule: PageRule
    page: Callable[..., Response]
    at_once: int | None = None

    def add_to(self, app: FastAPI) -> None:
        """Adds it to the application, where its rule comes before it."""
        options: dict[str, Any] = {"response_model": None, "response_class": Response}
        app.add_api_route(
            self.path,
            _bounded(_connected(self.page), self.at_once),
            methods=[self.method],
            dependencies=[Depends(self.rule)],
            **options,
        )


@dataclass(slots=True)
class Pages:
    """The pages of a module, in their order."""

    declared: list[DeclaredPage] = field(default_factory=list)

    def page(self, path: str, call: str) -> Callable[[_Page], _Page]:
        """A page that is looked at by whoever may make the call, by GET."""
        return self._added("GET", path, PageRule(call, is_form=False))

    def action(self, path: str, call: str, *, file: str = "", at_once: int | None = None) -> Callable[[_Page], _Page]:
        """A form that is sent by whoever may make the call, by POST; others than `at_once` of them wait.

        `file`: its field that takes a file.
        """
        return self._added("POST", path, PageRule(call, is_form=True, file=file), at_once)

    def _added(self, method: str, path: str, rule: PageRule, at_once: int | None = None) -> Callable[[_Page], _Page]:
        def add(page: _Page) -> _Page:
            self.declared.append(DeclaredPage(method, path, rule, page, at_once))
            return page

        return add
