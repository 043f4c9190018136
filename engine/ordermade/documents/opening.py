"""The version that every document begins with."""

from __future__ import annotations

from typing import Final

FORMAT: Final = "ordermade-output/1"
"""The version of all documents. Further keys leave it as it is; a key that goes, or means another thing, raises it."""
