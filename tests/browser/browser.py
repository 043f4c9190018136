"""Chromium for the tests: found on the PATH, started without a network's services of its own, or a reason why not."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
NOT_INSTALLED = "no browser: "
"""The beginning of the reason where none of NAMES is on the PATH."""
NOT_STARTED = "the browser does not start: "


class NoBrowser(Exception):
    """There is no browser to test with; says why."""


def found() -> str | None:
    """The browser on the PATH; None where there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


@contextmanager
def started() -> Iterator[Browser]:
    """The browser, ended with the block. Raises NoBrowser."""
    path = found()
    if path is None:
        raise NoBrowser(f"{NOT_INSTALLED}none of {', '.join(NAMES)} is on the PATH")
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise NoBrowser(f"{NOT_INSTALLED}Playwright is not installed") from None
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS), timeout=60_000)
        except Error as error:
            raise NoBrowser(f"{NOT_STARTED}{str(error).splitlines()[0]}") from None
        try:
            yield browser
        finally:
            browser.close()


def starts() -> bool:
    """Whether a browser is installed and starts."""
    try:
        with started():
            return True
    except NoBrowser:
        return False
