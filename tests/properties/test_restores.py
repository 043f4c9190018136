"""After a restore nobody may do more than before it, or than in the backup, whatever happened; no fact is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ordermade.catalogue.audit import Audit
from ordermade.errors import InputError, PolicyBroken, Refused, UnknownName
from ordermade.state import datasets, opt_outs, sources, versions
from ordermade.state.audit import add_audit_entry
from ordermade.state.authority import SHELL
from ordermade.state.backup import backup, restore
from ordermade.state.inspection import verify
from tests.service_office import Service, made, text
from tests.state_by_hand import by_hand

pytestmark = pytest.mark.slow

STEPS = 14
"""Before the backup and after it, each."""

COLUMNS = ("age", "sex", "town")


def submitted(service: Service, random: Random) -> None:
    service.of(random.choice(["ann", "ben"])).submit(text(f"no. {random.random()}"), accept_terms=random.random() < 0.7)


def moved(service: Service, random: Random) -> None:
    """A move of some request, which may not be possible."""
    number = random.choice([each.id for each in service.of().list()] or [1])
    moves: list[Callable[[], object]] = [
        lambda: service.of(random.choice(["rei", "ren"])).review(number, "approve"),
        lambda: service.of(random.choice(["rei", "ren"])).review(number, "refuse", "no"),
        lambda: service.of().approve(number, "yes"),
        lambda: service.of().refuse(number, "no"),
        lambda: service.of().propose(number, request=text("another")),
        lambda: service.of("ann").accept(number),
        lambda: service.of("ann").revise(number, text(f"no. {random.random()}")),
        lambda: service.of().run(number),
        lambda: service.of().run(number),
        lambda: service.of().deliver(number),
        lambda: service.of("ann").withdraw(number),
    ]
    random.choice(moves)()


def approved(service: Service, random: Random) -> None:
    number = service.of("ann").submit(text(f"no. {random.random()}"), accept_terms=True).id
    service.of("rei").review(number, "approve")
    if random.random() < 0.3:
        service.of().run(number)


def ruled(service: Service, random: Random) -> None:
    service.set_policy(reviews=random.choice([1, 2]), terms=random.choice(["a", "b"]), k=random.choice([2, 5]))


def peopled(service: Service, random: Random) -> None:
    named = random.choice(["ben", "ren", "pia", f"new{random.randrange(10**9)}"])
    changes: list[Callable[[], object]] = [
        lambda: service.users.revoke(named),
        lambda: service.users.remove(named) if random.random() < 0.3 else None,
        lambda: service.add(named, "reviewer"),
        lambda: service.users.token(named),
    ]
    random.choice(changes)()


def registered(service: Service, random: Random) -> None:
    name = random.choice(["members", "visits"])
    with service.state.writing() as connection:
        if any(each.name == name for each in datasets.listed(connection)):
            datasets.remove(connection, name)
        columns = random.choice([None, COLUMNS, ("age",), ("sex", "town"), ()])
        least_k, entity = random.choice([2, 5, 9]), random.choice([None, "person"])
        add = {"table_name": name, "least_k": least_k, "where_columns": columns, "entity_column": entity}
        if random.random() < 0.8:
            datasets.add(connection, name, "office", **add)
        add_audit_entry(connection, "dataset add", name)


def opted(service: Service, random: Random) -> None:
    change = random.choice([opt_outs.add, opt_outs.add, opt_outs.remove])
    with service.state.writing() as connection:
        change(connection, "members", [str(random.randrange(6))])
        add_audit_entry(connection, "dataset opt-out", "members")


KINDS = (submitted, approved, approved, *[moved] * 6, ruled, peopled, peopled, registered, opted)


def done(service: Service, random: Random) -> None:
    for _ in range(STEPS):
        with suppress(Refused, InputError, PolicyBroken, UnknownName, KeyError):
            random.choice(KINDS)(service, random)


def read(path: Path, query: str) -> set[tuple[Any, ...]]:
    with by_hand(path) as connection:
        return {
            tuple(tuple(each) if isinstance(each, list) else each for each in row)
            for row in connection.execute(query).fetchall()
        }


NEVER_MORE = {
    "users": "SELECT id, name, roles FROM users WHERE removed_at IS NULL",
    "tokens": "SELECT id, token_hash, scope FROM tokens WHERE revoked_at IS NULL",
    "approved requests": "SELECT id, revision FROM submissions WHERE status = 'approved'",
    "votes for open requests": "SELECT r.submission_id, r.revision, r.reviewer, r.voted_at FROM reviews AS r "
    "JOIN submissions AS s ON s.id = r.submission_id WHERE r.reset_at IS NULL AND vote = 'approve' "
    "AND s.status IN ('predicted', 'proposed', 'revised', 'in_review', 'approved')",
}
"""What the restored state has only where both others have it."""

NEVER_LESS = {
    "releases": "SELECT id, request_id, path, sha256 FROM releases",
    "ends of releases": "SELECT release_id, how FROM release_ends",
    "requests": "SELECT id, request_hash, status, filter FROM requests",
    "submitted": "SELECT id, submitted_by, submitted_at, dataset_name FROM submissions",
    "ended requests": "SELECT id, status FROM submissions WHERE status IN ('refused', 'withdrawn', 'expired')",
    "votes against": "SELECT submission_id, revision, reviewer, voted_at FROM reviews "
    "WHERE reset_at IS NULL AND vote = 'refuse'",
    "terms": "SELECT dataset_name, user_name, terms_hash FROM accepted_terms",
    "opt-outs": "SELECT dataset_name, person_hash FROM opt_outs",
    "policies": "SELECT dataset_name, version, policy_hash FROM policies",
    "audit": "SELECT id, hash FROM audit",
}
"""What the restored state has where the state replaced has it."""


def terms(path: Path) -> dict[str, tuple[int, frozenset[str], bool]]:
    """The least k of each dataset, the columns that are open to filters, and whether persons are counted."""
    found = read(
        path,
        "SELECT name, least_k, filters, (SELECT json_group_array(column_name) "
        "FROM dataset_filter_columns WHERE dataset_id = id), "
        "entity_column IS NOT NULL FROM datasets WHERE removed_at IS NULL",
    )
    return {
        name: (least_k, frozenset({*COLUMNS, "any"} if filters == "any" else json.loads(columns)), persons)
        for name, least_k, filters, columns, persons in found
    }


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(each, marks=pytest.mark.thorough) for each in range(3, 20))])
def test_nobody_may_do_more_after_a_restore_and_no_fact_is_lost(tmp_path: Path, seed: int) -> None:
    random, service = Random(seed), made(tmp_path)
    with service.state.writing() as connection:
        sources.add(connection, "office", "duckdb", "office.duckdb")
        number = datasets.add(connection, "members", "office", table_name="members").id
        add_audit_entry(connection, "dataset add", "members")
        service.office.data.version = versions.register(connection, "d", number, None, 9, 9, "c", {"age": "INTEGER"}).id
    for name, role in (("ann", "data-user"), ("ben", "data-user"), ("rei", "reviewer"), ("ren", "reviewer")):
        service.add(name, role)
    done(service, random)
    copy = backup(service.state.path, tmp_path / "copy.sqlite", SHELL)
    done(service, random)

    found = restore(service.state.path, copy, SHELL)

    path, before = service.state.path, found.kept
    assert before is not None
    assert found.locked == ""
    assert verify(path, SHELL) == ()
    assert Audit(service.state).verify().findings == ()
    for what, query in NEVER_MORE.items():
        assert read(path, query) <= read(before, query) & read(copy, query), what
    for what, query in NEVER_LESS.items():
        assert read(before, query) <= read(path, query), what
    assert read(copy, NEVER_LESS["opt-outs"]) <= read(path, NEVER_LESS["opt-outs"])
    after = terms(path)
    assert set(after) == set(terms(copy))
    for each in (terms(copy), terms(before)):
        for name in set(after) & set(each):
            assert after[name][0] >= each[name][0]
            assert after[name][1] <= each[name][1]
            assert after[name][2] >= each[name][2]
