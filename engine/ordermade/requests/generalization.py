"""The model of a request for generalisation: its search, and its requirements beyond k."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, Union, get_args

from pydantic import AfterValidator, Discriminator, Field, StrictBool, StrictInt, Tag, model_validator

from ordermade.loss.metrics import METRICS, MetricName
from ordermade.phrases import all_of, phrase
from ordermade.privacy.models import MODELS, ModelPart
from ordermade.requests.model import LevelReference, MissingValues, Name, Part, Request, shape_of
from ordermade.requests.numbers import Limit, Questions, Risk, SamplingFraction, SearchSeconds, Weight
from ordermade.requests.problems import mistake

MAX_SENSITIVE = 20
MAX_MODELS = 10


if TYPE_CHECKING:
    Model: TypeAlias = ModelPart
else:
    Model = Union[tuple(each.part for each in MODELS.values())]  # noqa: UP007 made of the registry
"""One model of a sensitive attribute; the key `model` names it."""

Models = Annotated[tuple[Annotated[Model, Discriminator("model")], ...], Field(min_length=1, max_length=MAX_MODELS)]

Sensitive = Annotated[
    Mapping[Name, Models],
    Field(
        max_length=MAX_SENSITIVE,
        description="Sensitive attributes: columns released as they are, each with the models that every released "
        "class must satisfy.",
        examples=[{"diagnosis": [{"model": "distinct_l", "l": 3}]}],
    ),
]
"""The field of a request that lists models, by column."""


def distances_of(sensitive: Mapping[str, tuple[Model, ...]]) -> frozenset[str]:
    """The names of the hierarchies that measure distances of models."""
    named = (model.named_hierarchy for models in sensitive.values() for model in models)
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


MIN_SAMPLED, MAX_SAMPLED = 3, 1_000

Algorithm = Literal[
    "exhaustive", "guided", "hitting-set", "incognito", "ola", "pak", "paper-incognito", "paper-ola", "paper-pak"
]
Overshoot = Literal["include", "exclude"]
Objective: TypeAlias = MetricName

WEIGHABLE: tuple[Objective, ...] = tuple(name for name in get_args(Objective) if METRICS[name].weighted)
"""The objectives that are sums over the quasi-identifiers, so that each can have a weight."""


def _enough_to_fit(sample: int) -> int:
    if not MIN_SAMPLED <= sample <= MAX_SAMPLED:
        raise mistake(
            "sample",
            phrase("a power law is fitted to 3 to 1,000 nodes"),
            phrase("write a whole number between them, such as 9"),
        )
    return sample


SampleSize = Annotated[
    StrictInt,
    AfterValidator(_enough_to_fit),
    Field(json_schema_extra={"minimum": MIN_SAMPLED, "maximum": MAX_SAMPLED}),
]


_START_OPTIONS = frozenset(["overshoot", "sample"])


class SearchBudget(Part):
    """The most that a search may take; then the best release found so far is released, its optimum not proved."""

    seconds: SearchSeconds | None = Field(
        default=None,
        description="The seconds from the start of the request after which the search measures no more nodes.",
        examples=[30],
    )
    questions: Questions | None = Field(
        default=None,
        description="The most nodes that the search measures; those that earlier requests measured cost none.",
        examples=[200],
    )

    @model_validator(mode="after")
    def _limits_something(self) -> SearchBudget:
        if self.seconds is None and self.questions is None:
            raise mistake(
                "budget_of_nothing",
                phrase("a budget has seconds or questions"),
                phrase("write budget: {seconds: 30}, or take it out"),
            )
        return self


class Search(Part):
    """The search for the most detailed acceptable release."""

    algorithm: Algorithm | None = Field(
        default=None,
        description="The search. Left out: `guided`; beyond 100,000 nodes (1,000,000 where a node that is coarser than "
        "a passing one may fail, or be better) `hitting-set` for objectives that add up over the quasi-identifiers, "
        "for others `ola` where levels nest, else `incognito`, if they can answer the request, else `guided`.",
        examples=["ola"],
    )
    objective: Objective = Field(
        default="prec",
        description="The measure that ranks passing releases: a loss that is minimised, "
        "or `classes` (the number of equivalence classes; `divisions` is the same), which is maximised.",
        examples=["prec"],
    )
    weights: Mapping[Name, Weight] = Field(
        default={},
        description="The weight of each quasi-identifier in an objective that is a sum over them; 1 where left out.",
        examples=[{"age": 2, "sex": 0.5}],
    )
    budget: SearchBudget | None = Field(
        default=None,
        description="The most that the search may take. The answer then says how far from the optimum it may be; where "
        "no node has passed by then, the request is refused. Left out, as in every submitted request: the search ends "
        "with a proof.",
        examples=[{"seconds": 30}],
    )
    then_certify: StrictBool = Field(
        default=True,
        description="`pak` alone. `false`: stop like the paper, at the first node that fails on the way to more "
        "detail, or the first that passes on the way to less. `true`: go on until the best release is proved, which "
        "is `algorithm: guided`.",
        examples=[False],
    )
    overshoot: Overshoot = Field(
        default="include",
        description="`guided` and `pak` alone. Whether the node that the power law predicts may have more classes than "
        "predicted, if it is the nearest. Given, `guided` starts at that node.",
        examples=["exclude"],
    )
    sample: SampleSize = Field(
        default=9,
        description="`guided` and `pak` alone. The number of the coarsest nodes that are measured to fit the power "
        "law, where earlier requests and the columns' class sizes do not suffice; 3 to 1,000. Given, `guided` starts "
        "at the node that the law predicts.",
        examples=[20],
    )

    @property
    def sets_start(self) -> bool:
        """Whether the request says how the search starts."""
        return not _START_OPTIONS.isdisjoint(self.model_fields_set)

    @model_validator(mode="before")
    @classmethod
    def _under_present_names(cls, given: Any) -> Any:
        """The search with `pak` that goes on to a proof as `guided`, and the paper's `divisions` as `classes`."""
        if not isinstance(given, Mapping):
            return given
        named = dict(given)
        if named.get("objective") == "divisions":
            named["objective"] = "classes"
        if named.get("algorithm") == "pak" and named.get("then_certify", True) is True:
            named["algorithm"] = "guided"
            named.pop("then_certify", None)
        return named

    @model_validator(mode="after")
    def _options_of_the_algorithm(self) -> Search:
        if "then_certify" in self.model_fields_set and self.algorithm != "pak":
            raise mistake(
                "option_of_pak",
                phrase("then_certify can be set for the search pak alone"),
                phrase("write algorithm: pak, or take it out"),
            )
        options = sorted(_START_OPTIONS & self.model_fields_set)
        if options and self.algorithm not in ("guided", "pak"):
            raise mistake(
                "option_of_guided",
                phrase("%(options)s can be set for the searches guided and pak alone", options=all_of(options)),
                phrase("write algorithm: guided, or take it out"),
            )
        if self.algorithm is not None and self.algorithm.startswith("paper-") and self.objective != "classes":
            raise mistake(
                "objective_of_paper",
                phrase("the search %(algorithm)s looks for the most classes alone", algorithm=self.algorithm),
                phrase("write objective: classes"),
            )
        return self


MAX_QUASI_IDENTIFIERS = 60

RecodingKind = Literal["full-domain", "local"]
Held = Literal["labels", "narrowed"]


class LocalRecoding(Part):
    """Local recoding: rows of one column at several levels."""

    kind: Literal["local"] = Field(description="The kind of recoding.", examples=["local"])
    seal: StrictBool = Field(
        default=True,
        description="`true`: the released classes are disjoint, and the labels of a class together hold every row that "
        "they name. `false`: a class that reaches k by itself is taken out of the coarser ones around it. Often less "
        "is lost, and labels mislead: readers who know the hierarchies can narrow them down.",
        examples=[False],
    )
    hold: Held = Field(
        default="labels",
        description="Where classes overlap (`seal: false`), the rows that k and the models hold for. `labels`: those "
        "of each class. `narrowed`: verified, before anything is published, for the rows that are left in each class "
        "once readers have narrowed its labels; refused where they do not hold.",
        examples=["narrowed"],
    )

    @model_validator(mode="after")
    def _of_classes_that_overlap(self) -> LocalRecoding:
        if "hold" in self.model_fields_set and self.seal:
            raise mistake(
                "hold_of_sealed",
                phrase("labels of sealed classes cannot be narrowed, so hold can be set with seal: false alone"),
                phrase("write seal: false, or take hold out"),
            )
        return self


Recoding = Annotated[
    Annotated[RecodingKind, Tag("text")] | Annotated[LocalRecoding, Tag("mapping")], Discriminator(shape_of)
]
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
    missing: MissingValues = Field(
        default="category",
        description="The treatment of missing values. `category`: they are a value of their own, NULL below `*`, "
        "unless the hierarchy gives them a path. `suppressed`: they are released as `*` at every level, and cost what "
        "`*` costs; below the top they form classes with each other alone. Not with local recoding.",
        examples=["suppressed"],
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
    suppressed: SuppressedRows = Field(
        default="drop",
        description="The treatment of suppressed rows. `drop`: they are left out. `star`: they stay, with `*` in every "
        "released column.",
        examples=["star"],
    )
    recoding: Recoding = Field(
        default="full-domain",
        description="`full-domain`: one node for all rows. `local`: disjoint classes at several nodes, of the least "
        "loss, so that rare rows are coarser than the others. `{kind: local, seal: false}`: classes that overlap.",
        examples=["local"],
    )
    quasi_identifiers: Annotated[
        Mapping[Name, QuasiIdentifier], Field(min_length=1, max_length=MAX_QUASI_IDENTIFIERS)
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
    def is_local(self) -> bool:
        """Whether rows of one column may be at several levels."""
        return self.recoding != "full-domain"

    @property
    def is_sealed(self) -> bool:
        """Whether local recoding is sealed: each row that a label names is under that label."""
        return self.recoding == "local" or (isinstance(self.recoding, LocalRecoding) and self.recoding.seal)

    @property
    def needs_distinct_labels(self) -> bool:
        """Whether a label must name one set of values, whatever its level: where what labels say is promised."""
        return self.is_sealed or self.holds_narrowed

    @property
    def holds_narrowed(self) -> bool:
        """Whether k and the models are verified for what the labels of classes that overlap can be narrowed to."""
        return isinstance(self.recoding, LocalRecoding) and self.recoding.hold == "narrowed"

    @property
    def recoding_name(self) -> str:
        """The recoding as the state, the manifest and the identity of a request name it.

        `local` is the name that unsealed recoding had before there was any other; `held` is the same with `hold:
        narrowed`.
        """
        if not self.is_local:
            return "full-domain"
        return "sealed" if self.is_sealed else "held" if self.holds_narrowed else "local"

    @property
    def hierarchy_names(self) -> frozenset[str]:
        """Every hierarchy that the request names: of its quasi-identifiers and of the distances of its models."""
        own = (each.hierarchy for each in self.quasi_identifiers.values())
        return frozenset(own) | distances_of(self.sensitive)
