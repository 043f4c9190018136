"""Mondrian against a plain one on random tables: the same groups, whatever attributes, choice and models there are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ordermade.methods.mondrian.algorithm.check import SensitiveCodes, SplitRequirement
from ordermade.methods.mondrian.algorithm.domains import Domain, Nested, OrderedDomain, Unordered
from ordermade.methods.mondrian.algorithm.partition import Partition
from ordermade.methods.mondrian.algorithm.requirement import root_fails
from ordermade.methods.mondrian.algorithm.rules import Guide, NestedReach, OrderedReach, ValuesReach
from ordermade.methods.mondrian.algorithm.split_scoring import Choice, Gain, Guided, Precise, Widest
from ordermade.methods.mondrian.algorithm.splitting import partitioned
from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness
from tests.plain_scans.mondrian import Group, PlainMondrian, Sensitive, Split
from tests.privacy_by_hand import nested

SPLITS: tuple[Split, ...] = ("width", "prec", "tf-idf", "information-gain")
MODELS = (
    DistinctL(2),
    EntropyL(Fraction("1.5")),
    RecursiveCL(Fraction(2), 2),
    AlphaK(Fraction("0.6")),
    TCloseness(Fraction("0.3")),
    TCloseness(Fraction("0.25"), "ordered"),
)


@dataclass(frozen=True)
class Asked:
    """A partition of a random table: what both are asked of."""

    plain: PlainMondrian
    choice: Choice
    requirement: SplitRequirement

    def partitioned(self, threads: int = 1) -> Partition:
        codes = np.ascontiguousarray(self.plain.codes, dtype=np.int32)
        strict = self.plain.strict
        return partitioned(self.plain.domains, codes, self.choice, self.requirement, strict=strict, threads=threads)


def _nested_domain(rng: np.random.Generator) -> Nested:
    """Values below classes below coarser classes; sometimes classes of values at level 0 already."""
    values, levels = int(rng.integers(1, 9)), int(rng.integers(0, 4))
    classes = [np.arange(values)]
    for level in range(levels):
        coarser = classes[-1] if level == 0 and rng.random() < 0.7 else rng.integers(0, 4, values)[classes[-1]]
        order = list(dict.fromkeys(coarser.tolist()))
        classes.append(np.array([order.index(each) for each in coarser.tolist()]))
    every = np.array(classes[1:], dtype=np.int32).reshape(levels, values)
    widths = tuple((np.bincount(level) - 1) / max(1, values - 1) for level in every)
    return Nested(every, widths, int(rng.integers(0, levels + 1)) if rng.random() < 0.3 else 0)


def _domain(rng: np.random.Generator) -> Domain:
    kind = rng.integers(0, 3)
    if kind == 0:
        return _nested_domain(rng)
    values = int(rng.choice([1, 2, 3, 8, 40, 3000]))
    if kind == 1:
        return Unordered(values)
    places = np.cumsum(rng.choice([0.5, 1.0, 3.0], values))
    return OrderedDomain(places, float(places[-1] - places[0]) + float(rng.choice([0.0, 2.0])))


def _values(domain: Domain) -> int:
    match domain:
        case Nested(classes):
            return int(classes.shape[1])
        case OrderedDomain(places):
            return int(places.size)
        case Unordered(values):
            return values


def _reach(domain: Domain, rules: int, rng: np.random.Generator) -> NestedReach | OrderedReach | ValuesReach:
    values = _values(domain)
    means = rng.random((rules, values)) < 0.4
    means[rng.random(rules) < 0.4] = True
    match domain:
        case Nested(classes):
            levels = [*classes, np.zeros(values, dtype=np.int32)]
            inside = tuple(
                np.array([np.bincount(level, weights=each) / np.bincount(level) for each in means]) for level in levels
            )
            return NestedReach(tuple((each > 0).astype(np.uint8) for each in inside), inside, means)
        case OrderedDomain(points) if rng.random() < 0.7:
            low, high = np.sort(rng.uniform(points[0] - 1, points[-1] + 1, (2, rules)), axis=0)
            low[rng.random(rules) < 0.3] = -np.inf
            high[rng.random(rules) < 0.3] = np.inf
            first = np.searchsorted(points, low, "left").astype(np.int32)
            last = (np.searchsorted(points, high, "right") - 1).astype(np.int32)
            return OrderedReach(points, low, high, first, last, 0.0)
        case _:
            return ValuesReach(means)


def _guide(domains: list[Domain], rng: np.random.Generator) -> Guide:
    rules = int(rng.choice([1, 2, 5, 70]))
    weights = rng.choice([1.0, 2.0, 0.3], rules)
    return Guide(
        weights,
        tuple(_reach(domain, rules, rng) for domain in domains),
        np.ones((rules, len(domains)), dtype=bool),
    )


def _sensitive(n: int, rng: np.random.Generator) -> Sensitive:
    values = np.unique(rng.integers(0, rng.integers(2, 6), n), return_inverse=True)[1]
    branches = rng.integers(0, 2, values.max() + 1)
    ancestors = {value: (f"v{value}", f"b{branches[value]}") for value in range(values.max() + 1)}
    models: list[Model] = [MODELS[each] for each in rng.choice(len(MODELS), rng.integers(1, 3), replace=False)]
    if rng.random() < 0.3:
        models.append(TCloseness(Fraction("0.3"), "hierarchical", nested(ancestors)))
    return Sensitive(values.tolist(), models, ancestors)


def _codes_of(sensitive: Sensitive, persons: np.ndarray | None) -> SensitiveCodes:
    codes = np.array(sensitive.values, dtype=np.int32)
    values = int(codes.max()) + 1
    pairs = None
    if persons is not None:
        pairs = np.unique(persons * values + codes, return_inverse=True)[1].astype(np.int32)
    assert sensitive.ancestors
    levels = np.array([sensitive.ancestors[value] for value in range(values)]).T
    numbered = np.array([np.unique(level, return_inverse=True)[1] for level in levels], dtype=np.int32)
    identities = {each.identity: numbered for each in sensitive.models if each.identity[2:3] == ("hierarchical",)}
    return SensitiveCodes(codes, values, tuple(sensitive.models), pairs, identities)


@st.composite
def asked(draw: st.DrawFn, *, least: int = 1, most: int = 60, strict: bool | None = None) -> Asked:
    """Up to so many records of up to 4 attributes of any kinds, with or without persons and models."""
    split = draw(st.sampled_from(SPLITS))
    relaxed = strict is None and split != "information-gain" and draw(st.booleans())
    with_persons, sensitive_attributes = draw(st.booleans()), draw(st.integers(0, 2))
    n, k = draw(st.integers(least, most)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    domains = [_domain(rng) for _ in range(rng.integers(1, 5))]
    codes = np.column_stack([rng.integers(0, _values(domain), n) for domain in domains])
    persons = np.unique(rng.integers(0, n, n), return_inverse=True)[1] if with_persons else None
    sensitive = [_sensitive(n, rng) for _ in range(sensitive_attributes)]
    target = rng.integers(0, 3, n)
    guide = _guide(domains, rng) if split == "tf-idf" else None
    choice: Choice = {"width": Widest(), "prec": Precise()}.get(split, Gain(target.astype(np.int32), 3))
    requirement = SplitRequirement(
        k,
        None if persons is None else persons.astype(np.int32),
        tuple(_codes_of(each, persons) for each in sensitive),
    )
    plain = PlainMondrian(
        domains,
        codes.tolist(),
        k,
        split,
        strict=not relaxed,
        guide=guide,
        target=target.tolist(),
        persons=None if persons is None else persons.tolist(),
        sensitive=sensitive,
    )
    valid = plain.is_valid([plain.whole])
    assert (root_fails(requirement, n) is None) == valid
    assume(valid)
    return Asked(plain, Guided(guide) if guide else choice, requirement)


def _groups(partition: Partition) -> list[Group]:
    rows = np.split(partition.order, partition.starts[1:-1])
    return [Group(tuple(one.tolist()), tuple(of.tolist())) for one, of in zip(rows, partition.levels, strict=True)]


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(asked())
def test_the_groups_are_those_of_the_plain_scan(asked):
    found = asked.partitioned()
    assert _groups(found) == asked.plain.partition()
    assert sorted(found.order.tolist()) == list(range(len(asked.plain.codes)))
    assert asked.plain.is_valid(_groups(found))


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(asked(least=500, most=2000), st.integers(2, 4))
def test_threads_change_nothing(asked, threads):
    one, many = asked.partitioned(), asked.partitioned(threads)
    assert _groups(many) == _groups(one)
    assert (many.made, many.tried) == (one.made, one.tried)


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(asked(strict=True), st.randoms(use_true_random=False))
def test_groups_do_not_depend_on_the_order_of_the_records(asked, random):
    order = list(range(len(asked.plain.codes)))
    random.shuffle(order)
    found = [
        replace(group, rows=tuple(sorted(order[row] for row in group.rows)))
        for group in _groups(_reordered(asked, order).partitioned())
    ]
    assert found == _groups(asked.partitioned())


def _reordered(asked: Asked, order: list[int]) -> Asked:
    required, choice = asked.requirement, asked.choice
    sensitive = tuple(
        replace(each, codes=each.codes[order], pairs=None if each.pairs is None else each.pairs[order])
        for each in required.sensitive
    )
    persons = None if required.persons is None else required.persons[order]
    return Asked(
        replace(asked.plain, codes=[asked.plain.codes[row] for row in order]),
        Gain(choice.target[order], choice.values) if isinstance(choice, Gain) else choice,
        replace(required, persons=persons, sensitive=sensitive),
    )
