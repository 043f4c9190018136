"""Plain content as JSON, which is YAML, with every decimal as the number that was written: no float comes between."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ordermade.requests.numbers import plain


def exact_json(content: Any, *, canonical: bool = False) -> str:
    """The JSON of mappings, lists, texts and numbers; whatever is none of these is written as its text.

    `canonical`: without spaces, and with keys by name, so that equal contents have one text.
    """
    comma, colon = (",", ":") if canonical else (", ", ": ")
    match content:
        case Mapping():
            names = sorted(content) if canonical else content
            entries = (f"{_text(each)}{colon}{exact_json(content[each], canonical=canonical)}" for each in names)
            return f"{{{comma.join(entries)}}}"
        case list() | tuple():
            return f"[{comma.join(exact_json(each, canonical=canonical) for each in content)}]"
        case Decimal():
            return plain(content)
        case bool() | int() | None:
            return json.dumps(content)
    return _text(content)


def _text(value: object) -> str:
    return json.dumps(str(value), ensure_ascii=False)
