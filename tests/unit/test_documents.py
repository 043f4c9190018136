"""YAML as plain content: lines, mistakes, and the same of both parsers."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from ordermade.files.yaml_documents import FAST_PARSER, PYTHON_PARSER, Dialect, YamlWords, document_of

# Each mistake is told by its own name.
WORDS = YamlWords(**{each.name: (f"{each.name} %(name)s", "%(line)s") for each in fields(YamlWords)})
DIALECT = Dialect(value=lambda text: int(text) if text.isdigit() else text, deepest=3, words=WORDS)


def told(text: str, dialect: Dialect = DIALECT) -> list[tuple[str, int]]:
    return [(each.what.strip(), each.line) for each in document_of(text, dialect).mistakes]


@pytest.mark.parametrize("parser", [PYTHON_PARSER, FAST_PARSER])
def test_content_has_the_line_of_every_entry(parser):
    document = document_of("a: 1\nb:\n  - '2'\n  - c:\n      3\n1: x\n", replace(DIALECT, parser=parser))
    assert document.content == {"a": 1, "b": ["2", {"c": 3}], "1": "x"}
    assert document.lines == {(): 1, ("a",): 1, ("b",): 2, ("b", 0): 3, ("b", 1): 4, ("b", 1, "c"): 4, ("1",): 6}
    assert document.mistakes == ()


@pytest.mark.parametrize("parser", [PYTHON_PARSER, FAST_PARSER])
@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        ("a: &x 1\nb: *x\nc: !!int 3", [("anchor x", 1), ("alias x", 2), ("tag '!!int'", 3)]),
        ("a: 1\nb: 2\na: {c: 1,\n c: 2}\nb: 3", [("twice 'a'", 3), ("twice 'c'", 4), ("twice 'b'", 5)]),
        ("? [a, !t b]\n: &x 1\nc: 1", [("key", 1), ("tag '!t'", 1), ("anchor x", 2)]),
        ("*x : 1", [("alias x", 1), ("key", 1)]),
        ("a: !t 1\n---\nb: !t 1", [("tag '!t'", 1), ("second", 2)]),
        ("a: [[]]\nb: [[1, [2]]]\nc: !t 1", [("deep", 2)]),
        ("é: 1\nb: \x07", [("character", 2)]),
    ],
)
def test_mistakes(parser, text, mistakes):
    assert told(text, replace(DIALECT, parser=parser)) == mistakes
    assert told(text, replace(DIALECT, parser=parser, first_only=True)) == mistakes[:1]


@pytest.mark.parametrize("parser", [PYTHON_PARSER, FAST_PARSER])
def test_an_error_of_syntax_is_told_alone(parser):
    ((what, line),) = told("a: !t 1\na: 2\nb: 'x' y\nc: 1", replace(DIALECT, parser=parser))
    assert what.startswith("syntax ")
    assert line == 3


@pytest.mark.parametrize("text", ["", "# nothing", "a: [", "[" * 5000, "a: \x07"])
def test_what_cannot_be_read_to_its_end_has_no_lines(text):
    document = document_of(text, DIALECT)
    assert (document.content, document.lines) == (None, {})


def test_the_first_mention_is_that_of_the_same_mapping():
    (first,) = document_of("a: {b: 1}\nc: {b: 1,\n b: 2}", DIALECT).mistakes
    assert (first.what.strip(), first.instead, first.path, first.line) == ("twice 'b'", "2", ("c", "b"), 3)


def test_depth_costs_no_call_of_its_own():
    text = "[" * 1_000 + "]" * 1_000  # libyaml reads no deeper
    document = document_of(text, replace(DIALECT, deepest=1_000, parser=FAST_PARSER))
    assert not document.mistakes


@pytest.mark.parametrize("parser", [FAST_PARSER, PYTHON_PARSER])
def test_a_text_deeper_than_a_parser_reads_is_nested_too_deep(parser):
    document = document_of("[" * 2_000 + "]" * 2_000, replace(DIALECT, deepest=20, parser=parser))
    assert document.mistakes[0].what.startswith("deep")


def test_half_a_character_is_told():
    assert told('a: "\\ud800"') == [("half", 1)]
    assert told('"\\ud800": 1') == [("half", 1)]
    assert told('a: "\\UFFFFFFFF"') == [("escape", 0)]
