"""The releases of submitted requests in the folder beside the state: which of them stay, and which are taken away."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

import pytest
import yaml

from ordermade.errors import InputError, Refused, ReleaseFault
from ordermade.release.files import manifest_of
from ordermade.requests.read import read_request
from ordermade.service import retention, running
from ordermade.service.certifying import certificate_of
from ordermade.service.retention import ServiceRetention
from ordermade.service.revising import delivery
from ordermade.service.step import ServiceStep
from ordermade.service.submissions import Submissions
from ordermade.state import releases
from ordermade.state.authority import SHELL
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile
from tests.long import sampled
from tests.service_office import Service, StandIns, clock, made, text

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """A service with a data user and a reviewer."""
    found = made(tmp_path_factory.mktemp("template"))
    for name, role in (("ann", "data-user"), ("rei", "reviewer")):
        found.add(name, role)
    return found


@pytest.fixture
def service(template: Service, tmp_path: Path) -> Service:
    path = Path(shutil.copy(template.state.path, tmp_path))
    return Service(StandIns(StateFile(path, SHELL), replace(template.office.data)), dict(template.tokens))


def files(service: Service) -> set[str]:
    """The files of releases, each by its folder and name."""
    deliveries = service.state.path.parent / "deliveries"
    return {str(each.relative_to(deliveries)) for each in deliveries.rglob("*") if each.is_file()}


def standing(service: Service) -> list[str]:
    with service.state.reading() as connection:
        return [each.standing for each in releases.listed(connection)]


def approved(service: Service) -> int:
    number = service.of("ann").submit(text("one")).id
    service.of("rei").review(number, "approve")
    return number


def killed_run(service: Service, monkeypatch: pytest.MonkeyPatch) -> int:
    """A request of which a run was killed once its release was there."""

    def killed(*_: object) -> Any:
        raise KeyboardInterrupt

    number = approved(service)
    with monkeypatch.context() as patched:
        patched.setattr(running, "_noted", killed)
        with pytest.raises(KeyboardInterrupt):
            service.of().run(number)
    assert files(service) == {f"{number}-1/ages.csv", f"{number}-1/ages.csv.manifest.json"}
    return number


def expire(of: Submissions, _: int) -> None:
    with clock() as passing:
        passing.passed = timedelta(days=21)
        of.expire()


def change_and_run(of: Submissions, number: int) -> None:
    of.office.data.version += 1  # type: ignore[attr-defined]
    assert of.run(number).returned


def run_on_few(of: Submissions, number: int) -> None:
    of.office.data.enough = False  # type: ignore[attr-defined]
    with of.state.reading() as connection:
        (path,) = [each.name for each in releases.listed(connection)]
    Path(path).unlink()
    assert of.run(number).submission.status == "refused"


@pytest.mark.parametrize(
    ("who", "end"),
    sampled(
        [
            ("ann", lambda of, number: of.withdraw(number)),
            ("ann", lambda of, number: of.revise(number, text("two"))),
            (None, lambda of, number: of.refuse(number, "too detailed")),
            (None, expire),
            (None, change_and_run),
            (None, run_on_few),
        ],
        2,
    ),
    ids=["withdraw", "revise", "refuse", "expire", "return", "refused by its data"],
)
def test_the_release_of_a_killed_run_ends_with_what_it_was_of(
    service: Service, monkeypatch: pytest.MonkeyPatch, who: str | None, end: Callable[[Submissions, int], Any]
) -> None:
    service.set_policy(expiry="20 days")
    number = killed_run(service, monkeypatch)
    for each in files(service):
        if each.endswith(".csv"):  # its certificate goes with it
            certificate_of(service.state.path.parent / "deliveries" / each).write_text("{}", encoding="utf-8")
    end(service.of(who), number)
    assert standing(service) == ["withdrawn"]
    assert files(service) == set()


def test_a_file_that_cannot_be_removed_stops_no_other_request(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = killed_run(service, monkeypatch)
    with monkeypatch.context() as patched:
        patched.setattr(ServiceStep, "take_away", lambda _: None)
        service.of("ann").withdraw(number)
    left = service.state.path.parent / "deliveries" / f"{number}-1" / "ages.csv"
    left.unlink()
    left.mkdir()
    other = service.of("ann").submit(text("two")).id
    service.of("rei").review(other, "approve")
    assert service.of().run(other).submission.status == "run"
    assert service.of().expire() == ()
    left.rmdir()
    service.of().expire()
    assert files(service) == {f"{other}-1/ages.csv", f"{other}-1/ages.csv.manifest.json"}


def test_a_release_that_is_refused_goes_and_its_user_may_revise(service: Service) -> None:
    number = approved(service)
    service.of().run(number)
    refused = service.of().refuse(number, "the cities are too small")
    assert (refused.status, refused.release_id) == ("refused", None)
    assert (standing(service), files(service)) == (["withdrawn"], set())
    service.of("ann").revise(number, text("two"))
    service.of("rei").review(number, "approve")
    service.of().run(number)
    assert service.of().deliver(number).release == 2


def test_a_release_that_the_policy_does_not_allow_any_more_is_not_delivered(service: Service) -> None:
    number = approved(service)
    service.of().run(number)
    service.set_policy(k=8)
    with pytest.raises(Refused, match=r"`deliver` is not possible: the policy was tightened: k of 5 is below"):
        service.of().deliver(number)
    service.set_policy(k=5)
    assert service.of().deliver(number).submission.status == "delivered"


def test_a_full_disk_leaves_nothing_of_a_copy_and_the_next_one_is_made(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, to = approved(service), tmp_path / "mine.csv"
    service.of().run(number)
    for delivers in (True, False):
        copy: Callable[..., object] = service.of().deliver if delivers else service.of("ann").collect

        def copied(content: IO[bytes], made: IO[bytes]) -> None:
            made.write(content.read(1))
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(shutil, "copyfileobj", copied)
            with pytest.raises(ReleaseFault, match="No space left") as fault:
                copy(number, to)
        assert ("it was delivered" in fault.value.message) == delivers
        assert (f"request collect {number} --to" in fault.value.message) == delivers
        assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["state.sqlite"]
    assert service.of("ann").collect(number, to).read_text(encoding="utf-8") == "age\n40\n"


@pytest.mark.parametrize("killed_at", ["write", "fsync", "link", "second link"])
def test_a_killed_copy_leaves_nothing_half_written_under_its_name(
    service: Service, tmp_path: Path, killed_at: str
) -> None:
    number, to = approved(service), tmp_path / "mine.csv"
    service.of().run(number)
    service.of().deliver(number)
    (whole,) = (each for each in (tmp_path / "deliveries").rglob("ages.csv"))
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            if killed_at == "write":
                shutil.copyfileobj = lambda content, made: (made.write(content.read(1)), made.flush(), os._exit(9))
            elif killed_at == "second link":
                link, made = os.link, list[Path]()
                os.link = lambda *names, **options: os._exit(9) if made else made.append(link(*names, **options))
            else:
                setattr(os, killed_at, lambda *_, **__: os._exit(9))
            service.of("ann").collect(number, to)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert not to.exists() or to.read_bytes() == whole.read_bytes()
    assert manifest_of(to).exists() == (killed_at == "second link")
    assert service.of("ann").collect(number, to).read_bytes() == whole.read_bytes()
    assert [each for each in tmp_path.iterdir() if each.name.startswith(".")] == []


@pytest.mark.parametrize("other", ["text", "link", "folder"])
def test_a_manifest_that_no_killed_copy_left_is_not_taken_for_one(service: Service, tmp_path: Path, other: str) -> None:
    number, to = approved(service), tmp_path / "mine.csv"
    service.of().run(number)
    service.of().deliver(number)
    note, aside = manifest_of(service.of("ann").collect(number, to)), tmp_path / "aside"
    to.unlink()
    note.rename(aside)
    if other == "text":
        note.write_text(aside.read_text(encoding="utf-8") + " ", encoding="utf-8")
    elif other == "link":
        note.symlink_to(aside)
    else:
        note.mkdir()
    with pytest.raises(InputError, match="a file of this name exists"):
        service.of("ann").collect(number, to)
    assert not to.exists()


def test_a_release_that_changes_while_it_is_copied_is_not_handed_over(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, to = approved(service), tmp_path / "mine.csv"
    service.of().run(number)
    service.of().deliver(number)

    def changed(content: IO[bytes], made: IO[bytes]) -> None:
        made.write(content.read() + b"41\n")

    monkeypatch.setattr(shutil, "copyfileobj", changed)
    with pytest.raises(ReleaseFault, match="changed while it was copied"):
        service.of("ann").collect(number, to)
    assert not to.exists()
    assert not manifest_of(to).exists()


def test_a_file_that_came_meanwhile_is_left(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number, to = approved(service), tmp_path / "mine.csv"
    service.of().run(number)
    service.of().deliver(number)
    to.write_text("another's", encoding="utf-8")
    monkeypatch.setattr(running, "_require_free", lambda *_, **__: None)
    with pytest.raises(ReleaseFault):
        service.of("ann").collect(number, to)
    assert to.read_text(encoding="utf-8") == "another's"
    assert not manifest_of(to).exists()


def test_a_release_is_kept_from_its_delivery_on(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.set_policy(retention={"releases": "30 days"})
    number = approved(service)
    service.of().run(number)
    retained = ServiceRetention(service.state, Cache(tmp_path / "cache.duckdb"), service.of())
    with clock() as passing:
        monkeypatch.setattr(retention, "utc_now", passing.now)
        passing.passed = timedelta(days=20)
        service.of().deliver(number)
        passing.passed = timedelta(days=40)
        assert retained.apply().datasets[0].releases == ()
        assert service.of("ann").collect(number, tmp_path / "mine.csv").is_file()
        passing.passed = timedelta(days=51)
        assert retained.apply().expired == (number,)
    assert standing(service) == ["withdrawn"]
    assert files(service) == set()


def test_a_release_that_was_delivered_for_good_goes_by_a_later_policy_from_its_delivery_on(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = approved(service)
    service.of().run(number)
    retained = ServiceRetention(service.state, Cache(tmp_path / "cache.duckdb"), service.of())
    with clock() as passing:
        monkeypatch.setattr(retention, "utc_now", passing.now)
        passing.passed = timedelta(days=20)
        service.of().deliver(number)
        service.set_policy(retention={"releases": "30 days"})
        passing.passed = timedelta(days=40)
        assert retained.apply().datasets[0].releases == ()
        passing.passed = timedelta(days=51)
        assert retained.apply().datasets[0].releases == (1,)
        with pytest.raises(Refused, match="erased as the policy of its dataset says"):
            service.of("ann").collect(number, tmp_path / "mine.csv")


@pytest.mark.parametrize(
    "name",
    [
        "a" * 197 + ".csv",
        "年" * 66 + ".csv",
        "NUL.csv",
        "com1 .tar.csv",
        "a:b.csv",
        "a*.csv",
        "a\\b.csv",
    ],
    ids=ascii,
)
def test_a_name_that_no_file_may_have_is_refused_when_it_is_submitted(service: Service, name: str) -> None:
    request = {**yaml.safe_load(text("one")), "release": {"to": f"out/{name}"}}

    with pytest.raises(InputError, match="of at most 200 bytes") as refused:
        service.of("ann").submit(request)

    assert "not every system takes a file of the name" in refused.value.what
    assert service.of("ann").list() == ()


def test_a_name_of_two_hundred_bytes_is_run(service: Service) -> None:
    name = "年" * 65 + "a.csv"
    assert len(name.encode()) == 200
    number = service.of("ann").submit({**yaml.safe_load(text("one")), "release": {"to": name}}).id
    service.of("rei").review(number, "approve")
    assert service.of().run(number).submission.status == "run"


def test_a_token_of_a_reviewer_collects_no_own_release(service: Service, tmp_path: Path) -> None:
    service.add("sue", "data-user", "reviewer")
    number = service.of("sue").submit(text("one")).id
    service.of("rei").review(number, "approve")
    service.of().run(number)
    service.of().deliver(number)
    whole, service.tokens["sue"] = service.tokens["sue"], service.users.token("sue", ["reviewer"]).secret
    with pytest.raises(Refused, match="collected by the user who asked for it"):
        service.of("sue").collect(number, tmp_path / "mine.csv")
    service.tokens["sue"] = whole
    assert service.of("sue").collect(number, tmp_path / "mine.csv").is_file()


def test_a_request_gives_no_mode_to_the_files_of_the_provider(service: Service, tmp_path: Path) -> None:
    asked = read_request(text("one").replace("{to: ages.csv}", "{to: ages.csv, mode: '0666', csv: {formulas: escape}}"))
    release = delivery(service.state.path, 1, 1, asked).request.release
    assert asked.request.release.file_mode == 0o666
    assert release.file_mode == 0o600
    assert release.csv == asked.request.release.csv


@pytest.mark.parametrize("length", ["9999 years", "99999 months"])
def test_a_length_beyond_the_end_of_time_is_never_over(service: Service, length: str) -> None:
    service.set_policy(expiry=length, retention={"releases": length})
    number = approved(service)
    service.of().run(number)
    assert service.of().deliver(number).submission.expires_at is None
    assert service.of().due() == ()


@pytest.mark.parametrize("next_step", ["expire", "run"])
def test_a_file_that_a_killed_withdrawal_left_is_taken_away_later(
    service: Service, monkeypatch: pytest.MonkeyPatch, next_step: str
) -> None:
    gone, other = approved(service), approved(service)
    service.of().run(gone)
    with monkeypatch.context() as patched:
        patched.setattr(ServiceStep, "take_away", lambda _: None)
        service.of("ann").withdraw(gone)
    assert files(service)
    if next_step == "expire":
        service.of().expire()
        assert files(service) == set()
    else:
        service.of().run(other)
        assert files(service) == {f"{other}-1/ages.csv", f"{other}-1/ages.csv.manifest.json"}


def test_a_release_under_the_name_of_one_that_ended_stays(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    number = killed_run(service, monkeypatch)
    change_and_run(service.of(), number)
    service.of("rei").review(number, "approve")
    service.of().run(number)
    service.of().expire()
    assert standing(service) == ["stands", "withdrawn"]
    with service.state.reading() as connection:
        path = Path(releases.get(connection, 2).name)
    assert path.is_file()
    assert manifest_of(path).is_file()
