"""A request whose quasi-identifiers are generalised: the fields that it has beside those of every request."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from ordermade.requests.model import Request
from ordermade.requests.numbers import Limit
from ordermade.requests.part import LevelReference, Name, Part
from ordermade.requests.privacy import Risks, Sensitive, distances_of
from ordermade.requests.search import Search

MOST_QUASI_IDENTIFIERS = 60

Recoding = Literal["full-domain", "local"]
SuppressedRows = Literal["drop", "star"]


class QuasiIdentifier(Part):
    """The generalisation of one quasi-identifier: its hierarchy and the levels the user accepts."""

    hierarchy: Name = Field(description="Name of the registered generalisation hierarchy.", examples=["age"])
    from_level: LevelReference = Field(
        default=0,
        alias="from",
        description="Finest level accepted, by number or name (a number in quotes is a name). 0 is the original value.",
        examples=[1, "5 years"],
    )
    to_level: LevelReference | None = Field(
        default=None,
        alias="to",
        description="Coarsest level accepted, by number or name. Left out: the top level, `*`.",
        examples=[4, "decade"],
    )


class GeneralizationRequest(Request):
    """A request for generalised quasi-identifiers: the wanted release, and the limits that the user accepts."""

    method: Literal["generalization"] = Field(
        default="generalization",
        description="The way the release is made.",
        examples=["generalization"],
    )
    suppression_limit: Limit = Field(
        default=Decimal(0),
        description="The share of the rows (of persons, where the dataset has an entity column) that may be "
        "suppressed, from 0 to 1, read exactly: 0.29 of 100 rows is 29.",
        examples=[0.05],
    )
    withheld: SuppressedRows = Field(
        default="drop",
        description="The treatment of suppressed rows. `drop`: they are left out. `star`: they stay, with `*` in every "
        "released column.",
        examples=["star"],
    )
    recoding: Recoding = Field(
        default="full-domain",
        description="`full-domain`: one node for all rows. `local`: rows that would be suppressed are released at "
        "coarser nodes, round after round.",
        examples=["local"],
    )
    quasi_identifiers: Annotated[
        Mapping[Name, QuasiIdentifier], Field(min_length=1, max_length=MOST_QUASI_IDENTIFIERS)
    ] = Field(
        description="Columns to generalise, each with its hierarchy. Their order is the priority that breaks ties.",
        examples=[{"age": {"hierarchy": "age", "from": 1, "to": 4}}],
    )
    sensitive: Sensitive = Field(default={})
    risk: Risks | None = Field(
        default=None,
        description="The probability that somebody is found in the release, at most.",
        examples=[{"sampling_fraction": 0.1, "highest": 0.05}],
    )
    search: Search = Field(
        default_factory=Search, description="The search for the release.", examples=[{"algorithm": "ola"}]
    )

    @property
    def hierarchy_names(self) -> frozenset[str]:
        """Every hierarchy that the request names: of its quasi-identifiers and of the distances of its models."""
        own = (each.hierarchy for each in self.quasi_identifiers.values())
        return frozenset(own) | distances_of(self.sensitive)
