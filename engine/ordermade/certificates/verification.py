"""The verification of a certificate: its nodes counted again, its reasons drawn again, and nothing better left over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from ordermade.certificates.claims import Box, ClaimedFigures, ClaimedTerms, Node, Why, left_over, passes, proved, score
from ordermade.certificates.document import Certificate, CertificateEvidence, CertifiedAnswer
from ordermade.errors import Unproved

Count = Callable[[Node], ClaimedFigures]


@dataclass(frozen=True, slots=True)
class VerifiedCertificate:
    """A certificate that holds: the nodes that were counted for it, and how many nodes the request accepts."""

    counted: int
    """The nodes that were counted again."""
    nodes: int
    """The nodes that the request accepts."""


def verified(certificate: Certificate, terms: ClaimedTerms, count: Count, where: str) -> VerifiedCertificate:
    """Count every node of a certificate again; nothing better may be left. Raises Unproved where it does not hold."""
    best = _best(certificate.answer, terms, count, where)
    boxes: list[Box] = []
    for place, each in enumerate(certificate.evidence, start=1):
        if not _is_node(terms, each.node):
            raise _unproved(f"evidence {place} names no node that can be counted", where)
        figures = count(each.node)
        if any(stated not in (None, counted) for stated, counted in _stated(each, figures)):
            raise _unproved(f"evidence {place}, node {_named(each.node)}, has other counts in the dataset", where)
        covered = [box for why, box in proved(terms, best, each.node, figures) if why == each.why]
        if not covered:
            raise _unproved(f"evidence {place}, node {_named(each.node)}: not so, '{each.why}'", where)
        boxes += covered
    left = left_over(terms, best, boxes)
    if left is not None:
        raise _unproved(f"nothing rules out the node {_named(left)}, which could be better", where)
    nodes = 1
    for column in terms.columns:
        nodes *= len(column.accepted)
    return VerifiedCertificate(len(certificate.evidence) + (certificate.answer is not None), nodes)


def evidence_of(node: Node, why: Why, figures: ClaimedFigures) -> CertificateEvidence:
    """A piece of evidence with its counts, as a certificate states them."""
    return CertificateEvidence(node=node, why=why, **_counts(figures))


def answer_of(node: Node, terms: ClaimedTerms, figures: ClaimedFigures) -> CertifiedAnswer:
    """The certified node with its figures."""
    released = figures.released(terms.k)
    return CertifiedAnswer(
        node=node,
        k=figures.least(terms.k),
        classes=sum(count for _, count in released),
        suppressed=figures.suppressed,
        score=str(score(terms, node, figures)),
    )


def _best(answer: CertifiedAnswer | None, terms: ClaimedTerms, count: Count, where: str) -> Fraction | None:
    """The score of the certified node, counted again; None where the certificate says that nothing passes."""
    if answer is None:
        return None
    accepted = len(answer.node) == len(terms.columns) and all(
        level in each.accepted for level, each in zip(answer.node, terms.columns, strict=True)
    )
    if not accepted:
        raise _unproved("the answer is no node that the request accepts", where)
    figures = count(answer.node)
    if not passes(terms, figures):
        raise _unproved(f"the answer, node {_named(answer.node)}, does not pass", where)
    found = answer_of(answer.node, terms, figures)
    figures_stated = ("k", "classes", "suppressed", "score")
    if any(getattr(answer, name) not in (None, getattr(found, name)) for name in figures_stated):
        raise _unproved(f"the answer, node {_named(answer.node)}, has other figures in the dataset", where)
    return score(terms, answer.node, figures)


def _counts(figures: ClaimedFigures) -> dict[str, int]:
    return {
        "classes": figures.classes,
        "least": min((size for size, _, _ in figures.sizes), default=0),
        "below": figures.below,
        "suppressed": figures.suppressed,
    }


def _stated(evidence: CertificateEvidence, figures: ClaimedFigures) -> Iterator[tuple[int | None, int]]:
    return ((getattr(evidence, name), value) for name, value in _counts(figures).items())


def _is_node(terms: ClaimedTerms, node: Node) -> bool:
    return len(node) == len(terms.columns) and all(
        level in each.counted for level, each in zip(node, terms.columns, strict=True)
    )


def _named(node: Node) -> str:
    return "/".join(map(str, node))


def _unproved(what: str, where: str) -> Unproved:
    return Unproved(
        f"the certificate does not hold: {what}", where=where, next_step="Do not rely on it; certify the request anew."
    )
