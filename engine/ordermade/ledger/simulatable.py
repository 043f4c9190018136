"""What released figures alone decide about a request, before its data are counted; what other answers tell, in bits.

An auditor is simulatable (Kenthapadi, Mishra and Nissim, PODS 2005) where readers can work out its decision themselves,
from the request and the answers so far: then a refusal tells nothing. Here that holds of what `foreseen` decides: the
same for any two datasets that answered a pool alike, whatever else they differ in. It looks at no count but those that
the pool received; that the rows are those of a release still, their hash says.

Refusing whatever *might* be a breach would decide every request so, and refuse nearly all of them. What released
figures do not decide is decided on the data, and its answer tells up to the logarithm of the number of answers that
could have come instead: an upper bound on the information about the data, in bits, whether the request is then released
or not. A release tells what it shows besides, which k and the judgement beside earlier ones bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from hashlib import sha256
from typing import Literal

from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.ledger.entries import LedgerEntry, ShownClasses, ShownColumn
from ordermade.ledger.figures import UNBOUNDED
from ordermade.ledger.pools import ANYONE

Foreseen = Literal["follows", "breach", "undecided", "fails", "open"]
"""What is decided whatever the data that answered a pool as they did.

`follows`: the answer can be worked out from one release of the pool; `breach`: whatever is released shows a cell that a
table of the pool hides; `undecided`: its classes are of no levels, so that nothing is ever proved; `fails`: fewer rows
may be suppressed than the pool knows to be in classes below k; `open`: the data decide.
"""

ANSWERS = 5
"""The answers to a request that its recipient can tell apart.

A release; the way back to the reviewers; a refusal for too few rows, for k and models, or for earlier releases.
"""


@dataclass(frozen=True, slots=True)
class RequestedLevels:
    """What the answer to a request depends on, by the request alone.

    `finest`: the columns at levels such that the sizes of their classes decide the whole answer, None where more does.
    `coarsest`: those of the coarsest release that it accepts, of which every other one refines the classes; None where
    classes are of no level. Columns at `*` are left out of both. `limit`: the share of rows that may be suppressed.
    `unjudged`: why its classes are of no levels, empty where they are. `shows_all`: no class or cell is hidden but as
    `limit` allows.
    """

    filter: str | None
    k: int
    finest: tuple[ShownColumn, ...] | None = None
    coarsest: tuple[ShownColumn, ...] | None = None
    limit: Fraction = Fraction(0)
    unjudged: str = ""
    shows_all: bool = False


@dataclass(frozen=True, slots=True)
class LedgerAnswer:
    """An answer that recipients received, or may have: what decided it, and the most that it tells, in bits.

    `question`: the hash of all that decides the answer; `decided`: `open` where the data did, `offer` of a safe offer
    after a refusal.
    """

    question: str
    dataset: str
    dataset_name: str
    recipients: tuple[str, ...]
    answered_at: datetime
    decided: Foreseen | Literal["offer"]
    bits: float

    def is_of(self, pool: frozenset[str] | None) -> bool:
        """Whether somebody of a pool received it; None: the pool of all."""
        return pool is None or ANYONE in self.recipients or bool(pool & set(self.recipients))


def foreseen(
    wanted: RequestedLevels,
    entries: Sequence[LedgerEntry],
    hierarchies: Mapping[str, Hierarchy],
    rows_hash: str,
    opted_out: int,
) -> tuple[Foreseen, tuple[int, ...]]:
    """What the releases of one pool decide about a request, and the numbers of the entries that do.

    `hierarchies` of the request by the hashes of their content; `rows_hash`: that of the rows that its filter leaves,
    empty where it is not known; `opted_out`: the persons who have opted out by now.
    """
    if not entries:
        return "open", ()
    everyone = tuple(each.id for each in entries)
    if wanted.unjudged:
        same = all(each.opted_out == opted_out for each in entries)
        return ("undecided", everyone) if same else ("open", ())
    of_same_rows = [
        each
        for each in entries
        if rows_hash and each.rows_hash == rows_hash and each.filter == wanted.filter and each.opted_out == opted_out
    ]
    for entry in of_same_rows:
        if wanted.finest is not None and any(
            _is_exact(each) and refines(each.columns, wanted.finest, hierarchies) for each in entry.shown.classes
        ):
            return "follows", (entry.id,)
    if wanted.coarsest is None or not wanted.shows_all:
        return "open", ()
    for entry in of_same_rows:
        coarser = [each for each in entry.shown.classes if refines(wanted.coarsest, each.columns, hierarchies)]
        if wanted.limit == 0 and any(each.hidden.any() for each in coarser):
            return "breach", (entry.id,)
        if any(_fails(each, wanted) for each in coarser):
            return "fails", (entry.id,)
    return "open", ()


def refines(finer: Iterable[ShownColumn], coarser: Iterable[ShownColumn], hierarchies: Mapping[str, Hierarchy]) -> bool:
    """Whether classes by some columns lie in classes by others, whatever the values that occur.

    Each column is compared by the content of its hierarchy, which has to be one of `hierarchies`; False is no proof.
    """
    levels = {each.key: each.level for each in finer}
    return all(
        each.key in levels
        and (
            each.level == levels[each.key]
            or (
                each.hierarchy in hierarchies
                and hierarchies[each.hierarchy].order.refines(levels[each.key], each.level)
            )
        )
        for each in coarser
    )


def _is_exact(shown: ShownClasses) -> bool:
    """Whether the size of every class is shown."""
    sizes = bool((shown.least == shown.most).all()) and not shown.hidden.any()
    return sizes and shown.others_most == 0 and shown.rest in (None, (0, 0))


def _fails(shown: ShownClasses, wanted: RequestedLevels) -> bool:
    """Whether more rows are certainly in classes below k than may be suppressed, of k rows or more in all."""
    if shown.hidden.any() or (shown.most >= UNBOUNDED).any() or (shown.others_most and shown.rest is None):
        return False
    rest = shown.rest or (0, 0)
    least, most = int(shown.least.sum()) + rest[0], int(shown.most.sum()) + rest[1]
    below = int(shown.least[shown.most < wanted.k].sum())
    if shown.others_most < wanted.k:
        below += rest[0]
    return least >= wanted.k and below > wanted.limit * most


def bits_of(answers: int) -> float:
    """The most that one of so many answers tells, in bits."""
    return math.log2(answers)


def question_hash(
    request: str, pools: Iterable[tuple[frozenset[str] | None, Sequence[LedgerEntry]]], rows_hash: str, rules: str
) -> str:
    """The SHA-256 of what decides an answer, in hex: once it came, the same pools learn nothing from it again.

    `request`: its hash; `pools`: those who may join what they have, with what they have; `rules`: the hash of the
    policy and whatever else the provider decides.
    """
    digest = sha256(f"{request}\n{rows_hash}\n{rules}\n".encode())
    for names, entries in sorted(pools, key=lambda each: sorted(each[0] or ())):
        digest.update(f"{'all' if names is None else sorted(names)}\n".encode())
        for each in entries:
            digest.update(f"{each.key}\n".encode())
    return digest.hexdigest()
