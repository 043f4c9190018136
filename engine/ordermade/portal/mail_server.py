"""The provider's mail server: where it is, in whose name it is spoken to, and a message handed over to it.

A password is named, and read from the environment when a message is sent: it is in no option and no list of processes.
"""

from __future__ import annotations

import os
import re
import smtplib
import ssl
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from types import MappingProxyType
from urllib.parse import unquote

from ordermade.errors import InputError
from ordermade.service.mail_address import require_address

TIMEOUT = 20.0
"""Seconds for which an answer of the server is waited for."""
_PORTS: Mapping[str, int] = MappingProxyType({"smtp": 25, "smtp+starttls": 587, "smtps": 465})
_LOCATION = re.compile(
    r"(?P<scheme>smtp|smtps|smtp\+starttls)://"
    r"(?:(?P<user>[^\s:/@]+):\$\{(?P<variable>[A-Za-z_][A-Za-z0-9_]*)\}@)?"
    r"(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}))?/?"
)
_LINKS = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?/?")
_PERMANENT = range(500, 600)


class MailRefused(Exception):
    """The server refuses the address for good."""


@dataclass(frozen=True, slots=True)
class MailServer:
    """A server by its `location`, smtps://USER:${NAME}@HOST:PORT, the `sender`, and what `links` to pages begin with.

    `smtps` speaks TLS from the start, `smtp+starttls` before anything is said; neither goes on without, and each checks
    the certificate. `smtp` speaks none, and has no password.
    """

    location: str
    sender: str
    links: str
    _parts: re.Match[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raises InputError for what is no such location, address or link; a password is not repeated."""
        found = _LOCATION.fullmatch(self.location)
        if found is None or (found["port"] is not None and not 0 < int(found["port"]) < 65_536):
            step = "Write smtps://USER:${NAME}@HOST:PORT, with the password in the environment variable NAME."
            raise InputError("this is no server of mail", where="--mail", next_step=step)
        if found["scheme"] == "smtp" and found["user"] is not None:
            step = "Write smtps:// or smtp+starttls://."
            raise InputError("a password would be sent in clear", where="--mail", next_step=step)
        require_address(self.sender, "--mail-from")
        if _LINKS.fullmatch(self.links) is None:
            step = "Write the address by which browsers reach the portal: https://HOST."
            raise InputError("links cannot begin so", where="--url", next_step=step)
        object.__setattr__(self, "_parts", found)

    def require_password(self) -> None:
        """Raises InputError where the variable with the password is not set."""
        name = self._parts["variable"]
        if name is not None and name not in os.environ:
            what = f"the environment variable {name} is not set"
            raise InputError(what, where="--mail", next_step=f"Set {name}, then run it again.")

    def link(self, path: str) -> str:
        """The address of a page of the portal."""
        return self.links.removesuffix("/") + path

    def send(self, message: EmailMessage, address: str) -> None:
        """Hands a message over. Raises MailRefused, smtplib.SMTPException, OSError, InputError."""
        self.require_password()
        with closing(self._connected()) as smtp:
            if self._parts["user"] is not None:
                smtp.login(unquote(self._parts["user"]), os.environ[self._parts["variable"]])
            try:
                smtp.send_message(message, self.sender, [address])
            except smtplib.SMTPRecipientsRefused as refused:
                if all(code in _PERMANENT for code, _ in refused.recipients.values()):
                    raise MailRefused from None
                raise
            with suppress(smtplib.SMTPException, OSError):  # it has the message
                smtp.quit()

    def _connected(self) -> smtplib.SMTP:
        scheme, host = self._parts["scheme"], self._parts["host"].strip("[]")
        port = int(self._parts["port"] or _PORTS[scheme])
        if scheme == "smtps":
            return smtplib.SMTP_SSL(host, port, timeout=TIMEOUT, context=ssl.create_default_context())
        smtp = smtplib.SMTP(host, port, timeout=TIMEOUT)
        try:
            if scheme == "smtp+starttls":
                smtp.starttls(context=ssl.create_default_context())
        except BaseException:
            smtp.close()
            raise
        return smtp
