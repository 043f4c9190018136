"""The page of losses says what the registry of metrics says."""

from __future__ import annotations

from ordermade.loss.metrics import METRICS
from ordermade.loss.objectives import conclusions_reference, losses_reference
from tests.conftest import REPOSITORY


def test_the_reference_page_is_what_the_code_says():
    page = (REPOSITORY / "docs" / "reference" / "losses.md").read_text(encoding="utf-8")
    assert losses_reference() in page
    assert conclusions_reference() in page


def test_every_metric_is_told():
    for told in (losses_reference(), conclusions_reference()):
        assert all(told.count(f"| `{name}` |") == 1 for name in METRICS)
