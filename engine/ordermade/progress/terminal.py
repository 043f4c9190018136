"""The progress of a request as a line on a terminal that changes, and is gone when the request has ended."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from types import TracebackType
from typing import Any, TextIO

from ordermade.progress.so_far import ProgressSoFar
from ordermade.records.cells import columns_of, literal, width_of

_SHOWN_AFTER = 0.2
_SHOWN_EVERY = 0.1
_TICKS_EVERY = 0.5
"""Seconds. A long statement tells nothing: the seconds go on all the same."""
_BAR = 10
"""Columns of the bar."""
_ROOM_OF_FIGURES = 60
"""Columns of a terminal that is wide enough for a bar beside the words."""

ERASED = "\r\x1b[K"
"""Takes the line away, whatever its length: it never reaches the last column."""


class TerminalProgress(ProgressSoFar):
    """A line on stderr that is gone when the request has ended. Use it as a context manager.

    The line has no colour and is never wider than the terminal. Whatever the program prints meanwhile, on stderr or on
    a stdout that is a terminal too, is printed above it.
    """

    def __init__(self) -> None:
        """Nothing is shown before the block begins."""
        super().__init__()
        self._began = self._shown_at = time.monotonic()
        self._words = (self.name, self.figures)
        self._is_shown = False
        self._is_midline = False
        self._depth = 0
        self._ended = threading.Event()
        self._lock = threading.RLock()
        self._stderr: TextIO = sys.stderr
        self._stdout: TextIO | None = None
        self._ticks: threading.Thread | None = None

    def __enter__(self) -> TerminalProgress:
        """The progress itself: a request that takes no time shows nothing. A block within a block has the same line."""
        self._depth += 1
        if self._depth > 1:
            return self
        self._began = time.monotonic()
        self._stderr = sys.stderr
        sys.stderr = _Above(self, self._stderr)
        if sys.stdout is not None and sys.stdout.isatty():
            self._stdout = sys.stdout
            sys.stdout = _Above(self, self._stdout)
        self._ended.clear()
        self._ticks = threading.Thread(target=self._tick, daemon=True)
        self._ticks.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Takes the line away, at the end of the outermost block."""
        self._depth -= 1
        if self._depth:
            return
        self._ended.set()
        if self._ticks is not None:
            self._ticks.join()
        with self._lock:
            self._erase()
            sys.stderr = self._stderr
            if self._stdout is not None:
                sys.stdout = self._stdout

    def write_above(self, stream: TextIO, text: str) -> int:
        """Writes to a stream of the same terminal, where the line was; it comes back below a text that ends a line."""
        with self._lock:
            self._erase()
            written = stream.write(text)
            stream.flush()
            if text:
                self._is_midline = not text.endswith("\n")
            return written

    def _changed(self) -> None:
        now = time.monotonic()
        if now - self._began >= _SHOWN_AFTER and now - self._shown_at >= _SHOWN_EVERY:
            # In the thread of the request: the figures of a search are computed from what it works on.
            self._words = (self.name, self.figures)
            self._draw()

    def _tick(self) -> None:
        while not self._ended.wait(_TICKS_EVERY):
            self._draw()

    def _draw(self) -> None:
        with self._lock:
            if self._is_midline or self._ended.is_set():
                return
            self._shown_at = time.monotonic()
            line = fitted(self._line(width := columns_of(self._stderr)), width - 1)
            with contextlib.suppress(OSError, ValueError):  # the terminal may be gone: the request goes on
                self._stderr.write(f"{ERASED}{line}")
                self._stderr.flush()
            self._is_shown = True

    def _erase(self) -> None:
        if self._is_shown:
            with contextlib.suppress(OSError, ValueError):
                self._stderr.write(ERASED)
                self._stderr.flush()
            self._is_shown = False

    def _line(self, width: int) -> str:
        seconds = int(time.monotonic() - self._began)
        name, figures = self._words
        parts = [f"{seconds // 60}:{seconds % 60:02}", name]
        if self.left is not None and self.most_left and width >= _ROOM_OF_FIGURES:
            done = round(_BAR * (self.most_left - self.left) / self.most_left)
            parts.append(f"[{'#' * done}{'.' * (_BAR - done)}]")
        return literal("  ".join([*parts, figures])).replace("\n", " ")


class _Above:
    """A stream whose text is printed above the line of a progress; in all else it is the stream itself."""

    def __init__(self, progress: TerminalProgress, stream: TextIO) -> None:
        self._progress, self._stream = progress, stream

    def write(self, text: str) -> int:
        return self._progress.write_above(self._stream, text)

    def writelines(self, lines: Any) -> None:
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def fitted(text: str, columns: int) -> str:
    """The text, cut off with `…` where it is wider than so many columns of a terminal."""
    if width_of(text) <= columns:
        return text
    kept = text
    while width_of(kept) > columns - 1:
        kept = kept[:-1]
    return f"{kept}…"
