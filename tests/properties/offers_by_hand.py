"""The offers of a refused request by brute force, and the fewest nodes that decide them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from tests.made import Row
from tests.properties.by_hand import Asked, decided
from tests.properties.by_hand import Node as Counted

Node = tuple[int, ...]
Refines = Sequence[Sequence[bool]]
LIMITS = (Fraction(1, 100), Fraction(2, 100), Fraction(5, 100))
SHOWN = 7


@dataclass(frozen=True)
class Column:
    """A quasi-identifier: for each value its label at every level; which levels refine which; the levels accepted."""

    name: str
    paths: Mapping[Any, Sequence[Any]]
    accepted: tuple[int, ...]

    @property
    def top(self) -> int:
        return len(next(iter(self.paths.values()))) - 1

    def refines(self, fine: int, coarse: int) -> bool:
        """Whether equal labels at one level mean equal labels at the other."""
        pairs = {(path[fine], path[coarse]) for path in self.paths.values()}
        return fine <= coarse and len(pairs) == len({fine for fine, _ in pairs})


@dataclass(frozen=True)
class Refused:
    """A request to be refused: its table, the requirement on its classes, its objective, the least k of the dataset."""

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    asked: Asked
    objective: str
    least_k: int
    place: int | None = None

    def counted(self, node: Node, asked: Asked | None = None) -> Counted:
        """A node by hand; `*` for a column says nothing."""
        labels = [
            tuple(
                column.paths[row[at]][level] for at, (column, level) in enumerate(zip(self.columns, node, strict=True))
            )
            for row in self.rows
        ]
        return decided(self.rows, labels, self.place, asked or self.asked)

    def passes(self, node: Node, asked: Asked | None = None) -> bool:
        """Whether a node passes."""
        return self.counted(node, asked).passes(asked or self.asked)

    def accepted(self) -> list[Node]:
        """The accepted nodes."""
        return list(product(*(column.accepted for column in self.columns)))

    def widened(self) -> list[Node]:
        """The accepted nodes and those beyond them."""
        return list(product(*(range(column.accepted[0], column.top + 1) for column in self.columns)))

    def beyond(self, node: Node) -> Node:
        """How far a node is beyond the coarsest accepted levels."""
        pairs = zip(node, self.columns, strict=True)
        return tuple(max(0, level - column.accepted[-1]) for level, column in pairs)

    def refines(self, fine: Node, coarse: Node) -> bool:
        """Whether every class of a node lies in one of another."""
        return all(column.refines(i, j) for column, i, j in zip(self.columns, fine, coarse, strict=True))

    def prec(self, node: Node, columns: Sequence[int] | None = None) -> Fraction:
        """The mean of level / top."""
        places = range(len(node)) if columns is None else columns
        return sum((Fraction(node[at], self.columns[at].top) for at in places), Fraction(0)) / len(list(places))

    def score(self, node: Node, asked: Asked, places: Sequence[int]) -> Any:
        """What the objective makes of a passing node of some columns, from its definition."""
        found = self.counted(node, asked)
        s, n = found.suppressed_units, found.units
        prec = self.prec(node, places)
        return {
            "prec": prec,
            "prec_suppressed_as_1": (1 - Fraction(s, n)) * prec + Fraction(s, n),
            "height": sum(node[at] for at in places),
            "dm": sum(size * size for size in found.sizes) + n * s,
            "classes": -len(found.sizes),
        }[self.objective]

    def best(self, nodes: Iterable[Node], asked: Asked, places: Sequence[int] | None = None) -> Node | None:
        """The best of these nodes that passes."""
        at = range(len(self.columns)) if places is None else places
        passing = [node for node in nodes if self.passes(node, asked)]
        return min(passing, key=lambda node: (self.score(node, asked, at), node), default=None)


@dataclass(frozen=True)
class Expected:
    """An alternative by hand: what is given up, its node (`*` for a column left out), and under what it is released."""

    kind: str
    concession: tuple[Any, ...]
    node: Node
    asked: Asked


def expected_offers(refused: Refused, places_left: int) -> list[Expected]:
    """The offers by hand, Mondrian and local recoding apart, at most so many."""
    found = [*_limits(refused), *_smaller_k(refused)]
    return [*found, *_levels(refused)][:places_left]


def _limits(refused: Refused) -> Iterable[Expected]:
    units = refused.counted(tuple(column.top for column in refused.columns)).units
    for limit in LIMITS:
        if limit > refused.asked.limit and limit * units // 1 > refused.asked.limit * units // 1:
            asked = replace(refused.asked, limit=limit)
            node = refused.best(refused.accepted(), asked)
            if node is not None:
                yield Expected("suppression", (limit,), node, asked)
                return


def _smaller_k(refused: Refused) -> Iterable[Expected]:
    for k in range(refused.asked.k - 1, max(2, refused.least_k) - 1, -1):
        asked = replace(refused.asked, k=k)
        node = refused.best(refused.accepted(), asked)
        if node is not None:
            yield Expected("k", (k,), node, asked)
            return


def _levels(refused: Refused) -> Iterable[Expected]:
    passing = [node for node in refused.widened() if refused.passes(node)]
    distances = {refused.beyond(node) for node in passing}
    minimal = [each for each in distances if not any(_below(other, each) for other in distances)]
    nearest = {
        each: min((sum(each), refused.prec(node), node) for node in passing if refused.beyond(node) == each)
        for each in minimal
    }
    for beyond in sorted(minimal, key=lambda each: nearest[each]):
        raised = [at for at, levels in enumerate(beyond) if levels]
        alone = len(raised) == 1 and len(beyond) > 1
        left_out = (
            alone and beyond[raised[0]] == refused.columns[raised[0]].top - refused.columns[raised[0]].accepted[-1]
        )
        places = [at for at in range(len(beyond)) if not left_out or at != raised[0]]
        node = refused.best([node for node in passing if refused.beyond(node) == beyond], refused.asked, places)
        assert node is not None
        yield Expected("column" if left_out else "levels", beyond, node, refused.asked)


def _below(one: Node, other: Node) -> bool:
    return one != other and all(i <= j for i, j in zip(one, other, strict=True))


def fewest_nodes(refused: Refused, offers: Sequence[Expected], *, complete: bool) -> int:
    """The fewest nodes whose counts prove the refusal, the figures of each offer, and that none is missing.

    A node is proved to fail by itself or by a coarser one that fails. Nodes of one column are known from its values.
    For objectives of the levels alone, and k alone. `complete`: whether every alternative is among the offers.
    """
    widened, accepted = refused.widened(), refused.accepted()
    free = {node for node in widened if sum(level < c.top for level, c in zip(node, refused.columns, strict=True)) <= 1}
    must_fail: list[tuple[Asked, list[Node]]] = [(refused.asked, accepted)]
    places = range(len(refused.columns))

    def better(nodes: Iterable[Node], node: Node, asked: Asked) -> list[Node]:
        key = (refused.score(node, asked, places), node)
        return [each for each in nodes if (_levels_score(refused, each), each) < key]

    limits = [each for each in offers if each.kind == "suppression"]
    smaller = [each for each in offers if each.kind == "k"]
    too_small = (x for x in LIMITS if x > refused.asked.limit and not any(each.asked.limit <= x for each in limits))
    must_fail.extend((replace(refused.asked, limit=limit), accepted) for limit in too_small)
    if smaller:
        must_fail.append((replace(refused.asked, k=smaller[0].asked.k + 1), accepted))
    elif refused.asked.k > max(2, refused.least_k):
        must_fail.append((replace(refused.asked, k=max(2, refused.least_k)), accepted))
    must_fail.extend((each.asked, better(accepted, each.node, each.asked)) for each in (*limits, *smaller))
    raised = [each for each in offers if each.kind in ("levels", "column")]
    last = max((sum(each.concession) for each in raised), default=0)
    for node in widened:
        beyond = refused.beyond(node)
        over = any(each.concession == beyond or _below(each.concession, beyond) for each in raised)
        if not over and (complete or sum(beyond) < last):
            must_fail.append((refused.asked, [node]))
    for each in raised:
        same = [node for node in widened if refused.beyond(node) == each.concession]
        must_fail.append((refused.asked, better(same, each.node, refused.asked)))
    known = frozenset({each.node for each in offers} | free)
    obligations = set()
    for asked, nodes in must_fail:
        for node in _coarsest(refused, nodes):
            provers = [each for each in widened if refused.refines(node, each) and not refused.passes(each, asked)]
            if not known & set(provers):
                obligations.add(frozenset(provers))
    return len(known - free) + _fewest(frozenset(_least(obligations)))


def _levels_score(refused: Refused, node: Node) -> Any:
    return {"prec": refused.prec(node), "height": sum(node)}[refused.objective]


def _coarsest(refused: Refused, nodes: Sequence[Node]) -> list[Node]:
    every = list(dict.fromkeys(nodes))
    return [one for one in every if not any(other != one and refused.refines(one, other) for other in every)]


def _least(sets: Iterable[frozenset[Node]]) -> list[frozenset[Node]]:
    every = sorted(set(sets), key=len)
    return [one for at, one in enumerate(every) if not any(other <= one for other in every[:at])]


def _fewest(sets: frozenset[frozenset[Node]]) -> int:
    """The size of the smallest set that meets every one of them."""
    if not sets:
        return 0
    smallest = min(sets, key=lambda each: (len(each), sorted(each)))
    return 1 + min(_fewest(frozenset(each for each in sets if node not in each)) for node in smallest)
