"""The category of a description that holds no keyword: that whose descriptions share its informative terms most.

Naive Bayes on terms (Maron 1961; multinomial, smoothed), learned from the descriptions that hold keywords.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ordermade.taxonomies.matching import Terms

LEAST_DESCRIPTIONS = 3
"""The fewest descriptions that a term must occur in to be learned from."""

SMOOTHING = 1.0
"""The count added to each term of every category (Laplace)."""

DIGITS = 12
"""Probabilities are compared rounded to so many digits, so that no order of additions decides a tie."""


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """The learned model: the place of each term, its logarithmic likelihoods by category, and those of categories."""

    place_of: dict[str, int]
    likelihoods: npt.NDArray[np.float64]
    priors: npt.NDArray[np.float64]

    @classmethod
    def learned(cls, described: Sequence[tuple[Terms, int]], categories: int) -> Likeness:
        """Learn from descriptions with the number of their category, of so many categories."""
        in_descriptions = Counter(term for terms, _ in described for term in set(terms))
        known = sorted(term for term, n in in_descriptions.items() if n >= LEAST_DESCRIPTIONS)
        place_of = {term: place for place, term in enumerate(known)}
        counts = np.zeros((len(known), categories))
        sizes = np.zeros(categories)
        for terms, number in described:
            sizes[number] += 1
            for term in set(terms) & place_of.keys():
                counts[place_of[term], number] += 1
        likelihoods = np.log(counts + SMOOTHING) - np.log(counts.sum(axis=0) + SMOOTHING * max(len(known), 1))
        with np.errstate(divide="ignore"):  # a category without descriptions is never likely
            priors = np.log(sizes) - np.log(max(sizes.sum(), 1))
        return cls(place_of, likelihoods, priors)

    def category(self, terms: Terms, least: float) -> int | None:
        """The number of the likeliest category if its probability is at least `least`; None too where no term is known.

        Ties go to the first category.
        """
        places = sorted({self.place_of[term] for term in terms if term in self.place_of})
        if not places:
            return None
        logarithms = self.priors + self.likelihoods[places].sum(axis=0)
        probabilities = np.exp(logarithms - logarithms.max())
        probabilities = np.round(probabilities / probabilities.sum(), DIGITS)
        number = int(probabilities.argmax())
        return number if probabilities[number] >= least else None
