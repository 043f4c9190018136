"""The model of a request for generalisation and of its search."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StrictBool, StrictInt, model_validator
from pydantic_core import PydanticCustomError

from ordermade.requests.model import LevelReference, Name, Part, Request
from ordermade.requests.numbers import Limit, Weight
from ordermade.requests.privacy import Risks, Sensitive, distances_of

FEWEST_SAMPLED, MOST_SAMPLED = 3, 1_000

Algorithm = Literal["exhaustive", "incognito", "ola", "pak", "paper-incognito", "paper-ola", "paper-pak"]
Overshoot = Literal["include", "exclude"]
Objective = Literal[
    "prec",
    "prec_suppressed_as_1",
    "height",
    "loss",
    "dm",
    "dm_star",
    "aecs",
    "c_avg",
    "entropy",
    "entropy_ignoring_suppression",
    "divisions",
]

WEIGHABLE: tuple[Objective, ...] = (
    "prec",
    "prec_suppressed_as_1",
    "height",
    "loss",
    "entropy",
    "entropy_ignoring_suppression",
)
"""The objectives that are sums over the quasi-identifiers, so that each can have a weight."""


def _enough_to_fit(sample: int) -> int:
    if not FEWEST_SAMPLED <= sample <= MOST_SAMPLED:
        raise PydanticCustomError(
            "sample", "a power law is fitted to 3 to 1,000 nodes; write a whole number between them, such as 9"
        )
    return sample


SampleSize = Annotated[
    StrictInt,
    AfterValidator(_enough_to_fit),
    Field(json_schema_extra={"minimum": FEWEST_SAMPLED, "maximum": MOST_SAMPLED}),
]


class Search(Part):
    """The search for the most detailed acceptable release."""

    algorithm: Algorithm | None = Field(
        default=None,
        description="The search. Left out: `pak`; beyond 100,000 nodes `ola` where levels nest, else `incognito`, "
        "if they can answer the request, else `pak` up to 1,000,000 nodes.",
        examples=["ola"],
    )
    objective: Objective = Field(
        default="prec",
        description="The measure that ranks passing releases: a loss that is minimised, "
        "or `divisions` (the number of equivalence classes), which is maximised.",
        examples=["prec"],
    )
    weights: Mapping[Name, Weight] = Field(
        default={},
        description="The weight of each quasi-identifier in an objective that is a sum over them; 1 where left out.",
        examples=[{"age": 2, "sex": 0.5}],
    )
    then_certify: StrictBool = Field(
        default=True,
        description="`pak` alone. `true`: go on from the predicted node until the best release is proved. "
        "`false`: stop like the paper, at the first node that fails on the way to more detail, or the first "
        "that passes on the way to less.",
        examples=[False],
    )
    overshoot: Overshoot = Field(
        default="include",
        description="`pak` alone. Whether the start may have more classes than predicted, if it is the nearest node.",
        examples=["exclude"],
    )
    sample: SampleSize = Field(
        default=9,
        description="`pak` alone. The number of the coarsest nodes that are measured to fit the power law, where "
        "earlier requests and the columns' class sizes do not suffice; 3 to 1,000.",
        examples=[20],
    )

    @model_validator(mode="after")
    def _options_of_the_algorithm(self) -> Search:
        options = [name for name in ("then_certify", "overshoot", "sample") if name in self.model_fields_set]
        if options and self.algorithm != "pak":
            raise PydanticCustomError(
                "option_of_pak",
                "{options} can be set for the search pak alone; write algorithm: pak, or take it out",
                {"options": " and ".join(options)},
            )
        if self.algorithm is not None and self.algorithm.startswith("paper-") and self.objective != "divisions":
            raise PydanticCustomError(
                "objective_of_paper",
                "the search {algorithm} looks for the most classes alone; write objective: divisions",
                {"algorithm": self.algorithm},
            )
        return self


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
