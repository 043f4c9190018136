"""`docs/reference/python.md`, from signatures and docstrings: `python checks/python_reference.py` prints it.

Everything in `ordermade.__all__` is on it, the nouns of an engine, and the records that they return.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import ordermade
from ordermade.documents.schema import descriptions
from ordermade.records.printed import Printed

INTRODUCTION = """\
# The Python library

Everything that `from ordermade import …` gives, made from the signatures and docstrings of the program itself. A
request is the path of a file, or a mapping with [the keys of a request file](request.md).

```python
from ordermade import Engine

with Engine("state.sqlite") as engine:
    for each in engine.requests.list():
        print(each.id, each.status)
    result = engine.run("members.yaml")
    print(result)  # one screen; a small table in a notebook
    frame = result.to_pandas()
```

`repr()` of a result, a measure or a list has at most 15 lines of 100 columns, and a notebook shows it as small tables.
Neither has a value of a person, and a count below the least k of a dataset is left out wherever the command line leaves
it out. The repr of an `AnonymizedTable` lists every column. In a notebook a call that takes longer than half a second
shows its progress in one line beneath the cell, `anonymize` and `sweep` on a terminal too, unless `progress=False`;
`Engine(progress=ProgressLine())` shows it on a terminal, `Engine(progress=Silent())` nowhere.

The examples of a call begin with a frame of made-up patients, `df`, its `release` by `anonymize`, and an engine that
has the file `patients.csv` as its dataset `patients`, with the `request` that the first example of `Engine` has.

In the signatures `RequestLike` is the path of a request file, a mapping, or a request that was read; `Notice` is a
function that receives a text; `AskPassword` is a function that receives the URL of a server and returns its password.
Arguments are checked by their types: another one raises an `InputError` that names the argument. Every error is an
`OrdermadeError`; its message says what is wrong, where, and what to do next.
"""

PARTS: Mapping[str, str] = {
    "A frame, a file": "anonymize AnonymizedTable sweep measure Picture ModelUtility ModelScore ModelCoefficient",
    "The engine": "Engine Limits Progress ProgressLine Silent initialise",
    "The answer to a request": "Result GeneralizationResult MicroaggregationResult MondrianResult HistoryResult "
    "TablesResult ReturnedResult LiveView WrittenCertificate VerifiedCertificate VerifiedTables",
    "Before and beside a request": "Predicted PredictedTables Sweep Offers Offer CheckedRules RequestBeside Remembered "
    "DisclosedBits ImportOptions ImportedRelease",
    "Any table, any release": "MeasuredTable Comparison ComparisonOptions Options Judgement JudgementOptions "
    "RecodingJudgement ReleasesTogether",
    "Rules and categories": "Suggestion RulesOptions CheckedTaxonomy SuggestedTaxonomy TaxonomyOptions",
}
"""The order of the page. Errors have a part of their own; names that are in no part come before it."""

NOUNS: Mapping[str, str] = {
    "sources": "catalogue.sources.Sources",
    "datasets": "catalogue.datasets.Datasets",
    "policies": "catalogue.policies.Policies",
    "hierarchies": "catalogue.hierarchies.Hierarchies",
    "requests": "catalogue.requests.Requests",
    "releases": "catalogue.releases.Releases",
    "ledger": "catalogue.ledger.RememberedReleases",
    "observations": "catalogue.observations.Observations",
}
"""The nouns of an engine, each with its class."""

RECORDS = (
    "state.sources.Source",
    "catalogue.sources.SourceDescription",
    "state.datasets.RegisteredDataset",
    "catalogue.datasets.DatasetDescription",
    "catalogue.datasets.RefreshedDataset",
    "catalogue.changed_columns.ChangedColumns",
    "catalogue.changed_columns.GoneColumn",
    "catalogue.changed_columns.RetypedColumn",
    "catalogue.policies.StoredPolicy",
    "catalogue.policies.CheckedPolicy",
    "catalogue.policies.PolicyDifference",
    "policies.difference.PolicyChange",
    "state.policies.PolicyRecord",
    "state.hierarchies.HierarchyRecord",
    "catalogue.hierarchies.AddedHierarchy",
    "catalogue.hierarchies.CheckedHierarchy",
    "hierarchies.code_lists.CodeList",
    "hierarchies.code_lists.ListChanges",
    "state.records.requests.RequestRecord",
    "state.releases.ReleaseRecord",
    "catalogue.verified_releases.VerifiedRelease",
    "state.records.observations.ListedObservation",
)
"""The records that the nouns return."""

WIDTH = 100
TEXT_WIDTH = 120
"""Columns of code, and of prose."""


def page() -> str:
    """The whole page as Markdown."""
    names = [name for name in ordermade.__all__ if name != "__version__"]
    errors = [name for name in names if _is_error(_named(name))]
    in_parts = [name for listed in PARTS.values() for name in listed.split()]
    parts = [INTRODUCTION]
    for title, listed in PARTS.items():
        parts += [f"## {title}\n", *(_section(_named(name), name) for name in listed.split())]
        if title == "The engine":
            parts += ["## The nouns of an engine\n", *(_noun(name, class_at(place)) for name, place in NOUNS.items())]
    others = [name for name in names if name not in {*in_parts, *errors}]
    if others:
        parts += ["## Others\n", *(_section(_named(name), name) for name in others)]
    parts += ["## Records\n", *(_section(kind, kind.__name__) for kind in map(class_at, RECORDS))]
    parts += ["## Errors\n", *(_error(_named(name)) for name in sorted(errors, key=_depth))]
    return "\n".join(parts)


def _named(name: str) -> Any:
    return getattr(ordermade, name)


def class_at(place: str) -> Any:
    """The class of the package that a place names: `state.sources.Source`."""
    module, _, name = place.rpartition(".")
    return getattr(importlib.import_module(f"ordermade.{module}"), name)


def _is_error(found: Any) -> bool:
    return inspect.isclass(found) and issubclass(found, Exception)


def _depth(name: str) -> tuple[str, ...]:
    """Errors by their place in the tree: a parent stands before its children."""
    return tuple(each.__name__ for each in reversed(_named(name).__mro__) if issubclass(each, ordermade.OrdermadeError))


def _section(found: Any, name: str) -> str:
    """A function, or a class with its fields, properties and own methods."""
    if not inspect.isclass(found):
        return "\n\n".join([f"### `{name}`", _block(_signature(found, name)), _words(found)]) + "\n"
    parts = [f"### `{name}`", *_fields(found, name), _words(found)]
    parents = [each for each in found.__mro__[1:] if each.__name__ in ordermade.__all__]
    if issubclass(found, Printed) and not parents:
        parts.append("`as_dict()`: the keys that `--json` prints of it, in JSON's types.")
    if parents:
        parts.append(f"Besides what a {_link(parents[0].__name__)} has.")
    properties = "\n".join(_properties(found))
    if properties:
        parts.append(properties)
    return "\n\n".join([*parts, *_methods(found, name)]) + "\n"


def _noun(name: str, found: Any) -> str:
    return "\n\n".join([f"### `engine.{name}`", _words(found), *_methods(found, f"engine.{name}")]) + "\n"


def _error(found: Any) -> str:
    parents = ", ".join(_link(each.__name__) for each in found.__bases__ if each is not Exception)
    above = f"A kind of {parents}; exit status {found.exit_status}." if parents else ""
    return "\n\n".join(part for part in (f"### `{found.__name__}`", above, _words(found)) if part) + "\n"


def _fields(found: Any, name: str) -> Iterator[str]:
    """The fields of a dataclass as a class body; those that are private or inherited left out."""
    if not dataclasses.is_dataclass(found):
        return
    own = vars(found).get("__annotations__", {})
    lines = [
        f"    {each.name}: {_shown_type(each)}{_default(each)}"
        for each in dataclasses.fields(found)
        if each.name in own and not each.name.startswith("_")
    ]
    if lines:
        yield _block("\n".join([f"class {name}:", *lines]))


def _shown_type(field: Any) -> str:
    """The type of a field, without what its texts or keys may be."""
    return _ANNOTATED.sub(r"\1", str(field.type))


_ANNOTATED = re.compile(r"^Annotated\[(\w+), .*\]$")


def _default(field: Any) -> str:
    if field.default is not dataclasses.MISSING:
        return f" = {_value(field.default)}"
    return "" if field.default_factory is dataclasses.MISSING else " = ..."


def _value(default: Any) -> str:
    if isinstance(default, str):
        return json.dumps(default, ensure_ascii=False)
    return repr(default) if default is None or isinstance(default, int | float | tuple) else "..."


def _properties(found: Any) -> Iterator[str]:
    described = descriptions(found) if hasattr(found, "__dataclass_fields__") else {}
    for name in vars(found).get("__annotations__", {}):
        if name in described and not name.startswith("_"):
            yield f"* `{name}`: {' '.join(described[name].split())}"
    for name, member in _own(found):
        if isinstance(member, property) and name not in NOUNS:
            yield f"* `{name}`: {' '.join((inspect.getdoc(member) or '').split())}"


def _methods(found: Any, called: str) -> Iterator[str]:
    for name, member in _own(found):
        function = member.__func__ if isinstance(member, classmethod) else member
        if inspect.isfunction(function):
            yield f"#### `{called}.{name}`" if called != "Engine" else f"#### `engine.{name}`"
            yield _block(_signature(function, name))
            yield _words(function)


def _own(found: Any) -> Iterator[tuple[str, Any]]:
    # The nouns of the catalogue and of the service are in rooms below the engine.
    rooms = ("ordermade.catalogue.collections", "ordermade.service.collections")
    kinds = [each for each in found.__mro__ if each is found or each.__module__ in rooms]
    return ((name, member) for kind in kinds for name, member in vars(kind).items() if not name.startswith("_"))


def _signature(function: Any, name: str) -> str:
    """The signature as a function without a body, a parameter a line where it is long."""
    signature = inspect.signature(function)
    told: list[str] = []
    keyword = False
    for each in signature.parameters.values():
        if each.name in {"self", "cls"}:
            continue
        if each.kind is each.KEYWORD_ONLY and not keyword:
            keyword = True
            told.append("*")
        default = "" if each.default is each.empty else f" = {_value(each.default)}"
        told.append(f"{each.name}: {each.annotation}{default}")
    answer = signature.return_annotation
    line = f"def {name}({', '.join(told)}) -> {answer}: ..."
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"def {name}(", *(f"    {each}," for each in told), f") -> {answer}: ..."])


def _block(code: str) -> str:
    return f"```python\n{code}\n```"


_SECTION = re.compile(r"^(Args|Returns|Raises|Example):$", re.MULTILINE)


def _words(found: Any) -> str:
    """The docstring in paragraphs; arguments and errors are lists, errors links, examples code."""
    first, *others = _SECTION.split(inspect.getdoc(found) or "")
    parts = [_joined(each) for each in first.strip().split("\n\n")]
    for title, text in zip(others[::2], others[1::2], strict=True):
        parts += [f"{title}:", *_of_section(title, textwrap.dedent(text.strip("\n")).rstrip())]
    return "\n\n".join(each for each in parts if each)


def _of_section(title: str, text: str) -> Iterator[str]:
    if title == "Example":
        yield f"```pycon\n{text}\n```"
    elif title == "Returns":
        yield _joined(text)
    else:
        named = (" ".join(each.split()).partition(": ") for each in re.split(r"\n(?! )", text))
        lines = (f"* {_link(name) if title == 'Raises' else f'`{name}`'}: {words}" for name, _, words in named)
        yield "\n".join(
            textwrap.fill(each, TEXT_WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
            for each in lines
        )


def _joined(text: str) -> str:
    """The lines of a paragraph filled; a list stays a list."""
    linked = re.sub(r"(?<![`\w])[A-Z]\w+(?![`\w])", lambda found: _linked(found[0]), text)
    if text.startswith("* "):
        return linked
    return textwrap.fill(" ".join(linked.split()), TEXT_WIDTH, break_long_words=False, break_on_hyphens=False)


def _linked(word: str) -> str:
    """A word, as a link where it names an error."""
    return _link(word) if word in ordermade.__all__ and _is_error(_named(word)) else word


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})" if name in ordermade.__all__ else f"`{name}`"


if __name__ == "__main__":
    sys.stdout.write(page())
