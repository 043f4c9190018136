"""A judgement of local recoding as it is shown: counts, shares, and labels of classes of k rows or more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ordermade.least_k import DEFAULT_LEAST_K, in_words, shown

if TYPE_CHECKING:
    from ordermade.evaluation.recoding import ClassNarrowed, RecodingJudgement

COLUMN_HEADINGS = ("column", "values", "rows generalised", "rows narrowed", "share", "values named", "values left")


def document(found: RecodingJudgement) -> dict[str, Any]:
    """The whole judgement as one object; null where fewer rows than k, but some, would be shown."""
    return {
        "release": found.release,
        "original": found.original,
        "where": found.where,
        "k": found.k,
        "rows": _some(found, found.rows),
        "suppressed_rows": _some(found, found.star_rows),
        "classes": found.classes,
        "rounds": found.rounds,
        "generalised": {"rows": _some(found, found.rows_generalised), "classes": found.classes_generalised},
        "narrowed": {
            "rows": _some(found, found.rows_narrowed),
            "share": found.share if _is_shown(found, found.rows_narrowed) else None,
            "classes": found.classes_narrowed,
            "classes_by_labels_alone": found.classes_by_labels,
            "classes_by_rounds_only": found.classes_by_rounds,
            "classes_narrowed_further_by_rounds": found.classes_further,
        },
        "classes_given_up": found.classes_given_up,
        "classes_contradicted": found.classes_contradicted,
        "columns": [
            {
                "column": each.column,
                "hierarchy": each.hierarchy,
                "values": each.counted,
                "rows_generalised": _some(found, each.rows_generalised),
                "rows_narrowed": _some(found, each.rows_narrowed),
                "share": each.share if _is_shown(found, each.rows_narrowed) else None,
                "values_named": each.named,
                "values_left": each.left if _is_shown(found, each.rows_narrowed) else None,
            }
            for each in found.columns
        ],
        "columns_not_judged": list(found.not_judged),
        "worst": [
            {"labels": each.labels, "rows": each.rows, "values_named": each.named, "values_left": each.left}
            for each in found.worst
        ],
        "checked": None
        if found.checked is None
        else {
            "inferred_sets": found.checked.classes,
            "right": found.checked.right,
            "rows_of_no_class": shown(found.checked.uncovered, max(found.least_shown, DEFAULT_LEAST_K))
            if found.checked.uncovered
            else 0,
        },
    }


def facts(found: RecodingJudgement) -> Iterator[tuple[str, Any]]:
    """The judged release, its rows, those that are narrowed, and what it took."""
    yield "release", found.release
    yield "original", found.original
    yield "where", found.where
    yield "k", found.k
    yield "rows", f"{_rows(found, found.rows)} in {_classes(found.classes)}"
    if found.star_rows:
        yield "suppressed rows", _rows(found, found.star_rows)
    yield "rounds", found.rounds if found.rounds is not None else "not known"
    yield "rows generalised", f"{_rows(found, found.rows_generalised)} in {_classes(found.classes_generalised)}"
    narrowed = f"{_rows(found, found.rows_narrowed)} in {_classes(found.classes_narrowed)}"
    share = f": {_percent(found.share)} of the rows generalised" if _is_shown(found, found.rows_narrowed) else ""
    yield "rows narrowed", f"{narrowed}{share}"
    if found.classes_narrowed:
        yield "by labels alone", _classes(found.classes_by_labels)
    if found.classes_narrowed and found.rounds is not None:
        yield (
            "by rounds only",
            f"{_classes(found.classes_by_rounds)}, and {found.classes_further:,} of the others further",
        )
    if found.classes_generalised:
        yield "by the method", f"at most the {_classes(found.classes_generalised)} generalised: finer ones failed"
    if found.checked is not None:
        uncovered, least = found.checked.uncovered, max(found.least_shown, DEFAULT_LEAST_K)
        yield "inferred sets right", f"{found.checked.right:,} of {found.checked.classes:,}"
        yield "rows of no class", f"{in_words(uncovered, least) if uncovered else 0} of the original, suppressed"


def column_rows(found: RecodingJudgement) -> list[tuple[Any, ...]]:
    """The rows of each column that are generalised and narrowed, and the mean number of values before and after."""
    return [
        (
            each.column,
            each.counted,
            _cell(found, each.rows_generalised),
            _cell(found, each.rows_narrowed),
            _percent(each.share) if each.rows_generalised and _is_shown(found, each.rows_narrowed) else None,
            None if each.named is None else f"{each.named:.2f}",
            None if each.left is None or not _is_shown(found, each.rows_narrowed) else f"{each.left:.2f}",
        )
        for each in found.columns
    ]


def worst_headings(found: RecodingJudgement) -> tuple[str, ...]:
    """The number of rows, and each column."""
    return ("rows", *(each.column for each in found.columns))


def worst_rows(found: RecodingJudgement) -> list[tuple[Any, ...]]:
    """Each class: its label in each column, and of how many values named how many are left where some are not."""
    return [(each.rows, *(_narrowed(each, column.column) for column in found.columns)) for each in found.worst]


def notes(found: RecodingJudgement) -> Iterator[str]:
    """Notes on what these figures rest on."""
    without = [each.column for each in found.columns if each.hierarchy is None]
    if without:
        yield f"\nWithout a hierarchy, so each label counts as one value: {', '.join(without)}."
    if found.rounds is None and found.overlaps is not False:
        yield "\nThe order of the rounds is not known: whoever knows it may infer more (--rounds)."
    if found.classes_given_up:
        yield f"\nToo many cases in {_classes(found.classes_given_up)}, counted as not narrowed: more may be inferred."
    if found.classes_contradicted:
        yield (
            f"\nNothing would be left of {_classes(found.classes_contradicted)}, so rows were not released finest "
            "first, and what is inferred may be wrong. These classes count as not narrowed."
        )
    if found.checked is not None and found.checked.wrong:
        yield (
            f"\nNot right: {_classes(found.checked.wrong)}, without the rows of the original that the rounds would "
            "give. Original, hierarchies and rounds must be those of the release."
        )
    if found.not_judged:
        yield f"\nNo quasi-identifiers here: {', '.join(found.not_judged)}."


def _narrowed(of_class: ClassNarrowed, column: str) -> str:
    label = of_class.labels[column]
    text = "NULL" if label is None else label
    named, left = of_class.named[column], of_class.left[column]
    return text if left == named else f"{text}: {left:,} of {named:,} values"


def _is_shown(found: RecodingJudgement, rows: int) -> bool:
    """Whether a number of rows is shown, and so may be what could be computed from it."""
    return rows == 0 or rows >= found.least_shown


def _some(found: RecodingJudgement, rows: int) -> int | None:
    return rows if rows == 0 else shown(rows, found.least_shown)


def _cell(found: RecodingJudgement, rows: int) -> int | str:
    return rows if rows == 0 or rows >= found.least_shown else in_words(rows, found.least_shown)


def _rows(found: RecodingJudgement, rows: int) -> str:
    return "0" if rows == 0 else in_words(rows, found.least_shown)


def _classes(number: int) -> str:
    return f"{number:,} class" if number == 1 else f"{number:,} classes"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
