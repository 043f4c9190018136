"""Sixty kinds of column: kept and at level 0 they come back as they were, or they are refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ordermade import Engine, InputError
from ordermade.hierarchies.from_python import text_of
from ordermade.sources.frames import given, is_frame
from tests.unit.column_kinds import COPIES, KINDS, Kind, together

READABLE = [each for each in KINDS if not each.refused]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine.in_memory() as made:
        made.hierarchies.add("group", {"g": "*"})
        yield made


def _sorted(frame: Any, kind: Kind) -> list[str]:
    """The values of the column, told apart by type and value, in order."""
    match kind.library:
        case "pandas":
            values = [None if _is_missing(each) else each for each in frame["kind"].astype(object)]
        case "polars":
            values = frame["kind"].to_list()
        case _:
            values = frame.column("kind").to_pylist()
    return sorted(map(_shown, values))


def _shown(value: Any) -> str:
    """A value with its type; numbers as the number they are, whatever digits they are written with."""
    if isinstance(value, Decimal | float | int) and not isinstance(value, bool):
        return f"number {Fraction(value)}"
    return f"{type(value).__name__} {value!r}"


def _is_missing(value: Any) -> bool:
    return not isinstance(value, list) and not hasattr(value, "shape") and bool(pd.isna(value))


def _type(frame: Any, kind: Kind) -> Any:
    match kind.library:
        case "pandas":
            return frame["kind"].dtype
        case "polars":
            return frame["kind"].dtype
        case _:
            return frame.schema.field("kind").type


def test_the_page_on_frames_lists_the_kinds() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "frames.md").read_text(encoding="utf-8")
    rows = [f"| {each.library} | {each.name} | {each.fate} |" for each in KINDS]
    assert "\n".join(rows) in page


def test_sixty_kinds_are_listed_once() -> None:
    assert len(KINDS) >= 60
    assert len({str(each) for each in KINDS}) == len(KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars", "Arrow"])
def test_the_kept_columns_of_a_frame_come_back_as_they_were(engine: Engine, library: str) -> None:
    kinds = [each for each in READABLE if each.library == library]
    frame = together([each.frame() for each in kinds])
    keep = [f"kind{number}" for number in range(len(kinds))]
    result = engine.run({"k": 5, "quasi_identifiers": {"group": {"hierarchy": "group"}}, "keep": keep}, data=frame)
    back = result.frame()
    assert type(back) is type(frame)
    for name, kind in zip(keep, kinds, strict=True):
        before, after = (_sorted(_only(each, name), kind) for each in (frame, back))
        assert after == before, kind
        assert _type(_only(back, name), kind) == _type(_only(frame, name), kind), kind


def _only(frame: Any, column: str) -> Any:
    """The frame with that column alone, called `kind`."""
    if isinstance(frame, pa.Table):
        return frame.select([column]).rename_columns(["kind"])
    return (
        frame[[column]].rename(columns={column: "kind"})
        if isinstance(frame, pd.DataFrame)
        else frame.select(pl.col(column).alias("kind"))
    )


@pytest.mark.thorough
@pytest.mark.parametrize("kind", READABLE, ids=str)
def test_a_kept_column_comes_back_as_it_was(engine: Engine, kind: Kind) -> None:
    frame = kind.frame()
    before = _sorted(frame, kind)
    result = engine.run({"k": 5, "quasi_identifiers": {"group": {"hierarchy": "group"}}, "keep": ["kind"]}, data=frame)
    assert result.released, result.reason
    back = result.frame()
    assert type(back) is type(frame)
    assert _sorted(back, kind) == before
    assert _type(back, kind) == _type(frame, kind)
    assert _sorted(frame, kind) == before


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [each for each in READABLE if not each.kept_alone], ids=str)
def test_a_quasi_identifier_at_level_0_comes_back_as_it_was(engine: Engine, kind: Kind) -> None:
    frame = kind.frame()
    engine.hierarchies.add("kind", _paths(frame, kind))
    result = engine.run({"k": COPIES, "quasi_identifiers": {"kind": {"hierarchy": "kind"}}}, data=frame)
    assert result.released, result.reason
    assert result.levels == {"kind": 0}
    back = result.frame()
    assert _sorted(back, kind) == _sorted(frame, kind)
    assert _type(back, kind) == _type(frame, kind)


def _paths(frame: Any, kind: Kind) -> dict[Any, str]:
    match kind.library:
        case "pandas":
            values = list(frame["kind"].drop_duplicates().astype(object))
        case "polars":
            values = frame["kind"].unique().to_list()
        case _:
            values = list(dict.fromkeys(frame.column("kind").to_pylist()))
    return {text_of(each): "any" for each in values}


@pytest.mark.slow
@pytest.mark.parametrize("kind", [each for each in KINDS if each.refused], ids=str)
def test_a_column_that_cannot_be_read_is_refused_by_name(engine: Engine, kind: Kind) -> None:
    frame = kind.frame()
    with pytest.raises(InputError, match="the column 'kind' holds") as refused:
        engine.run({"k": 5, "quasi_identifiers": {"group": {"hierarchy": "group"}}, "keep": ["kind"]}, data=frame)
    assert kind.refused in str(refused.value)
    assert refused.value.next_step
    # Nobody names it: it stands in nobody's way.
    assert engine.run({"k": 5, "quasi_identifiers": {"group": {"hierarchy": "group"}}}, data=frame).released


def test_every_class_of_frame_is_met() -> None:
    assert {type(each.frame()) for each in KINDS} == {pd.DataFrame, pl.DataFrame, pa.Table}


class ByArrow:
    """A frame of no library that is known here, which gives itself by one call of Arrow's PyCapsule interface."""

    def __init__(self, call: str, rows: Any) -> None:
        setattr(type(self), call, lambda _, requested_schema=None: getattr(rows, call)(requested_schema))


class Streamed(ByArrow):
    """One that gives itself as a stream, as tables do."""


class InOneBatch(ByArrow):
    """One that gives itself as an array, as batches do."""


def test_whatever_gives_itself_to_arrow_is_a_frame() -> None:
    rows = pa.table({"age": [30, None], "sex": ["f", "m"]})
    for frame in (
        Streamed("__arrow_c_stream__", rows),
        InOneBatch("__arrow_c_array__", rows.to_batches()[0]),
        duckdb.sql("SELECT * FROM (VALUES (30, 'f'), (NULL, 'm')) AS t(age, sex)"),
        rows.to_reader(),
    ):
        assert is_frame(frame)
        assert given(frame, "data").inside.to_pydict() == rows.to_pydict()


def test_a_column_that_gives_itself_to_arrow_is_no_frame() -> None:
    for column in (pa.array([1]), pl.Series([1])):
        with pytest.raises(InputError, match="this is no frame"):
            given(column, "data")
