"""The engine's log on stderr: as text for a reader, or a line of JSON for each event.

A line of JSON has a fixed list of keys, none of which can have a value or a path of a person: statements are named by
their purpose, and errors by their code.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from ordermade.documents.error import command_of
from ordermade.errors import InputError

LOG_VARIABLE = "ORDERMADE_LOG"
LOG_LEVELS = ("debug", "info", "json")

KEYS = (
    *("event", "command", "request", "seconds", "statement", "on", "exit_status", "error"),
    *("visit", "page", "status"),
    *("mail", "attempts"),
)
"""The keys of a line of JSON after its time and level."""


class Log:
    """The log of one command: off until it is `started`."""

    level = ""
    began = 0.0
    _handler: logging.Handler | None = None

    @property
    def debugging(self) -> bool:
        """Whether errors of the program are to be shown with all they say."""
        return self.level == "debug"

    def start(self, level: str, where: str) -> None:
        """Sends the log to stderr; an empty level leaves it as it is. Raises InputError for an unknown level."""
        level = level.lower()
        if level and level not in LOG_LEVELS:
            raise InputError(
                f"'{level}' is not a level of the log", where=where, next_step=f"Known: {', '.join(LOG_LEVELS)}."
            )
        if level and level != self.level:
            self.stop()
            self._send(level)

    def _send(self, level: str) -> None:
        self.level, self.began = level, time.perf_counter()
        self._handler = logging.StreamHandler()
        if level == "json":
            self._handler.setFormatter(JsonLines())
        else:
            self._handler.addFilter(logging.Filter("ordermade.sql"))
            self._handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s"))
        log = logging.getLogger("ordermade")
        log.addHandler(self._handler)
        log.setLevel("DEBUG" if level == "json" else level.upper())

    def failed(self, code: str) -> None:
        """Notes the code of an error."""
        self._note("ERROR", {"event": "failed", "error": code})

    def ended(self, arguments: Sequence[str], status: int) -> None:
        """Notes how the command ended."""
        if self.level == "json":
            seconds = round(time.perf_counter() - self.began, 6)
            ended = {"event": "command ended", "command": command_of(arguments)}
            self._note("INFO", {**ended, "seconds": seconds, "exit_status": status})

    def _note(self, level: str, fields: dict[str, object]) -> None:
        if self.level == "json":
            log = logging.getLogger("ordermade.command")
            log.log(logging.getLevelNamesMapping()[level], fields["event"], extra=fields)

    def stop(self) -> None:
        """Ends the log."""
        if self._handler is not None:
            log = logging.getLogger("ordermade")
            log.removeHandler(self._handler)
            log.setLevel(logging.NOTSET)
            self._handler, self.level = None, ""


LOG = Log()
"""The log of the command of this process."""


def start_as_environment_says() -> None:
    """Sends the log to stderr where ORDERMADE_LOG is set. Raises InputError for an unknown level."""
    LOG.start(os.environ.get(LOG_VARIABLE, ""), LOG_VARIABLE)


def checked_log(level: str | None) -> str | None:
    """The level of `--log` itself, once the log is started with it. Raises InputError for an unknown level."""
    if level is not None:
        LOG.start(level or "''", "--log")
    return level


class JsonLines(logging.Formatter):
    """Formats an event as a line of JSON, with the number of the request under way; its message is left out.

    A message may quote SQL with a condition of a request. Keys that an event says nothing of are null.
    """

    def __init__(self) -> None:
        super().__init__()
        self._request: int | None = None

    def format(self, record: logging.LogRecord) -> str:
        """The line of one event."""
        fields = {key: getattr(record, key, None) for key in KEYS}
        self._request = fields["request"] = fields["request"] or self._request
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="microseconds")
        line = {"time": when, "level": record.levelname.lower(), **fields}
        if fields["event"] == "request ended":
            self._request = None
        return json.dumps(line, ensure_ascii=False)
