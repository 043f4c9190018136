"""Comments on submitted requests: who makes them, about what, who reads them, and that they decide nothing."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from ordermade.errors import InputError, Refused, UnknownName
from ordermade.service.comments import LONGEST_COMMENT, MOST_COMMENTS
from ordermade.service.running import _ended_without_answer
from ordermade.service.step import step
from tests.service_office import Service, made, text

pytestmark = pytest.mark.slow


@pytest.fixture
def service(tmp_path: Path) -> Service:
    found = made(tmp_path)
    for name, role in (("ann", "data-user"), ("ben", "data-user"), ("rei", "reviewer")):
        found.add(name, role)
    return found


def test_a_comment_is_read_by_everybody_who_may_see_the_request(service: Service) -> None:
    number = service.of("ann").submit(text("one")).id
    service.of("rei").comment(number, "  which ages\nare these? ", "column:AGE")
    service.of("ann").comment(number, "the whole study", at="request")
    service.of().comment(number, "five is few", at="k")
    for name in ("ann", "rei", None):
        found = service.of(name).get(number).comments
        assert [(each.made_by, each.about, each.text, each.revision) for each in found[:2]] == [
            ("rei", "column:age", "which ages are these?", 1),
            ("ann", "request", "the whole study", 1),
        ]
        assert len(found) == 3


def test_nobody_says_anything_about_a_request_of_somebody_else(service: Service) -> None:
    number = service.of("ann").submit(text("one")).id
    with pytest.raises(UnknownName):
        service.of("ben").comment(number, "mine?")
    with pytest.raises(UnknownName):
        service.of("rei").comment(99, "none")
    assert service.of().get(number).comments == ()


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("", "request"),
        (" \n ", "k"),
        ("x" * (LONGEST_COMMENT + 1), "k"),
        ("a\x1b[2J", "k"),
        ("why", "column:income"),
        ("why", "column"),
        ("why", "age"),
        ("why", "check:colour"),
        ("why", ""),
    ],
)
def test_a_comment_is_one_line_about_something_that_is_there(service: Service, said: str, at: str) -> None:
    number = service.of("ann").submit(text("one")).id
    with pytest.raises(InputError):
        service.of("ann").comment(number, said, at)
    assert service.of().get(number).comments == ()


def test_a_comment_moves_nothing_and_resets_no_vote(service: Service) -> None:
    service.set_policy(reviews=2)
    number = service.of("ann").submit(text("one")).id
    service.of("rei").review(number, "approve")
    before = service.of().get(number)
    service.of("rei").comment(number, "on second thoughts: no")
    service.of("ann").comment(number, "please", at="check:policy")
    after = service.of().get(number)
    assert (after.submission, after.votes, after.revisions) == (before.submission, before.votes, before.revisions)
    steps = service.of("ann").history(number)
    assert [(each.action, each.detail) for each in steps[-2:]] == [
        ("request comment", "request"),
        ("request comment", "check:policy"),
    ]
    assert service.of("ann").progress(number).why == "approve"


def test_a_reason_of_a_refusal_is_not_what_was_said_after_it(service: Service) -> None:
    number = service.of("ann").submit(text("one")).id
    service.of().refuse(number, "too few")
    service.of("ann").comment(number, "how many would do?")
    assert service.of("ann").progress(number).why == "too few"


def test_a_request_has_so_many_comments_at_most_and_none_after_its_end(service: Service) -> None:
    number = service.of("ann").submit(text("one")).id
    for place in range(MOST_COMMENTS):
        service.of("ann").comment(number, f"{place}")
    with pytest.raises(Refused, match=f"at most {MOST_COMMENTS} comments"):
        service.of("rei").comment(number, "one more")
    other = service.of("ann").submit(text("two")).id
    service.of("ann").withdraw(other)
    with pytest.raises(Refused, match="has ended"):
        service.of("ann").comment(other, "still")


def test_comments_do_not_let_killed_runs_go_on_for_ever(service: Service) -> None:
    number = service.of("ann").submit(text("one")).id
    noun = service.of()
    for _ in range(2):
        with step(noun.state, noun.credential) as under_way:
            under_way.changes.audited("request claim", str(number))
        service.of("ann").comment(number, "does it run?")
    with step(noun.state, noun.credential) as under_way:
        assert _ended_without_answer(under_way, number) == 2


def test_the_audit_has_what_a_comment_is_about_and_not_its_text(service: Service) -> None:
    number = service.of("ann").submit(text("one")).id
    service.of("rei").comment(number, "a telling word", "k")
    with sqlite3.connect(service.state.path) as connection:
        ((data,),) = connection.execute("SELECT data FROM audit WHERE action = 'request comment'")
        everything = json.dumps(connection.execute("SELECT * FROM audit").fetchall(), default=str)
    (row,) = json.loads(data)["rows"]
    assert row["table"] == "comments"
    assert row["values"]["about"] == "k"
    assert "telling" not in everything
    assert service.unlike_the_audit() == ()
