"""From text to a sqlglot tree, for any text: one that cannot be parsed is a `FilterError`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import sqlglot
from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError, SqlglotError

from ordermade.errors import FilterError, quoted

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
        raise FilterError(f"{what} is longer than {longest:,} characters", next_step="Write a shorter one.")
    if found := _CONTROL.search(text):
        step = "Take it out."
        raise FilterError(f"{what} holds a control character at character {found.start() + 1}", next_step=step)
    try:
        tokens = sqlglot.tokenize(text, dialect=dialect)
    except _UNREADABLE as error:
        step = "Check that every quote is closed."
        raise FilterError(f"{what} cannot be read as SQL", next_step=step) from error
    if not tokens:
        raise FilterError(f"{what} is empty", next_step="Write an expression, or leave it out.")
    if not comments and any(token.comments for token in tokens):
        raise FilterError(f"{what} holds a comment", next_step="Take the comment out.")
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
        step = "Write it with fewer steps inside one another."
        raise FilterError(f"{what} is nested too deeply", next_step=step) from error
    except ParseError as error:
        place = _place(error)
        step = "Check the brackets, quotes and operators there; names with spaces go in double quotes."
        raise FilterError(f"{what} cannot be read as SQL{place}", next_step=step) from error
    except _UNREADABLE as error:
        step = "Check the brackets, quotes and operators."
        raise FilterError(f"{what} cannot be read as SQL", next_step=step) from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Expression):
        raise FilterError(f"{what} must be one expression", next_step="Write it without a semicolon.")
    return trees[0]


def _refuse_deep(tokens: Sequence[Token], what: str) -> None:
    """Counts brackets before parsing, so that no recursive parser meets a text nested too deeply."""
    depth = 0
    for token in tokens:
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth > DEEPEST_NESTING:
            step = f"Use at most {DEEPEST_NESTING} brackets inside one another."
            raise FilterError(f"{what} is nested too deeply", next_step=step)


def _place(error: ParseError) -> str:
    """Where the parser stopped, if its error states it."""
    details = error.errors[0] if error.errors else {}
    seen, line, column = details.get("highlight"), details.get("line"), details.get("col")
    if not seen or line is None or column is None:
        return ""
    return f" near {quoted(str(seen))} (line {line}, character {column})"
