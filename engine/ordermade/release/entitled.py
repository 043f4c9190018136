"""What a user may have of a release, and of all that is said about it: the one place that decides it. Pure.

A user has the released table, the request and the hierarchies' names. Beyond these a user may have what follows from
them, and the number of suppressed rows where it is k or more. So nothing that is stated, alone or put together, gives
a count of 1 to k - 1: of whatever depends on suppressed rows, where they are fewer, nothing is stated, and none of them
looks as few do. What is not named here is not handed over, as is whatever is added to a manifest later.

Where k counts persons, and the table does not say which rows are one person's, figures of persons are no figures of the
table: less its rows they give how many persons have several.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ordermade.errors import ReleaseFault
from ordermade.loss.metrics import METRICS, FollowsFrom

if TYPE_CHECKING:
    from ordermade.state.records.audit import AuditEntry
    from ordermade.state.records.requests import RequestRecord
    from ordermade.state.records.submissions import Submission
    from ordermade.state.releases import ReleaseColumn, ReleaseRecord
    from ordermade.state.submissions import SubmissionDetails

_FOLLOWS_FROM: Mapping[str, FollowsFrom] = {
    **{name: each.follows_from for name, each in METRICS.items()},
    "safety": "levels",
    "deleted_share": "rows",
}
"""What losses follow from. SSE / SST and utilities compare the values themselves where few rows differ."""


@dataclass(frozen=True, slots=True)
class Entitled:
    """What a user may have of the figures of one release.

    `k` as requested; `limit`: the share that may be suppressed; `recoding` of a generalisation.
    `counts_persons`: whether k counts persons, whom the column `pseudonym` of the release identifies, if it has one.
    """

    k: int
    method: str
    shape: str
    limit: Fraction
    suppressed_rows: int
    suppressed_persons: int | None = None
    recoding: str | None = None
    counts_persons: bool = False
    pseudonym: str | None = None

    @classmethod
    def of_record(
        cls, release: ReleaseRecord, request: RequestRecord, columns: Iterable[ReleaseColumn] = ()
    ) -> Entitled:
        """Of a release as the state notes it."""
        by_role = {each.role: each for each in columns}
        named = by_role.get("pseudonym")
        return cls(
            k=request.k,
            method=request.method or "generalization",
            shape=request.shape,
            limit=Fraction(request.suppression_limit or "0"),
            suppressed_rows=release.suppressed_rows,
            suppressed_persons=release.suppressed_persons,
            recoding=request.recoding,
            counts_persons=release.persons is not None,
            pseudonym=None if named is None else named.column,
        )

    @classmethod
    def of_manifest(cls, content: Mapping[str, Any]) -> Entitled:
        """Of a release by its manifest. Raises KeyError, TypeError, ValueError where it lacks what decides."""
        request = content["request"]
        return cls(
            k=_whole(request["k"]),
            method=str(content["method"]),
            shape=str(content["shape"]),
            limit=Fraction(content.get("suppression_limit") or "0"),
            suppressed_rows=_whole(content["suppressed_rows"]),
            suppressed_persons=_whole(content["suppressed_persons"], optional=True),
            recoding=content.get("recoding"),
            counts_persons=content["persons"] is not None or content["counts"] == "persons",
            pseudonym=content["pseudonym"],
        )

    @property
    def shows_units(self) -> bool:
        """Whether the released table shows the units that k counts, and so the sizes of its classes."""
        return not self.counts_persons or self.pseudonym is not None or self.shape == "table"

    @property
    def may_suppress(self) -> bool:
        """Whether rows may have been suppressed, as far as the request tells."""
        return self.method == "history" or self.limit > 0 or self.suppressed_rows > 0

    @property
    def suppressed(self) -> int | None:
        """The number of suppressed rows; None where it may be any from 0 to k - 1, or is to be compared with persons.

        A table of counted persons shows how many of them were suppressed: their rows less that are rows of persons
        with several.
        """
        if not self.may_suppress:
            return 0
        few = self.suppressed_persons if self.counts_persons else self.suppressed_rows
        if few is None or few < self.k or (self.counts_persons and self.shape == "table"):
            return None
        return self.suppressed_rows

    def smallest_class(self, measured: int) -> int:
        """The k that is stated: the measured one where the released table shows it, else the requested."""
        return measured if self.shows_units else self.k

    def persons(self, released: int | None) -> int | None:
        """The released persons, where the rows of the table say which they are."""
        return released if self.pseudonym is not None else None

    def rows_of_dataset(self, rows: int | None) -> int | None:
        """The rows of the dataset, which less the released ones are the suppressed."""
        return None if self.suppressed is None else rows

    def has_loss(self, name: str) -> bool:
        """Whether a loss, or a part of one as `metric.attribute`, is stated."""
        metric = name.partition(".")[0]
        if self.method == "microaggregation":
            return False
        follows_from = _FOLLOWS_FROM.get(metric)
        if follows_from == "node" and self.method == "mondrian":
            return False  # as `loss`, of how much a class covers
        if follows_from == "levels" or (follows_from == "node" and self._is_at_levels):
            return True
        if self.counts_persons and follows_from == "units":
            return False
        return self.suppressed is not None and follows_from in ("node", "rows", "units")

    @property
    def _is_at_levels(self) -> bool:
        """Whether every row is released at one node, so that Prec is a figure of it and not of rows."""
        return self.method == "generalization" and self.recoding in (None, "full-domain")

    def worst(self, model: str | None, figure: float | None) -> float | None:
        """The figure of a model in the worst class, where the released table shows it.

        A distance from the whole dataset tells how often a value is among the suppressed rows, however many these are.
        """
        from ordermade.privacy.models import MODELS  # what lists requests reads no figure

        definition = MODELS.get(model or "")
        if definition is None or not self.shows_units or (definition.needs_dataset and self.may_suppress):
            return None
        return figure


def _whole(value: Any, *, optional: bool = False) -> Any:
    if type(value) is int or (optional and value is None):
        return value
    raise ValueError("no whole number")


_AS_THEY_ARE = ("engine_version", "released_at", "request_id", "dataset", "method", "shape", "formulas", "kept")
_AFTER = ("pseudonym", "counts", "classes", "rows", "sha256")
"""Fields of a manifest that say what the released table is, or what its user asked."""

_OF_COLUMN = ("column", "hierarchy", "level", "level_name", "missing", "split_as")
_OF_GENERALIZATION = ("suppression_limit", "suppressed", "recoding", "optimum_proved")
_OF_MONDRIAN = ("variant", "split", "strict", "labels")
_OF_HISTORY = ("match", "cluster", "delete_costly", "clusters", "fewest", "most", "taxonomy_level")
_OF_ATTRIBUTE = ("column", "aggregate")


def manifest(content: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest that a user gets: the release and its request, without SQL, and no figure that is not the user's.

    Raises ReleaseFault where the manifest lacks what decides that: then nothing is handed over.
    """
    try:
        return dict(_of_manifest(content, Entitled.of_manifest(content)))
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
        raise ReleaseFault(
            "the manifest of the release does not say what its user may have", next_step="Run the request again."
        ) from None


def _of_manifest(content: Mapping[str, Any], entitled: Entitled) -> Iterator[tuple[str, Any]]:
    yield from _named(content, _AS_THEY_ARE)
    yield "request", without_folders(content["request"])
    for name in ("quasi_identifiers", "within"):
        if name in content:
            yield name, [dict(_named(each, _OF_COLUMN)) for each in content[name]]
    yield from _named(content, _OF_GENERALIZATION)
    yield from _of_method(content)
    yield from _named(content, _AFTER)
    yield "k", entitled.smallest_class(content["k"])
    yield "persons", entitled.persons(content["persons"])
    yield "suppressed_rows", entitled.suppressed
    if entitled.shape == "rows" or not entitled.counts_persons:
        yield "star_rows", content["star_rows"]
        if entitled.shows_units:
            yield "risk", dict(content["risk"])
    yield "sensitive", [_models(each, entitled) for each in content["sensitive"]]
    yield "loss", {name: value for name, value in content["loss"].items() if entitled.has_loss(name)}


def _of_method(content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, fields in (("mondrian", _OF_MONDRIAN), ("history", _OF_HISTORY)):
        if name in content:
            yield name, dict(_named(content[name], fields))
    if (own := content.get("microaggregation")) is not None:
        attributes = [dict(_named(each, _OF_ATTRIBUTE)) for each in own["attributes"]]
        yield "microaggregation", {"algorithm": own["algorithm"], "attributes": attributes}


def _models(sensitive: Mapping[str, Any], entitled: Entitled) -> dict[str, Any]:
    models = [
        {
            **dict(_named(each, ("model", "name", "parameters", "figure"))),
            "worst": entitled.worst(each["name"], each["worst"]),
        }
        for each in sensitive["models"]
    ]
    return {"column": sensitive["column"], "models": models}


def _named(content: Mapping[str, Any], names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    return ((name, content[name]) for name in names if name in content)


def without_folders(value: Any) -> Any:
    """A plain value with the name alone of every file in it: its folder is the provider's."""
    if isinstance(value, Mapping):
        return {name: without_folders(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [without_folders(each) for each in value]
    return PurePath(value).name if isinstance(value, str) and PurePath(value).is_absolute() else value


_CHANCE = re.compile(r" \(\d+ in 100\)\Z")


def forecast(words: str) -> str:
    """The verdict of a forecast alone: its levels were not released, its chance and effort are of what was measured."""
    return _CHANCE.sub("", words.partition("; ")[0])


_BY_PERSONS = frozenset({"submit", "propose", "accept", "revise", "review", "approve", "refuse", "withdraw", "comment"})
"""The steps whose words are a person's, which the users of the service are to read.

Those of a refusal by the data are made for them by `service.withheld`.
"""

LOOKED_AT = "the provider looks at it"
"""Why a request goes back to review, for its user: the same words whether a filter, a value or the source is why."""

_BY_THE_ENGINE: Mapping[str, Callable[[Submission], str | None]] = {
    "return": lambda _: LOOKED_AT,
    "run": lambda at: None if at.release_id is None else f"release {at.release_id}",
    "deliver": lambda at: None if at.release_id is None else f"release {at.release_id}, measured again",
    "expire": lambda _: "its time was over",
}
"""The words of the steps that are the engine's own: no figure is in them."""


def history(entries: Iterable[AuditEntry], at: Submission) -> tuple[AuditEntry, ...]:
    """The steps of a submitted request as users and reviewers see them: without the rows written, or figures."""
    return tuple(replace(each, detail=_detail(each, at), data=None, hash="") for each in entries)


def _detail(entry: AuditEntry, at: Submission) -> str | None:
    name = entry.action.removeprefix("request ")
    if name in _BY_PERSONS:
        return entry.detail
    if name == "predict":
        return forecast(entry.detail or "")
    words = _BY_THE_ENGINE.get(name)
    return None if words is None else words(at)


def dossier(found: SubmissionDetails) -> SubmissionDetails:
    """A submitted request as users and reviewers see it: of its forecasts the verdict, of the data no version.

    Of its meaning no hash: with that, labels of hierarchies and contents of files could be guessed.
    """
    reviews = tuple(replace(each, dataset_version_id=None, meaning_hash="") for each in found.reviews)
    revisions = tuple(
        replace(each, prediction=forecast(each.prediction), chance=None, meaning_hash="") for each in found.revisions
    )
    return replace(found, submission=submission(found.submission), revisions=revisions, reviews=reviews)


def submission(found: Submission) -> Submission:
    """Where a request stands, without what is known of the process that runs it."""
    return replace(found, claim=None, lease=None, lease_ends_at=None)


def certified(content: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate for a user, as plain fields: which nodes pass or fail, and no count.

    `rows` of the dataset less the released ones are the suppressed; hashes of its contents, and of those of its
    hierarchies, let guesses be tried.
    """
    answer = content["answer"]
    return {
        **{name: content[name] for name in _OF_CERTIFICATE if name in content},
        "version": certified_version(content["version"]),
        "columns": [certified_column(each) for each in content["columns"]],
        "answer": None if answer is None else {"node": answer["node"]},
        "evidence": [{"node": each["node"], "why": each["why"]} for each in content["evidence"]],
    }


def certified_version(version: Mapping[str, Any]) -> dict[str, Any]:
    """What a certificate for a user says of the dataset version, of what the provider's copy says."""
    return {"columns_hash": version["columns_hash"]}


def certified_column(column: Mapping[str, Any]) -> dict[str, Any]:
    """What a certificate for a user says of a column and its hierarchy, of what the provider's copy says."""
    return dict(_named(column, ("column", "hierarchy", "accepted")))


_OF_CERTIFICATE = ("certificate", "ordermade", "dataset", "request_sha256", "request", "objective")
