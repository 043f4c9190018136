"""The release of a proposal: dataset and hierarchies registered, the request drafted and run, its folder written."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ordermade.anonymization.lost_detail import lost_detail
from ordermade.anonymization.outputs import (
    AGAIN,
    COMMANDS,
    QUERY,
    REQUEST,
    Outputs,
    commands,
    hierarchy_files,
    staged_folder,
)
from ordermade.anonymization.plan import request_draft
from ordermade.anonymization.tables import free_name
from ordermade.drafts.request import DraftedMethod, drafted_request
from ordermade.errors import HierarchyError, OrdermadeError, Refused
from ordermade.files.private import new_private_file
from ordermade.hierarchies.from_python import where_of
from ordermade.methods.generalization.lost_detail import RANKED_BY
from ordermade.release.files import ending_of
from ordermade.requests.read import read_document, read_mapping, read_request
from ordermade.sources.spill_folder import SpillFolder

if TYPE_CHECKING:
    from ordermade.anonymization.options import AnonymizeOptions
    from ordermade.anonymization.proposal import Proposal
    from ordermade.engine import Engine
    from ordermade.hierarchies.hierarchy import Hierarchy
    from ordermade.methods.generalization.lost_detail import LostDetail
    from ordermade.methods.shared.result import Result
    from ordermade.methods.shared.sweep import Sweep
    from ordermade.offers.offer import Offers
    from ordermade.requests.model import Request
    from ordermade.requests.read import ReadRequest

COMPARED: tuple[DraftedMethod, ...] = ("full-domain", "local", "mondrian")
"""The methods that are compared: all release labels of the same hierarchies, so one loss ranks them."""


@dataclass(frozen=True, slots=True)
class ComparedRelease:
    """A release by another method, by its figures alone."""

    method: DraftedMethod
    """The method."""
    loss: float | None
    """The Loss, suppressed rows counting as `*`; null where nothing passes."""
    suppressed_rows: int | None
    """The suppressed rows; null where fewer than the least k."""
    reason: str | None = None
    """The reason why nothing passes."""


@dataclass(frozen=True, slots=True)
class Anonymized:
    """The answer to a call: what was asked (`read`), by the `method` that was taken, and its `result`.

    `hierarchies`: those of the quasi-identifiers, as registered. Refused: neither the release nor the folder of
    `outputs` is there; `offers` are what passes instead, None where nothing may be said of that. `is_dry`: the figures
    are those of a release that would have been made. `lost`: of a release, the columns that say little any more.
    """

    proposal: Proposal
    method: DraftedMethod
    read: ReadRequest[Request]
    result: Result
    outputs: Outputs
    hierarchies: Mapping[str, Hierarchy]
    compared: tuple[ComparedRelease, ...] = ()
    offers: Offers | None = None
    is_dry: bool = False
    lost: LostDetail | None = None


def anonymized(engine: Engine, proposal: Proposal, outputs: Outputs, *, is_dry: bool = False) -> Anonymized:
    """Releases a proposal and leaves a folder to edit and run again beside the release.

    Dataset and hierarchies are registered in the state of `engine`. Where nothing passes, nothing is left, and the
    result says why; where `is_dry`, too, as the release is made and measured in a private folder that goes
    at once. Raises InputError, Refused where `best` finds nothing that passes, SourceFault, StateFault,
    ReleaseFault; then nothing is left either.
    """
    if is_dry:
        with SpillFolder() as folder:
            inside = Outputs(folder.path / outputs.release.name, folder.path / outputs.folder.name)
            dry = anonymized(engine, proposal, inside)
        return replace(dry, outputs=outputs, is_dry=True)
    dataset = _dataset(engine, proposal)
    files = hierarchy_files(proposal.plan.hierarchies)
    names = _names(engine, proposal)
    texts = _Texts(proposal, dataset, names)
    contents: dict[str, str | bytes] = {files[each.column]: each.content for each in proposal.plan.hierarchies}
    if proposal.query is not None:
        contents[QUERY] = proposal.query + "\n"
    contents[COMMANDS] = commands(proposal, dataset, names, files)
    with staged_folder(outputs.folder, contents) as staged:
        hierarchies = {}
        for column, name in names.items():
            file = staged.made.path / files[column]
            with _called_by_column(file, column):
                hierarchies[column] = engine.hierarchies.add(name, file).hierarchy
        answer = _answered(engine, texts, str(outputs.release))
        method, read, result = answer.method, answer.read, answer.result
        if result.released:
            again = f"{AGAIN}{ending_of(outputs.release)}"
            staged.write(REQUEST, texts.of(method, again))
            staged.publish()
        offers = None if result.released else _offers(engine, read, result)
    lost = lost_detail(result, method, proposal.wanted, lambda wanted: _loss_of(engine, texts, wanted, result))
    return Anonymized(proposal, method, read, result, outputs, hierarchies, answer.compared, offers, lost=lost)


def _loss_of(engine: Engine, texts: _Texts, wanted: AnonymizeOptions, result: Result) -> float | None:
    """The loss of the same release by other options; None where nothing passes."""
    engine.progress.step("looking for what keeps more detail")
    proposal = replace(texts.proposal, wanted=wanted)
    request = replace(texts, proposal=proposal).of("full-domain", f"{result.request}.parquet")
    return _swept(engine, read_request(request), wanted.k).loss


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a proposal: the method that was taken, its request (and the `text` of it), the result.

    `compared`: the figures of other methods.
    """

    method: DraftedMethod
    read: ReadRequest[Request]
    text: str
    result: Result
    compared: tuple[ComparedRelease, ...] = ()


def answered(engine: Engine, proposal: Proposal, to: str | Mapping[str, str], more: Mapping[str, Any]) -> Answered:
    """Releases a proposal to a file, or to the table that a program gets back; no folder is left.

    `more`: further keys of the request. Dataset and hierarchies are registered in the state of `engine`. Raises
    InputError, Refused where `best` finds nothing that passes, SourceFault, StateFault, ReleaseFault.
    """
    return _answered(engine, _registered(engine, proposal), to, more)


def swept(
    engine: Engine,
    proposal: Proposal,
    method: DraftedMethod,
    ks: Sequence[int],
    to: str | Mapping[str, str],
    more: Mapping[str, Any],
) -> Sweep:
    """The losses of a proposal with one k after another. As `answered`; nothing is released, `to` gets nothing."""
    texts = _registered(engine, proposal)
    return engine.sweep(_read(texts.of(method, to), more), ks)


def _registered(engine: Engine, proposal: Proposal) -> _Texts:
    """The requests for a proposal, its dataset and its hierarchies being registered in the state of `engine`."""
    dataset, names = _dataset(engine, proposal), _names(engine, proposal)
    files = hierarchy_files(proposal.plan.hierarchies)
    with SpillFolder() as folder:
        for each in proposal.plan.hierarchies:
            file = folder.path / Path(files[each.column]).name
            with os.fdopen(new_private_file(file), "wb") as written:
                written.write(each.content)
            with _called_by_column(file, each.column):
                engine.hierarchies.add(names[each.column], file)
    return _Texts(proposal, dataset, names)


@contextlib.contextmanager
def _called_by_column(file: Path, column: str) -> Iterator[None]:
    """Around what reads a file of the call: its errors name the column, for nobody else knows the file."""
    try:
        yield
    except HierarchyError as error:
        if not error.where.startswith(str(file)):
            raise
        where = where_of(column) + error.where[len(str(file)) :]
        raise HierarchyError(error.what, where=where, next_step=error.next_step) from None


def _answered(
    engine: Engine, texts: _Texts, to: str | Mapping[str, str], more: Mapping[str, Any] = MappingProxyType({})
) -> Answered:
    compared = tuple(_compared(engine, texts, to))
    method = _chosen(texts.proposal.wanted.method, compared)
    text = texts.of(method, to)
    read = _read(text, more)
    return Answered(method, read, text, _in_options(engine.run(read)), compared)


def _in_options(result: Result) -> Result:
    """The result with options in its sentences instead of keys of a request, which the caller never wrote."""
    reason = None if result.reason is None else _KEY.sub(_OPTION, result.reason)
    return replace(result, reason=reason, warnings=tuple(_KEY.sub(_OPTION, each) for each in result.warnings))


_KEY = re.compile(r"(?<=write )allow_identifying: \[.*\]|(?<=which )allow_identifying(?= allows)")
_OPTION = "--allow-identifying"


def _read(text: str, more: Mapping[str, Any]) -> ReadRequest[Request]:
    """A request with further keys."""
    read = read_request(text)
    if not more:
        return read
    content = read_document(text, read.where).content
    release = more.get("release", {})
    if isinstance(release, Mapping):
        release = {**content["release"], **release}
    return read_mapping({**content, **more, "release": release})


def _offers(engine: Engine, read: ReadRequest[Request], result: Result) -> Offers | None:
    """What passes instead of a refused request for generalisation. The refusal stands whatever becomes of that."""
    if read.request.method != "generalization" or result.rows is None:
        return None
    try:
        found = engine.offers(read, under_refusal=True)
    except OrdermadeError:
        return None
    return found if found.status == "refused" else None


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of the requests for a proposal."""

    proposal: Proposal
    dataset: str
    hierarchies: Mapping[str, str]

    def of(self, method: DraftedMethod, to: str | Mapping[str, str]) -> str:
        proposal = self.proposal
        return drafted_request(
            request_draft(
                proposal.plan,
                proposal.wanted,
                dataset=self.dataset,
                hierarchies=self.hierarchies,
                numbers=proposal.numbers,
                censored=proposal.censored,
                to=to,
                method=method,
            )
        )


def _dataset(engine: Engine, proposal: Proposal) -> str:
    """The name of the dataset, registered unless there is one like it."""
    table, wanted = proposal.table, proposal.wanted
    terms = (proposal.least_k, table.terms.where_columns)
    of = (table.source, None if proposal.query else table.table, proposal.query, wanted.entity)
    for each in engine.datasets.list():
        if (each.source_name, each.table_name, each.query_text, each.entity_column) == of and terms == (
            each.terms.least_k,
            each.terms.where_columns,
        ):
            return each.name
    return engine.datasets.add(
        table.name,
        table.source,
        table=of[1],
        query=proposal.query,
        entity=wanted.entity,
        least_k=proposal.least_k,
        where_columns=table.terms.where_columns,
    ).name


def _names(engine: Engine, proposal: Proposal) -> dict[str, str]:
    """A name for the hierarchy of each column, in order, that replaces no other hierarchy."""
    taken = {each.name for each in engine.hierarchies.list()}
    names: dict[str, str] = {}
    for each in proposal.plan.hierarchies:
        names[each.column] = free_name(each.column, taken)
        taken.add(names[each.column])
    return names


def _compared(engine: Engine, texts: _Texts, to: str | Mapping[str, str]) -> Iterator[ComparedRelease]:
    """The figures of the compared methods; none unless requested."""
    wanted = texts.proposal.wanted
    if wanted.method != "best" and not wanted.compare:
        return
    import ordermade.machine.compiled  # noqa: F401 a package that Mondrian lacks is an error before anything is counted

    for method in COMPARED:
        if method == wanted.method:  # it is released
            continue
        engine.progress.step(f"comparing ({method})")
        read = read_request(texts.of(method, to))
        found = _swept(engine, read, wanted.k)
        yield ComparedRelease(method, found.loss, found.suppressed_rows, found.reason)


@dataclass(frozen=True, slots=True)
class _Swept:
    """The figures of a release that is not made."""

    loss: float | None
    suppressed_rows: int | None
    reason: str | None


def _swept(engine: Engine, read: ReadRequest[Request], k: int) -> _Swept:
    (point,) = engine.sweep(read, [k]).points
    loss = point.losses.get(RANKED_BY)
    return _Swept(float(loss) if isinstance(loss, int | float) else None, point.suppressed_rows, point.reason)


def _chosen(wanted: str, compared: tuple[ComparedRelease, ...]) -> DraftedMethod:
    if wanted != "best":
        return wanted  # type: ignore[return-value]
    passing = [each for each in compared if each.loss is not None]
    if not passing:
        reasons = "; ".join(f"{each.method}: {each.reason}" for each in compared)
        raise Refused(f"nothing passes ({reasons})", next_step="Ask for a smaller k, or of fewer columns.")
    return min(passing, key=lambda each: (each.loss, COMPARED.index(each.method))).method
