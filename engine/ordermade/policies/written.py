"""A policy as the text of a policy file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ordermade.policies.policy import Policy
from ordermade.requests.written import written


def yaml_of(policy: Policy) -> str:
    """The text of the policy file, without what is left out; read again it is the same policy."""
    return "".join(f"{line}\n" for line in _lines(policy.model_dump(mode="python", exclude_defaults=True)))


def _lines(content: Mapping[str, Any]) -> Iterator[str]:
    for key, value in content.items():
        if isinstance(value, Mapping) and value:
            yield f"{key}:"
            for name, each in value.items():
                yield f"  {written(name)}: {written(each)}"
        else:
            yield f"{key}: {written(value)}"
