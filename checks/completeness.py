"""The reference has everything: commands and options, keys of YAML files, names of the Python library.

The names are collected from the program itself, and looked for in the pages as a reader would, so that a generator that
leaves something out is found as well as a page that was not made again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from checks.pages import REFERENCE, REPOSITORY

_HIDDEN = {"install_completion", "show_completion"}
"""Typer's own options, which every program made with it has."""


def omissions() -> Iterator[tuple[str, str]]:
    """What the reference leaves out, each with the page that it belongs on."""
    from checks.blocks import the_program
    from ordermade.requests.schema import json_schema

    found = {
        "cli.md": command_omissions(_text("cli.md"), the_program()),
        "request.md": key_omissions(_text("request.md"), json_schema()),
        "mondrian.md": row_omissions(_text("mondrian.md"), {"rules": rule_keys()}),
        "hierarchy.md": row_omissions(_text("hierarchy.md"), hierarchy_keys()),
        "python.md": name_omissions(_text("python.md"), library_names()),
        "errors-and-exit-status.md": name_omissions(_text("errors-and-exit-status.md"), error_names()),
    }
    for name, missing in found.items():
        page = (REFERENCE / name).relative_to(REPOSITORY).as_posix()
        for each in missing:
            yield page, each


def _text(name: str) -> str:
    path = REFERENCE / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def command_omissions(page: str, program: Any, path: str = "ordermade") -> Iterator[str]:
    """Commands without a heading, and arguments and options that the part under it does not name."""
    page = page.replace("\\|", "|")
    part = re.search(rf"^#+ `{re.escape(path)}`$(.*?)(?=^#|\Z)", page, re.MULTILINE | re.DOTALL)
    if part is None:
        yield f"has no heading `{path}`"
    for parameter in program.params:
        names = (
            [parameter.metavar or parameter.name.upper()] if parameter.param_type_name == "argument" else parameter.opts
        )
        if parameter.name in _HIDDEN or getattr(parameter, "hidden", False) or part is None:
            continue
        for name in names:
            if not re.search(rf"[`, ]{re.escape(name)}(?!\w)", part[1]):
                yield f"does not name {name} under `{path}`"
    for name, command in getattr(program, "commands", {}).items():
        yield from command_omissions(page, command, f"{path} {name}")


def key_omissions(page: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """Parts of the request file whose keys stand in no table together; a kind of request has the shared keys apart."""
    tables = [
        set(re.findall(r"^\| `([^`]+)` \|", part, re.MULTILINE)) for part in re.split(r"^#+ ", page, flags=re.MULTILINE)
    ]
    parts = schema["$defs"]
    kinds = [part for name, part in parts.items() if name.endswith("Request")]
    shared = set.intersection(*(set(part["properties"]) for part in kinds)) if kinds else set()
    wanted = {
        name: set(part["properties"]) - (shared if name.endswith("Request") else set()) for name, part in parts.items()
    }
    for name, keys in {"every request": shared | set(schema["properties"]), **wanted}.items():
        if not any(keys <= table for table in tables):
            missing = min((keys - table for table in tables), key=len)
            yield f"has no table with all keys of {name}: {', '.join(sorted(missing))}"


def row_omissions(page: str, keys: Mapping[str, set[str]]) -> Iterator[str]:
    """Keys of a file's part that no row of a table names."""
    named = set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE))
    for part, wanted in keys.items():
        for key in sorted(wanted - named):
            yield f"does not name the key `{key}` of {part} in a row of its own"


def name_omissions(page: str, names: Iterator[str]) -> Iterator[str]:
    """Names that stand nowhere on the page as code."""
    code = set(re.findall(r"`([^`\n]+)`", page))
    for name in names:
        if name not in code:
            yield f"does not name `{name}`"


def library_names() -> Iterator[str]:
    """The public names of the library."""
    import ordermade

    yield from (name for name in ordermade.__all__ if not name.startswith("_"))


def error_names() -> Iterator[str]:
    """The errors that a caller may catch by name."""
    import ordermade

    for name in ordermade.__all__:
        each = getattr(ordermade, name)
        if isinstance(each, type) and issubclass(each, Exception):
            yield name


def rule_keys() -> set[str]:
    """The keys of a rule."""
    from ordermade.requests.rules import Rule

    return set(Rule.model_fields)


def hierarchy_keys() -> dict[str, set[str]]:
    """The keys of each part of a hierarchy file."""
    from ordermade.hierarchies import read

    parts: dict[str, type[BaseModel]] = {
        "the file": read.Rules,
        "`intervals`": read.Intervals,
        "a level of `intervals`": read.IntervalLevel,
        "a part of `date`": read.DatePart,
        "`prefix`": read.Prefix,
        "`ordered`": read.Ordered,
        "a level of `ordered`": read.Range,
    }
    return {name: set(part.model_fields) for name, part in parts.items()}
