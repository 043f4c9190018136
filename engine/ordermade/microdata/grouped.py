"""The groups of the records of a request, with their released values; or the reason why there are none."""

from __future__ import annotations

from functools import partial

from ordermade.answering.setting import Setting
from ordermade.least_k import in_words, too_few
from ordermade.microaggregation.aggregates import released_loss
from ordermade.microaggregation.columns import Numeric, euclidean
from ordermade.microaggregation.grouping import grouped
from ordermade.microaggregation.groups import groups_of
from ordermade.microdata.groups import released
from ordermade.microdata.question import Question
from ordermade.microdata.records import Records
from ordermade.microdata.told import GroupedRecords


def none_can_be(question: Question, records: Records) -> str | None:
    """The reason, in a refusal's words, why no groups can have k records; None where they can."""
    return too_few(question.request.k, records.rows) or _small_classes(question, records)


def grouped_records(question: Question, records: Records, setting: Setting) -> GroupedRecords:
    """The groups of the records, and their released values."""
    wants = question.request.microaggregation
    table = euclidean(records.attributes, standardise=wants.standardise).table
    found = grouped(
        table,
        question.request.k,
        wants.options,
        classes=records.sizes,
        numeric=all(isinstance(each, Numeric) for each in records.attributes),
        threads=setting.limits.threads,
        progress=setting.progress.records_left,
    )
    groups = groups_of(found.labels, records.rows)
    given = released(records, groups, wants.aggregate, wants.round)
    lost = released_loss(records.attributes, given, groups, standardise=wants.standardise)
    return GroupedRecords(records, found, groups, given, lost)


def _small_classes(question: Question, records: Records) -> str | None:
    """The reason for a refusal where a class of `within` has fewer rows than k."""
    k = question.request.k
    below = records.classes_below(k)
    if not below:
        return None
    words = partial(in_words, least_k=question.dataset.least_k)
    rows = sum(size for size in records.sizes if size < k)
    columns = ", ".join(each.column for each in question.resolved.within)
    return (
        f"{words(below)} of the {words(len(records.sizes))} classes of {columns} have fewer than {k} rows "
        f"({words(rows)} in all), so that no group inside them can have k"
    )
