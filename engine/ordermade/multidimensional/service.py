"""How many a release serves by each rule, in counts that reveal no group of fewer than k."""

from __future__ import annotations

from collections.abc import Sequence

from ordermade.mondrian.frequent import in_units
from ordermade.mondrian.guide import Guide
from ordermade.mondrian.partition import Partition
from ordermade.mondrian.served import Reached, cells_of, quality
from ordermade.multidimensional.labels import Released
from ordermade.multidimensional.question import Question
from ordermade.multidimensional.records import Records
from ordermade.multidimensional.result import RuleReport, Service
from ordermade.requests.resolve_rules import ResolvedRule


def rules_served(
    question: Question, records: Records, guide: Guide, partition: Partition, given: Sequence[Released]
) -> tuple[RuleReport, ...]:
    """One report a rule, in the order of the rules file. `given`: the released values of each group, by column."""
    rules = question.resolved.rules
    if rules is None:
        return ()
    cells = cells_of(
        guide,
        records.codes,
        partition,
        [each.classes for each in records.columns],
        sets=question.resolved.labels == "set",
        numbers={place: each.numbers for place, each in enumerate(given) if each.numbers is not None},
    )
    found = quality(guide, records.codes, partition, cells, records.persons)
    seen = records.persons is None or question.request.release.pseudonym is not None
    pairs = zip(rules.rules, found, strict=True)
    return tuple(_report(rule, reached, question.request.k, seen=seen) for rule, reached in pairs)


def _report(rule: ResolvedRule, reached: Reached, k: int, *, seen: bool) -> RuleReport:
    """The number that a rule means, and the service before (each record a cell of its own) and after.

    `seen`: whether those who are served can be counted in the release; if not they are rounded too.
    """
    weight = float(rule.weight)
    if reached.meant < k:
        return RuleReport(rule.item, weight, None, None, None)
    meant = k * in_units(reached.meant, k)
    both = k * in_units(reached.both, k)
    serves = reached.served if seen else k * in_units(reached.served, k)
    before, after = Reached(meant, meant, meant), Reached(meant, serves, both)
    return RuleReport(rule.item, weight, meant, _service(before), _service(after))


def _service(reached: Reached) -> Service:
    precision = reached.precision
    # Those who are served may be counted as they are, those among them whom the rule means are rounded, maybe up.
    return Service(reached.served, reached.recall, None if precision is None else min(precision, 1.0))
