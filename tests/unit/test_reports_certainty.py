"""The certificate in words: nothing is said of the others where there are none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ordermade.reports import sentences
from ordermade.reports.figures import Loss
from ordermade.reports.language import Language
from tests.reports_made import METHODS, made


@pytest.mark.parametrize(("measured", "others"), [(6, True), (12, False)])
def test_the_others_are_named_where_some_are_left(measured: int, others: bool) -> None:
    report = made(METHODS[0])
    proved = replace(report, proof=replace(report.proof, certified=True, nodes=12, measured=measured))
    said = " ".join(sentences.certificate(proved, Language.of("en")))
    assert ("the others follow" in said) is others


@pytest.mark.parametrize(("objective", "said"), [("loss", "gives up less: this"), ("prec", "gives up less by Prec")])
def test_a_proof_is_of_the_metric_that_was_searched_for(objective: str, said: str) -> None:
    report = made(METHODS[0])
    losses = (Loss("loss", 0.3, 0.3), Loss("prec", 0.4, 0.4))
    proved = replace(report, losses=losses, proof=replace(report.proof, certified=True, objective=objective))
    (sentence,) = sentences.certainty(proved, Language.of("en"))
    assert said in sentence
