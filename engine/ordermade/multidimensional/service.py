"""Whom a release serves by each rule, told so that nothing is told of fewer than k."""

from __future__ import annotations

from collections.abc import Sequence

from ordermade.mondrian.domains import Nested
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
    """One report a rule, in the order of the rules file. `given`: what is released for each group, by column."""
    rules = question.resolved.rules
    if rules is None:
        return ()
    classes = [each.domain.classes if isinstance(each.domain, Nested) else each.codes for each in records.columns]
    cells = cells_of(
        guide,
        records.codes,
        partition,
        classes,
        sets=question.resolved.labels == "set",
        numbers={place: each.numbers for place, each in enumerate(given) if each.numbers is not None},
    )
    found = quality(guide, records.codes, partition, cells, records.persons)
    return tuple(_report(rule, reached, question.request.k) for rule, reached in zip(rules.rules, found, strict=True))


def _report(rule: ResolvedRule, reached: Reached, k: int) -> RuleReport:
    """How many a rule means, whom the table served before (each record a cell of its own) and after."""
    weight = float(rule.weight)
    if 0 < reached.meant < k:
        return RuleReport(rule.item, weight, None, None, None)
    meant = k * in_units(reached.meant, k)
    both = k * in_units(reached.both, k)
    before, after = Reached(meant, meant, meant), Reached(meant, reached.served, both)
    return RuleReport(rule.item, weight, meant, _service(before), _service(after))


def _service(reached: Reached) -> Service:
    precision = reached.precision
    # Those who are served are counted as they are, those among them whom the rule means are rounded, maybe up.
    return Service(reached.served, reached.recall, None if precision is None else min(precision, 1.0))
