"""The privacy models of a sensitive attribute: classes, registry, and their reading from a request.

Conclusions about coarser nodes differ. While nothing is suppressed and rows are counted, every model here is
monotone: merging classes that pass gives a class that passes. Under a suppression limit a class that fails is
suppressed, and merging it may drag a passing class down with it: only with distinct l it never does. Where persons are
counted, those of merged classes do not add up, as one may be in both: again only distinct l stays monotone.

Every parameter is exact, the fraction of the decimal as it was written. A class exactly on a threshold passes (but for
recursive (c, l), which is strict by definition). Counts decide in integers; the logarithms of entropy l have a
tolerance of 1e-9 nats, which its template has. NULL is a value like others. Where persons are counted, each counts once
for every value it has. `ordermade.privacy.models` says in which respects each is monotone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from ordermade.errors import InputError, UnknownName, quoted

if TYPE_CHECKING:
    from ordermade.hierarchies.hierarchy import Hierarchy
    from ordermade.requests.consistency import ResolvedSensitive


@dataclass(frozen=True, slots=True)
class Definition:
    """A model before it has parameters.

    `meaning` for people; `figure`: what its templates give for each class, and whether the `least` or the `greatest` is
    the `worst`; `monotone_under_limit`: whether a coarser node never suppresses more than a finer one;
    `monotone_of_persons`: whether merged classes pass where their parts do, persons being counted; `templates`: its
    files in `sql/`.
    """

    name: str
    meaning: str
    figure: str
    worst: Literal["least", "greatest"]
    monotone_under_limit: bool
    monotone_of_persons: bool
    templates: tuple[str, ...]


MODELS: dict[str, Definition] = {
    each.name: each
    for each in (
        Definition(
            "distinct_l",
            "every class has at least l different values",
            figure="different values",
            worst="least",
            monotone_under_limit=True,
            monotone_of_persons=True,
            templates=("privacy/distinct_l",),
        ),
        Definition(
            "entropy_l",
            "the entropy of every class is at least ln l",
            figure="entropy in nats",
            worst="least",
            monotone_under_limit=False,
            monotone_of_persons=False,
            templates=("privacy/entropy_l",),
        ),
        Definition(
            "recursive_cl",
            "in every class the commonest value is rarer than c times the l-th commonest and all rarer ones together",
            figure="the l-th commonest value and all rarer ones / the commonest: greater than 1 / c",
            worst="least",
            monotone_under_limit=False,
            monotone_of_persons=False,
            templates=("privacy/recursive_cl",),
        ),
        Definition(
            "t_closeness",
            "the distribution in every class is at most t away from that of the whole dataset",
            figure="distance from the whole dataset, 0 to 1",
            worst="greatest",
            monotone_under_limit=False,
            monotone_of_persons=False,
            templates=(
                "privacy/t_closeness_equal",
                "privacy/t_closeness_ordered",
                "privacy/t_closeness_hierarchical",
            ),
        ),
        Definition(
            "alpha_k",
            "no value has more than the share alpha of a class",
            figure="share of the commonest value",
            worst="greatest",
            monotone_under_limit=False,
            monotone_of_persons=False,
            templates=("privacy/alpha_k", "privacy/alpha_k_of_persons"),
        ),
    )
}
"""Every model a request may name."""


DECIMALS = 12
"""The most decimals a parameter may have: what keeps its products with counts inside 38 digits."""

LARGEST_PARAMETER = 10**6

Distance: TypeAlias = Literal["equal", "ordered", "hierarchical"]
Parameters: TypeAlias = Mapping[str, int]
"""A model's parameters as its template has them: whole numbers by name."""


class Model(ABC):
    """One model with its parameters."""

    __slots__ = ()
    name: ClassVar[str]

    @property
    def definition(self) -> Definition:
        """The properties of the model whatever its parameters."""
        return MODELS[self.name]

    @property
    def template(self) -> str:
        """The file in `sql/`."""
        return self.definition.templates[0]

    @property
    @abstractmethod
    def parameters(self) -> Parameters:
        """The parameters as the template has them."""

    @property
    @abstractmethod
    def written(self) -> str:
        """The model as a request writes it, without its hierarchy's name."""

    @property
    def relations(self) -> tuple[str, ...]:
        """The stand-in tables it is decided by, the counts of the classes first."""
        return ("class_value",)

    @property
    def identity(self) -> tuple[str, ...]:
        """The identity of two equal models: name, parameters, content of the hierarchy."""
        return (self.name, *(f"{name}={value}" for name, value in sorted(self.parameters.items())))


@dataclass(frozen=True, slots=True)
class DistinctL(Model):
    """Distinct l-diversity (Machanavajjhala et al. 2006): at least l different values in every class."""

    name: ClassVar[str] = "distinct_l"
    l: int  # noqa: E741

    def __post_init__(self) -> None:
        _check_l(self.name, self.l)

    @property
    def parameters(self) -> Parameters:
        """`l`."""
        return {"l": self.l}

    @property
    def written(self) -> str:
        """As in `distinct_l {l: 3}`."""
        return f"{self.name} {{l: {self.l}}}"


@dataclass(frozen=True, slots=True)
class EntropyL(Model):
    """Entropy l-diversity (Machanavajjhala et al. 2006): the entropy of every class is at least ln l."""

    name: ClassVar[str] = "entropy_l"
    l: Fraction  # noqa: E741

    def __post_init__(self) -> None:
        _check(self.name, "l", self.l, self.l > 1, "greater than 1, such as 2.5")

    @property
    def parameters(self) -> Parameters:
        """Of l: `numerator` / `denominator`."""
        return _ratio(self.l)

    @property
    def written(self) -> str:
        """As in `entropy_l {l: 2.5}`."""
        return f"{self.name} {{l: {decimal_text(self.l)}}}"


@dataclass(frozen=True, slots=True)
class RecursiveCL(Model):
    """Recursive (c, l)-diversity (Machanavajjhala et al. 2006): r1 < c (r_l + … + r_m), r_i the i-th largest count."""

    name: ClassVar[str] = "recursive_cl"
    c: Fraction
    l: int  # noqa: E741

    def __post_init__(self) -> None:
        _check(self.name, "c", self.c, self.c > 0, "greater than 0, such as 3")
        _check_l(self.name, self.l)

    @property
    def parameters(self) -> Parameters:
        """`l`, and of c: `numerator` / `denominator`."""
        return {"l": self.l, **_ratio(self.c)}

    @property
    def written(self) -> str:
        """As in `recursive_cl {c: 3, l: 2}`."""
        return f"{self.name} {{c: {decimal_text(self.c)}, l: {self.l}}}"


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
                "the distance `hierarchical` needs a hierarchy, and no other distance has one",
                where=self.name,
                next_step="Write distance: hierarchical and hierarchy: NAME, or take the hierarchy out.",
            )
        if self.hierarchy is not None and not self.hierarchy.order.is_chain():
            raise InputError(
                f"the levels of the hierarchy {quoted(self.hierarchy.name)} do not nest, so it measures no distance",
                where=self.name,
                next_step="Choose a hierarchy whose levels nest, or write distance: equal.",
            )

    @property
    def template(self) -> str:
        """The file in `sql/` for the distance."""
        return f"privacy/{self.name}_{self.distance}"

    @property
    def parameters(self) -> Parameters:
        """Of t: `numerator` / `denominator`."""
        return _ratio(self.t)

    @property
    def written(self) -> str:
        """As in `t_closeness {t: 0.2, distance: equal}`."""
        return f"{self.name} {{t: {decimal_text(self.t)}, distance: {self.distance}}}"

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


@dataclass(frozen=True, slots=True)
class AlphaK(Model):
    """(alpha, k)-anonymity (Wong et al. 2006): no value has more than the share alpha of a class."""

    name: ClassVar[str] = "alpha_k"
    alpha: Fraction

    def __post_init__(self) -> None:
        _check(self.name, "alpha", self.alpha, 0 < self.alpha < 1, "greater than 0 and less than 1, such as 0.5")

    @property
    def parameters(self) -> Parameters:
        """Of alpha: `numerator` / `denominator`."""
        return _ratio(self.alpha)

    @property
    def written(self) -> str:
        """As in `alpha_k {alpha: 0.5}`."""
        return f"{self.name} {{alpha: {decimal_text(self.alpha)}}}"


def exact(number: float | Decimal | Fraction | str) -> Fraction:
    """A number as the fraction of the decimal it was written as: 0.1 is one tenth."""
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)


def decimal_text(number: Fraction) -> str:
    """A fraction of at least 0 as the decimal it was written as, with all its digits; `1/3` where it was none."""
    rest = number.denominator
    twos = fives = 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return str(number)
    places = max(twos, fives)
    digits = str(number.numerator * 10**places // number.denominator).zfill(places + 1)
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def _ratio(number: Fraction) -> Parameters:
    return {"numerator": number.numerator, "denominator": number.denominator}


def _check_l(name: str, l: object) -> None:  # noqa: E741
    whole = l if isinstance(l, int) and not isinstance(l, bool) else 0
    _check(name, "l", Fraction(whole), whole >= 2, "a whole number of at least 2, such as 3")


def _check(name: str, parameter: str, value: Fraction, fits: bool, expected: str) -> None:
    if not fits:
        raise InputError(f"{parameter} must be {expected}", where=name)
    if value > LARGEST_PARAMETER:
        raise InputError(f"{parameter} must be at most {LARGEST_PARAMETER:,}", where=name)
    if value.denominator > 10**DECIMALS:
        step = f"Write {parameter} with {DECIMALS} decimals at most."
        raise InputError(f"{parameter} has more decimals than can be decided exactly", where=name, next_step=step)


def required_models(sensitive: Iterable[ResolvedSensitive]) -> dict[str, tuple[Model, ...]]:
    """The models of each sensitive column, in the order of the request."""
    return {each.column: tuple(model_of(part, each.hierarchies) for part in each.models) for each in sensitive}


def model_of(part: Any, hierarchies: Mapping[str, Hierarchy]) -> Model:
    """The model that a part of a request file describes: `model` is its name, the other attributes its parameters.

    Raises UnknownName for a hierarchy that is not registered or a model that is not there, InputError for parameters
    that are out of their range.
    """
    name = getattr(part, "model", None)
    match name:
        case "distinct_l":
            return DistinctL(part.l)
        case "entropy_l":
            return EntropyL(exact(part.l))
        case "recursive_cl":
            return RecursiveCL(exact(part.c), part.l)
        case "t_closeness":
            called = part.hierarchy
            if called is not None and called not in hierarchies:
                raise UnknownName("hierarchy", called, hierarchies, next_step="Register it with `hierarchy add`.")
            hierarchy = None if called is None else hierarchies[called]
            return TCloseness(exact(part.t), part.distance, hierarchy)
        case "alpha_k":
            return AlphaK(exact(part.alpha))
    raise UnknownName("model", str(name), MODELS)
