"""The requests by their method: what a request file may say depends on it."""

from __future__ import annotations

import types
from collections.abc import Mapping

from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.microaggregation import MicroaggregationRequest
from ordermade.requests.model import Request

DEFAULT_METHOD = "generalization"

REQUESTS: Mapping[str, type[Request]] = types.MappingProxyType(
    {DEFAULT_METHOD: GeneralizationRequest, "microaggregation": MicroaggregationRequest}
)
"""The kind of request that each `method` makes; the first is what is meant where a request names none."""


def of_other_method(key: str, kind: type[Request]) -> str:
    """The method whose requests alone have a key that those of `kind` do not have; empty if there is none."""
    if key in kind.model_fields:
        return ""
    return next((method for method, each in REQUESTS.items() if key in each.model_fields), "")
