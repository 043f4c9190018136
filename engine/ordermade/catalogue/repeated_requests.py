"""Requests asked again: run on the data of today, compared with one another, and written down for a scheduler."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from ordermade.errors import InputError, Refused
from ordermade.release.files import free_beside, standing
from ordermade.requests.model import SourceTable
from ordermade.requests.read import read_mapping, said_by
from ordermade.state import releases, requests, submissions
from ordermade.state.audit import add_audit_entry
from ordermade.state.database import StateFile
from ordermade.state.ledger import ledger_of

if TYPE_CHECKING:
    from ordermade.engine import Engine
    from ordermade.methods.shared.result import Result
    from ordermade.requests.model import Request
    from ordermade.requests.read import ReadRequest
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.request_columns import (
        HistoryColumn,
        MicroaggregatedAttribute,
        RequestedModels,
        SplitColumn,
    )
    from ordermade.state.records.requests import RequestRecord
    from ordermade.state.releases import ReleaseRecord

Every = Literal["day", "week", "month"]


def rerun(engine: Engine, number: int, *, replace: bool = False) -> Result:
    """Answers an earlier request on the data of today; its release is written beside the earlier one, with the day.

    It is for the same recipients. Where `replace`, it takes the place of the earlier one. Where the data is the same
    and that release still verifies, it is the answer. Raises UnknownName, InputError where the request was not kept
    whole or was of a frame, and as `Engine.run`.
    """
    read = read_again(engine, number, replace=replace)
    recipients = ledger_of(engine.state_file).recipients_of(_rerunnable(engine, number).run)
    run = partial(engine.run, recipients=recipients or ())
    result = run(read) if replace else run_beside(run, read)
    with engine.state_file.writing() as connection:
        add_audit_entry(connection, "request rerun", str(number), data={"request": result.request})
    return result


def run_beside(run: Callable[[ReadRequest[Request]], Result], read: ReadRequest[Request]) -> Result:
    """The answer of `run` to a request; where the name of its release is taken, its release is written beside it.

    Raises as `run`.
    """
    try:
        return run(read)
    except InputError:  # of its name, or of something else, which the second run then says, too
        place = _beside(read.request)
        if place is None:
            raise
        content = said_by(read.request)
        return run(read_mapping({**content, "release": {**content["release"], "to": place}}))


def _beside(request: Request) -> str | dict[str, str] | None:
    """The place of a release beside the one of its name; None where nothing has that."""
    today, to = datetime.now().astimezone().date(), request.release.to
    if isinstance(to, SourceTable):
        return {"table": f"{to.table}_{today:%Y_%m_%d}"}
    path = request.release.path
    if path is None or standing(path) is None:
        return None
    free = str(free_beside(path, today))
    return free if isinstance(to, str) else {"path": free}


def read_again(engine: Engine, number: int, *, replace: bool = False) -> ReadRequest[Request]:
    """An earlier request as it is run again. Raises UnknownName, InputError where it cannot be."""
    record = _rerunnable(engine, number)
    asked: dict[str, Any] = json.loads(record.request or "", parse_float=Decimal)
    release = {**asked["release"], "replace": replace}
    if record.target_path is not None:
        release["to"] = record.target_path
    return read_mapping({**asked, "release": release})


def _rerunnable(engine: Engine, number: int) -> RequestRecord:
    """The record of a request that can be run again. Raises UnknownName, InputError where it cannot."""
    with engine.state_file.reading() as connection:
        submitted = submissions.of_request(connection, number)
        if submitted is not None:
            step = f"`ordermade request rerun {submitted}` submits it again."
            raise InputError(f"request {number} was submitted: what is reviewed is not run past it", next_step=step)
        record = requests.get(connection, number)
    if record.request is None or (record.target_path is None and record.target_table is None):
        erased = "was erased, or noted before requests were kept"
        reason = erased if record.request is None else "has a release that is not kept"
        step = "Run its request file again."
        raise InputError(f"request {number} {reason}: it cannot be run again", next_step=step)
    return record


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which two requests differ."""

    where: Literal["asked", "came out"]
    """Whether the key is of the request or of its outcome."""
    what: str
    """The thing."""
    first: str | None
    """How it is in the first; null where it has none."""
    second: str | None
    """How it is in the second; null where it has none."""


def differences(state: StateFile, first: int, second: int) -> tuple[Difference, ...]:
    """What two requests asked for differently, and what came out differently.

    A submitted request may be given by its own number, or by that of what ran for it. Raises UnknownName, InputError
    for one that did not run yet, StateFault.
    """
    with state.reading() as connection:
        runs = [_run_of(connection, each) for each in (first, second)]
        both = [requests.get(connection, each) for each in runs]
        numbers = [releases.of_request(connection, each) for each in runs]
        out = [None if each is None else releases.get(connection, each) for each in numbers]
    asked = [_asked(each) for each in both]
    came = [_came_out(request, release) for request, release in zip(both, out, strict=True)]
    return (*_unlike("asked", *asked), *_unlike("came out", *came))


def _run_of(connection: StateConnection, number: int) -> int:
    """The number of what ran: one and the same counter numbers submitted requests and those that ran."""
    if submissions.of_request(connection, number) != number:
        return number
    ran = submissions.get(connection, number).submission.request_id
    if ran is None:
        step = f"Look at what it asks for: `ordermade request show {number}`."
        raise InputError(f"request {number} was submitted and did not run yet: it is not compared", next_step=step)
    return ran


def _unlike(
    where: Literal["asked", "came out"], first: Mapping[str, str | None], second: Mapping[str, str | None]
) -> list[Difference]:
    named = [*first, *(each for each in second if each not in first)]
    unlike = [each for each in named if first.get(each) != second.get(each)]
    return [Difference(where, each, first.get(each), second.get(each)) for each in unlike]


_ASKED: Mapping[str, str] = MappingProxyType(
    {
        "title": "title",
        "dataset_name": "dataset",
        "filter": "where",
        "k": "k",
        "method": "method",
        "algorithm": "algorithm",
        "objective": "objective",
        "shape": "shape",
        "target_path": "file",
        "target_table": "table",
        "suppression_limit": "suppression limit",
        "suppressed": "suppressed rows",
        "recoding": "recoding",
        "risk": "risk",
        "weights": "weights",
        "entity_column": "persons by",
        "options": "options",
    }
)
_RELEASED: Mapping[str, str] = MappingProxyType(
    {
        "k": "k measured",
        "divisions": "classes",
        "rows": "rows released",
        "suppressed_rows": "rows suppressed",
        "persons": "persons released",
        "suppressed_persons": "persons suppressed",
        "sha256": "SHA-256 of the file",
    }
)


def _asked(request: RequestRecord) -> dict[str, str | None]:
    """Each key of a request; a column is named with its role, as it may have the name of a key."""
    found = {words: _text(getattr(request, name)) for name, words in _ASKED.items()}
    for each in request.quasi_identifiers:
        levels = f"{each.hierarchy} {each.hierarchy_hash[:8]}, levels {each.from_level} to {each.to_level}"
        found[f"quasi-identifier {each.column}"] = levels if each.missing is None else f"{levels}, missing as *"
    for role, columns in (
        ("sensitive column", request.sensitive),
        ("attribute", request.attributes),
        ("split column", request.splits),
        ("history column", request.history),
    ):
        for column in columns:
            found[f"{role} {column.column}"] = _said(column)
    return found | {"identifiers": ", ".join(request.identifiers), "kept": ", ".join(request.keep)}


def _said(column: RequestedModels | MicroaggregatedAttribute | SplitColumn | HistoryColumn) -> str:
    values = {name: getattr(column, name) for name in type(column).__slots__ if name != "column"}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items() if value is not None)


def _came_out(request: RequestRecord, out: ReleaseRecord | None) -> dict[str, str | None]:
    found = {
        "status": request.status,
        "reason": request.reason,
        "dataset version": _text(request.dataset_version_id),
        "engine": request.engine_version,
        **{f"level of {each.column}": each.chosen_level_name for each in request.quasi_identifiers},
    }
    if out is not None:
        found |= {words: _text(getattr(out, name)) for name, words in _RELEASED.items()}
        found |= {f"loss {metric}": f"{value:.6g}" for metric, value in out.losses.items()}
    return found


def _text(value: object) -> str | None:
    return None if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Lines for a scheduler that run a request again: one for cron, or a service and a timer for systemd."""

    request: int
    """The number of the request."""
    cron: str
    """A line of a crontab."""
    service: str
    """A unit of systemd."""
    timer: str
    """The timer of the unit."""


_CRON: Mapping[Every, str] = {"day": "0 3 * * *", "week": "0 3 * * 1", "month": "0 3 1 * *"}
_CALENDAR: Mapping[Every, str] = {"day": "*-*-* 03:00:00", "week": "Mon *-*-* 03:00:00", "month": "*-*-01 03:00:00"}


def schedule(state: StateFile, number: int, every: Every, program: Path, folder: Path) -> Schedule:
    """The lines that run a request again every day, week or month at 3 in the morning; nothing is run or installed.

    `program`: the ordermade that is to run it; `folder`: where, as the paths of the request may be relative to it.
    Raises UnknownName, Refused for a submitted request that is not delivered, StateFault.
    """
    with state.reading() as connection:
        submitted = submissions.of_request(connection, number)
        if submitted is None:
            requests.get(connection, number)
        elif not any(each.status == "delivered" for each in submissions.again(connection, submitted)):
            step = f"Look at it: `ordermade request show {submitted}`."
            raise Refused(f"request {submitted} was not delivered, or has ended: it is not run again", next_step=step)
    words = [str(program), "--state", str(state.path), "request", "rerun", str(number)]
    typed = shlex.join(words)
    in_units = " ".join(_in_unit(each, place) for place, each in enumerate(words))
    in_folder = f"cd {shlex.quote(str(folder))} && {typed}"
    escaped = in_folder.replace("%", r"\%")  # cron reads a bare one as the end of the line
    return Schedule(
        request=number,
        cron=f"{_CRON[every]} {escaped}",
        service=f"[Unit]\nDescription=ordermade: request {number} again\n\n[Service]\nType=oneshot\n"
        f"WorkingDirectory={str(folder).replace('%', '%%')}\nExecStart={in_units}\n",
        timer=f"[Unit]\nDescription=ordermade: request {number} again, every {every}\n\n[Timer]\n"
        f"OnCalendar={_CALENDAR[every]}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n",
    )


def _in_unit(word: str, place: int) -> str:
    """A word of a command as systemd reads it: variables are put in after the program (place 0), specifiers in all."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped.replace("$", "$$") if place else escaped}"'
