"""The service from the command line: users with tokens submit, review and collect; the provider runs and delivers."""

from __future__ import annotations

import io
import json
import shutil
import stat
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from ordermade import Engine
from ordermade.catalogue.repeated_requests import rerun
from ordermade.errors import InputError, OrdermadeError, Refused, UnknownName
from ordermade.policies.policy import read_policy
from ordermade.requests.read import read_request
from ordermade.sources.executor import Executor, Purpose
from tests.cli.conftest import Outcome, Program, write_request
from tests.service_office import clock
from tests.state_by_hand import by_hand

pytestmark = pytest.mark.slow

PAPER = "request.yaml"


class Office:
    """The program, for users by their names."""

    def __init__(self, program: Program, monkeypatch: pytest.MonkeyPatch, tokens: dict[str, str]) -> None:
        self.program, self.monkeypatch, self.tokens = program, monkeypatch, tokens

    def add(self, name: str, *roles: str) -> None:
        words = [word for role in roles for word in ("--role", role)]
        assert self.program("user", "add", name, *words).status == 0
        self.tokens[name] = self.program("user", "token", name, "--json").document["token"]

    def by(self, name: str | None, *words: object) -> Outcome:
        """A command by a user, who gives the request by standard input; None: at the provider's shell."""
        if name is None:
            self.monkeypatch.delenv("ORDERMADE_TOKEN", raising=False)
        else:
            self.monkeypatch.setenv("ORDERMADE_TOKEN", self.tokens[name])
            if PAPER in words:
                self.given(Path(PAPER).read_bytes())
                words = tuple("-" if each == PAPER else each for each in words)
        try:
            return self.program(*words)
        finally:
            self.monkeypatch.delenv("ORDERMADE_TOKEN", raising=False)

    def given(self, content: bytes) -> None:
        """Puts a text on the standard input."""
        self.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    def state_of(self, number: int) -> str:
        found: str = self.by(None, "request", "show", number, "--json").document["submission"]["status"]
        return found

    def approved(self, user: str = "ann", reviewer: str = "rei") -> int:
        """A request that was submitted and approved."""
        number: int = self.by(user, "request", "submit", PAPER, "--json").document["submission"]["id"]
        assert self.by(reviewer, "request", "review", number, "--approve").status == 0
        return number


@pytest.fixture(scope="module")
def staffed(registered: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A copy of the shop with two data users and two reviewers, and the token of each by name."""
    folder = Path(shutil.copytree(registered, tmp_path_factory.mktemp("staffed"), dirs_exist_ok=True))
    users = Engine(folder / ".ordermade" / "state.sqlite").users
    tokens = {}
    for name, role in (("ann", "data-user"), ("ben", "data-user"), ("rei", "reviewer"), ("ron", "reviewer")):
        users.add(name, [role])
        tokens[name] = users.token(name).secret
    return folder, tokens


@pytest.fixture
def office(
    staffed: tuple[Path, dict[str, str]], folder: Path, ordermade: Program, monkeypatch: pytest.MonkeyPatch
) -> Office:
    prepared, tokens = staffed
    shutil.copytree(prepared, folder, dirs_exist_ok=True)
    return Office(ordermade, monkeypatch, dict(tokens))


def set_policy(**policy: Any) -> None:
    Engine().policies.set({"dataset": "members", **policy})


def test_a_request_goes_from_submission_to_withdrawal(office: Office, folder: Path) -> None:
    set_policy(reviews=2)
    told = office.by("ann", "request", "submit", PAPER, "--why", "for a paper")
    assert told.out == "Submitted as request 1, predicted: too little is known to predict it.\n"
    assert "it has 0 of the 2 approvals" in office.by(None, "request", "approve", 1).err
    assert "is in review" in office.by("rei", "request", "review", 1, "--approve").out
    assert "it has 1 of the 2 approvals" in office.by(None, "request", "approve", 1).err
    assert "is approved" in office.by("ron", "request", "review", 1, "--approve", "--why", "coarse enough").out
    assert office.by("ann", "request", "collect", 1, "--to", "-").status == 1
    ran = office.by(None, "request", "run", 1, "--json")
    assert (ran.status, ran.document["status"], ran.document["k"]) == (0, "released", 8)
    assert office.by("ann", "request", "show", 1, "--json").document["where"] is None
    assert "Delivered release 1 to ann" in office.by(None, "request", "deliver", 1).out
    assert office.by(None, "request", "collect", 1, "--to", "mine.csv").status == 0
    where = Path(office.by(None, "request", "show", 1, "--json").document["where"])
    assert office.by("ann", "request", "show", 1, "--json").document["where"] == where.name
    assert Path("mine.csv").read_bytes() == where.read_bytes()
    assert stat.S_IMODE(Path("mine.csv").stat().st_mode) == 0o600
    report = office.by("ann", "release", "report", 1, "--for", "user", "--json")
    assert report.document["report"]["audience"] == "user"
    assert office.by("ann", "release", "report", 1).status == 1
    assert office.by("ben", "release", "report", 1, "--for", "user").status == 2
    assert office.by("ann", "request", "withdraw", 1).status == 1
    assert office.by(None, "request", "withdraw", 1, "--why", "the hierarchy was wrong").status == 0
    assert not where.exists()
    assert office.by("ann", "request", "collect", 1, "--to", "-").status == 1
    assert Engine().releases.get(1).ended == "withdrawn"
    steps = office.by("ann", "request", "history", 1, "--json").document["steps"]
    assert [each["step"] for each in steps] == [
        *("submit", "predict", "review", "review", "approve", "claim", "run", "deliver", "withdraw")
    ]
    assert [each["actor"] for each in steps][:4] == ["ann", "ann", "rei", "ron"]


def test_a_proposal_is_accepted_and_everything_reviewed_anew(office: Office, folder: Path) -> None:
    write_request(folder / PAPER, k=20, end=1)
    number = office.by("ann", "request", "submit", PAPER, "--json").document["submission"]["id"]
    offers = office.by(None, "request", "propose", number, "--json").document
    assert offers["status"] == "refused"
    assert offers["offers"]
    assert office.by("ann", "request", "propose", number).status == 1
    unused = office.by(None, "request", "propose", number, "--why", "k is not reached")
    assert (unused.status, "--why" in unused.err) == (2, True)
    assert office.by("rei", "request", "review", number, "--refuse", "--why", "k is not reached").status == 0
    assert office.by(None, "request", "propose", number, "--offer", 1).status == 0
    shown = office.by("ann", "request", "show", number)
    assert "proposed" in shown.out
    assert office.by("ann", "request", "accept", number).status == 0
    dossier = office.by("rei", "request", "show", number, "--json").document
    assert (dossier["submission"]["status"], dossier["submission"]["revision"]) == ("revised", 2)
    assert [vote["reset_at"] is None for vote in dossier["reviews"]] == [False]
    refused = office.by(None, "request", "review", number, "--approve")
    assert "nobody reviews or approves what they submitted" in refused.err
    assert office.by("rei", "request", "review", number, "--approve").status == 0
    assert office.by(None, "request", "run", number).status == 0


def test_a_data_user_sees_own_requests_alone(office: Office) -> None:
    office.by("ann", "request", "submit", PAPER)
    assert office.by("ben", "request", "list", "--json").document["submissions"] == []
    assert [each["id"] for each in office.by("ann", "request", "list", "--json").document["submissions"]] == [1]
    for command in ("show", "history", "accept", "withdraw"):
        there, missing = office.by("ben", "request", command, 1), office.by("ben", "request", command, 9)
        assert there.status == missing.status == 2
        assert there.err.replace("'1'", "'9'") == missing.err
    office.approved("ann")
    assert office.by(None, "request", "run", 2).status == 0
    ran = office.by(None, "request", "show", 2, "--json").document["submission"]["request_id"]
    there, missing = office.by("ben", "request", "rerun", ran), office.by("ben", "request", "rerun", 99)
    assert there.err.replace(f"'{ran}'", "'99'") == missing.err
    assert office.by("rei", "request", "show", 1).status == 0


def test_a_policy_tightened_after_approval_sends_the_request_back(office: Office) -> None:
    number = office.approved()
    set_policy(k=20)
    ran = office.by(None, "request", "run", number)
    assert ran.status == 1
    assert "the policy was tightened: k of 5 is below the least, 20" in ran.err
    assert office.state_of(number) == "in_review"
    assert "k of 5" in office.by("rei", "request", "review", number, "--approve").err
    assert not Engine().releases.list()
    set_policy(k=2)
    assert office.by("rei", "request", "review", number, "--approve").status == 0
    set_policy(reviews=2)
    assert "asks for 2 reviews now" in office.by(None, "request", "run", number).err
    assert office.by("rei", "request", "review", number, "--approve").status == 0
    assert office.by("ron", "request", "review", number, "--approve").status == 0
    set_policy(reviews=1)
    assert office.by(None, "request", "run", number).status == 0


@pytest.mark.parametrize("reviews", [0, 1])
def test_a_counted_rule_tightened_after_approval_sends_the_request_back(
    office: Office, folder: Path, reviews: int
) -> None:
    request = folder / PAPER
    request.write_text(request.read_text() + "where: sex = 'f' AND city IN ('Oslo', 'Bergen')\n")
    set_policy(reviews=reviews, filters={"persons": 10})
    number = office.by("ann", "request", "submit", PAPER, "--json").document["submission"]["id"]
    if reviews:
        assert office.by("rei", "request", "review", number, "--approve").status == 0
    set_policy(reviews=reviews, filters={"persons": 40})
    ran = office.by(None, "request", "run", number)
    assert ran.status == 1
    assert "the filter lets fewer than 40 rows pass, or leaves fewer than 40 out" in ran.err
    assert office.state_of(number) == "in_review"
    assert office.by("rei", "request", "review", number, "--approve").status == 0  # no data are read
    assert office.by(None, "request", "run", number).status == 1
    set_policy(reviews=1, filters={"persons": 30})
    assert office.by("rei", "request", "review", number, "--approve").status == 0
    assert office.by(None, "request", "run", number).status == 0


READS_NO_ROW = {Purpose.LOAD, Purpose.CATALOG}
"""The purposes of statements that open a source."""


def test_no_step_of_a_request_but_its_run_reads_the_table(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the statements of every executor of a source, those that a release is measured by apart."""
    sent: list[Purpose] = []
    noted = Executor._noted

    def noting(executor: Executor, purpose: Purpose, *given: Any) -> Any:
        if executor._name == "source" and purpose not in READS_NO_ROW:
            sent.append(purpose)
        return noted(executor, purpose, *given)

    set_policy(reviews=1)
    monkeypatch.setattr(Executor, "_noted", noting)
    number = office.by("ann", "request", "submit", PAPER, "--json").document["submission"]["id"]
    steps = [
        ("ann", "request", "show", number),
        (None, "request", "predict", number),
        ("ann", "request", "revise", number, PAPER, "--why", "again"),
        ("rei", "request", "show", number),
        ("rei", "request", "review", number, "--approve"),
        (None, "request", "history", number),
    ]
    for step in steps:
        assert office.by(*step).status == 0, step
        assert sent == [], step
    assert office.by(None, "request", "run", number).status == 0
    assert Purpose.VERSION in sent
    sent.clear()
    assert office.by(None, "request", "deliver", number).status == 0
    assert office.by("ann", "request", "collect", number, "--to", "-").status == 0
    assert sent == []


def test_data_changed_after_a_review_send_the_request_back(ordermade: Program, folder: Path, office: Office) -> None:
    office.program("source", "add", "own", "members.csv")
    office.program("dataset", "add", "mine", "--source", "own", "--table", "members", "--least-k", "2")
    request = folder / PAPER
    request.write_text(request.read_text().replace("dataset: members", "dataset: mine"))
    assert office.program("request", "check", PAPER, "--data").status == 0
    number = office.approved()
    lines = (folder / "members.csv").read_text().splitlines(keepends=True)
    (folder / "members.csv").write_text("".join([*lines, lines[-1]]))
    ran = office.by(None, "request", "run", number)
    assert ran.status == 1
    assert "the data have changed since the review" in ran.err
    assert office.state_of(number) == "in_review"
    assert office.by("ron", "request", "review", number, "--approve").status == 0
    assert office.by(None, "request", "run", number).status == 0


def test_a_hierarchy_changed_after_a_review_sends_the_request_back(office: Office, folder: Path) -> None:
    number = office.approved()
    text = (folder / "city.yaml").read_text().replace("Norway", "North")
    (folder / "city.yaml").write_text(text)
    office.program("hierarchy", "remove", "city")
    assert office.program("hierarchy", "add", "city", "city.yaml").status == 0
    ran = office.by(None, "request", "run", number)
    assert (ran.status, "a hierarchy or a file" in ran.err) == (1, True)
    assert "a hierarchy or a file" in office.by("rei", "request", "review", number, "--approve").err
    assert office.by("ann", "request", "revise", number, PAPER, "--why", "the north is enough").status == 0
    assert office.by("rei", "request", "review", number, "--approve").status == 0


def test_a_token_that_expires_between_two_steps_ends_there(office: Office) -> None:
    with clock() as passing:
        assert office.by("ann", "request", "submit", PAPER).status == 0
        passing.passed = timedelta(days=91)
        late = office.by("ann", "request", "withdraw", 1)
        assert (late.status, "token 1 expired" in late.err) == (1, True)
        assert office.state_of(1) == "predicted"
        office.tokens["ann"] = office.by(None, "user", "token", "ann", "--json").document["token"]
        assert office.by("ann", "request", "withdraw", 1).status == 0


def test_a_request_expires_by_its_policy_without_any_command(office: Office) -> None:
    set_policy(expiry="20 days")
    office.by("ann", "request", "submit", PAPER)
    with clock() as passing:
        passing.passed = timedelta(days=21)
        assert office.state_of(1) == "expired"
        late = office.by("rei", "request", "review", 1, "--approve")
        assert (late.status, "it is expired" in late.err) == (1, True)
        Engine(token=office.tokens["ann"]).submissions.expire()
        steps = office.by("ann", "request", "history", 1, "--json").document["steps"]
        assert (steps[-1]["step"], steps[-1]["why"]) == ("expire", "its time was over")


def test_tokens_are_shown_once_scoped_revoked_and_kept_as_hashes(office: Office, folder: Path) -> None:
    office.add("pro", "provider", "reviewer")
    made = office.by(None, "user", "token", "pro", "--scope", "reviewer", "--days", 2)
    assert "Token 6 of pro" in made.err
    office.tokens["pro"] = made.out.strip()
    assert office.by("pro", "user", "list").status == 1
    assert office.by("pro", "request", "list").status == 0
    listed = office.by(None, "user", "list", "--json").out
    state = (folder / ".ordermade" / "state.sqlite").read_bytes()
    for each in office.tokens.values():
        assert each not in listed
        assert each.encode() not in state
        assert each not in repr(Engine(token=each))
    assert office.by(None, "user", "revoke", 6).out == "Revoked 1 token: 6.\n"
    assert office.by(None, "user", "revoke", 6).out == "Revoked 0 tokens.\n"
    entries = office.by(None, "audit", "list", "--json").document["entries"]
    assert [each["action"] for each in entries].count("user revoke") == 1
    assert "token 6 was revoked" in office.by("pro", "request", "list").err
    assert office.by(None, "user", "token", "ann", "--scope", "reviewer").status == 2
    assert office.by(None, "user", "token", "nobody").status == 2
    office.tokens["nobody"] = "x" * 43
    assert "not one of this state" in office.by("nobody", "request", "list").err


def test_a_token_is_read_from_a_file_and_from_no_option(office: Office, folder: Path) -> None:
    (folder / "ann.token").write_text(office.tokens["ann"] + "\n")
    (folder / "empty.token").write_text("\n")
    assert office.program("--token-file", "ann.token", "request", "list").status == 0
    assert office.program("--token-file", "ann.token", "source", "list").status == 1
    assert office.program("--token-file", "empty.token", "request", "list").status == 2
    assert office.program("--token-file", "none.token", "request", "list").status == 2
    assert office.program("--token", office.tokens["ann"], "request", "list").status == 2
    two = office.by("ben", "--token-file", "ann.token", "request", "list")
    assert (two.status, "--token-file" in two.err, "ORDERMADE_TOKEN" in two.err) == (2, True, True)


GIVEN: tuple[tuple[object, ...], ...] = (("check",), ("submit",), ("revise", 1))
"""The commands that a request is given to."""


def test_a_user_by_a_token_opens_no_file_of_the_provider(office: Office, folder: Path) -> None:
    office.by("ann", "request", "submit", PAPER)
    (folder / "own.yaml").write_text("a line of the provider: [", encoding="utf-8")
    for command, name in product(GIVEN, ("own.yaml", "owm.yaml", f"./{PAPER}")):
        told = office.by("ann", "request", *command, name)
        assert (told.status, "standard input" in told.err) == (1, True), command
        assert "line of" not in told.err, command
        assert "own.yaml" not in told.err.replace(name, ""), command
    for command in GIVEN:
        office.given(b"own.yaml")
        assert "there is no such file" not in office.by("ann", "request", *command, "-").err, command
        office.given(b"title: \xff")
        assert "not UTF-8" in office.by("ann", "request", *command, "-").err, command


_NAMING: dict[str, dict[str, Any]] = {
    "rules": {
        "method": "mondrian",
        "quasi_identifiers": {"age": None},
        "mondrian": {"split": "tf-idf", "rules": "../office.yaml"},
    },
    "taxonomy": {
        "method": "history",
        "history": {"customer": "a", "when": "b", "item": "c", "items": {"taxonomy": "../office.csv", "level": 1}},
    },
    "map": {"method": "history", "history": {"customer": "a", "when": "b", "item": "c", "map": "/srv/map.csv"}},
    "page": {"method": "table", "rows": ["age"], "page": "/srv/page.html"},
    "intervals": {"method": "table", "rows": ["age"], "intervals": {"user": "/srv/intervals.csv"}},
}


def test_a_request_by_a_token_names_no_file_of_the_provider(office: Office) -> None:
    office.by("ann", "request", "submit", PAPER)
    for command, (key, fields) in product(GIVEN, _NAMING.items()):
        asked = {"dataset": "members", "k": 5, "release": {"to": "x.csv"}, **fields}
        office.given(json.dumps(asked).encode())
        told = office.by("ann", "request", *command, "-")
        assert told.status == 2, (command, key)
        assert (f"no {key}" if key in ("map", "page", "intervals") else f"as {key} does") in told.err, command
        assert "no such file" not in told.err, (command, key)


def test_a_request_comes_by_standard_input_and_its_release_by_standard_output(
    office: Office,
) -> None:
    office.add("pro", "provider")
    office.given(Path(PAPER).read_bytes())
    assert "standard input is sound" in office.program("request", "check", "-").out
    assert office.by("pro", "request", "check", f"./{PAPER}").status == 0
    number = office.by("ann", "request", "submit", PAPER, "--json").document["submission"]["id"]
    office.given(Path(PAPER).read_bytes())
    assert office.by(None, "request", "propose", number, "-").status == 0
    assert office.by("ann", "request", "accept", number).status == 0
    assert office.by("rei", "request", "review", number, "--approve").status == 0
    assert office.by(None, "request", "run", number).status == 0
    assert office.by(None, "request", "deliver", number).status == 0
    where = Path(office.by(None, "request", "show", number, "--json").document["where"])
    assert office.by("ann", "request", "collect", number, "--to", "-").out == where.read_text(encoding="utf-8")
    assert "has no certificate" in office.by("ann", "request", "certificate", number).err
    assert office.by("ben", "request", "certificate", number).status == 2
    both = office.by("ann", "request", "collect", number, "--to", "-", "--json")
    assert (both.status, "--json" in both.err) == (2, True)
    page = office.by("ann", "release", "report", 1, "--for", "user", "--html", "-")
    assert (page.status, page.out.startswith("<!DOCTYPE html>")) == (0, True)
    for words in (("request", "collect", number, "--to"), ("release", "report", 1, "--for", "user", "--html")):
        refused = office.by("ann", *words, "mine.html")
        assert (refused.status, "goes to standard output" in refused.err) == (1, True)
        assert not Path("mine.html").exists()


def test_a_user_has_hierarchies_of_their_own_by_token(office: Office) -> None:
    bands = b"intervals: {levels: [{width: 7, name: weeks}]}"
    upload = ("hierarchy", "upload", "bands", "-", "--dataset", "members", "--column", "age")
    office.given(bands)
    made = office.by("ann", *upload, "--json")
    assert (made.status, made.document["own"]["name"]) == (0, "ann/bands")
    assert "ann/bands" in office.by("ann", "hierarchy", "list").out
    assert [each["name"] for each in office.by("ann", "hierarchy", "list", "--json").document["own"]] == ["ann/bands"]
    assert office.by("ben", "hierarchy", "list", "--json").document["own"] == []
    assert office.by("ben", "hierarchy", "remove", "ann/bands").status == 2
    assert office.by("ben", "hierarchy", "remove", "age").status == 2, "a registered one is the provider's"
    Path("bands.yaml").write_bytes(bands)
    refused = office.by("ann", *(each if each != "-" else "bands.yaml" for each in upload))
    assert (refused.status, "comes by standard input" in refused.err) == (1, True)
    for words in (upload, ("hierarchy", "list"), ("hierarchy", "remove", "ann/bands")):
        assert office.by("rei", *words).status == 1, "a reviewer has none"
    for words in (("hierarchy", "add", "x", "-"), ("hierarchy", "show", "age"), ("hierarchy", "suggest", "members")):
        assert office.by("ann", *words).status == 1, "the provider's alone"
    office.given(b"x" * 600_000)
    assert "larger than 500000 bytes" in office.by("ann", *upload).err.replace(",", "")
    assert "Removed the hierarchy 'ann/bands'" in office.by("ann", "hierarchy", "remove", "ann/bands").out
    assert "No hierarchy is uploaded" in office.by("ann", "hierarchy", "list").out


def test_the_last_provider_may_be_removed_and_the_shell_goes_on(office: Office) -> None:
    office.add("pro", "provider")
    assert office.by("pro", "user", "list").status == 0
    gone = office.by("pro", "user", "remove", "pro")
    assert "the provider acts at the shell alone" in gone.out
    assert "the user of this token was removed" in office.by("pro", "user", "list").err
    assert office.by(None, "user", "list").status == 0
    office.add("pat", "data-user")
    assert office.by("pat", "request", "list").status == 0


def test_the_library_shows_a_user_no_release_of_others(office: Office) -> None:
    with pytest.raises(UnknownName):
        Engine(token=office.tokens["ann"]).releases.report(1, "user")


def test_a_submitted_request_describes_no_data_and_writes_no_table(office: Office, folder: Path) -> None:
    path = folder / PAPER
    text = path.read_text()
    for was, now, reason in (
        ("dataset: members", "dataset: {source: shop, table: members}", "names a registered dataset"),
        ("to: out/members.csv, replace: true", "to: {table: t}", "releases into a file"),
    ):
        path.write_text(text.replace(was, now))
        told = office.by("ann", "request", "submit", PAPER)
        assert (told.status, reason in told.err) == (2, True), now


def test_a_number_runs_with_no_option_of_a_request_file(office: Office) -> None:
    for options in (
        *(["--explain"], ["--no-rollup"], ["--no-cache"], ["--max-rows", 9], ["--again"], ["--release-best"]),
        *(["--plot", "a.png"], ["--as-view", "v"], ["--offer", 1], ["--create"], ["--certify", "c.json"]),
        *(["--html", "a.html"], ["--lang", "en"]),
    ):
        told = office.by(None, "request", "run", 3, *options)
        assert told.status == 2, options
        assert str(options[0]) in told.err
        assert "goes with a request file" in told.err, options


def test_a_submitted_request_replaces_no_file_of_the_provider(office: Office, folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "members.csv").write_text("the provider's own")
    number = office.approved()
    assert office.by(None, "request", "run", number).status == 0
    assert (folder / "out" / "members.csv").read_text() == "the provider's own"


def test_a_killed_run_is_run_again_and_its_release_taken(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    from ordermade.service import running

    number = office.approved()
    noted = running._noted

    def killed(*_: object) -> Any:
        raise OrdermadeError("the process was killed")

    monkeypatch.setattr(running, "_noted", killed)
    assert office.by(None, "request", "run", number).status == 3
    assert office.state_of(number) == "approved"
    monkeypatch.setattr(running, "_noted", noted)
    assert office.by(None, "request", "run", number).status == 0
    assert len(Engine().releases.list()) == 1


def test_terms_are_accepted_once(office: Office) -> None:
    set_policy(terms="Cite the source.")
    told = office.by("ann", "request", "submit", PAPER)
    assert (told.status, "are not accepted by 'ann'" in told.err) == (1, True)
    assert office.by("ann", "request", "submit", PAPER, "--accept-terms").status == 0
    assert office.by("ann", "request", "submit", PAPER).status == 0
    assert office.by("ben", "request", "submit", PAPER).status == 1


def test_a_broken_policy_is_told_with_every_rule_before_anything_is_looked_at(office: Office, folder: Path) -> None:
    set_policy(k=10, terms="Cite the source.", never={"ask": ["sex"]})
    (folder / "members.csv").unlink()
    told = office.by("ann", "request", "submit", PAPER)
    assert told.status == 1
    assert "for 3 reasons" in told.err
    for reason in ("k of 5 is below", "no request may use the column 'sex'", "terms of the dataset"):
        assert reason in told.err
    assert office.by("ann", "request", "list", "--json").document["submissions"] == []


def test_a_quota_counts_the_submissions_of_its_own_period(office: Office) -> None:
    set_policy(quota={"requests": 1, "per": "week"})
    assert office.by("ann", "request", "submit", PAPER).status == 0
    assert office.by("ann", "request", "revise", 1, PAPER).status == 0
    assert "1 request a week may be submitted" in office.by("ann", "request", "submit", PAPER).err
    assert office.by("ben", "request", "submit", PAPER).status == 0
    with clock() as passing:
        passing.passed = timedelta(days=8)
        assert office.by("ann", "request", "submit", PAPER).status == 0


def test_a_request_within_the_bounds_of_its_policy_is_approved_without_a_review(office: Office) -> None:
    bounds = {"k": 5, "columns": ["sex", "age", "city", "name", "phone", "plan"], "suppression": "100 %"}
    set_policy(automatic=bounds, expiry="20 days", retention={"releases": "30 days"})
    assert "approved" in office.by("ann", "request", "submit", PAPER).out
    assert office.by(None, "request", "run", 1).status == 0
    assert office.by(None, "request", "deliver", 1).status == 0
    with clock() as passing:
        passing.passed = timedelta(days=29)
        assert office.state_of(1) == "delivered"
        passing.passed = timedelta(days=31)
        assert office.state_of(1) == "expired"
        assert "the time of request 1 is over" in office.by("ann", "request", "collect", 1, "--to", "-").err


def test_a_data_user_sees_the_policy_without_the_terms_of_others(office: Office) -> None:
    set_policy(k=3, recipients={"ann": {"k": 4}, "ben": {"k": 17}})
    shown = office.by("ann", "policy", "show", "members").out
    assert yaml.safe_load(shown) == {"dataset": "members", "k": 3, "recipients": {"ann": {"k": 4}}}
    assert "ben" not in shown
    of_ann = office.by("ann", "policy", "show", "members", "--json").document
    of_ann = office.by("ann", "policy", "show", "members", "--json").document["policy"]
    assert of_ann["hash"] == read_policy(yaml.safe_load(shown)).policy.hash
    assert office.by("ann", "policy", "show", "members", "--version", 1).status == 1
    with pytest.raises(Refused, match="for a provider"):
        Engine(token=office.tokens["ann"]).policies.set("dataset: members")


def test_terms_that_change_after_approval_are_accepted_with_a_revision(office: Office) -> None:
    number = office.approved()
    set_policy(terms="Cite the source.")
    assert "terms of the dataset are not accepted" in office.by(None, "request", "run", number).err
    assert office.by("ann", "request", "revise", number, PAPER).status == 1
    assert office.by("ann", "request", "revise", number, PAPER, "--accept-terms").status == 0
    assert office.by("rei", "request", "review", number, "--approve").status == 0
    assert office.by(None, "request", "run", number).status == 0


def test_offers_that_the_user_may_not_have_are_not_made(office: Office, folder: Path) -> None:
    write_request(folder / PAPER, k=20, end=1)
    number = office.by("ann", "request", "submit", PAPER, "--json").document["submission"]["id"]
    before = office.by(None, "request", "propose", number, "--json").document["offers"]
    smaller = [each for each in before if "k" in each["changes"]]
    assert smaller
    set_policy(recipients={"ann": {"k": 20}})
    after = office.by(None, "request", "propose", number, "--json").document["offers"]
    assert [each["changes"] for each in after] == [each["changes"] for each in before if each not in smaller]
    assert [each["offer"] for each in after] == list(range(1, len(after) + 1))


def test_a_delivered_request_is_run_again_and_superseded(office: Office) -> None:
    number = office.approved()
    assert office.by("ann", "request", "rerun", number).status == 1
    assert office.by(None, "request", "run", number).status == 0
    assert office.by(None, "request", "deliver", number).status == 0
    run = office.by(None, "request", "show", number, "--json").document["submission"]["request_id"]
    with pytest.raises(InputError, match="was submitted"):
        rerun(Engine(), run)
    assert office.by("ben", "request", "rerun", number).status == 2
    made = office.by("ann", "request", "rerun", run, "--json").document["submission"]
    assert (made["supersedes"], made["submitted_by"], made["status"]) == (number, "ann", "predicted")
    unlike = office.by(None, "request", "diff", number, made["id"])
    assert (unlike.status, f"request {made['id']} was submitted and did not run yet" in unlike.err) == (2, True)
    assert office.by("rei", "request", "review", made["id"], "--approve").status == 0
    assert office.by(None, "request", "run", made["id"]).status == 0
    assert office.state_of(number) == "delivered"
    ran = office.by(None, "request", "show", made["id"], "--json").document["submission"]["request_id"]
    compared = [
        office.by(None, "request", "diff", *each, "--json").document["differences"]
        for each in ((number, made["id"]), (run, ran), (number, ran))
    ]
    assert compared[0] == compared[1] == compared[2] != []
    assert office.by(None, "request", "deliver", made["id"]).status == 0
    assert office.state_of(number) == "withdrawn"
    assert [each.standing for each in Engine().releases.list()] == ["stands", "superseded by 2"]
    assert office.by("ann", "request", "collect", made["id"], "--to", "-").status == 0
    again = office.by("ann", "request", "rerun", number, "--json").document["submission"]
    assert again["supersedes"] == made["id"]
    assert office.by(None, "request", "schedule", again["id"], "--monthly").status == 1
    scheduled = office.by(None, "request", "schedule", number, "--monthly").out
    assert f"request rerun {number}\n" in scheduled
    assert office.by(None, "state", "verify").status == 0
    assert office.by(None, "audit", "verify").status == 0
    with by_hand(Engine().state_file.path) as connection:
        connection.execute("UPDATE submissions SET submitted_by = 'ben' WHERE id = 1")
    assert office.by(None, "state", "verify").status == 3
    found = office.by(None, "audit", "verify")
    assert (found.status, "submitted_by is not what the audit says" in found.out) == (3, True)


def test_a_submission_notes_its_forecast(office: Office) -> None:
    assert office.by("ann", "request", "submit", PAPER).status == 0
    assert office.by("ann", "request", "revise", 1, PAPER).status == 0
    with Engine().state_file.reading() as connection:
        assert connection.execute("SELECT COUNT(*) FROM forecasts").fetchall() == [(2,)]


def test_an_empty_token_gives_no_rights(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDERMADE_TOKEN", " ")
    empty = office.program("user", "list")
    assert (empty.status, "it has no token" in empty.err) == (2, True)


def test_the_shell_acts_as_the_user_of_the_process(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    number = office.by(None, "request", "submit", PAPER, "--json").document["submission"]["id"]
    monkeypatch.setenv("LOGNAME", "somebody-else")
    monkeypatch.setenv("USER", "somebody-else")
    assert "nobody reviews" in office.by(None, "request", "review", number, "--approve").err
    assert Engine().submissions.history(number)[0].actor != "somebody-else"


def test_the_title_of_a_submitted_request_is_one_line(office: Office) -> None:
    request = read_request(Path(PAPER)).request.model_dump(by_alias=True, exclude_defaults=True)
    for title in ("x\nsubmitted by  pro", "\x1b[31mred", "\u202egnirts", "x" * 201):
        with pytest.raises(InputError, match="one line of at most 200 printable characters"):
            Engine(token=office.tokens["ann"]).submissions.submit({**request, "title": title})


def test_a_data_user_sees_none_of_the_requests_of_others_expire(office: Office) -> None:
    set_policy(expiry="20 days")
    office.by("ann", "request", "submit", PAPER)
    ann, ben = (Engine(token=office.tokens[name]).submissions for name in ("ann", "ben"))
    with clock() as time:
        time.passed = timedelta(days=30)
        assert ben.due() == ()
        assert [each.id for each in ann.due()] == [1]
        assert ben.expire() == ()
        assert [each.id for each in ann.expire()] == [1]
    assert office.state_of(1) == "expired"


def test_a_user_is_not_named_like_the_number_of_a_token(office: Office) -> None:
    named = office.by(None, "user", "add", "1", "--role", "data-user")
    assert (named.status, "the number of a token" in named.err) == (2, True)


def test_a_new_user_does_not_come_into_the_requests_of_one_who_was_removed(office: Office) -> None:
    office.by("ann", "request", "submit", PAPER)
    assert office.by(None, "user", "remove", "ann").status == 0
    again = office.by(None, "user", "add", "ann", "--role", "data-user")
    assert (again.status, "there was a user 'ann'" in again.err) == (2, True)


def test_the_audit_names_the_provider_whose_token_it_was(office: Office) -> None:
    office.add("pro", "provider")
    Engine(token=office.tokens["pro"]).policies.set({"dataset": "members", "k": 3})
    number = office.by("ann", "request", "submit", PAPER, "--json").document["submission"]["id"]
    Engine(token=office.tokens["pro"]).policies.set({"dataset": "members", "k": 3, "expiry": "20 days"})
    office.by("ann", "request", "submit", PAPER)
    with clock() as time:
        time.passed = timedelta(days=30)
        assert office.by("pro", "retention", "apply").status == 0
    assert Engine().submissions.history(number + 1)[-1].actor == "pro"
    assert office.by("pro", "hierarchy", "remove", "city").status == 0
    entries = office.by("pro", "audit", "list", "--json").document["entries"]
    noted = [(each["action"], each["actor"]) for each in entries]
    assert {actor for action, actor in noted if action in ("policy set", "hierarchy remove")} == {"pro"}
