"""Who may make which call of the library, and by what authority a state is opened: nothing passes beyond the table."""

from __future__ import annotations

import copy
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ordermade.state
from ordermade import Engine, initialise
from ordermade.catalogue.repeated_requests import differences, rerun
from ordermade.cli.options import Settings
from ordermade.errors import Refused, StateMissing
from ordermade.state import database
from ordermade.state.authority import SHELL, Authority, OfService, OfUser, hash_of
from ordermade.state.backup import backup, restore, rewrite
from ordermade.state.database import StateFile, migrate, status
from ordermade.state.inspection import state_status, verify
from ordermade.state.names import registered_names
from ordermade.state.old_states import remove_old_states

PACKAGE = Path(__file__).resolve().parents[2] / "engine" / "ordermade"
USER, REVIEWER = "data-user", "reviewer"
BOTH = {USER, REVIEWER}
MAY = {
    **dict.fromkeys(("catalogue", "catalogue.list", "catalogue.get"), BOTH),
    **dict.fromkeys(("catalogue.releases", "catalogue.release", "catalogue.release_file"), BOTH),
    **{f"catalogue.{name}": {USER} for name in ("add_hierarchy", "hierarchies", "remove_hierarchy")},
    "check": BOTH,
    "close": BOTH,
    "policies": BOTH,
    "policies.show": BOTH,
    "releases": BOTH,
    **dict.fromkeys(("releases.cited", "releases.report"), BOTH),
    "submissions": BOTH,
    **{
        f"submissions.{name}": BOTH
        for name in ("acting", "list", "get", "allowed", "where", "history", "numbered", "progress", "comment")
    },
    **{f"submissions.{name}": BOTH for name in ("due", "expire", "hierarchies")},
    **{f"submissions.{name}": {USER} for name in ("submit", "accept", "revise", "withdraw", "rerun", "forecast")},
    **{f"submissions.{name}": {USER} for name in ("collect", "delivered_file", "certificate")},
    **{f"submissions.{name}": {REVIEWER} for name in ("review", "to_review", "evidence")},
}
"""The table of roles, written down a second time: a call that is not here is the provider's alone."""
NOUNS = ("sources", "datasets", "hierarchies", "policies", "releases", "observations", "requests", "cache")
SERVICE = ("catalogue", "submissions", "users", "retention")


def public(kind: Any) -> list[str]:
    return [name for name in dir(kind) if not name.startswith("_")]


def calls(engine: Engine) -> list[str]:
    """Every public member of an engine and of its nouns."""
    found = [name for name in public(engine) if name not in ("token", "in_memory")]
    return found + [f"{noun}.{name}" for noun in (*NOUNS, *SERVICE) for name in public(getattr(engine, noun))]


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("state") / "state.sqlite"
    initialise(path)
    return path


@pytest.fixture(scope="module")
def tokens(state: Path) -> dict[str, str]:
    """A token for each role, and one that was revoked."""
    users = Engine(state).users
    found = {}
    for role in (USER, REVIEWER, "provider", "revoked"):
        users.add(f"a {role}", ["provider" if role == "revoked" else role])
        found[role] = users.token(f"a {role}").secret
    users.revoke("a revoked")
    return {**found, "unknown": "x" * 43}


def outcome(call: Callable[[], object]) -> str:
    """What becomes of a call. No AttributeError stands in for a refusal."""
    try:
        call()
    except Refused:
        return "refused"
    return "passed"


def reach(engine: Engine, path: str) -> object:
    found: Any = engine
    for name in path.split("."):
        found = getattr(found, name)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("role", [USER, REVIEWER, "unknown", "revoked"])
def test_no_call_passes_the_table_of_roles(state: Path, tokens: dict[str, str], role: str) -> None:
    engine = Engine(state, token=tokens[role])
    known = calls(Engine(state)) if role in BOTH else ["run", "close", "check", "releases", "users.list", *MAY]
    assert set(MAY) <= set(known)
    passed = {path for path in known if outcome(lambda each=path: reach(engine, each)) == "passed"}
    print(f"{role}: of {len(known)} calls {len(passed)} passed, {len(passed - set(MAY))} beyond the table")
    expected = {path for path, roles in MAY.items() if role in roles}
    assert passed == expected


@pytest.mark.slow
def test_a_provider_makes_every_call_by_a_token(state: Path, tokens: dict[str, str]) -> None:
    engine = Engine(state, token=tokens["provider"])
    for path in calls(Engine(state)):
        reach(engine, path)


AROUND: dict[str, Callable[[Engine], object]] = {
    "a method of the class": lambda engine: Engine.run(engine, {}),
    "a property of the class": lambda engine: Engine.state_file.fget(engine),
    "the requests by the class": lambda engine: Engine.submissions.fget(engine).office.sources.list(),
    "the state by the class": lambda engine: Engine.submissions.fget(engine).state,
    "the users by the class": lambda engine: Engine.users.fget(engine),
    "a copy without its token": lambda engine: replace(engine, token=None),
    "a copy": lambda engine: copy.copy(engine).sources,
    "a function on an engine": lambda engine: rerun(engine, 1),
    "a function on its state": lambda engine: differences(engine.state_file, 1, 2),
    "the state of a noun": lambda engine: engine.submissions.state.reading().__enter__(),
    "the office of a noun": lambda engine: engine.submissions.office.run({}),
    "the office of the releases": lambda engine: engine.releases.office,
    "a list of releases": lambda engine: engine.releases.list(),
    "the policies": lambda engine: engine.policies.set({}),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", AROUND)
def test_no_way_leads_around_the_table(state: Path, tokens: dict[str, str], way: str) -> None:
    for role in (USER, REVIEWER):
        assert outcome(lambda r=role: AROUND[way](Engine(state, token=tokens[r]))) == "refused"


def test_a_state_is_opened_by_an_authority_without_default(state: Path) -> None:
    with pytest.raises(TypeError, match="authority"):
        StateFile(state)


@pytest.mark.slow
def test_a_token_opens_the_state_as_a_provider_alone(state: Path, tokens: dict[str, str]) -> None:
    for role, token in tokens.items():
        file = StateFile(state, OfUser(hash_of(token)))
        for opened in (file.reading, file.writing):
            assert outcome(lambda o=opened: o().__enter__()) == ("passed" if role == "provider" else "refused")
    with pytest.raises(Refused, match="the state is the provider's"):
        Settings(str(state), token=tokens[USER]).state_file()
    for authority in (SHELL, OfService(hash_of(tokens[USER]))):
        with StateFile(state, authority).reading():
            pass


def taking_a_path() -> Iterator[tuple[str, Any]]:
    """The public functions of `ordermade.state`, and the methods of its public classes, that take a path."""
    for module in pkgutil.walk_packages(ordermade.state.__path__, "ordermade.state."):
        for name, each in vars(importlib.import_module(module.name)).items():
            if name.startswith("_") or getattr(each, "__module__", "") != module.name:
                continue
            named = f"{module.name.removeprefix('ordermade.state.')}.{name}"
            if inspect.isfunction(each) and takes_a_path(each):
                yield named, each
            if inspect.isclass(each):
                if OPENING.search(inspect.getsource(each)):
                    yield f"{named}.__init__", vars(each)["__init__"]
                for method, one in vars(each).items():
                    if inspect.isfunction(one) and method[0] != "_" and takes_a_path(one):
                        yield f"{named}.{method}", one


def takes_a_path(function: Any) -> bool:
    """Whether a parameter is a path, by its type; one that takes an open connection opens nothing."""
    types = [str(each.annotation) for each in inspect.signature(function).parameters.values()]
    return any("Path" in each for each in types) and not any("Connection" in each for each in types)


OPENS_NO_STATE = {
    *("new_files.require_new", "new_files.new_file", "new_files.write_new_file"),  # the name of a new file
    *("cache.Cache.__init__", "cache.CacheFile.__init__", "cache.cache_beside"),  # the cache beside the state
    *("cache.Cache.twin", "cache.Cache.keep_twin"),
    "ledger.Ledger.__init__",  # the ledger beside the state
    *("connection.file_address", "database.until_free", "carried_over.merge", "observation_export.write_observations"),
    *("database.located", "location.cache_path", "location.ledger_path", "location.runs_folder"),  # places
    *("location.look_up", "location.locate_state", "location.not_found_above", "location.state_here"),
    "location.earlier_state",
    *("old_states.name_of_before", "old_states.old_states"),  # names of files
    "migrations.known_migrations",  # the files of the engine
    "migrations.require_known",
    *("runs.alive", "runs.abandoned", "runs.run_folders", "runs.remove_if_empty"),  # folders
    *("runs.Run.workshop", "runs.Run.foreseen"),
    "faults.state_fault",
    *("files.require", "files.refuse_backslash", "files.make_folder", "files.alone_beside"),
    *("files.discard_left_beside", "files.beside", "files.put_in_place", "files.when_free"),
}
"""Functions that take a path and open no state there, so that they need no authority."""
OPENING = re.compile(r"\b(?<!_file.)(opened|_connected|connect)\(|StateFile\(")


def test_whatever_opens_a_state_by_its_path_takes_an_authority_without_default() -> None:
    found = dict(taking_a_path())
    assert {"database.opened", "backup.restore", "names.registered_names", "database.StateFile.__init__"} <= set(found)
    without = set()
    for name, each in found.items():
        given = inspect.signature(each).parameters.get("authority")
        if given is None or given.default is not inspect.Parameter.empty or "Authority" not in str(given.annotation):
            without.add(name)
    assert without <= OPENS_NO_STATE, "give these an authority without a default, and hold them to it"
    for name in without & set(found):
        code = "" if name.endswith("__init__") else inspect.getsource(found[name])
        assert not OPENING.search(code.partition("\n")[2]), name


BY_PATH: dict[str, Callable[[Path, Path, Authority], object]] = {
    "database.status": lambda state, _, by: status(state, by),
    "database.migrate": lambda state, _, by: migrate(state, by),
    "database.initialise": lambda state, _, by: database.initialise(state, by),
    "database.opened": lambda state, _, by: database.opened(
        state, by, read_only=True, wait_seconds=1, notice=None
    ).__enter__(),
    "database.require_provider": lambda state, _, by: database.require_provider(state, by, wait_seconds=1, notice=None),
    "inspection.state_status": lambda state, _, by: state_status(state, by),
    "inspection.verify": lambda state, _, by: verify(state, by),
    "names.registered_names": lambda state, _, by: registered_names(state, "users", by),
    "backup.backup": lambda state, folder, by: backup(state, folder / "copy.sqlite", by),
    "backup.rewrite": lambda state, _, by: rewrite(state, by),
    "old_states.remove_old_states": lambda state, _, by: remove_old_states(state, by),
    "backup.restore": lambda state, folder, by: restore(state, folder / "kept.sqlite", by),
}
"""The functions that open a state by its path."""


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_PATH)
def test_the_provider_alone_has_a_state_by_its_path(
    state: Path, tokens: dict[str, str], tmp_path: Path, name: str
) -> None:
    backup(state, tmp_path / "kept.sqlite", SHELL)
    before = state.read_bytes()
    nobody: tuple[Authority, ...] = (Authority(), *(OfService(hash_of(each)) for each in tokens.values()))
    users = [OfUser(hash_of(token)) for role, token in tokens.items() if role != "provider"]
    for by in (*nobody, *users):
        assert outcome(lambda by=by: BY_PATH[name](state, tmp_path, by)) == "refused"
    assert state.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["kept.sqlite"]
    assert outcome(lambda: BY_PATH[name](state, tmp_path, OfUser(hash_of(tokens["provider"])))) == "passed"


@pytest.mark.slow
def test_every_function_that_opens_a_state_by_its_path_is_tried() -> None:
    tried = {*BY_PATH, "database.StateFile.__init__", "conversion.convert"}  # which no token may
    assert {name for name, _ in taking_a_path()} - OPENS_NO_STATE == tried


@pytest.mark.slow
def test_a_token_is_accepted_by_the_state_in_place_alone(tokens: dict[str, str], state: Path, tmp_path: Path) -> None:
    """Where there is none, no token is a provider's: not even to make or to restore one that has it."""
    by, there = OfUser(hash_of(tokens["provider"])), tmp_path / "none" / "state.sqlite"
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    for begin in (lambda: database.initialise(there, by), lambda: restore(there, copy, by)):
        with pytest.raises(StateMissing):
            begin()
    assert not there.parent.exists()


def test_the_service_alone_stands_for_a_token_that_was_accepted() -> None:
    for path in PACKAGE.rglob("*.py"):
        made = re.search(r"\b(OfService|OfProvider)\(", path.read_text(encoding="utf-8").replace("class Of", ""))
        if made and path.name != "authority.py":
            assert path.parent.name == "service", path


ONCE = {"service/lifecycle.py": 1, "service/users.py": 1, "state/authority.py": 2}
"""Where a role is looked for: of an actor, of users that are left, of a token for the state, and for its bounds."""


def test_the_role_of_the_provider_is_looked_for_in_one_place() -> None:
    found: dict[str, int] = {}
    for path in PACKAGE.rglob("*.py"):
        count = len(re.findall(r"(PROVIDER|\"provider\") (not )?in \w", path.read_text(encoding="utf-8")))
        if count:
            found[path.relative_to(PACKAGE).as_posix()] = count
    assert found == ONCE
