"""Check the rules of a request against its records: their persons, and the rules that no release can serve."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ordermade.answering.question import require_unchanged
from ordermade.answering.setting import Setting
from ordermade.errors import Refused, quoted
from ordermade.least_k import AFTER_TOO_FEW, too_few
from ordermade.measuring.entity import remaining
from ordermade.measuring.grounding import ground
from ordermade.measuring.sensitive import outline_sensitive
from ordermade.mondrian.frequent import in_units
from ordermade.multidimensional.question import open_request
from ordermade.multidimensional.records import Records
from ordermade.multidimensional.rules_check import CheckedRule, checked_rules
from ordermade.requests.mondrian import MondrianRequest
from ordermade.requests.problems import Problem
from ordermade.requests.read import ReadRequest


@dataclass(frozen=True, slots=True)
class CheckedRules:
    """The rules of a request in the order of their file. `unit`: what k counts, "rows" or "persons".

    Counts of the persons whom rules mean are rounded to multiples of k: exact counts of two rules that hardly differ
    could differ by fewer than k.
    """

    dataset: str
    k: int
    unit: str
    rules: tuple[CheckedRule, ...]

    @property
    def unserved(self) -> int:
        """The number of rules that no release of the request can serve."""
        return sum(bool(each.reasons) for each in self.rules)


def rules_checked(read: ReadRequest[MondrianRequest], setting: Setting) -> CheckedRules:
    """Check the rules before a release. Only quasi-identifiers and persons are read from the source.

    Raises RequestError with every mistake, and for a request without rules; Refused where no release passes, as there
    are fewer than k; InputError, SourceFault, StateFault.
    """
    progress = setting.progress
    with open_request(setting.state, setting.limits, read, progress.statement) as question:
        resolved, k = question.resolved, question.request.k
        if resolved.rules is None:
            instead = "write rules: FILE under mondrian, or draft some with `ordermade rules suggest`"
            path = ("mondrian",)
            raise read.refusal([Problem("the request names no rules to check", instead, path, read.line(path))])
        progress.step("records")
        # Other released columns do not affect the rules.
        plan = replace(question.plan(outline_sensitive), kept=(), sensitive=())
        counted = remaining(plan.dataset, k)
        refusal = too_few(k, counted.number, counted.called)
        if refusal:
            raise Refused(refusal, where=f"dataset {quoted(question.opened.name)}", next_step=AFTER_TOO_FEW)
        records = Records.stored(plan, question.wanted(ground), ordered=False)
        require_unchanged(question)
        persons, unit = records.persons, counted.called
        progress.step("rules")
        found = checked_rules(
            resolved.rules, records.columns, records.codes, k, persons=persons, labels=resolved.labels
        )
        return CheckedRules(question.opened.name, k, unit, tuple(_rounded(each, k) for each in found))


def _rounded(rule: CheckedRule, k: int) -> CheckedRule:
    return rule if rule.meant is None else replace(rule, meant=in_units(rule.meant, k) * k)
