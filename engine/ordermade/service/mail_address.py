"""Addresses of mail: plain ones alone, so that nothing in one can be read as another header or another command."""

from __future__ import annotations

import re

from ordermade.errors import InputError

LONGEST_ADDRESS = 254
"""Characters of an address."""
_LONGEST_BEFORE = 64
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS = re.compile(rf"({_ATOM}(?:\.{_ATOM})*)@({_LABEL}(?:\.{_LABEL})*)")


def require_address(address: str, where: str) -> None:
    """Raises InputError where a text is no plain address, name@host in ASCII. The message does not repeat it."""
    found = _ADDRESS.fullmatch(address)
    if found is None or len(address) > LONGEST_ADDRESS or len(found[1]) > _LONGEST_BEFORE:
        step = "Write name@host, in ASCII, without quotes, spaces and a name in front."
        raise InputError("this is no address of mail", where=where, next_step=step)


def shortened(address: str) -> str:
    """An address as its user knows it again, and nobody reads it over the user's shoulder: `a…@example.org`."""
    return f"{address[0]}…@{host_of(address)}"


def host_of(address: str) -> str:
    """The host of an address."""
    return address.rpartition("@")[2]
