"""The service acting for a submission: of users' rows it reads and writes those of that one, whatever is called."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ordermade.errors import Refused, UnknownName
from ordermade.service.authentication import Credential
from ordermade.service.submissions import Submissions
from ordermade.state import bounds, data_refusals, live_forecasts, policies, submissions, users
from ordermade.state.audit import AUDIT, add_audit_entry, audit_entries
from ordermade.state.authority import SHELL, OfService, hash_of
from ordermade.state.changes import StateChanges
from ordermade.state.database import StateFile
from ordermade.state.statements import utc_now
from ordermade.state.tables import TABLES
from tests.service_office import Service, clock, made, text

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

pytestmark = pytest.mark.slow


@pytest.fixture
def service(tmp_path: Path) -> Service:
    found = made(tmp_path)
    for name, role in (("ann", "data-user"), ("bob", "data-user"), ("rei", "reviewer"), ("pro", "provider")):
        found.add(name, role)
    return found


def by_service(service: Service, name: str) -> Submissions:
    """The requests as a user by a token has them: the state is opened by the service."""
    token = hash_of(service.tokens[name])
    return Submissions(StateFile(service.state.path, OfService(token)), service.office, Credential(token))


def both(service: Service) -> tuple[int, int]:
    """A submitted request of each user."""
    return by_service(service, "ann").submit(text("mine")).id, by_service(service, "bob").submit(text("of bob")).id


def moved(connection: StateConnection, number: int) -> None:
    """Withdraws a submission past the lifecycle."""
    found = submissions.SUBMISSIONS.find(connection, id=number)
    assert found is None or found.id == number
    values = {"title": "t", "status": "withdrawn", "revision": 1, "moved_at": utc_now(), "expires_at": None}
    none = {"request_id": None, "release_id": None, "claim": None}
    StateChanges(connection, "ann").put(submissions.SUBMISSIONS, {"id": number}, {**values, **none})


OF_OTHERS: dict[str, Callable[[StateConnection, int], object]] = {
    "the request of another": submissions.get,
    "its revisions": lambda at, number: submissions.REVISIONS.select(at, submission_id=number),
    "its votes": lambda at, number: submissions.REVIEWS.select(at, submission_id=number),
    "its steps": lambda at, number: AUDIT.select(at, subject=str(number)),
    "what the data refused of it": data_refusals.of_submission,
    "when another submitted": lambda at, _: submissions.submitted_since(at, "members", "bob", utc_now()),
    "what another asked forecasts of": lambda at, _: live_forecasts.since(at, "members", "bob", utc_now()),
    "what another accepted": lambda at, _: submissions.accepted_by(at, "members", "bob"),
    "the users": lambda at, _: users.listed(at),
    "the tokens": lambda at, _: users.tokens(at),
    "a token": lambda at, _: users.presented(at, "0" * 64),
    "the audit": lambda at, _: audit_entries(at),
    "old requests": lambda at, _: submissions.older_than(at, "members", utc_now()),
}
WRITTEN: dict[str, Callable[[StateConnection, int], object]] = {
    "a move of another's": moved,
    "terms for another": lambda at, _: submissions.accept_terms(StateChanges(at, "ann"), "members", "bob", "h"),
    "a forecast for another": lambda at, _: live_forecasts.count(at, "members", "bob", "h", utc_now()),
    "a policy": lambda at, _: policies.put(at, "members", "{}", "h"),
    "an entry of the audit": lambda at, number: add_audit_entry(at, "request withdraw", str(number)),
    "an entry of another thing": lambda at, _: add_audit_entry(at, "source add", "shop"),
    "a user": lambda at, _: StateChanges(at, "ann").add(
        users.USERS, {"name": "eve", "roles": ["provider"], "added_at": utc_now()}
    ),
}


def outcome(
    block: Callable[[], AbstractContextManager[StateConnection]],
    call: Callable[[StateConnection, int], object],
    number: int,
) -> str:
    """What becomes of a call on a state that is opened."""
    try:
        with block() as connection:
            call(connection, number)
    except (Refused, UnknownName):
        return "refused"
    return "passed"


def test_nothing_of_another_user_is_read_or_written(service: Service) -> None:
    mine, other = both(service)
    file = StateFile(service.state.path, OfService(hash_of(service.tokens["ann"])))
    for opened in (file, file.of_submission(mine)):
        for what, call in {**OF_OTHERS, **WRITTEN}.items():
            for block in (opened.reading, opened.writing) if what in OF_OTHERS else (opened.writing,):
                assert outcome(block, call, other) == "refused", what
    with service.state.reading() as connection:
        assert submissions.get(connection, other).submission.status != "withdrawn"
    assert service.unlike_the_audit() == ()


def test_a_new_submission_is_of_the_user_and_its_transaction_of_it_alone(service: Service) -> None:
    _, other = both(service)
    file = StateFile(service.state.path, OfService(hash_of(service.tokens["ann"])))
    with service.state.reading() as connection:
        of_bob = submissions.get(connection, other).submission
    assert outcome(file.writing, lambda at, _: submissions.add(StateChanges(at, "ann"), of_bob), other) == "refused"

    def one_and_another(at: StateConnection, number: int) -> None:
        submissions.add(StateChanges(at, "ann"), replace(of_bob, submitted_by="ann"))
        moved(at, number)

    assert outcome(file.writing, one_and_another, other) == "refused"
    assert len(by_service(service, "ann").list()) == 1


def test_lists_have_the_own_requests_and_a_reviewer_s_all(service: Service) -> None:
    mine, other = both(service)
    for name, numbers in (("ann", {mine}), ("bob", {other}), ("rei", {mine, other}), ("pro", {mine, other})):
        file = StateFile(service.state.path, OfService(hash_of(service.tokens[name])))
        with file.reading() as connection:
            assert {each.id for each in submissions.listed(connection)} == numbers


def test_the_lifecycle_goes_on_within_the_bounds(service: Service, tmp_path: Path) -> None:
    mine, other = both(service)
    ann, rei, pro = (by_service(service, name) for name in ("ann", "rei", "pro"))
    assert ann.revise(mine, text("mine again")).status == "revised"
    assert rei.review(mine, "approve").status == "approved"
    assert pro.run(mine).submission.status == "run"
    assert pro.deliver(mine).submission.status == "delivered"
    assert ann.collect(mine, tmp_path / "mine.csv").exists()
    assert ann.rerun(mine).supersedes == mine
    assert [each.action for each in ann.history(mine)][-1] == "request deliver"
    assert by_service(service, "bob").withdraw(other).status == "withdrawn"
    assert service.unlike_the_audit() == ()


def test_a_release_goes_with_its_request_within_the_bounds(service: Service) -> None:
    mine, _ = both(service)
    by_service(service, "rei").review(mine, "approve")
    by_service(service, "pro").run(mine)
    where = service.of().where(mine)
    assert where is not None
    assert by_service(service, "ann").withdraw(mine).status == "withdrawn"
    assert not Path(where).exists()


def test_a_step_of_a_user_lets_none_of_another_expire(service: Service) -> None:
    service.set_policy(expiry="30 days")
    mine, other = both(service)
    with clock() as time:
        time.passed = timedelta(days=20)
        late = by_service(service, "ann").submit(text("late")).id
        time.passed = timedelta(days=31)
        by_service(service, "ann").withdraw(late)
        assert [each.id for each in by_service(service, "ann").expire()] == [mine]
        with service.state.reading() as connection:
            assert submissions.get(connection, other).submission.status != "expired"
        assert [each.id for each in by_service(service, "pro").expire()] == [other]


def test_every_table_with_users_rows_is_bound() -> None:
    """A table with a column of a user or of a submission is among those that no statement reads unbound."""
    named = {
        name for name, each in TABLES.items() if {"submission_id", "user_name", "submitted_by"} & set(each.columns)
    }
    assert named <= set(bounds.OF_USERS)


def test_a_token_that_is_not_accepted_opens_nothing_for_the_service(service: Service) -> None:
    service.users.revoke("bob")
    for token in (hash_of(service.tokens["bob"]), "0" * 64):
        with pytest.raises(Refused), StateFile(service.state.path, OfService(token)).reading():
            pass
    with StateFile(service.state.path, SHELL).reading():
        pass
