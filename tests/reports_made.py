"""Made-up reports: one of every method, with every caution, with and without what may be missing, and a hostile one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations

from ordermade.reports.cautions import CODES
from ordermade.reports.figures import (
    Association,
    Audience,
    Bar,
    Caution,
    CodebookColumn,
    Count,
    LevelShown,
    Loss,
    Proof,
    ReleaseSummary,
    ReportedDistribution,
    ReportedHierarchy,
    ReportedRisks,
    RequestedModel,
    RequestSummary,
    SizeBin,
    Sizes,
    ValuesLeft,
)
from ordermade.reports.file import Report

METHODS = ("generalization", "mondrian", "microaggregation", "history")

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "javascript:alert(3)",
    "\u202egnitirw-ot-tfel\u202d",
    "zero\u200bwidth\ufeff",
    "bell\x07null\x00escape\x1b[31m",
    "x" * 10_000,
    "👩‍👩‍👧 family",
    "{{ 7*7 }}{% raw %}",
    "</svg></style></title><svg onload=alert(4)>",
    "two\nlines\r\nand\ttabs",
    "%(n)s %s %d",
    "&lt;b&gt; &amp;",
    "مرحبا بالعالم",
    "Z" + "\u0335\u0322\u0301\u030d" * 60 + "algo",
    "",
    "   ",
    "東京都　千代田区",
)


def _columns() -> tuple[CodebookColumn, ...]:
    return (
        CodebookColumn(
            "sex", "quasi-identifier", "labels", "sex", 0, "sex", 2, (("f", Count(15_020)), ("m", Count(14_540))),
            Count(0), 0.0,
        ),
        CodebookColumn(
            "age", "quasi-identifier", "intervals", "age", 2, "10 years", 7,
            (
                *((f"[{low}, {low + 10})", Count(2_900 + 377 * (low % 7))) for low in range(20, 80, 10)),
                ("80+", Count(None, 5)),
            ),
            Count(0), 0.22,
        ),
        CodebookColumn(
            "prefecture", "quasi-identifier", "labels", "prefecture", 1, "region", 8,
            tuple(zip(("Kanto", "Kansai", "Chubu", "Kyushu", "Tohoku", "Chugoku", "Hokkaido", "Shikoku"),
                      map(Count, (10_240, 5_310, 4_870, 3_200, 2_350, 1_620, 1_190, 780)), strict=True)),
            Count(41), 0.61,
        ),
        CodebookColumn("occupation", "quasi-identifier", "labels", "occupation", None, "mixed", 31,
                       (("clerical work", Count(6_112)), ("sales", Count(3_800)), ("*", Count(911))), Count(None, 5),
                       0.47),
        CodebookColumn("diagnosis", "sensitive", "labels", None, None, None, 12, (("J06", Count(4_000)),), Count(0)),
        CodebookColumn("plan", "keep", "labels", None, None, None, 3, (), Count(0)),
    )  # fmt: skip


def _hierarchies() -> tuple[ReportedHierarchy, ...]:
    return (
        ReportedHierarchy("sex", "sex", "explicit", (LevelShown("sex", 2, True, "f"), LevelShown("*", 1, False))),
        ReportedHierarchy(
            "age", "age", "interval",
            (
                LevelShown("years", None, False),
                LevelShown("5 years", 14, False),
                LevelShown("10 years", 7, True, "[30, 40)"),
                LevelShown("*", 1, False),
            ),
        ),
        ReportedHierarchy(
            "prefecture", "prefecture", "explicit",
            (LevelShown("prefecture", 47, False), LevelShown("region", 8, True, "Kanto"), LevelShown("*", 1, False)),
        ),
        ReportedHierarchy(
            "visited", "visited", "date", (LevelShown("day", None, False), LevelShown("month", 12, True))
        ),
        ReportedHierarchy("postcode", "postcode", "prefix", (LevelShown("3 digits", 90, True, "100"),)),
    )  # fmt: skip


def _distributions(columns: Sequence[CodebookColumn], *, before: bool) -> tuple[ReportedDistribution, ...]:
    labels = [
        ReportedDistribution(
            each.name,
            "labels",
            (
                *tuple(
                    Bar(label, None, None, Count((found.number or 7) + 80 + 31 * place) if before else None, found)
                    for place, (label, found) in enumerate(each.labels)
                ),
                Bar("", None, None, Count(400) if before else None, Count(350)),
            ),
        )
        for each in columns
        if each.labels and each.kind == "labels"
    ]
    counts = (None, 1_900, 4_210, 6_020, 5_400, 4_100, 3_090, 1_900, 640)
    numbers = tuple(
        Bar(
            "",
            low,
            high,
            Count((count or 0) + 120 * place) if before else None,
            Count(count) if count else Count(None, 5),
        )
        for place, ((low, high), count) in enumerate(
            zip(
                [(None, 20.0), *((float(low), low + 10.0) for low in range(20, 90, 10)), (90.0, None)],
                counts,
                strict=True,
            )
        )
    )
    days = tuple(
        replace(each, low=19_723 + 31.0 * place, high=19_754 + 31.0 * place) for place, each in enumerate(numbers[1:-1])
    )
    return (
        *labels,
        ReportedDistribution("age", "numbers", numbers, ""),
        ReportedDistribution("visited", "numbers", days, "days"),
    )


FIGURES: dict[str, tuple[tuple[str, object], ...]] = {
    "small_k": (("k", 3),),
    "not_persons": (("rows", 29_560),),
    "attribute_disclosure": (("column", "diagnosis"), ("classes", 12)),
    "skewness": (("column", "diagnosis"),),
    "kept_unique": (("column", "plan"), ("values", 28_114)),
    "overlapping_labels": (("narrowed", 0.031),),
    "suppressed_known": (("rows", Count(None, 5)),),
    "table_subtraction": (("classes", 412),),
    "microaggregation_means": (("k", 5),),
    "history_items": (("persons", 4_310),),
    "other_releases": (("releases", 3),),
    "sample": (("fraction", 0.1),),
}
"""The figures of cautions that have any."""


def made(method: str = "generalization", audience: Audience = "provider") -> Report:
    """A report of a method, for an audience."""
    provider = audience == "provider"
    columns = _columns()
    names = [each.name for each in columns]
    before = ReportedRisks(1.0, 1.0, 0.118, 0.094, ((0.2, 0.31), (0.1, 0.44), (0.05, 0.62)), Count(1_204))
    found = Report(
        audience=audience,
        floor=5,
        release=3,
        request=7,
        title="Members by sex, age and prefecture",
        dataset="members",
        method=method,
        file="/data/releases/members.csv" if provider else "members.csv",
        sha256="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        released_at=datetime(2026, 11, 25, 9, 30, tzinfo=UTC),
        engine_version="0.9.0",
        standing="stands",
        asked=RequestSummary(
            5, "rows", 0.02,
            (
                RequestedModel("diagnosis", "distinct_l", (("l", "3"),), 3.0),
                RequestedModel("diagnosis", "t_closeness", (("t", "0.3"), ("distance", "equal")), None),
            ),
            (("highest", 0.2), ("average", 0.05)),
            "age >= 18" if provider else None,
            "loss",
        ),
        given=ReleaseSummary(7, 412, 29_560, 30_162, Count(602)),
        proof=Proof(True, "guided", "loss", 6_480, 28),
        columns=columns,
        hierarchies=_hierarchies(),
        sizes=Sizes(
            (
                SizeBin(7, 9, 38, 301), SizeBin(10, 19, 96, 1_410), SizeBin(20, 49, 140, 4_655),
                SizeBin(50, 99, 71, 5_012), SizeBin(100, 199, 42, 5_930), SizeBin(200, 499, 18, 5_252),
                SizeBin(500, 1_204, 7, 7_000),
            ),
            7, 34.0, 71.75, 1_204,
        ),
        risks_after=ReportedRisks(1 / 7, 1 / 7, 0.0139, 0.0139, ((0.2, 0.0), (0.1, 0.0102), (0.05, 0.058)), Count(0)),
        risks_before=before if provider else None,
        headline="loss",
        losses=(Loss("loss", 0.33, 0.3304), Loss("prec", 0.41, 0.4125), Loss("dm", 0.012, 12_345_678.0),
                Loss("entropy", 0.37, 181_203.5), Loss("classes", None, 412.0)),
        distributions=_distributions(columns, before=provider),
        associations=tuple(
            Association(one, other, ("cramers_v", "correlation", "eta")[place % 3],
                        min(0.97, 0.04 + 0.065 * place) if provider else None, min(0.9, 0.03 + 0.055 * place))
            for place, (one, other) in enumerate(combinations(names, 2))
        ),
        cautions=tuple(Caution(code, FIGURES.get(code, ())) for code in CODES),
        values_left=(
            ValuesLeft("diagnosis", 3, 0.961 if provider else None),
            ValuesLeft("plan", 2, 0.0 if provider else None),
        ),
        classes_overlap=True,
        left_out=("name", "telephone") if provider else (),
        original=None if provider else "user",
    )  # fmt: skip
    if method == "generalization":
        return found
    if method == "history":
        return replace(
            found,
            asked=replace(found.asked, unit="persons", models=(), risk_bounds=(), objective=None),
            given=replace(found.given, persons=4_310, suppressed_persons=Count(None, 5)),
            proof=Proof(None, "clusters", None, None, None),
            hierarchies=(),
            headline="utility",
            values_left=(),
            losses=(Loss("utility", 0.29, 0.29), Loss("deleted_share", 0.04, 0.04), Loss("safety", None, 0.2)),
        )
    if method == "microaggregation":
        return replace(
            found,
            asked=replace(found.asked, models=(), risk_bounds=(), objective=None, suppression_limit=0.0),
            given=ReleaseSummary(5, 5_911, 30_162, 30_162, Count(0)),
            proof=Proof(None, "mdav", None, None, None),
            hierarchies=(),
            headline="sse_over_sst",
            values_left=(),
            losses=(Loss("sse_over_sst", 0.081, 0.081),),
        )
    return replace(
        found,
        proof=Proof(False, "mondrian", "loss", None, 1_204, stopped="interrupted"),
        values_left=(ValuesLeft("diagnosis", 3, 0.0),),
        classes_overlap=False,
    )


def bare(audience: Audience = "user") -> Report:
    """A report of which everything is missing that may be."""
    found = made("mondrian", audience)
    return replace(
        found,
        title="",
        sha256=None,
        standing="superseded by 4",
        asked=RequestSummary(5, "rows", 0.0),
        given=ReleaseSummary(5, 1, 5, None, Count(None, 5), star_rows=Count(None, 5)),
        proof=Proof(None, "", None, None, None),
        columns=tuple(replace(each, labels=(), loss=None) for each in found.columns[-2:]),
        hierarchies=(),
        sizes=Sizes((), 5, 5.0, 5.0, 5),
        risks_after=ReportedRisks(0.2, 0.2, 0.2, 0.2, (), Count(0)),
        risks_before=None,
        losses=(),
        distributions=(),
        associations=(),
        cautions=(),
        values_left=(),
        original="gone",
        shape="table",
    )


def hostile(audience: Audience = "provider") -> Report:
    """A report whose every text is hostile."""
    found = made("generalization", audience)
    columns = tuple(
        CodebookColumn(
            text or "column", "quasi-identifier", "labels", text, 1, text, len(HOSTILE),
            tuple((each, Count(10 + place)) for place, each in enumerate(HOSTILE)), Count(0), 0.5,
        )
        for text in HOSTILE
    )  # fmt: skip
    bars = tuple(Bar(each, None, None, Count(30), Count(20 + place)) for place, each in enumerate(HOSTILE))
    return replace(
        found,
        title=HOSTILE[0] + HOSTILE[1],
        dataset=HOSTILE[9],
        file=HOSTILE[1],
        sha256=HOSTILE[9],
        engine_version=HOSTILE[1],
        standing=HOSTILE[0],
        method=HOSTILE[0],
        asked=replace(
            found.asked,
            filter=HOSTILE[1],
            objective=HOSTILE[0],
            models=tuple(RequestedModel(each, each, ((each, each),), 1.0) for each in HOSTILE),
            risk_bounds=tuple((each, 0.5) for each in HOSTILE),
        ),
        proof=Proof(True, HOSTILE[0], HOSTILE[1], 1, 1, HOSTILE[9]),
        columns=columns,
        hierarchies=tuple(
            ReportedHierarchy(each, each, each, tuple(LevelShown(one, 3, True, one) for one in HOSTILE[:12]))
            for each in HOSTILE[:4]
        ),
        losses=tuple(Loss(each, 0.5, 1.0) for each in HOSTILE),
        distributions=(
            *tuple(ReportedDistribution(each, "labels", bars) for each in HOSTILE[:4]),
            ReportedDistribution(HOSTILE[9], "numbers", bars, HOSTILE[1]),
        ),
        associations=tuple(Association(one, other, one, 0.5, 0.7) for one, other in combinations(HOSTILE, 2)),
        cautions=tuple(
            [Caution(each, (("columns", HOSTILE),)) for each in HOSTILE]
            + [
                Caution(code, (*tuple((name, HOSTILE[0]) for name, _ in figures), ("share", HOSTILE[1])))
                for code, figures in FIGURES.items()
            ]
        ),
    )
