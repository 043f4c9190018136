"""Reading a request, file or text: a `Request` with the line of every field, or all mistakes at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic import ValidationError

from ordermade.errors import RequestError
from ordermade.requests.by_method import DEFAULT_METHOD, REQUESTS
from ordermade.requests.document import file_text, read_document
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.history import HistoryRequest
from ordermade.requests.microaggregation import MicroaggregationRequest
from ordermade.requests.mistakes import no_choice, problems_of
from ordermade.requests.model import Request
from ordermade.requests.mondrian import MondrianRequest
from ordermade.requests.problems import FieldPath, Problem, field_name, line_of, refusal

AnyRequest = TypeVar("AnyRequest", bound=Request, covariant=True)
"""The request of one method."""
Kind = TypeVar("Kind", bound=Request)
"""The same, where one request type is derived from another."""

RequestLike: TypeAlias = "ReadRequest[Request] | Path | str | Mapping[str, Any]"
"""A request in any accepted form: see `read_like`."""

EARLIER_KEYS: Mapping[str, str] = MappingProxyType({"withheld": "suppressed"})
"""Keys by which earlier request files name a field, each with its present name."""

TEXT = "request"
"""The file name in messages about a request that was not read from a file."""


@dataclass(frozen=True, slots=True)
class ReadRequest(Generic[AnyRequest]):
    """A request as read: the model, the text it came from, the file (None for a text), and each field's line.

    `lines` maps a field's name as messages show it ("quasi_identifiers.age.from", "keep[0]") to its line.
    """

    request: AnyRequest
    text: str = ""
    path: Path | None = None
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """The file as the user named it, for messages."""
        return str(self.path) if self.path else TEXT

    def line(self, path: FieldPath) -> int:
        """The line of a field, or of the nearest part around it that the file spells out; 0 if unknown."""
        return line_of(path, self.lines)

    def refusal(self, problems: Iterable[Problem]) -> RequestError:
        """The error that reports these problems of this request."""
        return refusal(problems, self.where)


def of_generalization(read: ReadRequest[Request], command: str) -> ReadRequest[GeneralizationRequest]:
    """The request, if its method is generalisation. Raises RequestError for another, which `command` does not serve."""
    instead = "leave method out, or use another command"
    return _of(GeneralizationRequest, "generalization", read, command, instead)


def of_microaggregation(read: ReadRequest[Request], command: str) -> ReadRequest[MicroaggregationRequest]:
    """The request, if its method is microaggregation. Raises RequestError for another, not served by `command`."""
    instead = "write method: microaggregation and the columns in attributes, or use another command"
    return _of(MicroaggregationRequest, "microaggregation", read, command, instead)


def of_mondrian(read: ReadRequest[Request], command: str) -> ReadRequest[MondrianRequest]:
    """The request, if its method is Mondrian. Raises RequestError for another, which `command` does not serve."""
    return _of(MondrianRequest, "mondrian", read, command, "write method: mondrian, or use another command")


def of_history(read: ReadRequest[Request], command: str) -> ReadRequest[HistoryRequest]:
    """The request, if its method is history. Raises RequestError for another, which `command` does not serve."""
    instead = "write method: history and the columns in history, or use another command"
    return _of(HistoryRequest, "history", read, command, instead)


def _of(kind: type[Kind], method: str, read: ReadRequest[Request], command: str, instead: str) -> ReadRequest[Kind]:
    if isinstance(read.request, kind):
        return ReadRequest(read.request, read.text, read.path, read.lines)
    what = f"`{command}` is for requests whose method is {method}, not {read.request.method}"
    raise read.refusal([Problem(what, instead, ("method",), read.line(("method",)))])


def predictable(read: ReadRequest[Request]) -> ReadRequest[GeneralizationRequest]:
    """The request, if its outcome can be predicted. Raises RequestError with the facts known without counting."""
    request = read.request
    if isinstance(request, MicroaggregationRequest):
        within = " and every class of `within`" if request.within else ""
        passes = f"wherever the dataset{within} {'have' if within else 'has'} {request.k:,} rows or more"
        instead = "run it, or compare the loss at several k with `ordermade microaggregation compare`"
        raise _nothing_predicted(read, "microaggregation", passes, instead)
    if isinstance(request, MondrianRequest):
        models = " and the whole of it satisfies the models" if request.sensitive else ""
        passes = f"wherever the dataset has {request.k:,} rows (or persons, with an entity column) or more{models}"
        raise _nothing_predicted(read, "Mondrian", passes, "run it")
    if isinstance(request, HistoryRequest):
        passes = f"wherever there are {request.k:,} customers or more, unless all of their purchases are to be deleted"
        instead = "run it, or compare the loss at several k with `ordermade sweep`"
        raise _nothing_predicted(read, "history", passes, instead)
    return of_generalization(read, "request predict")


def _nothing_predicted(read: ReadRequest[Request], method: str, passes: str, instead: str) -> RequestError:
    what = f"nothing is predicted of a {method}, because no levels are searched: it passes {passes}"
    return read.refusal([Problem(what, instead, ("method",), read.line(("method",)))])


def read_like(request: RequestLike) -> ReadRequest[Request]:
    """The request in a file (a path, or its name as a text of one line), a YAML text, or a mapping; or as read.

    Raises RequestError as `read_request` and `read_mapping` do.
    """
    if isinstance(request, ReadRequest):
        return request
    if isinstance(request, Mapping):
        return read_mapping(request)
    if isinstance(request, str) and "\n" not in request and request.lower().endswith((".yaml", ".yml")):
        return read_request(Path(request))
    return read_request(request)


def read_request(source: Path | str) -> ReadRequest[Request]:
    """The request in a file (a `Path`) or in a YAML text (a `str`).

    Raises:
        RequestError: the file cannot be read or holds no request; `problems` has every mistake.
    """
    text = file_text(source) if isinstance(source, Path) else source.removeprefix("\ufeff")
    path = source if isinstance(source, Path) else None
    where = str(path) if path else TEXT
    document = read_document(text, where)
    content, lines = _with_current_keys(document.content, document.lines)
    request = _validated(content, lines, where)
    return ReadRequest(request, text, path, {field_name(at): line for at, line in lines.items()})


def read_mapping(content: Mapping[str, Any]) -> ReadRequest[Request]:
    """The request in a mapping, as Python has it: texts stay texts, and paths (`Path`) may stand for their names.

    Raises:
        RequestError: `problems` has every mistake.
    """
    current, lines = _with_current_keys(_with_paths_as_texts(content), {})
    return ReadRequest(_validated(current, lines, TEXT))


def _with_current_keys(content: Any, lines: Mapping[FieldPath, int]) -> tuple[Any, Mapping[FieldPath, int]]:
    """The content and its lines with every earlier key under its present name, unless both are given."""
    if not isinstance(content, Mapping):
        return content, lines
    now = {earlier: key for earlier, key in EARLIER_KEYS.items() if earlier in content and key not in content}
    return (
        {now.get(key, key): value for key, value in content.items()},
        {(now.get(str(at[0]), at[0]), *at[1:]) if at else at: line for at, line in lines.items()},
    )


def _validated(content: Any, lines: Mapping[FieldPath, int], where: str) -> Request:
    kind = _kind(content, lines, where)
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        # The values pydantic would chain to the error are left out: the problems are complete.
        raise refusal(problems_of(error, lines, kind), where) from None


def _kind(content: Any, lines: Mapping[FieldPath, int], where: str) -> type[Request]:
    """The class of requests of the method. Raises RequestError for an unknown method."""
    method = content.get("method", DEFAULT_METHOD) if isinstance(content, Mapping) else DEFAULT_METHOD
    if isinstance(method, str) and method in REQUESTS:
        return REQUESTS[method]
    what, instead = no_choice(method, list(REQUESTS))
    # The other keys belong to some method, and it is not known which.
    raise refusal([Problem(what, instead, ("method",), lines.get(("method",), 0))], where)


def _with_paths_as_texts(content: Any) -> Any:
    match content:
        case Path():
            return str(content)
        case Mapping():
            return {key: _with_paths_as_texts(each) for key, each in content.items()}
        case list() | tuple():
            return [_with_paths_as_texts(each) for each in content]
        case _:
            return content
