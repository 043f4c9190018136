"""Lower bounds of the scores of passing nodes coarser than a measured one, for metrics of the classes.

A class of at least k units of a coarser node holds one of the measured node's, or small ones only (see
`Observation.most_classes`). From how many there can be at most follows how small they are at least. None of it rests on
models: those suppress more, which is counted for where it could lower a score.
"""

from __future__ import annotations

from fractions import Fraction

from ordermade.lattice.observation import Observation, Requirement


def even_squares(units: int, classes: int) -> int:
    """The least sum of squares of so many classes that hold at least so many units: they are as even as can be."""
    size, larger = divmod(max(units, 0), max(classes, 1))
    return (classes - larger) * size * size + larger * (size + 1) * (size + 1)


def least_discernibility(units: int, classes: int, requirement: Requirement) -> int:
    """The least DM of a passing node with at most so many classes of at least k.

    A suppressed unit costs all of them, which is never less than it saves, unless there is but one class.
    """
    suppressed = min(requirement.most_suppressed, units // 2) if classes <= 1 else 0
    return even_squares(units - suppressed, max(classes, 1)) + units * suppressed


def least_squares(units: int, classes: int, requirement: Requirement) -> int:
    """The least sum of squares of all classes: the units that may be suppressed are in classes of one."""
    suppressed = min(requirement.most_suppressed, units)
    return even_squares(units - suppressed, max(classes, 1)) + suppressed


def least_average_class_size(units: int, classes: int, requirement: Requirement) -> Fraction:
    """The least average class size, AECS: the suppressed units are one more class."""
    return Fraction(units, max(classes, 1) + (1 if requirement.most_suppressed else 0))


def least_average_class_size_in_k(units: int, classes: int, requirement: Requirement) -> Fraction:
    """The least C_AVG: as few units as may be, in as many classes as can be."""
    return Fraction(max(units - requirement.most_suppressed, 0), max(classes, 1) * requirement.k)


def discernibility(observation: Observation, requirement: Requirement) -> int:
    """DM: in a coarser node a row of a class below k has a class of k at least, or is suppressed, which costs more."""
    k = requirement.k
    if not observation.adds_up:
        return least_discernibility(observation.rows, observation.most_classes(k), requirement)
    small = [(size, classes) for size, classes in observation.sizes if size < k]
    return observation.sum_of_squares + sum((k - size) * size * classes for size, classes in small)


def suppressed_adds(observation: Observation, requirement: Requirement) -> int:
    """To the DM of a node and of all that are finer: their rows in classes below k cost all rows each, and not k.

    Besides `discernibility` of a yet finer node, of which they are rows in classes below k, too.
    """
    k = requirement.k
    return observation.below(k) * (observation.rows - k) if observation.determines_below(k) else 0


def squares(observation: Observation, requirement: Requirement) -> int:
    """The sum of the squares: in a coarser node a row of a class below k has a class of k, or may be suppressed.

    Least where the suppressed rows are those of the smallest classes.
    """
    k, left = requirement.k, requirement.most_suppressed
    if not observation.adds_up:
        by_divisions = even_squares(observation.rows, max(observation.divisions, 1))
        return max(by_divisions, least_squares(observation.rows, observation.most_classes(k), requirement))
    total = observation.sum_of_squares
    for size, classes in observation.sizes:
        if size < k:
            kept = min(size * classes, left)
            left -= kept
            total += (k - size) * (size * classes - kept)
    return total


def average_class_size(observation: Observation, requirement: Requirement) -> Fraction:
    """AECS: a suppressed row is a row less to fill classes with, and all of them one class more."""
    k = requirement.k
    small = [(size, classes) for size, classes in observation.sizes if size < k]
    held = sum(size * classes for size, classes in small)
    large = observation.divisions - sum(classes for _, classes in small)
    most = observation.most_classes(k)
    if requirement.most_suppressed and held:
        most = max(most, large + (held - 1) // k + 1)
    return Fraction(observation.rows, max(min(most, observation.divisions), 1))


def average_class_size_in_k(observation: Observation, requirement: Requirement) -> Fraction:
    """C_AVG: it falls by suppressing rows that fill no class of k; by models other rows may be suppressed, too."""
    k = requirement.k
    suppressed = requirement.most_suppressed
    if observation.adds_up and not requirement.models:
        held = sum(size * classes for size, classes in observation.sizes if size < k)
        suppressed = min(suppressed, held % k)
    return Fraction(max(observation.rows - suppressed, 0), max(observation.most_classes(k), 1) * k)
