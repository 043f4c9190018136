"""The log as lines of JSON."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from ordermade.cli.log import KEYS


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
