"""The classes that the records of a request are split into; or the reason why there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordermade.answering.setting import Setting
from ordermade.least_k import too_few
from ordermade.mondrian.choice import Choice, Gain, Guided, Precise, Widest
from ordermade.mondrian.partition import Partition
from ordermade.mondrian.requirement import root_fails
from ordermade.mondrian.splitting import partitioned
from ordermade.multidimensional.question import Question
from ordermade.multidimensional.records import Records
from ordermade.side_by_side import cores

if TYPE_CHECKING:
    from ordermade.mondrian.guide import Guide


def none_can_be(records: Records) -> str | None:
    """The reason, in a refusal's words, why not even all records in one class pass; None where they do."""
    few = too_few(records.plan.k, records.rows)
    if few:
        return few
    fails = root_fails(records.requirement, records.rows)
    return None if fails is None else f"not even all rows in one class pass: they fail {fails}"


def split(question: Question, records: Records, guide: Guide | None, setting: Setting) -> Partition:
    """Split the records into classes as the request says; `guide`: its rules, if it has some."""
    return partitioned(
        records.domains,
        records.codes,
        _choice(question, records, guide),
        records.requirement,
        strict=question.resolved.strict,
        threads=setting.limits.threads or cores(),
        progress=lambda done: setting.progress.records_left(records.rows - done),
    )


def _choice(question: Question, records: Records, guide: Guide | None) -> Choice:
    """The score by which the request chooses splits."""
    match question.resolved.split:
        case "tf-idf" if guide is not None:
            return Guided(guide)
        case "information-gain" if records.target is not None:
            return Gain(records.target, records.target_values)
        case "prec":
            return Precise()
        case "width":
            return Widest()
        case other:
            raise ValueError(f"nothing to choose splits by {other} with")
