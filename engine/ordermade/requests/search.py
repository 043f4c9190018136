"""The part of a request that chooses the search for its release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StrictBool, StrictInt, model_validator
from pydantic_core import PydanticCustomError

from ordermade.requests.numbers import Weight
from ordermade.requests.part import Name, Part

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
