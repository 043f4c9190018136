"""How pages are declared: each with the call of the library that it makes, or as open to everybody.

There is no other way to add one, so that no page is without a rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI
from fastapi.responses import Response

from ordermade.errors import InputError, Refused
from ordermade.phrases import phrase
from ordermade.portal.visits import Forbidden, Visit
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

    def require(self, visit: Visit) -> None:
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


PAGES_AT_ONCE, FORMS_AT_ONCE = 2, 2
"""The pages, and the forms, that are answered at once.

The interpreter runs one thread at a time: more of them change places at each statement of the state, and all are
answered later. A form waits for others that write to the state, and keeps no thread from pages.
"""


@dataclass(frozen=True, slots=True)
class PageThreads:
    """The threads of a portal in which its pages and its forms are answered; a visit waits for one of them."""

    pages: CapacityLimiter = field(default_factory=partial(CapacityLimiter, PAGES_AT_ONCE))
    forms: CapacityLimiter = field(default_factory=partial(CapacityLimiter, FORMS_AT_ONCE))


@dataclass(frozen=True, slots=True)
class DeclaredPage:
    """A page with its method, its pattern and its rule.

    `at_once`: the most visits that it answers at once, in threads of its own; None: in those of all pages.
    """

    method: str
    path: str
    rule: PageRule
    page: Callable[..., Response]
    at_once: int | None = None

    def add_to(self, app: FastAPI, threads: PageThreads) -> None:
        """Adds it to the application, where its rule comes before it."""
        limiter = threads.forms if self.rule.is_form else threads.pages
        app.add_api_route(
            self.path,
            self._in_thread(CapacityLimiter(self.at_once) if self.at_once else limiter),
            methods=[self.method],
            response_model=None,
            response_class=Response,
        )

    def _in_thread(self, limiter: CapacityLimiter) -> Callable[..., Any]:
        """The page as the server calls it: a thread answers the whole visit, from its session to its page."""

        @wraps(self.page)
        async def answered(**given: Any) -> Response:
            return await to_thread.run_sync(partial(self._answer, **given), limiter=limiter)

        return answered

    def _answer(self, visit: Visit, **given: Any) -> Response:
        """The answer to a visit, whose calls share one connection to the state. Raises as the rule does."""
        with visit.connected():
            visit.enter()
            self.rule.require(visit)
            return self.page(visit=visit, **given)


@dataclass(slots=True)
class Pages:
    """The pages of a module, in their order."""

    declared: list[DeclaredPage] = field(default_factory=list)

    def page(self, path: str, call: str) -> Callable[[_Page], _Page]:
        """A page that is looked at by whoever may make the call, by GET."""
        return self._added("GET", path, PageRule(call, is_form=False))

    def action(self, path: str, call: str, *, file: str = "", at_once: int | None = None) -> Callable[[_Page], _Page]:
        """A form that is sent by whoever may make the call, by POST.

        `file`: its field that takes a file. `at_once`: of a form that takes long, how many threads of its own it has.
        """
        return self._added("POST", path, PageRule(call, is_form=True, file=file), at_once)

    def _added(self, method: str, path: str, rule: PageRule, at_once: int | None = None) -> Callable[[_Page], _Page]:
        def add(page: _Page) -> _Page:
            self.declared.append(DeclaredPage(method, path, rule, page, at_once))
            return page

        return add
