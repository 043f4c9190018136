"""The output of `ordermade anonymize`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordermade.cli.screen import say

if TYPE_CHECKING:
    from ordermade.anonymization.anonymized import Anonymized


def print_anonymized(answer: Anonymized) -> None:
    """The answer."""
    from ordermade.cli.render.answers import print_answer

    print_answer(answer.result, answer.read.request, shown=True)
    for each in answer.compared:
        say(str(each))
