"""What a user reads where the data decide: the same words whatever they hold, and no figure that was measured."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ordermade.errors import (
    DatasetClosed,
    HierarchyError,
    InputError,
    OrdermadeError,
    PolicyBroken,
    Refused,
    ReleasedMeanwhile,
    ReleaseFault,
    SourceChanged,
    SourceFault,
    StateFault,
    UnfitValue,
)
from ordermade.policies.policy import read_policy
from ordermade.release.entitled import LOOKED_AT
from ordermade.requests.read import read_mapping
from ordermade.service.lifecycle import words
from ordermade.service.submissions import Submissions
from ordermade.service.user_refusals import of_refusal
from tests.long import sampled
from tests.service_office import Service, clock, made, text

SECRET = "id 77 has h = 211"
FAULTS = (
    SourceFault(SECRET, next_step="SELECT h FROM members"),
    UnfitValue(SECRET),
    HierarchyError(SECRET),
    InputError(SECRET),
    ReleaseFault(SECRET),
    PolicyBroken(SECRET, rules=["filters.persons"], problems=[SECRET]),
    ReleasedMeanwhile(SECRET, rules=["filters.apart"], problems=[SECRET]),
    Refused(SECRET),
    ArithmeticError(SECRET),
)


@pytest.fixture
def service(tmp_path: Path) -> Service:
    found = made(tmp_path)
    for name, role in (("ann", "data-user"), ("rei", "reviewer")):
        found.add(name, role)
    return found


def approved(service: Service) -> int:
    number = service.of("ann").submit(text("one")).id
    service.of("rei").review(number, "approve")
    return number


def told(of: Submissions, number: int) -> str:
    """Whatever the library gives a user of a request, but for times."""
    dossier = of.get(number)
    steps = [(each.actor, each.action, each.detail, each.data) for each in of.history(number)]
    return f"{dossier.submission} {dossier.reviews} {steps}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "fault"),
    sampled(
        [
            (place, fault)
            for fault in FAULTS
            for place in ("looked", "ran")
            # A look at data that rule every release out gives no version, and the run itself says why.
            if type(fault) is not Refused or place == "ran"
        ],
        3,
    ),
    ids=lambda each: each if isinstance(each, str) else type(each).__name__,
)
def test_a_run_that_the_data_end_goes_back_to_review_in_the_same_words(
    service: Service, fault: Exception, place: str
) -> None:
    number = approved(service)
    setattr(service.office.data, place, fault)

    if place == "looked" and isinstance(fault, PolicyBroken):
        assert SECRET in service.of().run(number).returned
    else:
        with pytest.raises(type(fault), match=SECRET):
            service.of().run(number)

    assert service.of("ann").get(number).submission.status == "in_review"
    assert service.of("ann").history(number)[-1].detail == LOOKED_AT
    assert service.of("ann").history(number)[-1].action == "request return"
    assert SECRET not in told(service.of("ann"), number)
    assert not any(each.counts for each in service.of().get(number).reviews)
    assert service.unlike_the_audit() == ()


@pytest.mark.slow
def test_what_went_back_is_reviewed_and_run_again(service: Service) -> None:
    number = approved(service)
    service.office.data.ran = SourceFault("the server is gone")
    with pytest.raises(SourceFault) as caught:
        service.of().run(number)
    assert caught.value.__notes__ == [f"Request {number} goes back to its reviewers."]

    service.office.data.ran = None
    service.of("rei").review(number, "approve")

    assert service.of().run(number).submission.status == "run"


@pytest.mark.slow
def test_an_interrupted_run_stays_approved(service: Service) -> None:
    number = approved(service)
    service.office.data.ran = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        service.of().run(number)

    assert service.of().get(number).submission.status == "approved"


@pytest.mark.slow
def test_a_fault_leaves_a_request_that_was_moved_meanwhile(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    number = approved(service)

    def refused_meanwhile(_: Any) -> Any:
        service.of().refuse(number, "too detailed")
        raise SourceFault("the server is gone")

    monkeypatch.setattr(service.office, "check_data", refused_meanwhile)
    with pytest.raises(SourceFault):
        service.of().run(number)

    assert words(service.of().get(number).submission.status) == "refused"


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [each for each in FAULTS if isinstance(each, OrdermadeError) and type(each) is not Refused],
    ids=lambda each: type(each).__name__,
)
def test_a_vote_reads_no_data_and_what_they_decide_when_it_runs_counts(service: Service, fault: Exception) -> None:
    service.set_policy(refusals={"most": 1})
    number = service.of("ann").submit(text("one")).id
    service.office.data.looked = fault
    service.of("rei").review(number, "approve")
    assert service.of().refused_by_data(number) == ()
    with contextlib.suppress(type(fault)):
        service.of().run(number)

    noted = service.of().refused_by_data(number)
    counts = type(fault) not in (SourceFault, ReleasedMeanwhile)
    assert {(each.counts, SECRET in each.reason) for each in noted} == {(counts, True)}
    assert SECRET not in told(service.of("ann"), number) + told(service.of("rei"), number)
    if noted[0].counts:
        with pytest.raises(PolicyBroken, match="the data may refuse 1 request a month"):
            service.of("ann").submit(text("two"))
    assert service.unlike_the_audit() == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "together"), [(None, 1, True), (1, None, True), (1, 1, True), (1, 2, False)]
)
def test_votes_count_together_unless_the_data_were_seen_to_change(
    service: Service, first: Any, second: Any, together: bool
) -> None:
    service.set_policy(reviews=2)
    number = service.of("ann").submit(text("one")).id
    service.office.data.version = first
    service.of("rei").review(number, "approve")
    service.office.data.version = second
    service.of().review(number, "approve")
    assert service.of().get(number).submission.status == ("approved" if together else "in_review")


@pytest.mark.slow
def test_a_reviewer_reads_of_a_source_that_fails_that_the_provider_looks_at_it(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a dataset whose columns were never noted, so that a check opens its source."""
    number = service.of("ann").submit(text("one")).id

    def gone(_: Any) -> Any:
        raise SourceFault(SECRET)

    monkeypatch.setattr(service.office, "check", gone)
    with pytest.raises(Refused) as refused:
        service.of("rei").review(number, "approve")
    assert (type(refused.value), refused.value.what) == (Refused, LOOKED_AT)
    assert SECRET not in f"{refused.value} {vars(refused.value)}"
    with pytest.raises(SourceFault, match=SECRET):
        service.of().review(number, "approve")


@pytest.mark.slow
def test_a_reviewer_refuses_whatever_the_data_say_of_the_filter(service: Service) -> None:
    number = service.of("ann").submit(text("one")).id
    service.office.data.looked = PolicyBroken(SECRET, rules=["filters.persons"], problems=[SECRET])
    service.of("rei").review(number, "refuse", "too detailed")
    assert service.of().refused_by_data(number) == ()


def test_why_a_dataset_is_closed_is_in_the_record_of_the_provider_alone(service: Service) -> None:
    number = approved(service)
    service.office.data.ran = DatasetClosed("members", UnfitValue(SECRET))
    with pytest.raises(DatasetClosed):
        service.of().run(number)
    noted = service.of().refused_by_data(number)
    assert [f"Why: {SECRET}" in each.reason for each in noted] == [True]
    assert SECRET not in told(service.of("ann"), number) + told(service.of("rei"), number)


@pytest.mark.slow
def test_a_refusal_tells_its_user_the_part_and_the_policy_alone(service: Service) -> None:
    service.set_policy(ks=[5, 10, 20])
    number = approved(service)
    service.office.data.enough = False

    ran = service.of().run(number)

    assert ran.result is not None
    assert "k = 13" in str(ran.result.reason)
    detail = service.of("ann").history(number)[-1].detail
    assert detail == "fewer than k of 5 remain in the rows that it asks for; k may be 5, 10, 20"
    assert "k = 13" not in told(service.of("ann"), number)


def test_the_words_of_a_refusal_are_of_the_request_and_the_policy() -> None:
    content = {"dataset": "d", "k": 10, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "release": {"to": "o.csv"}}
    models = {"sensitive": {"plan": [{"model": "t_closeness", "t": 0.2, "distance": "equal"}]}}
    asked = read_mapping({**content, **models, "suppression_limit": 0.01}).request
    policy = read_policy("dataset: d\nk: 5\nsuppression: 2 %\nscales: {t: [0.1, 0.2]}\n").policy

    assert of_refusal(asked, SimpleNamespace(rows=7, search=SimpleNamespace(stopped=None)), policy) == (
        "nothing that it accepts passes by k with suppression_limit and sensitive; k may be 5 or more; "
        "suppression_limit may be 0, 0.01, 0.02; t may be 0.1, 0.2"
    )


def refused(service: Service, number: int) -> None:
    """Has a request refused by the data, whether it was approved by itself or by a vote."""
    if service.of().get(number).submission.status != "approved":
        service.of("rei").review(number, "approve")
    assert service.of().run(number).submission.status == "refused"


@pytest.mark.slow
def test_refusals_by_the_data_are_counted_and_limited_and_the_provider_reads_why(service: Service) -> None:
    service.set_policy(refusals={"most": 2, "per": "week"})
    service.office.data.enough = False
    with clock() as passing:
        first = service.of("ann").submit(text("one")).id
        refused(service, first)
        service.of("ann").revise(first, text("one", 6))
        service.office.data.ran = UnfitValue(SECRET)
        service.of("rei").review(first, "approve")
        with pytest.raises(UnfitValue):
            service.of().run(first)

        for ask in (lambda: service.of("ann").submit(text("two")), lambda: service.of("ann").revise(first, text("x"))):
            with pytest.raises(PolicyBroken, match="the data may refuse 2 requests a week") as caught:
                ask()
            assert caught.value.rules == ("refusals",)
        for name in ("rei", "ann"):
            with pytest.raises(Refused, match="is for a provider"):
                service.of(name).refused_by_data(first)
        reasons = [(each.revision, each.reason) for each in service.of().refused_by_data(first)]
        assert reasons == [(1, "the coarsest has k = 13"), (2, f"{SECRET}.")]

        passing.passed = timedelta(days=8)
        assert service.of("ann").submit(text("two")).status == "predicted"


OUTAGES = (
    SourceFault("the server does not answer"),
    SourceChanged("the source changed while the request ran"),
    DatasetClosed("members", UnfitValue(SECRET)),
    StateFault("the state is locked"),
    ReleaseFault("the release cannot be written (No space left on device)"),
    MemoryError(),
)


@pytest.mark.slow
def test_an_outage_goes_back_to_review_and_counts_for_nobody(service: Service) -> None:
    service.set_policy(refusals={"most": 1})
    number = approved(service)
    for fault in OUTAGES:
        service.office.data.ran = fault
        with pytest.raises(type(fault)):
            service.of().run(number)
        assert service.of("ann").history(number)[-1].detail == LOOKED_AT
        service.of("rei").review(number, "approve")

    noted = service.of().refused_by_data(number)
    assert [each.counts for each in noted] == [False] * len(OUTAGES)
    assert noted[0].reason == "the server does not answer."
    assert service.of("ann").submit(text("two")).status == "predicted"


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    sampled([each for each in FAULTS if type(each) not in (SourceFault, ReleasedMeanwhile)], 2),
    ids=lambda each: type(each).__name__,
)
def test_what_a_value_may_lead_to_counts(service: Service, fault: Exception) -> None:
    service.set_policy(refusals={"most": 1})
    number = approved(service)
    service.office.data.ran = fault
    with pytest.raises(type(fault)):
        service.of().run(number)

    assert [each.counts for each in service.of().refused_by_data(number)] == [True]
    with pytest.raises(PolicyBroken, match="the data may refuse 1 request a month"):
        service.of("ann").submit(text("two"))


@pytest.mark.slow
def test_nothing_is_approved_without_a_review_after_too_many_refusals(service: Service) -> None:
    service.set_policy(reviews=0, refusals={"most": 1})
    one, other = (service.of("ann").submit(text(title)).id for title in ("one", "two"))
    assert service.of().get(other).submission.status == "approved"
    service.office.data.enough = False
    refused(service, one)

    ran = service.of().run(other)

    assert (ran.result, ran.submission.status) == (None, "in_review")
    service.of("rei").review(other, "approve")
    assert service.of().run(other).submission.status == "refused"


@pytest.mark.slow
def test_the_refusals_of_one_user_do_not_count_for_another(service: Service) -> None:
    service.add("bob", "data-user")
    service.office.data.enough = False
    for _ in range(10):
        refused(service, service.of("ann").submit(text("one")).id)

    with pytest.raises(PolicyBroken, match="the data may refuse 10 requests a month"):
        service.of("ann").submit(text("one"))
    assert service.of("bob").submit(text("one")).status == "predicted"
