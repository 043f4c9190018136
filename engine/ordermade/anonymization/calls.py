"""The calls of a program: a table or a frame anonymised, or measured, with nothing registered and no state kept."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, cast

from ordermade.anonymization.anonymized import answered, swept
from ordermade.anonymization.anonymized_table import AnonymizedTable, Frame, Repeated
from ordermade.anonymization.options import (
    DEFAULT_LIMIT,
    DEFAULT_MODELS,
    DEFAULT_OBJECTIVE,
    AnonymizeOptions,
    method_named,
    roles_given,
    unless_persons,
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
from ordermade.drafts.odd_words import PythonWords, odd_in_words
from ordermade.drafts.reading_options import ReadingOptions, reading_of
from ordermade.engine import Engine
from ordermade.errors import InputError, OrdermadeError, Refused, did_you_mean, quoted
from ordermade.files.file_reading import skipped_lines
from ordermade.methods.shared.sweep import MAX_KS, each_k
from ordermade.privacy.least_k import numbered
from ordermade.progress.line import progress_of
from ordermade.progress.waiting import shown
from ordermade.release.files import read_rows
from ordermade.release.returned import ReturnedFrame
from ordermade.requests.methods import REQUESTS
from ordermade.requests.read import RETURNED
from ordermade.sources.frames import is_frame, refusal
from ordermade.sources.kinds import FRAMES
from ordermade.sources.spill_folder import SpillFolder
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile

if TYPE_CHECKING:
    import pandas

    from ordermade.anonymization.proposal import Proposal
    from ordermade.counting.table_figures import MeasuredTable
    from ordermade.drafts.request import DraftedMethod
    from ordermade.drafts.roles import Role
    from ordermade.methods.shared.result import Result
    from ordermade.methods.shared.sweep import Sweep
    from ordermade.progress.waiting import Progress
    from ordermade.reports.figures import Audience
    from ordermade.requests.generalization import Objective
    from ordermade.requests.model import MissingValues, OutputEncoding, Shape

CalledMethod = Literal["full-domain", "local", "mondrian", "microaggregation", "best", "history", "generalization"]
"""The ways to anonymise, by the names that a call gives them; `generalization` is `full-domain`, as in a request."""
SweptMethod = Literal["full-domain", "local", "mondrian", "microaggregation", "generalization"]
"""Those that have a sweep: purchase histories are swept by an engine."""
NAME = "data"
"""The name of a frame that has none."""
Sensitive = Iterable[str] | Mapping[str, Any]


@typed
def anonymize(
    data: str | Path | Frame,
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
    title: str = "",
    shape: Shape = "rows",
    missing_values: MissingValues = "category",
    to: str | Path | None = None,
    output_encoding: OutputEncoding = "utf-8",
    table: str | None = None,
    encoding: str = "auto",
    header: bool = False,
    reading: Mapping[str, Any] | None = None,
    report: Audience | None = None,
    progress: bool | Progress = True,
    **keys: Any,
) -> AnonymizedTable[Frame]:
    """Releases a table k-anonymously. Columns that are not named are left out, as in a request.

    Args:
        data: A frame of pandas, polars or Arrow, which is never changed, or the path or URL of a table.
        k: The least rows, or persons, of each equivalence class.
        quasi_identifiers: The columns by which others could recognise a person. None: the call proposes a role for
            each column and ends with the call to give, unless `accept_roles` takes the proposal.
        sensitive: Columns whose values each class keeps diverse, or by column a model, written as "distinct_l 3" or as
            in a request, or several.
        keep: Columns that are released as they are.
        identifiers: Columns that are left out, where roles are proposed for the others.
        method: "full-domain", "local", "mondrian", "microaggregation", "history", or "best" of the first three.
        hierarchies: By column a mapping of values to labels, a frame, a function (or several, coarser and coarser), the
            path of a file, YAML text, or the content of a YAML file. Those of other quasi-identifiers are drafted.
        suppression_limit: The share of the rows that may be left out.
        objective: The loss that is minimised.
        where: A row filter, as in a request.
        entity: The column that identifies a person with several rows: k counts persons then.
        allow_identifying: Kept and sensitive columns that are released although most of their values tell a row.
        accept_roles: Whether the proposed roles are taken where no `quasi_identifiers` are named.
        compare: Whether the losses of other methods are computed, too.
        title: The title of the request, which heads its report.
        shape: "rows", or "table": a row a class, with its count. Nothing is written without `to`.
        missing_values: "category": missing values of quasi-identifiers are a value of their own; "suppressed": they are
            released as `*` at every level.
        to: A file to write the release to: .parquet, .csv, .csv.gz or .xlsx.
        output_encoding: Of a CSV file in `to`: "utf-8", or "utf-8-sig" with a byte order mark, by which spreadsheet
            programs know it.
        table: Of a database with several tables, the one.
        encoding: Of a CSV file, a codec of Python, or "auto".
        header: Whether the first line of a CSV file has names, where nothing shows it.
        reading: How texts are to be read, where they do not show it: `missing`, `date_format`, `decimal`, each a value
            or one by column, and `at_bounds`, columns in which `<0.1` is taken for 0.1; of a file also `skip`, so many
            first lines, and `skip_lines`, their numbers. As in `{"missing": {"age": ["unknown", -9]}}`.
        report: "provider" or "user", for whom the figures of a report are gathered.
        progress: True for a line beneath the cell of a notebook, or on stderr where that is a terminal, as soon as
            the call takes a moment; False for none; or a `Progress`.
        **keys: Further keys of a request, which name no further columns.

    Returns:
        The release; its `frame()` is of the kind of `data`, of a path or URL one of pandas.

    Raises:
        TypeError: There is no such argument and no such key of a request.
        InputError: An argument cannot be, or no `quasi_identifiers` are named: then with the call to give.
        HierarchyError: A hierarchy has mistakes.
        Refused: Nothing passes.
        SourceFault: The table cannot be read.
        StateFault: The state of the call cannot be written.
        ReleaseFault: The release cannot be written.

    Example:
        >>> release = anonymize(df, k=5, quasi_identifiers=["age", "sex"], sensitive={"diagnosis": "distinct_l 3"})
        >>> release.result.method
        'generalization'
        >>> measure(release.frame(), ["age", "sex"]).k == release.k
        True
    """
    _require_known(anonymize, keys)
    audience = _audience(report)
    with _in_words_of_python(), _engine(progress) as engine:
        _require_of_files(data, table, encoding, header, reading)
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
                "shape": shape != "rows",
                "missing_values": missing_values != "category",
            }
            _require_unused(
                of_columns,
                "is for other methods",
                "Name the columns in history={…}, as in a request.",
            )
            _require_unused({"output_encoding": output_encoding != "utf-8"}, "is for other methods", _IN_RELEASE)
            named = {"title": title} if title else {}
            return _history(engine, data, k, where, list(keep), to, {**named, **keys}, audience)
        wanted = _wanted(
            k,
            quasi_identifiers,
            sensitive,
            keep,
            identifiers,
            method=method_named(method),
            suppression_limit=Decimal(str(suppression_limit)),
            objective=objective,
            where=where,
            entity=entity,
            allow_identifying=tuple(allow_identifying),
            compare=compare,
            title=title,
            shape=shape,
            output_encoding=output_encoding,
            missing_values=missing_values,
            reading=_reading(reading),
        )
        wanted.require_encoding_of(None if to is None else str(to))
        call = _Call(wanted, hierarchies or {}, quasi_identifiers is None, accept_roles, keys)
        engine, source = _registered(engine, data, table, encoding, header, _skipped(reading))
        return _answered(engine, source, call, to=to, is_file=not is_frame(data), audience=audience)


@typed
def sweep(
    data: object,
    k: Iterable[int],
    *,
    quasi_identifiers: Iterable[str] | None = None,
    sensitive: Sensitive = (),
    keep: Iterable[str] = (),
    identifiers: Iterable[str] = (),
    method: SweptMethod = "full-domain",
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    suppression_limit: float | Decimal = DEFAULT_LIMIT,
    objective: Objective = DEFAULT_OBJECTIVE,
    where: str | None = None,
    entity: str | None = None,
    allow_identifying: Iterable[str] = (),
    accept_roles: bool = False,
    missing_values: MissingValues = "category",
    table: str | None = None,
    encoding: str = "auto",
    header: bool = False,
    reading: Mapping[str, Any] | None = None,
    progress: bool | Progress = True,
    **keys: Any,
) -> Sweep:
    """Computes the loss and the risk of a release with one k after another. Nothing is released.

    The hierarchies are the same for each k: those that are drafted, as for the least. The table is read once.

    Args:
        data: A frame of pandas, polars or Arrow, or the path or URL of a table.
        k: Each k, as in `[2, 5, 10, 20]`.
        quasi_identifiers: As for `anonymize`.
        sensitive: As for `anonymize`.
        keep: As for `anonymize`.
        identifiers: As for `anonymize`.
        method: "full-domain", "local", "mondrian" or "microaggregation".
        hierarchies: As for `anonymize`.
        suppression_limit: As for `anonymize`.
        objective: As for `anonymize`.
        where: As for `anonymize`.
        entity: As for `anonymize`.
        allow_identifying: As for `anonymize`.
        accept_roles: As for `anonymize`.
        missing_values: As for `anonymize`.
        table: As for `anonymize`.
        encoding: As for `anonymize`.
        header: As for `anonymize`.
        reading: As for `anonymize`.
        progress: As for `anonymize`.
        **keys: Further keys of a request, which name no further columns.

    Returns:
        A point for each k with its losses, its risk and the suppressed rows, or the reason of its refusal; `plot()`
        draws them.

    Raises:
        TypeError: There is no such argument and no such key of a request.
        InputError: An argument cannot be, or no `quasi_identifiers` are named: then with the call to give.
        HierarchyError: A hierarchy has mistakes.
        Refused: The table has fewer rows than the least k.
        SourceFault: The table cannot be read.
        StateFault: The state of the call cannot be written.

    Example:
        >>> found = sweep(df, [2, 10, 50], quasi_identifiers=["age", "sex"])
        >>> [each.k for each in found.points]
        [2, 10, 50]
        >>> found.points[0].loss <= found.points[-1].loss
        True
    """
    _require_known(sweep, keys)
    ks = each_k(k, MAX_KS)
    with _in_words_of_python(), _engine(progress) as engine:
        _require_of_files(data, table, encoding, header, reading)
        swept_method = method_named(method)
        if swept_method == "best":
            raise InputError("each method has a sweep of its own", where="method", next_step="Name one of them.")
        wanted = _wanted(
            ks[0],
            quasi_identifiers,
            sensitive,
            keep,
            identifiers,
            method=swept_method,
            suppression_limit=Decimal(str(suppression_limit)),
            objective=objective,
            where=where,
            entity=entity,
            allow_identifying=tuple(allow_identifying),
            reading=_reading(reading),
            missing_values=missing_values,
        )
        call = _Call(wanted, hierarchies or {}, quasi_identifiers is None, accept_roles, keys, ks)
        engine, source = _registered(engine, data, table, encoding, header, _skipped(reading))
        with SpillFolder() as folder:
            proposal = _proposed(engine, source, call, folder)
            place = _place(None, folder, is_file=not is_frame(data))
            return swept(engine, proposal, swept_method, ks, place, keys)


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
    """Measures how anonymous a table is: k, l, t, alpha, the sizes of classes, risks.

    Args:
        data: A frame of pandas, polars or Arrow, or the path or URL of a table. No state is needed or looked at for a
            frame.
        quasi_identifiers: The columns that make the equivalence classes.
        sensitive: Columns whose values are measured in each class.
        entity: The column that identifies a person with several rows.
        where: A row filter.
        **options: `table`, `encoding` and `header` of a path, as for `Engine.measure`.

    Returns:
        The figures, which hold no value of the table.

    Raises:
        TypeError: There is no such argument.
        InputError: An argument cannot be.
        SourceFault: The table cannot be read.

    Example:
        >>> measure(df, ["age", "sex"]).k
        10
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


@dataclass(frozen=True, slots=True)
class _Call:
    """What a call wants: its options, hierarchies as Python has them, whether roles are proposed and accepted."""

    wanted: AnonymizeOptions
    hierarchies: Mapping[str, HierarchyLike]
    proposes: bool
    accepts: bool
    keys: Mapping[str, Any]
    ks: Sequence[int] | None = None
    """Of a sweep each k."""

    def __post_init__(self) -> None:
        for name in ("attributes", "within"):
            _require_quasi_identifiers(name, self.keys.get(name), self.wanted, proposes=self.proposes)


@contextlib.contextmanager
def _engine(progress: bool | Progress) -> Iterator[Engine]:
    """An engine on a state of its own, and the line of its progress while the block runs."""
    with Engine.in_memory(progress=progress_of(progress)) as engine, shown(engine.progress):
        yield engine


def _wanted(
    k: int,
    quasi_identifiers: Iterable[str] | None,
    sensitive: Sensitive,
    keep: Iterable[str],
    identifiers: Iterable[str],
    **options: Any,
) -> AnonymizeOptions:
    """The options of a call, with the roles of the columns that it names."""
    roles: list[tuple[Role, list[str]]] = [
        ("quasi-identifier", list(() if quasi_identifiers is None else quasi_identifiers)),
        ("sensitive", list(sensitive)),
        ("kept", list(keep)),
        ("identifier", list(identifiers)),
    ]
    return AnonymizeOptions(k=k, roles=roles_given(roles), models=_models(sensitive), **options)


def _unexpected(function: str, name: str, known: Iterable[str]) -> TypeError:
    """The error of a keyword that a function does not have, as Python words it, with the one that may be meant."""
    meant = did_you_mean(name, [each for each in known if each not in ("self", "data", "named", "keys", "options")])
    return TypeError(f"{function}() got an unexpected keyword argument {quoted(name)}. {meant}".strip())


def _reading(given: Mapping[str, Any] | None) -> ReadingOptions:
    """How texts are to be read, without what is said of the lines of a file. Raises InputError."""
    return reading_of({key: value for key, value in (given or {}).items() if key not in _OF_LINES})


def _skipped(given: Mapping[str, Any] | None) -> tuple[int, ...]:
    """The lines of a file that are left out. Raises InputError."""
    first, lines = ((given or {}).get(key, default) for key, default in _OF_LINES.items())
    if not isinstance(first, int) or not all(isinstance(each, int) for each in lines):
        raise InputError("lines are whole numbers", where="reading", next_step="Give {'skip': 2, 'skip_lines': [301]}.")
    return skipped_lines(first, lines)


_IN_RELEASE = 'Give release={"csv": {"encoding": "utf-8-sig"}}, as in a request.'
_OF_LINES: Mapping[str, Any] = MappingProxyType({"skip": 0, "skip_lines": ()})


def _require_known(function: Callable[..., object], keys: Mapping[str, Any]) -> None:
    """Raises TypeError for a key that no request has, or that arguments of the call decide."""
    fields = {field.alias or name for kind in REQUESTS.values() for name, field in kind.model_fields.items()}
    own = inspect.signature(function).parameters
    for name in keys:
        if name not in fields - _DECIDED:
            raise _unexpected(function.__name__, name, [*own, *sorted(fields - _DECIDED)])


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


def _require_of_files(
    data: object, table: str | None, encoding: str, header: bool, reading: Mapping[str, Any] | None
) -> None:
    """Raises InputError where a frame comes with an argument for files."""
    if isinstance(data, str | Path):
        return
    of_files = {"table": table is not None, "encoding": encoding != "auto", "header": header}
    of_files |= {f"reading: {each}": each in (reading or {}) for each in _OF_LINES}
    _require_unused(of_files, "is for files", "Leave it out for a frame.")


def _require_unused(arguments: Mapping[str, bool], what: str, instead: str) -> None:
    """Raises InputError where one of the arguments, which would be ignored, was given."""
    unused = [name for name, is_given in arguments.items() if is_given]
    if unused:
        raise InputError(f"the argument {quoted(unused[0])} {what}", where="data", next_step=instead)


_OPTION = re.compile(
    r"(?<![^ ])--(quasi-identifiers|sensitive|keep|identifiers|hierarchy|entity|allow-identifying|method|k|to|table"
    r"|suppression-limit|where|output-encoding|encoding|header|compare|accept-roles|missing-values)(?![^ .,:;])"
)
"""An option of the command line: neither a piece of a name or a path, nor of a command of its own."""
_CALLED: Mapping[str, str] = MappingProxyType({"hierarchy": "hierarchies"})
"""The arguments that are not called as the options of the command line."""


def _in_arguments(text: str) -> str:
    """A text with the arguments instead of the options that it names."""
    return _OPTION.sub(lambda found: _CALLED.get(found[1], found[1]).replace("-", "_"), text)


@contextlib.contextmanager
def _in_words_of_python() -> Iterator[None]:
    """Around what names options of the command line in its errors: arguments are named instead."""
    try:
        yield
    except OrdermadeError as error:
        error.what, error.where, error.next_step = map(_in_arguments, (error.what, error.where, error.next_step))
        error.args = (error.message,)
        raise


def _registered(
    engine: Engine, data: object, table: str | None, encoding: str, header: bool, skipped: tuple[int, ...]
) -> tuple[Engine, RegisteredTable]:
    """The engine that knows the table, and the table."""
    if isinstance(data, str | Path):
        return engine, registered(engine, AnyTable(str(data), table, encoding, header, skipped), engine.state_file)
    limits = registered_frame(engine.state_file, engine.limits, NAME, data)
    holding = dataclasses.replace(engine, limits=limits)
    with opened(holding.sources.get(NAME), holding.limits) as backend:
        columns = tuple(backend.tables()[0].columns)
    return holding, RegisteredTable(NAME, NAME, NAME, columns, FRAMES, FRAMES)


def _proposed(engine: Engine, source: RegisteredTable, call: _Call, folder: SpillFolder) -> Proposal:
    """The proposal for a table, with the hierarchies of the call, written into a folder.

    Raises InputError with the call to give where the proposed roles are not accepted.
    """
    wanted, names = call.wanted, [each.name for each in source.columns]
    _require_readable(engine, wanted, call.hierarchies)
    files, functions = files_of(call.hierarchies, folder.path)
    wanted = dataclasses.replace(wanted, hierarchies=files).of_table(names)
    if not call.proposes:
        for column in wanted.hierarchies:
            if column not in wanted.roles:
                raise without_role(column)
        unnamed = [each for each in names if each not in wanted.roles]
        left_out = roles_given([("identifier", unnamed)])
        wanted = dataclasses.replace(wanted, roles={**wanted.roles, **left_out}, unnamed=frozenset(unnamed))
    elif not call.accepts:
        proposal = proposed(engine, source, wanted, roles_alone=True)
        _warn_of_texts(proposal)
        raise _to_be_named(proposal, call.ks)
    proposal = proposed(engine, source, wanted)
    _warn_of_texts(proposal)
    return with_functions(engine, proposal, functions)


def _warn_of_texts(proposal: Proposal) -> None:
    """Warns the process of the columns that were not read as what most of their cells are, with the cells."""
    options = PythonWords()
    for each in odd_in_words(proposal.odd, proposal.line_called, options):
        warnings.warn(f"{each}.", UserWarning, stacklevel=_OF_THE_CALL)
    left_out = {column for column, role in proposal.wanted.roles.items() if role == "identifier"}
    for unread in proposal.unread:
        if unread.column not in left_out:
            warnings.warn(f"{options.unread(unread)}.", UserWarning, stacklevel=_OF_THE_CALL)


_OF_THE_CALL = 6
"""The frames between a warning and the program that calls `anonymize`."""


def _answered(
    engine: Engine,
    source: RegisteredTable,
    call: _Call,
    *,
    to: str | Path | None,
    is_file: bool,
    audience: Audience | None,
) -> AnonymizedTable[Any]:
    with SpillFolder() as folder:
        proposal = _proposed(engine, source, call, folder)
        answer = answered(engine, proposal, _place(to, folder, is_file=is_file), call.keys)
        result = answer.result
        if not result.released:
            raise Refused(result.reason or "nothing passes", next_step="Ask for a smaller k, or of fewer columns.")
        further = (*_read_otherwise(proposal), *_persons(proposal), *_implausible(proposal))
        result = dataclasses.replace(result, warnings=(*map(_in_arguments, result.warnings), *further))
        report = None if audience is None else engine.releases.report_of(result, audience)
        if is_file and to is None:
            result = _in_memory(result)
    repeated = _repeated(call, proposal, answer.method) if _may_be_repeated(call, proposal) else None
    return AnonymizedTable(result, answer.text, proposal.plan.roles, answer.compared, report, repeated)


def _place(to: str | Path | None, folder: SpillFolder, *, is_file: bool) -> str | Mapping[str, str]:
    """Where a release goes: to the file that is named, of a frame back to the program, else into a folder."""
    if to is not None:
        return str(Path(to).expanduser().absolute())
    return str(folder.path / "release.parquet") if is_file else {"table": RETURNED}


def _may_be_repeated(call: _Call, proposal: Proposal) -> bool:
    """Whether other rows of the table can be anonymised likewise, and come back as rows."""
    shape = call.keys.get("release", {}).get("shape", call.wanted.shape)
    left_out = proposal.plan.of("identifier")
    is_read = any(each.column not in left_out for each in proposal.readings)
    return call.wanted.where is None and shape == "rows" and not is_read


def _repeated(call: _Call, proposal: Proposal, method: DraftedMethod) -> Repeated:
    """What anonymises other rows of the table likewise: with its roles, its hierarchies and its method."""
    plan, wanted = proposal.plan, proposal.wanted
    drafted = {each.column: each.content.decode("utf-8") for each in plan.hierarchies if each.ending == ".yaml"}
    given = {column: each for column, each in call.hierarchies.items() if column not in drafted}
    keys = {name: value for name, value in call.keys.items() if name != "release"}

    def again(rows: pandas.DataFrame) -> AnonymizedTable[pandas.DataFrame]:
        return anonymize(
            rows,
            wanted.k,
            quasi_identifiers=plan.of("quasi-identifier"),
            sensitive={column: wanted.models.get(column, DEFAULT_MODELS) for column in plan.of("sensitive")},
            keep=plan.of("kept"),
            method=method,
            hierarchies={**drafted, **given},
            suppression_limit=wanted.suppression_limit,
            objective=cast("Objective", wanted.objective),
            entity=wanted.entity,
            # Fewer rows have more different values a row; they stay with the provider.
            allow_identifying=(*plan.of("sensitive"), *plan.of("kept")),
            progress=False,
            **keys,
        )

    return again


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


def _implausible(proposal: Proposal) -> Iterator[str]:
    """The released columns with values that cannot be, in counts of the least k."""
    for each in proposal.implausible:
        rows = numbered(each.rows, "row", "rows", proposal.least_k)
        yield f"the column {quoted(each.column)} has {each.what} in {rows}."


def _persons(proposal: Proposal) -> Iterator[str]:
    """What k counts, where a person has several rows and the call says nothing of it."""
    if proposal.persons is None:
        return
    argument = f"entity={proposal.persons.column!r}"
    if proposal.wanted.entity is None:
        instead = unless_persons(proposal.wanted.method, argument)
        yield f"{proposal.persons.reason}. k counts rows, which protects a person less{instead}."
    else:
        yield f"{proposal.persons.reason}. k counts persons ({argument})."


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
) -> AnonymizedTable[Any]:
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


def _to_be_named(proposal: Proposal, ks: Sequence[int] | None) -> InputError:
    """The error that proposes the call, of a sweep with its ks, with the role of every column."""
    plan, wanted = proposal.plan, proposal.wanted
    function, k = ("anonymize", str(wanted.k)) if ks is None else ("sweep", str(list(ks)))
    call = [f"k={k}", f"quasi_identifiers={list(plan.of('quasi-identifier'))!r}"]
    for role, name in (("sensitive", "sensitive"), ("kept", "keep")):
        columns = plan.of(role)  # type: ignore[arg-type]
        call += [f"{name}={list(columns)!r}"] if columns else []
    call += [f"entity={wanted.entity!r}"] if proposal.persons is not None and wanted.entity is not None else []
    return InputError(
        "the columns have no roles yet: which of them could others recognise a person by?",
        where=f"{function}: quasi_identifiers",
        next_step=f"Take the proposal with accept_roles=True, or give {function}(data, {', '.join(call)}).",
    )
