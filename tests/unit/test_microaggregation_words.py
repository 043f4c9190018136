"""What the command line reads and tells of microaggregation, and what the reference says of it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ordermade.cli.options import ks_of
from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.methods import METHODS
from ordermade.methods.microaggregation.recorder import advice
from ordermade.methods.microaggregation.result import CorrelationReport
from ordermade.requests.microaggregation import MicroaggregationRequest
from ordermade.requests.schema import methods_reference
from ordermade.views import comparison, comparison_options
from ordermade.views import microaggregation as microaggregation_words
from tests.conftest import REPOSITORY


@pytest.mark.parametrize(
    ("written", "ks"), [("3", (3,)), ("10, 3,5", (3, 5, 10)), ("2..4", (2, 3, 4)), ("5,2..3,3", (2, 3, 5))]
)
def test_each_k_once_and_in_order(written, ks):
    assert ks_of(written, comparison.MAX_KS) == ks


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("", "whole number"),
        ("3,", "whole number"),
        ("2.5", "whole number"),
        ("-3", "whole number"),
        ("9..2", "no number in it. Write it as 2..9"),
        ("2..999999999", "more than 200"),
        (",".join(str(2 * k) for k in range(1, 202)), "more than 200"),
    ],
)
def test_what_is_no_k_is_told(written, told):
    with pytest.raises(InputError, match=told):
        ks_of(written, comparison.MAX_KS)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"seconds": "0"}, "--seconds: a budget is above 0 seconds"),
        ({"seconds": "nan"}, "--seconds: "),
        ({"gamma": "-1"}, "--gamma: a gamma is at least 0. Write a number"),
        ({"gamma": "much"}, "--gamma: this is no number"),
        ({"anchors": 63}, "--anchors: there are 1 to 62 anchors"),
        ({"seed": -1}, "--seed: a seed is from 0"),
    ],
)
def test_options_are_held_to_the_ranges_of_the_request_file(changed, told):
    asked = {"seconds": "1", "gamma": "0.2", "anchors": 3, "seed": 1} | changed
    with pytest.raises(InputError) as refused:
        comparison_options.options_of(**asked, improve=True)
    assert refused.value.message.startswith(told)


def test_the_correlations_that_changed_most_are_told():
    found = [
        CorrelationReport(("a", "b"), 0.5, 0.6),
        CorrelationReport(("a", "c"), None, None),
        CorrelationReport(("a", "d"), -0.2, 0.1),
        CorrelationReport(("b", "d"), 0.0, 0.0),
        CorrelationReport(("c", "d"), 0.0, 0.01),
    ]
    told = microaggregation_words.correlations(found)
    assert told == "a and d -0.200 -> 0.100; a and b 0.500 -> 0.600; c and d 0.000 -> 0.010; 1 more changed less"
    assert microaggregation_words.correlations(found[1:2]) is None


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (45_554.25, 45_554.25, "45,554.2 kept"),
        (41.53, 41.5, "41.5300 -> 41.5000"),
        (0.0, 0.0, "0.00000 kept"),
        (-2.5e9, -2.5e9 + 1, "-2,500,000,000 -> -2,499,999,999"),
    ],
)
def test_a_mean_is_told_before_and_after(before, after, told):
    each = SimpleNamespace(
        column="x", aggregate="mean", loss=0.5, mean_before=before, mean_after=after, variance_ratio=0.5
    )
    assert microaggregation_words.released_rows(SimpleNamespace(attributes=[each])) == [
        ("x", "mean", "50 %", told, 0.5)
    ]


@pytest.mark.parametrize(
    ("within", "told"),
    [
        ({}, "Ask for a smaller k, or for more rows"),
        ({"age": 1}, "Take a coarser level in `within`"),
        ({"age": 1, "sex": 0}, "Take coarser levels in `within`"),
    ],
)
def test_a_refusal_says_what_to_do_next(within, told):
    request = MicroaggregationRequest.model_validate(
        {
            "dataset": "members",
            "method": "microaggregation",
            "k": 5,
            "attributes": {"income": {}},
            "within": {column: {"hierarchy": column, "level": level} for column, level in within.items()},
            "release": {"to": "out.csv"},
        }
    )
    assert advice(request).startswith(told)


def test_the_reference_page_has_the_registry_of_methods():
    page = (REPOSITORY / "docs" / "reference" / "microaggregation.md").read_text(encoding="utf-8")
    assert methods_reference() in page
    assert all(f"| `{name}` |" in page for name in METHODS)
    assert [row[0] for row in comparison.method_rows()] == list(METHODS)
