"""A request whose attributes are microaggregated: the fields that it has beside those of every request."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, StrictBool, model_validator

from ordermade.methods.microaggregation.algorithm.methods import (
    METHODS,
    ClassAggregate,
    NumberAggregate,
    Options,
    Radius,
    Rounding,
)
from ordermade.phrases import all_of, any_of, phrase
from ordermade.requests.model import LevelReference, Name, Part, Request, defaults_where_bare
from ordermade.requests.numbers import Anchors, Divisor, Gamma, Importance, Rounds, Seconds, Seed
from ordermade.requests.problems import mistake

MAX_ATTRIBUTES = 60

if TYPE_CHECKING:
    Algorithm: TypeAlias = str
else:
    # The names are those of the one registry, so they cannot be spelled out here a second time.
    Algorithm = Literal[tuple(METHODS)]


class AttributeOptions(Part):
    """The weight of an attribute in distances, and its released value for a group."""

    weight: Importance = Field(
        default=Decimal(1),
        description="Weight of the attribute's squared distances, above 0.",
        examples=[2],
    )
    hierarchy: Name | None = Field(
        default=None,
        description="Of a categorical attribute: name of the registered hierarchy. Two values are as far apart as the "
        "levels up to their common ancestor, of those up to `*`. Left out: the column is numeric.",
        examples=["occupation"],
    )
    aggregate: ClassAggregate | None = Field(
        default=None,
        description="For an attribute with a hierarchy alone, the released value of a group. `mode` (the default): "
        "its most frequent value. `ancestor`: the least common ancestor of its values.",
        examples=["ancestor"],
    )

    @model_validator(mode="after")
    def _aggregate_of_a_hierarchy(self) -> AttributeOptions:
        if self.aggregate is not None and self.hierarchy is None:
            raise mistake(
                "aggregate_without_hierarchy",
                phrase("aggregate %(aggregate)s is of attributes with a hierarchy", aggregate=self.aggregate),
                phrase(
                    "write hierarchy: NAME beside it, or take aggregate out (the aggregate of numbers is "
                    "microaggregation.aggregate)"
                ),
            )
        return self


class Within(Part):
    """A column that is generalised to one level: groups are made inside its classes, never across them."""

    hierarchy: Name = Field(description="Name of the registered generalisation hierarchy.", examples=["prefecture"])
    level: LevelReference = Field(
        description="The level released, by number or name (a number in quotes is a name). 0 is the original value.",
        examples=[2, "region"],
    )


class Budget(Part):
    """Bounds on the search for better groups: time, rounds or both."""

    seconds: Seconds | None = Field(
        default=Decimal(10),
        description="At most so many seconds in all, above 0 and at most 86,400. Left out beside `rounds`: no time "
        "limit, and the groups are the same on every machine.",
        examples=[60],
    )
    rounds: Rounds | None = Field(
        default=None,
        description="At most so many rounds of changing the groups by chance and improving them again; 0: they are "
        "improved once. Left out: as many as fit the time.",
        examples=[50],
    )

    @model_validator(mode="before")
    @classmethod
    def _rounds_alone_need_no_clock(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and given.get("rounds") is not None and "seconds" not in given:
            return {**given, "seconds": None}
        return given

    @model_validator(mode="after")
    def _ends(self) -> Budget:
        if self.seconds is None and self.rounds is None:
            raise mistake("no_budget", phrase("the budget has no end"), phrase("write {seconds: 10} or {rounds: 50}"))
        return self


class Microaggregation(Part):
    """The method of making groups, and the values that replace those of a group."""

    algorithm: Algorithm = Field(
        default="auto",
        description="The method of making groups.",
        examples=["mdav"],
    )
    gamma: Gamma = Field(
        default=Decimal("0.2"),
        description="With `vmdav`: how readily a group takes in a near record, at least 0. Clusters far apart want "
        "more than 1.",
        examples=[1.1],
    )
    anchors: Anchors = Field(
        default=3, description="With `fdh`: the number of records at the centres of regions, 1 to 62.", examples=[5]
    )
    radius_divisor: Divisor = Field(
        default=Decimal(1),
        description="With `fdh`: the divisor of the radius around an anchor, at least 1.",
        examples=[2],
    )
    radius: Radius = Field(
        default="mean",
        description="With `fdh`: the radius is the `mean` or the `median` of the distances to an anchor.",
        examples=["median"],
    )
    seed: Seed = Field(
        default=1,
        description="Seed of the random choices: the same seed makes the same choices. 0 to 4,294,967,295.",
        examples=[2],
    )
    improve: StrictBool = Field(
        default=True,
        description="`true`: records are moved and exchanged between the groups while that lessens the loss.",
        examples=[False],
    )
    standardise: StrictBool = Field(
        default=True,
        description="`true`: every attribute counts as if its variance were 1. `false`: in its own unit.",
        examples=[False],
    )
    budget: Budget = Field(
        default_factory=Budget,
        description="Bounds on the search for better groups. Left out: 10 seconds.",
        examples=[{"seconds": 60}],
    )
    aggregate: NumberAggregate = Field(
        default="mean", description="The value that replaces the numbers of a group.", examples=["median"]
    )
    round: Rounding = Field(
        default="keep",
        description="`keep`: as computed. `integer`: whole numbers, halves to the even one.",
        examples=["integer"],
    )

    @model_validator(mode="after")
    def _options_of_the_algorithm(self) -> Microaggregation:
        given = self.model_fields_set
        own = METHODS[self.algorithm].options
        foreign = [name for name in _OF_ONE_METHOD if name in given and name not in own]
        if foreign:
            readers = [each.name for each in METHODS.values() if set(foreign) <= set(each.options)]
            instead = phrase("take it out") if len(foreign) == 1 else phrase("take them out")
            if readers:
                listed = ", ".join(readers)
                instead = phrase(
                    "name an algorithm that does (%(listed)s), or %(instead)s", listed=listed, instead=instead
                )
            raise mistake(
                "option_of_algorithm",
                phrase(
                    "the algorithm %(algorithm)s does not read %(foreign)s",
                    algorithm=self.algorithm,
                    foreign=any_of(foreign),
                ),
                instead,
            )
        idle = [name for name in ("improve", "budget") if name in given and getattr(self, name)]
        if self.algorithm == "optimal" and idle:
            raise mistake(
                "nothing_to_improve",
                phrase("nothing is better than what the algorithm optimal finds"),
                phrase("take %(idle)s out", idle=all_of(idle)),
            )
        if not self.improve and "budget" in given and self.algorithm != "auto":
            raise mistake(
                "budget_unused",
                phrase("nothing is improved, so there is nothing to spend a budget on"),
                phrase("take budget or improve: false out"),
            )
        return self

    @property
    def options(self) -> Options:
        """The options in the form that `grouped` reads."""
        budget = self.budget
        return Options(
            algorithm=self.algorithm,
            gamma=float(self.gamma),
            anchors=self.anchors,
            radius_divisor=float(self.radius_divisor),
            radius=self.radius,
            seed=self.seed,
            improve=self.improve,
            seconds=None if budget.seconds is None else float(budget.seconds),
            rounds=budget.rounds,
        )

    @property
    def in_words(self) -> str:
        """The options that the algorithm reads, defaults included: `gamma 0.2, seed 1, improve true, seconds 10, …`."""
        read = dict(self.model_dump(mode="json", include={*METHODS[self.algorithm].options, "seed"}))
        if self.algorithm != "optimal":
            read["improve"] = self.improve
            if self.improve or self.algorithm == "auto":
                read |= self.budget.model_dump(mode="json", exclude_none=True)
        read |= self.model_dump(mode="json", include={"standardise", "aggregate", "round"})
        return ", ".join(f"{name} {str(option).lower()}" for name, option in read.items())


_OF_ONE_METHOD = tuple(dict.fromkeys(option for each in METHODS.values() for option in each.options))
"""The options that only some methods read."""


class MicroaggregationRequest(Request):
    """A request for groups of k or more near records, whose numbers are replaced by an aggregate of each group."""

    method: Literal["microaggregation"] = Field(
        description="The way the release is made: near records are grouped, and each group gets the same values.",
        examples=["microaggregation"],
    )
    attributes: Annotated[
        Mapping[
            Name,
            Annotated[
                AttributeOptions, BeforeValidator(defaults_where_bare, json_schema_input_type=AttributeOptions | None)
            ],
        ],
        Field(min_length=1, max_length=MAX_ATTRIBUTES),
    ] = Field(
        description="Columns to microaggregate. A column with nothing after it has the defaults.",
        examples=[{"income": {}, "age": {"weight": 2}}],
    )
    microaggregation: Microaggregation = Field(
        default_factory=Microaggregation,
        description="The method of making groups.",
        examples=[{"algorithm": "mdav"}],
    )
    within: Annotated[Mapping[Name, Within], Field(max_length=MAX_ATTRIBUTES)] = Field(
        default={},
        description="Columns that are generalised to a level, each with its hierarchy: groups are made inside each "
        "combination of them, which must have k rows or more.",
        examples=[{"prefecture": {"hierarchy": "prefecture", "level": 2}}],
    )

    @property
    def hierarchy_names(self) -> frozenset[str]:
        """Every hierarchy that the request names: of categorical attributes and of the columns groups are within."""
        attributes = (each.hierarchy for each in self.attributes.values())
        return frozenset((*(name for name in attributes if name), *(each.hierarchy for each in self.within.values())))
