"""The node trees that PostgreSQL keeps of views, policies and functions, read as its own functions write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

NOTHING = "<>"
_TOKENS = re.compile(r"[(){}]|(?:\\.|[^\s(){}\\])+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ParseNode:
    """A node, its fields by name without the colon."""

    name: str
    fields: Mapping[str, Value]

    def token(self, field: str) -> str:
        """The plain value of a field; empty where it has none."""
        found = self.fields.get(field)
        return found if isinstance(found, str) and found != NOTHING else ""

    def has(self, field: str) -> bool:
        """Whether a field has a value at all."""
        return self.fields.get(field, NOTHING) != NOTHING

    def nodes(self, field: str) -> tuple[ParseNode, ...]:
        """The nodes of a field that is a list of them."""
        found = self.fields.get(field)
        return tuple(each for each in found if isinstance(each, ParseNode)) if isinstance(found, tuple) else ()

    def children(self) -> Iterator[ParseNode]:
        """The nodes right under this one, lists gone through."""
        waiting = [*self.fields.values()][::-1]
        while waiting:
            each = waiting.pop()
            if isinstance(each, ParseNode):
                yield each
            elif isinstance(each, tuple):
                waiting.extend(each[::-1])

    def walk(self) -> Iterator[ParseNode]:
        """This node and all under it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(node.children())


Value = ParseNode | str | bytes | tuple["Value", ...]
"""What a field has: a node, a plain value, the bytes of a constant, or a list."""


def read_tree(text: str) -> Value:
    """The tree of a `pg_node_tree`. Raises ValueError for a text that is none."""
    tokens = _TOKENS.findall(text)
    try:
        value, end = _value(tokens, 0)
    except (IndexError, RecursionError):
        raise ValueError("no node tree") from None
    if end != len(tokens):
        raise ValueError("no node tree")
    return value


def _value(tokens: list[str], at: int) -> tuple[Value, int]:
    """The value that begins at a token, and where it ends."""
    token = tokens[at]
    if token == "{":
        return _node(tokens, at + 1)
    if token == "(":
        found: list[Value] = []
        at += 1
        while tokens[at] != ")":
            each, at = _value(tokens, at)
            found.append(each)
        return tuple(found), at + 1
    if token in ")}":
        raise ValueError("no node tree")
    return token, at + 1


def _node(tokens: list[str], at: int) -> tuple[ParseNode, int]:
    name, fields = tokens[at], dict[str, Value]()
    at += 1
    while tokens[at] != "}":
        field = tokens[at]
        if not field.startswith(":"):
            raise ValueError("no node tree")
        value, at = _value(tokens, at + 1)
        if tokens[at] == "[":
            end = tokens.index("]", at)
            value, at = bytes(int(each) % 256 for each in tokens[at + 1 : end]), end + 1
        fields[field[1:]] = value
    return ParseNode(name, fields), at + 1
