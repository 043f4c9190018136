"""The output of `ordermade request show`: a request on record."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ordermade.views import histories, microaggregation, mondrian
from ordermade.views import request as generalization
from ordermade.views.screen import print_facts, print_table, say

if TYPE_CHECKING:
    from ordermade.state.records.requests import RequestRecord


def print_record(request: RequestRecord, *, verbose: bool = False) -> None:
    """Prints a request on record: its fields and its outcome; with `verbose` how it was answered, and its cost."""
    outcome = f", {request.title}" if request.title else ""
    say(f"Request {request.id}, {request.status}{outcome}")
    print_facts(
        (name, value) for name, value in generalization.record_facts(request) if verbose or name in generalization.SHOWN
    )
    for each in reasons(request.reason or ""):
        say(f"  {each}")
    if request.method == "history":
        print_table(histories.REQUEST_HEADINGS, histories.request_rows(request))
        return
    if request.method == "mondrian":
        print_table(mondrian.REQUEST_HEADINGS, mondrian.request_rows(request))
        return
    if request.method == "microaggregation":
        print_table(microaggregation.REQUEST_HEADINGS, microaggregation.request_rows(request))
        if request.quasi_identifiers:
            print_table(microaggregation.WITHIN_HEADINGS, microaggregation.within_rows(request))
        return
    print_table(generalization.REQUEST_HEADINGS, generalization.request_rows(request))


_BETWEEN_FACTS = re.compile(r": (?=the coarsest has )|; (?=classes that fail |column |nothing )|\. (?=Nearest )")


def reasons(reason: str) -> list[str]:
    """The facts of a reason, each by itself."""
    return [each for each in _BETWEEN_FACTS.split(reason) if each]
