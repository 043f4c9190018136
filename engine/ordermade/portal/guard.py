"""What stands before every page: host names, sizes, headers, and faults that nobody foresaw, of which no word is shown.

Every visit has an id of its own. An error page shows it, and the log has it with the class of the fault alone: a
traceback may hold rows.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from ordermade.portal.options import PortalOptions

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
AsgiApplication: TypeAlias = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]
Failed: TypeAlias = Callable[[MutableMapping[str, Any], int], AsgiApplication]
"""The page of a status, for a scope."""

LARGEST_BODY = 1_000_000
"""The most bytes of a form."""

HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=()",
        "cache-control": "no-store",
    }
)
"""The headers of every answer that says none of its own."""

_PORT = re.compile(r":\d+\Z")
_LOG = logging.getLogger("ordermade.portal")
_LOG.addHandler(logging.NullHandler())  # shown where the log is on alone


@dataclass(frozen=True, slots=True)
class PortalGuard:
    """An ASGI application around the pages."""

    app: AsgiApplication
    options: PortalOptions
    failed: Failed

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answers a visit."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        visit, began = secrets.token_hex(8), time.perf_counter()
        scope.setdefault("state", {})["visit"] = visit
        answer = _Answer(send)
        fault: Exception | None = None
        try:
            await self._pages(scope)(scope, _bounded(receive), answer.send)
        except _TooLarge:
            await self._instead(scope, receive, answer, 413)
        except Exception as error:  # noqa: BLE001 (whatever it is, its words may have rows)
            fault = error
            await self._instead(scope, receive, answer, 500)
        _note(scope, answer.status, time.perf_counter() - began, fault)

    def _pages(self, scope: Mapping[str, Any]) -> AsgiApplication:
        headers = _headers(scope)
        host = _PORT.sub("", headers.get("host", "")).lower()
        if host not in self.options.hosts:
            return self.failed(dict(scope), 400)
        peer = scope["client"][0] if scope.get("client") else None
        if self.options.user_header is not None and not self.options.is_trusted(peer):
            return self.failed(dict(scope), 403)
        size = headers.get("content-length", "0")
        if not size.isdecimal() or int(size) > LARGEST_BODY:
            return self.failed(dict(scope), 413)
        return self.app

    async def _instead(self, scope: MutableMapping[str, Any], receive: Receive, answer: _Answer, status: int) -> None:
        if answer.status is None:
            await self.failed(scope, status)(scope, receive, answer.send)


class _TooLarge(Exception):
    """The body goes on beyond what is read."""


@dataclass(slots=True)
class _Answer:
    """An answer on its way, to which the headers are added; `status`: None before it began."""

    to: Send
    status: int | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            there = {name.lower() for name, _ in message["headers"]}
            added = [(name.encode(), text.encode()) for name, text in HEADERS.items() if name.encode() not in there]
            message = {**message, "headers": [*message["headers"], *added]}
        await self.to(message)


def _bounded(receive: Receive) -> Receive:
    read = 0

    async def bounded() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > LARGEST_BODY:
            raise _TooLarge
        return message

    return bounded


def _headers(scope: Mapping[str, Any]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): text.decode("latin-1") for name, text in scope["headers"]}


def _note(scope: Mapping[str, Any], status: int | None, seconds: float, fault: Exception | None) -> None:
    """Notes a visit in the log: the page by its pattern, which has no number and no name in it."""
    route = scope.get("route")
    fields = {
        "event": "visit",
        "visit": scope["state"]["visit"],
        "page": f"{scope['method']} {getattr(route, 'path', '')}".strip(),
        "status": status,
        "seconds": round(seconds, 6),
        "error": None if fault is None else type(fault).__name__,
    }
    _LOG.log(logging.INFO if fault is None else logging.ERROR, "visit", extra=fields)
