"""An office of stand-ins for tests of the service: what the lifecycle needs of an engine, without any data.

A run notes a request and a release in the state as a real one does.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from ordermade.errors import InputError
from ordermade.policies.policy import read_policy
from ordermade.release.files import manifest_of
from ordermade.requests.read import RequestLike, read_like
from ordermade.service.authentication import Credential
from ordermade.service.submissions import Submissions
from ordermade.service.users import Users
from ordermade.state import policies, releases, requests, versions
from ordermade.state.audit import add_audit_entry
from ordermade.state.authority import SHELL, hash_of
from ordermade.state.connection import IN_MEMORY, StateConnection, connect, file_address, transaction
from ordermade.state.database import StateFile
from ordermade.state.leases import Lease
from ordermade.state.records.requests import RequestRecord
from ordermade.state.replay import unlike_their_steps
from ordermade.state.statements import utc_now
from tests.made import new_state
from tests.noted import a_release, a_request

REQUEST = """\
title: Ages, {title}
dataset: members
method: microaggregation
k: {k}
attributes: {{age: }}
release: {{to: ages.csv}}
"""


MANIFEST: dict[str, Any] = {
    "request": {"k": 5}, "method": "microaggregation", "shape": "rows", "counts": "rows", "pseudonym": None, "k": 1,
    "persons": None, "suppressed_rows": 0, "suppressed_persons": None, "star_rows": 0, "risk": {}, "sensitive": [],
    "loss": {},
}  # fmt: skip


def text(title: str, k: int = 5) -> str:
    """A request that needs no prediction: microaggregation passes or not by the number of rows alone."""
    return REQUEST.format(title=title, k=k)


@dataclass
class Data:
    """The data of the dataset: its version, what a file that requests name says, and whether it is large enough.

    `looked`, `ran`: what a look at the data, or a run, ends in; None where it ends well.
    """

    version: int = 1
    file: str = "as it was"
    enough: bool = True
    looked: BaseException | None = None
    ran: BaseException | None = None


@dataclass
class StandIns:
    """Checks, and answers requests, on one state; `ran` has the folder of each release that was made, in order."""

    state: StateFile
    data: Data = field(default_factory=Data)
    ran: list[str] = field(default_factory=list)

    def check(self, request: RequestLike) -> Any:
        said = hashlib.sha256(self.data.file.encode()).hexdigest()
        return SimpleNamespace(filter_text=None, said_by_files={("release", "file"): said})

    def check_data(self, request: RequestLike) -> Any:
        if self.data.looked is not None:
            raise self.data.looked
        return SimpleNamespace(version_id=self.data.version)

    def last_version(self, dataset: str, filter_text: str | None) -> int | None:
        return self.data.version

    def predict(self, request: RequestLike, *, note: bool = False, look: bool = True) -> Any:
        raise AssertionError("nothing is predicted of a microaggregation")

    def require_certifiable(self, request: RequestLike, to: Path) -> None:
        raise InputError("a microaggregation proves no optimum")

    def foreseen(self, request: RequestLike, recipients: Sequence[str] = ()) -> Any:
        raise AssertionError("nothing is foreseen of a microaggregation")

    def offers(self, request: RequestLike, *, under_refusal: bool = False, recipients: Sequence[str] = ()) -> Any:
        raise AssertionError("no offers are made of a microaggregation")

    def run(
        self,
        request: RequestLike,
        *,
        again: bool = False,
        recipients: Sequence[str] = (),
        reviewed: bool = True,
        lease: Lease | None = None,
    ) -> Any:
        read = read_like(request)
        path = read.request.release.path
        assert path is not None
        if path.exists() and not again:
            with self.state.reading() as connection:
                number = releases.standing(connection, path=str(path))
                assert number is not None
                found = releases.get(connection, number).request_id
            return SimpleNamespace(status="released", request=found, reason=None, released=True)
        assert recipients
        assert isinstance(reviewed, bool)
        assert lease is not None
        self.ran.append(path.parent.name)
        if self.data.ran is not None:
            raise self.data.ran
        request = a_request(
            title=read.request.title, k=read.request.k, target_path=str(path), dataset_version_id=self.data.version
        )
        with self.state.writing() as connection:
            _note_version(connection, self.data.version)
            started = requests.start(connection, request)
        number = started.id
        if not self.data.enough:
            self._finish(started, "refused")
            return SimpleNamespace(status="refused", request=number, reason="the coarsest has k = 13", released=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("age\n40\n", encoding="utf-8")
        manifest_of(path).write_text(json.dumps(MANIFEST), encoding="utf-8")
        self._finish(started, "released")
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        release = a_release(str(path), sha256=sha256, rows=1, k=read.request.k)
        with self.state.writing() as connection:
            releases.record(connection, number, release)
        return SimpleNamespace(status="released", request=number, reason=None, released=True)

    def _finish(self, started: RequestRecord, status: str) -> None:
        with self.state.writing() as connection:
            requests.finish(connection, replace(started, status=status))

    @property
    def releases(self) -> Any:
        return SimpleNamespace(verify=lambda _: SimpleNamespace(intact=True, measured=SimpleNamespace(k=5)))


def _note_version(connection: StateConnection, number: int) -> None:
    """Notes a version of the dataset that the stand-ins say they read, unless it is noted."""
    if versions.find(connection, number) is None:
        now = utc_now()
        content = {"dataset_hash": f"d{number}", "rows": 40, "hash_sum": number, "columns_hash": "c"}
        others = dict.fromkeys(("dataset_id", "filter", "persons", "vouched_by"))
        versions.VERSIONS.insert(connection, id=number, first_seen_at=now, last_seen_at=now, **content, **others)


@dataclass
class Service:
    """A state with users, and the nouns of the service for each of them."""

    office: StandIns
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def state(self) -> StateFile:
        return self.office.state

    @property
    def users(self) -> Users:
        return Users(self.state, Credential())

    def add(self, name: str, *roles: str) -> None:
        self.users.add(name, roles)
        self.tokens[name] = self.users.token(name).secret

    def of(self, name: str | None = None) -> Submissions:
        """The requests as a user sees them; None: at the provider's shell."""
        return Submissions(self.state, self.office, Credential(None if name is None else hash_of(self.tokens[name])))

    def set_policy(self, **rules: Any) -> None:
        """Sets the policy of the dataset, which is not registered: nothing here has any columns."""
        policy = read_policy({"dataset": "members", **rules}).policy
        with self.state.writing() as connection:
            record = policies.put(connection, policy.dataset, policy.canonical, policy.hash)
            detail = f"version {record.version}, {record.policy_hash}"
            add_audit_entry(connection, "policy set", policy.dataset, detail)

    def unlike_the_audit(self) -> tuple[str, ...]:
        """How the tables differ from the audit, replayed."""
        with self.state.reading() as connection:
            return tuple(f"{each.where}: {each.what}" for each in unlike_their_steps(connection))


@dataclass(frozen=True)
class HeldState(StateFile):
    """A state that one process alone works on, open from the first to the last step."""

    connection: StateConnection = field(default_factory=lambda: connect(IN_MEMORY))

    @contextmanager
    def reading(self) -> Iterator[StateConnection]:
        yield self.connection

    @contextmanager
    def writing(self) -> Iterator[StateConnection]:
        with transaction(self.connection):
            yield self.connection


def made(folder: Path, template: Path | None = None) -> Service:
    """A new state in a folder; `template`: one to copy and to hold open."""
    path = folder / "state.sqlite"
    if template is None:
        return Service(StandIns(StateFile(new_state(path), SHELL)))
    shutil.copyfile(template, path)
    held = connect(file_address(path, read_only=False))
    return Service(StandIns(HeldState(path, SHELL, connection=held)))


@dataclass
class Clock:
    """The time that has passed beside the real one."""

    passed: timedelta = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC).replace(tzinfo=None) + self.passed


_CLOCKS = (
    *("state.statements", "state.users", "state.submissions", "state.data_refusals", "state.mails"),
    *(
        "service.step",
        "service.submissions",
        "service.submitted",
        "service.users",
        "service.running",
        "service.effective_policy",
    ),
)


@contextmanager
def clock() -> Iterator[Clock]:
    """The clock of the service, to be put forward."""
    found = Clock()
    for each in _CLOCKS:
        import_module(f"ordermade.{each}")  # before any is patched: one that is imported later would keep this clock
    with ExitStack() as stack:
        for each in _CLOCKS:
            stack.enter_context(patch(f"ordermade.{each}.utc_now", found.now))
        yield found
