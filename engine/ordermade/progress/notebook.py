"""The progress of a request as a line beneath the cell of a notebook that runs it.

IPython is not a dependency: it is looked for among the modules that are loaded, and only a notebook has loaded it. The
line is one display of IPython that is updated in place, so that every front end shows it: no widgets are needed.
"""

from __future__ import annotations

import html
import sys
import time
import uuid
from types import TracebackType

from ordermade.progress.so_far import ProgressSoFar
from ordermade.records.cells import literal

_SHOWN_AFTER = 0.5
_SHOWN_EVERY = 0.25
"""Seconds."""


def in_notebook() -> bool:
    """True in the kernel of a notebook, where a display can be updated; false in a plain IPython."""
    loaded = sys.modules.get("IPython")
    shell = None if loaded is None else loaded.get_ipython()
    return getattr(shell, "kernel", None) is not None


class NotebookProgress(ProgressSoFar):
    """A line beneath the cell, shown after half a second and emptied at the end. Use it as a context manager."""

    def __init__(self, after: float = _SHOWN_AFTER, every: float = _SHOWN_EVERY) -> None:
        """Nothing is shown before `after` seconds, nor more often than every so many."""
        super().__init__()
        self._after, self._every = after, every
        self._display = f"ordermade-{uuid.uuid4().hex}"
        self._began = self._last = time.monotonic()
        self._is_shown = False

    def __enter__(self) -> NotebookProgress:
        """The progress itself: a request that takes no time shows nothing."""
        self._began = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Empties the line."""
        if self._is_shown:
            self._show("")

    def _changed(self) -> None:
        now = time.monotonic()
        if now - self._began >= self._after and (not self._is_shown or now - self._last >= self._every):
            self._last = now
            self._show(f"{self.name}, {self.figures}, {now - self._began:.0f} s")

    def _show(self, words: str) -> None:
        from IPython.display import display

        shown = literal(words)
        as_html = f'<span class="tex2jax_ignore mathjax_ignore">{html.escape(shown)}</span>' if shown else ""
        display(  # type: ignore[no-untyped-call]
            {"text/plain": shown, "text/html": as_html},
            raw=True,
            display_id=self._display,
            update=self._is_shown,
        )
        self._is_shown = True
