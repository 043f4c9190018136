"""A policy as the text of a policy file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from ordermade.documents import yaml_text
from ordermade.policies.policy import Policy
from ordermade.requests.numbers import plain


def yaml_of(policy: Policy) -> str:
    """The text of the policy file, without what is left out; read again it is the same policy."""
    return "".join(f"{line}\n" for line in _lines(policy.model_dump(mode="python", exclude_defaults=True)))


def _lines(content: Mapping[str, Any]) -> Iterator[str]:
    for key, value in content.items():
        if isinstance(value, Mapping) and value:
            yield f"{key}:"
            for name, each in value.items():
                yield f"  {_flow(name)}: {_flow(each)}"
        else:
            yield f"{key}: {_flow(value)}"


def _flow(value: Any) -> str:
    match value:
        case Mapping():
            return "{" + ", ".join(f"{_flow(key)}: {_flow(each)}" for key, each in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_flow, value)) + "]"
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case Decimal():
            return plain(value)
        case _:
            return yaml_text(str(value))
