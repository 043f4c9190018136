"""What a restore makes of each table: facts hold on, what protects is applied again, the rest is undone and listed."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from ordermade import initialise
from ordermade.catalogue.audit import Audit
from ordermade.errors import InputError, PolicyBroken, Refused, StateOlder
from ordermade.service.lifecycle import MOVES
from ordermade.state import datasets, opt_outs, policies, releases, requests, sources, submissions, versions
from ordermade.state.audit import add_audit_entry
from ordermade.state.authority import SHELL
from ordermade.state.backup import Restored, backup, restore
from ordermade.state.changes import StateChanges
from ordermade.state.database import StateFile
from ordermade.state.inspection import verify
from ordermade.state.old_requests import erase
from ordermade.state.restored_tables import TABLES, UNSETTLED
from tests.made import new_state
from tests.noted import a_release, a_request
from tests.service_office import Service, StandIns, made, text
from tests.state_by_hand import by_hand

pytestmark = pytest.mark.slow

HOW = ("carried", "applied again", "undone", "rebuilt")


def table_of_restore() -> str:
    """The tables of the state, and what a restore makes of each."""
    return "\n".join(f"| `{name}` | {each.how} | {each.says} |" for name, each in TABLES.items())


def test_every_table_of_the_state_is_named(tmp_path: Path) -> None:
    with by_hand(new_state(tmp_path / "state.sqlite")) as connection:
        there = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        }
    assert there == set(TABLES), "say in restored_tables.py what `state restore` makes of it"
    assert {each.how for each in TABLES.values()} == set(HOW)
    assert all(each.says and bool(each.row) == bool(each.rows) for each in TABLES.values())
    sys.stdout.write(f"\n| table | how | what the restored state has |\n|---|---|---|\n{table_of_restore()}\n")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """A service with a registered dataset, a data user, two providers and a reviewer."""
    found = made(tmp_path_factory.mktemp("template"))
    add_dataset(found, "members")
    for name, role in (("ann", "data-user"), ("pia", "provider"), ("pit", "provider"), ("rei", "reviewer")):
        found.add(name, role)
    return found


@pytest.fixture
def service(template: Service, tmp_path: Path) -> Service:
    path = Path(shutil.copy(template.state.path, tmp_path))
    return Service(StandIns(StateFile(path, SHELL), replace(template.office.data)), dict(template.tokens))


def add_dataset(
    service: Service,
    name: str,
    least_k: int = 5,
    where_columns: tuple[str, ...] | None = None,
    entity: str | None = None,
) -> None:
    with service.state.writing() as connection:
        if not sources.listed(connection):
            sources.add(connection, "office", "duckdb", "office.duckdb", writable=False)
        made = datasets.add(
            connection,
            name,
            "office",
            table_name=name,
            least_k=least_k,
            where_columns=where_columns,
            entity_column=entity,
        )
        add_audit_entry(connection, "dataset add", name)
        seen = versions.register(connection, name, made.id, None, 9, 9, "c", {"age": "INTEGER"})
    service.office.data.version = seen.id


def drop_dataset(service: Service, name: str) -> None:
    with service.state.writing() as connection:
        datasets.remove(connection, name)
        add_audit_entry(connection, "dataset remove", name)


def copied(service: Service) -> Path:
    return backup(service.state.path, service.state.path.with_name("copy.sqlite"), SHELL)


def restored(service: Service, copy: Path, *, unrelated: bool = False) -> Restored:
    """The restored state, which is sound, and which its audit, the old heads in it, gives when it is replayed."""
    with service.state.reading() as connection:
        head = str(connection.execute("SELECT hash FROM audit_head").fetchall()[0][0])
    found = restore(service.state.path, copy, SHELL, unrelated=unrelated)
    assert verify(service.state.path, SHELL) == ()
    assert Audit(service.state).verify(None if found.locked else head).findings == ()
    return found


def states(service: Service) -> dict[int, str]:
    return {each.id: each.status for each in service.of().list()}


def released(service: Service, filter: str | None) -> int:
    """Notes a release of rows that pass a filter."""
    request = a_request(filter=filter, k=5, target_path="ages.csv", dataset_version_id=service.office.data.version)
    with service.state.writing() as connection:
        started = requests.start(connection, request)
        requests.finish(connection, replace(started, status="released"))
        return releases.record(connection, started.id, a_release(f"ages-{started.id}.csv"))


def test_a_removed_provider_stays_removed(service: Service) -> None:
    copy = copied(service)
    service.users.remove("pia")
    made = restored(service, copy)
    assert [each.name for each in service.users.list()] == ["ann", "pit", "rei"]
    assert made.carried == ("1 revocation of a token", "the removal of user 'pia'")[::-1]
    assert made.undone == ()
    with pytest.raises(Refused):
        service.of("pia").list()


def test_a_token_that_was_revoked_stays_so_and_one_made_since_is_revoked(service: Service) -> None:
    copy = copied(service)
    service.users.revoke("ann")
    kept = service.tokens["pit"]
    service.tokens["pit again"] = service.users.token("pit").secret
    made = restored(service, copy)
    assert made.carried == ("1 revocation of a token",)
    assert made.undone == ("token 5, which is revoked",)
    for name in ("ann", "pit again"):
        with pytest.raises(Refused):
            service.of(name).list()
    assert service.tokens["pit"] == kept
    assert service.of("pit").list() == ()


def test_a_user_added_since_is_removed(service: Service) -> None:
    copy = copied(service)
    service.add("eve", "provider")
    made = restored(service, copy)
    assert made.undone == ("user 'eve', who is removed", "token 5, which is revoked")
    assert "eve" not in {each.name for each in service.users.list()}
    with pytest.raises(Refused):
        service.of("eve").list()


def test_a_request_refused_since_is_not_approved_again_and_is_not_run(service: Service) -> None:
    number = service.of("ann").submit(text("one")).id
    service.of("rei").review(number, "approve")
    assert states(service) == {number: "approved"}
    copy = copied(service)
    service.of().refuse(number, "it names too few")
    made = restored(service, copy)
    assert states(service) == {number: "refused"}
    assert f"the refusal of request {number}" in made.carried
    with pytest.raises(Refused):
        service.of().run(number)
    assert service.office.ran == []


def test_what_was_said_since_stands(service: Service) -> None:
    number = service.of("ann").submit(text("one")).id
    copy = copied(service)
    service.of("rei").comment(number, "which ages?", "column:age")
    made = restored(service, copy)
    assert made.carried == ("1 comment on a request",)
    assert [each.text for each in service.of("ann").get(number).comments] == ["which ages?"]


def test_a_vote_against_since_stands_and_a_vote_for_is_reset(service: Service) -> None:
    service.set_policy(reviews=2)
    for name in ("ren", "rio"):
        service.add(name, "reviewer")
    for title in ("one", "two"):
        service.of("ann").submit(text(title))
    one, two = sorted(states(service))
    copy = copied(service)
    service.of("rei").review(one, "refuse", "too few")
    service.of("ren").review(two, "approve")
    made = restored(service, copy)
    assert "1 vote against a request" in made.carried
    assert made.undone == ("1 vote for a request",)
    assert [each.vote for each in service.of().get(one).votes] == ["refuse"]
    assert service.of().get(two).votes == ()


def test_an_approval_of_a_request_that_moved_since_is_back_in_review(service: Service) -> None:
    before = service.of("ann").submit(text("one")).id
    after = service.of("ann").submit(text("two")).id
    service.of("rei").review(before, "approve")
    copy = copied(service)
    service.of("rei").review(after, "approve")
    later = service.of("ann").submit(text("three")).id
    service.of("rei").review(later, "approve")
    made = restored(service, copy)
    assert states(service) == {before: "approved", after: "in_review", later: "in_review"}
    assert made.undone == (f"the approvals of requests {after}, {later}",)
    assert service.of("ann").history(after)[-1].action == "request restore"
    with pytest.raises(Refused):
        service.of().run(after)
    service.of().run(before)
    service.of("rei").review(later, "approve")
    service.of().run(later)
    assert states(service) == {before: "run", after: "in_review", later: "run"}


def test_delivered_and_withdrawn_requests_stand_where_they_do(service: Service) -> None:
    first = service.of("ann").submit(text("one")).id
    second = service.of("ann").submit(text("two")).id
    for each in (first, second):
        service.of("rei").review(each, "approve")
    copy = copied(service)
    for each in (first, second):
        service.of().run(each)
    service.of().deliver(first)
    service.of("ann").withdraw(second)
    made = restored(service, copy)
    assert states(service) == {first: "delivered", second: "withdrawn"}
    assert "2 releases" in made.carried
    assert "1 withdrawn or replaced release" in made.carried


def test_quotas_and_accepted_terms_go_on(service: Service) -> None:
    service.set_policy(quota={"requests": 2, "per": "year"}, terms="Nobody is looked for.")
    copy = copied(service)
    service.of("ann").submit(text("one"), accept_terms=True)
    made = restored(service, copy)
    assert "1 acceptance of terms" in made.carried
    service.of("ann").submit(text("two"))
    with pytest.raises(PolicyBroken):
        service.of("ann").submit(text("three"))


def test_a_stricter_policy_stays_in_force(service: Service) -> None:
    service.set_policy(k=5)
    copy = copied(service)
    service.set_policy(k=50)
    made = restored(service, copy)
    assert made.carried == ("1 version of a policy",)
    with pytest.raises(PolicyBroken):
        service.of("ann").submit(text("one", k=10))


def test_row_filters_of_releases_since_are_those_that_later_ones_are_compared_with(service: Service) -> None:
    released(service, None)
    copy = copied(service)
    released(service, "age > 30")
    made = restored(service, copy)
    assert made.carried == ("1 request that ran or was erased", "1 release")
    with service.state.reading() as connection:
        assert set(policies.released_filters(connection, "members")) == {None, "age > 30"}


def test_what_was_erased_since_stays_so(service: Service) -> None:
    number = released(service, None)
    copy = copied(service)
    with service.state.writing() as connection:
        releases.note_erased(connection, [number])
        erase(connection, [1])
    restored(service, copy)
    with service.state.reading() as connection:
        assert requests.get(connection, 1).title == "erased by policy"
        assert releases.get(connection, number).ended == "erased"
    assert b"Ages" not in service.state.path.read_bytes()


@pytest.mark.parametrize(
    ("before", "since", "after"),
    [
        ((5, None), (20, ("age",)), (20, ("age",))),
        ((5, ("age", "sex")), (5, ("sex", "town")), (5, ("sex",))),
        pytest.param((5, ("age",)), (7, ()), (7, ()), marks=pytest.mark.thorough),
        ((20, ()), (5, None), (20, ())),
        pytest.param((5, ("age",)), (5, ("town",)), (5, ()), marks=pytest.mark.thorough),
    ],
)
def test_the_stricter_terms_of_a_dataset_hold(
    service: Service,
    before: tuple[int, tuple[str, ...] | None],
    since: tuple[int, tuple[str, ...] | None],
    after: tuple[int, tuple[str, ...] | None],
) -> None:
    drop_dataset(service, "members")
    add_dataset(service, "members", *before)
    copy = copied(service)
    drop_dataset(service, "members")
    add_dataset(service, "members", *since)
    made = restored(service, copy)
    with service.state.reading() as connection:
        (found,) = datasets.listed(connection)
    assert (found.least_k, found.where_columns) == after
    assert ("the least k of dataset 'members', 20" in made.carried) == (before[0] < since[0] == 20)
    assert made.undone == ("the dataset 'members' that took the place of the one of the backup",)


def test_a_dataset_whose_persons_are_counted_since_counts_them_on(service: Service) -> None:
    copy = copied(service)
    drop_dataset(service, "members")
    add_dataset(service, "members", entity="person")
    made = restored(service, copy)
    assert "the persons counted of dataset 'members'" in made.carried
    with service.state.reading() as connection:
        assert datasets.get(connection, "members").entity_column == "person"


def test_a_source_has_no_right_back_that_was_taken_since(service: Service) -> None:
    def add(connection: duckdb.DuckDBPyConnection, *, may: bool) -> None:
        rights = {"writable": may, "allow_inline": may, "allow_external": may}
        sources.add(connection, "shop", "duckdb", "shop.duckdb", **rights)
        add_audit_entry(connection, "source add", "shop")

    with service.state.writing() as connection:
        add(connection, may=True)
    copy = copied(service)
    with service.state.writing() as connection:
        sources.remove(connection, "shop")
        add(connection, may=False)
    made = restored(service, copy)
    assert made.carried == ("the rights of source 'shop'",)
    with service.state.reading() as connection:
        found = sources.get(connection, "shop")
    assert (found.writable, found.allow_inline, found.allow_external) == (False, False, False)


def test_registrations_since_are_undone_and_listed(service: Service) -> None:
    copy = copied(service)
    add_dataset(service, "visits")
    drop_dataset(service, "members")
    made = restored(service, copy)
    assert made.undone == ("the removal of dataset 'members'", "dataset 'visits'")
    with service.state.reading() as connection:
        assert [each.name for each in datasets.listed(connection)] == ["members"]
    add_dataset(service, "visits")
    assert verify(service.state.path, SHELL) == ()


def test_opt_outs_are_of_both(service: Service) -> None:
    with service.state.writing() as connection:
        opt_outs.add(connection, "members", ["1", "2"])
    copy = copied(service)
    with service.state.writing() as connection:
        opt_outs.remove(connection, "members", ["1"])
        opt_outs.add(connection, "members", ["3"])
    made = restored(service, copy)
    assert made.carried == ("1 opt-out of dataset 'members'",)
    assert made.undone == ("1 opt-out of dataset 'members' taken off",)
    with service.state.reading() as connection:
        assert [count for _, count, _ in opt_outs.listed(connection)] == [3]


def test_numbers_go_on_and_are_never_given_again(service: Service) -> None:
    copy = copied(service)
    first = service.of("ann").submit(text("one")).id
    restored(service, copy)
    assert service.of("ann").submit(text("two")).id > first
    service.add("new", "reviewer")
    assert service.users.tokens()[-1].id == len(service.users.tokens()) == 5


def test_the_number_of_an_erased_request_is_not_given_again(service: Service) -> None:
    number = service.of("ann").submit(text("one")).id
    last = released(service, None)
    with service.state.writing() as connection:
        submissions.erase(StateChanges(connection, "pia"), number, 1)
        run = releases.get(connection, last).request_id
        erase(connection, [run])
        releases.note_erased(connection, [last])
    assert run > number
    assert service.of("ann").submit(text("two")).id == run + 1
    assert released(service, None) == last + 1


def test_every_backup_of_the_state_stays_one(service: Service) -> None:
    """A later one, too: the audit has every entry, so that its last one still stands there."""
    early = copied(service)
    service.users.remove("pia")
    late = backup(service.state.path, early.with_name("late.sqlite"), SHELL)
    restored(service, early)
    assert restored(service, late).locked == ""
    assert restored(service, early).locked == ""
    assert "pia" not in {each.name for each in service.users.list()}


def another_state(service: Service) -> Path:
    """A backup of another state, with a user, a token and requests in review and approved."""
    folder = service.state.path.with_name("other")
    folder.mkdir()
    initialise(folder / "state.sqlite")
    other = Service(StandIns(StateFile(folder / "state.sqlite", SHELL)))
    add_dataset(other, "members")
    for name, role in (("ann", "data-user"), ("rei", "reviewer")):
        other.add(name, role)
    service.tokens.update(other.tokens)
    for title in ("one", "two", "three", "four"):
        other.of("ann").submit(text(title))
    one, two, three, four = sorted(states(other))
    other.of("rei").review(one, "approve")
    other.of("rei").review(two, "approve")
    other.of().run(two)
    other.of().refuse(three, "no")
    assert states(other) == {one: "approved", two: "run", three: "refused", four: "predicted"}
    return backup(other.state.path, service.state.path.with_name("another.sqlite"), SHELL)


def locked(service: Service) -> None:
    """Nobody can act by a token, and what was not settled is in review."""
    assert list(states(service).values()) == ["in_review", "refused", "in_review", "in_review"]
    assert all(each.revoked_at is not None for each in service.users.tokens())
    with pytest.raises(Refused):
        service.of("ann").list()
    for number, state in states(service).items():
        with pytest.raises(Refused):
            service.of().run(number)
        with pytest.raises(Refused):
            service.of().deliver(number)
        assert service.of().get(number).votes == () or state == "refused"


def test_a_backup_of_another_state_is_refused(service: Service) -> None:
    copy, before = another_state(service), service.state.path.read_bytes()
    with pytest.raises(InputError, match="no backup of the state in place") as caught:
        restore(service.state.path, copy, SHELL)
    assert "--unrelated" in caught.value.next_step
    assert service.state.path.read_bytes() == before


def test_a_backup_of_another_state_locks_it_where_that_is_asked_for(service: Service) -> None:
    copy = another_state(service)
    made = restored(service, copy, unrelated=True)
    assert made.locked == "the backup is of another state"
    locked(service)


@pytest.mark.parametrize(
    "damage", ["missing", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("cut", "edited", "newer"))]
)
def test_a_state_that_cannot_be_compared_locks_the_restored_one(service: Service, damage: str) -> None:
    copy, path = another_state(service), service.state.path
    if damage == "missing":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:20_000])
    else:
        statement = {
            "edited": "UPDATE tokens SET revoked_at = NULL, expires_at = '2999-01-01 00:00:00.000000'",
            "newer": "INSERT INTO migrations SELECT MAX(number) + 1, 'n', 'c', '2026-01-01 00:00:00' FROM migrations",
        }[damage]
        with by_hand(path) as connection:
            connection.execute(statement)
    found = restore(path, copy, SHELL)
    assert found.locked
    assert verify(path, SHELL) == ()
    assert Audit(service.state).verify().findings == ()
    locked(service)


def test_an_older_state_is_migrated_before_it_is_replaced(service: Service) -> None:
    copy = copied(service)
    with by_hand(service.state.path) as connection:
        connection.execute("DELETE FROM migrations WHERE number = (SELECT MAX(number) FROM migrations)")
    with pytest.raises(StateOlder, match="migration"):
        restore(service.state.path, copy, SHELL)


def test_what_goes_back_to_review_is_a_move_of_the_lifecycle() -> None:
    (move,) = [each for each in MOVES if each.name == "restore"]
    assert (move.sources, move.target, move.by_itself) == (UNSETTLED, "in_review", True)


def no_end(path: Path) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "place",
    [
        pytest.param("merge", marks=pytest.mark.thorough),
        "_require_merged",
        pytest.param("name_of_before", marks=pytest.mark.thorough),
    ],
)
def test_a_restore_that_ends_on_the_way_leaves_the_state_as_it_was(
    service: Service, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = copied(service)
    service.users.remove("pia")
    before = service.state.path.read_bytes()
    monkeypatch.setattr(f"ordermade.state.backup.{place}", lambda *_, **__: no_end(copy))
    with pytest.raises(KeyboardInterrupt):
        restore(service.state.path, copy, SHELL)
    assert service.state.path.read_bytes() == before
    assert not [each for each in service.state.path.parent.iterdir() if each.name.startswith(".")]
