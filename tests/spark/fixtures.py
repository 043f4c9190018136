"""The fixture of the tests' Spark, for tests of every folder; `tests/conftest.py` loads it.

A test that asks for it is thereby marked `spark`. One that comes to it by other ways marks itself.
"""

from __future__ import annotations

import pytest

from tests.spark.started import NoSpark, require_programs

REASON = "no Spark: "
"""The beginning of the reason of a test that is skipped for want of it."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what asks for Spark."""
    if "spark" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.spark)


@pytest.fixture(scope="session")
def spark() -> None:
    """PySpark and Java; without them the test is skipped."""
    try:
        require_programs()
    except NoSpark as none:
        pytest.skip(f"{REASON}{none}")
