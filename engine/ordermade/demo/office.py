"""The demo of the portal: made-up members, two users and a reviewer, and requests in every state."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordermade.demo.members import Members
from ordermade.demo.story import STATE
from ordermade.engine import Engine
from ordermade.service.lifecycle import DATA_USER, REVIEWER
from ordermade.service.sessions import BrowserSessions
from ordermade.sources.limits import Limits

if TYPE_CHECKING:
    from ordermade.service.submissions import Submissions

ACCOUNTS: Mapping[str, str] = {"hana": DATA_USER, "ken": DATA_USER, "rei": REVIEWER}
"""The users of the demo, with their roles."""
ROWS = 20_000
"""The members that are made up."""
_PASSWORD_BYTES = 9

_POLICY = {
    "dataset": "members",
    "k": 10,
    "ks": [10, 20, 50, 100],
    "suppression": "5 %",
    "never": {"ask": ["member_id", "name"]},
    "finest": {"age": "5 years"},
    "filters": {"persons": 20},
    "terms": "Use the data for the purpose that you gave. Do not try to find persons in them.",
    "reviews": 1,
    "expiry": "90 days",
}


@dataclass(frozen=True, slots=True)
class DemoAccount:
    """A user of the demo, with the password that was drawn."""

    name: str
    role: str
    password: str


@dataclass(frozen=True, slots=True)
class DemoOffice:
    """The state of the demo, and its users."""

    state: Path
    accounts: tuple[DemoAccount, ...]


def make_office(folder: Path, rows: int = ROWS, notify: Callable[[str], None] = lambda _: None) -> DemoOffice:
    """Makes members, users and requests in an empty folder. Raises InputError where it is in use."""
    demo = Members(folder, rows, notify, Limits())
    for _ in demo.set_up():
        pass
    engine = Engine(folder / STATE)
    engine.policies.set(_POLICY)
    accounts = []
    for name, role in ACCOUNTS.items():
        notify(f"the user {name}")
        engine.users.add(name, [role])
        accounts.append(DemoAccount(name, role, secrets.token_urlsafe(_PASSWORD_BYTES)))
        engine.users.password(name, accounts[-1].password)
    _ask(engine, notify)
    return DemoOffice(engine.state_file.path, tuple(accounts))


def _ask(engine: Engine, notify: Callable[[str], None]) -> None:
    """Requests of both users, each moved to another state."""
    sessions = BrowserSessions(engine.state_file)
    ids = {name: sessions.enter(name) for name in ACCOUNTS}
    hana, ken, rei = (replace(engine, token=ids[name]).submissions for name in ("hana", "ken", "rei"))
    office = engine.submissions
    delivered = _submitted(
        hana, "Members by sex, age and region", 20, ("sex", 0), ("age", "10 years"), ("prefecture", 1)
    )
    rei.review(delivered, "approve", "the yearbook has had it for years")
    notify("a release")
    office.run(delivered, certifies=True)
    engine.releases.publish(office.deliver(delivered).release, "Members by sex, age and half of the country")
    run = _submitted(ken, "Plans by region", 20, ("prefecture", "region"), ("plan", 0), shape="table")
    rei.review(run, "approve")
    office.run(run)
    proposed = _submitted(
        hana, "Occupations by prefecture and month", 10, ("occupation", 0), ("prefecture", 0), ("joined", 1)
    )
    coarser = _text("Occupations by region and year", 10, ("occupation", 1), ("prefecture", 1), ("joined", "year"))
    office.propose(proposed, request=coarser, why="joined by year and prefectures by region: months are too few")
    _submitted(hana, "Age and plan", 50, ("age", "5 years"), ("plan", 0))
    approved = _submitted(ken, "Sex and decade of joining", 10, ("sex", 0), ("joined", "decade"))
    rei.review(approved, "approve")
    argued = _submitted(ken, "Prefectures by month", 10, ("prefecture", 0), ("joined", "month"))
    rei.review(argued, "refuse", "months single out who joined a new shop")
    refused = _submitted(
        ken, "Everything of everybody", 10, ("sex", 0), ("age", "5 years"), ("prefecture", 0), ("plan", 0)
    )
    office.refuse(refused, "ask for what the study needs: which question is it?")
    hana.withdraw(_submitted(hana, "A first try", 10, ("sex", 0)))
    for each in ids.values():
        sessions.log_out(each)


def _submitted(noun: Submissions, title: str, k: int, *columns: tuple[str, int | str], shape: str = "rows") -> int:
    text = _text(title, k, *columns, shape=shape)
    return noun.submit(text, "for the yearbook", accept_terms=True).id


def _text(title: str, k: int, *columns: tuple[str, int | str], shape: str = "rows") -> dict[str, Any]:
    return {
        "title": title,
        "dataset": "members",
        "k": k,
        "quasi_identifiers": {name: {"hierarchy": name, "from": level} for name, level in columns},
        "release": {"to": "data.csv", "shape": shape},
    }
