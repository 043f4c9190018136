"""Messages of the outbox: written with the move that they are on, for users with an address alone, and ended once."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import pytest

from ordermade.errors import InputError, Refused
from ordermade.service.mail_address import require_address
from ordermade.service.users import Users
from ordermade.state import mails
from ordermade.state.audit import AUDIT
from ordermade.state.authority import SHELL, OfService, hash_of
from ordermade.state.backup import backup, restore
from ordermade.state.database import StateFile
from ordermade.state.inspection import verify
from ordermade.state.mails import MAILS, MailRow
from ordermade.state.statements import rows
from tests.service_office import Service, clock, made, text

pytestmark = pytest.mark.slow
ADDRESS = "ann.of@mail.example.org"


@pytest.fixture
def service(tmp_path: Path) -> Service:
    found = made(tmp_path)
    for name, role in (("ann", "data-user"), ("bob", "data-user"), ("rei", "reviewer")):
        found.add(name, role)
    found.users.mail("ann", ADDRESS)
    return found


def outbox(service: Service) -> list[MailRow]:
    with service.state.reading() as connection:
        return MAILS.select(connection, order_by=("id",))


def moves(service: Service) -> list[tuple[int | None, str | None]]:
    return [(each.submission_id, each.status) for each in outbox(service)]


def test_a_user_has_mail_when_it_is_their_turn_and_at_the_end(service: Service) -> None:
    number = service.of("ann").submit(text("a")).id
    assert moves(service) == []  # it waits for others
    service.of().propose(number, request=text("b"))
    service.of("ann").accept(number)
    service.of("rei").review(number, "approve")
    assert moves(service) == [(number, "proposed")]
    service.of().run(number)
    service.of().deliver(number)
    assert moves(service) == [(number, "proposed"), (number, "delivered")]
    service.of().withdraw(number)
    refused = service.of("ann").submit(text("c")).id
    service.of().refuse(refused, "no")
    assert moves(service)[2:] == [(number, "withdrawn"), (refused, "refused")]


def test_a_user_has_no_mail_on_own_moves_and_others_without_an_address_none(service: Service) -> None:
    service.of("ann").withdraw(service.of("ann").submit(text("a")).id)
    other = service.of("bob").submit(text("b")).id
    service.of().refuse(other, "no")
    assert moves(service) == []


def test_a_request_that_expires_in_a_step_of_its_user_is_told(service: Service) -> None:
    service.set_policy(expiry="1 days")
    number = service.of("ann").submit(text("a")).id
    with clock() as now:
        now.passed = timedelta(days=2)
        service.of("ann").expire()
    assert moves(service) == [(number, "expired")]


def test_a_move_that_is_refused_writes_no_message(service: Service) -> None:
    number = service.of("ann").submit(text("a")).id
    with patch.object(mails.MAILS.__class__, "insert", side_effect=Refused("no more")), pytest.raises(Refused):
        service.of().refuse(number, "no")
    assert service.of().get(number).submission.status == "predicted"  # the move goes with its message
    assert moves(service) == []


def test_the_service_writes_a_message_for_its_own_submission_alone(service: Service) -> None:
    number = service.of("ann").submit(text("a")).id
    other = service.of("ann").submit(text("b")).id
    state = StateFile(service.state.path, OfService(hash_of(service.tokens["rei"])).of_submission(number))
    for wrong in (
        lambda at: mails.add_of_move(at, other, "refused"),
        lambda at: mails.recipients(at),
        lambda at: rows(at, "state/mail_recipient", submission=other),
        lambda at: MAILS.select(at),
        lambda at: mails.add_list(at, 1),
    ):
        with pytest.raises(Refused), state.writing() as connection:
            wrong(connection)
    with state.writing() as connection:
        mails.add_of_move(connection, number, "refused")
    assert moves(service) == [(number, "refused")]


def test_an_address_is_in_no_list_and_no_audit_and_goes_with_its_user(service: Service) -> None:
    users = service.users
    assert [(each.name, each.has_mail) for each in users.list()] == [("ann", True), ("bob", False), ("rei", False)]
    assert ADDRESS not in repr(users.list())
    with service.state.reading() as connection:
        assert not any(ADDRESS in repr(each) for each in AUDIT.select(connection))
    assert service.unlike_the_audit() == ()
    users.remove("ann")
    assert ADDRESS.encode() not in service.state.path.read_bytes()


def test_an_address_is_removed(service: Service) -> None:
    number = service.of("ann").submit(text("a")).id
    service.of().refuse(number, "no")
    assert not service.users.mail("ann", None).has_mail
    with service.state.writing() as connection:
        assert mails.take(connection) is None
    assert [each.outcome for each in outbox(service)] == [mails.LEFT_OUT]
    assert ADDRESS.encode() not in service.state.path.read_bytes()


@pytest.mark.parametrize(
    "address",
    [
        "ann",
        "@example.org",
        "ann@",
        "ann@example.org\r\nBcc: bob@example.org",
        "ann@example.org\n",
        "ann\r@example.org",
        "ann@example.org>\r\nRCPT TO:<bob@example.org",
        "Ann <ann@example.org>",
        "ann@example.org, bob@example.org",
        "ann @example.org",
        '"a b"@example.org',
        "ann@exa_mple.org",
        "ann@-example.org",
        "änn@example.org",
        "ann@example.org\0",
        "ann..b@example.org",
        f"{'a' * 65}@example.org",
        f"ann@{'a.' * 130}org",
    ],
)
def test_what_is_no_plain_address_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(InputError) as refused:
        require_address(address, "address")
    assert address not in str(refused.value)


@pytest.mark.parametrize("address", ["ann@example.org", "a.b+c@sub.example.co.jp", "o'neil@localhost", "x@1.example"])
def test_a_plain_address_is_taken(address: str) -> None:
    require_address(address, "address")


def test_a_message_that_was_taken_is_due_again_after_a_while(service: Service) -> None:
    service.of().refuse(service.of("ann").submit(text("a")).id, "no")
    with clock() as now:
        with service.state.writing() as connection:
            first = mails.take(connection)
            assert mails.take(connection) is None
        now.passed = mails.TAKEN_FOR
        with service.state.writing() as connection:
            again = mails.take(connection)
            assert mails.take(connection) is None
    assert first is not None
    assert again is not None
    assert (again.row.message_id, again.row.attempts) == (first.row.message_id, 2)
    assert (again.to.name, again.to.address) == ("ann", ADDRESS)


def test_what_is_not_accepted_is_tried_later_and_later_and_given_up_after_a_day(service: Service) -> None:
    service.of().refuse(service.of("ann").submit(text("a")).id, "no")
    tries = []
    with clock() as now:
        while now.passed < timedelta(days=2):
            with service.state.writing() as connection:
                taken = mails.take(connection)
                if taken is not None:
                    tries.append(now.passed)
                    mails.put_off(connection, taken.row)
            now.passed += timedelta(minutes=1)
        assert [each.total_seconds() // 60 for each in tries[:8]] == [0, 1, 3, 7, 15, 31, 63, 123]
        assert max(tries) < mails.GIVEN_UP_AFTER
        assert [each.outcome for each in outbox(service)] == [mails.GIVEN_UP]
        now.passed = mails.KEPT_FOR + timedelta(minutes=1)
        with service.state.writing() as connection:
            mails.forget(connection)
    assert outbox(service) == []
    assert verify(service.state.path, SHELL) == ()


def test_a_restore_sends_nothing_again_and_brings_no_address_back(service: Service, tmp_path: Path) -> None:
    service.of().refuse(service.of("ann").submit(text("a")).id, "no")
    kept = tmp_path / "kept.sqlite"
    backup(service.state.path, kept, SHELL)
    with service.state.writing() as connection:
        taken = mails.take(connection)
        assert taken is not None
        mails.end(connection, taken.row.id, mails.SENT)
    service.users.mail("ann", None)
    restore(service.state.path, kept, SHELL)
    with service.state.writing() as connection:
        assert mails.take(connection) is None
    assert [each.outcome for each in outbox(service)] == [mails.SENT]
    assert not any(each.has_mail for each in Users(service.state, service.users.credential).list())
    assert verify(service.state.path, SHELL) == ()
