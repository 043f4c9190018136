"""Releases with values as they are, judged and enumerated: groups given away by joined rows, and sensitive values.

`ORDERMADE_LONG=1` draws 2,000 sets; else 120. What is printed (`pytest -s`): how many sets were refused although
nothing followed from them, how many were left undecided, how many had too many data to be enumerated.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest

from ordermade.ledger.beside import judged_together
from ordermade.ledger.figures import JointCells, KnownFigures, PersonPartition
from ordermade.ledger.sensitive import RequiredValues, few_values
from ordermade.tables.cells import Whole
from tests.long import rounds
from tests.properties.test_releases_together import Drawn, consistent, counted, levels

pytest.importorskip("scipy")

SETS = rounds(120, 2_000)
SEED = 4_423


@dataclass(frozen=True, eq=False)
class DrawnValues:
    """Releases of which some have the values of the last column, and what their classes need of them."""

    drawn: Drawn
    required: tuple[RequiredValues, ...]

    @property
    def axis(self) -> int:
        return len(self.drawn.joint.sizes) - 1


def drawn_values(rng: np.random.Generator) -> DrawnValues:
    """Two to four releases of a few persons with two columns and one of values, kept or sensitive."""
    sizes = (2, int(rng.integers(2, 4)), int(rng.integers(2, 4)))
    k = int(rng.integers(2, 4))
    cells = np.array(list(product(*map(range, sizes))), dtype=np.int64)
    persons = rng.integers(0, 4, size=len(cells)) * (rng.random(len(cells)) < 0.6)
    persons[0] += k
    held = persons > 0
    joint = JointCells(sizes, cells[held], persons[held].astype(np.int64))
    given: list[KnownFigures] = []
    required: list[RequiredValues] = []
    for number in range(int(rng.integers(2, 5))):
        partition = PersonPartition(levels(rng, sizes[:-1]))
        labels, n = counted(partition, joint)
        kept = n >= k
        others = 0 if kept.all() else k - 1
        given.append(KnownFigures((number,), "", partition, labels[kept], n[kept], n[kept], others))
        if rng.random() < 0.8:
            figures = with_values(given[-1], partition, joint, len(sizes) - 1)
            given.append(figures)
            if rng.random() < 0.7:
                required.append(need(partition, labels[kept], joint, len(sizes) - 1))
    return DrawnValues(Drawn("values", tuple(given), joint, k), tuple(required))


def with_values(figures: KnownFigures, partition: PersonPartition, joint: JointCells, axis: int) -> KnownFigures:
    whole = replace(partition, classes={**partition.classes, axis: np.arange(joint.sizes[axis])})
    labels, n = counted(whole, joint)
    own = labels // joint.sizes[axis]
    shown = np.isin(own, figures.labels)
    return replace(
        figures, partition=whole, labels=labels[shown], least=n[shown], most=n[shown], values=frozenset([axis])
    )


def need(partition: PersonPartition, labels: Whole, joint: JointCells, axis: int) -> RequiredValues:
    """As many as the poorest class of two values or more has, of those classes; of the others nothing."""
    own = partition.labels(joint.cells)
    have = np.array([len(np.unique(joint.cells[own == label, axis])) for label in labels.tolist()], dtype=np.int64)
    several = have[have >= 2]
    return RequiredValues(axis, partition, labels, np.where(have >= 2, several.min(initial=9), 0))


def is_group_known(case: Drawn, data: np.ndarray) -> bool:
    """Whether the same set of cells, values summed out, has 1 to k - 1 persons in all data."""
    summed = data.reshape(len(data), -1, case.joint.sizes[-1]).sum(axis=2)
    sets = np.array(list(product((0, 1), repeat=summed.shape[1])), dtype=np.int64)[1:]
    numbers = sets @ summed.T
    return bool(((numbers.min(axis=1) >= 1) & (numbers.max(axis=1) < case.k)).any())


def too_few(case: DrawnValues, data: np.ndarray) -> bool:
    """Whether a person's classes leave fewer values in all data than a release of theirs needs."""
    joint, size = case.drawn.joint, case.drawn.joint.sizes[-1]
    cells = np.array(list(product(*map(range, joint.sizes))), dtype=np.int64)
    partitions = [each.partition for each in case.drawn.given if not each.values]
    of = np.stack([each.labels(cells) for each in partitions], axis=1)
    for person in joint.cells:
        own = np.array([each.labels(person[None, :])[0] for each in partitions])
        same = (of == own).all(axis=1)
        possible = sum(bool(data[:, same & (cells[:, -1] == value)].any()) for value in range(size))
        if any(possible < each.of(person[None, :])[0] for each in case.required):
            return True
    return False


@pytest.mark.parametrize("most_cells", [3_000, 8], ids=["whole", "local"])
def test_no_breach_by_values_passes(most_cells: int) -> None:
    rng = np.random.default_rng(SEED)
    found: Counter[tuple[str, str]] = Counter()
    for number in range(SETS):
        case = drawn_values(rng)
        data = consistent(case.drawn)
        if data is None:
            found["", "not enumerated"] += 1
            continue
        at = f"set {number} of seed {SEED}"
        few = few_values(case.drawn.given, case.drawn.joint, case.required, most_cells)
        answers = {each.answer for each in few}
        values = "breach" if "breach" in answers else "undecided" if answers else "safe"
        groups = judged_together(case.drawn.given, case.drawn.joint, case.drawn.k, most_cells).answer
        for what, is_breach, answer in (
            ("sensitive values", too_few(case, data), values),
            ("groups", is_group_known(case.drawn, data), groups),
        ):
            assert not (is_breach and answer == "safe"), f"{at}: a breach passes, {what}"
            assert not (not is_breach and answer == "breach"), f"{at}: refused without a breach, {what}"
            found[what, f"{'breach' if is_breach else 'safe'}: {answer}"] += 1
    for (what, answer), n in sorted(found.items()):
        print(f"{what:17} {answer:20} {n:,}")
    assert found["sensitive values", "breach: breach"] > 0
    assert found["groups", "breach: breach"] > 0


def two_columns(sizes: tuple[int, int, int], *rows: tuple[int, int, int, int]) -> JointCells:
    table = np.array(rows, dtype=np.int64)
    return JointCells(sizes, table[:, :3], table[:, 3])


def release(number: int, joint: JointCells, axis: int) -> tuple[KnownFigures, KnownFigures]:
    """The classes of one column, nobody dropped, alone and with the values of the last."""
    partition = PersonPartition({axis: np.arange(joint.sizes[axis])})
    labels, n = counted(partition, joint)
    classes = KnownFigures((number,), str(number), partition, labels, n, n)
    return classes, with_values(classes, partition, joint, 2)


def test_classes_of_two_releases_that_share_one_disease() -> None:
    joint = two_columns((2, 2, 3), (0, 0, 0, 3), (0, 1, 1, 3), (1, 0, 2, 3), (1, 1, 0, 3), (1, 1, 1, 3))
    given = [*release(1, joint, 0), *release(2, joint, 1)]  # class 0 has diseases 0, 1 and class 0 has 0, 2
    required = [
        RequiredValues(2, each.partition, each.labels, np.full(len(each.labels), 2))
        for each in given
        if not each.values
    ]
    (found,) = few_values(given, joint, required)
    assert (found.answer, found.axis) == ("breach", 2)
    assert few_values(given[:2], joint, required[:1]) == ()
    assert few_values(given[2:], joint, required[1:]) == ()


def test_rows_of_two_releases_join_by_a_kept_income() -> None:
    incomes = [(number // 6 % 2, number % 5 == 0, number, 1) for number in range(24)]
    joint = two_columns((2, 2, 24), *((a, int(b), c, n) for a, b, c, n in incomes))
    one, other = release(1, joint, 0), release(2, joint, 1)
    assert judged_together([one[0], other[0]], joint, 5).answer == "safe"
    assert judged_together([*one, *other], joint, 5).answer == "breach"
