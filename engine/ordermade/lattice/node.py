"""Nodes of the lattice of generalisations."""

from __future__ import annotations

from typing import TypeAlias

Node: TypeAlias = tuple[int, ...]
"""One level number for each quasi-identifier, in the order of the request, which is the priority."""

NodeKey: TypeAlias = frozenset[tuple[str, str]]
"""A node as table C knows it: (column, content hash of the level) of each attribute below `*`."""
