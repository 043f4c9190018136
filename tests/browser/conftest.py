"""The browser of the tests, started once; without one they are skipped with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.browser import NoBrowser, started

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser. Skips where there is none, or it does not start."""
    try:
        with started() as found:
            yield found
    except NoBrowser as none:
        pytest.skip(str(none))
