"""A request whose records are split by Mondrian: the fields that it has beside those of every request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, StrictBool, model_validator

from ordermade.phrases import phrase
from ordermade.requests.generalization import MAX_QUASI_IDENTIFIERS, Sensitive, distances_of
from ordermade.requests.model import LevelReference, Name, Part, Request, defaults_where_bare
from ordermade.requests.problems import mistake

Variant: TypeAlias = Literal["median", "hierarchy"]
"""Whether groups are cut at medians, or split into the children of their class in a hierarchy."""
SplitChoice: TypeAlias = Literal["prec", "width", "tf-idf", "information-gain"]
"""The criterion that chooses the attribute to split a group on."""
Labels: TypeAlias = Literal["interval", "set", "mean", "median"]
"""The released form of the numbers and dates of a group."""


class SplitOptions(Part):
    """The options of one quasi-identifier."""

    hierarchy: Name | None = Field(
        default=None,
        description="Name of the registered generalisation hierarchy. With `variant: hierarchy`, groups are split into "
        "the children of their class in it. With `variant: median` it orders texts, and gives the share of the "
        "domain that a label covers. Left out: numbers and dates are cut in two, other values are parted into two "
        "sets.",
        examples=["occupation"],
    )
    from_level: LevelReference = Field(
        default=0,
        alias="from",
        description="Of an attribute that is split along its hierarchy: the finest level accepted, by number or name "
        "(a number in quotes is a name). 0 is the original value.",
        examples=[1, "5 years"],
    )


class Mondrian(Part):
    """The choice of splits, and the released labels of a group."""

    variant: Variant = Field(
        default="median",
        description="`median`: groups are cut in two at the median of an attribute (LeFevre et al. 2006). `hierarchy`: "
        "a group is split into the children of its class in the hierarchy.",
        examples=["hierarchy"],
    )
    strict: StrictBool = Field(
        default=True,
        description="For attributes that are cut. `true`: equal values stay together. `false`: those equal to the "
        "median are dealt out, so that both halves are of the same size.",
        examples=[False],
    )
    split: SplitChoice = Field(
        default="width",
        description="The criterion that chooses the attribute to split a group on. `width`: its values cover the "
        "greatest share of their domain. `prec`: the split gains most precision. `tf-idf`: it serves the `rules` best. "
        "`information-gain`: it gains most information on the `target`. Left out: `width`; with `variant: hierarchy`, "
        "`prec`.",
        examples=["tf-idf"],
    )
    target: Name | None = Field(
        default=None,
        description="With `split: information-gain` alone, which needs it: the column whose values the classes are to "
        "separate. It is released only if it is kept or sensitive.",
        examples=["plan"],
    )
    labels: Labels = Field(
        default="interval",
        description="The released form of numbers and dates that are cut. `interval`: `[a, b]`, from the least to the "
        "greatest value of the group. `set`: `{a, b, c}`, the values of the group. `mean` or `median` of its values.",
        examples=["set"],
    )
    rules: Name | None = Field(
        default=None,
        description="File of the recommendation rules, looked up from the folder of the request file. `split: tf-idf` "
        "uses them; with any split the answer reports whom the release serves by each.",
        examples=["rules.yaml"],
    )

    @model_validator(mode="before")
    @classmethod
    def _split_of_the_variant(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and given.get("variant") == "hierarchy" and "split" not in given:
            return {**given, "split": "prec"}
        return given

    @model_validator(mode="after")
    def _what_the_split_goes_by(self) -> Mondrian:
        if self.split == "tf-idf" and self.rules is None:
            raise mistake(
                "rules_missing",
                phrase("the split tf-idf goes by rules"),
                phrase("write rules: FILE beside it, or name another split"),
            )
        if self.split == "information-gain" and self.target is None:
            raise mistake(
                "target_missing",
                phrase("the split information-gain needs a target"),
                phrase("write target: COLUMN beside it"),
            )
        if self.split != "information-gain" and self.target is not None:
            raise mistake(
                "target_unused",
                phrase("the split %(split)s looks at no target", split=self.split),
                phrase("write split: information-gain, or take target out"),
            )
        if self.split == "information-gain" and not self.strict:
            raise mistake(
                "relaxed_gain",
                phrase(
                    "information-gain cuts where it gains most information on the target, so no equal values are "
                    "dealt out"
                ),
                phrase("take strict: false out, or name another split"),
            )
        return self


class MondrianRequest(Request):
    """A request for groups split for as long as every part is large enough, each released with its labels."""

    method: Literal["mondrian"] = Field(
        description="The way the release is made: all rows are one group first, and groups are split while allowed.",
        examples=["mondrian"],
    )
    quasi_identifiers: Annotated[
        Mapping[
            Name,
            Annotated[SplitOptions, BeforeValidator(defaults_where_bare, json_schema_input_type=SplitOptions | None)],
        ],
        Field(min_length=1, max_length=MAX_QUASI_IDENTIFIERS),
    ] = Field(
        description="Columns to split. A column with nothing after it has no hierarchy. Their order is the priority "
        "that breaks ties.",
        examples=[{"sex": {"hierarchy": "sex"}, "height": {}}],
    )
    sensitive: Sensitive = Field(default={})
    mondrian: Mondrian = Field(
        default_factory=Mondrian, description="The choice of splits.", examples=[{"variant": "hierarchy"}]
    )

    @property
    def hierarchy_names(self) -> frozenset[str]:
        """Every hierarchy that the request names: of its quasi-identifiers and of the distances of its models."""
        own = (each.hierarchy for each in self.quasi_identifiers.values())
        return frozenset(name for name in own if name) | distances_of(self.sensitive)
