"""A small SMTP server of the tests: what it was sent, and the answers that it is to give."""

from __future__ import annotations

import base64
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from typing import cast


@dataclass
class Received:
    """A message as it came: the sender and the recipient of the envelope, its bytes, and who had logged in."""

    sender: str
    recipients: list[str]
    content: bytes
    user: str = ""

    @property
    def message(self) -> EmailMessage:
        return cast(EmailMessage, message_from_bytes(self.content, policy=SMTP))

    @property
    def text(self) -> str:
        return str(self.message.get_content()).replace("\r\n", "\n")


@dataclass
class SmtpServer:
    """The server; `answers`: of a command, in place of 250; `hangs_up`: ends the connection once it has a message."""

    port: int
    received: list[Received] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    hangs_up: bool = False
    extensions: tuple[str, ...] = ()

    def spoken_to(self, connection: socket.socket) -> None:
        """Answers the commands of one connection."""
        user, sender, recipients = "", "", list[str]()
        with connection, connection.makefile("rb") as lines:
            say = lambda text: connection.sendall(text.encode() + b"\r\n")  # noqa: E731
            say("220 test")
            for line in lines:
                words = line.decode("ascii", "replace").strip()
                verb = words.partition(" ")[0].upper()
                if verb in self.answers:
                    say(self.answers[verb])
                elif verb == "EHLO":
                    names = ("test", *self.extensions)
                    for place, name in enumerate(names, 1):
                        say(f"250{' ' if place == len(names) else '-'}{name}")
                elif verb == "AUTH":
                    user = base64.b64decode(words.split()[2]).decode().replace("\0", " ").strip()
                    say("235 welcome")
                elif verb == "DATA":
                    say("354 go on")
                    content = b""
                    while (each := lines.readline()) not in (b".\r\n", b""):
                        content += each
                    self.received.append(Received(sender, recipients, content, user))
                    if self.hangs_up:
                        return
                    say("250 taken")
                elif verb == "QUIT":
                    say("221 bye")
                    return
                else:
                    if verb == "MAIL":
                        sender, recipients = words.partition(" ")[2], []
                    if verb == "RCPT":
                        recipients.append(words.partition(" ")[2])
                    say("250 fine")


@contextmanager
def smtp_server(context: ssl.SSLContext | None = None) -> Iterator[SmtpServer]:
    """A server on a port of the loopback, with TLS by a context."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = SmtpServer(listening.getsockname()[1])

        def serve() -> None:
            with suppress(OSError):  # it is over
                while True:
                    connection, _ = listening.accept()
                    with suppress(OSError):  # of one connection
                        if context is not None:
                            connection = context.wrap_socket(connection, server_side=True)
                        server.spoken_to(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(5)
