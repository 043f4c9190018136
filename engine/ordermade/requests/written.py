"""Plain content as the text of a file that is read again: YAML on one line, and whole requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ordermade.files.yaml_documents import yaml_text
from ordermade.requests.model import Request
from ordermade.requests.read import said_by, scalar

_PLAIN = re.compile(r"[^\W\d][\w.-]*( [\w.-]+)*|[0-9]{1,18}(\.[0-9]{1,18})?")


def as_yaml(request: Request) -> str:
    """A request as YAML that reads as the same request, for people to read: a line for each key of it."""
    return "".join(f"{key}: {written(value)}\n" for key, value in said_by(request).items())


def written(value: Any) -> str:
    """A value in YAML on one line, as request files are read: mappings and lists in braces, texts quoted if needed."""
    match value:
        case bool():
            return "true" if value else "false"
        case Mapping():
            return "{" + ", ".join(f"{written(key)}: {written(each)}" for key, each in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(written, value)) + "]"
        case Decimal():
            return f"{value:f}"
        case None:
            return "null"
        case str():
            return value if _PLAIN.fullmatch(value) and scalar(value) == value else yaml_text(value)
        case _:
            return str(value)
