"""Terms, keywords and likeness: what decides the category of an item, pure."""

from __future__ import annotations

import pytest

from ordermade.errors import RequestError
from ordermade.methods.histories.taxonomies.keywords import Matcher, keywords_of, read_keywords, singular, terms_of
from ordermade.methods.histories.taxonomies.suggest import TermLikeness

LIST = """\
ignore: [in box]
categories:
  light: {keywords: [candle, t-light holder]}
  kitchen: {keywords: [mug, box, cake tin, tin, bottle]}
  warmth: {keywords: [hot water bottle]}
  season: {weight: 2, keywords: [christmas]}
"""


def test_terms_are_words_without_case_accents_of_width_and_plurals() -> None:
    assert terms_of("SET/6 T-Light HOLDERS, Children's １２") == ("set", "6", "t", "light", "holder", "children", "12")
    for one, several in (
        ("candle", "candles"),
        ("glass", "glasses"),
        ("box", "boxes"),
        ("dish", "dishes"),
        ("berry", "berries"),
        ("cookie", "cookies"),
        ("case", "cases"),
        ("pie", "pies"),
    ):
        assert singular(one) == singular(several)
    assert singular("canvas") != singular("can")
    assert terms_of("") == ()


@pytest.mark.parametrize(
    ("description", "category"),
    [
        ("RED MUG", "kitchen"),
        ("candles in box", "light"),  # ignored: the box
        ("HOT WATER BOTTLE", "warmth"),  # the phrase takes the word of the shorter keyword
        ("mug with candle", "light"),  # of equals, the last
        ("candle in cake tin", "kitchen"),  # two words count twice
        ("mug and box for christmas, with a bottle", "kitchen"),  # three against a weight of two
        ("christmas mug", "season"),
        ("blue thing", None),
        ("", None),
    ],
)
def test_the_category_whose_keywords_weigh_most_is_taken(description: str, category: str | None) -> None:
    listed = keywords_of(LIST, "list")
    number = Matcher.of(listed).category(terms_of(description))
    assert (None if number is None else listed.categories[number].name) == category


def test_likeness_goes_by_the_terms_that_tell_and_leaves_the_rest() -> None:
    described = [(("retro", "plate"), 0)] * 8 + [(("retro", "pen"), 1)] * 8 + [(("rare", "pen"), 1)] * 2
    learned = TermLikeness.learned(described, 3)
    assert learned.category(("plate", "lid"), 0.8) == 0
    assert learned.category(("pen",), 0.8) == 1
    assert learned.category(("retro",), 0.8) is None  # as likely here as there
    assert learned.category(("rare",), 0.1) is None  # two descriptions teach nothing
    assert learned.category(("plate", "pen", "unknown"), 0.4) == learned.category(("pen", "plate"), 0.4)
    assert TermLikeness.learned([], 3).category(("plate",), 0.1) is None


def test_the_list_that_ships_is_sound_and_sorts_what_it_is_written_for() -> None:
    listed = read_keywords()
    matcher = Matcher.of(listed)
    assert listed.departments
    assert listed.other == "other"
    found = {
        words: listed.categories[matcher.category(terms_of(words)) or 0].name
        for words in ("WHITE HANGING HEART T-LIGHT HOLDER", "Red woolly hat", "GARDENERS KNEELING PAD", "BANK CHARGES")
    }
    assert list(found.values()) == ["candles and scent", "clothing", "garden", "charges"]


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("categories:\n  a: {keywords: [mug]}\n  b:\n    keywords: [pen, Mugs]\n", 4, "is listed in 'a' too"),
        ("categories:\n  a: {keywords: [mug]}\n  b: {keyword: [pen]}\n", 3, "Did you mean 'keywords'?"),
        ("categories:\n  a: {keywords: []}\n", 2, "lists no keywords"),
        ("categories:\n  a:\n    keywords:\n      - mug\n      - 12\n", 5, "is not a word or phrase"),
        ("categories:\n  a: {weight: 0, keywords: [mug]}\n", 2, "a weight is a number above 0"),
        ("categories:\n  a: {keywords: [mug], department: x}\n  b: {keywords: [pen]}\n", 3, "has no department"),
        ("categories:\n  other: {keywords: [mug]}\n", 2, "where goods of no category are put"),
        ("other: '*'\ncategories:\n  a: {keywords: [mug]}\n", 1, "is not a name"),
        ("categories: [mug]\n", 1, "lists no categories"),
        ("categories:\n  a: mug\n", 2, "is not a category"),
        ("sorts:\n  a: {keywords: [mug]}\n", 1, "there is no such key"),
        ("", 0, "the keyword list is empty"),
    ],
)
def test_a_mistake_in_a_list_is_told_with_its_line_and_what_to_do(text: str, line: int, told: str) -> None:
    with pytest.raises(RequestError) as caught:
        keywords_of(text, "list.yaml")
    problem = next(each for each in caught.value.problems if told.casefold() in each.casefold())
    assert problem.startswith(f"list.yaml:{line}: " if line else "list.yaml: ")
    assert "; " in problem
