"""What a user of the service gets of a release: by the library with a token, and as the provider hands it over."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.documents.service import HistoryStep, SubmissionHistory, SubmissionShown
from ordermade.errors import PolicyBroken, Refused, ReleaseFault, UnknownName
from ordermade.records.printed import json_of
from ordermade.release import entitled
from ordermade.release.files import manifest_of, read_manifest
from ordermade.reports.sentences import plain_summary
from tests.long import sampled
from tests.made import new_engine

REQUEST = """\
dataset: members
k: 5
quasi_identifiers:
  age: {hierarchy: age}
keep: [ill]
suppression_limit: 0.05
release: {to: ages.csv}
"""


def made(folder: Path, few: int) -> tuple[Engine, Callable[[str], Engine]]:
    """The provider's engine on 117 rows of three ages and a few of a fourth, and that of a user by name."""
    engine = new_engine(folder)
    with duckdb.connect(str(folder / "data.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE p AS SELECT i AS id, CASE WHEN i < 117 THEN 20 + i % 3 ELSE 90 END AS age,"
            " 'ill' || (i % 4) AS ill FROM range(?) t(i)",
            [117 + few],
        )
    engine.sources.add("s", str(folder / "data.duckdb"))
    engine.datasets.add("members", "s", table="p", least_k=2)
    engine.hierarchies.add("age", "intervals:\n  levels: [{width: 5}, {width: 20}]\n")
    tokens = {}
    for name, role in (("ann", "data-user"), ("rei", "reviewer")):
        engine.users.add(name, [role])
        tokens[name] = engine.users.token(name).secret
    return engine, lambda name: Engine(engine.state_file.path, token=tokens[name])


@pytest.fixture
def office(tmp_path: Path) -> tuple[Engine, Callable[[str], Engine]]:
    return made(tmp_path, 3)


def delivered(engine: Engine, by: Callable[[str], Engine], to: Path | None = None) -> int:
    number = by("ann").submissions.submit(REQUEST).id
    by("rei").submissions.review(number, "approve")
    engine.submissions.run(number)
    engine.submissions.deliver(number, to)
    return number


@pytest.mark.slow
def test_a_collected_and_a_delivered_copy_have_the_manifest_of_a_user(
    office: tuple[Engine, Callable[[str], Engine]], tmp_path: Path
) -> None:
    engine, by = office
    number = delivered(engine, by, tmp_path / "handed.csv")
    by("ann").submissions.collect(number, tmp_path / "mine.csv")
    of_provider = read_manifest(Path(engine.releases.get(1).name))
    assert of_provider["suppressed_rows"] == 3
    for name in ("handed.csv", "mine.csv"):
        text = manifest_of(tmp_path / name).read_text(encoding="utf-8")
        found = json.loads(text)
        assert (found["k"], found["rows"], found["suppressed_rows"]) == (39, 117, None)
        assert found["loss"] == {"prec": 0.0, "height": 0, "classes": 3}
        assert not {"sql", "dataset_version", "narrowed"} & found.keys()
        assert not any(words in text for words in ("SELECT", "level_hash", str(tmp_path), ": 120,"))
        assert found["sha256"] == of_provider["sha256"]


@pytest.mark.slow
def test_steps_and_votes_show_a_user_no_figure_and_no_rows_of_the_state(
    office: tuple[Engine, Callable[[str], Engine]],
) -> None:
    engine, by = office
    number = delivered(engine, by)
    assert engine.submissions.history(number)[-1].detail == "release 1, k 39, measured again"
    for name in ("ann", "rei"):
        noun = by(name).submissions
        steps = noun.history(number)
        assert [each.action for each in steps] == [each.action for each in engine.submissions.history(number)]
        assert {each.data for each in steps} == {None}
        assert steps[-1].detail == "release 1, measured again"
        assert steps[-2].detail == "release 1"
        found = noun.get(number)
        assert found.reviews[0].dataset_version_id is None
        assert {each.meaning_hash for each in (*found.revisions, *found.reviews)} == {""}
        assert noun.where(number) == "ages.csv"
    assert Path(engine.submissions.where(number) or "").is_absolute()


def reaching_ann(folder: Path, few: int) -> str:
    """All that reaches a user of a request of which so few rows are suppressed, but for times, hashes and numbers."""
    engine, by = made(folder, few)
    number = delivered(engine, by, folder / "handed.csv")
    noun = by("ann").submissions
    noun.collect(number, folder / "mine.csv")
    report = by("ann").releases.report(1, "user")
    shown = [
        json_of(SubmissionShown(noun.get(number), noun.allowed(number), noun.where(number), ())),
        json_of(SubmissionHistory(number, [HistoryStep.of(each) for each in noun.history(number)])),
        json_of(noun.list()),
        report.as_dict(),
        report.to_html(folder / "report.html").read_text(encoding="utf-8"),
        plain_summary(report, "ja"),
        *(read_manifest(folder / name) for name in ("handed.csv", "mine.csv")),
        *((folder / name).read_text(encoding="utf-8") for name in ("handed.csv", "mine.csv")),
    ]
    text = re.sub(r"\d{4}-\d\d-\d\d[T ][^\"]*|[0-9a-f]{64}|\d\d:\d\d UTC", "", json.dumps(shown, default=str))
    return text.replace(str(folder), "")


@pytest.mark.slow
def test_all_that_reaches_a_user_is_the_same_with_few_suppressed_rows_and_with_none(tmp_path: Path) -> None:
    none, three, four = (reaching_ann(tmp_path / str(few), few) for few in (0, 3, 4))
    assert none == three == four


def test_a_forecast_tells_a_user_its_verdict_alone() -> None:
    for verdict in ("it will probably pass", "it will probably pass (73 in 100)"):
        assert entitled.forecast(f"{verdict}; expected: age by 5 years; 3 nodes to measure") == "it will probably pass"


@pytest.mark.slow
def test_a_users_request_has_no_chance_that_was_calculated_of_measured_nodes(tmp_path: Path) -> None:
    engine, by = made(tmp_path, 3)
    engine.run(REQUEST.replace("ages.csv", str(tmp_path / "ages.csv")))
    number = by("ann").submissions.submit(REQUEST.replace("k: 5", "k: 7")).id
    assert engine.submissions.get(number).in_force.chance is not None
    for name in ("ann", "rei"):
        seen = by(name).submissions.get(number).in_force
        assert seen.chance is None
        assert not re.search(r"\d", seen.prediction)


@pytest.mark.slow
def test_a_check_by_a_token_has_the_names_of_levels_and_no_label(tmp_path: Path) -> None:
    _, by = made(tmp_path, 3)
    mondrian = "dataset: members\nmethod: mondrian\nk: 5\nquasi_identifiers: {age: {hierarchy: age}}\n"
    for text in (REQUEST, f"{mondrian}mondrian: {{variant: hierarchy}}\nrelease: {{to: a.csv}}\n"):
        (found,) = by("ann").check(text).qis
        assert [each.name for each in found.hierarchy.levels] == ["value", "level1", "level2", "*"]
        assert {each.content_hash for each in found.hierarchy.levels} == {""}
        for ask in ("content_hash", "ground", "code", "check_type"):
            with pytest.raises(Refused, match="the labels of a hierarchy are the provider's"):
                asked(found.hierarchy, ask)


POLICIES: dict[str, dict[str, Any]] = {
    "recipients": {"recipients": {"bob": {}}},
    "recipients.k": {"recipients": {"ann": {"k": 20}}},
    "filters.borders": {},
    "terms": {"terms": "For studies alone."},
    "quota": {"quota": {"requests": 1}},
    "search.budget": {},
    "k": {"k": 10},
}


@pytest.mark.slow
def test_a_users_filter_names_no_value_of_few_persons_without_a_policy_either(tmp_path: Path) -> None:
    engine, by = made(tmp_path, 3)
    rare = REQUEST + "where: id = 5 OR ill = 'ill1'\n"
    number = by("ann").submissions.submit(rare).id
    by("rei").submissions.review(number, "approve")
    ran = engine.submissions.run(number)
    assert (ran.submission.status, ran.result) == ("in_review", None)
    assert "the filter names a value that fewer than" in ran.returned
    assert by("ann").submissions.history(number)[-1].detail == "the provider looks at it"
    assert [each.counts for each in engine.submissions.refused_by_data(number)] == [True]

    often = by("ann").submissions.submit(REQUEST + "where: ill <> 'ill0'\n").id
    by("rei").submissions.review(often, "approve")
    assert engine.submissions.run(often).submission.status == "run"
    assert engine.run(rare.replace("ages.csv", str(tmp_path / "own.csv"))).released  # the provider's, who has the table


@pytest.mark.slow
@pytest.mark.parametrize("policy", [None, {"dataset": "members"}])
def test_a_users_filter_leaves_no_few_persons_out_whatever_the_policy_leaves_out(
    tmp_path: Path, policy: dict[str, Any] | None
) -> None:
    """Beside a release of every row, one without the only person of 90 has all that is kept of that person."""
    engine, by = made(tmp_path, 1)
    if policy is not None:
        engine.policies.set(policy)
    of_nobody_apart = REQUEST.replace("{hierarchy: age}", "{hierarchy: age, from: '*'}")
    for where in ("age < 90", "age >= 90", "age >= 0"):
        number = by("ann").submissions.submit(f"{of_nobody_apart}where: {where}\n").id
        by("rei").submissions.review(number, "approve")
        ran = engine.submissions.run(number)
        assert (ran.submission.status, ran.result) == ("in_review", None)
        assert "the filter lets fewer than" in ran.returned


MORE = {"filters.borders": "where: age >= 23\n", "search.budget": "search: {budget: {questions: 1}}\n"}
"""What a request has besides, to break a rule."""


@pytest.mark.slow
def test_a_check_by_a_token_says_what_the_submission_would(tmp_path: Path) -> None:
    engine, by = made(tmp_path, 3)
    by("ann").submissions.submit(REQUEST)
    for rule, rules in POLICIES.items():
        engine.policies.set({"dataset": "members", **rules})
        request = REQUEST + MORE.get(rule, "")
        said = []
        for ask in (by("ann").check, by("ann").submissions.submit):
            with pytest.raises(UnknownName if rule == "recipients" else PolicyBroken) as refused:
                ask(request)
            said.append((getattr(refused.value, "rules", (rule,)), refused.value.message))
        assert said[0] == said[1]
        assert rule in said[0][0]


def asked(hierarchy: Any, name: str) -> object:
    arguments = {"ground": (0, [20]), "code": (None, "INTEGER", 0), "check_type": ("INTEGER",)}
    found = getattr(hierarchy, name)
    return found(*arguments[name])


def test_a_manifest_that_does_not_say_what_is_suppressed_is_not_handed_over() -> None:
    whole: dict[str, Any] = {
        "request": {"k": 5}, "method": "generalization", "shape": "rows", "counts": "rows", "pseudonym": None,
        "suppression_limit": "0.1", "persons": None, "suppressed_rows": 3, "suppressed_persons": None, "k": 6,
        "star_rows": 0, "risk": {}, "sensitive": [], "loss": {},
    }  # fmt: skip
    assert entitled.manifest(whole)["suppressed_rows"] is None
    for name in ("request", "method", "suppressed_rows", "suppressed_persons", "persons", "pseudonym", "loss"):
        with pytest.raises(ReleaseFault, match="does not say what its user may have"):
            entitled.manifest({key: value for key, value in whole.items() if key != name})
    for number in ("3", None, True, 3.0):
        with pytest.raises(ReleaseFault):
            entitled.manifest({**whole, "suppressed_rows": number})


@pytest.mark.parametrize(
    ("method", "limit", "rows", "persons", "stated"),
    sampled(
        [
            ("generalization", "0", 0, None, 0),
            ("generalization", "0.1", 0, None, None),
            ("generalization", "0.1", 4, None, None),
            ("generalization", "0.1", 5, None, 5),
            ("generalization", "0.1", 9, 4, None),
            ("generalization", "0.1", 9, 5, 9),
            ("history", None, 0, 0, None),
            ("mondrian", None, 0, None, 0),
        ],
        2,
    ),
)
def test_few_suppressed_rows_and_none_look_alike(
    method: str, limit: str | None, rows: int, persons: int | None, stated: int | None
) -> None:
    found = entitled.Entitled(
        5, method, "rows", Fraction(limit or "0"), rows, persons, counts_persons=persons is not None, pseudonym="person"
    )
    assert found.suppressed == stated
    assert found.has_loss("dm" if found.shows_units and persons is None else "deleted_share") == (stated is not None)
    assert not found.has_loss("loss")


@pytest.mark.parametrize(
    ("persons", "pseudonym", "limit", "alpha", "closeness"),
    [
        (False, None, "0", 0.4, 0.2),
        (False, None, "0.1", 0.4, None),
        (True, "person", "0", 0.4, 0.2),
        (True, None, "0", None, None),
    ],
)
def test_a_figure_of_the_worst_class_is_stated_where_the_table_shows_it(
    persons: bool, pseudonym: str | None, limit: str, alpha: float | None, closeness: float | None
) -> None:
    """Without pseudonyms the sizes of classes of persons are not in the table; a distance is from the whole dataset."""
    found = entitled.Entitled(
        5, "generalization", "rows", Fraction(limit), 0, counts_persons=persons, pseudonym=pseudonym
    )
    assert found.worst("alpha_k", 0.4) == alpha
    assert found.worst("t_closeness", 0.2) == closeness


def test_a_user_reads_nothing_of_the_process_that_runs_a_request(
    office: tuple[Engine, Callable[[str], Engine]],
) -> None:
    engine, by = office
    dossier = engine.submissions.get(by("ann").submissions.submit(REQUEST).id)
    running = replace(dossier, submission=replace(dossier.submission, claim="1-run"))
    assert entitled.submission(running.submission) == dossier.submission
    assert entitled.dossier(running).submission.claim is None
