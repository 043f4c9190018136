"""The encodings that can be named: every codec of Python from bytes to text."""

from __future__ import annotations

import codecs

from ordermade.errors import InputError, quoted

AUTO = "auto"
_NO_ENCODINGS = frozenset(
    {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "unicode-escape", "raw-unicode-escape"}
    | {"undefined", "charmap", "mbcs", "oem"}
)
"""Codecs that Python calls text encodings, and that no file is written in (or another one on each machine)."""


def named_encoding(name: str, where: str = "--encoding") -> str:
    """The one name of an encoding, `cp1252` for `Windows-1252`; `auto` stays `auto`. Raises InputError."""
    if name.strip().lower() == AUTO:
        return AUTO
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        raise _unknown(f"unknown encoding {quoted(name)}", where) from None
    is_text = getattr(found, "_is_text_encoding", True) and found.incrementaldecoder is not None
    if not is_text or found.name in _NO_ENCODINGS:
        raise _unknown(f"{quoted(name)} is a codec of Python, but no encoding of text files", where)
    return found.name


def _unknown(what: str, where: str) -> InputError:
    step = (
        "Name one that Python knows, such as utf-8, utf-16, cp932, euc_jp, cp1252, latin-1, cp1250 or koi8_r; or auto."
    )
    return InputError(what, where=where, next_step=step)
