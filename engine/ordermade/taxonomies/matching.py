"""The category of a description by the keywords in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ordermade.taxonomies.keywords import Keywords

Terms = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matcher:
    """Keywords by their terms: the number of the category of each, None for ignored ones; weights of categories."""

    category_of: dict[Terms, int | None]
    weights: tuple[float, ...]
    longest: int

    @classmethod
    def of(cls, listed: Keywords) -> Matcher:
        """The matcher of a list, each keyword of which belongs to one category alone."""
        found: dict[Terms, int | None] = dict.fromkeys(listed.ignored)
        found |= {terms: number for number, each in enumerate(listed.categories) for terms in each.keywords}
        return cls(found, tuple(each.weight for each in listed.categories), max(map(len, found), default=0))

    def category(self, terms: Terms) -> int | None:
        """The number of the category whose keywords weigh most; None where there is no keyword.

        A keyword weighs as many times its category's weight as it has words. Ties go to the category whose keyword
        comes last: in English, what a thing is stands after what it is like.
        """
        weighed: dict[int, tuple[float, int]] = {}
        for end, number, words in self._keywords(terms):
            before, _ = weighed.get(number, (0.0, 0))
            weighed[number] = (before + words * self.weights[number], end)
        return max(weighed, key=lambda number: weighed[number], default=None)

    def _keywords(self, terms: Terms) -> Iterator[tuple[int, int, int]]:
        """The end of each keyword, its category, its words. A longer one takes its words from the shorter ones."""
        taken = [False] * len(terms)
        for words in range(min(self.longest, len(terms)), 0, -1):
            for start in range(len(terms) - words + 1):
                keyword = terms[start : start + words]
                if keyword in self.category_of and not any(taken[start : start + words]):
                    taken[start : start + words] = [True] * words
                    number = self.category_of[keyword]
                    if number is not None:
                        yield start + words, number, words
