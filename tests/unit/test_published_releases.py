"""Releases in the catalogue: which may be put there, what the ledger has of them, and what every user reads of them."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ordermade.errors import InputError, NeedsReview, OrdermadeError, Refused, ReleaseFault, SourceFault, UnknownName
from ordermade.state import opt_outs, publications
from ordermade.state.audit import audit_entries
from ordermade.state.replay import unlike_their_steps
from ordermade.state.statements import utc_now
from tests.bureau import BY_TENS, POLICY, ROLES, SHIFTED, TITLE, Bureau, asked, bureau_in

pytestmark = pytest.mark.slow


@pytest.fixture
def bureau(tmp_path: Path) -> Bureau:
    return bureau_in(tmp_path)


def test_every_user_reads_a_published_release_and_has_its_file(bureau: Bureau) -> None:
    release = bureau.delivered("ann", asked(sex=0, age=1))
    with pytest.raises(UnknownName):
        bureau.catalogue("bob").release(release)
    made = bureau.engine.releases.publish(release, f" {TITLE} ")
    assert (made.release, made.dataset, made.title, made.ended_at) == (release, "people", TITLE, None)
    for name in ROLES:
        catalogue = bureau.catalogue(name)
        assert [(each.release, each.title) for each in catalogue.releases("people")] == [(release, TITLE)]
        found = catalogue.release(release)
        assert [(each.name, each.level_name) for each in found.columns] == [("sex", "value"), ("age", "ten")]
        assert (found.shape, found.rows, found.classes, found.filter) == ("rows", 81, 4, None)
        assert found.k >= 3
        file = catalogue.release_file(release)
        assert file.name == f"release-{release}.csv"
        assert file.path.read_text().count("\n") == 82
    assert bureau.engine.releases.get(release).published_as == TITLE
    assert bureau.engine.releases.list()[0].published_as == TITLE


def test_nothing_of_who_requested_it_is_read(bureau: Bureau) -> None:
    release = bureau.delivered("ann", asked(sex=0))
    bureau.engine.releases.publish(release, TITLE)
    found, file = bureau.catalogue("bob").release(release), bureau.catalogue("bob").release_file(release)
    for text in ("ann", "ito", "needs"):
        assert text not in f"{asdict(found)} {file.name}".lower()
    assert found.cited.request == 0


def test_an_entry_for_anyone_comes_into_the_ledger_and_stays_there(bureau: Bureau) -> None:
    release = bureau.delivered("ann", asked(sex=0, age=1))
    bureau.engine.releases.publish(release, TITLE)
    both = [("released", ("ann",), release), ("released", ("anyone",), release)]
    assert bureau.entries() == both
    ended = bureau.engine.releases.unpublish(release, "a column was wrong")
    assert ended.ended_at is not None
    assert bureau.entries() == both
    assert bureau.catalogue("bob").releases("people") == ()
    with pytest.raises(UnknownName):
        bureau.catalogue("bob").release_file(release)
    bureau.engine.releases.publish(release, "Again")
    assert bureau.entries() == both
    assert [(each.action, each.subject, each.detail) for each in _audit(bureau) if "publish" in each.action] == [
        ("release publish", str(release), TITLE),
        ("release unpublish", str(release), "a column was wrong"),
        ("release publish", str(release), "Again"),
    ]
    with bureau.engine.state_file.reading() as connection:
        assert list(unlike_their_steps(connection)) == []


def _audit(bureau: Bureau) -> list[Any]:
    with bureau.engine.state_file.reading() as connection:
        return list(reversed(audit_entries(connection, 200)))


def test_a_publication_refuses_what_tells_persons_beside_it(bureau: Bureau) -> None:
    release = bureau.delivered("ann", BY_TENS)
    bureau.delivered("eve", SHIFTED)  # in a pool of its own
    number = bureau.approved("bob", SHIFTED)
    bureau.engine.ledger.destroyed(2)
    bureau.engine.releases.publish(release, TITLE)
    assert bureau.engine.submissions.run(number).submission.status == "refused"
    bureau.engine.releases.unpublish(release)  # it went out
    number = bureau.approved("bob", SHIFTED)
    assert bureau.engine.submissions.run(number).submission.status == "refused"


def test_what_another_pool_received_refuses_a_publication(bureau: Bureau) -> None:
    other = bureau.delivered("bob", SHIFTED)
    release = bureau.delivered("ann", BY_TENS)
    with pytest.raises(Refused, match="could work out a group of fewer than k persons"):
        bureau.engine.releases.publish(release, TITLE, reviewed=True)
    assert bureau.entries() == [("released", ("bob",), other), ("released", ("ann",), release)]
    assert bureau.catalogue("bob").releases("people") == ()


def test_pools_that_were_apart_when_it_was_made_are_those_of_the_policy_in_force(bureau: Bureau) -> None:
    bureau.delivered("bob", SHIFTED)
    release = bureau.delivered("ann", BY_TENS)
    bureau.engine.policies.set({key: value for key, value in POLICY.items() if key != "pools"})
    with pytest.raises(Refused, match="could work out a group of fewer than k persons"):
        bureau.engine.releases.publish(release, TITLE)


def test_an_undecided_publication_is_left_to_a_reviewer(bureau: Bureau) -> None:
    bureau.delivered("bob", asked(sex=0))
    release = bureau.delivered("ann", BY_TENS)
    bureau.change("INSERT INTO people VALUES ('new', 'f', '20')")
    with pytest.raises(NeedsReview, match="not those of the data of today") as refused:
        bureau.engine.releases.publish(release, TITLE)
    assert f"ordermade release publish {release} --reviewed" in str(refused.value)
    bureau.engine.policies.set({**POLICY, "beside": {"undecided": "refuse"}})
    with pytest.raises(Refused, match="not those of the data of today"):
        bureau.engine.releases.publish(release, TITLE, reviewed=True)
    bureau.engine.policies.set(POLICY)
    assert len(bureau.engine.releases.publish(release, TITLE, reviewed=True).warnings) == 1


def test_without_others_it_is_published_whatever_the_data_are(bureau: Bureau) -> None:
    release = bureau.delivered("ann", BY_TENS)
    bureau.change("INSERT INTO people VALUES ('new', 'f', '20')")
    assert bureau.engine.releases.publish(release, TITLE).warnings == ()


def _withdrawn(bureau: Bureau, release: int) -> None:
    bureau.engine.submissions.withdraw(bureau.submission_of(release))


def _changed(bureau: Bureau, release: int) -> None:
    path = Path(str(bureau.engine.releases.get(release).path))
    path.chmod(0o600)
    path.write_text(path.read_text().replace("1.", "2.", 1))


def _removed(bureau: Bureau, release: int) -> None:
    Path(str(bureau.engine.releases.get(release).path)).unlink()


def _tightened(bureau: Bureau, _: int) -> None:
    bureau.engine.policies.set({**POLICY, "k": 20})


def _for_some(bureau: Bureau, _: int) -> None:
    bureau.engine.policies.set({**POLICY, "recipients": {"ann": {}}})


@pytest.mark.parametrize(
    ("before", "error"),
    [
        (_withdrawn, Refused),
        (_changed, ReleaseFault),
        (_removed, ReleaseFault),
        (_tightened, Refused),
        (_for_some, Refused),
    ],
)
def test_what_may_not_be_published_is_not(bureau: Bureau, before: Any, error: type[OrdermadeError]) -> None:
    release = bureau.delivered("ann", BY_TENS)
    before(bureau, release)
    with pytest.raises(error):
        bureau.engine.releases.publish(release, TITLE, reviewed=True)
    assert all(recipients == ("ann",) for _, recipients, _ in bureau.entries())
    with bureau.engine.state_file.reading() as connection:
        assert publications.PUBLICATIONS.select(connection) == []


def test_one_is_not_published_of_whose_persons_some_opted_out(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    release = bureau.delivered("ann", BY_TENS)
    monkeypatch.setattr(opt_outs, "number_of", lambda *_: 1)
    with pytest.raises(Refused, match="persons have opted out since"):
        bureau.engine.releases.publish(release, TITLE, reviewed=True)


def test_only_what_was_delivered_to_a_user_is_published(bureau: Bureau) -> None:
    number = bureau.approved("ann", BY_TENS)
    bureau.engine.submissions.run(number)
    with pytest.raises(Refused, match="request 1 is run"):
        bureau.engine.releases.publish(1, TITLE)
    own = bureau.engine.run({**BY_TENS, "release": {"to": str(bureau.folder / "own.csv")}}, recipients=("ann",))
    assert own.status == "released"
    with pytest.raises(Refused, match="the provider made this one"):
        bureau.engine.releases.publish(2, TITLE)
    with pytest.raises(UnknownName):
        bureau.engine.releases.publish(3, TITLE)


@pytest.mark.parametrize(
    "title", ["", " ", "two\nlines", "t" * 201, "turned \u202e round", "\u3164", "\u2800", "\ufe0f"]
)
def test_a_title_is_one_line_that_everybody_sees(bureau: Bureau, title: str) -> None:
    release = bureau.delivered("ann", BY_TENS)
    with pytest.raises(InputError, match="a title in the catalogue"):
        bureau.engine.releases.publish(release, title)


def test_published_again_it_stays_and_under_another_title_it_is_refused(bureau: Bureau) -> None:
    release = bureau.delivered("ann", BY_TENS)
    with pytest.raises(Refused, match="is not in the catalogue"):
        bureau.engine.releases.unpublish(release)
    first = bureau.engine.releases.publish(release, TITLE)
    assert bureau.engine.releases.publish(release, TITLE) == first
    with pytest.raises(Refused, match="is in the catalogue already, as"):
        bureau.engine.releases.publish(release, "Another")
    assert len(bureau.entries()) == 2


def test_what_ends_a_release_takes_it_out_of_the_catalogue(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    release = bureau.delivered("ann", BY_TENS)
    bureau.engine.releases.publish(release, TITLE)
    path = bureau.catalogue("bob").release_file(release).path
    _withdrawn(bureau, release)
    assert bureau.catalogue("bob").releases("people") == ()
    assert not path.exists()
    for call in ("release", "release_file"):
        with pytest.raises(UnknownName):
            getattr(bureau.catalogue("bob"), call)(release)
    assert bureau.entries()[1] == ("released", ("anyone",), release)
    assert bureau.engine.releases.get(release).published_as is None

    bureau.engine.policies.set({**POLICY, "retention": {"releases": "1 day"}})
    release = bureau.delivered("ann", BY_TENS)
    bureau.engine.releases.publish(release, TITLE)
    later = utc_now() + timedelta(days=2)
    monkeypatch.setattr(publications, "utc_now", lambda: later)
    assert bureau.catalogue("bob").releases("people") == ()


def test_a_file_that_changed_is_not_handed_out(bureau: Bureau) -> None:
    release = bureau.delivered("ann", BY_TENS)
    bureau.engine.releases.publish(release, TITLE)
    _changed(bureau, release)
    with pytest.raises(SourceFault, match="the reason is the provider's"):
        bureau.catalogue("bob").release_file(release)


def test_a_dataset_that_is_not_for_a_user_shows_none(bureau: Bureau) -> None:
    release = bureau.delivered("ann", BY_TENS)
    bureau.engine.releases.publish(release, TITLE)
    _for_some(bureau, release)
    for call in ("release", "release_file"):
        with pytest.raises(UnknownName):
            getattr(bureau.catalogue("bob"), call)(release)
    with pytest.raises(UnknownName):
        bureau.catalogue("bob").releases("people")
    assert bureau.catalogue("ann").release(release).title == TITLE


@pytest.mark.parametrize(
    ("rules", "reads"),
    [
        ({"recipients": {"bob": {"columns": ["age", "name"]}, "eve": {}}}, {"eve", "rei"}),
        ({"recipients": {"bob": {"columns": ["AGE", "Sex"]}}}, {"bob", "rei"}),
        ({"never": {"ask": ["age"]}}, {"rei"}),
        ({"never": {"ask": ["Sex"]}}, {"rei"}),
    ],
)
def test_a_release_by_columns_that_are_closed_to_a_user_is_none_for_this_user(
    bureau: Bureau, rules: dict[str, Any], reads: set[str]
) -> None:
    release = bureau.delivered("ann", {**asked(age=1), "where": "sex = 'f'"})
    bureau.engine.releases.publish(release, TITLE)
    bureau.engine.policies.set({**POLICY, **rules})
    for name in ("bob", "eve", "rei"):
        catalogue = bureau.catalogue(name)
        if name in reads:
            assert [each.release for each in catalogue.releases("people")] == [release]
            assert catalogue.release(release).columns[0].name == "age"
            continue
        for call in (catalogue.release, catalogue.release_file):
            with pytest.raises(UnknownName):
                call(release)
        try:
            assert catalogue.releases("people") == ()
        except UnknownName:
            assert name == "eve"


def test_forecasts_of_everybody_go_by_a_release_while_it_is_published(bureau: Bureau) -> None:
    release = bureau.delivered("ann", asked(age=1))
    wanted = asked(age=1)
    assert bureau.of("bob").forecast(wanted).why == "unknown"
    bureau.engine.releases.publish(release, TITLE)
    assert bureau.of("bob").forecast(wanted).answer == "likely"
    bureau.engine.releases.unpublish(release)
    assert bureau.of("bob").forecast(wanted).why == "unknown"


def test_its_recipients_destroyed_none_that_everybody_may_have(bureau: Bureau) -> None:
    release = bureau.delivered("ann", BY_TENS)
    bureau.engine.releases.publish(release, TITLE)
    with pytest.raises(InputError, match="is in the catalogue"):
        bureau.engine.ledger.destroyed(2)
    bureau.engine.releases.unpublish(release)
    bureau.engine.ledger.destroyed(2, "nobody read it")
    bureau.engine.releases.publish(release, TITLE)
    assert bureau.entries()[1][0] == "released"


def test_texts_of_its_user_in_the_file_need_a_review(bureau: Bureau) -> None:
    to = {"to": "t.xlsx", "count": "Ito's"}
    release = bureau.delivered("ann", {"title": "Ann", "dataset": "people", "k": 3, "rows": ["age"], "release": to})
    with pytest.raises(NeedsReview, match="the title 'Ann', the head of its counts 'Ito's'"):
        bureau.engine.releases.publish(release, TITLE)
    bureau.engine.releases.publish(release, TITLE, reviewed=True)
    found = bureau.catalogue("bob").release(release)
    assert found.is_of_tables
    assert "Ann" not in str(asdict(found))


def delivered_by_own_labels(bureau: Bureau) -> int:
    """A release to ann by the labels of a hierarchy that ann uploaded."""
    bureau.engine.policies.set({**POLICY, "labels": ["age"]})
    text = "value,mine,*\n10,young,*\n11,young,*\n20,old,*\n21,old,*\n"
    bureau.catalogue("ann").add_hierarchy("people", "age", "mine", text, "csv")
    return bureau.delivered("ann", asked("ann/mine", age=1))


def test_a_hierarchy_of_its_user_needs_a_review_and_is_not_named(bureau: Bureau) -> None:
    release = delivered_by_own_labels(bureau)
    with pytest.raises(NeedsReview, match="the labels of the hierarchy 'ann/mine'"):
        bureau.engine.releases.publish(release, TITLE)
    bureau.engine.releases.publish(release, TITLE, reviewed=True)
    for catalogue in (*map(bureau.catalogue, ROLES), bureau.engine.catalogue):
        found = catalogue.release(release)
        assert [(each.hierarchy, each.level_name) for each in found.columns] == [(None, "mine")]
        assert "ann" not in str(asdict(found))


def test_a_hierarchy_that_its_user_took_away_needs_the_same_review(bureau: Bureau) -> None:
    release = delivered_by_own_labels(bureau)
    bureau.catalogue("ann").remove_hierarchy("ann/mine")
    with pytest.raises(NeedsReview, match="the labels of the hierarchy 'ann/mine'"):
        bureau.engine.releases.publish(release, TITLE)
    bureau.engine.releases.publish(release, TITLE, reviewed=True)
    assert "ann" not in str(asdict(bureau.catalogue("bob").release(release)))


def test_a_provider_publishes_by_a_token_under_the_own_name(bureau: Bureau) -> None:
    release = bureau.delivered("ann", BY_TENS)
    bureau.engine.users.add("pro", ["provider"])
    engine = replace(bureau.engine, token=bureau.engine.users.token("pro").secret)
    assert engine.releases.publish(release, TITLE).title == TITLE
    assert engine.catalogue.release(release).title == TITLE
    assert next(each.actor for each in _audit(bureau) if each.action == "release publish") == "pro"


def test_what_is_done_again_leaves_the_catalogue_for_what_is_published_anew(bureau: Bureau) -> None:
    release = bureau.delivered("ann", BY_TENS)
    bureau.engine.releases.publish(release, TITLE)
    number = bureau.of("ann").rerun(bureau.submission_of(release)).id
    bureau.of("rei").review(number, "approve")
    bureau.engine.submissions.run(number)
    later = bureau.engine.submissions.deliver(number).release
    assert bureau.catalogue("bob").releases("people") == ()
    bureau.engine.releases.publish(later, TITLE)
    assert [each.release for each in bureau.catalogue("bob").releases("people")] == [later]


def test_users_publish_nothing(bureau: Bureau) -> None:
    release = bureau.delivered("ann", BY_TENS)
    for name in ROLES:
        engine = replace(bureau.engine, token=bureau.tokens[name])
        for call in (lambda noun: noun.publish(release, TITLE), lambda noun: noun.unpublish(release)):
            with pytest.raises(Refused):
                call(engine.releases)
