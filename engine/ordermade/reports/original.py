"""The original of a release, read again where it still is the version that was released from."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.catalogue.open_dataset import OpenDataset, opened_dataset
from ordermade.catalogue.registered import DatasetRegistration, described
from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset, version
from ordermade.errors import OrdermadeError
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.release.rows import labels_statement
from ordermade.reports.coded import Coded
from ordermade.reports.places import Scale, ScaledColumn, placed
from ordermade.requests.model import InlineDataset
from ordermade.requests.row_filter import row_condition
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.state import versions

if TYPE_CHECKING:
    from ordermade.state.database import StateFile
    from ordermade.state.records.requests import RequestRecord

CHANGED, GONE = "changed", "gone"


@dataclass(frozen=True, slots=True)
class Original:
    """The dataset of a request as it was released from, open; `why_not`: why there is none (`changed`, `gone`)."""

    dataset: Dataset | None = None
    why_not: str | None = None


@contextlib.contextmanager
def opened_original(
    state: StateFile, limits: Limits, request: RequestRecord, inline: Mapping[str, str] | None = None
) -> Iterator[Original]:
    """The original with the row filter of the request, where it has the version that the request noted.

    `inline`: the dataset as the request describes it, where it names none.
    """
    with contextlib.ExitStack() as closing:
        try:
            found = _described(state, limits, request, inline)
            opened = closing.enter_context(opened_dataset(found, limits))
            dataset = _filtered(opened, request.filter)
            seen = version(dataset)
        except OrdermadeError:  # its source, table, column or file is not there any more
            original = Original(why_not=GONE)
        else:
            number = versions.version_id(opened.identity(request.filter), seen.rows, seen.hash_sum, seen.columns_hash)
            is_same = number == request.dataset_version_id
            original = Original(dataset) if is_same else Original(why_not=CHANGED)
        yield original


def _described(
    state: StateFile, limits: Limits, request: RequestRecord, inline: Mapping[str, str] | None
) -> DatasetRegistration:
    reference = request.dataset_name if inline is None else InlineDataset(**inline)
    if limits.frames is not None and not limits.frames.registered:
        from ordermade.catalogue.frames import described_frame

        return described_frame(limits.frames, reference)
    with state.reading() as connection:
        return described(connection, reference)


def _filtered(opened: OpenDataset, text: str | None) -> Dataset:
    if text is None:
        return opened.filtered(None)

    types = {each.name: each.type for each in opened.columns}
    return opened.filtered(row_condition(text, types)[0])


def placed_at_level(
    dataset: Dataset, coded: Coded, column: str, hierarchy: Hierarchy | None, level: int | None, scale: Scale
) -> ScaledColumn:
    """The places of the original values of a column: of their labels at a level, where it has one above its values.

    Raises HierarchyError where the hierarchy does not cover them any more.
    """
    if hierarchy is None or not level:
        return placed(coded, column, scale)
    executor, labelled = coded.executor, f"{coded.values(column)}_labels"
    if level == hierarchy.top:
        values = {"sensitive": exp.to_table(coded.values(column))}
        executor.store(Purpose.MEASURE, labelled, sql.with_relations(sql.select("report/starred"), values))
        return placed(coded, column, scale, labelled)
    position = coded.columns.index(column) + 1
    attribute = encode_counted(replace(dataset, least_k=0), position, column, hierarchy, 0)
    labels = attribute.labels[level]
    shown = f"{coded.prefix}_labels_{position}"
    bound = {"classes": list(labels), "labels": list(labels.values())}
    executor.store(Purpose.MEASURE, shown, labels_statement(attribute, level), bound)
    tree = sql.with_relations(
        sql.select("report/labels"),
        {"sensitive": exp.to_table(coded.values(column)), "labels": exp.to_table(shown)},
    )
    executor.store(Purpose.MEASURE, labelled, tree)
    return placed(coded, column, scale, labelled)
