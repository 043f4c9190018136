"""Every result is shown on one screen, and as HTML in which names of the data do nothing."""

from __future__ import annotations

import dataclasses
import html.parser
import importlib
import sys
import typing
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import UnionType
from typing import Any

import pytest
from rich.cells import cell_len

import ordermade
from ordermade.counting.table_figures import ColumnFacts, MeasuredTable
from ordermade.hierarchies.code_lists import CodeList
from ordermade.lattice.observation import Observation
from ordermade.methods.shared.released_columns import ReleasedForms
from ordermade.records.cards import MAX_COLUMNS, MAX_LINES, MAX_ROWS, Card, Grid, HasSummary, as_html, as_text
from ordermade.records.listing import Listing
from ordermade.release.returned import ReturnedFrame
from ordermade.state.releases import ReleaseColumn

HOSTILE = '<script>alert("1")</script>\x1b[31m\n$\\href{javascript:x}{y}$ \u202e個人情報個人情報個人情報個人情報' * 3
TWO_NUMBERS = {"VerifiedCertificate"}
"""The code that decides on certificates imports nothing, and two numbers need no card."""
PICTURES = {"Picture"}
"""A notebook shows them as they are."""
OPTIONS = {
    "ComparisonOptions",
    "ImportOptions",
    "Engine",
    "JudgementOptions",
    "Limits",
    "Options",
    "RulesOptions",
    "TableOptions",
    "TaxonomyOptions",
}
"""The dataclasses that a caller makes: nothing returns them."""
SHOWN = [
    name
    for name in ordermade.__all__
    if dataclasses.is_dataclass(getattr(ordermade, name)) and name not in OPTIONS | TWO_NUMBERS | PICTURES
]
RECORDS = [
    "catalogue.datasets.DatasetDescription",
    "catalogue.datasets.RefreshedDataset",
    "catalogue.hierarchies.AddedHierarchy",
    "catalogue.hierarchies.CheckedHierarchy",
    "catalogue.verified_releases.VerifiedRelease",
    "catalogue.sources.SourceDescription",
    "hierarchies.explicit.ExplicitHierarchy",
    "state.datasets.RegisteredDataset",
    "state.hierarchies.HierarchyRecord",
    "state.records.observations.ListedObservation",
    "state.records.requests.RequestRecord",
    "state.sources.Source",
    "state.releases.ReleaseRecord",
]
WIDE = 40


def made(kind: Any, depth: int = 0) -> Any:
    """A value of an annotated type: each text hostile, each list long, each record made likewise."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if kind is Observation:
        return Observation(k=1, rows=90, divisions=40, sum_of_squares=230, sizes=((1, 10), (2, 10), (3, 20)))
    if kind is ReleasedForms:
        columns = [ReleaseColumn(f"{HOSTILE}{place}", "quasi-identifier", None, HOSTILE) for place in range(WIDE)]
        return ReleasedForms(columns, labels=lambda: {each.column: HOSTILE for each in columns})
    if kind is CodeList:  # of a parent, or of levels
        return CodeList(HOSTILE, HOSTILE, HOSTILE, parent=HOSTILE, label=HOSTILE)
    if kind is ReturnedFrame:  # rows that are never shown
        return ReturnedFrame("pandas", list)
    if kind == Mapping[str, Any]:  # a round of local recoding
        return {"rows": 1_234, "classes": 7, "level_names": {HOSTILE: HOSTILE}}
    if origin is typing.Literal:
        return parts[0]
    if origin in (typing.Union, UnionType):
        return made(parts[0], depth)
    if origin is tuple and len(parts) == 2 and parts[1] is ...:
        return tuple(made(parts[0], depth + 1) for _ in range(WIDE if depth < 2 else 2))
    if origin is tuple:
        return tuple(made(each, depth + 1) for each in parts)
    if origin in (Sequence, list):
        return [made(parts[0], depth + 1) for _ in range(3)]
    if origin in (Mapping, dict):
        return {f"{HOSTILE}{place}": made(parts[1], depth + 1) for place in range(WIDE if depth < 2 else 2)}
    plain: Mapping[Any, Any] = {
        str: HOSTILE,
        int: 1_234_567,
        float: 0.123456789,
        bool: True,
        Fraction: Fraction(1, 3),
        Decimal: Decimal("0.5"),
        datetime: datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        Path: Path("/tmp") / ("x" * 300),
        type(None): None,
    }
    if kind in plain:
        return plain[kind]
    if dataclasses.is_dataclass(kind):
        return of(kind, depth + 1)
    return None


def of(kind: Any, depth: int = 0) -> Any:
    """A record of the class, made of its annotations."""
    names: dict[str, Any] = {}
    for each in reversed(kind.__mro__):
        names |= vars(sys.modules.get(each.__module__, typing))
    hints = typing.get_type_hints(kind, LATE | names)
    given = {each.name: made(hints[each.name], depth) for each in dataclasses.fields(kind) if each.init}
    if "levels" in given and "level_names" in given:  # they are of the same columns
        given["levels"] = dict.fromkeys(given["level_names"], 1)
    return kind(**given)


def late() -> dict[str, Any]:
    """Names that modules import for their annotations alone."""
    found = {}
    for module, name in (
        ("hierarchies.coverage", "CoverageReport"),
        ("sources.server_facts", "ServerFacts"),
        ("methods.histories.taxonomies.suggest", "LeftTerm"),
        ("methods.generalization.narrowed_classes", "NarrowedRegions"),
        ("methods.generalization.narrowing", "Narrowed"),
        ("loss.shares", "LossValues"),
        ("methods.shared.result", "Result"),
        ("release.returned", "ReturnedFrame"),
        ("requests.generalization", "GeneralizationRequest"),
        ("anonymization.anonymized", "ComparedRelease"),
        ("anonymization.anonymized_table", "Repeated"),
        ("drafts.roles", "ProposedRole"),
        ("evaluation.model_utility", "ModelTask"),
        ("reports.file", "Report"),
        ("reports.file", "ReportOfTables"),
        ("state.datasets", "RegisteredDataset"),
        ("state.versions", "DatasetVersion"),
        ("state.hierarchies", "HierarchyRecord"),
        ("state.records.request_columns", "HistoryColumn"),
        ("state.records.request_columns", "MicroaggregatedAttribute"),
        ("state.records.request_columns", "RequestedAttribute"),
        ("state.records.request_columns", "RequestedModels"),
        ("state.records.request_columns", "SplitColumn"),
        ("state.sources", "Source"),
    ):
        found[name] = getattr(importlib.import_module(f"ordermade.{module}"), name)
    return found


LATE = late()


class Tags(html.parser.HTMLParser):
    """The tags and attributes of a text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {tag, *(f"{tag}.{name}" for name, _ in attrs)}


def require_inert(text: str) -> None:
    tags = Tags()
    tags.feed(text)
    assert tags.found <= {
        "div", "div.class", "p", "b", "table", "thead", "tbody", "tr", "th", "td", "td.style", "th.style"
    }  # fmt: skip
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert 'class="ordermade tex2jax_ignore mathjax_ignore"' in text


def require_one_screen(text: str, most: int = MAX_LINES) -> None:
    lines = text.split("\n")
    assert len(lines) <= most
    assert max(map(cell_len, lines)) <= MAX_COLUMNS
    assert text.replace("\n", "").isprintable()


def classes() -> list[Any]:
    found = [getattr(ordermade, name) for name in SHOWN]
    for place in RECORDS:
        module, _, name = place.rpartition(".")
        found.append(getattr(importlib.import_module(f"ordermade.{module}"), name))
    return found


@pytest.mark.parametrize("kind", classes(), ids=lambda kind: kind.__name__)
def test_a_result_of_hostile_names_is_on_one_screen_and_inert(kind: Any) -> None:
    record = of(kind)
    assert isinstance(record, HasSummary)
    # A release of a program lists every column; the others have one screen.
    require_one_screen(repr(record), most=3 * WIDE if kind is ordermade.AnonymizedTable else MAX_LINES)
    require_inert(record._repr_html_())


@pytest.mark.parametrize("kind", [each for each in classes() if issubclass(each, ordermade.Result)], ids=str)
def test_a_refusal_says_why(kind: Any) -> None:
    extra = {"returned": 1} if kind is ordermade.ReturnedResult else {}
    named = {"search", "cost"} & {each.name for each in dataclasses.fields(kind)}
    extra |= {name: of(kind).__getattribute__(name) for name in named}
    refused = kind(request=3, status="refused", rows=None, reason="every class of <b> is too small", **extra)
    assert "Refused: request 3" in repr(refused) or "Released before: request 3" in repr(refused)
    assert "every class of <b> is too small" in repr(refused)
    assert "every class of &lt;b&gt; is too small" in refused._repr_html_()


def test_a_measure_shows_no_count_below_the_least_k() -> None:
    columns = (ColumnFacts("age", "INTEGER", 7, 0),)
    classes = Observation(k=3, rows=203, divisions=3, sum_of_squares=20_009, sizes=((3, 1), (100, 2)))
    found = MeasuredTable("members", None, 203, None, columns, classes, (), least_k=5)
    for text in (repr(found), found._repr_html_()):
        assert "k = fewer than 5" in text
        assert "classes of one" not in text
        assert ">3<" not in text
        assert " 3\n" not in text
    open_to_all = dataclasses.replace(found, least_k=0)
    assert "k = 3" in repr(open_to_all)


def test_a_list_is_its_tuple_and_shows_its_first_records() -> None:
    made_up = [of(importlib.import_module("ordermade.state.sources").Source) for _ in range(WIDE)]
    found = Listing(made_up, "sources", {"name": "name", "writable": "writable"})
    assert found == tuple(made_up)
    assert repr(found).startswith("40 sources\n")
    assert repr(found).endswith("and 28 more")
    require_one_screen(repr(found))
    require_inert(found._repr_html_())
    assert repr(Listing((), "sources", {"name": "name"})) == "0 sources"


def test_a_notebook_gets_the_first_rows_of_every_table() -> None:
    grid = Grid(("a",), [(each,) for each in range(MAX_ROWS + 5)], "Title <i>")
    text = as_html(Card.of("card", [("none", None), ("many", 3)], grid, grid))
    assert text.count("<tr>") == 1 + 2 * (MAX_ROWS + 1)
    assert text.count("and 5 more") == 2
    assert "none" not in text
    assert "Title &lt;i&gt;" in text


def test_a_long_fact_is_folded_and_a_table_keeps_to_the_room_that_is_left() -> None:
    words = "every node of the lattice fails " * 20
    text = as_text(Card.of("card", [("reason", words), ("名前", "値" * 200)], Grid(("a", "b"), [("x", 1)] * 30)))
    require_one_screen(text)
    assert text.split("\n")[-1].strip() == "and 24 more"
    assert text.split("\n")[3].endswith("…")


def test_so_many_facts_are_cut() -> None:
    text = as_text(Card.of("card", [(str(each), each) for each in range(40)]))
    require_one_screen(text)
    assert text.endswith("…")
