"""Frames that a program gives with a request: the dataset that the request names among them, registered nowhere."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ordermade.catalogue.any_table import AnyTable
from ordermade.catalogue.registered import DatasetRegistration
from ordermade.errors import InputError, did_you_mean, quoted
from ordermade.privacy.least_k import DEFAULT_LEAST_K, DatasetTerms
from ordermade.requests.model import InlineDataset, Request
from ordermade.requests.read import ReadRequest, RequestLike, read_on_frames
from ordermade.sources.backend import Backend, CatalogTable
from ordermade.sources.frame_columns import CallerFrame, FrameTables
from ordermade.sources.frames import Frames, given, is_frame, refusal
from ordermade.sources.kinds import FRAMES
from ordermade.sources.limits import Limits
from ordermade.state import sources as stored
from ordermade.state.database import StateFile
from ordermade.state.sources import Source

if TYPE_CHECKING:
    from ordermade.state.datasets import RegisteredDataset as Registered

DEFAULT_NAME = "data"
"""The name of a frame that has none, where its request names no dataset either."""


def on_frames(
    request: RequestLike, data: object, limits: Limits, entity: str | None = None
) -> tuple[ReadRequest[Request], Limits]:
    """The request read for its frames, and limits that hold them.

    `data`: a frame, which has the name that the request calls its dataset by, or a mapping of names to frames.
    `entity`: the column that identifies a person, if one may have several rows. The least k is that of the request, 5
    at most. A release that the request names no place for is returned. Raises RequestError with every mistake,
    InputError for data that are no frames, other datasets, columns that cannot be read, and fewer rows than k.
    """
    named = _by_name(data)
    read = read_on_frames(request, tuple(named), DEFAULT_NAME)
    dataset = read.request.dataset
    if not isinstance(data, Mapping) and isinstance(dataset, str | InlineDataset):
        called = dataset if isinstance(dataset, str) else dataset.table
        named = {called or DEFAULT_NAME: data}
    _require_dataset(read, named)
    tables = {name: given(frame, _called(name)) for name, frame in named.items()}
    _require_readable(read, tables, entity)
    if isinstance(dataset, str) and tables[dataset].inside.num_rows < read.request.k:
        raise InputError(
            f"the frame has fewer rows than k, which is {read.request.k:,}",
            where=_called(dataset),
            next_step="Give more rows, or request a smaller k.",
        )
    least_k = min(DEFAULT_LEAST_K, read.request.k)
    return read, replace(limits, frames=FrameTables(tables, entity, least_k))


def registered_frame(state: StateFile, limits: Limits, name: str, data: object) -> Limits:
    """Limits that hold a frame as the only table of a source of the state, both called `name`.

    Raises InputError for an object that is no frame, StateFault.
    """
    frame = given(data, _called(name))
    with state.writing() as connection:
        stored.add(connection, name, FRAMES, FRAMES, writable=True, encoding="auto", header=False, allow_inline=False)
    return replace(limits, frames=FrameTables({name: frame}, registered=True))


@dataclass(frozen=True, slots=True)
class FrameTable(AnyTable):
    """A frame that is read as it is, with nothing registered."""

    frame: CallerFrame | None = None

    @classmethod
    def of(cls, data: object, columns: Iterable[str]) -> FrameTable:
        """The table of a frame. Raises InputError for other objects, and columns (those named) that cannot be read."""
        frame = given(data, _called(DEFAULT_NAME))
        wanted = {each.casefold() for each in columns}
        for each in frame.columns:
            if each.refused is not None and each.name.casefold() in wanted:
                raise refusal(each, _called(DEFAULT_NAME))
        return cls(DEFAULT_NAME, frame=frame)

    @contextlib.contextmanager
    def _opened(
        self,
        state: StateFile,
        limits: Limits,
    ) -> Iterator[tuple[Backend, CatalogTable, Sequence[Registered] | None]]:
        del state
        if self.frame is None:
            raise TypeError("the table has no frame")
        with contextlib.closing(Frames(FrameTables({self.named: self.frame}), limits=limits)) as backend:
            yield backend, backend.tables()[0], None


def described_frame(held: FrameTables, reference: str | InlineDataset) -> DatasetRegistration:
    """The dataset of a request among the frames that were given with it."""
    terms = DatasetTerms(held.least_k)
    if isinstance(reference, str):
        return DatasetRegistration(reference, None, _source(reference), reference, None, held.entity, terms)
    entity = held.entity if reference.entity is None else reference.entity
    name = reference.table or DEFAULT_NAME
    return DatasetRegistration(name, None, _source(name), reference.table, reference.query, entity, terms)


def _source(name: str) -> Source:
    """The source of the frames; its location is the same whatever they are, so that a dataset keeps its identity."""
    return Source(0, name, FRAMES, FRAMES, True, None, datetime.now(UTC), None)


def _called(name: str) -> str:
    return f"the frame {quoted(name)}"


def _by_name(data: object) -> Mapping[str, object]:
    if not isinstance(data, Mapping) or is_frame(data):
        return {DEFAULT_NAME: data}
    if not data or not all(isinstance(each, str) and each.strip() for each in data):
        raise InputError(
            "the mapping names no frames by texts", where="data", next_step="Give {name: frame} with a name each."
        )
    return data


def _require_dataset(read: ReadRequest[Request], named: Mapping[str, object]) -> None:
    """Raises InputError where the request is about a dataset that is none of the frames."""
    dataset = read.request.dataset
    wanted = dataset if isinstance(dataset, str) else dataset.table
    if wanted is not None and wanted not in named:
        near = did_you_mean(wanted, named)
        raise InputError(
            f"the request is about the dataset {quoted(wanted)}, which is none of the frames",
            where=f"{read.where}: dataset",
            next_step=f"Give it in data, or name one of them. {near}".strip(),
        )


def _require_readable(read: ReadRequest[Request], tables: Mapping[str, CallerFrame], entity: str | None) -> None:
    """Raises InputError for a column that the request names and that cannot be read."""
    request = read.request
    content = request.model_dump(mode="json", exclude={"title", "release"}, exclude_defaults=True)
    words = {entity, *_words(content)}
    dataset = request.dataset
    texts = [request.where or "", "" if isinstance(dataset, str) else dataset.query or ""]
    for name, frame in tables.items():
        for each in frame.columns:
            pattern = re.compile(rf"(?<!\w){re.escape(each.name)}(?!\w)", re.IGNORECASE)
            if each.refused is not None and (each.name in words or any(pattern.search(text) for text in texts)):
                raise refusal(each, _called(name))


def _words(content: Any) -> Iterator[str]:
    match content:
        case str():
            yield content
        case Mapping():
            for key, value in content.items():
                yield str(key)
                yield from _words(value)
        case Iterable():
            for each in content:
                yield from _words(each)
