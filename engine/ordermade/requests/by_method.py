"""The requests by their method: what a request file may say depends on it."""

from __future__ import annotations

import types
from collections.abc import Mapping

from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.history import HistoryRequest
from ordermade.requests.microaggregation import MicroaggregationRequest
from ordermade.requests.model import Request
from ordermade.requests.mondrian import MondrianRequest

DEFAULT_METHOD = "generalization"

REQUESTS: Mapping[str, type[Request]] = types.MappingProxyType(
    {
        DEFAULT_METHOD: GeneralizationRequest,
        "microaggregation": MicroaggregationRequest,
        "mondrian": MondrianRequest,
        "history": HistoryRequest,
    }
)
"""The kind of request that each `method` makes; the first is what is meant where a request names none."""


def of_other_methods(key: str, kind: type[Request]) -> tuple[str, ...]:
    """The methods whose requests have a key that those of `kind` do not have, in order; none if `kind` has it."""
    if key in kind.model_fields:
        return ()
    return tuple(method for method, each in REQUESTS.items() if key in each.model_fields)
