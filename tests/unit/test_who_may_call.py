"""Who may make which call of the library, and by what authority a state is opened: nothing passes beyond the table."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine, initialise
from ordermade.catalogue.again import differences, rerun
from ordermade.cli.options import Settings
from ordermade.errors import Refused
from ordermade.state.authority import SHELL, OfService, OfUser, hash_of
from ordermade.state.database import StateFile

PACKAGE = Path(__file__).resolve().parents[2] / "engine" / "ordermade"
USER, REVIEWER = "data-user", "reviewer"
BOTH = {USER, REVIEWER}
MAY = {
    "check": BOTH,
    "close": BOTH,
    "policies": BOTH,
    "policies.show": BOTH,
    "releases": BOTH,
    "releases.report": BOTH,
    "submissions": BOTH,
    **{f"submissions.{name}": BOTH for name in ("acting", "list", "get", "allowed", "where", "history", "numbered")},
    **{f"submissions.{name}": BOTH for name in ("due", "expire")},
    **{f"submissions.{name}": {USER} for name in ("submit", "accept", "revise", "withdraw", "rerun")},
    **{f"submissions.{name}": {USER} for name in ("collect", "delivered_file")},
    "submissions.review": {REVIEWER},
}
"""The table of roles, written down a second time: a call that is not here is the provider's alone."""
NOUNS = ("sources", "datasets", "hierarchies", "policies", "releases", "observations", "requests", "cache")
SERVICE = ("submissions", "users", "retention")


def public(kind: Any) -> list[str]:
    return [name for name in dir(kind) if not name.startswith("_")]


def calls(engine: Engine) -> list[str]:
    """Every public member of an engine and of its nouns."""
    found = [name for name in public(engine) if name not in ("token", "in_memory")]
    return found + [f"{noun}.{name}" for noun in (*NOUNS, *SERVICE) for name in public(getattr(engine, noun))]


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("state") / "state.duckdb"
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


def test_the_service_alone_stands_for_a_token_that_was_accepted() -> None:
    for path in PACKAGE.rglob("*.py"):
        made = re.search(r"\b(OfService|OfProvider)\(", path.read_text(encoding="utf-8").replace("class Of", ""))
        if made and path.name != "authority.py":
            assert path.parent.name == "service", path
