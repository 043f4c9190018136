"""The answers of `ordermade request run`, by method. All have the keys of `Answer`."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from typing_extensions import Doc, TypedDict

from ordermade.cli.documents.types.costs import Costs
from ordermade.cli.documents.types.loss import (
    GeneralizationLoss,
    HistoryLoss,
    MicroaggregationLoss,
    MondrianLoss,
    NoLoss,
)
from ordermade.cli.documents.types.release import PrivacyFigure


class ReleaseReport(TypedDict):
    """The release: its file or table, and its rows."""

    path: str
    """The path of its file, or the name of its table."""
    sha256: str | None
    """The hash of its file; null of a table."""
    rows: int
    """The rows written, `*` rows included."""
    star_rows: int
    """Suppressed rows that stay as `*`."""
    suppressed_rows: int
    """The rows of the dataset that were suppressed."""
    persons: int | None
    """The persons in it; null where a row is a person."""
    suppressed_persons: int | None
    """The persons with a suppressed row; null where a row is a person."""
    number: int | None
    """The number of the release on record."""


# `from` is a word of Python's own: the class that has it is made by a call.
_From = TypedDict("_From", {"from": Annotated[str, Doc("A value of the hierarchy, or a number in the label.")]})


class Example(_From):
    """A value and the label that it is released with."""

    to: str
    """A label of the release."""


class ResultColumn(TypedDict):
    """A column of the release, and the detail that it gave up."""

    column: str
    """Its name."""
    role: str
    """`quasi-identifier`, `sensitive`, `keep`, `pseudonym` or `count`."""
    hierarchy: str | None
    """Its hierarchy."""
    level: int | None
    """The released level; null where rows are at several, or there is none."""
    level_name: str | None
    """The name of the level, `mixed`, or the aggregate or kind of label where there is no level."""
    example: Example | None
    """A value with the label that it is released with; it reads no value of the data."""
    loss_share: float | None
    """The share of its detail that was given up, from 0 to 1; null where it is not known."""


class ReleaseRisk(TypedDict):
    """The risks of re-identification, from 0 to 1; none where nothing was released."""

    prosecutor: NotRequired[float]
    """The highest risk of somebody known to be in the release."""
    journalist: NotRequired[float]
    """The highest risk of somebody of the population."""
    marketer: NotRequired[float]
    """The expected share that is recognised."""


class Answer(TypedDict):
    """The keys of every answer to a request, whatever its method."""

    request: int
    """The number of the request."""
    title: str
    """Its title; may be empty."""
    dataset: str
    """The dataset."""
    status: Literal["released", "refused", "stopped"]
    """`stopped`: Ctrl-C or a budget ended the search, and nothing was released."""
    k_requested: int | None
    """The requested k."""
    k: int | None
    """The measured k of the release, suppressed rows apart."""
    classes: int | None
    """The number of its equivalence classes."""
    rows: int | None
    """The rows of the dataset; null where fewer than k of them (or of its persons) remain."""
    suppressed_rows: int
    """The suppressed rows."""
    suppressed_persons: int | None
    """The persons with a suppressed row; null where a row is a person."""
    columns: list[ResultColumn]
    """The columns of the release, quasi-identifiers first; none where nothing was released."""
    privacy: list[PrivacyFigure]
    """The measured models and risks of the release."""
    risk: ReleaseRisk
    """The risks of the release."""
    loss_shares: dict[str, float | dict[str, float | None] | None]
    """The losses from 0 (as it was) to 1 (all gone), by metric; null where an extreme is not known."""
    reason: str | None
    """The reason of a refusal, or of a stop."""
    next: str
    """The next command, or the advice after a refusal."""
    warnings: list[str]
    """Warnings, in counts."""


class Start(TypedDict):
    """The node where a search by prediction started."""

    levels: dict[str, int]
    """Its levels."""
    level_names: dict[str, str]
    """The same by name."""
    predicted: float | None
    """The number of classes at which the power law meets k; null without a law."""
    alpha: float | None
    """The factor of the law."""
    beta: float | None
    """Its exponent."""
    r: float | None
    """The correlation of its fit."""
    sampled: int
    """The nodes measured for the fit alone."""
    sampled_classes: int
    """Their classes."""


class Gap(TypedDict):
    """The distance of the best node of a stopped search from the optimum."""

    objective: str
    """The objective."""
    score: float | None
    """The score of the best node; null where none was found."""
    bound: float | None
    """No node scores less."""
    gap: float | None
    """The score less the bound."""


class SearchReport(TypedDict):
    """The search, and its cost."""

    algorithm: str
    """The search."""
    nodes_in_lattice: int
    """The accepted nodes."""
    nodes_proven: int | None
    """Those that earlier measurements had decided; null where they are too many to list."""
    nodes_measured: int
    """The nodes measured now."""
    classes_measured: int
    """Their classes."""
    certified: bool
    """Whether the answer is proved to be the best, or the refusal to be right."""
    start: Start | None
    """The start of a search by prediction."""
    source_queries: int
    """The statements in the source that counted."""
    version_queries: int
    """Those for the dataset version."""
    coverage_queries: int
    """Those for the values of quasi-identifiers."""
    release_queries: int
    """Those that made or measured the release."""
    seconds: float
    """The seconds of the whole request."""
    stopped: str | None
    """The reason why it ended early: `seconds`, `questions`, `interrupted` or `memory`."""
    gap: Gap | None
    """The distance from the optimum then."""


class Round(TypedDict):
    """A round of local recoding."""

    levels: dict[str, int]
    """The level of each quasi-identifier."""
    level_names: dict[str, str]
    """The same by name."""
    classes: int
    """The classes that it released."""
    rows: int
    """Their rows."""


class Narrowed(TypedDict):
    """Rows whose labels readers can narrow by elimination."""

    share: float
    """Of the generalised rows."""
    classes: int
    """The classes of the release."""
    judged: int
    """Those of them that were judged."""


class Held(TypedDict):
    """Classes verified for what their labels can be narrowed to."""

    classes: int
    """Their number."""
    narrowed: int
    """Those narrowed in some column."""
    given_up: int
    """Those that were too many to work out, taken as not narrowed."""


class LocalReport(TypedDict):
    """The rounds of a release of mixed levels."""

    start: str
    """The node that came first."""
    rounds: list[Round]
    """The rounds, in their order."""
    full_domain_loss: float | None
    """The Loss of the best single node of the same request; null where none passes."""
    narrowed: Narrowed | None
    """The rows that readers can narrow; null where the release is sealed."""
    held: Held | None
    """The classes verified for that, if the request asks."""


class Nearest(TypedDict):
    """The passing node nearest to the accepted levels."""

    levels: dict[str, int]
    """Its levels."""
    level_names: dict[str, str]
    """The same by name."""
    k: int | None
    """Its k; null below the least k of the dataset."""
    suppressed: int | None
    """Its suppressed rows (or persons); null below the least k."""


class GeneralizationAnswer(Answer):
    """The keys of an answer by generalisation."""

    levels: dict[str, int]
    """The released level of each quasi-identifier; none where rows are at several."""
    level_names: dict[str, str]
    """The same by name."""
    local: LocalReport | None
    """The rounds of local recoding."""
    search: SearchReport
    """The search, and its cost."""
    loss: GeneralizationLoss
    """The losses by metric; none of a refusal."""
    column: str | None
    """Of a refusal: the quasi-identifier that breaks the requirement; null where no single one does."""
    nearest: Nearest | None
    """Of a refusal: the nearest node that passes."""


class SplitAttribute(TypedDict):
    """One quasi-identifier of a release by Mondrian."""

    column: str
    """Its name."""
    hierarchy: str | None
    """Its hierarchy."""
    loss: float
    """The mean share of its domain that a released label covers."""
    kept: int
    """The rows whose label is below `*`."""
    rows: dict[str, int]
    """The rows at each level of its hierarchy, by name, finest first; none where it is not split along one."""


class MondrianReport(TypedDict):
    """The classes of a release by Mondrian."""

    variant: str
    """The variant of the algorithm."""
    split: str
    """The score that splits go by."""
    strict: bool
    """Whether equal values stay together."""
    labels: str | None
    """The released form of numbers and dates; null where there are none."""
    groups: int
    """The number of classes as they were split."""
    smallest: int
    """The rows of the smallest."""
    largest: int
    """The rows of the largest."""
    made: int
    """The splits made."""
    tried: int
    """The splits tried."""
    prec: float
    """Sweeney's Prec: higher is better."""
    attributes: list[SplitAttribute]
    """The quasi-identifiers."""


class Service(TypedDict):
    """The service of a table by one rule."""

    served: int
    """The rows (or persons) in classes that lie in the rule by half or more."""
    recall: float | None
    """Of those whom the rule means, the share that is served."""
    precision: float | None
    """Of those served, the share that it means."""


class RuleReport(TypedDict):
    """A recommendation rule before and after."""

    item: str
    """Its item."""
    weight: float
    """Its weight."""
    meant: int | None
    """The rows (or persons) that it means, in multiples of k; null where fewer than k."""
    before: Service | None
    """The service of the original."""
    after: Service | None
    """The service of the release."""


class MondrianAnswer(Answer):
    """The keys of an answer by Mondrian."""

    loss: MondrianLoss | NoLoss
    """The losses by metric; none of a refusal."""
    mondrian: MondrianReport | None
    """The classes of the release; null of a refusal."""
    recommendation: list[RuleReport]
    """A report for each rule of the rules file."""
    cost: Costs
    """The statements that ran in the source."""


class AggregatedAttribute(TypedDict):
    """A microaggregated attribute before and after."""

    column: str
    """Its name."""
    aggregate: str
    """The released value of a group: `mean`, `median`, `mode` or `ancestor`."""
    weight: float
    """Its weight."""
    loss: float
    """Its SSE / SST."""
    mean_before: float | None
    """The mean before; null unless numeric."""
    mean_after: float | None
    """The mean after."""
    variance_ratio: float | None
    """The variance after, of that before."""
    rounding_sse: float | None
    """The part of its SSE that rounding adds."""


class Correlation(TypedDict):
    """The correlation of two numeric attributes before and after."""

    columns: tuple[str, str]
    """The attributes."""
    before: float | None
    """Pearson's correlation before; null where one has a single value."""
    after: float | None
    """The same after."""


class TriedMethod(TypedDict):
    """A method of making groups that was tried."""

    algorithm: str
    """Its name."""
    records: int
    """The records whose groups it gave in the end."""
    seconds: float
    """Its seconds."""


class MicroaggregationReport(TypedDict):
    """The groups of a microaggregated release."""

    algorithm: str
    """The method whose groups were taken."""
    groups: int
    """Their number."""
    smallest: int
    """The rows of the smallest."""
    largest: int
    """The rows of the largest."""
    classes: int
    """The classes of the columns that groups stay within; 1 without."""
    blocks: int
    """The blocks that were grouped by themselves."""
    rounds: int
    """The rounds of improving."""
    rounding_over_sst: float
    """The part of the loss that rounding adds."""
    tried: list[TriedMethod]
    """The methods that were tried."""
    attributes: list[AggregatedAttribute]
    """The attributes."""
    correlations: list[Correlation]
    """The correlations of numeric attributes."""


class BinnedAttribute(TypedDict):
    """The rows in each bin of a numeric attribute."""

    column: str
    """Its name."""
    edges: list[float]
    """The edges between bins, one fewer than bins."""
    before: list[int]
    """The rows of each bin before: k or more."""
    after: list[int]
    """The rows of each bin after."""


class MicroaggregationAnswer(Answer):
    """The keys of an answer by microaggregation."""

    loss: MicroaggregationLoss | NoLoss
    """The losses; none of a refusal."""
    microaggregation: MicroaggregationReport | None
    """The groups of the release; null of a refusal."""
    distributions: list[BinnedAttribute]
    """The distribution of each numeric attribute, with `--plot`."""
    cost: Costs
    """The statements that ran in the source."""


class HistoryColumnLoss(TypedDict):
    """The loss of one column of purchase histories."""

    column: str
    """Its name."""
    utility: float
    """The mean error of a cell; a deleted one counts 1."""
    kept: int
    """The released purchases with the value as it was."""
    deleted: int
    """The released purchases with `*` in its place."""


class HistoryReport(TypedDict):
    """The clusters of a release of purchase histories."""

    match: str
    """The way purchases were put together."""
    cluster: str
    """The way customers were put together."""
    delete_costly: bool
    """Whether purchases that cost most are deleted."""
    customers: int
    """The customers of the dataset."""
    dropped: int
    """Those of them that are not released."""
    clusters: int
    """The clusters of k customers."""
    fewest: int
    """The fewest released purchases of a customer."""
    most: int
    """The most released purchases of a customer."""
    columns: list[HistoryColumnLoss]
    """The columns."""
    taxonomy_level: str | None
    """The level of categories that are released instead of items."""
    map: str | None
    """The file of the truth."""


class HistoryAnswer(Answer):
    """The keys of an answer of purchase histories."""

    loss: HistoryLoss | NoLoss
    """The losses; none of a refusal."""
    history: HistoryReport | None
    """The clusters of the release; null of a refusal."""
    cost: Costs
    """The statements that ran in the source."""
