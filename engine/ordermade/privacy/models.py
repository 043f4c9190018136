"""The privacy models of a sensitive attribute: the part of a request file, the exact parameters, the registry.

Conclusions about coarser nodes differ. While nothing is suppressed and rows are counted, every model here is
monotone: merging classes that pass gives a class that passes. Under a suppression limit a class that fails is
suppressed, and merging it may drag a passing class down with it: only with distinct l it never does. Where persons are
counted, those of merged classes do not add up, as one may be in both: again only distinct l stays monotone.

Every parameter is exact, the fraction of the decimal as it was written. A class exactly on a threshold passes (but for
recursive (c, l), which is strict by definition). Counts decide in integers; the logarithms of entropy l have a
tolerance of 1e-9 nats, which its template has. NULL is a value like others, but for distinct l with `missing: no
value`. Where persons are counted, each counts once for every value it has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, cast

from pydantic import Field, model_validator

from ordermade.errors import InputError, UnknownName, quoted
from ordermade.phrases import phrase
from ordermade.requests import numbers
from ordermade.requests.model import Name, Part
from ordermade.requests.numbers import as_fraction, decimal_text
from ordermade.requests.problems import mistake

if TYPE_CHECKING:
    from ordermade.hierarchies.hierarchy import Hierarchy


Distance: TypeAlias = Literal["equal", "ordered", "hierarchical"]
Parameters: TypeAlias = Mapping[str, int]
"""A model's parameters as its template has them: whole numbers by name."""


class Model:
    """One model with its parameters."""

    __slots__ = ()
    name: ClassVar[str]

    @property
    def definition(self) -> ModelDefinition:
        """The properties of the model whatever its parameters."""
        return MODELS[self.name]

    @property
    def template(self) -> str:
        """The name of its statement in `sql/`."""
        return self.definition.templates[0]

    @property
    def template_of_persons(self) -> str | None:
        """The same where persons are counted, if it is another; it is decided by `class_size` too."""
        return None

    @property
    def template_of_keepable(self) -> str:
        """The statement in `sql/` of the most units of a class that finer nodes can keep, where rows are counted."""
        _, _, section = self.template.partition("/")
        return next(each for each in self.definition.keepable if each == f"keepable/{section}")

    @property
    def given(self) -> dict[str, str]:
        """The parameters by name, as a request writes them: what is kept of a model, and parsed again."""
        values = {each.name: getattr(self, each.name) for each in fields(cast("Any", self))}
        return {name: _text(value) for name, value in values.items() if value is not None}

    @property
    def parameters(self) -> Parameters:
        """The parameters as the template has them; of a fraction its `numerator` and `denominator`."""
        found: dict[str, int] = {}
        for each in fields(cast("Any", self)):
            value = getattr(self, each.name)
            if isinstance(value, Fraction):
                found |= {"numerator": value.numerator, "denominator": value.denominator}
            elif isinstance(value, int):
                found[each.name] = value
        return found

    @property
    def written(self) -> str:
        """The model as a request writes it, as in `recursive_cl {c: 3, l: 2}`, without its hierarchy's name."""
        return written(self.name, self.given)

    @property
    def relations(self) -> tuple[str, ...]:
        """The stand-in tables it is decided by, the counts of the classes first."""
        return ("class_value",)

    @property
    def identity(self) -> tuple[str, ...]:
        """The identity of two equal models: name, parameters, content of the hierarchy."""
        return (self.name, *(f"{name}={value}" for name, value in sorted(self.parameters.items())))

    @property
    def named_hierarchy(self) -> Hierarchy | None:
        """The hierarchy that measures its distance; None where it has none."""
        return None


class ModelPart(Part):
    """The part of a request file that is one model of a sensitive attribute; the key `model` names it."""

    model: str

    @property
    def variant(self) -> tuple[str | None, ...]:
        """The parameters by which a model may stand beside another of its name."""
        return ()

    @property
    def named_hierarchy(self) -> str | None:
        """The hierarchy that measures its distance."""
        return None

    @property
    def counts_missing(self) -> bool:
        """Whether NULL is a value for it."""
        return True


NO_VALUE: Literal["no value"] = "no value"


class DistinctLModel(ModelPart):
    """Every released class has at least l different values."""

    model: Literal["distinct_l"] = Field(description="The model.", examples=["distinct_l"])
    l: numbers.Several = Field(  # noqa: E741
        description="The least number of different values, NULL being one unless missing says otherwise; at least 2.",
        examples=[3],
    )
    missing: Literal["value", "no value"] = Field(
        default="value",
        description="Whether NULL counts as a value. `no value`: it does not, so that a class of l - 1 values and NULL "
        "fails. Not with local recoding and Mondrian.",
        examples=["no value"],
    )

    @property
    def counts_missing(self) -> bool:
        """Whether NULL is a value for it."""
        return self.missing == "value"


@dataclass(frozen=True, slots=True)
class DistinctL(Model):
    """Distinct l-diversity (Machanavajjhala et al. 2006): at least l different values in every class.

    `missing`: None where NULL is one of them, `no value` where it is none.
    """

    name: ClassVar[str] = "distinct_l"
    l: int  # noqa: E741
    missing: Literal["no value"] | None = None

    def __post_init__(self) -> None:
        _check_l(self.name, self.l)

    @property
    def counts_missing(self) -> bool:
        """Whether NULL is one of the values."""
        return self.missing is None

    @property
    def template(self) -> str:
        """The statement in `sql/` that counts NULL, or the one that does not."""
        return self.definition.templates[0 if self.counts_missing else 1]

    @property
    def relations(self) -> tuple[str, ...]:
        """It needs the number of NULL where that is no value."""
        return ("class_value",) if self.counts_missing else ("class_value", "missing_value")

    @property
    def identity(self) -> tuple[str, ...]:
        """Name, l, and whether NULL is no value."""
        return (self.name, f"l={self.l}") if self.counts_missing else (self.name, f"l={self.l}", NO_VALUE)


class EntropyLModel(ModelPart):
    """The entropy of the values of every released class is at least that of l values that are equally frequent."""

    model: Literal["entropy_l"] = Field(description="The model.", examples=["entropy_l"])
    l: numbers.Effective = Field(description="The least effective number of values, above 1.", examples=[2.5])  # noqa: E741


@dataclass(frozen=True, slots=True)
class EntropyL(Model):
    """Entropy l-diversity (Machanavajjhala et al. 2006): the entropy of every class is at least ln l."""

    name: ClassVar[str] = "entropy_l"
    l: Fraction  # noqa: E741

    def __post_init__(self) -> None:
        _check(self.name, "l", self.l, self.l > 1, "greater than 1, such as 2.5")


class RecursiveCLModel(ModelPart):
    """The most frequent value of a class has fewer than c times the rows of its l-th and all rarer values."""

    model: Literal["recursive_cl"] = Field(description="The model.", examples=["recursive_cl"])
    c: numbers.Multiple = Field(description="The factor, above 0.", examples=[3])
    l: numbers.Several = Field(description="From which value on, by frequency; at least 2.", examples=[2])  # noqa: E741


@dataclass(frozen=True, slots=True)
class RecursiveCL(Model):
    """Recursive (c, l)-diversity (Machanavajjhala et al. 2006): r1 < c (r_l + … + r_m), r_i the i-th largest count."""

    name: ClassVar[str] = "recursive_cl"
    c: Fraction
    l: int  # noqa: E741

    def __post_init__(self) -> None:
        _check(self.name, "c", self.c, self.c > 0, "greater than 0, such as 3")
        _check_l(self.name, self.l)


class TClosenessModel(ModelPart):
    """The distribution of the values in every released class is close to the one in the whole dataset."""

    model: Literal["t_closeness"] = Field(description="The model.", examples=["t_closeness"])
    t: numbers.Distance = Field(
        description="The greatest distance, from 0 to below 1. 0: exactly the distribution of the dataset.",
        examples=[0.2],
    )
    distance: Distance = Field(
        description="The distance of two values: `equal`: always the same; `ordered`: by their ranks; "
        "`hierarchical`: by the levels of a hierarchy.",
        examples=["equal"],
    )
    hierarchy: Name | None = Field(
        default=None,
        description="Name of the registered hierarchy; with `distance: hierarchical` alone, which needs one.",
        examples=["occupation"],
    )

    @property
    def variant(self) -> tuple[str | None, ...]:
        """The distance with its hierarchy."""
        return (self.distance, self.hierarchy)

    @property
    def named_hierarchy(self) -> str | None:
        """The hierarchy of the distance."""
        return self.hierarchy

    @model_validator(mode="after")
    def _hierarchy_of_the_distance(self) -> TClosenessModel:
        if self.distance == "hierarchical" and self.hierarchy is None:
            raise mistake(
                "hierarchy_missing",
                phrase("the hierarchical distance needs a hierarchy"),
                phrase("write hierarchy: NAME beside it"),
            )
        if self.distance != "hierarchical" and self.hierarchy is not None:
            raise mistake(
                "hierarchy_unused",
                phrase("the distance %(distance)s uses no hierarchy", distance=self.distance),
                phrase("write distance: hierarchical, or take hierarchy out"),
            )
        return self


@dataclass(frozen=True, slots=True)
class TCloseness(Model):
    """t-closeness (Li et al. 2007): earth mover's distance between a class and the whole dataset, at most t.

    `equal`: all values are equally far apart; `ordered`: as far as their ranks are, NULL ranking last; `hierarchical`:
    as far as the level of `hierarchy` that joins them, `*` being 1.
    """

    name: ClassVar[str] = "t_closeness"
    t: Fraction
    distance: Distance = "equal"
    hierarchy: Hierarchy | None = None

    def __post_init__(self) -> None:
        _check(self.name, "t", self.t, 0 <= self.t < 1, "at least 0 and less than 1, such as 0.2")
        if (self.hierarchy is not None) != (self.distance == "hierarchical"):
            raise InputError(
                phrase("the distance `hierarchical` needs a hierarchy, and no other distance has one"),
                where=self.name,
                next_step=phrase("Write distance: hierarchical and hierarchy: NAME, or take the hierarchy out."),
            )
        if self.hierarchy is not None and not self.hierarchy.order.is_chain():
            raise InputError(
                phrase(
                    "the levels of the hierarchy %(name)s do not nest, so it measures no distance",
                    name=quoted(self.hierarchy.name),
                ),
                where=self.name,
                next_step=phrase("Choose a hierarchy whose levels nest, or write distance: equal."),
            )

    @property
    def template(self) -> str:
        """The statement in `sql/` for the distance."""
        return f"privacy/{self.name}_{self.distance}"

    @property
    def relations(self) -> tuple[str, ...]:
        """It also needs the counts of the whole dataset, and the hierarchy's levels where it has one."""
        whole = ("class_value", "table_value")
        return (*whole, "value_level") if self.hierarchy else whole

    @property
    def identity(self) -> tuple[str, ...]:
        """Name, parameters, distance, content of the hierarchy."""
        hierarchy = self.hierarchy.content_hash if self.hierarchy else ""
        return (self.name, decimal_text(self.t), self.distance, hierarchy)

    @property
    def named_hierarchy(self) -> Hierarchy | None:
        """That of the distance `hierarchical`."""
        return self.hierarchy


class AlphaKModel(ModelPart):
    """No value has more than a share alpha of the rows of a released class."""

    model: Literal["alpha_k"] = Field(description="The model.", examples=["alpha_k"])
    alpha: numbers.Alpha = Field(description="The greatest share, between 0 and 1.", examples=[0.5])


@dataclass(frozen=True, slots=True)
class AlphaK(Model):
    """(alpha, k)-anonymity (Wong et al. 2006): no value has more than the share alpha of a class."""

    name: ClassVar[str] = "alpha_k"
    alpha: Fraction

    def __post_init__(self) -> None:
        _check(self.name, "alpha", self.alpha, 0 < self.alpha < 1, "greater than 0 and less than 1, such as 0.5")

    @property
    def template_of_persons(self) -> str:
        """Its classes are counted in persons, those of its values do not add up to them."""
        return self.definition.templates[1]


@dataclass(frozen=True, slots=True)
class ModelDefinition:
    """A model before it has parameters.

    `meaning` for people; `part`: its part of a request file; `parse`: the model with the parameters of that part, or
    with what `Model.given` kept of them, and hierarchies by name. `figure`: what its templates give for each class, and
    whether the `least` or the `greatest` is the `worst`; `monotone_under_limit`: whether a coarser node never
    suppresses more than a finer one; `monotone_of_persons`: whether merged classes pass where their parts do, persons
    being counted; `templates`: its statements in `sql/`; `keepable`: those that bound the units of a class that finer
    nodes keep, one a template that counts rows; `needs_dataset`: whether a class is compared with the whole dataset, so
    that a release alone does not show that it passes; `kernel`: whether Mondrian can decide it while it splits.
    """

    name: str
    meaning: str
    part: type[ModelPart]
    parse: Callable[[Mapping[str, Any], Mapping[str, Hierarchy]], Model]
    figure: str
    worst: Literal["least", "greatest"]
    monotone_under_limit: bool
    monotone_of_persons: bool
    templates: tuple[str, ...]
    keepable: tuple[str, ...]
    needs_dataset: bool = False
    kernel: bool = False


MODELS: dict[str, ModelDefinition] = {
    each.name: each
    for each in (
        ModelDefinition(
            "distinct_l",
            "every class has at least l different values",
            part=DistinctLModel,
            parse=lambda given, _: DistinctL(
                _whole(given["l"]), NO_VALUE if given.get("missing") == NO_VALUE else None
            ),
            figure="different values",
            worst="least",
            monotone_under_limit=True,
            monotone_of_persons=True,
            templates=("privacy/distinct_l", "privacy/distinct_l_of_values"),
            keepable=("keepable/distinct_l", "keepable/distinct_l_of_values"),
            kernel=True,
        ),
        ModelDefinition(
            "entropy_l",
            "the entropy of every class is at least ln l",
            part=EntropyLModel,
            parse=lambda given, _: EntropyL(as_fraction(given["l"])),
            figure="entropy in nats",
            worst="least",
            monotone_under_limit=False,
            monotone_of_persons=False,
            templates=("privacy/entropy_l",),
            keepable=("keepable/entropy_l",),
            kernel=True,
        ),
        ModelDefinition(
            "recursive_cl",
            "in every class the commonest value is rarer than c times the l-th commonest and all rarer ones together",
            part=RecursiveCLModel,
            parse=lambda given, _: RecursiveCL(as_fraction(given["c"]), _whole(given["l"])),
            figure="the l-th commonest value and all rarer ones / the commonest: greater than 1 / c",
            worst="least",
            monotone_under_limit=False,
            monotone_of_persons=False,
            templates=("privacy/recursive_cl",),
            keepable=("keepable/recursive_cl",),
            kernel=True,
        ),
        ModelDefinition(
            "t_closeness",
            "the distribution in every class is at most t away from that of the whole dataset",
            part=TClosenessModel,
            parse=lambda given, hierarchies: TCloseness(
                as_fraction(given["t"]), given["distance"], _hierarchy(given.get("hierarchy"), hierarchies)
            ),
            figure="distance from the whole dataset, 0 to 1",
            worst="greatest",
            monotone_under_limit=False,
            monotone_of_persons=False,
            templates=(
                "privacy/t_closeness_equal",
                "privacy/t_closeness_ordered",
                "privacy/t_closeness_hierarchical",
            ),
            keepable=(
                "keepable/t_closeness_equal",
                "keepable/t_closeness_ordered",
                "keepable/t_closeness_hierarchical",
            ),
            needs_dataset=True,
            kernel=True,
        ),
        ModelDefinition(
            "alpha_k",
            "no value has more than the share alpha of a class",
            part=AlphaKModel,
            parse=lambda given, _: AlphaK(as_fraction(given["alpha"])),
            figure="share of the commonest value",
            worst="greatest",
            monotone_under_limit=False,
            monotone_of_persons=False,
            templates=("privacy/alpha_k", "privacy/alpha_k_of_persons"),
            keepable=("keepable/alpha_k",),
            kernel=True,
        ),
    )
}
"""Every model a request may name: what is written of a model anywhere else comes from here."""


def written(name: str, given: Mapping[str, str]) -> str:
    """A model by its name and its parameters, as a request writes it, without its hierarchy's name."""
    return f"{name} {{{', '.join(f'{key}: {value}' for key, value in given.items() if key != 'hierarchy')}}}"


def _text(value: Any) -> str:
    """A parameter as a request writes it; a hierarchy by its name."""
    return decimal_text(value) if isinstance(value, Fraction) else str(getattr(value, "name", value))


def _whole(value: Any) -> int:
    return int(value) if isinstance(value, str) else cast("int", value)


def _hierarchy(name: str | None, hierarchies: Mapping[str, Hierarchy]) -> Hierarchy | None:
    if name is not None and name not in hierarchies:
        raise UnknownName("hierarchy", name, hierarchies, next_step=phrase("Register it with `hierarchy add`."))
    return None if name is None else hierarchies[name]


def _check_l(name: str, l: object) -> None:  # noqa: E741
    whole = l if isinstance(l, int) and not isinstance(l, bool) else 0
    _check(name, "l", Fraction(whole), whole >= 2, "a whole number of at least 2, such as 3")


def _check(name: str, parameter: str, value: Fraction, fits: bool, expected: str) -> None:
    if not fits:
        raise InputError(
            phrase("%(parameter)s must be %(expected)s", parameter=parameter, expected=expected), where=name
        )
    if value > numbers.LARGEST_PARAMETER:
        raise InputError(
            phrase(
                "%(parameter)s must be at most %(largestparameter)s",
                parameter=parameter,
                largestparameter=format(numbers.LARGEST_PARAMETER, ","),
            ),
            where=name,
        )
    if value.denominator > 10**numbers.MAX_DECIMALS:
        step = phrase(
            "Write %(parameter)s with %(maxdecimals)s decimals at most.",
            parameter=parameter,
            maxdecimals=numbers.MAX_DECIMALS,
        )
        raise InputError(
            phrase("%(parameter)s has more decimals than can be decided exactly", parameter=parameter),
            where=name,
            next_step=step,
        )


def model_of(name: str, given: Mapping[str, Any], hierarchies: Mapping[str, Hierarchy]) -> Model:
    """The model of a name and its parameters, as a request writes them.

    Raises UnknownName for a hierarchy that is not registered or a model that is not there, InputError for parameters
    that are out of their range.
    """
    if name not in MODELS:
        raise UnknownName("model", name, MODELS)
    return MODELS[name].parse(given, hierarchies)
