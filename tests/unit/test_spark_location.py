"""Locations of Spark taken apart, and errors without PySpark; nothing here starts a Spark."""

from __future__ import annotations

import pytest

from ordermade.errors import InputError, SourceFault, UnfitValue
from ordermade.sources.open import expanded, kind_of_source
from ordermade.sources.spark_faults import fault
from ordermade.sources.spark_location import parsed


@pytest.mark.parametrize(
    "location", ["local[2]", "local[*]?path=/d", "spark://host:7077", "sc://host:15002/;use_ssl=true"]
)
def test_locations_of_spark_are_known(location: str) -> None:
    assert kind_of_source(location) == "spark"


def test_options_are_paths_a_place_in_the_catalogue_and_settings() -> None:
    place = parsed("local[3]?path=/a%20b/x.parquet&path=s3a://c/d&schema=crm&catalog=lake&spark.driver.memory=4g")
    assert (place.master, place.shown, place.threads) == ("local[3]", "local[3]", 3)
    assert place.paths == ("/a b/x.parquet", "s3a://c/d")
    assert (place.schema, place.catalog, place.settings) == ("crm", "lake", {"spark.driver.memory": "4g"})


def test_a_message_shows_no_option_of_a_location() -> None:
    assert parsed("sc://host:15002/;token=abc?schema=x").shown == "sc://host:15002/"


@pytest.mark.parametrize("option", ["path=data/x", "paths=/x", "spark.hadoop.fs.s3a.secret.key=abc", "user=me"])
def test_relative_paths_unknown_options_and_secrets_are_refused(option: str) -> None:
    with pytest.raises(InputError) as raised:
        parsed(f"local[2]?{option}")
    assert "abc" not in str(raised.value)


def test_variables_are_filled_in_with_any_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLDER", "/a&b=c")
    monkeypatch.setenv("HOST", "cluster")
    assert parsed(expanded("local[2]?path=${FOLDER}/x")).paths == ("/a&b=c/x",)
    assert parsed(expanded("spark://${HOST}:7077?path=${FOLDER}")).master == "spark://cluster:7077"


class Failed(Exception):
    def __init__(self, condition: str | None, message: str) -> None:
        super().__init__(message)
        self.condition = condition

    def getCondition(self) -> str | None:  # noqa: N802
        return self.condition


def test_an_error_keeps_the_name_of_what_failed_and_nothing_of_the_message() -> None:
    message = "[CAST_INVALID_INPUT] The value 'Ann Other' cannot be cast"
    found = fault(Failed("CAST_INVALID_INPUT", message), "no answer", "local[2]")
    assert isinstance(found, UnfitValue)
    for each in (Failed(None, message), Failed("Ann Other", "Ann Other"), Failed(None, "[Ann] Other")):
        assert "Ann" not in str(fault(each, "no answer", "local[2]"))
    lost = fault(Failed(None, "SparkContext was shut down: Ann"), "no answer", "local[2]")
    assert type(lost) is SourceFault
    assert "check the master" in str(lost)
