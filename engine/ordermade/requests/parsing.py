"""From text to a sqlglot tree, for any text: one that cannot be parsed is a `FilterError`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import sqlglot
from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError, SqlglotError

from ordermade.errors import FilterError, quoted
from ordermade.phrases import phrase

DEEPEST_NESTING = 20
_OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE)
_CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

# The parser is a library's: on texts that are no SQL it may fail in these ways besides its own errors.
_UNREADABLE = (
    SqlglotError,
    RecursionError,
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)


def tokens_of(text: str, *, what: str, longest: int, dialect: str, comments: bool = False) -> Sequence[Token]:
    """The tokens of one SQL text, with comments only if allowed, or a `FilterError` that calls it `what`."""
    if len(text) > longest:
        raise FilterError(
            phrase("%(what)s is longer than %(longest)s characters", what=what, longest=format(longest, ",")),
            next_step=phrase("Write a shorter one."),
        )
    if found := _CONTROL.search(text):
        step = phrase("Take it out.")
        raise FilterError(
            phrase("%(what)s holds a control character at character %(start)s", what=what, start=found.start() + 1),
            next_step=step,
        )
    try:
        tokens = sqlglot.tokenize(text, dialect=dialect)
    except _UNREADABLE as error:
        step = phrase("Check that every quote is closed.")
        raise FilterError(phrase("%(what)s cannot be read as SQL", what=what), next_step=step) from error
    if not tokens:
        raise FilterError(
            phrase("%(what)s is empty", what=what), next_step=phrase("Write an expression, or leave it out.")
        )
    if not comments and any(token.comments for token in tokens):
        raise FilterError(phrase("%(what)s holds a comment", what=what), next_step=phrase("Take the comment out."))
    _refuse_deep(tokens, what)
    return tokens


def tree_of(text: str, *, what: str, into: type[exp.Condition] | None, dialect: str) -> exp.Expression:
    """The one tree of the text."""
    try:
        trees = (
            sqlglot.parse(text, dialect=dialect)
            if into is None
            else [sqlglot.parse_one(text, into=into, dialect=dialect)]
        )
    except RecursionError as error:
        step = phrase("Write it with fewer steps inside one another.")
        raise FilterError(phrase("%(what)s is nested too deeply", what=what), next_step=step) from error
    except ParseError as error:
        step = phrase("Check the brackets, quotes and operators there; names with spaces go in double quotes.")
        raise FilterError(_unread(error, what), next_step=step) from error
    except _UNREADABLE as error:
        step = phrase("Check the brackets, quotes and operators.")
        raise FilterError(phrase("%(what)s cannot be read as SQL", what=what), next_step=step) from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Expression):
        raise FilterError(
            phrase("%(what)s must be one expression", what=what), next_step=phrase("Write it without a semicolon.")
        )
    return trees[0]


def _refuse_deep(tokens: Sequence[Token], what: str) -> None:
    """Counts brackets before parsing, so that no recursive parser meets a text nested too deeply."""
    depth = 0
    for token in tokens:
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth > DEEPEST_NESTING:
            step = phrase("Use at most %(deepestnesting)s brackets inside one another.", deepestnesting=DEEPEST_NESTING)
            raise FilterError(phrase("%(what)s is nested too deeply", what=what), next_step=step)


def _unread(error: ParseError, what: str) -> str:
    """That a text is no SQL, and where the parser stopped, if its error states it."""
    details = error.errors[0] if error.errors else {}
    seen, line, column = details.get("highlight"), details.get("line"), details.get("col")
    if not seen or line is None or column is None:
        return phrase("%(what)s cannot be read as SQL", what=what)
    return phrase(
        "%(what)s cannot be read as SQL near %(seen)s (line %(line)s, character %(column)s)",
        what=what,
        seen=quoted(str(seen)),
        line=line,
        column=column,
    )
