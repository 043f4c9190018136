"""A revision of a submitted request: its text, what it means with the files it names, and what is predicted of it.

Reading and writing requests is imported where it is done: a list of requests need not wait for it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import InputError, RequestError, quoted
from ordermade.methods.generalization.expected_outcome import expected_of
from ordermade.methods.tables.predicted import PredictedTables, suppressed_in_words
from ordermade.phrases import phrase
from ordermade.requests.history import HistoryRequest
from ordermade.requests.model import OWNER_ALONE, Release, SourceTable, absolute_path, misleading
from ordermade.requests.mondrian import MondrianRequest
from ordermade.requests.read import ReadRequest, read_like, read_request, require_predictable
from ordermade.requests.resolving import request_hash
from ordermade.requests.table import TableRequest
from ordermade.requests.written import as_yaml
from ordermade.state.submissions import hierarchy_hashes

if TYPE_CHECKING:
    from ordermade.methods.generalization.expected_outcome import ExpectedOutcome
    from ordermade.requests.model import Request
    from ordermade.requests.read import RequestLike
    from ordermade.requests.resolving import FileField
    from ordermade.service.engine_api import EngineApi
    from ordermade.state.connection import StateConnection

DELIVERIES = "deliveries"
"""The folder beside the state in which the releases of submitted requests are, one folder each."""

LONGEST_TITLE = 200
"""Characters of the title of a submitted request, which is a line of lists."""

LONGEST_FILE_NAME = 200
"""Bytes of the name of a released file: file systems have 255, with the endings of the manifest and of a part."""

_NOT_IN_NAMES = '<>:"|?*\\'
_OF_DEVICES = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9¹²³]) *(\.|\Z)", re.IGNORECASE)
"""Names that Windows keeps for devices, whatever their ending."""

LONGEST_REASON = 500
"""Characters of the reason of a step, which is a line of lists, too."""


@dataclass(frozen=True, slots=True)
class WrittenRevision:
    """A request that may be a revision: as read, its text, its canonical filter, and the hashes of files it names."""

    read: ReadRequest[Request]
    text: str
    filter_text: str | None = None
    said_by_files: Mapping[FileField, str] = field(default_factory=dict)

    @property
    def request(self) -> Request:
        """The request."""
        return self.read.request

    @property
    def dataset(self) -> str:
        """The name of its dataset."""
        return str(self.request.dataset)

    @property
    def text_hash(self) -> str:
        """The SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def meaning(self, connection: StateConnection) -> str:
        """The SHA-256 of the request with the contents of the hierarchies and files that it names, as they are now."""
        # Resolving imports sqlglot and numpy.
        content = {
            "request": request_hash(self.request, self.filter_text, self.said_by_files),
            "hierarchies": hierarchy_hashes(connection, self.request.hierarchy_names),
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class PredictionSummary:
    """What is predicted of a revision, in words without counts, and the chance that it passes (None: unknown).

    `fails`: it is proved to fail.
    """

    words: str
    chance: float | None = None
    fails: bool = False


def written(office: EngineApi, request: RequestLike) -> WrittenRevision:
    """The request, checked against its dataset. Raises RequestError with every mistake, InputError, SourceFault.

    A submitted request names a registered dataset and releases into a file of its own: where, the provider decides.
    """
    read = submittable(request)
    resolved = office.check(read)
    return WrittenRevision(read, read.text or text_of(read.request), resolved.filter_text, resolved.said_by_files)


def submittable(request: RequestLike) -> ReadRequest[Request]:
    """The request as read, if its kind may be submitted. Raises RequestError, InputError."""
    read = read_like(request)
    asked = read.request
    if not isinstance(asked.dataset, str):
        raise InputError(
            phrase("a submitted request names a registered dataset"),
            where=read.where,
            next_step=phrase("Write dataset: NAME."),
        )
    if len(asked.title) > LONGEST_TITLE or not asked.title.isprintable():
        raise InputError(
            phrase(
                "the title of a submitted request is one line of at most %(longesttitle)s printable characters",
                longesttitle=LONGEST_TITLE,
            ),
            where=read.where,
            next_step=phrase("Write a shorter title: reviewers read it in lists."),
        )
    for line, text in enumerate(read.text.split("\n"), start=1):
        found = misleading(text.removesuffix("\r"), but="\t")
        if found is not None:
            raise InputError(
                phrase(
                    "a submitted request cannot hold the character %(code)s (%(name)s), here at place %(place)s: "
                    "its reviewers would read another text",
                    code=found.code,
                    name=found.name,
                    place=found.place,
                ),
                where=f"{read.where}:{line}",
                next_step=phrase("Take it out, or write it as an escape between double quotes."),
            )
    if isinstance(asked.release.to, SourceTable):
        raise InputError(
            phrase("a submitted request releases into a file, which is delivered"),
            where=read.where,
            next_step=phrase("Write release: {to: NAME.csv}."),
        )
    file = asked.release.path
    if file is not None and not _is_taken_anywhere(file.name):
        without = " ".join(_NOT_IN_NAMES)
        raise InputError(
            phrase("not every system takes a file of the name %(name)s", name=quoted(file.name)),
            where=read.where,
            next_step=phrase(
                "Write release: {to: NAME.csv}, of at most %(longestfilename)s bytes, all of them printable, "
                "without %(without)s and not called as a device, such as NUL.",
                longestfilename=LONGEST_FILE_NAME,
                without=without,
            ),
        )
    written = [key for key in _files_named(asked) if key in _WRITTEN_BESIDE]
    if written:
        raise InputError(
            phrase(
                "a submitted request has no %(written)s beside its release: it is the provider's", written=written[0]
            ),
            where=read.where,
            next_step=phrase("Leave %(written)s out.", written=written[0]),
        )
    return read


_WRITTEN_BESIDE = frozenset({"map", "page", "intervals"})
"""The keys that name files which are written beside a release."""


def _is_taken_anywhere(name: str) -> bool:
    """Whether every system that a release may be copied to takes a file of that name, with its manifest beside it."""
    if not name.isprintable() or any(each in name for each in _NOT_IN_NAMES):
        return False
    return len(name.encode()) <= LONGEST_FILE_NAME and _OF_DEVICES.match(name) is None


def of_user(request: RequestLike) -> ReadRequest[Request]:
    """The request as read, if a user by a token may give it: it names no file, which would be one of the provider's.

    Raises as `submittable`.
    """
    read = submittable(request)
    named = _files_named(read.request)
    if named:
        raise InputError(
            phrase("a request by a token names no file of the provider's, as %(named)s does", named=named[0]),
            where=read.where,
            next_step=phrase("Ask the provider to propose the request with its file."),
        )
    return read


def _files_named(request: Request) -> list[str]:
    """The keys of a request that name a file beside the release."""
    if request.method == "mondrian":
        is_named = isinstance(request, MondrianRequest) and request.mondrian.rules is not None
        return ["rules"] if is_named else []
    if request.method == "table" and isinstance(request, TableRequest):
        intervals = request.intervals
        of_table = {"page": request.page, "intervals": intervals.provider or intervals.user}
        return [key for key, value in of_table.items() if value is not None]
    if request.method == "history" and isinstance(request, HistoryRequest):
        named = {"map": request.history.map, "taxonomy": request.history.items}
        return [key for key, value in named.items() if value is not None]
    return []


def again(office: EngineApi, text: str) -> WrittenRevision:
    """A kept revision, checked anew: its files may say something else by now. Raises as `written`."""
    return written(office, read_request(text))


def text_of(request: Request) -> str:
    """The request as YAML that reads as the same request: for one that a program made, or an offer changed."""
    text = as_yaml(request)
    if request_hash(read_request(text).request) != request_hash(request):
        raise RuntimeError("a request does not read as it was written")
    return text


def outlook(office: EngineApi, read: ReadRequest[Request]) -> PredictionSummary:
    """What is predicted of a request, from the state alone; no count is in it. The state notes the forecast."""
    try:
        require_predictable(read)
    except RequestError as nothing:
        return PredictionSummary(nothing.problems[0] if nothing.problems else nothing.what)

    try:
        found = office.predict(read, note=True, look=False)  # users read it: no fault of the source may be in it
    except RequestError:  # it was checked: the data were last seen with other columns than the provider registered
        return PredictionSummary(_VERDICTS["open"])
    if isinstance(found, PredictedTables):
        return _tables_outlook(found)
    short = expected_of(found)
    words = [_VERDICTS[found.verdict]]
    if not short.proved and short.chance is not None:
        words[0] += f" ({round(100 * short.chance)} in 100)"
    if short.levels and found.verdict in ("passes", "likely"):
        words.append("expected: " + ", ".join(f"{column} by {name}" for column, name in short.levels.items()))
    if found.verdict != "fails":
        words.append(_effort(short))
    return PredictionSummary("; ".join(words), short.chance, found.verdict == "fails")


def _tables_outlook(found: PredictedTables) -> PredictionSummary:
    words = _VERDICTS[found.verdict]
    if found.chance is not None and found.verdict in ("likely", "unlikely"):
        words += f" ({round(100 * found.chance)} in 100)"
    suppressed = suppressed_in_words(found)
    if suppressed is not None:
        words += f"; cells suppressed: {suppressed}"
    return PredictionSummary(words, found.chance, found.verdict == "fails")


def _effort(short: ExpectedOutcome) -> str:
    questions = round(short.questions)
    nodes = f"{questions:,} node{'' if questions == 1 else 's'} to measure"
    return nodes if short.seconds is None else f"{nodes}, in about {max(short.seconds, 0.1):.1f} s"


_VERDICTS: Mapping[str, str] = {
    "passes": "it passes",
    "fails": "it fails",
    "likely": "it will probably pass",
    "unlikely": "it will probably fail",
    "open": "too little is known to predict it",
}


def delivery(state: Path, number: int, revision: int, read: ReadRequest[Request]) -> ReadRequest[Request]:
    """The request with its release in a folder of the provider's, beside the state; nothing is ever replaced."""
    release = release_of(state, number, revision, read.request)
    request = read.request.model_copy(update={"release": release})
    return ReadRequest(request, read.text, read.path, read.lines)


def release_of(state: Path, number: int, revision: int, request: Request) -> Release:
    """Where the release of a revision goes: the file that it names, the provider's alone, in a folder of its own."""
    asked = request.release
    if asked.path is None:
        raise ValueError("a submitted request releases into a file")
    to = deliveries(state) / f"{number}-{revision}" / asked.path.name
    content = asked.model_dump(mode="python", by_alias=True, exclude_defaults=True)
    return Release.model_validate({**content, "to": str(to), "replace": False, "mode": OWNER_ALONE})


def deliveries(state: Path) -> Path:
    """The folder of the releases of submitted requests, as the paths of releases are kept."""
    return absolute_path(str(state.parent / DELIVERIES))


def reason_of(why: str | None) -> str | None:
    """A reason in one line. Raises InputError for one that is too long or does not print."""
    if why is None or not why.strip():
        return None
    line = " ".join(why.split())
    if len(line) > LONGEST_REASON or not line.isprintable():
        raise InputError(
            phrase(
                "a reason is one line of at most %(longestreason)s printable characters", longestreason=LONGEST_REASON
            ),
            where="why",
        )
    return line
