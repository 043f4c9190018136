"""The TF-IDF paper's simulation beside the readings' figures; recall and precision of its rules, of more persons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.figure import Figure, print_rows
from ordermade.methods.mondrian.algorithm.check import SplitRequirement
from ordermade.methods.mondrian.algorithm.domains import Codes
from ordermade.methods.mondrian.algorithm.partition import coverage
from ordermade.methods.mondrian.algorithm.rule_coverage import Reached, cells_of, quality
from ordermade.methods.mondrian.algorithm.split_scoring import Choice, Guided, Precise
from ordermade.methods.mondrian.algorithm.splitting import partitioned
from tests.papers.uniform_persons import (
    DOMAINS,
    EXPECTED_KEPT,
    EXPECTED_PREC,
    RULES,
    SEEDS,
    choice_of,
    guide_of,
    simulated,
    uniform_persons,
)

FEW_SEEDS = range(300)
PERSONS, SEED = 10_000, 0
SIZES = (2, 5, 10, 50)
NUMBERS = range(1, len(RULES) + 1)
EVERY_RULE = guide_of(*NUMBERS)
WEIGHTED = replace(EVERY_RULE, weights=np.array([1.0, 1.0, 5.0, 1.0, 1.0]))
"""Occupations are split early, or never: with equal weights they fall behind. The 5 was found by trial."""


@dataclass(frozen=True)
class Outcome:
    """A partition of the persons: its Prec and, of each rule, whom it means and serves."""

    prec: float
    reached: tuple[Reached, ...]


def show() -> Sequence[Figure]:
    """Prints a table for each k; how far the means of the simulation are off, and what recall the rules lose."""
    return [*_simulation_figures(), *_recall_figures()]


def _simulation_figures() -> Iterator[Figure]:
    few, many = ([simulated(rule, seeds) for rule in (0, *NUMBERS)] for seeds in (FEW_SEEDS, SEEDS))
    for rule, expected in enumerate(EXPECTED_PREC):
        found, more = few[rule][0], many[rule][0]
        name = f"100 persons, k = 2, by {_name(rule)}: Prec, off {expected} by"
        note = f"mean of {len(FEW_SEEDS)} seeds: {found:.4f}; of {len(SEEDS):,}: {more:.4f}"
        yield Figure(name, abs(found - expected), 0.01, unit="", note=note, digits=4)
    for attribute, (rule, by_prec, by_rule) in EXPECTED_KEPT.items():
        for each, expected in ((0, by_prec), (rule, by_rule)):
            found, more = few[each][1][attribute], many[each][1][attribute]
            name = f"persons who keep {attribute}, by {_name(each)}: off {expected:g} by"
            note = f"mean of {len(SEEDS):,} seeds: {more:.1f}; of {len(FEW_SEEDS)}: {found:.1f}"
            yield Figure(name, abs(more - expected), 3.0, unit="", note=note, digits=1)


def _recall_figures() -> Iterator[Figure]:
    """Guided by Prec; by each rule alone, as in the paper; by all five together, as they are and with weights."""
    codes = uniform_persons(PERSONS, SEED)
    precs, figures = [], []
    for k in SIZES:
        by_prec, by_all, by_weights = (
            _outcome(codes, k, choice) for choice in (Precise(), Guided(EVERY_RULE), Guided(WEIGHTED))
        )
        alone = [_outcome(codes, k, choice_of(rule)) for rule in NUMBERS]
        precs.append((k, *(each.prec for each in (by_prec, *alone, by_all, by_weights))))
        of_rules = [
            [each.reached[rule - 1] for each in (by_prec, alone[rule - 1], by_all, by_weights)] for rule in NUMBERS
        ]
        for figure in ("recall", "precision"):
            rows = [
                (rule, found[0].meant, *(getattr(each, figure) for each in found))
                for rule, found in zip(NUMBERS, of_rules, strict=True)
            ]
            title = f"{PERSONS:,} persons, k = {k}: {figure}"
            print_rows(title, ("rule", "meant", "by Prec", "by the rule", "by all", "by all, weighted"), rows)
        for name, place in (("the rule", 1), ("all, weighted", 3)):
            behind = max((found[0].recall or 0.0) - (found[place].recall or 0.0) for found in of_rules)
            note = "the greatest of the five rules"
            figures.append(Figure(f"k = {k}: recall by Prec less that by {name}", behind, 0.0, "", note, digits=3))
    by = (*(f"by {_name(rule)}" for rule in (0, *NUMBERS)), "by all", "by all, weighted")
    print_rows(f"{PERSONS:,} persons: Prec", ("k", *by), precs)
    yield from figures


def _outcome(codes: Codes, k: int, choice: Choice) -> Outcome:
    partition = partitioned(DOMAINS, codes, choice, SplitRequirement(k))
    cells = cells_of(EVERY_RULE, codes, partition, [domain.classes for domain in DOMAINS])
    return Outcome(coverage(DOMAINS, codes, partition).prec, quality(EVERY_RULE, codes, partition, cells))


def _name(rule: int) -> str:
    return f"rule {rule}" if rule else "Prec"
