"""Submitted requests that are put in the place of others: revised, or done again month after month."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordermade.catalogue.repeated_requests import schedule
from ordermade.errors import InputError, Refused, UnknownName
from tests.service_office import Service, made, text

pytestmark = pytest.mark.slow


@pytest.fixture
def service(tmp_path: Path) -> Service:
    found = made(tmp_path)
    for name, role in (("ann", "data-user"), ("rei", "reviewer")):
        found.add(name, role)
    return found


def deliver(service: Service, number: int) -> None:
    service.of("rei").review(number, "approve")
    service.of().run(number)
    service.of().deliver(number)


def scheduled(service: Service, number: int) -> str:
    return schedule(service.state, number, "month", Path("/bin/ordermade"), Path("/")).cron


def states(service: Service) -> dict[int, str]:
    return {each.id: each.status for each in service.of().list()}


def test_a_scheduled_request_is_done_again_and_again(service: Service) -> None:
    first = service.of("ann").submit(text("one")).id
    with pytest.raises(Refused, match="was not delivered"):
        scheduled(service, first)
    deliver(service, first)
    assert scheduled(service, first).endswith(f"request rerun {first}")
    made = [first]
    for _ in range(2):
        again = service.of().rerun(first)
        assert (again.supersedes, again.submitted_by) == (made[-1], "ann")
        with pytest.raises(Refused, match=f"request {again.id} does it again already"):
            service.of().rerun(first)
        deliver(service, again.id)
        made.append(again.id)
        assert states(service) == {each: "delivered" if each == again.id else "withdrawn" for each in made}
    assert scheduled(service, first).endswith(f"request rerun {first}")
    service.of().withdraw(made[-1])
    with pytest.raises(Refused, match="only what was delivered"):
        service.of().rerun(first)
    with pytest.raises(Refused, match="was not delivered"):
        scheduled(service, first)


def test_a_proposal_that_is_accepted_has_its_own_title(service: Service) -> None:
    number = service.of("ann").submit(text("one")).id
    assert service.of().propose(number, request=text("two")).title == "Ages, one"
    assert service.of("ann").accept(number).title == "Ages, two"


@pytest.mark.parametrize("number", [9, 0, -1, 10**40])
def test_a_number_that_no_request_has_is_unknown(service: Service, number: int) -> None:
    with pytest.raises(UnknownName):
        service.of().get(number)


def test_of_two_that_do_a_request_again_the_one_delivered_last_stands(service: Service) -> None:
    first = service.of("ann").submit(text("one")).id
    deliver(service, first)
    refused = service.of("ann").rerun(first).id
    service.of().refuse(refused, "the data are not complete")
    second = service.of("ann").rerun(first).id
    service.of("ann").revise(refused, text("two"))
    deliver(service, second)
    deliver(service, refused)
    assert states(service) == {first: "withdrawn", second: "withdrawn", refused: "delivered"}


@pytest.mark.parametrize(
    ("character", "said"),
    [
        ("\u202e", r"U\+202E \(right-to-left override\), here at place 9"),
        ("\u2066", "left-to-right isolate"),
        ("\u200b", "zero width space"),
        ("\ufeff", "zero width no-break space"),
        ("\u2028", "line separator"),
        ("\x85", r"U\+0085 \(a control character\)"),
        ("\r# k: 9", "a control character"),
    ],
    ids=ascii,
)
def test_a_text_that_reviewers_would_read_otherwise_is_not_submitted(
    service: Service, character: str, said: str
) -> None:
    misleading = f"{text('one')}# k: 20 {character}\n"
    with pytest.raises(InputError, match=said) as refused:
        service.of("ann").submit(misleading)
    assert "request:7" in refused.value.message
    number = service.of("ann").submit(text("one")).id
    with pytest.raises(InputError, match=said):
        service.of("ann").revise(number, misleading)
    assert service.of("ann").submit(f"{text('two')}# \u4f1a\u54e1\u3000\t\u00e9\r\n").id == number + 1


def test_what_waits_for_a_vote_is_what_may_be_voted_on(tmp_path: Path) -> None:
    """Requests in every state, also of a reviewer who asks: by one call as by one look at each."""
    service = made(tmp_path)
    service.set_policy(reviews=2)
    roles = {"ann": ["data-user"], "rei": ["reviewer"], "both": ["data-user", "reviewer"], "pro": ["provider"]}
    for name, given in roles.items():
        service.add(name, *given)
    first, second, third, fourth, *_ = (service.of("ann").submit(text(each)).id for each in "abcdefg")
    own = service.of("both").submit(text("own")).id
    service.of("rei").review(first, "approve")
    service.of().propose(second, request=text("offered"))
    service.of("ann").accept(second)
    service.of("rei").review(third, "refuse", "why")
    service.of("ann").revise(third, text("revised"))
    service.of().refuse(fourth, "no")
    for name in ("rei", "both", "pro", None):
        noun = service.of(name)
        turns = noun.to_review()
        found = [each.submission.id for each in turns]
        assert found == [each.id for each in reversed(noun.list()) if "review" in noun.allowed(each.id)]
        voted = {each.submission.id for each in turns if each.voted}
        assert voted == ({first} if name == "rei" else set())
        assert (own in found) == (name != "both")
        assert second in found or name is None  # whose own proposal was accepted
    with pytest.raises(Refused):
        service.of("ann").to_review()
