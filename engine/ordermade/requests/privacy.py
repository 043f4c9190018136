"""Requirements of a request beyond k: models of sensitive attributes, and the risks of the whole release."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal, TypeAlias

from pydantic import Discriminator, Field, model_validator
from pydantic_core import PydanticCustomError

from ordermade.requests.model import Name, Part
from ordermade.requests.numbers import Alpha, Distance, Effective, Multiple, Risk, SamplingFraction, Several

MOST_SENSITIVE = 20
MOST_MODELS = 10


class DistinctLModel(Part):
    """Every released class has at least l different values."""

    model: Literal["distinct_l"] = Field(description="The model.", examples=["distinct_l"])
    l: Several = Field(description="The least number of different values, NULL being one; at least 2.", examples=[3])  # noqa: E741


class EntropyLModel(Part):
    """The entropy of the values of every released class is at least that of l values that are equally frequent."""

    model: Literal["entropy_l"] = Field(description="The model.", examples=["entropy_l"])
    l: Effective = Field(description="The least effective number of values, above 1.", examples=[2.5])  # noqa: E741


class RecursiveCLModel(Part):
    """The most frequent value of a class has fewer than c times the rows of its l-th and all rarer values."""

    model: Literal["recursive_cl"] = Field(description="The model.", examples=["recursive_cl"])
    c: Multiple = Field(description="The factor, above 0.", examples=[3])
    l: Several = Field(description="From which value on, by frequency; at least 2.", examples=[2])  # noqa: E741


class TClosenessModel(Part):
    """The distribution of the values in every released class is close to the one in the whole dataset."""

    model: Literal["t_closeness"] = Field(description="The model.", examples=["t_closeness"])
    t: Distance = Field(
        description="The greatest distance, from 0 to below 1. 0: exactly the distribution of the dataset.",
        examples=[0.2],
    )
    distance: Literal["equal", "ordered", "hierarchical"] = Field(
        description="The distance of two values: `equal`: always the same; `ordered`: by their ranks; "
        "`hierarchical`: by the levels of a hierarchy.",
        examples=["equal"],
    )
    hierarchy: Name | None = Field(
        default=None,
        description="Name of the registered hierarchy; with `distance: hierarchical` alone, which needs one.",
        examples=["occupation"],
    )

    @model_validator(mode="after")
    def _hierarchy_of_the_distance(self) -> TClosenessModel:
        if self.distance == "hierarchical" and self.hierarchy is None:
            raise PydanticCustomError(
                "hierarchy_missing",
                "the hierarchical distance needs a hierarchy; write hierarchy: NAME beside it",
            )
        if self.distance != "hierarchical" and self.hierarchy is not None:
            raise PydanticCustomError(
                "hierarchy_unused",
                "the distance {distance} uses no hierarchy; write distance: hierarchical, or take hierarchy out",
                {"distance": self.distance},
            )
        return self


class AlphaKModel(Part):
    """No value has more than a share alpha of the rows of a released class."""

    model: Literal["alpha_k"] = Field(description="The model.", examples=["alpha_k"])
    alpha: Alpha = Field(description="The greatest share, between 0 and 1.", examples=[0.5])


Model: TypeAlias = DistinctLModel | EntropyLModel | RecursiveCLModel | TClosenessModel | AlphaKModel
"""One model of a sensitive attribute; the key `model` names it."""

MODEL_PARTS: dict[str, type[Part]] = {
    "distinct_l": DistinctLModel,
    "entropy_l": EntropyLModel,
    "recursive_cl": RecursiveCLModel,
    "t_closeness": TClosenessModel,
    "alpha_k": AlphaKModel,
}
"""The part of the request file of each model, by its name."""

Models = Annotated[tuple[Annotated[Model, Discriminator("model")], ...], Field(min_length=1, max_length=MOST_MODELS)]

Sensitive = Annotated[
    Mapping[Name, Models],
    Field(
        max_length=MOST_SENSITIVE,
        description="Sensitive attributes: columns released as they are, each with the models that every released "
        "class must satisfy.",
        examples=[{"diagnosis": [{"model": "distinct_l", "l": 3}]}],
    ),
]
"""The field of a request that lists models, by column."""


def distances_of(sensitive: Mapping[str, tuple[Model, ...]]) -> frozenset[str]:
    """The names of the hierarchies that measure distances of models."""
    models = (model for models in sensitive.values() for model in models)
    named = (model.hierarchy for model in models if isinstance(model, TClosenessModel))
    return frozenset(name for name in named if name)


class Risks(Part):
    """Bounds on the probability that anybody finds a person in the release."""

    sampling_fraction: SamplingFraction = Field(
        default=Decimal(1),
        description="The share of the population that is in the dataset, above 0 and at most 1. "
        "Somebody who looks for a person of the population does not know whether the dataset has this person.",
        examples=[0.1],
    )
    highest: Risk | None = Field(
        default=None,
        description="The greatest risk of any released row: every class has at least sampling_fraction / highest rows.",
        examples=[0.05],
    )
    average: Risk | None = Field(
        default=None,
        description="The greatest mean risk of the released rows: sampling_fraction x classes / rows.",
        examples=[0.01],
    )
