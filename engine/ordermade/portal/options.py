"""The options of a portal: its state, its names, and the peers that it trusts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ordermade.errors import InputError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""The names by which a browser of the same machine calls the portal."""

UNIX_SOCKET = "unix"
"""The peer whose requests come by the socket."""


@dataclass(frozen=True, slots=True)
class PortalOptions:
    """What a portal serves, to whom.

    `state`: the file of the state. `names`: the host names that a request may ask for beside those of the loopback;
    with one of them a proxy speaks TLS in front, and cookies go by TLS alone. `proxies`: the addresses of the peers
    whose headers are believed, or `unix`. `user_header`: the header in which they name the user who was let in; None:
    users log in by password. `sends_mail`: whether its worker sends mail.
    """

    state: Path
    names: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    user_header: str | None = None
    wait_seconds: float = 30.0
    sends_mail: bool = False

    def __post_init__(self) -> None:
        """Raises InputError for a header that no peer is trusted with."""
        if self.user_header is not None and not self.proxies:
            raise InputError(
                "a header names the user, and no proxy is trusted with it",
                where="--user-header",
                next_step="Name the proxy: --proxy ADDRESS.",
            )

    @property
    def hosts(self) -> frozenset[str]:
        """Every host name that a request may ask for, in small letters."""
        return frozenset(each.lower() for each in (*LOOPBACK, *self.names))

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach it by TLS."""
        return bool(self.names)

    def is_trusted(self, peer: str | None) -> bool:
        """Whether the headers of a peer are believed: its address; None by a socket."""
        return (UNIX_SOCKET if peer is None else peer) in self.proxies
