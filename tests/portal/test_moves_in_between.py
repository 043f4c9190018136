"""A form moves the request that its page showed: whatever somebody else did in between, it is refused then.

The other move is made at the worst moment: after every look of the form's own, right before its transaction begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from threading import Thread
from typing import Any

import pytest

from ordermade import Engine
from ordermade.errors import Refused
from ordermade.service import submissions
from ordermade.service.shown import ShownRequest
from tests.portal.clinic import REQUEST, clinic, submitted
from tests.portal.office import Browser, PortalOffice

pytestmark = pytest.mark.slow

TEXT = REQUEST.format(title="ages")
OTHER = REQUEST.format(title="ages again").replace("k: 5", "k: 6")
Move = Callable[[Engine, int], object]


@dataclass
class Between:
    """Makes a move of another thread once, right before the next step begins."""

    step: Callable[..., AbstractContextManager[Any]]
    waiting: list[Callable[[], object]] = field(default_factory=list)
    failed: list[Exception] = field(default_factory=list)

    @contextmanager
    def __call__(self, *given: Any, **named: Any) -> Iterator[Any]:
        while self.waiting:
            other = Thread(target=self._made, args=(self.waiting.pop(),))
            other.start()
            other.join()
        with self.step(*given, **named) as under_way:
            yield under_way

    def _made(self, move: Callable[[], object]) -> None:
        try:
            move()
        except Exception as error:  # noqa: BLE001 (the test that waits looks at it)
            self.failed.append(error)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> PortalOffice:
    return clinic(tmp_path_factory.mktemp("clinic"))


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Between:
    found = Between(submissions.step)
    monkeypatch.setattr(submissions, "step", found)
    return found


def _by(office: PortalOffice, name: str) -> Engine:
    return Engine(office.state, token=office.engine.users.token(name).secret)


def _approved(engine: Engine, number: int) -> object:
    return engine.submissions.review(number, "approve")


def _revised(engine: Engine, number: int) -> object:
    return engine.submissions.revise(number, TEXT)


def _offered(engine: Engine, number: int) -> object:
    return engine.submissions.propose(number, request=OTHER)


def _nothing(engine: Engine, number: int) -> object:
    return engine.submissions.get(number)


@dataclass
class Form:
    """A form: who sends it from which page, what it says beside, and the state in which it leaves the request."""

    by: str
    page: str
    action: str
    fields: dict[str, str]
    leaves: str
    offered: bool = False

    def sent(self, browser: Browser, number: int) -> Any:
        hidden = {"last": "1"} if self.action.endswith("propose") else {"revision": "2" if self.offered else "1"}
        status = {"status": "proposed" if self.offered else "predicted"}
        return browser.post(self.action.format(number), **hidden, **status, **self.fields)


FORMS = {
    "withdraw": Form("ann", "/requests/{}", "/requests/{}/withdraw", {}, "withdrawn"),
    "revise": Form("ann", "/requests/{}/revise", "/requests/{}/revise", {"text": OTHER}, "revised"),
    "accept": Form("ann", "/requests/{}/offer", "/requests/{}/accept", {}, "revised", offered=True),
    "vote": Form("rei", "/reviews/{}", "/reviews/{}/vote", {"vote": "approve"}, "approved"),
    "propose": Form("pro", "/reviews/{}", "/reviews/{}/propose", {"text": OTHER}, "proposed"),
}


@pytest.mark.parametrize(
    ("name", "other", "move"),
    [
        ("withdraw", "rei", _approved),
        ("revise", "rei", _approved),
        ("accept", "pro", _offered),
        ("vote", "ann", _revised),  # by the same text, which nobody reviewed at this place
        ("propose", "ann", _revised),
        *((name, form.by, _nothing) for name, form in FORMS.items()),
    ],
)
def test_a_form_is_refused_where_another_move_comes_in_between(
    office: PortalOffice, between: Between, name: str, other: str, move: Move
) -> None:
    form = FORMS[name]
    number = submitted(office)
    if form.offered:
        _offered(office.engine, number)
    browser, engine = office.browser(form.by), _by(office, other)
    browser.get(form.page.format(number))
    between.waiting.append(lambda: move(engine, number))
    found = form.sent(browser, number)
    assert not between.waiting
    assert between.failed == []
    now = office.engine.submissions.get(number)
    if move is _nothing:
        assert (found.status_code, now.submission.status) == (303, form.leaves)
        return
    assert found.status_code == 409
    assert "it was moved or revised since it was shown" in found.text
    expected = {_approved: ("approved", 1), _revised: ("revised", 2), _offered: ("proposed", 3)}[move]
    assert (now.submission.status, now.revisions[-1].revision) == expected
    assert now.reviews == () or move is _approved


@pytest.mark.parametrize("name", FORMS)
def test_a_form_of_an_earlier_page_is_refused(office: PortalOffice, name: str) -> None:
    form = FORMS[name]
    number = submitted(office)
    if form.offered:
        _offered(office.engine, number)
    browser = office.browser(form.by)
    browser.get(form.page.format(number))
    _revised(_by(office, "ann"), number)
    assert form.sent(browser, number).status_code == 409
    assert office.engine.submissions.get(number).submission.status == "revised"


def test_what_was_shown_is_compared_to_the_last_revision_and_the_state(office: PortalOffice) -> None:
    number = submitted(office)
    noun = office.engine.submissions
    for shown in (ShownRequest(2), ShownRequest(1, "revised"), ShownRequest(2, "predicted")):
        with pytest.raises(Refused, match="since it was shown"):
            noun.propose(number, request=OTHER, shown=shown)
    assert noun.propose(number, request=OTHER, shown=ShownRequest(1, "predicted")).status == "proposed"
