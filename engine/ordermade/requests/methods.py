"""The methods, and the kind of request that each makes."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping

from ordermade.requests.model import Request

DEFAULT_METHOD = "generalization"
IMPLYING_TABLE = ("rows", "columns", "tables")
"""Keys of which a request for tables has one: it need not name its method."""


class _Kinds(Mapping[str, type[Request]]):
    """The kinds of request by method, each imported when it is first used: a request is of one method."""

    _CLASSES: Mapping[str, str] = {
        DEFAULT_METHOD: "GeneralizationRequest",
        "microaggregation": "MicroaggregationRequest",
        "mondrian": "MondrianRequest",
        "history": "HistoryRequest",
        "table": "TableRequest",
    }

    def __getitem__(self, method: str) -> type[Request]:
        """The kind of the method's requests, from the module of that name."""
        found: type[Request] = getattr(importlib.import_module(f"ordermade.requests.{method}"), self._CLASSES[method])
        return found

    def __iter__(self) -> Iterator[str]:
        """The methods in order."""
        return iter(self._CLASSES)

    def __len__(self) -> int:
        """The number of methods."""
        return len(self._CLASSES)

    def __contains__(self, method: object) -> bool:
        """True if there is such a method; nothing is imported."""
        return method in self._CLASSES


REQUESTS: Mapping[str, type[Request]] = _Kinds()
"""The kind of request that each `method` makes; the first is what is meant where a request names none."""


def of_other_methods(key: str, kind: type[Request]) -> tuple[str, ...]:
    """The methods whose requests have a key that those of `kind` do not have, in order; none if `kind` has it."""
    if key in kind.model_fields:
        return ()
    return tuple(method for method, each in REQUESTS.items() if key in each.model_fields)
