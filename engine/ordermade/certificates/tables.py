"""Certificates of tables with totals: the witnesses of every suppressed cell, verified on cells that are counted anew.

What is verified shares nothing with what found the witnesses: the cells are counted again, the rules of the request say
which of them must be suppressed and how wide, and each witness is held to the sums in whole numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from ordermade.certificates.certify import WrittenCertificate, require_new_certificate
from ordermade.certificates.document import (
    CertifiedVersion,
    certificate_as,
    certificate_content,
    lines_of,
    require_unchanged_file,
)
from ordermade.counting.counts import units_of
from ordermade.counting.dataset import Version, version
from ordermade.errors import InputError, Unproved
from ordermade.methods.shared.open_request import RunContext, require_unchanged
from ordermade.methods.shared.result import Result
from ordermade.methods.tables.method import TABLES
from ordermade.methods.tables.open_request import OpenTables
from ordermade.methods.tables.protection import figures_of, protected, rules_of, tabulated
from ordermade.methods.tables.records import CountedCells, counted_cells
from ordermade.methods.tables.result import TablesResult
from ordermade.records.cards import HasSummary
from ordermade.requests.read import ReadRequest, as_json, read_request
from ordermade.requests.resolving import request_hash
from ordermade.requests.table import TableRequest
from ordermade.state import certificates
from ordermade.state.new_files import write_new_file
from ordermade.tables.contributors import WitnessFamily
from ordermade.tables.protected import Guarded, ProtectedTables, primaries, required_of, unproved
from ordermade.tables.suppression import Pattern, Protection
from ordermade.tables.tabulation import Tabulation
from ordermade.tables.witnesses import Witness
from ordermade.version import VERSION

LARGEST = 1 << 28
"""The bytes of a certificate of tables at most: 90,000 witnesses have some tens of millions."""
_KEY = "tables_certificate"
_CHANGED = "Do not rely on it; certify the request anew."


_Numbers = Annotated[tuple[int, ...], Field(strict=False)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CertifiedDimension(_Part):
    """A column of the tables: its hierarchy by name and SHA-256, the labels of its codes, and the parent of each."""

    column: str
    hierarchy: str
    sha256: str
    codes: tuple[str, ...] = Field(strict=False)
    parents: _Numbers


class CertifiedWitness(_Part):
    """Two moves from the true tables to two others: the cells that change, and by how much in each."""

    cells: _Numbers
    high: _Numbers
    low: _Numbers


class CertifiedFigure(_Part):
    """A figure of all cells: for each suppressed cell, in their order, the numbers of its witnesses.

    One witness spares every contributor; several, of which the first is for readers who contributed nothing, each
    spare some.
    """

    name: str
    witnesses: tuple[CertifiedWitness, ...] = Field(strict=False)
    proofs: tuple[_Numbers, ...] = Field(strict=False)


class TablesCertificate(_Part):
    """A certificate of tables, the provider's alone: with the true figures its witnesses tell suppressed ones.

    `cells`: the codes of each cell; `suppressed`: the numbers of those that are. `release_sha256`: of the file.
    """

    tables_certificate: Literal[1] = 1
    ordermade: str
    dataset: str
    version: CertifiedVersion
    request_sha256: str
    request: str
    release_sha256: str | None
    dimensions: tuple[CertifiedDimension, ...] = Field(strict=False)
    cells: tuple[_Numbers, ...] = Field(strict=False)
    suppressed: _Numbers
    figures: tuple[CertifiedFigure, ...] = Field(strict=False)

    @property
    def sha256(self) -> str:
        """The SHA-256, in hex, of all fields."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    def text(self) -> str:
        """The file: one line a field, its SHA-256 last."""
        return lines_of({**self.model_dump(mode="json"), "sha256": self.sha256})


@dataclass(frozen=True, slots=True, repr=False)
class VerifiedTables(HasSummary):
    """A certificate of tables that holds."""

    cells: int
    """The cells that were counted again."""
    suppressed: int
    """The suppressed ones, each proved for every figure."""


def is_of_tables(path: Path) -> bool:
    """Whether a certificate is one of tables. Raises InputError where the file is no certificate."""
    return _KEY in certificate_content(path, LARGEST)


def require_certifiable_tables(read: ReadRequest[TableRequest], path: Path) -> None:
    """Raises InputError, before anything is counted, where no certificate can get this name."""
    taken = [each.absolute() for each in (read.request.release.path, *read.request.files_beside) if each is not None]
    if path.absolute() in taken:
        raise InputError("the release gets this name", where=str(path), next_step="Name another file.")
    require_new_certificate(path)


def certify_tables(
    read: ReadRequest[TableRequest], context: RunContext, result: Result, path: Path
) -> WrittenCertificate:
    """Writes the witnesses of every suppressed cell into a new file of the provider's alone.

    The pattern is found again, as it is the same each time. Raises Unproved where nothing was released, or the dataset
    is another by now.
    """
    if not result.released:
        raise Unproved("no certificate: nothing was released", where=read.where)
    with TABLES.opened(read, context, context.progress.statement) as open_request:
        seen = version(open_request.dataset)
        cells, found = _protected(open_request, seen)
        require_unchanged(open_request)
        if isinstance(result, TablesResult) and (
            result.tables is None or result.tables.suppressed != len(found.suppressed)
        ):
            raise Unproved(
                "no certificate: the dataset changed after the answer", where=read.where, next_step="Run it again."
            )
        certificate = _certificate(open_request, seen, cells, found, result)
    text = certificate.text()
    write_new_file(path, text, "certificate")
    with context.state.writing() as connection:
        certificates.note(connection, path, text, result.request)
    return WrittenCertificate(path, certificate.sha256, sum(len(each.witnesses) for each in certificate.figures))


def _protected(open_request: OpenTables, seen: Version) -> tuple[CountedCells, ProtectedTables]:
    units_of(open_request.dataset, seen.rows, open_request.request.k)  # numbers the persons
    cells = counted_cells(open_request, None)
    return cells, protected(open_request, cells)


def _certificate(
    open_request: OpenTables, seen: Version, cells: CountedCells, found: ProtectedTables, result: Result
) -> TablesCertificate:
    return TablesCertificate(
        ordermade=VERSION,
        dataset=open_request.opened.name,
        version=_version(seen),
        request_sha256=_hash_of(open_request),
        request=open_request.read.text or as_json(open_request.request),
        release_sha256=None if result.release is None else result.release.sha256,
        dimensions=_dimensions(open_request, cells),
        cells=tuple(map(tuple, found.table.cells.tolist())),
        suppressed=found.suppressed,
        figures=tuple(_figure(each, found.suppressed) for each in found.guarded),
    )


def _figure(guarded: Guarded, suppressed: Sequence[int]) -> CertifiedFigure:
    """The witnesses of a figure, each once."""
    numbers: dict[Witness, int] = {}
    proofs = []
    for cell in suppressed:
        family = guarded.families.get(cell)
        used = (guarded.pattern.witnesses[cell],) if family is None else family.witnesses
        proofs.append(tuple(numbers.setdefault(each, len(numbers)) for each in used))
    witnesses = tuple(CertifiedWitness(cells=each.cells, high=each.high, low=each.low) for each in numbers)
    return CertifiedFigure(name=guarded.name, witnesses=witnesses, proofs=tuple(proofs))


def _dimensions(open_request: OpenTables, cells: CountedCells) -> tuple[CertifiedDimension, ...]:
    return tuple(
        CertifiedDimension(
            column=each.column,
            hierarchy=each.hierarchy.name,
            sha256=each.hierarchy.content_hash,
            codes=cells.levelled[each.column].dimension.codes,
            parents=cells.levelled[each.column].dimension.parents,
        )
        for each in open_request.resolved.dimensions
    )


def _version(seen: Version) -> CertifiedVersion:
    return CertifiedVersion(
        rows=seen.rows, columns_hash=seen.columns_hash, hash_sum=str(seen.hash_sum), vouched_by=seen.vouched_by
    )


def _hash_of(open_request: OpenTables) -> str:
    return request_hash(open_request.request, open_request.resolved.filter_text, open_request.resolved.said_by_files)


def verify_tables(path: Path, context: RunContext, request: ReadRequest[TableRequest] | None = None) -> VerifiedTables:
    """Verifies a certificate of tables against the dataset: its cells are counted again, its witnesses held to them.

    `request`: the one that it is supposed to be of. Raises Unproved where it does not hold, InputError where the file
    is none, SourceFault.
    """
    where, certificate = str(path), _read(path)
    if request is not None:
        with TABLES.opened(request, context) as open_request:
            if _hash_of(open_request) != certificate.request_sha256:
                raise _unproved("it is of another request", where)
    read: ReadRequest[Any] = _request_of(certificate, where)
    with TABLES.opened(read, context, context.progress.statement) as open_request:
        seen = version(open_request.dataset)
        if _version(seen) != certificate.version or _hash_of(open_request) != certificate.request_sha256:
            raise _unproved("request or dataset version are not those of today", where)
        units_of(open_request.dataset, seen.rows, open_request.request.k)
        cells = counted_cells(open_request, None)
        if _dimensions(open_request, cells) != certificate.dimensions:
            raise _unproved("a hierarchy was changed since, or has other values", where)
        _require_proved(certificate, open_request, tabulated(open_request, cells), where)
        require_unchanged(open_request)
    return VerifiedTables(len(certificate.cells), len(certificate.suppressed))


def _require_proved(
    certificate: TablesCertificate, open_request: OpenTables, tabulation: Tabulation, where: str
) -> None:
    """Raises Unproved unless every cell that the rules name is suppressed, and every suppressed one is proved."""
    rules = rules_of(open_request.request)
    if tuple(map(tuple, tabulation.table.cells.tolist())) != certificate.cells:
        raise _unproved("the tables have other cells", where)
    primary = primaries(tabulation, rules)
    hidden = frozenset(certificate.suppressed)
    if not frozenset(np.flatnonzero(primary).tolist()) <= hidden:
        raise _unproved("a cell that the rules do not let be published is", where)
    figures = {each.name: each for each in certificate.figures}
    wanted = list(required_of(tabulation, rules, figures_of(open_request)))
    if figures.keys() != {each.name for each in wanted}:
        raise _unproved("it is of other figures", where)
    guarded = []
    for each in wanted:
        protection = Protection(
            each.table, primary, each.widths, each.zeros, suppressed=certificate.suppressed, sole=each.sole
        )
        proofs = _proofs(figures[each.name], certificate.suppressed, where)
        single = {cell: found[0] for cell, found in proofs.items() if len(found) == 1}
        families = {cell: WitnessFamily(found) for cell, found in proofs.items() if len(found) > 1}
        pattern = Pattern(certificate.suppressed, (), single)
        guarded.append(Guarded(each.name, protection, pattern, families))
    found = ProtectedTables(tabulation, rules, (), certificate.suppressed, (), tuple(guarded))
    if (n := unproved(found)) != 0:
        raise _unproved(f"{n:,} suppressed cells are not proved by their witnesses", where)


def _proofs(figure: CertifiedFigure, suppressed: Sequence[int], where: str) -> Mapping[int, tuple[Witness, ...]]:
    """The witnesses of each suppressed cell."""
    if len(figure.proofs) != len(suppressed):
        raise _unproved("cells have no witness", where)
    witnesses = [Witness(each.cells, each.high, each.low) for each in figure.witnesses]

    def named() -> Iterator[tuple[int, tuple[Witness, ...]]]:
        for cell, numbers in zip(suppressed, figure.proofs, strict=True):
            if not numbers or not all(0 <= number < len(witnesses) for number in numbers):
                raise _unproved("a cell has no witness", where)
            yield cell, tuple(witnesses[number] for number in numbers)

    return dict(named())


def _read(path: Path) -> TablesCertificate:
    """The certificate in a file. Raises InputError where it is none, Unproved where it was changed or is of others."""
    content = certificate_content(path, LARGEST)
    stated = content.pop("sha256", None)
    if content.get("ordermade") != VERSION:
        raise Unproved(
            f"the certificate is of another version than {VERSION}",
            where=str(path),
            next_step="Verify it with the version that wrote it, or certify the request anew.",
        )
    found = certificate_as(TablesCertificate, content, path)
    require_unchanged_file(stated, found.sha256, path)
    return found


def _request_of(certificate: TablesCertificate, where: str) -> ReadRequest[Any]:
    try:
        read = read_request(certificate.request)
    except InputError as error:
        raise _unproved(f"its request cannot be read: {error.message}", where) from None
    if not isinstance(read.request, TableRequest):
        raise _unproved("its request is of another method", where)
    return read


def _unproved(what: str, where: str) -> Unproved:
    return Unproved(f"the certificate does not hold: {what}", where=where, next_step=_CHANGED)
