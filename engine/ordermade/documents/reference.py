"""`docs/reference/output.md`, made from the types of the documents: `python -m ordermade.documents.reference`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from ordermade import errors
from ordermade.documents.error import OTHERS, Failed, code_of
from ordermade.documents.names import TEXTS
from ordermade.documents.schema import ID, document_types, output_schema
from ordermade.offers.offer import OffersChanged
from ordermade.records.printed import FORMAT

INTRODUCTION = f"""\
# JSON output

With `--json` a command prints one JSON object on stdout and nothing else there; messages stay on stderr. Its first keys
are `format`, now `{FORMAT}`, and `command`, noun and verb as they are typed.

`ordermade schema` prints the JSON Schema (draft 2020-12, `$id` `{ID}`) of every document, errors
included; the site has it as `reference/output.schema.json`. No object has keys that it does not list.

* A figure that is not known, not finite, or below the least k of a dataset is `null`.
* Numbers are JSON numbers; exact decimals of a request on record are texts. Times are ISO 8601 with their zone.
* Key order is no part of the format. Lists stand in the order that their description says.

**Versions.** Further keys, further values of a text, and further error codes leave the version as it is: ignore those
that you do not know. A key that goes, or gets another type or meaning, raises it.
"""


def output_reference() -> str:
    """The whole page as Markdown."""
    parts = output_schema()["$defs"]
    shared: dict[str, None] = {}
    sections = [INTRODUCTION, *_texts(), *_failures(parts, shared)]
    for command, kinds in document_types().items():
        sections.append(f"## `{command}`\n")
        for kind in kinds:
            title = f"### {kind.__name__}\n" if len(kinds) > 1 else ""
            sections += [title, *_section(parts[kind.__name__], shared)]
    sections.append("## Parts of documents\n")
    done: set[str] = set()
    while left := sorted(name for name in shared if name not in done):
        for name in left:
            done.add(name)
            sections += [f"### {name}\n", *_section(parts[name], shared)]
    return "\n".join(each for each in sections if each)


def _texts() -> Iterator[str]:
    yield "Some commands take no `--json`:\n\n| command | prints |\n|---|---|"
    yield "\n".join(f"| `{name}` | {words} |" for name, words in TEXTS.items()) + "\n"
    yield (
        "`request explain`, `request draft`, `hierarchy suggest`, `taxonomy keywords` and `observations export` print "
        "SQL, YAML or CSV for use elsewhere; with `--json` they print a document.\n"
    )


def _failures(parts: dict[str, Any], shared: dict[str, None]) -> Iterator[str]:
    yield "## Errors\n"
    yield (
        "Where a command fails and `--json` stands anywhere on the command line, stdout has this document; the message "
        "is on stderr, and the exit status as without `--json`. A refused request is no error: its document has the "
        "status `refused`. A document that was printed before the failure stays the only one; and there is none "
        "where the output itself is closed, or at a second Ctrl-C.\n"
    )
    yield from _section(parts[Failed.__name__], shared)
    yield "| `error.code` | exit status | meaning |\n|---|---|---|"
    rows = [(code_of(each), each.exit_status, (each.__doc__ or "").partition("\n")[0]) for each in error_kinds()]
    rows += [(code, _STATUS[code], words) for code, words in OTHERS.items()]
    yield "\n".join(f"| `{code}` | {status} | {words} |" for code, status, words in rows) + "\n"


_STATUS = {"usage": 2, "os_error": 3, "exhausted": 3, "interrupted": 130, "unexpected": 3}


def error_kinds() -> list[type[errors.OrdermadeError]]:
    """Every error of the engine, in the order in which they are declared; those that commands raise elsewhere last."""
    found = [each for each in vars(errors).values() if isinstance(each, type)]
    kinds = [each for each in found if issubclass(each, errors.OrdermadeError) and each is not errors.OrdermadeError]
    return [*kinds, OffersChanged]


def _section(part: dict[str, Any], shared: dict[str, None]) -> Iterator[str]:
    yield f"{part['description']}\n"
    if part["properties"]:
        yield _table(part, shared)


def _table(part: dict[str, Any], shared: dict[str, None]) -> str:
    required = set(part.get("required", ()))
    rows = [
        f"| `{name}`{'' if name in required else ' (may be missing)'} | {_type(each, shared)} | {each['description']} |"
        for name, each in part["properties"].items()
    ]
    return "\n".join(["| key | type | meaning |", "|---|---|---|", *rows]) + "\n"


def _type(schema: dict[str, Any], shared: dict[str, None]) -> str:
    """The type of a key in words; parts are linked."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        shared[name] = None
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type(each, shared) for each in schema["anyOf"])
    if "const" in schema:
        return f"`{str(schema['const']).lower() if isinstance(schema['const'], bool) else schema['const']}`"
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    if schema.get("type") == "array":
        inner = schema.get("prefixItems")
        return f"pair of {' and '.join(_type(each, shared) for each in inner)}" if inner else _list(schema, shared)
    if schema.get("type") == "object":
        return f"object of {_type(schema['additionalProperties'], shared)}"
    if schema.get("format") == "date-time":
        return "time"
    if "type" not in schema:
        return "number, text or null"
    return _WORDS.get(schema["type"], str(schema["type"]))


_WORDS = {"string": "text", "integer": "whole number", "boolean": "truth value"}


def _list(schema: dict[str, Any], shared: dict[str, None]) -> str:
    return f"list of {_type(schema['items'], shared)}"


if __name__ == "__main__":
    sys.stdout.write(output_reference())
