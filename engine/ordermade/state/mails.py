"""Mail to users in the state: written in the transaction of the move that it is on, taken and ended by who sends it.

A message that is taken is due again after `TAKEN_FOR`: where its sender is killed before it notes the end, it is sent
again, under the same Message-ID. Nothing is written for users without an address.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ordermade.state.statements import rows, utc_now, without_zone
from ordermade.state.table import Since, Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

TAKEN_FOR = timedelta(minutes=10)
"""The time after which a message that was taken is due again: more than a try takes."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)
"""The time before a message that was not accepted is tried again: twice as long each time."""
GIVEN_UP_AFTER = timedelta(days=1)
"""The age at which a message is not tried any more."""
KEPT_FOR = timedelta(days=7)
"""The age at which a message is forgotten."""

SENT, GIVEN_UP, LEFT_OUT = "sent", "given up", "left out"
"""How a message ends; left out: its user has no address any more, or nothing waits."""
_ID_BYTES = 16


@dataclass(frozen=True, slots=True)
class MailRow:
    """A message: whom it goes to, and the request it is on; without one, the list of those that wait for a reviewer."""

    id: int
    user_id: int
    submission_id: int | None
    status: str | None
    message_id: str
    made_at: datetime
    due_at: datetime
    attempts: int
    ended_at: datetime | None
    outcome: str | None


MAILS = Table("mails", MailRow, once=("message_id",))


@dataclass(frozen=True, slots=True)
class MailRecipient:
    """A user with an address, to which mail goes."""

    id: int
    name: str
    roles: tuple[str, ...]
    address: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class TakenMail:
    """A message that is about to be sent, and to whom."""

    row: MailRow
    to: MailRecipient


def add_of_move(connection: StateConnection, submission: int, status: str) -> None:
    """Adds the message that a submitted request moved, where its user has an address."""
    for (user,) in rows(connection, "state/mail_recipient", submission=submission):
        _add(connection, int(user), submission, status)


def add_list(connection: StateConnection, user: int) -> None:
    """Adds the message to a reviewer on what waits, which is looked up when it is sent."""
    _add(connection, user, None, None)


def _add(connection: StateConnection, user: int, submission: int | None, status: str | None) -> None:
    now = utc_now()
    MAILS.insert(
        connection,
        user_id=user,
        submission_id=submission,
        status=status,
        message_id=secrets.token_hex(_ID_BYTES),
        made_at=now,
        due_at=now,
        attempts=0,
    )


def recipients(connection: StateConnection) -> tuple[MailRecipient, ...]:
    """The users with an address, by name."""
    found = rows(connection, "state/mail_recipients")
    return tuple(MailRecipient(number, name, tuple(roles), address) for number, name, roles, address in found)


def has_list_since(connection: StateConnection, user: int, since: datetime) -> bool:
    """Whether a list of what waits was made for a reviewer since a moment (UTC, without a zone)."""
    return bool(MAILS.read(connection, ("id",), user_id=user, submission_id=None, made_at=Since(since)))


def is_due(connection: StateConnection) -> bool:
    """Whether a message is due now."""
    found = MAILS.read(connection, ("due_at",), ended_at=None)
    return any(without_zone(moment) <= utc_now() for (moment,) in found)


def take(connection: StateConnection) -> TakenMail | None:
    """The message that is due longest, taken for a while; None where there is none.

    Those past their age are given up before, and those whose user has no address any more left out.
    """
    now = utc_now()
    known = {each.id: each for each in recipients(connection)}
    for row in MAILS.select(connection, ended_at=None, order_by=("due_at", "id")):
        if row.user_id not in known:
            end(connection, row.id, LEFT_OUT)
        elif without_zone(row.made_at) + GIVEN_UP_AFTER <= now:
            end(connection, row.id, GIVEN_UP)
        elif without_zone(row.due_at) <= now:
            (taken,) = MAILS.update(connection, {"id": row.id}, attempts=row.attempts + 1, due_at=now + TAKEN_FOR)
            return TakenMail(taken, known[row.user_id])
    return None


def end(connection: StateConnection, number: int, outcome: str) -> None:
    """Notes how a message ended."""
    MAILS.update(connection, {"id": number}, ended_at=utc_now(), outcome=outcome)


def put_off(connection: StateConnection, row: MailRow) -> None:
    """Leaves a message that was not accepted for a while, longer each time."""
    pause = min(FIRST_PAUSE * 2 ** min(row.attempts - 1, 10), LONGEST_PAUSE)
    MAILS.update(connection, {"id": row.id}, due_at=utc_now() + pause)


def forget(connection: StateConnection) -> None:
    """Takes away the messages past their time, sent or not."""
    before = utc_now() - KEPT_FOR
    MAILS.delete_all(connection, [(row.id,) for row in MAILS.select(connection) if without_zone(row.made_at) < before])
