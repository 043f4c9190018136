"""The documents of `ordermade request`, but for its answers, offers and predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from ordermade.anonymization.drafted_files import DraftedFiles
    from ordermade.cli.documents.types.request import (
        Drafted,
        Explained,
        ExplainedStep,
        Malformed,
        RecordedRequest,
        RequestList,
        RequestShown,
        RunExplained,
        Sound,
    )
    from ordermade.methods.shared.explain import Step
    from ordermade.methods.shared.result import Result
    from ordermade.state.records.requests import RequestDetails, RequestRecord
    from ordermade.state.records.submissions import Submission


def malformed(file: Path, problems: Sequence[str]) -> Malformed:
    """The document of `request check` of a request with mistakes."""
    return {
        "format": FORMAT,
        "command": "request check",
        "request": str(file),
        "sound": False,
        "problems": list(problems),
    }


def sound(checked: Mapping[str, Any], data: Mapping[str, Any]) -> Sound:
    """The document of `request check` of a sound request: the keys of its method, and the data it was checked against.

    Its type depends on the method.
    """
    return cast("Sound", {"format": FORMAT, "command": "request check", **checked, **data})


def drafted(
    dataset: str, found: DraftedFiles, commands: Sequence[str], to: Path | None, folder: Path | None
) -> Drafted:
    """The document of `request draft`; `to` and `folder`: the file and the folder that were written."""
    return {
        "format": FORMAT,
        "command": "request draft",
        "dataset": dataset,
        "file": None if to is None else str(to),
        "text": found.text if to is None else None,
        "folder": None if folder is None else str(folder),
        "files": [name.partition("/")[2] for name in found.files],
        "commands": list(commands),
    }


def explained(steps: Sequence[Step]) -> Explained:
    """The document of `request explain`."""
    return {
        "format": FORMAT,
        "command": "request explain",
        "steps": _steps(steps),
    }


def run_explained(steps: Sequence[Step]) -> RunExplained:
    """The document of `request run --explain`."""
    return {"format": FORMAT, "command": "request run", "steps": _steps(steps)}


def _steps(steps: Sequence[Step]) -> list[ExplainedStep]:
    return [cast("ExplainedStep", plain(each)) for each in steps]


def answered(result: Result, further: Mapping[str, Any]) -> dict[str, Any]:
    """The document of `request run`: the answer as its method has it, with the keys of what was wanted besides.

    One of the runs of `documents.result`.
    """
    return {"format": FORMAT, "command": "request run", **result.as_dict(), **further}


def listed(requests: Sequence[RequestRecord], submissions: Sequence[Submission]) -> RequestList:
    """The document of `request list`."""
    from ordermade.cli.documents.service import submission

    return {
        "format": FORMAT,
        "command": "request list",
        "requests": [cast("RecordedRequest", plain(each)) for each in requests],
        "submissions": [submission(each) for each in submissions],
    }


def shown(details: RequestDetails) -> RequestShown:
    """The document of `request show`."""
    record = cast("RequestShown", plain(details))
    return cast("RequestShown", {"format": FORMAT, "command": "request show", **record})
