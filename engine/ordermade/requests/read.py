"""Reading a request, file or text: a `Request` with the line of every field, or all mistakes at once.

Rules and lists of keywords are read by the same parser. Keys are always text as written. Of plain scalars only
`true`/`false`, `null`/`~`, decimal integers and decimal fractions are not text: `no`, `on` and dates stay what
they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from pydantic import ValidationError

from ordermade.errors import RequestError, did_you_mean
from ordermade.files.yaml_documents import Dialect, Document, YamlWords, document_of
from ordermade.phrases import phrase, wording
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.methods import DEFAULT_METHOD, IMPLYING_TABLE, REQUESTS
from ordermade.requests.microaggregation import MicroaggregationRequest
from ordermade.requests.mistakes import no_choice, problems_of
from ordermade.requests.model import Request
from ordermade.requests.mondrian import MondrianRequest
from ordermade.requests.numbers import plain
from ordermade.requests.placeholders import placeholders
from ordermade.requests.problems import FieldPath, RequestProblem, field_name, line_of, refusal
from ordermade.requests.table import TableRequest

AnyRequest = TypeVar("AnyRequest", bound=Request, covariant=True)
"""The request of one method."""
RequestKind = TypeVar("RequestKind", bound=Request)
"""The same, where one request type is derived from another."""

RequestLike: TypeAlias = "ReadRequest[Request] | Path | str | Mapping[str, Any]"
"""A request in any accepted form: see `read_like`."""

EARLIER_KEYS: Mapping[str, str] = MappingProxyType({"withheld": "suppressed"})
"""Keys by which earlier request files name a field, each with its present name."""

TEXT = "request"
"""The file name in messages about a request that was not read from a file."""


class LocatedDocument:
    """What was read from YAML, with its `path` (None for a text) and the line of each field, which messages name.

    `lines` maps a field's name as messages show it ("quasi_identifiers.age.from", "keep[0]") to its line. `UNNAMED`
    stands for the file where there is none, `KIND` says what was read.
    """

    __slots__ = ()
    UNNAMED: ClassVar[str]
    KIND: ClassVar[str]
    path: Path | None
    lines: Mapping[str, int]

    @property
    def where(self) -> str:
        """The file as the user named it, for messages."""
        return str(self.path) if self.path else self.UNNAMED

    def line(self, path: FieldPath) -> int:
        """The line of a field, or of the nearest part around it that the file spells out; 0 if unknown."""
        return line_of(path, self.lines)

    def refusal(self, problems: Iterable[RequestProblem]) -> RequestError:
        """The error that reports these problems of what was read."""
        return refusal(problems, self.where, self.KIND)


@dataclass(frozen=True, slots=True)
class ReadRequest(LocatedDocument, Generic[AnyRequest]):
    """A request as read: the model, the text it came from, the file, and each field's line."""

    UNNAMED = TEXT
    KIND = "request"
    request: AnyRequest
    text: str = ""
    path: Path | None = None
    lines: Mapping[str, int] = field(default_factory=dict)


def of_generalization(read: ReadRequest[Request], command: str) -> ReadRequest[GeneralizationRequest]:
    """The request, if its method is generalisation. Raises RequestError for another, which `command` does not serve."""
    instead = phrase("leave method out, or use another command")
    return _of(GeneralizationRequest, "generalization", read, command, instead)


def of_microaggregation(read: ReadRequest[Request], command: str) -> ReadRequest[MicroaggregationRequest]:
    """The request, if its method is microaggregation. Raises RequestError for another, not served by `command`."""
    instead = phrase("write method: microaggregation and the columns in attributes, or use another command")
    return _of(MicroaggregationRequest, "microaggregation", read, command, instead)


def of_mondrian(read: ReadRequest[Request], command: str) -> ReadRequest[MondrianRequest]:
    """The request, if its method is Mondrian. Raises RequestError for another, which `command` does not serve."""
    return _of(MondrianRequest, "mondrian", read, command, "write method: mondrian, or use another command")


def of_table(read: ReadRequest[Request], command: str = "certificate verify") -> ReadRequest[TableRequest]:
    """The request, if it is for tables with totals. Raises RequestError for another, which `command` does not serve."""
    return _of(TableRequest, "table", read, command, "name a request with rows and columns of a table")


def _of(
    kind: type[RequestKind], method: str, read: ReadRequest[Request], command: str, instead: str
) -> ReadRequest[RequestKind]:
    if isinstance(read.request, kind):
        return ReadRequest(read.request, read.text, read.path, read.lines)
    what = phrase(
        "`%(command)s` is for requests whose method is %(method)s, not %(method2)s",
        command=command,
        method=method,
        method2=read.request.method,
    )
    raise read.refusal([RequestProblem(what, instead, ("method",), read.line(("method",)))])


def require_predictable(read: ReadRequest[Request]) -> None:
    """Raises RequestError, with the facts known without counting, for a request whose outcome is not predicted."""
    if read.request.method not in (DEFAULT_METHOD, "table"):
        raise _nothing_predicted(read)


def predictable(read: ReadRequest[Request]) -> ReadRequest[GeneralizationRequest]:
    """The request for generalisation, to predict its outcome. Raises RequestError as `require_predictable` does."""
    require_predictable(read)
    return of_generalization(read, "request predict")


def _nothing_predicted(read: ReadRequest[Request]) -> RequestError:
    """That no levels are searched by its method, and when it passes."""
    request, named, instead = read.request, read.request.method, "run it"
    if isinstance(request, MicroaggregationRequest):
        within = " and every class of `within`" if request.within else ""
        passes = f"wherever the dataset{within} {'have' if within else 'has'} {request.k:,} rows or more"
        instead = "run it, or compare the loss at several k with `ordermade microaggregation compare`"
    elif isinstance(request, MondrianRequest):
        named, models = "Mondrian", " and the whole of it satisfies the models" if request.sensitive else ""
        passes = f"wherever the dataset has {request.k:,} rows (or persons, with an entity column) or more{models}"
    else:
        passes = f"wherever there are {request.k:,} customers or more, unless all of their purchases are to be deleted"
        instead = "run it, or compare the loss at several k with `ordermade sweep`"
    what = f"nothing is predicted of a {named}, because no levels are searched: it passes {passes}"
    return read.refusal([RequestProblem(what, instead, ("method",), read.line(("method",)))])


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


RETURNED = "returned"
"""The table that a release is, where a program that gave a frame gets one back."""


def read_on_frames(request: RequestLike, names: Sequence[str], otherwise: str) -> ReadRequest[Request]:
    """The request as `read_like` gives it, of frames of these names: its dataset and its release may be left out.

    The dataset is the only frame then, and a release without a place is returned. `otherwise`: the name of the source
    of a dataset that is described. Raises RequestError.
    """
    if isinstance(request, ReadRequest):
        return request
    if isinstance(request, Mapping):
        content, lines = _with_current_keys(_with_paths_as_texts(request), {})
        return ReadRequest(_validated(_on_frames(content, names, otherwise), lines, TEXT))
    is_file = isinstance(request, Path) or ("\n" not in request and request.lower().endswith((".yaml", ".yml")))
    return read_request(Path(request) if is_file else request, lambda content: _on_frames(content, names, otherwise))


def _on_frames(content: Any, names: Sequence[str], otherwise: str) -> Any:
    if not isinstance(content, Mapping):
        return content
    dataset, release = content.get("dataset"), content.get("release")
    filled = dict(content)
    if dataset is None and len(names) == 1:
        filled["dataset"] = names[0]
    elif isinstance(dataset, Mapping) and "source" not in dataset:
        filled["dataset"] = {"source": otherwise, **dataset}
    if release is None or (isinstance(release, Mapping) and "to" not in release):
        filled["release"] = {"to": {"table": RETURNED}, **(release or {})}
    return filled


def read_request(source: Path | str, filled: Callable[[Any], Any] = lambda content: content) -> ReadRequest[Request]:
    """The request in a file (a `Path`) or in a YAML text (a `str`); `filled` completes its content.

    Raises:
        RequestError: the file cannot be read or holds no request; `problems` has every mistake.
    """
    text = file_text(source) if isinstance(source, Path) else source.removeprefix("\ufeff")
    path = source if isinstance(source, Path) else None
    where = str(path) if path else TEXT
    document = read_document(text, where)
    content, lines = _with_current_keys(document.content, document.lines)
    left = tuple(placeholders(content, lines))
    if left:
        raise refusal(left, where)
    request = _validated(filled(content), lines, where)
    return ReadRequest(request, text, path, {field_name(at): line for at, line in lines.items()})


def read_mapping(content: Mapping[str, Any]) -> ReadRequest[Request]:
    """The request in a mapping, as Python has it: texts stay texts, and paths (`Path`) may stand for their names.

    Raises:
        RequestError: `problems` has every mistake.
    """
    current, lines = _with_current_keys(_with_paths_as_texts(content), {})
    return ReadRequest(_validated(current, lines, TEXT))


def read_recorded(text: str) -> ReadRequest[Request]:
    """The request in the JSON that the state has of it, numbers exact. Raises RequestError where it is none today."""
    return read_mapping(json.loads(text, parse_float=Decimal))


def as_json(request: Request) -> str:
    """A request as JSON, which is YAML that reads as the same request: what it says beyond the defaults."""
    return exact_json(said_by(request))


def said_by(request: Request) -> dict[str, Any]:
    """What a request says beyond the defaults, its method in any case."""
    return {**request.model_dump(mode="python", by_alias=True, exclude_defaults=True), "method": request.method}


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
    method = _method_of(content)
    if isinstance(method, str) and method in REQUESTS:
        return REQUESTS[method]

    what, instead = no_choice(method, list(REQUESTS))
    # The other keys belong to some method, and it is not known which.
    raise refusal([RequestProblem(what, instead, ("method",), lines.get(("method",), 0))], where)


def _method_of(content: Any) -> Any:
    """The method that a request names; without one that of tables where it has rows or columns of one."""
    if not isinstance(content, Mapping):
        return DEFAULT_METHOD
    implied = "table" if content.keys() & set(IMPLYING_TABLE) else DEFAULT_METHOD
    return content.get("method", implied)


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


LARGEST_DOCUMENT = 1_048_576
MAX_READ = LARGEST_DOCUMENT + 4
"""Bytes: one character more than a document may have."""
DEEPEST = 16
_MAX_DIGITS = 100

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FRACTION = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]{1,6})?|[-+]?\.(inf|nan)")
_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


def scalar(text: str) -> bool | int | Decimal | str | None:
    """The value of a plain (unquoted) scalar. A fraction is the decimal as written, not the nearest float."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        # Python reads no integer of thousands of digits; past a hundred, a larger number stands for it.
        return int(text) if len(text) <= _MAX_DIGITS else (-1 if text[0] == "-" else 1) * 10**_MAX_DIGITS
    if _FRACTION.fullmatch(text):
        return Decimal(text.replace(".inf", "inf").replace(".nan", "nan"))
    return text


DIALECT = Dialect(
    value=scalar,
    deepest=DEEPEST,
    words=YamlWords(
        syntax=(wording("this is not YAML: %(name)s"), wording("check the indent, colons and quotes here")),
        character=(
            wording("the text holds a character that YAML does not allow, such as NUL or another control character"),
            wording("take it out"),
        ),
        escape=(wording("an escape or directive cannot be read"), wording("write the text out")),
        half=(wording("the text holds half a character (\\ud800 to \\udfff)"), wording("write the character itself")),
        deep=(wording("the document is nested too deeply"), wording("write at most four levels")),
        second=(wording("a second document starts here"), wording("keep one document a file")),
        alias=(wording("the alias *%(name)s is not allowed"), wording("write the value out")),
        anchor=(wording("the anchor &%(name)s is not allowed"), wording("take it out")),
        tag=(wording("the tag %(name)s is not allowed"), wording("take it out")),
        key=(wording("a key must be a plain text"), wording("write name: value")),
        twice=(wording("is given twice, first on line %(line)s"), wording("keep one of the two")),
    ),
)


@dataclass(frozen=True, slots=True)
class Kind:
    """The name of a kind of document in messages, and advice on a missing one."""

    name: str
    least: str
    begins: str


REQUEST = Kind(
    phrase("request"),
    phrase("write at least dataset, k, quasi_identifiers, release"),
    phrase("write dataset: NAME, k: 50 and so on, one a line"),
)


def read_document(text: str, where: str, kind: Kind = REQUEST) -> Document:
    """The one mapping in `text`; `where` names the file in messages, `kind` its content.

    Raises:
        RequestError: every tag, anchor, alias and duplicate key, or the first syntax error.
    """
    if len(text.encode("utf-8", "surrogatepass")) > LARGEST_DOCUMENT:
        raise RequestError(
            phrase("the %(name)s is larger than 1 MiB", name=kind.name),
            where=where,
            next_step=phrase("Write a shorter one."),
        )
    document = document_of(text, DIALECT)
    problems = [RequestProblem(each.what, each.instead, each.path, each.line) for each in document.mistakes]
    if document.lines and not isinstance(document.content, dict):
        problems.append(
            RequestProblem(
                phrase("a %(name)s is a mapping of fields", name=kind.name), kind.begins, line=document.lines[()]
            )
        )
    elif not document.lines and not problems:
        problems.append(RequestProblem(phrase("the %(name)s is empty", name=kind.name), kind.least))
    if problems:
        raise refusal(problems, where, kind.name)
    return document


def file_text(path: Path, kind: str = "request") -> str:
    """The text of the file, UTF-8 with or without a byte order mark, cut off where it is too long for a document.

    `kind` of file, for messages. Raises RequestError where it cannot be read.
    """
    where = str(path)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_READ)
    except FileNotFoundError as error:
        raise RequestError(phrase("there is no such file"), where=where, next_step=_nearest_file(path)) from error
    except IsADirectoryError as error:
        step = phrase("Name the %(kind)s file in it.", kind=kind)
        raise RequestError(
            phrase("this is a folder, not a %(kind)s file", kind=kind), where=where, next_step=step
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        step = phrase("Check the name and that the file may be read.")
        raise RequestError(
            phrase("the file cannot be read (%(reason)s)", reason=reason), where=where, next_step=step
        ) from error
    return document_text(content, where)


def document_text(content: bytes, where: str) -> str:
    """The text of what was read of a document, at most `MAX_READ` bytes. Raises RequestError where it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start >= LARGEST_DOCUMENT:  # cut within a character
            return content[: error.start].decode("utf-8-sig") + " "
        line = content.count(b"\n", 0, error.start) + 1
        problem = RequestProblem(phrase("the text is not UTF-8"), phrase("save the file as UTF-8"), line=line)
        raise refusal([problem], where) from error


def _nearest_file(path: Path) -> str:
    """A near-miss name among the YAML files beside the missing one, or what to do without one."""
    if not path.parent.is_dir():
        return "Check the folder's name."
    beside = [each.name for each in path.parent.iterdir() if each.suffix in (".yaml", ".yml")]
    return did_you_mean(path.name, beside) or "Check the name."


def exact_json(content: Any, *, canonical: bool = False) -> str:
    """The JSON of mappings, lists, texts and numbers; whatever is none of these is written as its text.

    `canonical`: without spaces, and with keys by name, so that equal contents have one text.
    """
    comma, colon = (",", ":") if canonical else (", ", ": ")
    match content:
        case Mapping():
            names = sorted(content) if canonical else content
            entries = (f"{_json_text(each)}{colon}{exact_json(content[each], canonical=canonical)}" for each in names)
            return f"{{{comma.join(entries)}}}"
        case list() | tuple():
            return f"[{comma.join(exact_json(each, canonical=canonical) for each in content)}]"
        case Decimal():
            return plain(content)
        case bool() | int() | None:
            return json.dumps(content)
    return _json_text(content)


def _json_text(value: object) -> str:
    return json.dumps(str(value), ensure_ascii=False)
