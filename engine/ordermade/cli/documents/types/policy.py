"""The types of the documents of `ordermade policy`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


class ListedPolicy(TypedDict):
    """The policy in force of a dataset."""

    id: int
    """Its number."""
    dataset: str
    """The dataset it is for."""
    version: int
    """Its version, from 1."""
    hash: str
    """The SHA-256 of its canonical JSON."""
    set_at: datetime
    """The time it was set."""


class PolicyInForce(ListedPolicy):
    """A version of the policy of a dataset."""

    terms_hash: str | None
    """The SHA-256 of its terms; null: none."""
    content: str
    """The policy as canonical JSON, without what is left out."""


class PolicyChange(TypedDict):
    """A field of a policy that changed."""

    field: str
    """The field, as in `never.keep`."""
    before: str | None
    """As it was, as the file writes it; null: left out."""
    after: str | None
    """As it is; null: left out."""
    direction: Literal["stricter", "looser", "other"]
    """Whether fewer requests keep it, more, or some others."""


class PolicyChecked(Opening):
    """A policy file without a mistake."""

    command: Literal["policy check"]
    """`policy check`."""
    dataset: str
    """The dataset it is for."""
    content: str
    """The policy as canonical JSON, without what is left out, its columns as they are stored."""
    notes: list[str]
    """The checks that could not be made, in words."""


class PolicySet(Opening):
    """A policy was put in force."""

    command: Literal["policy set"]
    """`policy set`."""
    policy: PolicyInForce
    """The policy."""


class PolicyShown(Opening):
    """The policy of a dataset."""

    command: Literal["policy show"]
    """`policy show`."""
    policy: PolicyInForce
    """The policy."""


class PolicyList(Opening):
    """The policies in force."""

    command: Literal["policy list"]
    """`policy list`."""
    policies: list[ListedPolicy]
    """The policies, by dataset."""


class PolicyCompared(Opening):
    """Two policies of a dataset, compared."""

    command: Literal["policy diff"]
    """`policy diff`."""
    dataset: str
    """The dataset."""
    before: int | None
    """The version of the first; null: no policy."""
    after: int | None
    """The version of the second; null: a file."""
    changes: list[PolicyChange]
    """The fields that differ, in the order of the file."""
