"""The calls of a program: a table or a frame anonymised, or measured, with nothing registered and no state kept."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from ordermade.anonymization.anonymized import answered
from ordermade.anonymization.options import (
    DEFAULT_LIMIT,
    DEFAULT_OBJECTIVE,
    AnonymizeOptions,
    method_named,
    roles_given,
    without_role,
)
from ordermade.anonymization.proposal import proposed
from ordermade.anonymization.python_hierarchies import HierarchyLike, files_of, with_functions
from ordermade.anonymization.short_models import short_model
from ordermade.anonymization.tables import RegisteredTable, registered
from ordermade.catalogue.any_table import AnyTable
from ordermade.catalogue.arguments import typed
from ordermade.catalogue.frames import FrameTable, registered_frame
from ordermade.catalogue.sources import opened
from ordermade.engine import Engine
from ordermade.errors import InputError, OrdermadeError, Refused, did_you_mean, quoted
from ordermade.records.cards import Card, HasSummary
from ordermade.release.files import read_rows
from ordermade.release.returned import ReturnedFrame
from ordermade.reports.file import Report
from ordermade.requests.methods import REQUESTS
from ordermade.requests.read import RETURNED
from ordermade.sources.frames import is_frame, refusal
from ordermade.sources.kinds import FRAMES
from ordermade.sources.spill_folder import SpillFolder
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

    from ordermade.anonymization.anonymized import ComparedRelease
    from ordermade.anonymization.proposal import Proposal
    from ordermade.counting.table_figures import MeasuredTable
    from ordermade.methods.shared.result import Result
    from ordermade.reports.figures import Audience
    from ordermade.requests.generalization import Objective

CalledMethod = Literal["full-domain", "local", "mondrian", "microaggregation", "best", "history", "generalization"]
"""The ways to anonymise, by the names that a call gives them; `generalization` is `full-domain`, as in a request."""
NAME = "data"
"""The name of a frame that has none."""
Sensitive = Iterable[str] | Mapping[str, Any]


@dataclass(frozen=True, slots=True, repr=False)
class AnonymizedTable(HasSummary):
    """A release that a program got: its `result` with every figure, and the rows as a frame.

    `request`: the YAML text of the request that made it. `roles`: that of every column, with the reason.
    `compared`: the figures of other methods, where requested; `report`: those of the report on the release, likewise.
    """

    result: Result
    request: str = field(default="", repr=False)
    roles: tuple[Any, ...] = field(default=(), repr=False)
    compared: tuple[ComparedRelease, ...] = ()
    report: Report | None = field(default=None, repr=False)

    def _card(self) -> Card:
        card = self.result._card()
        if not self.compared:
            return card
        losses = (f"{each.method} {'-' if each.loss is None else f'{each.loss:.4g}'}" for each in self.compared)
        return dataclasses.replace(card, facts=(*card.facts, ("compared, loss", ", ".join(losses))))

    @property
    def k(self) -> int:
        """The k that was measured on what is released."""
        return self.result.k or 0

    def frame(self) -> Any:
        """The release in the kind of frame that was given; of a file or a database, a frame of pandas."""
        return self.result.frame()

    def to_pandas(self) -> pandas.DataFrame:
        """The release as a frame of pandas."""
        return self.result.to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The release as a frame of polars. Raises InputError where polars is not installed."""
        return self.result.to_polars()

    def to_arrow(self) -> pa.Table:
        """The release as a table of pyarrow."""
        return self.result.to_arrow()


@typed
def anonymize(
    data: object,
    k: int,
    *,
    quasi_identifiers: Iterable[str] | None = None,
    sensitive: Sensitive = (),
    keep: Iterable[str] = (),
    identifiers: Iterable[str] = (),
    method: CalledMethod = "full-domain",
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    suppression_limit: float | Decimal = DEFAULT_LIMIT,
    objective: Objective = DEFAULT_OBJECTIVE,
    where: str | None = None,
    entity: str | None = None,
    allow_identifying: Iterable[str] = (),
    accept_roles: bool = False,
    compare: bool = False,
    to: str | Path | None = None,
    table: str | None = None,
    encoding: str = "auto",
    header: bool = False,
    report: Audience | None = None,
    **keys: Any,
) -> AnonymizedTable:
    """Releases a table k-anonymously: a frame of pandas, polars or Arrow, or the path or URL of a table.

    Columns that are not named are left out, as in a request. `sensitive`: columns, or models by column, written as
    "distinct_l 3" or as in a request. `hierarchies`: by column, a mapping of values to labels, a frame, a function (or
    several, coarser and coarser), the path of a file, YAML text, or the content of a YAML file; those of the other
    quasi-identifiers are drafted. `method`: `full-domain`, `local`, `mondrian`, `microaggregation`, `best` or
    `history`. `accept_roles`: without `quasi_identifiers` the proposed roles of the columns are taken. `to`: a file to
    write the release to. `report`: `provider` or `user`, for whom the figures of a report are gathered. `keys`: further
    keys of a request, which name no further columns. The frame is never changed.

    Raises TypeError for any other keyword; InputError, also with the call to give where no `quasi_identifiers` are
    named; HierarchyError; Refused where nothing passes; SourceFault, StateFault, ReleaseFault.
    """
    _require_known(keys)
    audience = _audience(report)
    of_files = {"table": table is not None, "encoding": encoding != "auto", "header": header}
    with _in_words_of_python(), Engine.in_memory() as engine:
        if not isinstance(data, str | Path):
            _require_unused(of_files, "is for files", "Leave it out for a frame.")
        if method == "history":
            of_columns = {
                "quasi_identifiers": bool(quasi_identifiers),
                "sensitive": bool(sensitive),
                "identifiers": bool(identifiers),
                "hierarchies": bool(hierarchies),
                "suppression_limit": suppression_limit != DEFAULT_LIMIT,
                "objective": objective != DEFAULT_OBJECTIVE,
                "entity": entity is not None,
                "allow_identifying": bool(allow_identifying),
                "accept_roles": accept_roles,
                "compare": compare,
            }
            _require_unused(
                of_columns,
                "is for other methods",
                "Name the columns in history={…}, as in a request.",
            )
            return _history(engine, data, k, where, list(keep), to, keys, audience)
        limit = Decimal(str(suppression_limit))
        models, sensitive = _models(sensitive), list(sensitive)
        wanted = AnonymizeOptions(
            k=k,
            roles=roles_given(
                [
                    ("quasi-identifier", list(() if quasi_identifiers is None else quasi_identifiers)),
                    ("sensitive", sensitive),
                    ("kept", list(keep)),
                    ("identifier", list(identifiers)),
                ]
            ),
            models=models,
            method=method_named(method),
            suppression_limit=limit,
            objective=objective,
            where=where,
            entity=entity,
            allow_identifying=tuple(allow_identifying),
            compare=compare,
        )
        for name in ("attributes", "within"):
            _require_quasi_identifiers(name, keys.get(name), wanted, proposes=quasi_identifiers is None)
        engine, source = _registered(engine, data, table, encoding, header)
        return _answered(
            engine,
            source,
            wanted,
            hierarchies or {},
            proposes=quasi_identifiers is None,
            accepts=accept_roles,
            to=to,
            keys=keys,
            is_file=not is_frame(data),
            audience=audience,
        )


@typed
def measure(
    data: object,
    quasi_identifiers: Iterable[str],
    sensitive: Iterable[str] = (),
    *,
    entity: str | None = None,
    where: str | None = None,
    **options: Any,
) -> MeasuredTable:
    """Measures how anonymous a table is: a frame of pandas, polars or Arrow, or the path or URL of a table.

    As `Engine.measure`, whose further `options` are for paths; no state is needed or looked at for a frame. Raises
    InputError, SourceFault.
    """
    known = inspect.signature(Engine.measure).parameters
    for name in options:
        if name not in known or name in ("self", "named"):
            raise _unexpected("measure", name, [*inspect.signature(measure).parameters, *known])
    engine, quasi_identifiers, sensitive = Engine(), list(quasi_identifiers), list(sensitive)
    if isinstance(data, str | Path):
        with _in_words_of_python():
            return engine.measure(data, quasi_identifiers, sensitive, entity=entity, where=where, **options)

    _require_unused({name: bool(value) for name, value in options.items()}, "is for files", "Leave it out for a frame.")
    named = (*quasi_identifiers, *sensitive, *([] if entity is None else [entity]))
    with _in_words_of_python():
        found, state = FrameTable.of(data, named), StateFile(Path(), SHELL)
        return found.measured(state, engine.limits, quasi_identifiers, sensitive, entity=entity, where=where)


def _unexpected(function: str, name: str, known: Iterable[str]) -> TypeError:
    """The error of a keyword that a function does not have, as Python words it, with the one that may be meant."""
    meant = did_you_mean(name, [each for each in known if each not in ("self", "data", "named", "keys", "options")])
    return TypeError(f"{function}() got an unexpected keyword argument {quoted(name)}. {meant}".strip())


def _require_known(keys: Mapping[str, Any]) -> None:
    """Raises TypeError for a key that no request has, or that arguments of the call decide."""
    fields = {field.alias or name for kind in REQUESTS.values() for name, field in kind.model_fields.items()}
    own = inspect.signature(anonymize).parameters
    for name in keys:
        if name not in fields - _DECIDED:
            raise _unexpected("anonymize", name, [*own, *sorted(fields - _DECIDED)])


_DECIDED = frozenset({"dataset"})
"""The keys of a request, besides the arguments of the call, that the call itself decides."""


def _require_quasi_identifiers(name: str, attributes: object, wanted: AnonymizeOptions, *, proposes: bool) -> None:
    """Raises InputError for options of a column that is no quasi-identifier, which would become one and be released."""
    if proposes or not isinstance(attributes, Mapping):
        return
    named = {each.casefold() for each, role in wanted.roles.items() if role == "quasi-identifier"}
    for column in attributes:
        if str(column).casefold() not in named:
            raise InputError(
                f"{quoted(str(column))} has options and is no quasi-identifier",
                where=f"anonymize: {name}",
                next_step="Name it among quasi_identifiers too, or take its options out.",
            )


def _require_unused(arguments: Mapping[str, bool], what: str, instead: str) -> None:
    """Raises InputError where one of the arguments, which would be ignored, was given."""
    unused = [name for name, is_given in arguments.items() if is_given]
    if unused:
        raise InputError(f"the argument {quoted(unused[0])} {what}", where="data", next_step=instead)


_OPTION = re.compile(
    r"(?<![^ ])--(quasi-identifiers|sensitive|keep|identifiers|hierarchy|entity|allow-identifying|method|k|to|table"
    r"|suppression-limit|where|encoding|header|compare|accept-roles)(?![^ .,:;])"
)
"""An option of the command line: neither a piece of a name or a path, nor of a command of its own."""
_CALLED: Mapping[str, str] = MappingProxyType({"hierarchy": "hierarchies"})
"""The arguments that are not called as the options of the command line."""


@contextlib.contextmanager
def _in_words_of_python() -> Iterator[None]:
    """Around what names options of the command line in its errors: arguments are named instead."""

    def named(text: str) -> str:
        return _OPTION.sub(lambda found: _CALLED.get(found[1], found[1]).replace("-", "_"), text)

    try:
        yield
    except OrdermadeError as error:
        error.what, error.where, error.next_step = (named(each) for each in (error.what, error.where, error.next_step))
        error.args = (error.message,)
        raise


def _registered(
    engine: Engine, data: object, table: str | None, encoding: str, header: bool
) -> tuple[Engine, RegisteredTable]:
    """The engine that knows the table, and the table."""
    if isinstance(data, str | Path):
        return engine, registered(engine, AnyTable(str(data), table, encoding, header), engine.state_file)
    limits = registered_frame(engine.state_file, engine.limits, NAME, data)
    holding = dataclasses.replace(engine, limits=limits)
    with opened(holding.sources.get(NAME), holding.limits) as backend:
        columns = tuple(backend.tables()[0].columns)
    return holding, RegisteredTable(NAME, NAME, NAME, columns, FRAMES, FRAMES)


def _answered(
    engine: Engine,
    source: RegisteredTable,
    wanted: AnonymizeOptions,
    hierarchies: Mapping[str, HierarchyLike],
    *,
    proposes: bool,
    accepts: bool,
    to: str | Path | None,
    keys: Mapping[str, Any],
    is_file: bool,
    audience: Audience | None,
) -> AnonymizedTable:
    names = [each.name for each in source.columns]
    _require_readable(engine, wanted, hierarchies)
    with SpillFolder() as folder:
        files, functions = files_of(hierarchies, folder.path)
        wanted = dataclasses.replace(wanted, hierarchies=files).of_table(names)
        if not proposes:
            for column in wanted.hierarchies:
                if column not in wanted.roles:
                    raise without_role(column)
            left_out = roles_given([("identifier", [each for each in names if each not in wanted.roles])])
            wanted = dataclasses.replace(wanted, roles={**wanted.roles, **left_out})
        if proposes and not accepts:
            raise _to_be_named(proposed(engine, source, wanted, roles_alone=True))
        proposal = proposed(engine, source, wanted)
        proposal = with_functions(engine, proposal, functions)
        place: str | Mapping[str, str] = {"table": RETURNED}
        if to is not None:
            place = str(Path(to).expanduser().absolute())
        elif is_file:
            place = str(folder.path / "release.parquet")
        answer = answered(engine, proposal, place, keys)
        result = answer.result
        if not result.released:
            raise Refused(result.reason or "nothing passes", next_step="Ask for a smaller k, or of fewer columns.")
        result = dataclasses.replace(result, warnings=(*result.warnings, *_read_otherwise(proposal)))
        report = None if audience is None else engine.releases.report_of(result, audience)
        if is_file and to is None:
            result = _in_memory(result)
    return AnonymizedTable(result, answer.text, proposal.plan.roles, answer.compared, report)


def _audience(report: str | None) -> Audience | None:
    """For whom a report is wanted. Raises InputError for anybody else."""
    match report:
        case None | "provider" | "user":
            return report
    raise InputError("a report is for a provider or a user", where="report", next_step="Give provider or user.")


def _read_otherwise(proposal: Proposal) -> Iterator[str]:
    """The released columns that are read as something else than their texts, as the command line prints them."""
    left_out = proposal.plan.of("identifier")
    for each in proposal.readings:
        if each.column not in left_out:
            yield f"the column {quoted(each.column)} is not in all as it was: it is read as {each.reason}."


def _in_memory(result: Result) -> Result:
    """The result of a release to a file, with its rows read while the file is there."""
    report = result.release
    if report is None:
        return result
    rows = read_rows(Path(report.path))
    return dataclasses.replace(result, release=dataclasses.replace(report, frame=ReturnedFrame("pandas", lambda: rows)))


def _history(
    engine: Engine,
    data: object,
    k: int,
    where: str | None,
    keep: Sequence[str],
    to: str | Path | None,
    keys: Mapping[str, Any],
    audience: Audience | None,
) -> AnonymizedTable:
    if isinstance(data, str | Path):
        raise InputError(
            "purchase histories are anonymised from a frame here",
            where="anonymize: method",
            next_step="Read the file into one, or register it with an Engine and run a request.",
        )
    request: dict[str, Any] = {"method": "history", "k": k, **keys}
    request |= {} if where is None else {"where": where}
    request |= {"keep": list(keep)} if keep else {}
    request |= {} if to is None else {"release": {**keys.get("release", {}), "to": str(to)}}
    result = engine.run(request, data=data)
    if not result.released:
        raise Refused(result.reason or "nothing passes", next_step="Ask for a smaller k.")
    report = None if audience is None else engine.releases.report_of(result, audience, data=data)
    return AnonymizedTable(result, report=report)


def _models(sensitive: Sensitive) -> dict[str, list[Mapping[str, Any]]]:
    if not isinstance(sensitive, Mapping):
        return {}
    found: dict[str, list[Mapping[str, Any]]] = {}
    for column, models in sensitive.items():
        listed = models if isinstance(models, list | tuple) else [models]
        found[column] = [short_model(each, where="sensitive") if isinstance(each, str) else each for each in listed]
    return found


def _require_readable(engine: Engine, wanted: AnonymizeOptions, hierarchies: Mapping[str, HierarchyLike]) -> None:
    """Raises InputError for a column of a frame that is named and cannot be read."""
    held = engine.limits.frames
    if held is None:
        return
    if held.tables[NAME].inside.num_rows < wanted.k:
        raise InputError(
            f"the frame has fewer rows than k, which is {wanted.k:,}",
            where="anonymize",
            next_step="Give more rows, or ask for a smaller k.",
        )
    used = {name for name, role in wanted.roles.items() if role != "identifier"}
    named = {each.casefold() for each in (*used, *hierarchies, *([wanted.entity] if wanted.entity else []))}
    for each in held.tables[NAME].columns:
        if each.refused is not None and each.name.casefold() in named:
            raise refusal(each, "the frame")


def _to_be_named(proposal: Proposal) -> InputError:
    """The error that proposes the call with the role of every column."""
    plan, wanted = proposal.plan, proposal.wanted
    call = [f"k={wanted.k}", f"quasi_identifiers={list(plan.of('quasi-identifier'))!r}"]
    for role, name in (("sensitive", "sensitive"), ("kept", "keep")):
        columns = plan.of(role)  # type: ignore[arg-type]
        call += [f"{name}={list(columns)!r}"] if columns else []
    return InputError(
        "the columns have no roles yet: which of them could others recognise a person by?",
        where="anonymize: quasi_identifiers",
        next_step=f"Take the proposal with accept_roles=True, or give anonymize(data, {', '.join(call)}).",
    )
