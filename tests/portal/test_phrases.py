"""What the library refuses, in the language of the page: translated by the text that the error was written with."""

from __future__ import annotations

import copy
import pickle
import re
from types import SimpleNamespace

import pytest

from ordermade.errors import PolicyBroken, Refused, RequestError, UnknownName
from ordermade.phrases import Phrase, TwoPhrases, phrase
from ordermade.policies.decision import broken_rules
from ordermade.policies.enforcement import refused
from ordermade.policies.policy import Policy, read_policy
from ordermade.portal.words import PORTAL, PortalWords, message_of
from ordermade.reports.language import Language
from ordermade.requests.read import read_mapping, read_request
from ordermade.service.lifecycle import Actor, SubmissionState, move
from ordermade.service.user_refusals import of_refusal

JAPANESE = PortalWords(Language.of("ja", catalogue=PORTAL))
ENGLISH = PortalWords(Language.of("en", catalogue=PORTAL))


def in_japanese(message: str) -> str:
    found = JAPANESE.said(message)
    assert {each.language for each in found} == {""}, "a part of it is in English"
    return " ".join(each.text for each in found)


def broken() -> PolicyBroken:
    request = {
        "dataset": "members",
        "k": 5,
        "suppression_limit": 0.5,
        "quasi_identifiers": {"sex": {"hierarchy": "sex"}, "name": {"hierarchy": "name"}},
        "release": {"to": "a.csv"},
    }
    policy = Policy.model_validate({"dataset": "members", "k": 10, "suppression": "5 %", "never": {"ask": ["name"]}})
    return refused(policy, broken_rules(policy, read_mapping(request).request), "request")


def test_every_broken_rule_is_said_in_the_language_of_the_page() -> None:
    shown = [in_japanese(each) for each in broken().problems]
    assert any("kの5は、最小の10を下回ります。" in each for each in shown)
    assert any("秘匿の上限" in each for each in shown)
    assert any("列&#39;name&#39;を使う依頼はできません。" in each for each in shown)


def test_a_page_in_english_has_the_message_as_a_screen_has_it() -> None:
    (said,) = ENGLISH.said(broken().problems[0])
    assert (said.text, said.language) == ("request: k: k of 5 is below the least, 10; write a k of 10 or more", "")


def test_what_has_no_translation_is_marked_as_english() -> None:
    assert [(each.text, each.language) for each in JAPANESE.said("some other fault")] == [("some other fault", "en")]
    error = Refused(phrase("it was revised meanwhile"), next_step="Look at it: `ordermade request show 3`.")
    assert [each.language for each in JAPANESE.said(message_of(error))] == ["", "en"]


@pytest.mark.parametrize("state", ["approved", "in_review", "delivered", "withdrawn"])
def test_a_move_that_came_too_late_says_where_the_request_stands(state: str) -> None:
    with pytest.raises(Refused) as late:
        move(SubmissionState(state, "ann"), "accept", Actor("ann", frozenset({"data-user"})))
    assert "はできません：" in in_japanese(late.value.what)


def test_a_column_that_is_not_there_is_named() -> None:
    assert in_japanese(UnknownName("column", "colour").what) == "列&#39;colour&#39;はありません。"


def test_figures_are_escaped_on_a_page() -> None:
    assert "&lt;b&gt;" in in_japanese(phrase("there is no column %(name)s", name="<b>"))


def test_a_message_is_a_text_that_can_be_copied() -> None:
    said = phrase("there is no column %(name)s", name="x")
    both = TwoPhrases("x; y", said, "y")
    for each in (pickle.loads(pickle.dumps(both)), copy.deepcopy(both)):
        assert (each, each.what, each.instead) == ("x; y", "there is no column x", "y")
        assert isinstance(each.what, Phrase)
        assert each.what.figures == {"name": "x"}


def test_a_mistake_says_its_line_and_field() -> None:
    with pytest.raises(RequestError) as refused:
        read_request("dataset: members\nk: x\nquasi_identifiers: {age: {hierarchy: age}}\nrelease: {to: a.csv}\n")
    (said,) = refused.value.problems
    assert in_japanese(said).startswith("2行目、k： 整数を書くところに")


@pytest.mark.parametrize("rules", ["k: 10", "ks: [10, 20]", "suppression: 5 %"])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"suppression_limit": 0.01},
        {"sensitive": {"plan": [{"model": "distinct_l", "l": 3}]}},
        {"risk": {"highest": 0.2}},
    ],
)
@pytest.mark.parametrize("result", [{"rows": None}, {"rows": 7}, {"rows": 7, "beside": object()}])
def test_a_refusal_by_the_data_is_said_in_japanese(
    result: dict[str, object], more: dict[str, object], rules: str
) -> None:
    asked = {"dataset": "d", "k": 10, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "release": {"to": "o.csv"}}
    why = of_refusal(
        read_mapping({**asked, **more}).request, SimpleNamespace(**result), read_policy(f"dataset: d\n{rules}\n").policy
    )
    shown = JAPANESE.refusal(why)
    assert shown.endswith("。")
    assert re.findall("[A-Za-z_]{2,}", shown) == []
    assert JAPANESE.detail("request refuse", why) == shown


def test_the_reason_of_a_person_stays_as_it_is() -> None:
    assert JAPANESE.refusal("too detailed; k may be 20") == ""
    assert "粗くしてください" in JAPANESE.detail("request refuse", "粗くしてください")
    assert ENGLISH.refusal("k may be the least of the dataset or more") == ""
