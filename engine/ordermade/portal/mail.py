"""Mail to users on their requests, and once a day to reviewers on what waits: number and state, a link, and no more.

It is sent by the worker process, from the messages that the moves left in the state. A message is taken, sent and
ended: a worker that is killed in between sends it again, under the same Message-ID. No page waits for it.
"""

from __future__ import annotations

import logging
import smtplib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from ordermade.errors import OrdermadeError
from ordermade.portal.mail_server import MailRefused, MailServer
from ordermade.portal.words import PORTAL, STATES
from ordermade.reports.language import LANGUAGES, Language
from ordermade.service.lifecycle import REVIEWER, Actor
from ordermade.service.mail_address import host_of
from ordermade.service.submitted import review_turns
from ordermade.state import mails
from ordermade.state.connection import StateConnection
from ordermade.state.database import StateFile
from ordermade.state.mails import MailRecipient, TakenMail
from ordermade.state.statements import without_zone

LISTS_FROM_HOUR = 7
"""The hour of the day, in the time zone of the machine, from which reviewers have their mail."""
MOST_NUMBERS = 50
"""Numbers of requests in a message at most."""
_LOG = logging.getLogger("ordermade.mail")
_LOG.addHandler(logging.NullHandler())  # shown where the log is on alone


def _local_now() -> datetime:
    return datetime.now().astimezone()


@dataclass(slots=True)
class Mailer:
    """Sends the mail of a state by a server. `clock`: the time, in the time zone of the machine."""

    state: StateFile
    server: MailServer
    clock: Callable[[], datetime] = field(default=_local_now, repr=False)
    _listed_on: date | None = None

    def work(self, goes_on: Callable[[], bool], pause: Callable[[], object]) -> None:
        """Sends for as long as `goes_on` says so; `pause` waits where nothing is due, and where the state is away."""
        while goes_on():
            try:
                is_sent = self.step()
            except Exception as fault:  # noqa: BLE001 (its words may have an address: the class alone is noted)
                _note("mail waits", error=type(fault).__name__)
                is_sent = False
            if not is_sent:
                pause()

    def step(self) -> bool:
        """Sends one message, if one is due; whether one was taken. Raises StateFault."""
        self._make_lists()
        with self.state.reading() as connection:
            if not mails.is_due(connection):
                return False
        with self.state.writing() as connection:
            taken = mails.take(connection)
        if taken is None:
            return False
        outcome = self._handed_over(taken)
        with self.state.writing() as connection:
            if outcome is None:
                mails.put_off(connection, taken.row)
            else:
                mails.end(connection, taken.row.id, outcome)
        return True

    def _handed_over(self, taken: TakenMail) -> str | None:
        """How a message ended; None where it is to be tried again. The log has no word of the server."""
        message, outcome, error = self._message(taken), None, None
        if message is None:
            outcome = mails.LEFT_OUT
        else:
            try:
                self.server.send(message, taken.to.address)
                outcome = mails.SENT
            except MailRefused as refused:
                outcome, error = mails.GIVEN_UP, type(refused).__name__
            except (smtplib.SMTPException, OSError, OrdermadeError) as fault:
                error = type(fault).__name__
        _note(f"mail {outcome or 'put off'}", mail=taken.row.id, attempts=taken.row.attempts, error=error)
        return outcome

    def _message(self, taken: TakenMail) -> EmailMessage | None:
        """The message as it is sent; None where a list has nothing any more."""
        row, path, numbers = taken.row, "/reviews", ""
        if row.submission_id is not None:
            path = f"/requests/{row.submission_id}"
            lines = [_moved(each, row.submission_id, row.status or "") for each in _languages()]
        else:
            with self.state.reading() as connection:
                found = _awaiting(connection, taken.to)
            if not found:
                return None
            lines = [_waiting(each, len(found)) for each in _languages()]
            numbers = ", ".join(map(str, found[:MOST_NUMBERS])) + (", …" if len(found) > MOST_NUMBERS else "")
        parts = ["\n".join(lines), numbers, self.server.link(path)]
        message = EmailMessage(policy=SMTP)
        message["From"], message["To"] = self.server.sender, taken.to.address
        message["Subject"] = " / ".join(lines)
        message["Date"] = format_datetime(without_zone(row.made_at).replace(tzinfo=UTC))
        message["Message-ID"] = f"<{row.message_id}@{host_of(self.server.sender)}>"
        message["Auto-Submitted"] = "auto-generated"
        message.set_content("\n\n".join(each for each in parts if each) + "\n", cte="base64")
        return message

    def _make_lists(self) -> None:
        """Once a day, from its hour on, a message for each reviewer with an address for whom something waits."""
        now = self.clock()
        if now.hour < LISTS_FROM_HOUR or self._listed_on == now.date():
            return
        today = without_zone(now.replace(hour=0, minute=0, second=0, microsecond=0))
        with self.state.writing() as connection:
            for each in mails.recipients(connection):
                is_made = REVIEWER not in each.roles or mails.has_list_since(connection, each.id, today)
                if not is_made and _awaiting(connection, each):
                    mails.add_list(connection, each.id)
            mails.forget(connection)
        self._listed_on = now.date()


def _languages() -> list[Language]:
    return [Language.of(each, markup=False, catalogue=PORTAL) for each in LANGUAGES]


def _awaiting(connection: StateConnection, to: MailRecipient) -> tuple[int, ...]:
    """The numbers of the requests that a reviewer may vote on and did not, the one submitted first at the head."""
    found = review_turns(connection, Actor(to.name, frozenset(to.roles)))
    return tuple(each.submission.id for each in found if not each.voted)


def _moved(say: Language, number: int, status: str) -> str:
    return say.text("Request %(number)s: %(state)s", number=number, state=say.text(STATES[status][0]))


def _waiting(say: Language, number: int) -> str:
    return say.plural("%(n)s request waits for your review", "%(n)s requests wait for your review", number)


def _note(event: str, **fields: object) -> None:
    _LOG.log(logging.INFO if fields.get("error") is None else logging.WARNING, event, extra={"event": event, **fields})
