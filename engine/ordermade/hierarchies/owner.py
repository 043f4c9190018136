"""Whose own a hierarchy is: one that a user uploaded is of that user, for one column of one dataset."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HierarchyOwner:
    """The user whose own a hierarchy is, and the column of a dataset that it is for."""

    user: str
    dataset: str
    column: str
