"""The methods, each imported when a request of it comes."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordermade.methods.shared.method import Method


class _Methods(Mapping[str, "Method[Any]"]):
    """The methods by name, each imported when a request of it comes."""

    _ROOMS: Mapping[str, tuple[str, str]] = {
        "generalization": ("generalization", "GENERALIZATION"),
        "microaggregation": ("microaggregation", "MICROAGGREGATION"),
        "mondrian": ("mondrian", "MONDRIAN"),
        "history": ("histories", "HISTORY"),
        "table": ("tables", "TABLES"),
    }

    def __getitem__(self, method: str) -> Method[Any]:
        """The method, from the module of its room."""
        room, name = self._ROOMS[method]
        found: Method[Any] = getattr(importlib.import_module(f"ordermade.methods.{room}.method"), name)
        return found

    def __iter__(self) -> Iterator[str]:
        """The names in order."""
        return iter(self._ROOMS)

    def __len__(self) -> int:
        """The number of methods."""
        return len(self._ROOMS)


METHOD_OF: Mapping[str, Method[Any]] = _Methods()
"""The method that checks, explains, answers and sweeps a request, by its name."""
