"""Passwords of the portal: hashed by Argon2id, which is slow on purpose, and verified alike whoever is named."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ordermade.errors import InputError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

FEWEST = 12
"""The fewest characters of a password."""
MOST = 1024
"""The most characters of a password: hashing takes time by its length, too."""


def hash_of_password(password: str) -> str:
    """The Argon2id hash of a new password, with its salt and costs.

    Raises InputError for one that is too short or too long, or where the extra `portal` is not installed.
    """
    if not FEWEST <= len(password) <= MOST:
        raise InputError(f"a password has {FEWEST} to {MOST:,} characters", next_step="Choose another.")
    return _hasher().hash(password)


def is_password(hashed: str | None, password: str) -> bool:
    """Whether a password is the one of a hash; it takes as long where there is no hash, and is False then."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        _hasher().verify(hashed or _hash_of_nobody(), password[:MOST])
    except (InvalidHashError, VerificationError):
        return False
    return hashed is not None


@cache
def _hasher() -> PasswordHasher:
    """The costs of RFC 9106 for 64 MiB, in one thread: a password leaves the other cores to the pages."""
    try:
        from argon2 import PasswordHasher
    except ImportError:
        raise InputError(
            "argon2-cffi is not installed", next_step="Install it: pip install 'ordermade[portal]'."
        ) from None
    return PasswordHasher(parallelism=1)


@cache
def _hash_of_nobody() -> str:
    return _hasher().hash("the password of nobody")
