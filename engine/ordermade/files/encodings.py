"""The encoding of a file: named by the user, marked in its first bytes, or detected from its text.

The whole file is looked through, a block at a time; what is weighed is a bounded sample of its words beyond ASCII,
each of them once, among them the first that holds each byte.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO

from ordermade.errors import InputError, quoted
from ordermade.files.encoding_candidates import likeliest, near, readings

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


BLOCK = 1 << 20
SAMPLED = 1 << 14
"""The bytes of words beyond ASCII that readings are weighed by, beside the words that show a byte first."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPES = re.compile(rb"\x1b[$(]")
_ISO_2022 = ("iso2022_jp", "iso2022_jp_2", "iso2022_jp_ext", "iso2022_kr")
_WORD_END = re.compile(rb"[\x80-\xff][^\x00-\x2f]*[\x00-\x2f]?")
"""A word from its first byte beyond ASCII, and the byte behind it: up to it no codec's character is cut in two."""
_PARTING = re.compile(rb"[\x00-\x2f]")
_LOOKED_BACK = 64
_ASCII = bytes(range(0x80))

Opened = Callable[[], AbstractContextManager[IO[bytes]]]
"""Opens the bytes anew, from their beginning."""


@dataclass(frozen=True, slots=True)
class Detected:
    """The encoding that some bytes are written in; None where `candidates` read them differently, or none does."""

    encoding: str | None
    candidates: tuple[str, ...] = ()

    @property
    def open_question(self) -> str:
        """Say why a file's encoding is not found, for a message."""
        if not self.candidates:
            return "the file is not text in any encoding that is known"
        return f"the file may be text in {' or '.join(self.candidates)}, which read it differently"


def detected(opened: Opened) -> Detected:
    """The encoding of the bytes, read in blocks, each opening of them closed again."""
    with opened() as file:
        head = file.read(4)
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return Detected(encoding if decodes(opened, encoding) else None)
    escaped, zero, is_utf8 = _looked_through(opened)
    if zero:
        return Detected(None, tuple(each for each in ("utf-16-le", "utf-16-be") if decodes(opened, each)))
    if escaped:
        found = next((each for each in _ISO_2022 if decodes(opened, each)), None)
        return Detected(found)
    if is_utf8:
        return Detected("utf-8")
    return _read_best(opened)


def decodes(opened: Opened, encoding: str) -> bool:
    """True if all the bytes are text in the encoding, none of it the character NUL."""
    try:
        return all("\0" not in text for text in decoded(opened, encoding))
    except UnicodeError:
        return False


def decoded(opened: Opened, encoding: str) -> Iterator[str]:
    """The text, a block at a time. Raises UnicodeError where it is not in the encoding."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="strict")
    with opened() as file:
        while block := file.read(BLOCK):
            yield decoder.decode(block)
        yield decoder.decode(b"", final=True)


def _looked_through(opened: Opened) -> tuple[bool, bool, bool]:
    """Return whether the bytes have escapes of ISO 2022, whether they have zeros, whether they are UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="strict")
    escaped = zero = False
    is_utf8, tail = True, b""
    with opened() as file:
        while block := file.read(BLOCK):
            escaped = escaped or _ESCAPES.search(tail + block) is not None
            zero = zero or b"\0" in block
            tail = block[-1:]
            is_utf8 = is_utf8 and _fits(decoder, block)
    return escaped, zero, is_utf8 and _fits(decoder, b"", final=True)


def _fits(decoder: codecs.IncrementalDecoder, block: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(block, final)
    except UnicodeDecodeError:
        return False
    return True


def _read_best(opened: Opened) -> Detected:
    found = list(readings(sampled(opened)))
    while (best := likeliest(found)) is not None:
        encoding = next((each for each in best.encodings if decodes(opened, each)), None)
        if encoding is not None:
            return Detected(encoding)
        found.remove(best)
    return Detected(None, tuple(each for each in near(found) if decodes(opened, each)))


def sampled(opened: Opened) -> bytes:
    """Different words that go beyond ASCII: the first of them, and the first with each byte, wherever it stands."""
    words: dict[bytes, None] = {}
    taken, seen, rest = 0, set[int](), b""
    with opened() as file:
        while block := file.read(BLOCK):
            block, rest = _whole_words(rest + block)
            new = set(block.translate(None, _ASCII)) - seen
            for word in _words(block) if new or taken < SAMPLED else ():
                if word not in words and (taken < SAMPLED or new.intersection(word)):
                    words[word] = None
                    taken += len(word)
                    new.difference_update(word)
                    seen.update(word)
                elif taken >= SAMPLED and not new:
                    break
    words.update(dict.fromkeys(_words(rest)))
    return b"\n".join(words)


def _words(block: bytes) -> Iterator[bytes]:
    """The words of a block that go beyond ASCII, each with what stands before its first byte there."""
    for match in _WORD_END.finditer(block):
        before = block[max(0, match.start() - _LOOKED_BACK) : match.start()]
        yield _PARTING.split(before)[-1] + match.group()


def _whole_words(block: bytes) -> tuple[bytes, bytes]:
    """The words that are complete, and the one that is begun; a block without an end of a word is taken as it is."""
    at = 1 + max(block.rfind(bytes((each,))) for each in range(0x30))
    return (block[:at], block[at:]) if at else (block, b"")
