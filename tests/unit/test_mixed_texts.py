"""Columns that are left out as texts say why they are no dates."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ordermade.anonymization.options import AnonymizeOptions
from ordermade.anonymization.plan import AnonymizationPlan, with_causes
from ordermade.drafts.mixed_texts import ways_of_writing
from ordermade.drafts.roles import ProposedRole
from ordermade.drafts.text_column import Unread

DAYS = [f"{day:02}.03.1980" for day in range(1, 20)]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([*DAYS, "1980-03-01", "03/01/80", "N/A"], "dates written in 3 ways, and N/A"),
        ([*DAYS, "before the war"], "dates, and other texts"),
        (["10002A", "10002B", "10080", "A-12"], None),
        (DAYS, None),
        (["Anna", "Ben", "Clara"], None),
        (["N/A"], None),
        ([], None),
    ],
)
def test_the_ways_of_writing_are_counted_and_no_text_is_shown(texts: Sequence[str], said: str | None) -> None:
    assert ways_of_writing(texts) == said


def test_a_column_left_out_as_a_text_says_why() -> None:
    unread = [Unread(name, "dates in which day and month cannot be told apart: left as text") for name in "abcd"]
    roles = (
        ProposedRole("a", "identifier", "left out: less identifying than the 8 quasi-identifiers that stay"),
        ProposedRole("b", "identifier", "its name says a person's name"),
        ProposedRole("c", "identifier", "as you said"),
        ProposedRole("d", "quasi-identifier", "its name says birth; others may know it"),
        ProposedRole("e", "identifier", "no hierarchy: free text: 90 different values"),
    )
    wanted = AnonymizeOptions(k=5, roles={"c": "identifier"})
    found = with_causes(AnonymizationPlan(roles, ()), unread, wanted).roles
    assert found[0].reason == "left out: dates in which day and month cannot be told apart"
    assert found[1:] == roles[1:]
