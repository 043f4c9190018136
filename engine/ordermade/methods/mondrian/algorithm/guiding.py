"""The score of a split by rules: tf-idf of the rules that its children meet, among all groups.

As the TF-IDF paper has it (2.3), groups being its documents and rules its terms.
"""

from __future__ import annotations

from ordermade.machine.compiled import inner
from ordermade.methods.mondrian.algorithm.domains import Attributes, Codes
from ordermade.methods.mondrian.algorithm.partition import Meeting, Workspace
from ordermade.methods.mondrian.algorithm.rules import BITS, OF_CLASS, OF_RANGE, EncodedRules

FARTHEST = 1 << 62
"""A code beyond every other."""


@inner
def meet(
    attributes: Attributes,
    rules: EncodedRules,
    space: Workspace,
    meeting: Meeting,
    table: Codes,
    j: int,
    start: int,
    end: int,
    parts: int,
) -> None:
    """Write the rules that each child meets, once a group is split by an attribute into so many children."""
    met = meeting.words
    for c in range(parts):
        for word in range(met.shape[1]):
            met[c, word] = -1
    for other in range(table.shape[1]):
        if rules.kinds[other] == OF_CLASS:
            for c in range(parts):
                level, code = space.own_levels[other], space.codes[c]
                if other == j:
                    level -= 1
                else:
                    code = table[start, other]
                at = rules.at[other, level]
                if level < attributes.tops[other]:
                    at += attributes.classes[attributes.at[other, level] + code]
                for word in range(met.shape[1]):
                    met[c, word] &= rules.words[at, word]
        elif rules.kinds[other] == OF_RANGE:
            _meet_by_range(rules, meeting, space.child, table, other, start, end, parts)
        else:
            _meet_by_values(rules, meeting, space.child, table, other, start, end, parts)


@inner
def _meet_by_range(
    rules: EncodedRules, meeting: Meeting, child: Codes, table: Codes, j: int, start: int, end: int, parts: int
) -> None:
    """Take from each child the rules that mean nothing between its least and its greatest value."""
    low, high = meeting.low, meeting.high
    for c in range(parts):
        low[c], high[c] = FARTHEST, -1
    for i in range(start, end):
        c, code = child[i], table[i, j]
        low[c], high[c] = min(low[c], code), max(high[c], code)
    for c in range(parts):
        for r in range(rules.weights.size):
            if rules.first[j, r] > high[c] or rules.last[j, r] < low[c]:
                meeting.words[c, r // BITS] &= ~(1 << (r % BITS))


@inner
def _meet_by_values(
    rules: EncodedRules, meeting: Meeting, child: Codes, table: Codes, j: int, start: int, end: int, parts: int
) -> None:
    """Take from each child the rules that mean none of its values."""
    met, words = meeting.value_words, meeting.value_words.shape[1]
    for c in range(parts):
        for word in range(words):
            met[c, word] = 0
    for i in range(start, end):
        c, at = child[i], rules.at[j, 0] + table[i, j]
        for word in range(words):
            met[c, word] |= rules.words[at, word]
    for c in range(parts):
        for word in range(words):
            meeting.words[c, word] &= met[c, word]


@inner
def guided(rules: EncodedRules, meeting: Meeting, groups: int, parts: int) -> float:
    """The mean over the children of the sum over the rules of weight x tf x idf, of so many groups after the split."""
    worth, words = meeting.worth, meeting.words
    for r in range(worth.size):
        word, bit = r // BITS, r % BITS
        met = 0
        for c in range(parts):
            met += (words[c, word] >> bit) & 1
        worth[r] = 0.0
        if met > 0:
            met += meeting.met[r] - ((meeting.own_words[word] >> bit) & 1)
            worth[r] = rules.weights[r] * (rules.logarithms[groups] - rules.logarithms[met])
    total = 0.0
    for c in range(parts):
        met, of_child = 0, 0.0
        for r in range(worth.size):
            if (words[c, r // BITS] >> (r % BITS)) & 1:
                met += 1
                of_child += worth[r]
        if met > 0:
            total += of_child / met
    return total / parts


@inner
def count_met(meeting: Meeting, parts: int) -> None:
    """Count, for each rule, the children that meet it in place of the group."""
    for r in range(meeting.met.size):
        word, bit = r // BITS, r % BITS
        meeting.met[r] -= (meeting.own_words[word] >> bit) & 1
        for c in range(parts):
            meeting.met[r] += (meeting.words[c, word] >> bit) & 1
