"""The version of the JSON documents; every document begins with it."""

from __future__ import annotations

from typing import Final

FORMAT: Final = "ordermade-output/1"
"""The version of all documents: it rises when a key goes or changes its meaning, not when a key is added."""
