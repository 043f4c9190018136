"""The methods, and the five functions of a request of each."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordermade.methods.shared.sweep import RequestMethod


class _Methods(Mapping[str, "RequestMethod"]):
    """The methods by name, each imported when a request of it comes."""

    _ROOMS: Mapping[str, tuple[str, str]] = {
        "generalization": ("generalization", "GENERALIZATION"),
        "microaggregation": ("microaggregation", "MICROAGGREGATION"),
        "mondrian": ("mondrian", "MONDRIAN"),
        "history": ("histories", "HISTORY"),
    }

    def __getitem__(self, method: str) -> RequestMethod:
        """The functions of the method, from the module of its room."""
        room, name = self._ROOMS[method]
        found: RequestMethod = getattr(importlib.import_module(f"ordermade.methods.{room}.method"), name)
        return found

    def __iter__(self) -> Iterator[str]:
        """The names in order."""
        return iter(self._ROOMS)

    def __len__(self) -> int:
        """The number of methods."""
        return len(self._ROOMS)


METHOD_OF: Mapping[str, RequestMethod] = _Methods()
"""The functions that check, explain and answer the requests of each method."""
