"""A form as a browser sent it: its fields, and its files, which are in memory alone.

Of a file its bytes and the ending of its name are known: the name is no path here, and is shown nowhere.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from fastapi import Request
from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers
from starlette.formparsers import MultiPartException, MultiPartParser

from ordermade.portal.guard import LARGEST_BODY

_URLENCODED, _MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
_MOST_FIELDS = 1_000
_MOST_FILES = 10
_BOUNDARY = re.compile(rb"[0-9A-Za-z'()+_,./:=?-]{1,70}")
"""The boundaries of RFC 2046, without those that have spaces, which no browser writes."""
_ENDING = re.compile(r"\.([A-Za-z0-9]{1,10})\Z")


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file of a form: its content, and the ending of its name in small letters, `yaml`; empty where it has none."""

    content: bytes = field(repr=False)
    ending: str


@dataclass(frozen=True, slots=True)
class SentForm:
    """The fields of a form by name, each as often as it was sent, and its files."""

    fields: Mapping[str, Sequence[str]]
    files: Mapping[str, Sequence[UploadedFile]]


_NO_FORM = SentForm({}, {})
logging.getLogger("python_multipart").addHandler(logging.NullHandler())  # what is broken is no news of the server


async def form_of(request: Request) -> SentForm:
    """The form of a request; an empty one where it is no form or a broken one, which then has no token either."""
    if request.method != "POST":
        return _NO_FORM
    kind, options = parse_options_header(request.headers.get("content-type", "").encode("latin-1"))
    try:
        if kind == _URLENCODED.encode():
            return SentForm(_fields((await request.body()).decode("utf-8")), {})
        if kind == _MULTIPART.encode() and _BOUNDARY.fullmatch(options.get(b"boundary", b"")):
            return await _multipart(request, options[b"boundary"].decode())
    except (ValueError, MultiPartException):
        pass
    return _NO_FORM


def _fields(body: str) -> Mapping[str, Sequence[str]]:
    return parse_qs(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS, encoding="utf-8", errors="strict")


class _WholeForm(MultiPartParser):
    """A parser that writes no file to a disk, and knows whether the last boundary came."""

    spool_max_size = LARGEST_BODY
    is_whole = False

    def on_end(self) -> None:
        self.is_whole = True


async def _multipart(request: Request, boundary: str) -> SentForm:
    """A form of several parts. Raises MultiPartException for a broken one, ValueError for texts that are not UTF-8."""
    # The parser takes each byte for a character, whatever the sender calls the encoding: texts are decoded here.
    headers = Headers({"content-type": f'{_MULTIPART}; charset=latin-1; boundary="{boundary}"'})
    parser = _WholeForm(
        headers, request.stream(), max_files=_MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=LARGEST_BODY
    )
    form = await parser.parse()
    try:
        if not parser.is_whole:
            raise MultiPartException("the form ends before its last boundary")
        fields: dict[str, list[str]] = {}
        files: dict[str, list[UploadedFile]] = {}
        for name, part in form.multi_items():
            if isinstance(part, str):
                fields.setdefault(_text(name), []).append(_text(part))
                continue
            found = UploadedFile(await part.read(), _ending(part.filename or ""))
            if part.filename or found.content:  # a browser sends a field without a file as one without a name
                files.setdefault(_text(name), []).append(found)
    finally:
        await form.close()
    return SentForm(fields, files)


def _text(latin: str) -> str:
    return latin.encode("latin-1").decode("utf-8")


def _ending(name: str) -> str:
    found = _ENDING.search(name)
    return found[1].lower() if found else ""
