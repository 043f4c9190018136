"""The certificate in words: nothing is said of the others where there are none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ordermade.reports import sentences
from ordermade.reports.language import Language
from tests.reports_made import METHODS, made


@pytest.mark.parametrize(("measured", "others"), [(6, True), (12, False)])
def test_the_others_are_named_where_some_are_left(measured: int, others: bool) -> None:
    report = made(METHODS[0])
    proved = replace(report, proof=replace(report.proof, certified=True, nodes=12, measured=measured))
    said = " ".join(sentences.certificate(proved, Language.of("en")))
    assert ("the others follow" in said) is others
