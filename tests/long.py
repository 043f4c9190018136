"""How much a long test does: a sample in the suite, everything in `make long`."""

from __future__ import annotations

import os


def rounds(sample: int, everything: int) -> int:
    """The number of rounds of a test marked `long`: `everything` where ORDERMADE_LONG is set, else the `sample`."""
    return everything if os.environ.get("ORDERMADE_LONG") else sample
